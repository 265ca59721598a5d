"""Runs recorded dialogues with several clients of the JSON protocol, over every transport.

    python dialogues.py PATH_TO_TENGEN [--record]

A file in tests/clients/dialogues is a session: the queries (">"), and the expected replies ("<"), in order for each query. "*" stands
for results of a search or an evaluation, and for texts for people. Two clients run each dialogue, the client module of the browser
board (under Node.js) and the Python clients of the manual, over WebSocket, TCP, and standard input and output. The replies of all six
must be equal, except for times. The manual has no Python client for WebSocket: there this script reads frames itself. --record writes
the replies of the first client to the files. Exits with 1 at the first difference. Needs Node.js 20 or newer, and no package.
"""

import argparse
import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "load"))

from manual_clients import blocks, node_command  # noqa: E402
from serve_load import Server, Socket  # noqa: E402

OPTIONS = ("--workers", "1", "--hash", "1")
TIMEOUT = 120
WORDS = {"message", "rules", "values", "reason"}
TIMES = {"nps", "time_ms", "queue_ms", "seq"}
FOUND = {
    "best", "ponder", "score", "wdl", "bound", "depth", "seldepth", "nodes", "hashfull", "probe_hits", "pv", "moves",
    "before", "after", "grade", "mistakes", "chances", "choice",
}


def without_times(value):
    """A reply without the fields that differ from run to run."""
    if isinstance(value, dict):
        return {name: without_times(item) for name, item in value.items() if name not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def blurred(reply):
    """A reply with "*" for results of a search and texts for people. Proven results, and what the rules say, stay."""
    is_found = reply["type"] in ("answer", "move", "game", "swap") and not reply.get("proof") and reply.get("ended_by") != "over"
    hidden = WORDS | FOUND if is_found else WORDS
    return {name: "*" if name in hidden else item for name, item in reply.items()}


def matches(wanted, reply):
    """Whether a reply equals an expected one, where "*" matches everything."""
    if wanted == "*":
        return True
    if isinstance(wanted, dict) and isinstance(reply, dict):
        return wanted.keys() == reply.keys() and all(matches(item, reply[name]) for name, item in wanted.items())
    return wanted == reply


def by_query(replies):
    """The replies to each query, in order. Errors without an id have the key None."""
    found = {}
    for reply in replies:
        found.setdefault(reply["id"], []).append(without_times(reply))
    return found


def last_lines(query):
    """The number of last replies of an accepted query."""
    return len(query["moves"]) + 1 if query.get("analyze_turns") == "all" else 1


class Count:
    """Counts the last replies of the queries."""

    def __init__(self, queries):
        self.due = {query["id"]: last_lines(query) for query in queries}

    def ends(self, reply):
        """Counts a reply. Returns whether all queries have ended."""
        if reply["type"] not in ("report", "move", "warning"):
            whole = reply["type"] == "error" and "turn_number" not in reply
            self.due[reply["id"]] -= self.due[reply["id"]] if whole else 1
        return not any(self.due.values())


def output_of(command, environment):
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    if result.returncode != 0:
        raise SystemExit(f"{command[:3]}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def changed(text, *changes):
    """The text with regular expressions replaced. Each must match once, so that changes of the manual are noticed."""
    for old, new in changes:
        text, count = re.subn(old, lambda _: new, text, flags=re.M)
        if count != 1:
            raise SystemExit(f"the client of the manual has no {old} to change, or several")
    return text


def python_over_stdio(queries, server, program, environment):
    (text,) = [text for language, text in blocks("json-clients.md", "Clients in ten lines") if language == "python"]
    asks = "\n".join(f"ask(**json.loads({json.dumps(query)!r}))" for query in queries)
    text = changed(
        text,
        (r'\["tengen"\]', repr(["tengen", *OPTIONS])),
        (r'^ask\(id="a".*\n', asks + "\n"),
        (r'^ask\(id="b".*\n', f"from dialogues import Count\ncount = Count(json.loads({json.dumps(queries)!r}))\n"),
        (r"print\(reply\[.*", "print(line, end='')"),
        (r'if reply\["id"\] == "b":', "if count.ends(reply):"),
    )
    return [json.loads(line) for line in output_of([sys.executable, "-c", text], environment).splitlines()]


def python_over_tcp(queries, server, program, environment):
    (text,) = [text for language, text in blocks("serve.md", "Ways to ask") if language == "python"]
    ask = changed(text.splitlines()[3], (r"json\.dumps\(\{.*\}\)", "json.dumps(query)"))
    text = changed(
        text,
        (r"7879", str(server.tcp)),
        (r"^print\(json\.dumps\(\{.*\n", f"for query in json.loads({json.dumps(queries)!r}): {ask}\n"),
        (
            r'^print\(json\.loads\(lines\.readline\(\)\)\["best"\]\)\n',
            f"from dialogues import Count\ncount = Count(json.loads({json.dumps(queries)!r}))\n"
            "for line in iter(lines.readline, ''):\n    print(line, end='')\n    if count.ends(json.loads(line)):\n        break\n",
        ),
    )
    return [json.loads(line) for line in output_of([sys.executable, "-c", text], environment).splitlines()]


def python_over_socket(queries, server, program, environment):
    async def converse():
        link, count, replies = await Socket.open(server), Count(queries), []
        for query in queries:
            await link.send(**query)
        while not replies or not count.ends(replies[-1]):
            replies.append(await asyncio.wait_for(link.hear(), TIMEOUT))
        link.close()
        return replies

    return asyncio.run(converse())


def board(transport):
    def ask(queries, server, program, environment):
        address = {
            "ws": [f"ws://127.0.0.1:{server.http}/v1/ws"],
            "tcp": [str(server.tcp)],
            "stdio": [str(program), *OPTIONS],
        }[transport]
        command = [*node_command(), str(HERE / "board_client.mjs"), json.dumps(queries), transport, *address]
        return json.loads(output_of(command, environment))

    return ask


CLIENTS = {
    "Python over stdio": python_over_stdio,
    "Python over TCP": python_over_tcp,
    "Python over WebSocket": python_over_socket,
    "the board over stdio": board("stdio"),
    "the board over TCP": board("tcp"),
    "the board over WebSocket": board("ws"),
}


def run_dialogue(path, record, *where):
    lines = path.read_text(encoding="utf-8").splitlines()
    queries = [json.loads(line[2:]) for line in lines if line.startswith("> ")]
    heard = {name: by_query(ask(queries, *where)) for name, ask in CLIENTS.items()}
    first, *others = heard.items()
    if record:
        replies = [f"< {json.dumps(blurred(reply), separators=(',', ':'))}" for query in first[1].values() for reply in query]
        kept = [line for line in lines if not line.startswith("< ")]
        path.write_text("\n".join(kept + replies) + "\n", encoding="utf-8")
    for name, replies in others:
        if "terminated" not in path.stem and replies != first[1]:
            raise SystemExit(f"{path.name}: {first[0]} and {name} differ:\n{first[1]}\n{replies}")
    wanted = by_query(json.loads(line[2:]) for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("< "))
    for name, replies in heard.items():
        if not matches({query: len(lines) for query, lines in wanted.items()}, {query: len(lines) for query, lines in replies.items()}):
            raise SystemExit(f"{path.name}, {name}: other queries were answered\n{wanted}\n{replies}")
        for query, lines in wanted.items():
            for line, reply in zip(lines, replies[query]):
                if not matches(line, reply):
                    raise SystemExit(f"{path.name}, {name}:\nwanted {line}\nheard  {reply}")
    print(f"{path.stem}: {len(queries)} queries, {sum(map(len, first[1].values()))} replies, {len(heard)} ways")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).resolve()
    with tempfile.TemporaryDirectory() as folder, Server(str(program), *OPTIONS, "--drain", "1") as server:
        # The clients of the manual call the program by its name.
        os.symlink(program, pathlib.Path(folder) / "tengen")
        paths = os.pathsep.join([str(HERE), str(HERE.parent / "load")])
        environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": paths}
        for path in sorted((HERE / "dialogues").glob("*.txt")):
            run_dialogue(path, arguments.record, server, program, environment)


if __name__ == "__main__":
    main()
