"""Faults of the system at every place."""

import collections
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

# The system calls of each kind, and the error of one that fails.
KINDS = {
    "write": ("write,pwrite64,writev", "ENOSPC"),
    "sync": ("fsync,fdatasync", "EIO"),
    "rename": ("rename,renameat,renameat2", "EIO"),
    "memory": ("mmap", "ENOMEM"),
    "thread": ("clone,clone3", "EAGAIN"),
    "accept": ("accept,accept4", "EMFILE"),
}
# A command that takes longer hangs.
TIMEOUT = 60
# The arena waits for a lost line.
TIMEOUTS = ["-startup-ms", "5000", "-ping-ms", "5000", "-ucinewgame-ms", "5000", "-stall-ms", "5000"]
GAME = "(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Bo]RE[B+];B[hh];W[ih];B[jj];W[hi])\n"
QUERIES = "".join(f'{{"id":"{variant}","variant":"{variant}","nodes":100}}\n' for variant in ("gomoku", "cfour", "renju", "tictactoe"))


class Scenario:
    """A command that is run with a fault, and what it must leave behind."""

    kinds = ("write", "sync", "rename", "memory", "thread")
    files = {}
    stdin = ""

    def words(self, folder):
        """Returns the arguments of the command. The second time they continue or repeat it."""
        raise NotImplementedError

    def found(self, folder, output):
        """Returns what the command was for, without times."""
        raise NotImplementedError

    def check(self, folder, kind, output):
        """Returns what is wrong after a command that said it failed; `None` if nothing is."""

    def is_lasting(self, again):
        """Returns whether the next run says that the fault stays."""
        return False


class Convert(Scenario):
    """Replaces a record."""

    files = {"in.sgf": GAME, "out.psq": "old"}

    def words(self, folder):
        return ["convert", "in.sgf", "out.psq", "--force"]

    def found(self, folder, output):
        return (folder / "out.psq").read_text()

    def check(self, folder, kind, output):
        left = (folder / "out.psq").read_text()
        return None if left == "old" or left.startswith("Piskvorky") and left.endswith("\n") else "a half written file"


class Batch(Scenario):
    """Answers queries, with a journal."""

    files = {"in.jsonl": QUERIES}

    def words(self, folder):
        return ["batch", "in.jsonl"]

    def found(self, folder, output):
        lines = [json.loads(line) for line in (folder / "in.batch/results.jsonl").read_text().splitlines()]
        return sorted((line["id"], line["best"], line["nodes"]) for line in lines)


class Arena(Scenario):
    """Plays games, with a journal; the engines fail, too."""

    def words(self, folder):
        if (folder / "run/journal.jsonl").exists() and (folder / "run/run.toml").exists():
            return ["arena", "resume", "run"]
        engines = [word for name in "AB" for word in ("-engine", f"cmd={self.program}", f"name={name}", "proto=uci")]
        return ["arena", *engines, "-each", "nodes=50", "-variant", "tictactoe", "-rounds", "1", "-max-failures", "0", *TIMEOUTS, "-out", "run", "-force"]

    def found(self, folder, output):
        games = [json.loads(line) for line in (folder / "run/games.jsonl").read_text().splitlines()]
        # An engine that failed has lost, which is right.
        return sorted(game["id"] for game in games)

    def is_lasting(self, again):
        # A game that neither engine could play three times is left out.
        return again.returncode == 3


class Prove(Scenario):
    """Writes a proof, with a journal."""

    def words(self, folder):
        return ["prove", "--variant", "tictactoe", "--side", "first", "--out", "out.proof", "--force", "--threads", "1", "--hash", "1"]

    def found(self, folder, output):
        return (folder / "out.proof").read_text()


class Shelf(Scenario):
    """Imports a game into a new shelf."""

    files = {"in.sgf": GAME}

    def words(self, folder):
        return ["shelf", "import", "in.sgf", "--shelf", "my.shelf"]

    def found(self, folder, output):
        words = [self.program, "shelf", "find", "--shelf", "my.shelf"]
        return subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, text=True, check=False, timeout=TIMEOUT).stdout


class Search(Scenario):
    """Searches in UCI. A move comes, whatever else cannot be had."""

    stdin = "setoption name Hash value 64\nsetoption name Threads value 2\nposition startpos moves d1\ngo nodes 30000\n"

    def words(self, folder):
        return []

    def found(self, folder, output):
        return output.count("bestmove ")

    def check(self, folder, kind, output):
        # A program that cannot write cannot say its move.
        return "no bestmove" if kind != "write" and "bestmove" not in output else None


SCENARIOS = (Convert, Batch, Arena, Prove, Shelf, Search)


def run(scenario, folder, trace):
    """Runs a command under strace with these options. Returns what it did; `None` if it hangs."""
    words = ["strace", "-f", "-qq", "-o", str(folder / "trace"), *trace, str(scenario.program), *scenario.words(folder)]
    pipe = subprocess.PIPE
    started = subprocess.Popen(words, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    try:
        out, err = started.communicate(scenario.stdin, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        subprocess.run(["pkill", "-KILL", "-s", str(started.pid)], check=False)
        started.communicate()
        return None
    return subprocess.CompletedProcess(words, started.returncode, out, err)


def fresh(scenario, folder):
    """Makes a folder with the files of a scenario."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in scenario.files.items():
        (folder / name).write_text(text)
    return folder


def chosen(numbers, most):
    """Returns which of these numbers are tried: all, or the first ones and then evenly spread ones."""
    if len(numbers) <= most:
        return numbers
    dense = most * 2 // 3
    step = (len(numbers) - dense) / (most - dense)
    return numbers[:dense] + [numbers[int(dense + step * place)] for place in range(most - dense)]


def calls_in(folder, calls):
    """Returns the calls of the trace in a folder: thread, name, and the rest."""
    return re.findall(rf"^(\d+) +({calls.replace(',', '|')})(\(.*)", (folder / "trace").read_text(errors="replace"), re.MULTILINE)


def places(scenario, folder, kind):
    """Returns the places that can fail: a name of a call and a number, which strace counts in each thread. Left out are the calls of
    the loader and of the runtime's start, which end by a signal; those that wake a thread, which never fail; and messages."""
    calls = KINDS[kind][0]
    trace = ["-y", "-e", f"trace={calls}"]
    before = 0
    if kind == "memory":
        words = ["strace", "-f", "-qq", "-o", str(folder / "trace"), *trace, scenario.program, "--version"]
        subprocess.run(words, stdout=subprocess.DEVNULL, check=False)
        before = len(calls_in(folder, calls))
    run(scenario, fresh(scenario, folder), trace)
    numbers, good, bad = collections.Counter(), set(), set()
    for thread, name, text in calls_in(folder, calls):
        numbers[thread, name] += 1
        place = (name, numbers[thread, name])
        is_fit = place[1] > before and "eventfd" not in text and not text.startswith("(2<")
        (good if is_fit else bad).add(place)
    return sorted(good - bad)


def judged(scenario, folder, expected, kind, trace):
    """Runs a command with a fault, and again without. Returns `clean`, `message`, or what is wrong."""
    done = run(scenario, folder, trace)
    if done is None:
        return "it hangs"
    if "panicked" in done.stderr or "panicked" in done.stdout:
        return f"a panic: {done.stderr[-300:]}"
    if done.returncode < 0:
        return f"ended by signal {signal.Signals(-done.returncode).name}: {done.stderr[-300:]}"
    result = "clean"
    if done.returncode == 0:
        if (found := attempt(scenario, folder, done.stdout)) != expected:
            return f"a success, but {found} instead of {expected}"
    else:
        result = "message"
        if not done.stderr.strip():
            return f"status {done.returncode} without a message"
        if wrong := scenario.check(folder, kind, done.stdout):
            return f"{wrong}: {done.stderr[-300:]}"
    again = run(scenario, folder, ["-e", "trace=none"])
    if again is None:
        return "the next run hangs"
    if attempt(scenario, folder, again.stdout) != expected and not scenario.is_lasting(again):
        return f"not the same after the next run (status {again.returncode}): {again.stderr[-300:]}"
    return result


def attempt(scenario, folder, output):
    """Returns what a command has left behind, or the error of reading it."""
    try:
        return scenario.found(folder, output)
    except (OSError, ValueError, KeyError) as error:
        return repr(error)


def faults(args):
    """Lets the n-th write, sync, rename, mapping of memory, start of a thread or accept of each thread fail, for each n, with strace. A command
    must end with a message, or go on without what it could not get. It must never hang, panic or leave a half written file. The next
    run must give what an undisturbed one gives."""
    if not shutil.which("strace"):
        sys.exit("strace is missing: apt-get install strace")
    print("| command | fails | places | tried | clean | message | wrong |\n|---|---|---:|---:|---:|---:|---:|", flush=True)
    wrong = []
    with tempfile.TemporaryDirectory() as base:
        for kind_of in SCENARIOS:
            if args.scenarios and kind_of.__name__.lower() not in args.scenarios:
                continue
            scenario = kind_of()
            scenario.program = args.program.resolve()
            folder = pathlib.Path(base) / "work"
            expected = attempt(scenario, fresh(scenario, folder), run(scenario, folder, ["-e", "trace=none"]).stdout)
            for kind in scenario.kinds:
                wrong += row(scenario, folder, expected, kind, args.most)
        if not args.scenarios or "serve" in args.scenarios:
            wrong += served(args.program.resolve(), pathlib.Path(base), args.most)
    print(*wrong, sep="\n")
    sys.exit(bool(wrong))


def row(scenario, folder, expected, kind, most):
    """Prints a row of the table. Returns what was wrong."""
    command = type(scenario).__name__.lower()
    calls, error = KINDS[kind]
    numbers = places(scenario, folder, kind)
    tried = chosen(numbers, most)
    results = collections.Counter()
    wrong = []
    for name, number in tried:
        trace = ["-e", f"trace={calls}", "-e", f"inject={name}:error={error}:when={number}"]
        found = judged(scenario, fresh(scenario, folder), expected, kind, trace)
        results[found if found in ("clean", "message") else "wrong"] += 1
        if found not in ("clean", "message"):
            wrong.append(f"{command}, {name} {number}: {found}")
    print(f"| {command} | {kind} | {len(numbers)} | {len(tried)} | {results['clean']} | {results['message']} | {results['wrong']} |", flush=True)
    return wrong


def served(program, base, most):
    """Lets system calls of `tengen serve` fail while clients come in turn. The last of them must be answered."""
    wrong = []
    # Writes of a server wake threads, too, which never fails.
    for kind in ("accept", "thread", "memory"):
        calls, error = KINDS[kind]
        results = collections.Counter()
        # Calls of the loader come first.
        first = 20 if kind == "memory" else 1
        for place in range(first, first + most // 2):
            found = serve_once(program, base, ["-e", f"trace={calls}", "-e", f"inject={calls}:error={error}:when={place}"])
            results[found if found in ("clean", "message") else "wrong"] += 1
            if found not in ("clean", "message"):
                wrong.append(f"serve, {kind} {place}: {found}")
        tried = sum(results.values())
        print(f"| serve | {kind} | | {tried} | {results['clean']} | {results['message']} | {results['wrong']} |", flush=True)
    return wrong


def serve_once(program, base, trace):
    """Runs a server with a fault, and asks it by four clients."""
    log = base / "serve.log"
    words = ["strace", "-f", "-qq", "-o", "/dev/null", *trace, str(program), "serve", "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0"]
    with log.open("w") as out:
        server = subprocess.Popen(words, stdout=out, stderr=out, start_new_session=True)
    try:
        end = time.monotonic() + TIMEOUT
        port = None
        while port is None and time.monotonic() < end and server.poll() is None:
            ports = re.findall(r"tcp\D+127\.0\.0\.1:(\d+)", log.read_text(errors="replace"), re.IGNORECASE)
            port = int(ports[0]) if ports else None
            time.sleep(0.02)
        if port is None:
            text = log.read_text(errors="replace")
            return "message" if server.poll() not in (None, 0) and text.strip() and "panicked" not in text else f"no port: {text[-300:]}"
        answers = [asked(port, number) for number in range(4)]
        text = log.read_text(errors="replace")
        if "panicked" in text:
            return f"a panic: {text[-300:]}"
        if server.poll() is not None:
            return "message" if text.strip() and server.returncode > 0 else f"the server ended: {text[-300:]}"
        return "clean" if answers[-1] else f"no answer to the last of four clients: {answers} {text[-300:]}"
    finally:
        subprocess.run(["pkill", "-KILL", "-s", str(server.pid)], check=False)
        server.wait()


def asked(port, number):
    """Asks a server for a search. Returns whether an answer came."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(f'{{"id":"{number}","variant":"gomoku","nodes":50}}\n'.encode())
            return b'"type":"answer"' in client.makefile("rb").readline() or b'"type"' in client.recv(1)
    except OSError:
        return False


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("faults", help="lets the n-th system call of each kind fail", description=faults.__doc__)
    command.add_argument("program", type=pathlib.Path, metavar="PROGRAM", help="a program with the feature shelf")
    command.add_argument("scenarios", nargs="*", metavar="COMMAND", help=", ".join([*(kind.__name__.lower() for kind in SCENARIOS), "serve"]) + "; all if none is named")
    command.add_argument("--most", type=int, default=60, help="the most calls of a kind that are tried (60)")
    command.set_defaults(run=faults)
