"""Pauses of processes, and steps of the system's clock."""

import concurrent.futures
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from campaigns.uci import Uci

# How long a process is stopped, in seconds.
PAUSE = 2
# What the clock is off by, one after the other.
STEPS = ("+1d", "-1d", "+90", "+0")
SEARCH = ("cfour", "startpos moves d1 d2", "nodes 20000")


class Pause:
    """Stops a process, and lets it go on."""

    name, late, env = "pause", PAUSE, None

    def disturb(self, process):
        """Does it once."""
        time.sleep(0.3)
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(PAUSE)
        os.kill(process.pid, signal.SIGCONT)


class Steps:
    """Lets the system's clock step forward and back. The clock that only rises stays right, as in a system."""

    name, late = "steps of the clock", 0

    def __init__(self, folder):
        libraries = sorted(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
        if not libraries:
            sys.exit("libfaketime is missing: apt-get install faketime")
        self.offset = folder / "offset"
        self.offset.write_text("+0\n")
        fake = {"FAKETIME_TIMESTAMP_FILE": str(self.offset), "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        self.env = {**os.environ, "LD_PRELOAD": str(libraries[0]), "DONT_FAKE_MONOTONIC": "1", **fake}

    def disturb(self, process):
        """Does it once, while the process runs."""
        for step in STEPS:
            self.offset.write_text(step + "\n")
            time.sleep(0.25)
        if process.poll() is not None:
            raise RuntimeError("the process ended before the clock was right again")


def search(program, disturber, folder, pool):
    """A search with a limit of time. It must end in time, and the next one must find what it always finds."""
    calm, engine = Uci(program), Uci(program, env=disturber.env)
    expected = calm.search(*SEARCH)
    calm.close()
    engine.send("position startpos", "setoption name OwnBook value false")
    disturbed = pool.submit(disturber.disturb, engine.process)
    begin = time.monotonic()
    engine.ask("go movetime 1500", "bestmove")
    spent = time.monotonic() - begin
    disturbed.result()
    found = engine.search(*SEARCH)
    engine.close()
    if not 1 < spent < 1.5 + disturber.late + 5:
        return f"a search of 1.5 s took {spent:.1f} s"
    return None if found == expected else "another search is different"


def serve(program, disturber, folder, pool):
    """A server with four clients that search, and one that begins a line and never ends it. All must be answered."""
    log = folder / "serve.log"
    with log.open("w") as out:
        server = subprocess.Popen([program, "serve", "--tcp", "127.0.0.1:0"], stdout=out, stderr=out, env=disturber.env)
    try:
        end, ports = time.monotonic() + 30, []
        while not ports and time.monotonic() < end:
            ports = re.findall(r"tcp\D+127\.0\.0\.1:(\d+)", log.read_text(errors="replace"), re.IGNORECASE)
            time.sleep(0.02)
        with socket.create_connection(("127.0.0.1", int(ports[0]))) as half:
            half.sendall(b'{"id":"half')
            clients = [pool.submit(asked, int(ports[0]), time_ms) for time_ms in (500, 1000, 1500, 2000)]
            disturber.disturb(server)
            answers = [client.result() for client in clients] + [asked(int(ports[0]), 100)]
        text = log.read_text(errors="replace")
        return None if all(answers) and "panicked" not in text else f"{answers} {text[-300:]}"
    finally:
        server.terminate()
        server.wait()


def asked(port, time_ms):
    """Asks a server for a search. Returns whether an answer came."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(f'{{"id":"a","variant":"gomoku","movetime":{time_ms},"own_book":false}}\n'.encode())
        return any(b'"type":"answer"' in line for line in iter(client.makefile("rb").readline, b""))


def arena(program, disturber, folder, pool):
    """A match. No game may be lost on time but one that is marked for a delay of the machine."""
    engines = [word for name in "AB" for word in ("-engine", f"cmd={program}", f"name={name}", "proto=uci")]
    words = [program, "arena", *engines, "-each", "tc=1+0.05", "-variant", "cfour", "-rounds", "4", "-out", folder / "run"]
    with (folder / "arena.log").open("w") as out:
        match = subprocess.Popen(words, stdout=out, stderr=out, env=disturber.env)
        disturber.disturb(match)
        status = match.wait(timeout=120)
    games = [json.loads(line) for line in (folder / "run/games.jsonl").read_text().splitlines()]
    ends = [game["end"]["kind"] for game in games if not game.get("suspect")]
    is_right = status == 0 and len(games) == 8 and not {"time", "crash", "stall", "illegal"} & set(ends)
    return None if is_right else f"status {status}, {ends} {(folder / 'arena.log').read_text()[-300:]}"


def clocks(args):
    """Stops processes for two seconds, and lets the system's clock step by a day, with libfaketime, while they search, serve and play."""
    wrong = []
    print("| while it works | times | wrong |\n|---|---:|---:|", flush=True)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for work in (search, serve, arena):
            for make in (lambda folder: Pause(), Steps):
                found = []
                for _ in range(args.times):
                    with tempfile.TemporaryDirectory() as folder:
                        path = pathlib.Path(folder)
                        found.append(work(args.program.resolve(), make(path), path, pool))
                bad = [why for why in found if why]
                name = "pause" if make is not Steps else Steps.name
                print(f"| {work.__name__}, {name} | {args.times} | {len(bad)} |", flush=True)
                wrong += [f"{work.__name__}, {name}: {why}" for why in bad]
    print(*wrong, sep="\n")
    sys.exit(bool(wrong))


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("clocks", help="pauses processes and lets the clock step", description=clocks.__doc__)
    command.add_argument("program", type=pathlib.Path, metavar="PROGRAM")
    command.add_argument("--times", type=int, default=10, help="how often each is tried (10)")
    command.set_defaults(run=clocks)
