"""Plays games and counts whether announced wins are kept.

    python announced.py TENGEN [--old OTHER] [--dialect gomocup] [--variants renju,caro] [--games 100] [--limit "nodes 20000"]
                        [--stray 0.3] [--skill N] [--jump 0.2] [--restart 0.5] [--fresh] [--ponder] [--save FILE]

TENGEN plays both sides, or the other side is OTHER, or TENGEN at a weaker level (`--skill`) or with other limits
(`--other-limit`). Games begin with random moves near the centre. Once a win is announced, the losing side plays a random move
in place of its own with the probability `--stray`. The other options say what happens between two searches of the winner:
with the probability `--jump` it searches an earlier position of the game, with `--restart` its process begins anew. With
`--fresh` every search follows `ucinewgame`: nothing is kept from move to move.

An announcement is the score of the last line of a search, if it is a win. It is kept if every later announcement is shorter by
a move or more, none is missing, and the game is won in time. GTP says no distances, so there only missing announcements count. `--save` appends a line for each game; games that are there are not played again.
"""

import argparse
import json
import random
import re
import subprocess
import sys
from pathlib import Path

COLUMNS = "abcdefghijklmno"
# The least `scoreLead` of a win in GTP.
WINNING_LEAD = 15_000
# A distance that is not said, in plies.
UNKNOWN = 999
RULES = {"gomokufreestyle": 0, "gomoku": 1, "renju": 4, "caro": 8}


class Engine:
    """A process that speaks UCI. Distances are in plies."""

    first_line, first_reply, new, arguments = "uci", "uciok", "ucinewgame", []

    def __init__(self, args, program, limit, options):
        self.command = [program, *self.arguments, *args.arguments.split()]
        self.limit, self.options, self.variant, self.pondered = limit, options, None, None
        self.start()

    def start(self):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self.begin()

    def begin(self):
        self.ask(self.first_line, self.first_reply)
        for name, value in self.options.items():
            self.send(f"setoption name {name} value {value}")

    def restart(self):
        self.process.stdin.close()
        self.process.wait()
        self.pondered = None
        self.start()
        self.set_variant(self.variant)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait(self, pattern):
        """Returns the lines up to the one that matches."""
        lines = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if re.match(pattern, lines[-1]):
                return lines
        sys.exit(f"the engine ended before {pattern}: {lines[-3:]}")

    def ask(self, line, pattern):
        self.send(line)
        return self.wait(pattern)

    def set_variant(self, variant):
        self.variant = variant
        self.send(f"setoption name UCI_Variant value {variant}")
        self.new_game()

    def new_game(self):
        self.stop_pondering()
        self.send(self.new)
        self.ask("isready", "readyok")

    def search(self, moves):
        """Returns the move (None if the game is over), the plies of an announced win or None, and the expected reply."""
        if self.pondered == moves:
            self.pondered = None
            return self.read(self.ask("ponderhit", "bestmove"))
        self.stop_pondering()
        self.send(f"position startpos moves {' '.join(moves)}")
        return self.read(self.ask(f"go {self.limit}", "bestmove"))

    def ponder(self, moves):
        self.send(f"position startpos moves {' '.join(moves)}")
        self.send(f"go ponder {self.limit}")
        self.pondered = moves

    def stop_pondering(self):
        if self.pondered:
            self.pondered = None
            self.ask("stop", "bestmove")

    def read(self, lines):
        scores = [re.search(r"multipv 1 score (\w+) (-?\d+) (?!lowerbound|upperbound).* pv (.*)", line) for line in lines]
        last = next((found for found in reversed(scores) if found), None)
        best = lines[-1].split()[1].removeprefix("P@")
        if best == "(none)" or not last:
            return (None if best == "(none)" else best), None, None
        plies = self.plies(int(last[2])) if last[1] == "mate" and int(last[2]) > 0 else None
        return best, plies, (last[3].replace("P@", "").split() + [None, None])[1]

    @staticmethod
    def plies(mate):
        return 2 * mate - 1


class Ugi(Engine):
    """UGI, whose scores count plies."""

    first_line, first_reply, new = "ugi", "ugiok", "uginewgame"

    @staticmethod
    def plies(mate):
        return mate


class Json(Engine):
    """Queries. Each search is a query of its own; one that is disturbed has another query beside it."""

    arguments = ["--dialect", "json"]

    def begin(self):
        self.number = 0

    def set_variant(self, variant):
        self.variant = variant

    def new_game(self):
        self.ask('{"id":"new","action":"clear_cache"}', r'.*"id":"new"')

    def query(self, moves):
        kind, size = self.limit.split()
        self.number += 1
        limit = {"nodes": "nodes", "movetime": "time_ms"}[kind]
        body = {"id": self.number, "variant": self.variant, "moves": " ".join(moves), limit: int(size)}
        level = self.options.get("Skill Level")
        self.send(json.dumps(body if level is None else body | {"level": level}))
        return self.number

    def search(self, moves):
        lines = self.wait(rf'.*"id":{self.query(moves)}[,}}]')
        answer = json.loads(lines[-1])
        if answer["type"] != "answer":
            sys.exit(lines[-1])
        return answer["best"], (answer["score"] or {}).get("win_in"), answer.get("ponder")


class Gtp(Engine):
    """GTP. A win is announced by the score of a win and a line that ends with five stones in a row. Its distance is not said."""

    def begin(self):
        self.stones = []

    def answer(self, line):
        lines = self.ask(line, r"[=?].*|play .*")
        if lines[-1].startswith("?"):
            sys.exit(f"{line}: {lines}")
        return lines + self.wait(r"play .*|$")

    def set_variant(self, variant):
        self.variant = variant
        kind, size = self.limit.split()
        self.answer(f"tengen-variant {variant}")
        self.answer(f"tengen-limit {'time' if kind == 'movetime' else kind} {size}")
        for name, value in self.options.items():
            self.answer(f"tengen-option {name} {value}")
        self.stones = []

    def new_game(self):
        self.answer("clear_board")
        self.stones = []

    def search(self, moves):
        while self.stones != moves[: len(self.stones)]:
            self.answer("undo")
            self.stones.pop()
        for move in moves[len(self.stones) :]:
            self.answer(f"play {'bw'[len(self.stones) % 2]} {self.vertex(move)}")
            self.stones.append(move)
        lines = self.answer(f"kata-genmove_analyze {'bw'[len(moves) % 2]} maxmoves 1")
        found = [re.match(r"play (\w+)", line) for line in lines]
        move = next(match[1] for match in found if match).lower()
        if move in ("resign", "pass"):
            return None, None, None
        best = self.point(move)
        self.stones.append(best)
        found = [re.search(r"scoreLead (\S+) .* pv ([^a-z]*)", line) for line in lines]
        last = next((pv for pv in reversed(found) if pv), None)
        if not last:
            return best, None, None
        line = [self.point(vertex) for vertex in last[2].lower().split()]
        is_won = float(last[1]) >= WINNING_LEAD and len(line) % 2 == 1 and ends_with_five([*moves, *line])
        return best, (UNKNOWN if is_won else None), (line + [None, None])[1]

    @staticmethod
    def vertex(move):
        return chr(ord(move[0]) + (move[0] >= "i")) + move[1:]

    @staticmethod
    def point(vertex):
        return chr(ord(vertex[0]) - (vertex[0] > "i")) + vertex[1:]


class Gomocup(Engine):
    """Gomocup: `TURN` where the opponent's stone is all that is new, else `BOARD`."""

    def begin(self):
        self.stones = None

    def set_variant(self, variant):
        self.variant = variant
        kind, size = self.limit.split()
        self.send(f"INFO rule {RULES[variant]}")
        self.send(f"INFO hash_size {self.options['Hash'] * 1024}")
        self.send(f"INFO thread_num {self.options['Threads']}")
        lines = {"nodes": [f"INFO max_node {size}", "INFO timeout_turn 10000000"], "movetime": [f"INFO timeout_turn {size}"]}
        for line in lines[kind]:
            self.send(line)
        self.new_game()

    def new_game(self):
        self.ask("START 15", "OK")
        self.stones = []

    def search(self, moves):
        cells = [f"{COLUMNS.index(move[0])},{15 - int(move[1:])}" for move in moves]
        if len(moves) > 1 and self.stones == moves[:-1]:
            self.send(f"TURN {cells[-1]}")
        else:
            rows = [f"{cell},{1 + (len(moves) - place) % 2}" for place, cell in enumerate(cells)]
            self.send(" ".join(["BOARD", *rows, "DONE"]))
        lines = self.wait(r"\d+,\d+$|ERROR")
        if lines[-1].startswith("ERROR"):
            return None, None, None
        column, row = map(int, lines[-1].split(","))
        best = COLUMNS[column] + str(15 - row)
        self.stones = [*moves, best]
        evs = [re.search(r" ev (\S+) .* pv (.*)", line) for line in lines]
        last = next((found for found in reversed(evs) if found), None)
        if not last:
            return best, None, None
        reply = (last[2].lower().split() + [None, None])[1]
        reply = reply and reply[0] + str(16 - int(reply[1:]))
        return best, (int(last[1][2:]) if last[1].startswith("+M") else None), reply


DIALECTS = {"uci": Engine, "ugi": Ugi, "json": Json, "gtp": Gtp, "gomocup": Gomocup}


def ends_with_five(moves):
    """Returns whether the last move completes five stones in a row."""
    own = {(COLUMNS.index(move[0]), int(move[1:])) for move in moves[::-2]}
    column, row = COLUMNS.index(moves[-1][0]), int(moves[-1][1:])
    def count(right, up):
        return next(n for n in range(len(moves)) if (column + (n + 1) * right, row + (n + 1) * up) not in own)
    return any(count(right, up) + count(-right, -up) >= 4 for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)))


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


def disturb(engine, args, rng, moves, first):
    """Searches another position or begins a new process, as often as the options say."""
    if args.fresh:
        engine.new_game()
    if rng.random() < args.restart:
        engine.restart()
    if rng.random() < args.jump and len(moves) > first:
        earlier = moves[: rng.randrange(first, len(moves))]
        if isinstance(engine, Json):
            engine.query(earlier)
        else:
            engine.search(earlier)


def play(engines, variant, seed, args):
    """Plays a game. Returns its moves and, for each move, the announced plies and the expected reply."""
    # Two games in a row have the same opening, with colours exchanged.
    rng = random.Random(f"{variant} {seed // 2}")
    for engine in engines:
        engine.set_variant(variant)
        engine.new_game()
    board = side_of(variant)
    moves = opening(rng, rng.choice([3, 4, 5, 6]), board)
    announced, expected = [None] * len(moves), [None] * len(moves)
    first = len(moves)
    over, stray, winner = False, None, None
    while len(moves) < board * board:
        side = (len(moves) + seed) % 2
        engine = engines[side]
        # The other side may be another program, which is not disturbed.
        if side == 0 or not args.old:
            disturb(engine, args, rng, moves, first)
        best, plies, reply = engine.search(moves)
        if best is None:
            over = True
            # The side to move has lost, unless its opponent played a forbidden move.
            winner = 1 - side
            break
        won_by_other = len(announced) > first and announced[-1]
        if won_by_other and announced[-1] > 1 and rng.random() < args.stray:
            best, plies = stray_move(rng, moves, board), None
            stray = len(moves)
        moves.append(best)
        announced.append(plies)
        expected.append(reply)
        if args.ponder and reply:
            engine.ponder([*moves, reply])
    return {"variant": variant, "seed": seed, "first": first, "moves": moves, "announced": announced, "expected": expected, "over": over, "stray": stray, "winner": winner}


NAMES = ["announced", "steps", "not shorter", "of them in the line", "dropped steps", "longer than stated", "dropped"]


def count(game, totals):
    """Adds the wins of a game to the totals."""
    announced, moves, expected = game["announced"], game["moves"], game["expected"]
    for parity in (0, 1):
        turns = [index for index in range(game["first"], len(announced)) if index % 2 == parity]
        start, is_longer = None, False
        for before, index in zip([None, *turns], turns):
            plies = announced[index]
            if start is not None:
                totals["steps"] += 1
                if not plies:
                    totals["dropped steps"] += 1
                    totals["dropped"] += 1
                    totals["longer than stated"] += is_longer
                    start, is_longer = None, False
                elif plies > announced[before] - 2 and plies < UNKNOWN:
                    totals["not shorter"] += 1
                    totals["of them in the line"] += moves[before + 1] == expected[before]
                    is_longer = True
            if plies and start is None:
                totals["announced"] += 1
                start = index
        if start is not None:
            # A random move of the loser may be forbidden, and end the game.
            is_last = (len(moves) - 1) % 2 == parity or game["stray"] == len(moves) - 1
            in_time = game["over"] and len(moves) <= start + announced[start] and is_last
            totals["longer than stated"] += is_longer or not in_time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tengen")
    parser.add_argument("--old")
    parser.add_argument("--dialect", choices=DIALECTS, default="uci")
    parser.add_argument("--arguments", default="", help="more arguments of the programs")
    parser.add_argument("--variants", default="gomokufreestyle,gomoku,renju,caro")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--limit", default="nodes 20000")
    parser.add_argument("--other-limit", help="the limit of the other side, as --limit")
    parser.add_argument("--stray", type=float, default=0.0)
    parser.add_argument("--jump", type=float, default=0.0)
    parser.add_argument("--restart", type=float, default=0.0)
    parser.add_argument("--skill", type=int)
    parser.add_argument("--hash", type=int, default=16, help="size of the tables in MiB")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--ponder", action="store_true", help="UCI only")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--show", action="store_true", help="print the games with wins that were not kept")
    args = parser.parse_args()
    known = {}
    if args.save and args.save.exists():
        games = (json.loads(line) for line in args.save.read_text().splitlines())
        known = {(game["variant"], game["seed"]): game for game in games}
    options = {"Hash": args.hash, "Threads": args.threads}
    other = dict(options) if args.skill is None else options | {"Skill Level": args.skill}
    engine = DIALECTS[args.dialect]
    limits = [args.limit, args.other_limit or args.limit]
    programs = [args.tengen, args.old or args.tengen]
    engines = [engine(args, *parts) for parts in zip(programs, limits, [options, other])]
    print("variant", *NAMES, sep=" | ")
    sums = dict.fromkeys(NAMES, 0)
    for variant in args.variants.split(","):
        totals = dict.fromkeys(NAMES, 0)
        for seed in range(args.start, args.start + args.games):
            game = known.get((variant, seed))
            if game is None:
                game = play(engines, variant, seed, args)
                if args.save:
                    with args.save.open("a") as file:
                        file.write(json.dumps(game) + "\n")
            before = dict(totals)
            count(game, totals)
            if args.show and any(totals[name] > before[name] for name in NAMES[2:]):
                print(variant, seed, " ".join(game["moves"]), game["announced"][game["first"] :])
        print(variant, *totals.values(), sep=" | ", flush=True)
        for name in NAMES:
            sums[name] += totals[name]
    print("all", *sums.values(), sep=" | ", flush=True)
    if args.old and args.save:
        results = [json.loads(line)["winner"] for line in args.save.read_text().splitlines()]
        print(f"TENGEN against OTHER: {results.count(0)} won, {results.count(None)} drawn, {results.count(1)} lost")


if __name__ == "__main__":
    main()
