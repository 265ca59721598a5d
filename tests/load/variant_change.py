"""Measures the cost when a worker changes its variant.

    python variant_change.py PATH_TO_TENGEN [--hash MIB] [--nodes N] [--queries N] [--rounds N]

One worker searches equal queries in two orders: grouped by variant, and alternating between two variants. A worker keeps one
backend and one table, so the alternating order starts a thread for each query. Each round runs both orders. Prints the
medians of time and of processor time in seconds, their ratios, and the time of one change in microseconds. Processor time
includes the start of the program. Needs Python 3.10 on Linux or macOS, and no package.
"""

import argparse
import json
import resource
import statistics
import subprocess
import time

VARIANTS = ("gomoku", "renju")


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds(program, hash_mib, variants, nodes):
    """Seconds from the first query to the last answer, and of processor time of the whole process."""
    before = processor_seconds()
    command = [program, "--dialect", "json", "--workers", "1", "--hash", str(hash_mib)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        # Starts the worker, with both variants, before the time counts.
        for number, variant in enumerate(VARIANTS):
            print(json.dumps({"id": f"start{number}", "variant": variant, "nodes": 1}), file=engine.stdin, flush=True)
            engine.stdout.readline()
        lines = [
            json.dumps({"id": str(number), "variant": variant, "nodes": nodes, "moves": "h8 i9", "fresh": True})
            for number, variant in enumerate(variants)
        ]
        begin = time.perf_counter()
        print("\n".join(lines), file=engine.stdin)
        engine.stdin.close()
        for _ in lines:
            reply = json.loads(engine.stdout.readline())
            assert reply["type"] == "answer" and reply["ended_by"] == "nodes", reply
        elapsed = time.perf_counter() - begin
    return elapsed, processor_seconds() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--hash", type=int, default=64)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    half = options.queries // 2
    orders = {"grouped": [name for name in VARIANTS for _ in range(half)], "alternating": list(VARIANTS) * half}
    times = {order: [] for order in orders}
    for _ in range(options.rounds):
        for order, variants in orders.items():
            times[order].append(seconds(options.program, options.hash, variants, options.nodes))
    # Grouped queries change the variant twice: at the start, because the worker has searched both, and in the middle.
    changes = 2 * half - 2
    for place, what in enumerate(("time", "processor time")):
        grouped, alternating = (statistics.median(pair[place] for pair in times[order]) for order in orders)
        change = (alternating - grouped) / changes * 1e6
        print(f"{what}: grouped {grouped:.3f} s, alternating {alternating:.3f} s, ratio {alternating / grouped:.3f}, a change {change:.0f} us")


if __name__ == "__main__":
    main()
