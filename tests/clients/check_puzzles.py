"""Searches the moves besides the solutions of puzzles again: how many verdicts does a longer search overturn?

    python3 tests/clients/check_puzzles.py target/release/tengen web/page/puzzles.json 5000000

The file is the page's, or lines of JSON of `tengen puzzles`. Each move that the file says does not win, or with
which no win was found, is searched with this number of nodes, the position after it with an empty table first.
A move is overturned if it is proven to win. Exit status 1: at least one is. `--all` searches every legal move.
`--journal FILE` keeps what was searched, so that a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

#: What the page's file says of a try, and the verdict that it means.
PAGE = {"loss": "does_not_win", "draw": "does_not_win", "win": "wins", "unproven": "no_win_found"}


def page_puzzle(entry: dict) -> dict:
    """Returns a puzzle of the page in the form of a line of JSON."""
    tries = [(one, "unproven") if isinstance(one, str) else one for one in entry["t"]]
    judged = [{"line": line.split(), "verdict": PAGE[ending]} for line, ending in tries]
    opened = entry.get("u", "").split()
    return {"variant": entry["v"], "fen": entry["f"], "line": entry["l"].split(), "tries": judged, "unproven": opened}


def read(path: Path) -> list[dict]:
    """Reads the page's file, of either version, or lines of JSON."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    whole = json.loads(text)
    return [page_puzzle(entry) for entry in (whole if isinstance(whole, list) else whole["puzzles"])]


class Engine:
    """A conversation in JSON with one worker."""

    def __init__(self, program: str) -> None:
        command = [program, "--dialect", "json", "--workers", "1", "--threads", "1", "--hash", "64"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, query: dict) -> dict:
        """Returns the last reply to a query."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps({"id": "a", **query}) + "\n")
        self.process.stdin.flush()
        while True:
            reply = json.loads(self.process.stdout.readline())
            if reply["type"] == "error":
                raise ValueError(f"{query}: {reply['message']}")
            if reply["type"] in ("answer", "position"):
                return reply


def verdict(engine: Engine, puzzle: dict, move: str, nodes: int) -> str:
    """Returns what a search of the position after a move proves for the player of the move."""
    place = {"variant": puzzle["variant"], "fen": puzzle["fen"], "moves": [move]}
    reply = engine.ask({**place, "nodes": nodes, "book": False, "fresh": True})
    mover = "second" if reply["turn"] == "first" else "first"
    if reply["outcome"] is not None:
        return "wins" if reply["outcome"] == mover else "does_not_win"
    if reply["proof"] is None:
        return "no_win_found"
    return "wins" if reply["proof"]["winner"] == mover else "does_not_win"


def moves_of(engine: Engine, puzzle: dict, every: bool) -> list[str]:
    """Returns the moves to search: those that the file says do not win or may not win, or all others."""
    if every:
        place = {"variant": puzzle["variant"], "fen": puzzle["fen"], "action": "position"}
        legal = engine.ask({**place, "include_legal": True})["legal"]
        return [move for move in legal if move != puzzle["line"][0]]
    tries = [one["line"][0] for one in puzzle["tries"] if one["verdict"] != "wins"]
    return tries + [move for move in puzzle["unproven"] if move not in tries]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("file", type=Path)
    parser.add_argument("nodes", type=int)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--variant")
    parser.add_argument("--journal", type=Path)
    args = parser.parse_args()
    engine = Engine(args.program)
    known = {}
    if args.journal and args.journal.exists():
        known = {tuple(row[:3]): row[3] for row in map(json.loads, args.journal.read_text().splitlines())}
    count: dict[str, Counter[str]] = {}
    for puzzle in read(args.file):
        if args.variant and puzzle["variant"] != args.variant:
            continue
        for move in moves_of(engine, puzzle, args.all):
            key = (puzzle["fen"], move, args.nodes)
            found = known.get(key)
            if found is None:
                found = verdict(engine, puzzle, move, args.nodes)
                if args.journal:
                    with args.journal.open("a") as out:
                        out.write(json.dumps([*key, found]) + "\n")
            count.setdefault(puzzle["variant"], Counter())[found] += 1
            if found == "wins":
                print(f"{puzzle['variant']} {puzzle['fen']}: {move} wins", flush=True)
    for variant, found in count.items():
        rest = {name: found[name] for name in ("wins", "does_not_win", "no_win_found")}
        print(f"{variant}: tries {found.total()}, overturned {rest.pop('wins')}, {rest}")
    return 1 if any(found["wins"] for found in count.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
