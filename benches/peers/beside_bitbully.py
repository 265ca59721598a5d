#!/usr/bin/env python3
"""Exact scores of four in a row, compared with BitBully on the same files in one run.

    cargo build --release
    benches/peers/beside_bitbully.py target/release/tengen ../shared/data/connect4/Test_L2_R1.txt

BitBully is installed from PyPI into a temporary virtual environment. Both solvers clear their table
before each position and use no book and one thread. Only the search is timed; the time of BitBully
includes one call from Python. If a score differs from the one in the file, the exit status is 1.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path


def positions(path, limit):
    """Returns the first `limit` pairs of moves and score."""
    pairs = [line.split()[:2] for line in path.read_text().splitlines() if line.strip()]
    return [(moves, int(score)) for moves, score in pairs[:limit]]


def solve_with_bitbully(path, limit):
    """Prints the sums of BitBully as JSON. Runs inside the virtual environment."""
    from bitbully import bitbully_core

    solver = bitbully_core.BitBullyCore()
    assert not solver.isBookLoaded()
    nodes, seconds, wrong = 0, 0.0, 0
    for moves, score in positions(path, limit):
        board = bitbully_core.BoardCore()
        if not board.setBoard([int(column) - 1 for column in moves]):
            sys.exit(f"BitBully does not take {moves}")
        solver.resetTranspositionTable()
        solver.resetNodeCounter()
        start = time.perf_counter()
        found = solver.mtdf(board, 0)
        seconds += time.perf_counter() - start
        nodes += solver.getNodeCounter()
        wrong += found != score
    print(json.dumps({"nodes": nodes, "micros": seconds * 1e6, "wrong": wrong}))


def run_bitbully(python, path, limit):
    command = [python, __file__, "--inside", path, "--limit", str(limit)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def run_tengen(tengen, path, limit, hash_mib):
    """Returns the sums of Tengen, from the means that `--stats` prints."""
    known = positions(path, limit)
    lines = "".join(f"{moves} {score}\n" for moves, score in known)
    command = [tengen, "solve", "--fresh", "--no-book", "--stats", "--hash", str(hash_mib)]
    done = subprocess.run(command, input=lines, text=True, capture_output=True, check=True)
    found = [int(line.split()[1]) for line in done.stdout.splitlines()]
    wrong = sum(score != one for (_, score), one in zip(known, found, strict=True))
    means = {}
    for line in done.stderr.splitlines():
        name, _, figures = line.partition(" mean ")
        if figures:
            means[name.strip()] = float(figures.split(",")[0])
    count = len(known)
    nodes, micros = means["nodes"] * count, means["microseconds"] * count
    return {"nodes": nodes, "micros": micros, "wrong": wrong}


def compare(arguments):
    """Prints a line for each file. Returns the number of wrong scores."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "bitbully"], check=True)
        for path in arguments.files:
            count = len(positions(path, arguments.limit))
            if count == 0:
                sys.exit(f"{path}: no positions")
            ours = run_tengen(arguments.tengen, path, arguments.limit, arguments.hash)
            theirs = run_bitbully(python, path, arguments.limit)
            times = [solver["micros"] / count for solver in (ours, theirs)]
            nodes = [solver["nodes"] / count for solver in (ours, theirs)]
            print(
                f"{path.name} ({count}): "
                f"tengen {times[0]:.1f} us, bitbully {times[1]:.1f} us, "
                f"ratio {times[0] / times[1]:.3f}; "
                f"tengen {nodes[0]:.1f} nodes, bitbully {nodes[1]:.1f} nodes, "
                f"ratio {nodes[0] / nodes[1]:.3f}; "
                f"wrong scores {ours['wrong']} and {theirs['wrong']}",
                flush=True,
            )
            wrong += ours["wrong"] + theirs["wrong"]
    return wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=int, default=500, help="positions of each file (500)")
    parser.add_argument("--hash", type=int, default=64, help="tengen's table in MiB (64)")
    parser.add_argument("tengen", nargs="?", type=Path, help="the program")
    parser.add_argument("files", nargs="*", type=Path, help="files of `moves score` lines")
    arguments = parser.parse_args()
    if arguments.inside:
        solve_with_bitbully(arguments.inside, arguments.limit)
        return
    if not arguments.files:
        parser.error("a program and at least one file are needed")
    sys.exit(1 if compare(arguments) else 0)


if __name__ == "__main__":
    main()
