"""Puts load on `tengen serve` over loopback and prints its costs.

    python serve_load.py PATH_TO_TENGEN [PART ..]

Starts a server on free ports for each part and measures it from outside: resident memory and threads from /proc, times
from this process. Parts: idle, connections, long_line, slow_reader, hash, stop, fair, starvation, gone, overhead, end. Without a name all parts
run. Prints a line for each figure and has no limits for them. Needs Python 3.10 on Linux, and no package.
"""

import argparse
import asyncio
import base64
import json
import os
import re
import resource
import signal
import socket
import statistics
import struct
import subprocess
import threading
import time

GOMOKU = "gomokufreestyle"


class Server:
    """A server on free ports."""

    def __init__(self, program, *options):
        command = [program, "serve", "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.http, self.tcp = (int(port) for port in re.findall(r"127\.0\.0\.1:(\d+)[/\n]", line)[::2])

    def status(self, field):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return int(re.search(rf"^{field}:\s+(\d+)", file.read(), re.M).group(1))

    def memory(self):
        """Resident memory in KiB."""
        return self.status("VmRSS")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Lines:
    """A client over TCP."""

    @classmethod
    async def open(cls, server):
        self = cls()
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", server.tcp, limit=1 << 24)
        return self

    async def send(self, **query):
        self.writer.write((json.dumps(query) + "\n").encode())
        await self.writer.drain()

    async def hear(self):
        return json.loads(await self.reader.readline())

    async def until(self, kind):
        while True:
            reply = await self.hear()
            if reply["type"] == kind:
                return reply

    def close(self):
        self.writer.close()


class Socket(Lines):
    """A client over WebSocket."""

    @classmethod
    async def open(cls, server):
        self = cls()
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", server.http, limit=1 << 24)
        key = base64.b64encode(os.urandom(16)).decode()
        self.writer.write(
            f"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:{server.http}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        head = await self.reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in head:
            raise ConnectionError(head.split(b"\r\n")[0].decode())
        return self

    async def send(self, **query):
        data = json.dumps(query).encode()
        size = len(data)
        head = bytes([0x81, 0x80 | size]) if size < 126 else struct.pack("!BBH", 0x81, 0xFE, size)
        self.writer.write(head + bytes(4) + data)
        await self.writer.drain()

    async def hear(self):
        while True:
            first, size = await self.reader.readexactly(2)
            if size == 126:
                (size,) = struct.unpack("!H", await self.reader.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", await self.reader.readexactly(8))
            data = await self.reader.readexactly(size)
            if first & 15 == 9:
                self.writer.write(bytes([0x8A, 0x80 | len(data)]) + bytes(4) + data)
            elif first & 15 == 1:
                return json.loads(data)
            elif first & 15 == 8:
                raise ConnectionError("closed")


def percentile(times, percent):
    """The time that `percent` per cent of the times do not exceed."""
    return sorted(times)[min(len(times) - 1, len(times) * percent // 100)]


def tell(part, figure, value):
    print(f"{part:<12} {figure:<58} {value}", flush=True)


async def versions(client, count=300):
    """Milliseconds of each of `count` queries `query_version`, one after the other."""
    times = []
    for number in range(count):
        begin = time.perf_counter()
        await client.send(id=f"v{number}", action="query_version")
        await client.until("version")
        times.append((time.perf_counter() - begin) * 1000)
    return times


async def idle(program):
    for kind in (Socket, Lines):
        with Server(program) as server:
            first = await kind.open(server)
            await versions(first)
            memory, threads = server.memory(), server.status("Threads")
            clients = []
            for _ in range(1000):
                client = await kind.open(server)
                await client.send(id="a", action="position")
                await client.until("position")
                clients.append(client)
            grown = (server.memory() - memory) / 1024
            tell("idle", f"1,000 sessions, {kind.__name__}: memory grows by", f"{grown:.1f} MiB")
            tell("idle", f"1,000 sessions, {kind.__name__}: threads more", server.status("Threads") - threads)
            tell("idle", f"1,000 sessions, {kind.__name__}: query_version, 99 %", f"{percentile(await versions(first), 99):.2f} ms")


async def connections(program):
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with Server(program) as server:
        first = await Lines.open(server)
        await first.send(id="a", action="position")
        await first.until("position")
        clients, served, refused = [], 1, 0
        times = []
        for number in range(2000):
            client = await Lines.open(server)
            await client.send(id="a", action="position")
            reply = await client.hear()
            served += reply["type"] == "position"
            refused += reply.get("code") == "too_many"
            clients.append(client)
            if number % 10 == 0:
                times += await versions(first, 1)
        tell("connections", "2,000 connections: served, refused", f"{served}, {refused}")
        tell("connections", "query_version meanwhile, 99 %", f"{percentile(times, 99):.2f} ms")


async def long_line(program):
    with Server(program) as server:
        client = await Lines.open(server)
        await versions(client, 10)
        memory, most = server.memory(), 0
        chunk = b"{" * (1 << 20)
        for _ in range(1024):
            client.writer.write(chunk)
            await client.writer.drain()
            most = max(most, server.memory() - memory)
        client.writer.write(b"\n")
        reply = await client.hear()
        tell("long_line", "1 GiB without a line end: memory grows by at most", f"{most} KiB")
        tell("long_line", "the reply", reply["code"])
        await versions(client, 1)


async def slow_reader(program):
    with Server(program) as server:
        other = await Lines.open(server)
        await versions(other)
        # Lets the server allocate what the query itself needs.
        for _ in range(300):
            await other.send(id="p", action="position", variant="freestyle20", values="static")
            await other.until("position")
        memory, most = server.memory(), 0
        # A small buffer: otherwise the system, not the server, keeps megabytes for a client that does not read.
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        narrow.connect(("127.0.0.1", server.tcp))
        silent = Lines()
        silent.reader, silent.writer = await asyncio.open_connection(sock=narrow)
        # Otherwise asyncio reads ahead.
        silent.writer.transport.pause_reading()
        begin, closed = time.monotonic(), None
        query = (json.dumps({"id": "p", "action": "position", "variant": "freestyle20", "values": "static"}) + "\n").encode()
        while closed is None and time.monotonic() - begin < 180:
            try:
                silent.writer.write(query)
                await asyncio.wait_for(silent.writer.drain(), 0.2)
            except TimeoutError:
                pass
            except OSError:
                closed = time.monotonic() - begin
            most = max(most, server.memory() - memory)
            if silent.writer.transport.get_write_buffer_size() > 1 << 16:
                await asyncio.sleep(0.05)
            if silent.writer.transport.is_closing():
                closed = time.monotonic() - begin
        tell("slow_reader", "a client that asks and never reads: memory grows by", f"{most} KiB")
        tell("slow_reader", "closed after", f"{closed:.1f} s" if closed else "never")
        tell("slow_reader", "query_version afterwards, 99 %", f"{percentile(await versions(other), 99):.2f} ms")


async def table_sizes(program):
    with Server(program, "--hash", "64") as server:
        client = await Lines.open(server)
        client.writer.write(b"uci\nisready\n")
        while await client.reader.readline() != b"readyok\n":
            pass
        memory = server.memory()
        for _ in range(1000):
            client.writer.write(b"setoption name Hash value 1024\ngo nodes 100\n")
            while not (await client.reader.readline()).startswith(b"bestmove"):
                pass
        grown = (server.memory() - memory) / 1024
        tell("hash", "1,000 x setoption Hash 1024 with a search each: memory grows by", f"{grown:.1f} MiB")


async def stop(program):
    with Server(program, "--workers", "1", "--limit", "queue=2000") as server:
        client = await Socket.open(server)
        times = []
        for round_ in range(200):
            await client.send(id=f"r{round_}", variant=GOMOKU, moves="h8 i9 g7", infinite=True, report_every_ms=20)
            await client.until("report")
            turns = {"variant": GOMOKU, "moves": "h8 i9 g7 j10", "analyze_turns": "all", "nodes": 1000}
            if round_ == 0:
                for number in range(200):
                    await client.send(id=f"q{number}", **turns, priority=-1)
            begin = time.perf_counter()
            await client.send(id=f"t{round_}", action="terminate", terminate_id=f"r{round_}")
            while True:
                reply = await client.until("answer")
                if reply["id"] == f"r{round_}":
                    break
            times.append((time.perf_counter() - begin) * 1000)
        tell("stop", "terminate to answer, 1,000 queued at first: median", f"{statistics.median(times):.2f} ms")
        tell("stop", "terminate to answer: 99 %", f"{percentile(times, 99):.2f} ms")


async def fair(program):
    options = ("--workers", "2", "--limit", "queue=10000", "--limit", "queue_in_all=20000", "--limit", "lines_at_once=20000")
    with Server(program, *options) as server:
        endless = [await Socket.open(server) for _ in range(2)]
        for client in endless:
            await client.send(id="e", variant=GOMOKU, moves="h8 i9 g7", infinite=True)
        flood = await Socket.open(server)

        async def drain():
            while True:
                await flood.hear()

        for number in range(9000):
            await flood.send(id=f"f{number}", variant=GOMOKU, moves="h8 i9 g7", time_ms=50)
        reading = asyncio.create_task(drain())
        waits = []

        async def modest():
            client = await Socket.open(server)
            for number in range(8):
                await client.send(id=f"m{number}", variant=GOMOKU, moves="h8 i9 g7", time_ms=50)
                waits.append((await client.until("answer"))["queue_ms"])

        await asyncio.gather(*(modest() for _ in range(9)))
        reading.cancel()
        tell("fair", "nine clients beside a flood and two endless: start, 95 %", f"{percentile(waits, 95)} ms")
        tell("fair", "the longest wait", f"{max(waits)} ms")


class Request:
    """A client over HTTP with one query."""

    @classmethod
    async def open(cls, server):
        self = cls()
        self.port = server.http
        return self

    async def send(self, **query):
        data = json.dumps(query).encode()
        head = f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(head.encode() + data)
        await self.writer.drain()

    async def until(self, kind):
        reply = await self.reader.read()
        if f'"type":"{kind}"'.encode() not in reply:
            raise ConnectionError(reply.decode())

    def close(self):
        self.writer.close()


async def starvation(program):
    """A session that has searched waits beside clients that send one query of 200 ms after another, each over a new connection."""
    search = {"variant": GOMOKU, "moves": "h8 i9 g7"}
    for workers in (1, 2, 8):
        for kind in (Request, Socket, Lines):
            with Server(program, "--workers", str(workers)) as server:

                async def flood():
                    while True:
                        client = await kind.open(server)
                        await client.send(id="f", **search, time_ms=200)
                        await client.until("answer")
                        client.close()

                modest = await Lines.open(server)
                await modest.send(id="a", **search, time_ms=200)
                await modest.until("answer")
                clients = [asyncio.create_task(flood()) for _ in range(2 * workers + 2)]
                await asyncio.sleep(1)
                waits, lines = [], []
                for number in range(10):
                    await modest.send(id=f"m{number}", **search, time_ms=50)
                    waits.append((await modest.until("answer"))["queue_ms"])
                    lines += await versions(modest, 5)
                for client in clients:
                    client.cancel()
                name = f"{workers} workers, {len(clients)} clients, {kind.__name__}"
                tell("starvation", f"{name}: start of a search: median, longest", f"{statistics.median(waits):.0f}, {max(waits)} ms")
                tell("starvation", f"{name}: query_version, longest", f"{max(lines):.1f} ms")


async def gone(program):
    """Clients over TCP that ask for many positions and close their connection."""
    board = {"width": 15, "height": 15, "connect": 15, "gravity": False}
    moves = " ".join(f"{column}{row}" for column in "abcdefghij" for row in range(1, 16))
    with Server(program, "--workers", "1") as server:
        for _ in range(60):
            client = await Lines.open(server)
            await client.send(id="a", variant="custom", board=board, moves=moves, analyze_turns="all", time_ms=1000)
            client.close()
        begin = time.perf_counter()
        most, left = 0, 1
        while left or time.perf_counter() - begin < 1:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.http)
            writer.write(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            left = int(re.search(rb"tengen_queue_positions (\d+)", await reader.read()).group(1))
            most = max(most, left)
            writer.close()
            await asyncio.sleep(0.05)
        tell("gone", "60 closed clients: positions in the queue, until it is empty", f"{most}, {time.perf_counter() - begin:.1f} s")


def positions(count):
    """`count` different openings of three stones."""
    names = [f"{column}{row}" for column in "defghijkl" for row in range(4, 13)]
    return [f"h8 {second} {third}" for second in names for third in names if len({second, third, "h8"}) == 3][:count]


def uci(program, moves, nodes):
    """Searches these positions over UCI, one after the other."""
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as engine:
        print(f"setoption name UCI_Variant value {GOMOKU}\nisready", file=engine.stdin)
        while engine.stdout.readline() != "readyok\n":
            pass
        for position in moves:
            # A `go` before the answer stops the search.
            print(f"position startpos moves {position}\ngo nodes {nodes}", file=engine.stdin)
            while not engine.stdout.readline().startswith("bestmove"):
                pass
        engine.stdin.close()


def queries(program, moves, nodes, workers):
    """Searches these positions over JSON."""
    lines = [
        json.dumps({"id": str(number), "variant": GOMOKU, "moves": position, "nodes": nodes, "threads": 1})
        for number, position in enumerate(moves)
    ]
    command = [program, "--workers", str(workers)]
    subprocess.run(command, input="\n".join(lines) + "\n", text=True, stdout=subprocess.DEVNULL, check=True)


def two_processes(program, moves, nodes):
    halves = [threading.Thread(target=queries, args=(program, moves[half::2], nodes, 1)) for half in range(2)]
    for half in halves:
        half.start()
    for half in halves:
        half.join()


def measured(work, *arguments):
    """Runs `work`. Returns its seconds of the clock and of processor time in child processes."""
    def processors():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    begin, used = time.perf_counter(), processors()
    work(*arguments)
    return time.perf_counter() - begin, processors() - used


async def overhead(program):
    """10,000 searches in each of four ways, in ten rounds. The order of the ways changes from round to round."""
    rounds, nodes = 10, 1000
    moves = positions(1000)
    ways = {
        "UCI, one process": (uci, program, moves, nodes),
        "JSON, one worker": (queries, program, moves, nodes, 1),
        "JSON, two workers": (queries, program, moves, nodes, 2),
        "JSON, two processes": (two_processes, program, moves, nodes),
    }
    times = {name: [] for name in ways}
    for round_ in range(rounds):
        order = list(ways.items())
        for name, way in order[round_ % len(order) :] + order[: round_ % len(order)]:
            times[name].append(measured(*way))
    for name, rounds_ in times.items():
        clock, used = (sum(column) for column in zip(*rounds_))
        tell("overhead", f"10,000 positions of 1,000 nodes, {name}: clock, processors", f"{clock:.1f} s, {used:.1f} s")

    def ratio(one, other, column):
        """The median of the ratios of the rounds, and the ratio of the sums."""
        pairs = [(a[column], b[column]) for a, b in zip(times[one], times[other])]
        return f"{statistics.median(a / b for a, b in pairs):.3f}, {sum(a for a, _ in pairs) / sum(b for _, b in pairs):.3f}"

    for column, kind in enumerate(("clock", "processors")):
        shown = ratio("JSON, one worker", "UCI, one process", column)
        tell("overhead", f"JSON with one worker / UCI, {kind}: median of rounds, sums", shown)
        shown = ratio("JSON, two processes", "JSON, two workers", column)
        tell("overhead", f"two workers / two processes in speed, {kind}: median, sums", shown)


async def end(program):
    with Server(program, "--workers", "2", "--drain", "1") as server:
        client = await Socket.open(server)
        for number in range(102):
            await client.send(id=str(number), variant=GOMOKU, moves="h8 i9 g7", infinite=True)
        await versions(client, 1)
        begin = time.perf_counter()
        server.process.send_signal(signal.SIGTERM)
        answers = 0
        try:
            while True:
                answers += (await client.hear())["type"] == "answer"
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        status = server.process.wait()
        tell("end", "SIGTERM with 2 searches and 100 queued: last lines", answers)
        tell("end", "status, seconds (--drain 1)", f"{status}, {time.perf_counter() - begin:.2f} s")


PARTS = {
    "idle": idle,
    "connections": connections,
    "long_line": long_line,
    "slow_reader": slow_reader,
    "hash": table_sizes,
    "stop": stop,
    "fair": fair,
    "starvation": starvation,
    "gone": gone,
    "overhead": overhead,
    "end": end,
}


def run(parts, description):
    """Runs the parts that the command line names; without a name all."""
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
    parser.add_argument("program")
    parser.add_argument("parts", nargs="*", choices=[[], *parts])
    arguments = parser.parse_args()
    for name in arguments.parts or parts:
        asyncio.run(parts[name](arguments.program))


if __name__ == "__main__":
    run(PARTS, __doc__)
