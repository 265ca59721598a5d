"""Small faults in the code that the tests of its crate must find."""

import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

from campaigns import ROOT

# The areas: a crate, and the files of it that are changed.
AREAS = {
    "score and window": ("engine", ["engine/src/game/score.rs", "engine/src/game/window.rs"]),
    "limits and time": ("engine", ["engine/src/search/limits.rs", "engine/src/search/time.rs"]),
    "table": ("engine", ["engine/src/search/table.rs", "engine/src/search/table/*.rs", "engine/src/search/transposition.rs"]),
    "opening rules": ("engine", ["engine/src/opening/*.rs"]),
    "rules of renju": ("games", ["games/src/gomoku/pattern/*.rs", "games/src/gomoku/rule.rs"]),
    "statistics": ("arena", ["arena/src/stats/**/*.rs", "arena/src/tally.rs"]),
    "session": ("protocol", ["protocol/src/session/**/*.rs"]),
    "records": ("records", ["records/src/**/*.rs"]),
    "runs": ("runs", ["runs/src/*.rs", "runs/src/journal.rs"]),
}
# A test run that takes this many times as long as without a change hangs; it gets at least a minute.
PATIENCE = 5


def mutants(args):
    """Changes one place at a time, as `cargo mutants` lists them, and runs the tests of its crate. The sample is chosen by a seed, and the same
    command goes on where it was ended."""
    state = args.state.resolve()
    state.mkdir(parents=True, exist_ok=True)
    tree = copied(state / "tree")
    end = time.monotonic() + args.minutes * 60
    log = state / f"seed-{args.seed}.jsonl"
    done = {row["name"]: row for row in map(json.loads, log.read_text().splitlines())} if log.exists() else {}
    patience = {}
    for area, mutant in sample(tree, args.seed, args.count):
        if mutant["name"] in done:
            continue
        if time.monotonic() > end:
            break
        crate, _ = AREAS[area]
        if crate not in patience:
            patience[crate] = baseline(tree, state, crate)
        row = {"area": area, "name": mutant["name"], "result": tried(tree, state, crate, mutant, patience[crate])}
        done[mutant["name"]] = row
        with log.open("a") as out:
            out.write(json.dumps(row) + "\n")
        print(f"{row['result']}: {row['name']}", flush=True)
    table(done.values(), args.count)


def copied(tree):
    """Copies the files that git knows into a folder. Returns the folder."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.split(b"\0")
    for name in filter(None, map(os.fsdecode, names)):
        target = tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        # A file that did not change keeps its time, so that it is not built again.
        if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
            shutil.copyfile(ROOT / name, target)
    return tree


def sample(tree, seed, count):
    """Returns a random sample of mutants, each with its area, spread over the areas by their numbers of mutants."""
    found = []
    for area, (crate, files) in AREAS.items():
        words = ["cargo", "mutants", "--list", "--json", "--diff", "--no-shuffle", "--package", f"tengen-{crate}"]
        words += [word for file in files for word in ("--file", file)]
        listed = json.loads(subprocess.run(words, cwd=tree, stdout=subprocess.PIPE, check=True).stdout)
        found += [(area, mutant) for mutant in listed]
    chosen = random.Random(seed).sample(found, min(count, len(found)))
    print(f"{len(found)} mutants, a sample of {len(chosen)} by seed {seed}", flush=True)
    return chosen


def test(tree, state, crate, seconds):
    """Runs the tests of a crate. Returns their status; `None` after `seconds`."""
    env = {**os.environ, "CARGO_TARGET_DIR": str(state / "build"), "CARGO_INCREMENTAL": "1", "PROPTEST_CASES": "64"}
    words = ["timeout", "--kill-after=5", str(int(seconds)), "cargo", "test", "--quiet", "--package", f"tengen-{crate}", "--lib", "--tests"]
    status = subprocess.run(words, cwd=tree, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    return None if status in (124, 137) else status


def builds(tree, state, crate):
    """Returns whether the tests of a crate can be built."""
    env = {**os.environ, "CARGO_TARGET_DIR": str(state / "build"), "CARGO_INCREMENTAL": "1"}
    words = ["cargo", "test", "--quiet", "--package", f"tengen-{crate}", "--lib", "--tests", "--no-run"]
    return subprocess.run(words, cwd=tree, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def baseline(tree, state, crate):
    """Returns how many seconds the tests of a crate may take. They must pass without a change."""
    if not builds(tree, state, crate):
        sys.exit(f"the tests of {crate} cannot be built")
    begin = time.monotonic()
    if test(tree, state, crate, 3600) != 0:
        sys.exit(f"the tests of {crate} fail without a change")
    return max(60, PATIENCE * (time.monotonic() - begin))


def tried(tree, state, crate, mutant, seconds):
    """Returns what became of a mutant: `caught`, `missed`, `hung`, or `not built`."""
    path = tree / mutant["file"]
    before = path.read_bytes()
    try:
        subprocess.run(["patch", "--quiet", "--strip=0", str(path)], input=mutant["diff"].encode(), check=True)
        if not builds(tree, state, crate):
            return "not built"
        status = test(tree, state, crate, seconds)
        return {None: "hung", 0: "missed"}.get(status, "caught")
    finally:
        path.write_bytes(before)


def table(rows, count):
    """Prints what became of all mutants, by area, and those that no test found."""
    print("\n| area | mutants | caught | hung | missed | not built |\n|---|---:|---:|---:|---:|---:|")
    results = ("caught", "hung", "missed", "not built")
    total = collections.Counter()
    for area in AREAS:
        found = collections.Counter(row["result"] for row in rows if row["area"] == area)
        total += found
        print("|", " | ".join([area, *(str(number) for number in (found.total(), *(found[result] for result in results)))]), "|")
    print("| all |", " | ".join(str(number) for number in (total.total(), *(total[result] for result in results))), "|")
    print(f"{total.total()} of {count} were tried. Missed:")
    print(*(f"  {row['name']}" for row in rows if row["result"] == "missed"), sep="\n")


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("mutants", help="changes places of the code that the tests must find", description=mutants.__doc__)
    command.add_argument("--seed", type=int, default=1, help="chooses the sample (1)")
    command.add_argument("--count", type=int, default=600, help="the size of the sample (600)")
    command.add_argument("--minutes", type=float, default=1e9, help="when to end (no limit)")
    command.add_argument("--state", type=pathlib.Path, default=ROOT / "target" / "mutants", help="the folder of the copy, builds and results (target/mutants)")
    command.set_defaults(run=mutants)
