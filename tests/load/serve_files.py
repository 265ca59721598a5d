"""Records the system calls of `tengen serve`, and prints the files that it opens for its clients.

    python serve_files.py PATH_TO_TENGEN

Starts the server under strace. Clients over WebSocket, TCP and HTTP then use everything: searches in every variant, records, reviews,
wrong queries, and UCI, UGI and Gomocup sessions that name files and ask for logs, `bench` and `quit`. Until the end of the first
search the libraries may ask the system about the machine. After it, the server may open, create, rename or remove no file, and start
no program; only the C library may read two files about memory. Exits with 1 if a call is found. Needs Linux, Python 3.10 and strace.
"""

import argparse
import asyncio
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from serve_load import Lines, Socket

# The files that the C library reads when a thread ends or memory is freed.
LIBRARY_FILES = ("/proc/self/maps", "/proc/sys/vm/overcommit_memory")
CALLS = "open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,link,linkat,symlink,symlinkat,execve,execveat"
COMMANDS = """uci
setoption name Debug Log File value {folder}/uci.log
setoption name BookFile value /etc/passwd
setoption name BookFile value {folder}/book
setoption name UCI_Variant value {variant}
isready
ucinewgame
bench
d
eval
go perft 2
position startpos
go nodes 500
"""
GOMOCUP = """START 15
INFO folder {folder}
INFO timeout_turn 20
ABOUT
BEGIN
END
"""
RECORDS = {
    "sgf": "(;GM[4]SZ[15];B[hh];W[ig])",
    "fen": "../../etc/passwd",
    "moves": "/etc/passwd",
    "variant": "/etc/passwd",
    "BookFile": "/etc/passwd",
}


class Traced:
    """A server under strace."""

    def __init__(self, program, folder):
        self.log = pathlib.Path(folder) / "calls"
        command = ["strace", "-f", "-qq", "-o", str(self.log), "-e", f"trace={CALLS}"]
        command += [program, "serve", "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0", "--drain", "1", "--workers", "2"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.http, self.tcp = (int(port) for port in re.findall(r"127\.0\.0\.1:(\d+)[/\n]", line)[::2])
        self.calls_before = 0

    def calls(self):
        return self.log.read_text(encoding="utf-8", errors="replace").splitlines()


async def lines_of(server, text):
    """Sends lines and closes the input. Returns the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.tcp)
    writer.write(text.encode())
    writer.write_eof()
    answer = await asyncio.wait_for(reader.read(), 120)
    writer.close()
    return answer.decode()


async def run_clients(server, folder):
    """Uses the server with clients of every kind. Returns the number of variants."""
    version = await Lines.open(server)
    await version.send(id="f", nodes=100, book=False)
    await version.until("answer")
    server.calls_before = len(server.calls())
    await version.send(id="v", action="query_version")
    variants = [variant["name"] for variant in (await version.until("version"))["variants"]]
    for kind in (Socket, Lines):
        client = await kind.open(server)
        for variant in variants:
            await client.send(id="a", variant=variant, nodes=500, fresh=True)
            await client.until("answer")
        await client.send(id="r", action="review", sgf=RECORDS["sgf"], nodes=100, include_sgf=True)
        await client.until("game")
        for name, value in RECORDS.items():
            await client.send(id="p", action="position", **{name: value})
            await client.hear()
        await client.send(id="c", action="clear_cache")
        assert (await client.until("error"))["code"] == "forbidden"
    for variant in variants:
        answer = await lines_of(server, COMMANDS.format(folder=folder, variant=variant))
        assert "bestmove" in answer and "not for remote sessions" in answer, answer
        await lines_of(server, COMMANDS.format(folder=folder, variant=variant).replace("uci\n", "ugi\n", 1))
    await lines_of(server, GOMOCUP.format(folder=folder))
    reader, writer = await asyncio.open_connection("127.0.0.1", server.http)
    for path in ("/", "/js/main.js", "/../../etc/passwd", "/%2e%2e/etc/passwd", "/v1/schema.json", "/metrics"):
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost:{server.http}\r\n\r\n".encode())
    body = json.dumps({"id": "a", "nodes": 100})
    writer.write(
        f"POST /v1/query HTTP/1.1\r\nHost: localhost:{server.http}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode()
    )
    assert b'"type":"answer"' in await asyncio.wait_for(reader.read(), 60)
    return len(variants)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program")
    program = parser.parse_args().program
    if not shutil.which("strace"):
        print("skipped: strace is absent")
        return
    with tempfile.TemporaryDirectory() as folder:
        server = Traced(program, folder)
        try:
            variants = asyncio.run(run_clients(server, folder))
        finally:
            # strace does not forward the signal to the server, its child.
            (child,) = pathlib.Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
            os.kill(int(child), signal.SIGTERM)
            server.process.wait()
        calls = server.calls()
        found = [call for call in calls[server.calls_before :] if "+++" not in call and "---" not in call]
        found = [call for call in found if not any(f'"{path}", O_RDONLY' in call for path in LIBRARY_FILES)]
        made = [path.name for path in pathlib.Path(folder).iterdir() if path != server.log]
    print(f"{server.calls_before} calls before and in the first search; then {variants} variants in every dialect")
    print(f"{len(found)} calls for clients", *found, sep="\n")
    sys.exit(bool(found or made))


if __name__ == "__main__":
    main()
