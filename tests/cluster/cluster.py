"""Kills, cuts and compares runs whose workers are other processes.

    python cluster.py PATH_TO_TENGEN [PART ..] [--server PATH] [--seconds N] [--pairs N] [--nodes N] [--sprt TEXT] [--cuts N] [--tasks N] [--every SECONDS]

Parts: kills, position-kills, review-kills, decision, rates, long-rates, stop, parallel, streams, cuts, refusals, twice, dead, accounts, batch, full, shares, tls,
pauses, network, disk; without a name all run. `short` is a small form of kills, with parallel and accounts. Every part compares the games or replies of a run with
those of the same run on one thread, prints a line for each figure, and ends with status 1 if one is wrong. `--server` is
`nats-server` (default: from PATH). Needs Python 3.10 on Linux, and no package. `network` makes network namespaces, `disk`
mounts small file systems: both need the rights of root.
"""

import argparse
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

LINES = ["h8 i9", "h8 g9 f7", "h8 h9", "g7 h8", "h8 i9 g7", "h8 g7", "h8 j9", "h8 i7 h6", "i8 h9", "h7 g8"]
NO_TIMES = ("crc", "started", "millis", "usage", "suspect", "worker")
WRONG = []


def say(text):
    print(text, flush=True)


def check(is_right, text):
    say(f"{'ok   ' if is_right else 'WRONG'} {text}")
    if not is_right:
        WRONG.append(text)


def games(folder):
    """The games of a run without times, by id, and how many records are games."""
    found, count = {}, 0
    with open(f"{folder}/journal.jsonl", encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            if record["kind"] == "game":
                count += 1
                for name in NO_TIMES:
                    record.pop(name, None)
                for note in record["notes"]:
                    for name in ("us", "ms", "left", "hit"):
                        note.pop(name, None)
                found[record["id"]] = record
    return found, count


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Lab:
    """A folder with a server, workers and runs."""

    def __init__(self, tengen, server):
        self.tengen, self.server_program = os.path.abspath(tengen), server
        self.folder = tempfile.mkdtemp(prefix="tengen-cluster-")
        self.port = free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        self.nats = ["-transport", "nats", "-nats", self.url, "-ack-wait-ms", "2000"]
        self.server, self.workers, self.mounts = None, [], []
        sha = hashlib.sha256(open(self.tengen, "rb").read()).hexdigest()
        self.sha = sha
        self.write("work.toml", f'[[engine]]\ncmd = "{self.tengen}"\nname = "A"\n[[engine]]\ncmd = "{self.tengen}"\nname = "B"\n')

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def start_server(self, listen="127.0.0.1"):
        self.server = subprocess.Popen(
            [self.server_program, "-a", listen, "-p", str(self.port), "-js", "-sd", self.path("streams")],
            stderr=open(self.path("server.log"), "a"), stdout=subprocess.DEVNULL)
        self.await_server()

    def await_server(self):
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)

    def start_worker(self, name, jobs=1, config="work.toml", url=None, before=()):
        worker = subprocess.Popen(
            [*before, self.tengen, "work", "--nats", url or self.url, "--jobs", str(jobs), "--config", self.path(config), "--name", name,
             "--bench", "3820399"],
            stderr=open(self.path(f"{name}.log"), "a"))
        worker.label = name
        self.workers.append(worker)
        return worker

    def match(self, run, pairs, *more, nodes=100, sprt=None, variant="gomoku"):
        """A match of gomoku, or of tic-tac-toe with games of a few milliseconds."""
        lines = LINES if variant == "gomoku" else ["a1", "b2", "c3 a1", "b1 b2", "a3 b2", "c1 b3", "b2 a2", "a2"]
        self.write("openings.txt", "\n".join(lines) + "\n")
        words = [self.tengen, "arena", "-engine", f"cmd={self.tengen}", "name=A", "-engine", f"cmd={self.tengen}", "name=B",
                 "option.Hash=8", "-each", f"nodes={nodes}", "proto=uci", "-variant", variant, "-openings",
                 f"file={self.path('openings.txt')}", "format=moves", "-rounds", str(pairs), "-out", self.path(run)]
        if sprt:
            words += ["-sprt", *sprt.split()]
        return words + list(more)

    def local(self, run, pairs, **more):
        done = subprocess.run(self.match(run, pairs, **more), capture_output=True, text=True, cwd=self.folder)
        return done.stdout

    def start(self, words):
        """Starts a command. Its output is read all the time: a full pipe would stop it."""
        process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        parts = []
        reader = threading.Thread(target=lambda: parts.append(process.stdout.read()))
        reader.start()

        def communicate(timeout=None):
            process.wait(timeout)
            reader.join()
            return ["".join(parts)]

        process.communicate = communicate
        return process

    def by_nats(self, run, pairs, **more):
        return self.start(self.match(run, pairs, *self.nats, **more))

    def resume(self, run):
        return self.start([self.tengen, "arena", "resume", self.path(run), *self.nats])

    def stop(self):
        for process in [*self.workers, self.server]:
            if process and process.poll() is None:
                process.kill()
                process.wait()
        self.workers, self.server = [], None

    def close(self):
        self.stop()
        for path in self.mounts:
            root("umount", "-l", path)
        shutil.rmtree(self.folder, ignore_errors=True)


def compare(lab, run, local, name):
    """Compares the games of a run with those of the run on one thread, up to the last counted pair."""
    found, count = games(lab.path(run))
    wanted, _ = games(lab.path(local))
    late = {id for id, game in found.items() if game.pop("counted", True) is False}
    lost = [id for id in wanted if id not in found]
    different = [id for id in wanted if id in found and found[id] != wanted[id]]
    check(not lost, f"{name}: {len(lost)} of {len(wanted)} games lost")
    check(count == len(found), f"{name}: {count - len(found)} games doubled")
    check(not different, f"{name}: {len(different)} games differ from the run on one thread")
    return late


def report(lab, run):
    """The tables of a run: standings, pairs, LLR and decision. They have no times."""
    done = subprocess.run([lab.tengen, "arena", "report", lab.path(run)], capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if lab.folder not in line]


def storm(lab, run, resume, seconds, period, progress=time.time):
    """Kills one of server, workers and coordinator whenever `progress()` has grown by `period`, seconds or games, and starts it again, to
    the end of a run. Returns how often; None if the run failed."""
    random.seed(7)
    started, killed, next_kill = time.time(), {"server": 0, "worker": 0, "coordinator": 0}, progress() + period
    while True:
        if run.poll() is not None:
            text = run.communicate()[0]
            if run.returncode in (0, 10, 11):
                return killed
            # The coordinator may start while the server is down.
            if run.returncode not in (-9, 3, 5) and "no server listens" not in text:
                check(False, f"storm: the coordinator ended with {run.returncode}: {text[-400:]}")
                return None
            run = resume()
        if progress() >= next_kill and time.time() - started < seconds:
            next_kill = progress() + period
            what = random.choice(list(killed))
            killed[what] += 1
            if what == "server":
                lab.server.kill()
                lab.server.wait()
                lab.start_server()
            elif what == "worker":
                worker = random.choice(lab.workers)
                worker.kill()
                worker.wait()
                lab.workers.remove(worker)
                lab.start_worker(worker.label)
            else:
                run.kill()
        time.sleep(0.05)


def start_two(lab):
    """Starts the server and two workers."""
    lab.start_server()
    for number in range(2):
        lab.start_worker(f"w{number}")


def kills(lab, seconds, pairs, every, every_games=None, **game):
    """A storm every `every` seconds, or after every `every_games` games. The run on one thread goes on beside."""
    local, words = (lab.match(run, pairs, *more, **game) for run, more in (("local", []), ("run", lab.nats)))
    local = lab.start(local)
    start_two(lab)
    started, steps = time.time(), (every_games, lambda: stored_games(lab, "run")) if every_games else (every,)
    killed = storm(lab, lab.start(words), lambda: lab.resume("run"), seconds, *steps)
    if killed is None:
        return
    check(sum(killed.values()) > 0, f"kills: {killed} in {time.time() - started:.0f} s")
    local.communicate()
    say(f"kills: the run on one thread took {time.time() - started:.0f} s")
    compare(lab, "run", "local", "kills")
    mine, theirs = report(lab, "run"), report(lab, "local")
    decision = [line for line in mine if "LLR" in line]
    check(mine == theirs and len(mine) > 4, f"kills: all tables are those of one thread{': ' + decision[0] if decision else ''}")
    if mine != theirs:
        say("\n".join(mine + theirs))
    lab.stop()


def replies(lab, run):
    """The replies of a batch, sorted as texts, without times and speeds."""
    varying = ("time_ms", "time_us", "queue_ms", "nps")
    reply = lambda line: json.loads(line, object_hook=lambda pairs: {key: value for key, value in pairs.items() if key not in varying})
    with open(lab.path(f"{run}/results.jsonl")) as file:
        return sorted(json.dumps(reply(line), sort_keys=True) for line in file)


def query_kills(lab, every, name, queries, chunk=1):
    """A storm over a batch."""
    random.seed(5)
    path = lab.write("queries.jsonl", "".join(json.dumps(dict(query, id=f"q{n}")) + "\n" for n, query in enumerate(queries)))
    one = subprocess.run([lab.tengen, "batch", path, "--fresh", "--out", lab.path("local")], capture_output=True, text=True)
    check(one.returncode == 0, f"{name}: one process ended with {one.returncode}: {one.stderr[-300:]}")
    start_two(lab)
    start = lambda: by_batch(lab, "run", path, "--fresh", chunk=chunk)
    started, killed = time.time(), storm(lab, start(), start, 3600, every)
    if killed is None:
        return
    mine, theirs = replies(lab, "run"), replies(lab, "local")
    check(mine == theirs and sum(killed.values()) > 0, f"{name}: {killed} in {time.time() - started:.0f} s: {len(set(theirs) - set(mine))} of {len(theirs)} replies lost or different, {len(mine) - len(set(mine))} doubled")
    lab.stop()


def random_moves(count):
    """Random moves near the centre of 15x15. Up to eight end no game."""
    points = [f"{column}{row}" for column in "efghijk" for row in range(5, 12)]
    return " ".join(random.sample(points, count))


def parallel(lab):
    """Acceptance 5: GNU parallel, and a worker that is stopped and continued."""
    query = lambda n: {"id": f"q{n}", "variant": "gomoku", "moves": f"h8 {'gij'[n % 3]}{n % 9 + 1}", "nodes": 400}
    tasks = [json.dumps({"version": 1, "id": f"t{n}", "kind": "analyze", "queries": [query(n), query(n + 1)]}) for n in range(40)]
    path = lab.write("tasks.jsonl", "\n".join(tasks) + "\n")
    digests = lambda text: sorted(json.loads(line)["digest"] for line in text.splitlines())
    one = digests(subprocess.run([lab.tengen, "work", "--jobs", "1"], stdin=open(path), capture_output=True, text=True).stdout)
    check(len(one) == 40, f"parallel: {len(one)} digests of 40 tasks with one slot")
    if shutil.which("parallel"):
        done = subprocess.run(["parallel", "--will-cite", "--pipe", "-N1", lab.tengen, "work"], stdin=open(path), capture_output=True, text=True)
        check(digests(done.stdout) == one, "parallel: GNU parallel gives the same digests")
    else:
        say("skipped: parallel is absent")
    cut = subprocess.Popen([lab.tengen, "work", "--jobs", "2"], stdin=open(path), stdout=subprocess.PIPE, text=True)
    lines = [cut.stdout.readline() for _ in range(7)]
    cut.send_signal(signal.SIGTERM)
    lines += cut.stdout.readlines()
    check(cut.wait() == 143, f"parallel: status {cut.returncode} after SIGTERM")
    results = lab.write("results.jsonl", "".join(lines))
    missing = subprocess.run([lab.tengen, "work", "--missing", path, results], capture_output=True, text=True).stdout
    rest = subprocess.run([lab.tengen, "work"], input=missing, capture_output=True, text=True).stdout
    check(digests("".join(lines) + rest) == one, f"parallel: stopped after {len(lines)} tasks and continued, the same digests")


def processor_time(pid, first=11, count=4):
    """The CPU time of a process and the children that it waited for, in seconds."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return sum(int(field) for field in fields[first:first + count]) / os.sysconf("SC_CLK_TCK")


def ended_time():
    """The CPU time of all commands that have ended, with their children, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rates(lab, pairs, nodes):
    """Acceptance 3: pairs a second on two cores, by all transports, against two independent processes."""
    before, started = ended_time(), time.time()
    both = [lab.start(lab.match(f"own{n}", pairs // 2, nodes=nodes)) for n in range(2)]
    [process.communicate() for process in both]
    independent = pairs / (time.time() - started)
    say(f"rates: {pairs} pairs, {nodes} nodes a move; two independent processes: {independent:.3f} pairs/s, {2 / independent:.2f} s a pair, "
        f"CPU {(ended_time() - before) / pairs:.3f} s a pair")
    for kind in ("local", "pipe", "nats"):
        more = ["-concurrency", "2"]
        if kind == "nats":
            lab.start_server()
            for n in range(2):
                lab.start_worker(f"w{n}")
            while sum(" at nats://" in open(lab.path(f"w{n}.log")).read() for n in range(2)) < 2:
                time.sleep(0.1)
            more += ["-nats", lab.url]
        others = [*lab.workers, lab.server] if kind == "nats" else []
        before = ended_time() - sum(processor_time(process.pid) for process in others)
        started = time.time()
        process = lab.start(lab.match(f"rate-{kind}", pairs, "-transport", kind, *more, nodes=nodes))
        cpu = {}
        while process.poll() is None:
            try:
                cpu["coordinator"] = processor_time(process.pid, count=2)
                if kind == "nats":
                    cpu["server"] = processor_time(lab.server.pid, count=2)
            except (OSError, IndexError):
                pass
            time.sleep(0.05)
        elapsed = time.time() - started
        process.communicate()
        # The engines of workers count when they have ended.
        while any(children(worker.pid) for worker in lab.workers):
            time.sleep(0.05)
        used = (ended_time() + sum(processor_time(process.pid) for process in others) - before) / pairs
        share = ", ".join(f"{name} {100 * used / elapsed:.1f} % of a core" for name, used in cpu.items())
        rate = pairs / elapsed
        say(f"rates: {kind}: {rate:.3f} pairs/s, {rate / independent:.3f} of independent processes; CPU {used:.3f} s a pair; {share}")
    lab.stop()


def stop(lab):
    """Acceptance 4: after the decision at most 2 x slots pairs are finished, and the workers are idle in 2 s."""
    sprt = "elo0=0 elo1=200 model=logistic"
    lab.start_server()
    workers = [lab.start_worker(f"w{n}") for n in range(2)]
    words = lab.match("stop", 1000, "-transport", "nats", "-nats", lab.url, nodes=300, sprt=sprt)
    words[words.index("name=B") - 1:words.index("name=B") + 1] = [f"cmd={lab.tengen}", "name=B", "nodes=20"]
    run = lab.start(words)
    text = run.communicate()[0]
    ended = time.time()
    found, _ = games(lab.path("stop"))
    late = [id for id, game in found.items() if game.get("counted") is False]
    check("accepted" in text, f"stop: decided: {[line for line in text.splitlines() if 'LLR' in line][-1:]}")
    check(len(late) <= 2 * 2 * 2, f"stop: {len(late)} games of later pairs ended after the decision")
    while any(children(worker.pid) for worker in workers) and time.time() - ended < 10:
        time.sleep(0.05)
    check(time.time() - ended <= 2.0, f"stop: the workers were idle after {time.time() - ended:.2f} s")
    lab.stop()


def streams(lab, pairs):
    """Acceptance 6: the server's folder is deleted in mid-run; a journal that was cut goes on with the results at the server."""
    lab.local("local", pairs)
    lab.start_server()
    for n in range(2):
        lab.start_worker(f"w{n}")
    run = lab.by_nats("run", pairs)
    journal = lab.path("run/journal.jsonl")
    while not os.path.exists(journal) or games(lab.path("run"))[1] < pairs // 2:
        time.sleep(0.05)
    lab.server.kill()
    lab.server.wait()
    shutil.rmtree(lab.path("streams"))
    lab.start_server()
    text = run.communicate()[0]
    check(run.returncode == 0, f"streams: the run without its streams ended with {run.returncode}")
    compare(lab, "run", "local", "streams deleted")
    if run.returncode != 0:
        say(text[-500:])
    # The workers notice that the list of runs is a new one.
    other = lab.by_nats("other", 4)
    text = other.communicate(timeout=120)[0]
    check(other.returncode == 0, f"streams: the same workers do another run: status {other.returncode}{': ' + text[-300:] if other.returncode else ''}")
    random.seed(3)
    whole = open(journal, "rb").read()
    for at in [0, *(random.randrange(len(whole)) for _ in range(5))]:
        with open(journal, "wb") as file:
            file.write(whole[:at])
        again = lab.resume("run")
        text = again.communicate()[0]
        check(again.returncode == 0, f"streams: cut at byte {at} and continued: status {again.returncode}{': ' + text[-300:] if again.returncode else ''}")
        compare(lab, "run", "local", f"cut at byte {at}")
    lab.stop()


def cuts(lab, count, threads=2):
    """Acceptance 6: the journal is cut at random bytes, and the run goes on in this process."""
    lab.local("run", 8, nodes=50, variant="tictactoe")
    whole = open(lab.path("run/journal.jsonl"), "rb").read()
    wanted, _ = games(lab.path("run"))
    random.seed(3)
    places = [random.randrange(len(whole)) for _ in range(count)]
    wrong = []

    def work(number):
        folder = lab.path(f"cut{number}")
        shutil.copytree(lab.path("run"), folder)
        for at in places[number::threads]:
            with open(f"{folder}/journal.jsonl", "wb") as file:
                file.write(whole[:at])
            done = subprocess.run([lab.tengen, "arena", "resume", folder], capture_output=True, text=True)
            found, records = games(folder)
            if done.returncode or found != wanted or records != len(found):
                wrong.append(f"{at}: status {done.returncode}: {done.stderr[-300:]}")

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    check(len(wanted) == 16 and not wrong, f"cuts: a journal of {len(whole)} bytes cut at {count} random bytes: {len(wrong)} runs differ {wrong[:3]}")


def refusals(lab):
    """Acceptance 7: what is refused, and is reported once."""
    lab.local("local", 4)
    lab.start_server()
    # A worker that lists other engines takes no task of the run, and says so.
    lab.write("other.toml", '[[engine]]\ncmd = "/bin/true"\nproto = "uci"\n')
    lab.start_worker("other", config="other.toml")
    lab.start_worker("good")
    run = lab.by_nats("run", 4)
    text = run.communicate()[0]
    log = open(lab.path("other.log")).read()
    check(run.returncode == 0, f"refusals: the run ended with {run.returncode}")
    check(log.count("no task is taken: no engine with the SHA-256") == 1, "refusals: a worker without the engine says so once")
    compare(lab, "run", "local", "refusals")
    for task, code in [
        ({"version": 9, "kind": "pair"}, "unsupported"),
        ({"version": 1, "kind": "pair", "a": {"sha256": "00"}, "b": {"sha256": lab.sha}, "variant": "gomoku", "nodes": 10}, "unlisted_engine"),
        ({"version": 1, "kind": "pair", "a": {"sha256": lab.sha, "name": "A", "options": {"EvalFile": "/etc/passwd"}},
          "b": {"sha256": lab.sha, "name": "B"}, "variant": "gomoku", "nodes": 10}, "forbidden"),
    ]:
        line = json.dumps({"id": "x", **task})
        done = subprocess.run([lab.tengen, "work", "--config", lab.path("work.toml")], input=line, capture_output=True, text=True)
        result = json.loads(done.stdout)
        check(result["error"]["code"] == code and done.returncode == 2, f"refusals: {code}: {result['error']['message'][:90]}")
    good = f"{lab.tengen} work --jobs 1"
    for name, bad in [("digest", f"{good} | sed -u s/sha256:./sha256:x/"), ("version", f"{good} | sed -u 's/\"version\":\"[^\"]*\"/\"version\":\"9\"/'")]:
        words = lab.match(f"pipe-{name}", 4, "-transport", "pipe", "-pipe", bad, "-pipe", good)
        done = subprocess.run(words, capture_output=True, text=True, cwd=lab.folder)
        refused = open(lab.path(f"pipe-{name}/journal.jsonl")).read().count('"kind":"refused"')
        check(done.returncode == 0 and refused == 1, f"refusals: a false {name}: status {done.returncode}, {refused} refused")
        compare(lab, f"pipe-{name}", "local", f"false {name}")
    lab.stop()


def twice(lab, pairs):
    """Section 6: a second coordinator of a run leaves: the folder is locked, or the lease at the server is held."""
    lab.start_server()
    lab.start_worker("w0")
    one = [*lab.nats, "-run-name", "twice"]
    run = lab.start(lab.match("one", pairs, *one, nodes=1000))
    await_games(lab, "one", 2)
    for name, second, part in [("folder", lab.resume("one"), "in this folder"), ("lease", lab.start(lab.match("two", pairs, *one)), "another coordinator works")]:
        text = second.communicate()[0]
        check(second.returncode == 4 and part in text, f"twice: {name}: {second.returncode}: {text.strip().splitlines()[-1][-100:]}")
    check(run.poll() is None, "twice: the first coordinator goes on")
    text = run.communicate()[0]
    found, count = games(lab.path("one"))
    check(run.returncode == 0 and count == len(found) == 2 * pairs, f"twice: it ended with {run.returncode} and {count} games")
    lab.stop()


def dead(lab):
    """Section 3: a task that no worker can do is given up with its last error, and is done when a worker can."""
    lab.local("local", 2)
    lab.start_server()
    engine = lab.path("engine")
    shutil.copy2(lab.tengen, engine)
    lab.write("broken.toml", f'[[engine]]\ncmd = "{engine}"\nname = "A"\n[[engine]]\ncmd = "{engine}"\nname = "B"\n')
    broken = lab.start_worker("broken", config="broken.toml")
    while " at nats://" not in open(lab.path("broken.log")).read():
        time.sleep(0.05)
    os.remove(engine)
    run = lab.by_nats("run", 2)
    text = run.communicate()[0]
    check(run.returncode == 3, f"dead: without a worker that can do its tasks, the run ended with {run.returncode}")
    check("is given up: it was delivered 5 times, and no result came; the last error: there is no program" in text, "dead: the task is given up with its last error")
    check(text.count("is tried again") == 1, f"dead: the error is told once: {[line for line in text.splitlines() if 'tried again' in line][:1]}")
    broken.kill()
    broken.wait()
    lab.start_worker("good")
    run = lab.resume("run")
    text = run.communicate()[0]
    check(run.returncode == 0, f"dead: continued with another worker, it ended with {run.returncode}{': ' + text[-300:] if run.returncode else ''}")
    compare(lab, "run", "local", "dead tasks continued")
    lab.stop()


def accounts(lab):
    """The users of packaging/cluster/nats-server.conf: a match works, a wrong password and a worker that queues are refused."""
    conf = open(os.path.join(os.path.dirname(__file__), "../../packaging/cluster/nats-server.conf"), encoding="utf-8").read()
    conf = conf.replace("127.0.0.1:4222", f"127.0.0.1:{lab.port}").replace("/var/lib/tengen-nats", lab.path("streams"))
    env = dict(os.environ, TENGEN_COORDINATOR_PASSWORD="c-secret", TENGEN_WORKER_PASSWORD="w-secret")
    lab.server = subprocess.Popen([lab.server_program, "-c", lab.write("nats.conf", conf)], env=env, stdout=subprocess.DEVNULL, stderr=open(lab.path("server.log"), "w"))
    lab.await_server()
    url = lambda user, password: f"nats://{user}:{password}@127.0.0.1:{lab.port}"
    lab.url = url("worker", "w-secret")
    lab.start_worker("worker")
    lab.local("local", 4)
    run = lab.start(lab.match("run", 4, "-transport", "nats", "-nats", url("coordinator", "c-secret")))
    text = run.communicate()[0]
    check(run.returncode == 0, f"accounts: the run ended with {run.returncode}{': ' + text[-300:] if run.returncode else ''}")
    compare(lab, "run", "local", "accounts")
    run = lab.start(lab.match("watched", 4, "-transport", "nats", "-nats", url("coordinator", "c-secret"), nodes=300_000))
    file, shown = lab.path("watched/running.json"), []
    while not shown and run.poll() is None:
        if os.path.exists(file):
            shown = [game for game in json.load(open(file)) if game["moves"]]
        time.sleep(0.05)
    players = [sorted(game["players"]) for game in shown]
    check(players == [[0, 1]], f"accounts: the games that a worker plays are shown: {players}")
    run.send_signal(signal.SIGKILL)
    run.communicate()
    for user, password, part in [("coordinator", "wrong", "authorization"), ("worker", "w-secret", "needs the user")]:
        run = lab.start(lab.match(f"as-{user}", 1, "-transport", "nats", "-nats", url(user, password)))
        text = run.communicate(timeout=120)[0]
        last = text.strip().splitlines()[-1]
        check(run.returncode == 1 and part in last and password not in last, f"accounts: {user} with {password}: {last[:160]}")
    other, log, started = lab.start_worker("other"), lambda: open(lab.path("other.log")).read(), time.time()
    while "must be that of its user" not in log() and time.time() - started < 60:
        time.sleep(0.05)
    said = [line for line in log().splitlines() if "must be that of its user; here it is other" in line]
    check(len(said) == 1 and other.poll() is None, f"accounts: a worker with another name than its user: {log()[-300:]}")
    lab.stop()


def batch(lab, count):
    """Acceptance 8: a batch of many empty tasks: rate, and memory at half and at the end."""
    path = lab.path("positions.jsonl")
    with open(path, "w") as file:
        for n in range(count):
            file.write(json.dumps({"id": f"p{n}", "action": "position", "variant": "tictactoe", "moves": "a1"}) + "\n")
    lab.start_server()
    for n in range(2):
        lab.start_worker(f"w{n}", jobs=2)
    run = lab.start([lab.tengen, "batch", path, "--out", lab.path("batch"), "--chunk", "1", "--ahead", "64", "--transport", "nats", "--nats", lab.url])
    memory = lambda pid: int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read()).group(1)) // 1024
    started, half, last = time.time(), None, (0, 0)
    answers = lambda: sum(1 for _ in open(lab.path("batch/results.jsonl"))) if os.path.exists(lab.path("batch/results.jsonl")) else 0
    while run.poll() is None:
        try:
            last = (memory(run.pid), memory(lab.server.pid))
        except (OSError, AttributeError):
            pass
        if half is None and answers() >= count // 2:
            half = last
        time.sleep(1)
    elapsed = time.time() - started
    check(run.returncode == 0 and answers() == count, f"batch: status {run.returncode}, {answers()} answers")
    say(f"batch: {count} tasks in {elapsed:.0f} s: {count / elapsed:.0f} tasks/s; coordinator {half and half[0]} MB at half, {last[0]} MB at the end; server {half and half[1]}, {last[1]} MB")
    lab.stop()


def positions(lab, count, **fields):
    """A file of small queries."""
    query = dict({"action": "position", "variant": "tictactoe", "moves": "a1"}, **fields)
    return lab.write("positions.jsonl", "".join(json.dumps(dict(query, id=f"p{n}")) + "\n" for n in range(count)))


def by_batch(lab, run, path, *more, chunk=1):
    return lab.start([lab.tengen, "batch", path, "--out", lab.path(run), "--run-name", run, "--chunk", str(chunk), "--transport", "nats", "--nats", lab.url, *more])


def full(lab, count):
    """A server whose store holds less than the results: those in the journal make room, and both sides say so."""
    conf = f'listen: "127.0.0.1:{lab.port}"\njetstream {{ store_dir: "{lab.path("streams")}", max_file_store: 1MB, max_memory_store: 1MB }}\n'
    log = open(lab.path("server.log"), "w")
    lab.server = subprocess.Popen([lab.server_program, "-c", lab.write("full.conf", conf)], stdout=subprocess.DEVNULL, stderr=log)
    lab.await_server()
    lab.start_worker("w0", jobs=2)
    run = by_batch(lab, "run", positions(lab, count), "--ahead", "64")
    text = run.communicate()[0]
    answers = sum(1 for _ in open(lab.path("run/results.jsonl")))
    check(run.returncode == 0 and answers == count, f"full: status {run.returncode}, {answers} of {count} answers{': ' + text[-300:] if run.returncode else ''}")
    check("the store of the server is full" in text, "full: the coordinator says that the store is full, and what to do")
    lab.stop()


def shares(lab):
    """Two runs at one worker: with a share of 4 to 1, of 200 tasks about 160 are of one run."""
    lab.start_server()
    lab.start_worker("w0")
    path = positions(lab, 100_000, action="analyze", nodes=200)
    runs = [by_batch(lab, run, path) for run in ("one", "four")]
    shown = lambda: {row["name"]: row for row in json.loads(subprocess.run([lab.tengen, "runs", f"--nats={lab.url}", "--json"], capture_output=True, text=True).stdout or "[]")}
    while any(row.get("done", 0) < 1 for row in [shown().get(name, {}) for name in ("one", "four")]):
        time.sleep(0.2)
    changed = subprocess.run([lab.tengen, "runs", f"--nats={lab.url}", "--share", "four=4"], capture_output=True, text=True)
    check(changed.returncode == 0, f"shares: {(changed.stdout + changed.stderr).strip()}")
    while shown()["four"]["share"] != 4:
        time.sleep(0.2)
    # The worker reads the change with the next sign of life of the coordinator.
    time.sleep(6)
    counts = lambda: [sum(1 for _ in open(lab.path(f"{run}/journal.jsonl"))) for run in ("one", "four")]
    before = counts()
    while sum(counts()) - sum(before) < 200:
        time.sleep(0.1)
    one, four = [after - start for after, start in zip(counts(), before)]
    check(3 <= four / max(one, 1) <= 5, f"shares: {four} tasks of one run, {one} of the other")
    [run.kill() for run in runs]
    [run.communicate() for run in runs]
    lab.stop()


def certificates(lab):
    """A private authority, and certificates of the server and of its users, by openssl."""
    made = lambda *words: subprocess.run(["openssl", *words], cwd=lab.folder, check=True, capture_output=True)
    made("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=lab",
         "-addext", "keyUsage=critical,keyCertSign")
    for name in ("server", "user"):
        made("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        lab.write(f"{name}.ext", "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n")
        made("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", f"{name}.ext", "-out", f"{name}.crt")
        lab.write(f"{name}.pem", open(lab.path(f"{name}.crt")).read() + open(lab.path(f"{name}.key")).read())


def tls(lab):
    """A server that wants certificates of its users, and two addresses of which one is dead."""
    if not shutil.which("openssl"):
        say("skipped: openssl is absent")
        return
    certificates(lab)
    conf = (f'listen: "127.0.0.1:{lab.port}"\njetstream {{ store_dir: "{lab.path("streams")}" }}\n'
            f'tls {{ cert_file: "{lab.path("server.crt")}", key_file: "{lab.path("server.key")}", ca_file: "{lab.path("ca.pem")}", verify: true }}\n')
    lab.server = subprocess.Popen([lab.server_program, "-c", lab.write("tls.conf", conf)], stdout=subprocess.DEVNULL, stderr=open(lab.path("server.log"), "w"))
    lab.await_server()
    lab.url = f"tls://127.0.0.1:{free_port()},tls://127.0.0.1:{lab.port}"
    files = ["--tls-ca", lab.path("ca.pem"), "--tls-client", lab.path("user.pem")]
    worker = subprocess.Popen([lab.tengen, "work", "--nats", lab.url, *files, "--jobs", "1", "--name", "w0", "--bench", "3820399"], stderr=open(lab.path("w0.log"), "w"))
    worker.label = "w0"
    lab.workers.append(worker)
    path = positions(lab, 20)
    run = by_batch(lab, "run", path, *files)
    text = run.communicate(timeout=120)[0]
    check(run.returncode == 0, f"tls: with certificates the run ended with {run.returncode}{': ' + text[-300:] if run.returncode else ''}")
    both = lab.url
    lab.url = both.split(",")[1]
    cases = [
        (files[:2], "--tls-client FILE names it"),
        (files[2:], "--tls-ca FILE names its authority"),
        ([*files[:2], "--tls-client", lab.path("absent.pem")], "absent.pem: No such file"),
        ([*files[:2], "--tls-client", lab.path("user.crt")], "user.crt: there is no PRIVATE KEY in PEM in this file"),
        (["--tls-ca", path, *files[2:]], "positions.jsonl: there is no CERTIFICATE in PEM in this file"),
    ]
    for number, (more, part) in enumerate(cases):
        run = by_batch(lab, f"run-{number}", path, *more)
        text = run.communicate(timeout=120)[0].strip()
        check(run.returncode != 0 and part in text, f"tls: {run.returncode}: {text.splitlines()[-1][-200:]}")
    lab.stop()
    lab.start_server()
    run = by_batch(lab, "run-plain", path, *files)
    text = run.communicate(timeout=120)[0].strip()
    check(run.returncode != 0 and "the server does not speak TLS" in text, f"tls: {run.returncode}: {text.splitlines()[-1][-200:]}")
    lab.stop()


def pauses(lab, pairs, suspended, cut):
    """Acceptance 9: a suspended worker, and a server that does not answer. Both in seconds."""
    lab.local("local", pairs, variant="tictactoe")
    lab.start_server()
    workers = [lab.start_worker(f"w{n}") for n in range(2)]
    run = lab.by_nats("run", pairs, variant="tictactoe")
    while not os.path.exists(lab.path("run/journal.jsonl")) or games(lab.path("run"))[1] < 4:
        time.sleep(0.05)
    workers[0].send_signal(signal.SIGSTOP)
    time.sleep(suspended)
    workers[0].send_signal(signal.SIGCONT)
    lab.server.send_signal(signal.SIGSTOP)
    time.sleep(cut)
    lab.server.send_signal(signal.SIGCONT)
    text = run.communicate()[0]
    check(run.returncode == 0, f"pauses: the run ended with {run.returncode}: {text[-200:] if run.returncode else ''}")
    compare(lab, "run", "local", f"worker suspended for {suspended} s, then the server for {cut} s")
    lab.stop()


def children(pid):
    """The children of all threads of a process."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            found += open(f"/proc/{pid}/task/{task}/children").read().split()
        except OSError:
            pass
    return found


def await_games(lab, run, count):
    """Waits until the journal of a run has so many games."""
    while stored_games(lab, run) < count:
        time.sleep(0.05)


def stored_games(lab, run):
    """How many games the journal of a run has. It can end with a part of a line."""
    journal = lab.path(f"{run}/journal.jsonl")
    return open(journal, "rb").read().count(b'"kind":"game"') if os.path.exists(journal) else 0


def root(*words):
    return subprocess.run(words, capture_output=True, text=True)


def network(lab, pairs, seconds):
    """Acceptance 9: the workers are in network namespaces, whose links are down for a minute."""
    names = [f"tengen{os.getpid()}n{n}" for n in range(2)]
    made = [root("ip", "netns", "add", name) for name in names]
    if any(done.returncode for done in made):
        say(f"skipped: the right to make network namespaces is absent ({made[0].stderr.strip()})")
        return
    lab.local("local", pairs)
    links = [f"tg{os.getpid() % 10000}h{n}" for n in range(2)]
    try:
        for n, (name, link) in enumerate(zip(names, links)):
            for words in (f"link add {link} type veth peer name {link}w", f"link set {link}w netns {name}", f"addr add 10.213.{n}.1/24 dev {link}",
                          f"link set {link} up", f"-n {name} addr add 10.213.{n}.2/24 dev {link}w", f"-n {name} link set {link}w up"):
                root("ip", *words.split()).check_returncode()
        lab.start_server(listen="0.0.0.0")
        for n, name in enumerate(names):
            lab.start_worker(f"w{n}", url=f"nats://10.213.{n}.1:{lab.port}", before=("ip", "netns", "exec", name))
        run = lab.by_nats("run", pairs)
        await_games(lab, "run", 4)
        [root("ip", "link", "set", link, "down").check_returncode() for link in links]
        time.sleep(seconds)
        during = games(lab.path("run"))[1]
        time.sleep(1)
        check(games(lab.path("run"))[1] == during < 2 * pairs, f"network: cut for {seconds} s: {during} of {2 * pairs} games are there, and no more come")
        [root("ip", "link", "set", link, "up").check_returncode() for link in links]
        started = time.time()
        text = run.communicate()[0]
        check(run.returncode == 0, f"network: the run ended with {run.returncode} after {time.time() - started:.0f} more seconds{': ' + text[-300:] if run.returncode else ''}")
        compare(lab, "run", "local", f"network cut for {seconds} s")
    finally:
        lab.stop()
        [root("ip", "netns", "del", name) for name in names]


def mount(lab, name, size):
    """Mounts a small file system. Returns its path; `None` without the right to."""
    path = lab.path(name)
    os.makedirs(path)
    done = root("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path)
    if done.returncode:
        say(f"skipped: the right to mount is absent ({done.stderr.strip()})")
        return None
    lab.mounts.append(path)
    return path


def resize(path, size):
    root("mount", "-o", f"remount,size={size}", path).check_returncode()


def await_full(path):
    while os.statvfs(path).f_bavail > 1:
        time.sleep(0.05)


def disk(lab, pairs):
    """Acceptance 9: full disks, of the journal and of the server."""
    lab.local("local", pairs)
    small = mount(lab, "small", "128k")
    if not small:
        return
    lab.start_server()
    for n in range(2):
        lab.start_worker(f"w{n}")
    run = lab.by_nats("small/run", pairs)
    await_full(small)
    time.sleep(5)
    check(run.poll() is None, "disk: a run whose journal has no room waits")
    resize(small, "224k")
    time.sleep(2)
    await_full(small)
    started = time.time()
    text = run.communicate()[0]
    waited = time.time() - started
    check(run.returncode == 5 and 50 < waited < 75, f"disk: without room for a minute it ended with {run.returncode} after {waited:.0f} s: {text.strip().splitlines()[-1][-160:]}")
    resize(small, "64m")
    run = lab.resume("small/run")
    text = run.communicate()[0]
    check(run.returncode == 0, f"disk: continued with room, it ended with {run.returncode}{': ' + text[-300:] if run.returncode else ''}")
    compare(lab, "small/run", "local", "journal on a full disk")
    lab.stop()
    # The server's disk gets full in mid-run, and has room again 20 s later.
    shutil.rmtree(lab.path("streams"))
    store = mount(lab, "streams", "64m")
    lab.start_server()
    for n in range(2):
        lab.start_worker(f"v{n}")
    run = lab.by_nats("run", pairs)
    await_games(lab, "run", 4)
    with open(f"{store}/filler", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, os.statvfs(store).f_bavail * os.statvfs(store).f_bsize)
    time.sleep(20)
    during = games(lab.path("run"))[1]
    os.remove(f"{store}/filler")
    started = time.time()
    while run.poll() is None and time.time() - started < 30 and games(lab.path("run"))[1] == during:
        time.sleep(0.5)
    needs_start = run.poll() is None and games(lab.path("run"))[1] == during
    log = [line for line in open(lab.path("server.log")).read().splitlines() if "space" in line or "DISABLED" in line or "[ERR]" in line]
    say(f"disk: the server's disk was full for 20 s at {during} of {2 * pairs} games; it says: {(log or ['nothing'])[0][-120:]}")
    if needs_start:
        say("disk: the server stores nothing more until it is started again")
        lab.server.kill()
        lab.server.wait()
        lab.start_server()
    text = run.communicate()[0]
    check(run.returncode == 0, f"disk: the run ended with {run.returncode}{': ' + text[-300:] if run.returncode else ''}")
    compare(lab, "run", "local", "server on a full disk")
    lab.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tengen")
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--server", default=shutil.which("nats-server"))
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--every", type=float, default=10)
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=1300)
    parser.add_argument("--nodes", type=int, default=3000)
    parser.add_argument("--sprt", default="elo0=0 elo1=7 model=logistic")
    args = parser.parse_args()
    parts = {
        "kills": lambda lab: kills(lab, args.seconds, args.pairs, args.every, nodes=args.nodes, sprt=args.sprt),
        "decision": lambda lab: kills(lab, 300, 2000, args.every, 5, sprt="elo0=0 elo1=60 model=logistic", variant="tictactoe"),
        "position-kills": lambda lab: query_kills(lab, args.every, "positions", ({"variant": "gomoku", "moves": random_moves(6), "nodes": 300} for _ in range(20_000)), 16),
        "review-kills": lambda lab: query_kills(lab, args.every, "reviews", ({"action": "review", "variant": "gomoku", "moves": random_moves(8), "nodes": 3000} for _ in range(300))),
        "rates": lambda lab: rates(lab, 200, 6000),
        "long-rates": lambda lab: rates(lab, 60, 40000),
        "stop": stop,
        "parallel": parallel,
        "streams": lambda lab: streams(lab, 40),
        "cuts": lambda lab: cuts(lab, args.cuts),
        "refusals": refusals,
        "twice": lambda lab: twice(lab, 150),
        "dead": dead,
        "accounts": accounts,
        "batch": lambda lab: batch(lab, args.tasks),
        "full": lambda lab: full(lab, 4000),
        "shares": shares,
        "tls": tls,
        "pauses": lambda lab: pauses(lab, 300, 90, 60),
        "network": lambda lab: network(lab, 100, 60),
        "disk": lambda lab: disk(lab, 60),
    }
    short = {"kills": lambda lab: kills(lab, 15, 30, args.every, 12), "parallel": parallel, "accounts": accounts, "tls": tls}
    unknown = [name for name in args.parts if name not in parts and args.parts != ["short"]]
    if unknown:
        parser.error(f"part {unknown[0]}: it must be short alone, or some of {', '.join(parts)}")
    if args.parts == ["short"]:
        chosen = short
    else:
        chosen = {name: parts[name] for name in args.parts or parts}
    for name, part in chosen.items():
        if name not in ("parallel", "cuts") and not args.server:
            say("skipped: nats-server is absent")
            continue
        lab = Lab(args.tengen, args.server)
        try:
            part(lab)
        finally:
            lab.close()
    sys.exit(1 if WRONG else 0)


if __name__ == "__main__":
    main()
