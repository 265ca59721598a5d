"""Plays games and counts whether announced wins are kept.

    python announced.py TENGEN [--old OTHER] [--variants renju,caro] [--games 100] [--limit "nodes 20000"]
                        [--stray 0.3] [--skill N] [--fresh] [--save FILE]

TENGEN plays both sides, or the other side is OTHER, or TENGEN at a weaker level (`--skill`). Games begin with random moves
near the centre. Once a win is announced, the losing side plays a random move in place of its own with the probability
`--stray`. With `--fresh` every search follows `ucinewgame`: nothing is kept from move to move, as in a fresh process.

An announcement is `score mate N` in the last line before `bestmove`. It is kept if every later announcement is shorter
by a move or more, none is missing, and the game is won in time. `--save` appends a line for each game; games that are there
are not played again.
"""

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path

COLUMNS = "abcdefghijklmno"


class Engine:
    """A process that speaks UCI."""

    def __init__(self, command, options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.send("uci")
        self.wait("uciok")
        for name, value in options.items():
            self.send(f"setoption name {name} value {value}")
        self.new_game()

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait(self, word):
        """Returns the lines up to the one that begins with `word`."""
        lines = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if line.startswith(word):
                return lines
        sys.exit(f"the engine ended before {word}")

    def new_game(self):
        self.send("ucinewgame")
        self.send("isready")
        self.wait("readyok")

    def search(self, moves, limit):
        """Returns the move (None if the game is over) and the announced number of moves to the win, or None."""
        self.send(f"position startpos moves {' '.join(moves)}")
        self.send(f"go {limit}")
        lines = self.wait("bestmove")
        best = lines[-1].split()[1].removeprefix("P@")
        mate = None
        for line in lines:
            words = line.split()
            if "score" in words and words[0] == "info":
                at = words.index("score")
                is_bound = len(words) > at + 3 and words[at + 3] in ("lowerbound", "upperbound")
                if not is_bound:
                    mate = int(words[at + 2]) if words[at + 1] == "mate" else None
        return (None if best == "(none)" else best), mate


def side_of(variant):
    """Returns the side of the board: 15, or the number after the colon of `mnk:9`."""
    return int(variant.partition(":")[2] or 15)


def opening(rng, plies, side):
    """Returns distinct random moves within two steps of the centre."""
    moves, centre = [], side // 2
    while len(moves) < plies:
        move = COLUMNS[centre + rng.randint(-2, 2)] + str(centre + 1 + rng.randint(-2, 2))
        if move not in moves:
            moves.append(move)
    return moves


def stray_move(rng, moves, side):
    """Returns a free point, near the stones more often than not."""
    free = [c + str(r) for c in COLUMNS[:side] for r in range(1, side + 1) if c + str(r) not in moves]
    def near(point):
        c, r = COLUMNS.index(point[0]), int(point[1:])
        return any(max(abs(c - COLUMNS.index(m[0])), abs(r - int(m[1:]))) <= 2 for m in moves)
    close = [point for point in free if near(point)]
    return rng.choice(close if rng.random() < 0.8 and close else free)


def play(engines, variant, seed, args):
    """Plays a game. Returns its moves and, for each move, the announced number."""
    # Two games in a row have the same opening, with colours exchanged.
    rng = random.Random(f"{variant} {seed // 2}")
    for engine in engines:
        engine.send(f"setoption name UCI_Variant value {variant}")
        engine.new_game()
    board = side_of(variant)
    moves = opening(rng, rng.choice([3, 4, 5, 6]), board)
    announced = [None] * len(moves)
    first = len(moves)
    over, stray, winner = False, None, None
    while len(moves) < board * board:
        side = (len(moves) + seed) % 2
        engine = engines[side]
        if args.fresh:
            engine.new_game()
        best, mate = engine.search(moves, args.limit)
        if best is None:
            over = True
            # The side to move has lost, unless its opponent played a forbidden move.
            winner = 1 - side if mate == 0 else side
            break
        won_by_other = len(announced) > first and (announced[-1] or 0) > 0
        if won_by_other and announced[-1] > 1 and rng.random() < args.stray:
            best, mate = stray_move(rng, moves, board), None
            stray = len(moves)
        moves.append(best)
        announced.append(mate)
    return {"variant": variant, "seed": seed, "first": first, "moves": moves, "announced": announced, "over": over, "stray": stray, "winner": winner}


def count(game, totals):
    """Adds the wins of a game to the totals."""
    announced, length = game["announced"], len(game["moves"])
    for parity in (0, 1):
        claims = [(i, n) for i, n in enumerate(announced) if i >= game["first"] and i % 2 == parity]
        since = None
        bad_longer = bad_dropped = False
        for place, (index, n) in enumerate(claims):
            won = n is not None and n > 0
            if since is not None:
                totals["steps"] += 1
                before = claims[place - 1][1]
                if not won:
                    totals["dropped steps"] += 1
                    bad_dropped = True
                    since = None
                    finish(totals, bad_longer, bad_dropped)
                    bad_longer = bad_dropped = False
                    continue
                if n > before - 1:
                    totals["not shorter"] += 1
                    bad_longer = True
            if won and since is None:
                totals["announced"] += 1
                since = (index, n)
        if since is not None:
            index, n = since
            # The win ends with the attacker's n-th move from `index` on.
            # A random move of the loser may be forbidden, and end the game.
            is_last = (length - 1) % 2 == parity or game["stray"] == length - 1
            in_time = game["over"] and length <= index + 2 * n - 1 and is_last
            if not in_time:
                bad_longer = True
            finish(totals, bad_longer, bad_dropped)


def finish(totals, longer, dropped):
    totals["longer than stated"] += longer
    totals["dropped"] += dropped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tengen")
    parser.add_argument("--old")
    parser.add_argument("--variants", default="gomokufreestyle,gomoku,renju,caro")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--limit", default="nodes 20000")
    parser.add_argument("--stray", type=float, default=0.0)
    parser.add_argument("--skill", type=int)
    parser.add_argument("--hash", type=int, default=16, help="size of the tables in MiB")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--show", action="store_true", help="print the wins that were not kept")
    args = parser.parse_args()
    known = {}
    if args.save and args.save.exists():
        games = (json.loads(line) for line in args.save.read_text().splitlines())
        known = {(game["variant"], game["seed"]): game for game in games}
    options = {"Hash": args.hash, "Threads": 1}
    other = dict(options) if args.skill is None else options | {"Skill Level": args.skill}
    engines = [Engine([args.tengen], options), Engine([args.old or args.tengen], other)]
    names = ["announced", "steps", "not shorter", "dropped steps", "longer than stated", "dropped"]
    print("variant", *names, sep=" | ")
    sums = dict.fromkeys(names, 0)
    for variant in args.variants.split(","):
        totals = dict.fromkeys(names, 0)
        for seed in range(args.start, args.start + args.games):
            game = known.get((variant, seed))
            if game is None:
                game = play(engines, variant, seed, args)
                if args.save:
                    with args.save.open("a") as file:
                        file.write(json.dumps(game) + "\n")
            before = dict(totals)
            count(game, totals)
            if args.show and any(totals[n] > before[n] for n in names[2:]):
                print(variant, seed, " ".join(game["moves"]), game["announced"][game["first"]:])
        print(variant, *totals.values(), sep=" | ", flush=True)
        for name in names:
            sums[name] += totals[name]
    print("all", *sums.values(), sep=" | ", flush=True)
    if args.old and args.save:
        results = [json.loads(line)["winner"] for line in args.save.read_text().splitlines()]
        print(f"TENGEN against OTHER: {results.count(0)} won, {results.count(None)} drawn, {results.count(1)} lost")


if __name__ == "__main__":
    main()
