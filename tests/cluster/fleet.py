"""What bad and many workers do to a run.

    python fleet.py PATH_TO_TENGEN [PART ..] [--server PATH] [--bad N] [--pairs N]

Parts; without a name all run:
- rogue: 2,000 bad results of 40 kinds beside two healthy workers. The rogue has users of its own, takes tasks of the run as a worker
  does, lets `tengen work` do some of them, and changes the results. The run must end, and its games must be those of the run in one
  process. The server has the users of packaging/cluster/nats-server.conf.
- abandoned: 320 runs whose coordinators were killed. Measures the processor time of an idle worker.
- crowd: a batch beside 10 and beside 1,000 imitations of workers, 20 ms away from the server. Compares the rates.

Needs `nats-server` (default: from PATH), Python 3.10 on Linux, and no package. All is over loopback.
"""

import argparse
import copy
import hashlib
import json
import os
import random
import queue
import shutil
import socket
import subprocess
import sys
import threading
import time

from cluster import WRONG, Lab, check, compare, games, say

ROGUES = [f"rogue{n}" for n in range(8)]


class Nats:
    """A connection to a server: publish, subscribe, requests. It has no more than this test needs."""

    def __init__(self, port, user=None, password=None):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.file = self.socket.makefile("rb")
        self.lock, self.waiting, self.count, self.user = threading.Lock(), {}, 0, user
        self.refused = []
        self.file.readline()
        self.send(("CONNECT " + json.dumps({**({"user": user, "pass": password} if user else {}), "verbose": False, "headers": True, "no_responders": True,
                                            "lang": "python", "version": "1", "protocol": 1}) + "\r\n").encode())
        self.inbox = f"_INBOX.worker.{user}.{random.getrandbits(60):x}"
        threading.Thread(target=self.read, daemon=True).start()

    def send(self, data):
        with self.lock:
            self.socket.sendall(data)

    def read(self):
        while line := self.read_line():
            if line.startswith(b"PING"):
                self.send(b"PONG\r\n")
            elif line.startswith(b"-ERR"):
                self.refused.append(line.decode().strip())
            elif line.startswith((b"MSG", b"HMSG")):
                words = line.split()
                size = int(words[-1])
                header = int(words[-2]) if words[0] == b"HMSG" else 0
                body = self.file.read(size + 2)[:-2]
                reply = words[3] if len(words) == (6 if header else 5) else b""
                # A task comes under its own subject.
                waiting = self.waiting.get(words[2].decode())
                if waiting:
                    waiting((body[:header], body[header:], reply.decode()))

    def read_line(self):
        try:
            return self.file.readline()
        except (OSError, ValueError):
            return b""

    def api(self, subject, text=""):
        """The answer of JetStream; an error ends the test."""
        answer = json.loads(self.request(f"$JS.API.{subject}", text, 10)[1])
        assert "error" not in answer, answer
        return answer

    def publish(self, subject, text, reply=""):
        data = text if isinstance(text, bytes) else text.encode()
        self.send(f"PUB {subject} {reply} {len(data)}\r\n".encode() + data + b"\r\n")

    def request(self, subject, text, timeout):
        """The first answer: its headers, its body and where it wants a reply; `None` after the timeout."""
        self.count += 1
        key, found, event = str(self.count), [], threading.Event()
        self.waiting[key] = lambda message: (found.append(message), event.set())
        self.send(f"SUB {self.inbox}.{key} {key}\r\n".encode())
        self.publish(subject, text, f"{self.inbox}.{key}")
        event.wait(timeout)
        self.send(f"UNSUB {key}\r\n".encode())
        self.waiting.pop(key, None)
        return found[0] if found else None

    def task(self, run):
        """The next task of a run as the subject of its acknowledgement and an object; `None` if there is none now."""
        answer = self.request(f"$JS.API.CONSUMER.MSG.NEXT.TENGEN_TASK.w-{run}", json.dumps({"batch": 1, "no_wait": True}), 3)
        if answer is None or answer[0].startswith((b"NATS/1.0 404", b"NATS/1.0 408", b"NATS/1.0 409", b"NATS/1.0 503")) or not answer[1]:
            return None
        return answer[2], json.loads(answer[1])


def canonical(data):
    """The digest of data, as the contract says."""
    return "sha256:" + hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()


def game(place, change):
    """A kind of bad result: changes a game of the pair, and gives the right digest of the wrong data."""
    def bad(result):
        change(result["data"]["games"][place])
        result["digest"] = canonical(result["data"])
    return bad


def times(change):
    def bad(result):
        change(result["times"][0])
    return bad


def data(change):
    def bad(result):
        change(result["data"])
        result["digest"] = canonical(result["data"])
    return bad


def field(name, value):
    def bad(result):
        result[name] = value
    return bad


def worker(name, value):
    def bad(result):
        result["worker"][name] = value
    return bad


def moves(change):
    return game(0, lambda found: found.update(moves=" ".join(change(found["moves"].split()))))


def swapped(text):
    return {"1-0": "0-1", "0-1": "1-0", "1/2": "1-0"}[text]


KINDS = {
    "another task": field("task", "sha256:" + "0" * 64),
    "no task": field("task", None),
    "another id": field("id", "other-000001-00000000"),
    "a false digest": field("digest", "sha256:" + "1" * 64),
    "no digest": field("digest", None),
    "no data": field("data", None),
    "data that is a text": field("data", "won"),
    "data that is a list": data(lambda found: found.update(games="all won")),
    "another version of the contract": field("version", 2),
    "another version of the program": worker("version", "9.9.9"),
    "another bench": worker("bench", 1),
    "no worker": field("worker", None),
    "an error as a result": lambda result: result.update(ok=False, data=None, error={"code": "bad_move", "message": "no"}, retry=False),
    "an error to try again": lambda result: result.update(ok=False, data=None, error={"code": "machine", "message": "no"}, retry=True),
    "another engine": data(lambda found: found.update(engines=["a" * 64, "b" * 64])),
    "one game": data(lambda found: found.update(games=found["games"][:1])),
    "no game": data(lambda found: found.update(games=[])),
    "sides exchanged": game(0, lambda found: found.update(first="b" if found["first"] == "a" else "a")),
    "the result exchanged": game(0, lambda found: found.update(result=swapped(found["result"]))),
    "the second result exchanged": game(1, lambda found: found.update(result=swapped(found["result"]))),
    "an unknown result": game(0, lambda found: found.update(result="2-0")),
    "an illegal move": moves(lambda found: found[:-1] + [found[0]]),
    "a move outside the board": moves(lambda found: found[:-1] + ["z99"]),
    "nonsense as a move": moves(lambda found: found[:-1] + ["\x1b[2J"]),
    "no moves": moves(lambda found: []),
    "a move less": moves(lambda found: found[:-1]),
    "a move more": moves(lambda found: found + ["a1"]),
    "another opening": moves(lambda found: ["a1", "a2"] + found[2:]),
    "moves in another spelling": moves(lambda found: [text.upper() for text in found]),
    "an end by a line of five stones": game(0, lambda found: found.update(moves="h8 a1 h9 a2 h10 a3 h11 a4 h12", notes=[], opening_plies=9)),
    "an end by resignation": game(0, lambda found: found.update(end="draw_scores", result="1/2")),
    "an end by length": game(1, lambda found: found.update(end="length", result="1/2")),
    "an end by a proof": game(0, lambda found: found.update(end="proof", text="proven")),
    "an end on time without a clock": game(0, lambda found: found.update(end="time", moves=" ".join(found["moves"].split()[:-1]), notes=found["notes"][:-1])),
    "an escape sequence as the end": game(0, lambda found: found.update(text="\x1b]0;x\x07")),
    "a note less": game(0, lambda found: found.update(notes=found["notes"][1:])),
    "a score that is a text": game(0, lambda found: found["notes"][0].update(s="\x1b[31mwon")),
    "moves longer than the game": times(lambda found: found.update(millis=0, moves=[[10**12, 1, None, False]] + found["moves"][1:])),
    "a clock that was not asked for": times(lambda found: found.update(moves=[[m[0], m[1], 5000, False] for m in found["moves"]])),
    "a text that is no JSON": None,
}
assert len(KINDS) == 40


class Rogue:
    """A worker that lies."""

    def __init__(self, lab, run, most):
        self.lab, self.run, self.most, self.sent, self.failed, self.turn = lab, run, most, 0, None, 0
        self.connections = [Nats(lab.port, name, "r-secret") for name in ROGUES]
        # The same build, to which no bench is known.
        self.honest = subprocess.Popen([lab.tengen, "work", "--jobs", "1", "--config", lab.path("work.toml")], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.by_kind = {name: 0 for name in KINDS}
        self.is_ended = False
        self.thread.start()

    def work(self):
        try:
            while not self.is_ended and self.sent < self.most:
                nats = self.connections[self.turn % len(self.connections)]
                self.turn += 1
                found = nats.task(self.run)
                if found is None:
                    time.sleep(0.05)
                    continue
                self.lie(nats, *found)
        except (OSError, ValueError, KeyError) as why:
            self.failed = why

    def lie(self, nats, ack, task):
        """Sends bad results of a task, and what else a bad worker does with it."""
        self.honest.stdin.write(json.dumps(dict(task, build={"version": task["build"]["version"]})) + "\n")
        self.honest.stdin.flush()
        good = json.loads(self.honest.stdout.readline())
        assert good["ok"], good
        good["task"] = canonical(task)
        good["worker"].update(name=nats.user, bench=task["build"].get("bench"))
        subject = f"tengen.result.{nats.user}.{self.run}.{task['id']}"
        names = list(KINDS)
        for step in range(25):
            name = names[self.sent % len(names)]
            result = copy.deepcopy(good)
            if KINDS[name]:
                KINDS[name](result)
            # The stream keeps the first result of a worker for an id until the coordinator removes it.
            text = json.dumps(result, ensure_ascii=False) if KINDS[name] else "won\n\x00"
            other = self.connections[(self.turn + step) % len(self.connections)]
            other.publish(f"tengen.result.{other.user}.{self.run}.{task['id']}", text)
            self.sent += 1
            self.by_kind[name] += 1
        # Claims about the task, under its own name and under that of a healthy worker.
        for claim in ({"refusal": [canonical(task), "bad_move"]}, {"retry": True}, {"begins": True}, {}):
            body = dict({"id": task["id"], "error": "\x1b[2Jno", "retry": False}, **claim)
            nats.publish(f"tengen.dead.{nats.user}.{self.run}.{task['id']}", json.dumps(body))
            nats.publish(f"tengen.dead.w0.{self.run}.{task['id']}", json.dumps(body))
        nats.publish(subject.replace(nats.user, "w0"), json.dumps(good))
        # A view of a game that its rules do not allow, and of a name with an escape sequence.
        view = {"game": 0, "players": [0, 1], "start": None, "moves": ["h8", "h8"], "said": [], "left_millis": [None, None], "scores": ["\x1b[2J", None]}
        for shown in (view, dict(view, moves=["h8\x1b[2J"]), dict(view, players=[7, 9]), [], "x" * 100_000):
            nats.publish(f"tengen.view.{nats.user}.{self.run}.{task['id']}", json.dumps(shown))
        # Some tasks are dropped, some are held with signs of progress, some are acknowledged without a result.
        if self.turn % 3 == 0:
            nats.publish(ack, "+ACK")
        elif self.turn % 3 == 1:
            for _ in range(10):
                nats.publish(ack, "+WPI")


def users(lab, names):
    """The configuration of the package with a user for each worker."""
    conf = open(os.path.join(os.path.dirname(__file__), "../../packaging/cluster/nats-server.conf"), encoding="utf-8").read()
    conf = conf.replace("127.0.0.1:4222", f"127.0.0.1:{lab.port}")
    conf = conf.replace("/var/lib/tengen-nats", lab.path("streams"))
    start = conf.index("      {\n        user: worker\n")
    end = conf.index("      }\n    ]", start) + len("      }\n")
    block = conf[start:end]
    def of(name):
        text = block.replace("user: worker", f"user: {name}").replace("$TENGEN_WORKER_PASSWORD", '"r-secret"')
        text = text.replace("tengen.result.worker.", f"tengen.result.{name}.").replace("tengen.dead.worker.", f"tengen.dead.{name}.")
        text = text.replace("tengen.view.worker.", f"tengen.view.{name}.")
        return text.replace("$KV.tengen_worker.worker", f"$KV.tengen_worker.{name}").replace("_INBOX.worker.worker.", f"_INBOX.worker.{name}.")
    return conf[:start] + "".join(map(of, names)) + conf[end:]


def rogue(lab, options):
    lab.local("local", options.pairs, nodes=300)
    env = dict(os.environ, TENGEN_COORDINATOR_PASSWORD="c-secret")
    conf = lab.write("nats.conf", users(lab, ["w0", "w1", *ROGUES]))
    log = open(lab.path("server.log"), "w")
    lab.server = subprocess.Popen([options.server, "-c", conf], env=env, stdout=subprocess.DEVNULL, stderr=log)
    lab.await_server()
    for name in ("w0", "w1"):
        lab.start_worker(name, url=f"nats://{name}:r-secret@127.0.0.1:{lab.port}")
    coordinator = ["-transport", "nats", "-nats", f"nats://coordinator:c-secret@127.0.0.1:{lab.port}", "-ack-wait-ms", "2000",
                   "-run-name", "rogues"]
    started = time.time()
    run = lab.start(lab.match("run", options.pairs, *coordinator, nodes=300))
    while not os.path.exists(lab.path("run/journal.jsonl")):
        time.sleep(0.05)
    bad = Rogue(lab, "rogues", options.bad)
    text = run.communicate(timeout=1800)[0]
    bad.is_ended = True
    seconds = time.time() - started
    lab.write("rogue.log", text)
    check(run.returncode == 0, f"rogue: the run of {options.pairs} pairs ended with {run.returncode} after {seconds:.0f} s{': ' + text[-600:] if run.returncode else ''}")
    kinds = sum(1 for count in bad.by_kind.values() if count)
    check(bad.failed is None and kinds == len(KINDS), f"rogue: {bad.sent} bad results of {kinds} kinds were sent{'' if bad.failed is None else f': {bad.failed!r}'}")
    compare(lab, "run", "local", "rogue")
    authors = {}
    with open(lab.path("run/journal.jsonl"), encoding="utf-8") as file:
        for record in map(json.loads, file):
            if record["kind"] == "game":
                name = record.get("worker", "").split("/")[0]
                authors[name] = authors.get(name, 0) + 1
    say(f"rogue: the games by worker: {authors}")
    named = [name for name in ROGUES if f"worker {name} is excluded from this run" in text]
    check(len(named) == len(ROGUES), f"rogue: {len(named)} of its {len(ROGUES)} users are named and excluded")
    check("worker w0 is excluded from this run" not in text and "worker w1 is excluded from this run" not in text, "rogue: no healthy worker is excluded")
    files = [b"\x1b" in open(lab.path(f"run/{name}"), "rb").read() for name in ("games.pgn", "games.jsonl", "journal.jsonl") if os.path.exists(lab.path(f"run/{name}"))]
    check(files and not any(files) and "\x1b" not in text, f"rogue: no escape sequence in {len(files)} files and the output")
    denied = sum(len(connection.refused) for connection in bad.connections)
    check(denied > 0, f"rogue: the server denied {denied} messages in the name of another worker")
    bad.honest.kill()


def processor_seconds(pid):
    """The processor time of a process so far."""
    words = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def abandoned(lab, options):
    lab.start_server()
    # A short run makes the streams.
    worker = lab.start_worker("w0")
    run = lab.start(lab.match("first", 1, *lab.nats, "-run-name", "first"))
    check(run.communicate()[0] is not None and run.returncode == 0, f"abandoned: the first run ended with {run.returncode}")
    nats = Nats(lab.port)
    entry = {"state": "running", "task_version": 3, "version": None, "bench": 3820399, "engines": [lab.sha], "holder": "gone:/run", "epoch": 1, "beat": 7}
    found = json.loads(nats.request("$JS.API.DIRECT.GET.KV_tengen_run.$KV.tengen_run.first", "", 10)[1])
    entry["version"] = found["version"]
    for number in range(320):
        name = f"gone-{number}"
        config = {"durable_name": f"w-{name}", "filter_subject": f"tengen.task.{name}.>", "ack_policy": "explicit", "ack_wait": 30 * 10**9, "max_deliver": -1}
        nats.api(f"CONSUMER.DURABLE.CREATE.TENGEN_TASK.w-{name}", json.dumps({"stream_name": "TENGEN_TASK", "config": config}))
        assert nats.request(f"$KV.tengen_run.{name}", json.dumps(entry), 10)
    shares = []
    for wait in (35, 60, 60):
        before, started = processor_seconds(worker.pid), time.time()
        time.sleep(wait)
        shares.append(100 * (processor_seconds(worker.pid) - before) / (time.time() - started))
    say("abandoned: an idle worker beside 320 abandoned runs takes " + ", ".join(f"{share:.2f}" for share in shares) + " % of a core, in 35, 60 and 60 s")
    check(shares[-1] < 0.5, f"abandoned: {shares[-1]:.2f} % of a core after the runs are silent")


def delayed(port, delay):
    """Passes connections on to a port, each chunk `delay` seconds later. Returns the port to connect to."""
    listener = socket.create_server(("127.0.0.1", 0))

    def one_way(source, target):
        chunks = queue.Queue()

        def send():
            while True:
                due, chunk = chunks.get()
                time.sleep(max(0, due - time.time()))
                try:
                    target.sendall(chunk) if chunk else target.shutdown(socket.SHUT_WR)
                except OSError:
                    return
                if not chunk:
                    return

        threading.Thread(target=send, daemon=True).start()
        while True:
            try:
                chunk = source.recv(1 << 16)
            except OSError:
                chunk = b""
            chunks.put((time.time() + delay, chunk))
            if not chunk:
                return

    def accept():
        while True:
            client, server = listener.accept()[0], socket.create_connection(("127.0.0.1", port))
            for pair in ((client, server), (server, client)):
                threading.Thread(target=one_way, args=pair, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def crowd(lab, options):
    tasks = 3000
    with open(lab.path("positions.jsonl"), "w") as file:
        for number in range(tasks):
            file.write(json.dumps({"id": f"p{number}", "action": "position", "variant": "tictactoe", "moves": "a1"}) + "\n")
    lab.start_server()
    lab.start_worker("w0", jobs=4)
    far = delayed(lab.port, 0.01)
    nats, rates = Nats(lab.port), []
    entry = json.dumps({"slots": 1, "version": "0", "bench": 1, "refuses": {}})

    def batch(name):
        started = time.time()
        words = [lab.tengen, "batch", lab.path("positions.jsonl"), "--out", lab.path(name), "--chunk", "1", "--ahead", "64", "--run-name", name,
                 "--transport", "nats", "--nats", f"nats://127.0.0.1:{far}"]
        done = subprocess.run(words, capture_output=True, text=True, cwd=lab.folder)
        check(done.returncode == 0, f"crowd: the batch {name} ended with {done.returncode}")
        return tasks / (time.time() - started)

    batch("warm")
    for count in (10, 1000):
        ended = threading.Event()

        def live():
            while not ended.is_set():
                for number in range(count):
                    nats.publish(f"$KV.tengen_worker.imitation-{number}", entry)
                ended.wait(10)

        thread = threading.Thread(target=live)
        thread.start()
        time.sleep(2)
        rates.append(batch(f"beside-{count}"))
        ended.set()
        thread.join()
    share = rates[1] / rates[0]
    check(share >= 0.95, f"crowd: {rates[0]:.0f} tasks a second beside 10 imitations, {rates[1]:.0f} beside 1,000: {share:.2f}")


def main():
    parts = {"rogue": rogue, "abandoned": abandoned, "crowd": crowd}
    parser = argparse.ArgumentParser()
    parser.add_argument("tengen")
    parser.add_argument("parts", nargs="*", choices=[[], *parts])
    parser.add_argument("--server", default=shutil.which("nats-server"))
    parser.add_argument("--bad", type=int, default=2000)
    parser.add_argument("--pairs", type=int, default=120)
    options = parser.parse_args()
    if options.server is None:
        say("skipped: nats-server is absent")
        return 1
    for name in options.parts or parts:
        lab = Lab(options.tengen, options.server)
        parts[name](lab, options)
        lab.close()
    return 1 if WRONG else 0


if __name__ == "__main__":
    sys.exit(main())
