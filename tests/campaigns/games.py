"""Games through the arena, in all dialects."""

import collections
import json
import pathlib
import random
import subprocess
import sys

from campaigns import ROOT

# The variants, with the dialects in which engines play them.
FIVE = ("uci", "ugi", "gomocup", "gtp")
OTHER = ("uci", "ugi", "gtp")
FALLING = ("uci", "ugi")
GAMES = {
    "gomokufreestyle": FIVE,
    "gomoku": FIVE,
    "renju": FIVE,
    "caro": FIVE,
    "freestyle20": FIVE,
    "tictactoe": OTHER,
    "custom": FALLING,
    "cfour": FALLING,
    "cfour-misere": FALLING,
}
# Ends of a game that are the fault of an engine.
FAULTS = ("time", "illegal", "crash", "stall", "memory", "flood", "forbidden")


def games(args):
    """Plays games of all variants between the dialects, from random openings, with 1 s + 10 ms for each player. No player may lose
    on time, by an illegal move, by a crash or by a stall. The same command goes on where it was ended."""
    state = args.state.resolve()
    state.mkdir(parents=True, exist_ok=True)
    ends = {variant: played(args, state, variant, dialects) for variant, dialects in GAMES.items()}
    kinds = sorted({kind for found in ends.values() for kind in found})
    print("\n| variant | dialects | games |", " | ".join(kinds), "|")
    print("|---|---|---:|" + "---:|" * len(kinds))
    for variant, found in ends.items():
        print("|", " | ".join([variant, ", ".join(GAMES[variant]), str(found.total()), *(str(found[kind]) for kind in kinds)]), "|")
    faults = sum(found[kind] for found in ends.values() for kind in FAULTS)
    sys.exit(f"{faults} games were lost by a fault" if faults else None)


def played(args, state, variant, dialects):
    """Plays the games of a variant, or goes on. Returns the numbers of ends by their kinds."""
    folder = state / variant
    pairings = len(dialects) * (len(dialects) - 1) // 2
    rounds = max(1, round(args.games / len(GAMES) / (2 * pairings)))
    words = [args.program.resolve(), "arena"]
    if folder.exists():
        words += ["resume", folder]
    else:
        for dialect in dialects:
            words += ["-engine", f"cmd={args.program.resolve()}", f"name={dialect}", f"proto={dialect}"]
        words += ["-each", "tc=1+0.01", "threads=1", "-variant", variant, "-rounds", str(rounds)]
        # Openings need not be level: what counts is how games end.
        openings = state / f"{variant}.txt"
        openings.write_text("".join(f"{opening}\n" for opening in random_openings(variant, rounds)))
        words += ["-openings", f"file={openings}", "format=moves"]
        words += ["-concurrency", str(args.concurrency), "-out", folder]
    with (state / f"{variant}.log").open("a") as log:
        subprocess.run(words, cwd=ROOT, stdout=log, stderr=log, check=False)
    found = collections.Counter()
    for line in (folder / "games.jsonl").read_text().splitlines():
        game = json.loads(line)
        found["late machine" if game.get("suspect") else game["end"]["kind"]] += 1
    print(f"{variant}: {dict(found)}", flush=True)
    return found


def random_openings(variant, count):
    """Returns openings of two moves near the middle of the board."""
    choose = random.Random(variant)
    if GAMES[variant] is FALLING:
        return ["".join(choose.choices("1234567", k=2)) for _ in range(count)]
    first, last = {"tictactoe": (0, 2), "freestyle20": (6, 13)}.get(variant, (4, 10))
    points = [f"{chr(ord('a') + column)}{row + 1}" for column in range(first, last + 1) for row in range(first, last + 1)]
    return [" ".join(choose.sample(points, 2)) for _ in range(count)]


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("games", help="plays games in all dialects", description=games.__doc__)
    command.add_argument("program", type=pathlib.Path, metavar="PROGRAM")
    command.add_argument("--games", type=int, default=2000, help="the number of games, about (2000)")
    command.add_argument("--concurrency", type=int, default=2, help="how many games are played at once (2)")
    command.add_argument("--state", type=pathlib.Path, default=ROOT / "target" / "games", help="the folder of the runs (target/games)")
    command.set_defaults(run=games)
