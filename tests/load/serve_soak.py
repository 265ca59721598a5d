"""Serves 200 mixed sessions for an hour, and prints whether memory grows or resources are left behind.

    python serve_soak.py PATH_TO_TENGEN [--minutes 60] [--sessions 200] [--seed 1]

Clients over WebSocket, TCP and HTTP connect and leave. They analyze, review, use UCI and Gomocup, send wrong queries, leave in
the middle of a search, lose their connection and resume, flood, and read slowly. Every ten seconds the script records the server's
memory, threads, files and metrics. At the end all clients leave, and the counts of sessions, searches and tasks must be as before. Prints
a line a minute and the verdict. Exits with 1 if memory grew by more than 1 MiB after the first ten minutes (medians of ten minutes
each, or of quarters of a shorter run), if something is left behind, or if a client failed. Needs Python 3.10 on Linux, and no package.
"""

import argparse
import asyncio
import collections
import json
import os
import random
import re
import statistics
import sys
import time

from serve_load import GOMOKU, Lines, Server, Socket

# Tables are small, so that they fill soon. Sessions of UCI and Gomocup share little memory, so that some tables are dropped.
# Searches are short, because the figures are useful only while the server keeps up.
OPTIONS = ("--workers", "2", "--hash", "1", *(
    part for limit in ("hash_mib_in_all=16", "resume_ms=20000", "queue=40", "infinite_ms=100") for part in ("--limit", limit)
))
VARIANTS = ("cfour", GOMOKU, "renju", "tictactoe")
GAMES = {
    "cfour": "d1 d2 d3 d4 e1 c1 b1",
    GOMOKU: "h8 i9 g7 j10 k11 f6 e5",
    "renju": "h8 h9 g7 i7 f6 e5 k4",
    "tictactoe": "a1 b2 c3 a2 c2",
}
# Seconds.
TIMEOUT = 300


class Failure(Exception):
    """A wrong reply, or none."""


async def in_time(what):
    try:
        return await asyncio.wait_for(what, TIMEOUT)
    except TimeoutError as error:
        raise Failure(f"no reply within {TIMEOUT} s") from error


class Client:
    """A session that does several things in turn and then leaves."""

    def __init__(self, server, dice, done):
        self.server, self.dice, self.done = server, dice, done
        self.number = 0

    async def pause(self):
        await asyncio.sleep(self.dice.uniform(2, 15))

    def query(self, **fields):
        self.number += 1
        variant = self.dice.choice(VARIANTS)
        stones = GAMES[variant].split()
        moves = stones[: self.dice.randrange(len(stones) + 1)]
        return {"id": f"q{self.number}", "variant": variant, "moves": moves, **fields}

    async def live(self):
        way = self.dice.choice((self.over_socket, self.over_socket, self.over_lines, self.over_http, self.over_uci, self.over_gomocup))
        await way()
        self.done[way.__name__] += 1

    async def over_socket(self):
        await self.ask_much(await in_time(Socket.open(self.server)))

    async def over_lines(self):
        await self.ask_much(await in_time(Lines.open(self.server)))

    async def ask_much(self, link):
        try:
            for _ in range(self.dice.randrange(1, 12)):
                act = self.dice.choice((
                    self.answers, self.answers, self.turns, self.ends, self.reviews, self.describes, self.errs,
                    self.floods, self.resumes, self.leaves,
                ))
                link = await act(link)
                self.done[act.__name__] += 1
                if link is None:
                    return
                await self.pause()
        finally:
            if link is not None:
                link.close()

    async def last_lines(self, link, count, kinds=("answer",)):
        while count:
            reply = await in_time(link.hear())
            count -= reply["type"] in kinds or reply.get("code") == "too_many"

    async def answers(self, link):
        await link.send(**self.query(nodes=self.dice.randrange(1, 100), report_every_ms=20, multi_pv=self.dice.randrange(1, 4)))
        await self.last_lines(link, 1)
        return link

    async def turns(self, link):
        query = self.query(nodes=50, analyze_turns="all", values="search")
        await link.send(**query)
        await self.last_lines(link, len(query["moves"]) + 1)
        return link

    async def ends(self, link):
        query = self.query(infinite=True, report_every_ms=50)
        query["moves"] = []
        await link.send(**query)
        # A client must read between two pauses. Otherwise it does not answer pings, and the server closes the connection.
        first = await in_time(link.hear())
        await self.pause()
        await link.send(id="t", action="terminate", terminate_id=query["id"])
        await self.last_lines(link, 2 - (first["type"] == "answer"), ("answer", "terminate"))
        return link

    async def reviews(self, link):
        await link.send(**self.query(action="review", nodes=30, moves=GAMES[GOMOKU], variant=GOMOKU, include_sgf=True))
        await self.last_lines(link, 1, ("game",))
        return link

    async def describes(self, link):
        for _ in range(20):
            await link.send(**self.query(action="position", values="static"))
        await self.last_lines(link, 20, ("position",))
        return link

    async def errs(self, link):
        await link.send(id="e", action="nothing", junk=[{"deep": [[[1]]]}])
        await link.send(id="e", variant="chess")
        await link.send(id="e", moves="z99")
        await self.last_lines(link, 3, ("error",))
        return link

    async def floods(self, link):
        for _ in range(60):
            await link.send(**self.query(nodes=50))
        await self.last_lines(link, 60)
        return link

    async def resumes(self, link):
        """Loses the connection while a query is open, and reads the other replies on a new connection."""
        await link.send(id="h", action="hello")
        while (reply := await in_time(link.hear()))["type"] != "hello":
            pass
        name, last = reply["session"], reply["seq"]
        query = self.query(nodes=50, analyze_turns="all")
        await link.send(**query)
        await link.send(id="v", action="query_version")
        answers = []
        # Closing a connection with unread replies resets it, and the server loses input that it has not read.
        while (reply := await in_time(link.hear()))["type"] != "version":
            last, answers = self.count(reply, last, answers)
        last, answers = self.count(reply, last, answers)
        for _ in range(self.dice.randrange(3)):
            link.close()
            link = await in_time(type(link).open(self.server))
            await link.send(id="r", action="hello", resume=name, last_seq=last)
            reply = await in_time(link.hear())
            last, answers = self.count(reply, last, answers)
        while len(answers) <= len(query["moves"]):
            last, answers = self.count(await in_time(link.hear()), last, answers)
        if sorted(answers) != list(range(len(query["moves"]) + 1)):
            raise Failure(f"turns {answers} were answered")
        return link

    def count(self, reply, last, answers):
        if reply.get("seq") != last + 1:
            raise Failure(f"after message {last}: {reply}")
        return last + 1, answers + ([reply["turn_number"]] if reply["type"] == "answer" else [])

    async def leaves(self, link):
        """Drops the connection in the middle of searches."""
        for _ in range(3):
            await link.send(**self.query(infinite=True, report_every_ms=20))
        link.writer.transport.abort()

    async def over_http(self):
        reader, writer = await in_time(asyncio.open_connection("127.0.0.1", self.server.http))
        body = json.dumps(self.query(nodes=50, analyze_turns="all"))
        writer.write(
            f"POST /v1/query HTTP/1.1\r\nHost: localhost:{self.server.http}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode()
        )
        await in_time(reader.read(self.dice.choice((1, -1))))
        writer.close()

    async def over_uci(self):
        reader, writer = await in_time(asyncio.open_connection("127.0.0.1", self.server.tcp))

        async def until(word):
            while not (line := await in_time(reader.readline())).startswith(word):
                if not line:
                    raise Failure("a UCI session ended")

        writer.write(f"uci\nsetoption name UCI_Variant value {GOMOKU}\nisready\n".encode())
        await until(b"readyok")
        for _ in range(self.dice.randrange(1, 6)):
            writer.write(b"position startpos moves h8 i9\ngo nodes 100\n")
            await until(b"bestmove")
            writer.write(b"go infinite\n")
            await self.pause()
            writer.write(b"stop\n")
            await until(b"bestmove")
        writer.write(b"quit\n")
        await in_time(reader.read())
        writer.close()

    async def over_gomocup(self):
        reader, writer = await in_time(asyncio.open_connection("127.0.0.1", self.server.tcp))
        writer.write(b"START 15\nINFO timeout_turn 50\nTURN 7,7\n")
        while not re.match(rb"\d+,\d+", line := await in_time(reader.readline())):
            if not line:
                raise Failure("a Gomocup session ended")
        writer.close()


async def metrics(server):
    reader, writer = await asyncio.open_connection("127.0.0.1", server.http)
    writer.write(f"GET /metrics HTTP/1.1\r\nHost: localhost:{server.http}\r\nConnection: close\r\n\r\n".encode())
    text = (await reader.read()).decode()
    writer.close()
    found = re.findall(r"^(tengen_\w+(?:\{.*\})?) (\S+)$", text, re.M)
    return {name: float(value) for name, value in found}


async def figures(server):
    shown = await metrics(server)
    return {
        "memory": server.memory(),
        "threads": server.status("Threads"),
        "files": len(os.listdir(f"/proc/{server.process.pid}/fd")),
        "tasks": shown.get("tengen_tasks", 0),
        "sessions": sum(value for name, value in shown.items() if name.startswith("tengen_sessions")),
        "queue": shown["tengen_queue_positions"],
        "permits": shown["tengen_permits_in_use"],
        "backlog": shown["tengen_backlog_bytes"],
    }


async def soak(program, minutes, sessions, seed):
    faults, done, samples = collections.Counter(), collections.Counter(), []
    with Server(program, *OPTIONS) as server:
        # Starts both workers, so that their threads exist.
        first = await Lines.open(server)
        for name in "ab":
            await first.send(id=name, variant=GOMOKU, nodes=20000)
        for _ in "ab":
            await first.until("answer")
        first.close()
        await asyncio.sleep(1)
        before = await figures(server)
        end = time.monotonic() + minutes * 60

        async def keep_going(number):
            dice = random.Random(f"{seed} {number}")
            while time.monotonic() < end:
                try:
                    await Client(server, dice, done).live()
                except (Failure, OSError, EOFError, ValueError, KeyError) as fault:
                    faults[f"{type(fault).__name__}: {fault}"[:200]] += 1
                await asyncio.sleep(dice.uniform(0, 2))

        async def watch():
            begin = time.monotonic()
            while time.monotonic() < end:
                await asyncio.sleep(10)
                samples.append((time.monotonic() - begin, await figures(server)))
                if len(samples) % 6 == 0:
                    print(f"{len(samples) // 6:3} min", *(f"{name} {value:.0f}" for name, value in samples[-1][1].items()), flush=True)

        await asyncio.gather(watch(), *(keep_going(number) for number in range(sessions)))
        # Sessions that can be resumed are kept for resume_ms.
        await asyncio.sleep(30)
        after = await figures(server)
        print("before", before)
        print("after ", after)
        print("done  ", dict(done))
        print("faults", dict(faults))
        total = samples[-1][0]
        window = min(600, total / 4)

        def median_of(name, since, until):
            return statistics.median(figures[name] for at, figures in samples if since <= at <= until)

        early, late = median_of("memory", window, 2 * window), median_of("memory", total - window, total)
        print(f"memory, minutes {window / 60:.0f} to {window / 30:.0f} and the last {window / 60:.0f} (medians): ", end="")
        print(f"{early:.0f} KiB, {late:.0f} KiB; {late - early:+.0f} KiB")
        left = {name: after[name] - before[name] for name in ("threads", "files", "tasks", "sessions", "queue", "permits", "backlog")}
        print("left behind:", {name: count for name, count in left.items() if count} or "nothing")
        return late - early <= 1024 and not any(left.values()) and not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    good = asyncio.run(soak(arguments.program, arguments.minutes, arguments.sessions, arguments.seed))
    print("holds" if good else "does not hold")
    sys.exit(not good)


if __name__ == "__main__":
    main()
