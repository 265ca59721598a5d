"""Measures the package beside the program, and beside BitBully.

    python measure.py POSITIONS [L3_R1]

First searches POSITIONS positions of gomoku at 1,000 nodes each, alternately through the package and
through ``tengen batch``, five times, with two workers. Then solves the positions of the file L3_R1,
alternately through the package and through BitBully (``pip install bitbully``). Prints medians.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import tengen_engine as tengen

RUNS = 5
WORKERS = 2
NODES = 1000


def games(count: int) -> list[str]:
    """Returns random games of gomoku near the centre, of 2 to 25 moves, that are not over."""
    chance, found = random.Random(1), []
    points = [f"{column}{row}" for column in "defghijkl" for row in range(4, 13)]
    while len(found) < count:
        moves = " ".join(chance.sample(points, chance.randint(2, 25)))
        try:
            is_over = tengen.Board("gomoku", moves).is_over
        except tengen.PositionError:
            continue
        if not is_over:
            found.append(moves)
    return found


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def searches(count: int) -> None:
    positions = games(count)
    program = tengen.find_program()
    limit = tengen.Limit(nodes=NODES)
    package, batch = [], []
    with tempfile.TemporaryDirectory() as folder:
        queries = Path(folder) / "queries.jsonl"
        lines = (
            json.dumps({"id": str(n), "variant": "gomoku", "moves": moves, "nodes": NODES, "threads": 1})
            for n, moves in enumerate(positions)
        )
        queries.write_text("\n".join(lines) + "\n")
        for run in range(RUNS):

            def through_package() -> None:
                with tengen.Engine(workers=WORKERS, threads=1) as engine:
                    for answer in engine.analyse_all(positions, limit, variant="gomoku", threads=1):
                        answer.get()

            out = Path(folder) / f"run{run}"
            command = [program, "batch", str(queries), "--out", str(out), "--workers", str(WORKERS)]
            package.append(seconds(through_package))
            batch.append(seconds(lambda: subprocess.run(command, check=True, capture_output=True)))
            print(f"package {package[-1]:.2f} s, batch {batch[-1]:.2f} s", flush=True)
    one, other = statistics.median(package), statistics.median(batch)
    print(f"{count / one:.0f} searches a second, tengen batch {count / other:.0f}: {other / one:.2f}")


def solves(path: Path) -> None:
    from bitbully import BitBully, Board  # type: ignore[import-not-found]

    lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
    positions, wanted = [line[0] for line in lines], [int(line[1]) for line in lines]
    package, other = [], []
    for _ in range(RUNS):
        found: list[int | None] = []

        def through_package() -> None:
            found.extend(it.solver_score for it in tengen.solve(positions, threads=1))

        def through_bitbully() -> None:
            solver = BitBully(opening_book=None)
            for text in positions:
                solver.mtdf(Board([int(digit) - 1 for digit in text]))

        package.append(seconds(through_package))
        if found != wanted:
            raise SystemExit("a score is wrong")
        other.append(seconds(through_bitbully))
        print(f"package {package[-1]:.3f} s, BitBully {other[-1]:.3f} s", flush=True)
    one, two = statistics.median(package), statistics.median(other)
    count = len(positions)
    print(f"{count / one:.0f} positions a second, BitBully {count / two:.0f}: {two / one:.2f}")


if __name__ == "__main__":
    searches(int(sys.argv[1]))
    if len(sys.argv) > 2:
        solves(Path(sys.argv[2]))
