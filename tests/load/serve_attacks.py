"""Attacks `tengen serve` over loopback and prints what other clients notice.

    python serve_attacks.py PATH_TO_TENGEN [PART ..]

Parts: wrong_tokens, no_token, lines, requests, values, keep_alive, cross_site, trees. Without a name all parts run. `trees` needs a program with the
feature shelf. Each starts a server on free
ports. Prints a line for each figure with what is wanted, and ends with status 1 if a figure is worse. Needs Python 3.10 on
Linux, and no package.
"""

import asyncio
import contextlib
import itertools
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time

from serve_load import GOMOKU, Lines, Server, Socket, percentile, run

TOKEN = "0123456789abcdef0123456789abcdef"
ATTACKERS = 16
failures = 0


def tell(part, figure, value, wanted, is_met):
    global failures
    failures += not is_met
    print(f"{part:<13} {figure:<66} {value:<18} wanted: {wanted}{'' if is_met else '  MISSED'}", flush=True)


def tell_times(part, figure, times, most):
    """`times` and `most` are in milliseconds. Every time must be below `most`."""
    value = f"{percentile(times, 50):.1f}, {max(times):.1f} ms"
    tell(part, f"{figure}: median, longest of {len(times)}", value, f"below {most} ms", max(times) < most)


async def get(server, path="/healthz", *headers):
    """The status of a request on a connection of its own, and its milliseconds."""
    begin = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.http)
    lines = "".join(f"{line}\r\n" for line in ("Host: localhost", "Connection: close", *headers))
    writer.write(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())
    answer = await reader.read()
    writer.close()
    return int(answer.split(b" ")[1]) if answer else 0, (time.perf_counter() - begin) * 1000


async def post(server, number):
    """The milliseconds of a query of 100 nodes over HTTP, on a connection of its own."""
    begin = time.perf_counter()
    body = json.dumps({"id": f"p{number}", "variant": GOMOKU, "moves": "h8 i9", "nodes": 100, "book": False}).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.http)
    head = f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    answer = await reader.read()
    writer.close()
    assert b'"best"' in answer, answer
    return (time.perf_counter() - begin) * 1000


async def search(client, number):
    """The milliseconds of a query of 100 nodes."""
    begin = time.perf_counter()
    await client.send(id=f"s{number}", variant=GOMOKU, moves="h8 i9", nodes=100, book=False)
    await client.until("answer")
    return (time.perf_counter() - begin) * 1000


@contextlib.contextmanager
def with_token(program, *options):
    """A server that needs the token."""
    descriptor, path = tempfile.mkstemp()
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(TOKEN)
    try:
        with Server(program, "--token-file", path, *options) as server:
            yield server
    finally:
        os.remove(path)


@contextlib.contextmanager
def attack(count, work, *arguments):
    """`count` attackers repeat `work` meanwhile, in a process of their own."""

    async def all_of_them():
        await asyncio.gather(*(forever(work, *arguments) for _ in range(count)))

    attackers = multiprocessing.get_context("fork").Process(target=lambda: asyncio.run(all_of_them()))
    attackers.start()
    # Until all have begun.
    time.sleep(1)
    try:
        yield
    finally:
        attackers.kill()
        attackers.join()


async def forever(work, *arguments):
    """Repeats `work`, also when the server closes its connection."""
    while True:
        with contextlib.suppress(ConnectionError, OSError, asyncio.IncompleteReadError, json.JSONDecodeError):
            await work(*arguments)
        await asyncio.sleep(0)


async def right_token(server):
    """Shows the token in all ways. Returns the number of ways that work, and the milliseconds of all."""
    begin = time.perf_counter()
    works = 0
    for kind in (Socket, Lines):
        client = await kind.open(server)
        await client.send(id="h", action="hello", token=TOKEN)
        works += (await client.hear())["type"] == "hello"
        client.close()
    works += (await get(server, "/metrics", f"authorization: bearer {TOKEN}"))[0] == 200
    return works, (time.perf_counter() - begin) * 1000


async def all_get_in(part, server):
    shown = [await right_token(server) for _ in range(20)]
    tell(part, "a right token by WebSocket, TCP and HTTP, 20 times: let in", f"{sum(ways for ways, _ in shown)} of 60", "60", all(ways == 3 for ways, _ in shown))
    tell_times(part, "all three ways", [took for _, took in shown], 1000)
    for path in ("/healthz", "/", "/readyz"):
        answers = [await get(server, path) for _ in range(20)]
        tell(part, f"{path}, 20 times: status 200", sum(status == 200 for status, _ in answers), "20", all(status == 200 for status, _ in answers))
        tell_times(part, path, [took for _, took in answers], 100)


async def guess(server):
    """Shows a wrong token."""
    client = await Lines.open(server)
    await client.send(id="h", action="hello", token="x" * 32)
    await client.hear()
    client.close()


async def wrong_tokens(program):
    with with_token(program) as server:
        with attack(200, guess, server):
            await all_get_in("wrong_tokens", server)


async def no_token(program):
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with with_token(program) as server:
        silent = [await (Socket if number % 2 else Lines).open(server) for number in range(1024)]
        await all_get_in("no_token", server)

        async def stay():
            client = await Socket.open(server)
            try:
                await client.hear()
            finally:
                client.close()
                # A client machine has 28,000 ports, and each is blocked for a minute.
                await asyncio.sleep(1)

        with attack(512, stay):
            await all_get_in("no_token", server)
        for client in silent:
            client.close()


def costly_lines():
    """Lines that take long to read or to answer."""
    board = {"width": 26, "height": 26, "connect": 5}
    letters = "abcdefghijklmnopqrstuvwxyz"
    moves = [f"{column}{row}" for row in range(1, 27) for column in letters]
    record = "(;GM[4]SZ[15]" + "".join(f";{'BW'[n % 2]}[{letters[n % 15]}{letters[n // 15]}]C[{'x' * 270}]" for n in range(200)) + ")"
    return {
        "values on 26x26": {"action": "position", "variant": "custom", "board": board, "values": "static"},
        "62 KB of SGF": {"action": "position", "variant": "freestyle", "sgf": record},
        "256 turns on 26x26": {"variant": "custom", "board": {**board, "connect": 26}, "moves": moves[:255], "analyze_turns": "all", "nodes": 1},
        "a hello of 60 KB": {"action": "hello", "resume": "x", "last_seq": 0, "none": ["hello"] * 6000},
    }


async def victims(part, name, server):
    """What others notice during an attack."""
    health = [(await get(server))[1] for _ in range(40)]
    tell_times(part, f"{name}: /healthz", health, 100)
    client = await Socket.open(server)
    tell_times(part, f"{name}: 100 nodes", [await search(client, number) for number in range(40)], 300)
    client.close()
    tell_times(part, f"{name}: 100 nodes over HTTP", [await post(server, number) for number in range(40)], 300)


async def lines(program):
    for name, query in costly_lines().items():
        with Server(program, "--workers", "1") as server:
            async def flood():
                client = await Lines.open(server)
                rest = json.dumps(query)[1:]

                async def read():
                    while await client.reader.read(1 << 16):
                        pass

                reading = asyncio.create_task(read())
                try:
                    # An id that is open would be refused before any work.
                    for number in itertools.count():
                        client.writer.write(f'{{"id": "a{number}", {rest}\n'.encode())
                        await client.writer.drain()
                finally:
                    reading.cancel()
                    client.close()

            with attack(ATTACKERS, flood):
                await victims("lines", name, server)


async def requests(program):
    """The same queries over HTTP: each request is a new session."""
    for name, query in costly_lines().items():
        body = json.dumps({"id": "a", **query}).encode()
        with Server(program, "--workers", "1") as server:
            async def flood():
                reader, writer = await asyncio.open_connection("127.0.0.1", server.http)
                head = f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                try:
                    for _ in range(20):
                        writer.write(head.encode() + body)
                        await writer.drain()
                    while await reader.read(1 << 16):
                        pass
                finally:
                    writer.close()

            with attack(ATTACKERS, flood):
                await victims("requests", name, server)


async def values(program):
    """Searches of one node with costly answers, in changing games."""
    with Server(program, "--workers", "1") as server:
        async def flood():
            client = await Socket.open(server)
            number = 0
            while True:
                size = 20 + number % 7
                number += 1
                board = {"width": size, "height": 26, "connect": 5}
                await client.send(id=f"v{number}", variant="custom", board=board, nodes=1, values="static", include_legal=True)
                await client.until("answer")

        with attack(ATTACKERS, flood):
            await victims("values", "answers with values", server)


async def keep_alive(program):
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

    async def keep(server):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.http)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        return writer

    for options, count in ((("--limit", "idle_connections=4000"), 2000), ((), 2000)):
        with Server(program, *options) as server:
            await get(server)
            memory = server.memory()
            kept = [await keep(server) for _ in range(count)]
            grown = server.memory() - memory
            shown = "without the limit" if options else "with the limit"
            each = grown / count
            tell("keep_alive", f"{count} connections {shown}: memory of each", f"{each:.1f} KiB", "below 10 KiB", each < 10)
            connections = os.listdir(f"/proc/{server.process.pid}/fd")
            if not options:
                tell("keep_alive", "files that the server has open", len(connections), "below 300", len(connections) < 300)
            tell_times("keep_alive", "/healthz meanwhile", [(await get(server))[1] for _ in range(40)], 100)
            for writer in kept:
                writer.close()


async def cross_site(program):
    with Server(program) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.tcp)
        writer.write(
            b"POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nContent-Type: text/plain\r\nContent-Length: 40\r\n\r\n"
            b'uci\n{"id":"a","action":"query_version"}\n'
        )
        answer = await reader.read()
        ran = b"uciok" in answer or b"version" in answer
        tell("cross_site", "a POST of another site to the port of lines: lines run", ran, "False", not ran and answer.startswith(b"HTTP/1.1 400"))


def tree(size):
    """A game of 25 moves and variations of two moves after each, of about `size` bytes."""
    points = [f"{chr(97 + i % 15)}{chr(97 + i // 15)}" for i in range(225)]
    line, others = points[:50:2], points[60:]
    text = ["(;GM[4]FF[4]SZ[15]"]
    length = 0
    pairs = itertools.cycle(itertools.permutations(others, 2))
    for number, move in enumerate(line):
        colours = "BW" if number % 2 == 0 else "WB"
        variations = []
        while length < size * (number + 1) / len(line):
            one, other = next(pairs)
            variations.append(f"(;{colours[0]}[{one}]C[{one} is worse than {move};];{colours[1]}[{other}])")
            length += len(variations[-1])
        # The main line is the first variation.
        text.append(f"(;{colours[0]}[{move}]")
        text.append(variations)
    body = ""
    for head, variations in reversed(list(zip(text[1::2], text[2::2]))):
        body = f"{head}{body}){''.join(variations)}"
    return text[0] + body + ")"


async def trees(program):
    """Ten clients ask for a tree of 9 MB again and again."""
    with tempfile.TemporaryDirectory() as folder:
        record, shelf = os.path.join(folder, "tree.sgf"), os.path.join(folder, "games.shelf")
        with open(record, "w", encoding="utf-8") as file:
            file.write(tree(9_000_000))
        with open(os.path.join(folder, "small.sgf"), "w", encoding="utf-8") as file:
            file.write("(;GM[4]SZ[15]RU[renju];B[hh];W[ii])")
        subprocess.run(
            [program, "shelf", "import", "--shelf", shelf, record, os.path.join(folder, "small.sgf")], check=True, stdout=subprocess.DEVNULL
        )
        with Server(program, "--shelf", shelf) as server:
            client = await Lines.open(server)
            await search(client, 0)
            memory, most, ends = server.memory(), 0, []

            async def read():
                reader = await Socket.open(server)
                for number in itertools.count():
                    begin = time.perf_counter()
                    await reader.send(id=f"r{number}", action="read_game", game=1)
                    reply = await reader.hear()
                    while reply.get("more"):
                        reply = await reader.hear()
                    ends.append((reply["type"], reply.get("code"), (time.perf_counter() - begin) * 1000))

            readers = [asyncio.create_task(read()) for _ in range(10)]
            alive, searches, lookups = [], [], []
            for number in range(10):
                alive.append((await get(server))[1])
                searches.append(await search(client, number + 1))
                begin = time.perf_counter()
                await client.send(id=f"s{number}", action="read_game", game=2)
                while (await client.hear()).get("more"):
                    pass
                lookups.append((time.perf_counter() - begin) * 1000)
                most = max(most, server.memory() - memory)
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)
            kinds = sorted({f"{kind} {code or ''}".strip() for kind, code, _ in ends})
            tell("trees", "ten clients read a tree of 9 MB: replies", f"{len(ends)} ({', '.join(kinds)})", "some", bool(ends))
            tell("trees", "memory grows by", f"{most >> 10} MiB", "below 300 MiB", most < 300 << 10)
            tell_times("trees", "/healthz meanwhile", alive, 100)
            tell_times("trees", "a search of 100 nodes meanwhile", searches, 300)
            tell_times("trees", "read_game of a small game meanwhile", lookups, 5000)


PARTS = {
    "wrong_tokens": wrong_tokens,
    "no_token": no_token,
    "lines": lines,
    "requests": requests,
    "values": values,
    "keep_alive": keep_alive,
    "cross_site": cross_site,
    "trees": trees,
}


if __name__ == "__main__":
    run(PARTS, __doc__)
    sys.exit(failures > 0)
