"""Compares results and forbidden points with an independent referee: the package `renju`.

    python renju_referee.py PATH_TO_TENGEN [--games 60] [--seed 1]

Plays random games of five in a row under three rules: freestyle, exactly five, and renju. Stones are close together, so that games
end. After each move it compares the result that `d` prints. At every eighth ply of renju it also compares the forbidden points next
to other stones, and their kinds, with the output of `eval`. Prints the counts; exits with 1 at the first difference. Needs the package
`renju` from PyPI.
"""

import argparse
import random
import subprocess
import sys

from renju import BoardStatus, RenjuBoard, Rule, WinReason

RULES = {"gomokufreestyle": Rule.FREESTYLE, "gomoku": Rule.STANDARD, "renju": Rule.RENJU}

KINDS = {
    WinReason.DOUBLE_THREE: "double-three",
    WinReason.DOUBLE_FOUR: "double-four",
    WinReason.OVERLINE: "overline",
}

SIDE = 15


class Difference(Exception):
    pass


class Tengen:
    def __init__(self, path, variant):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([path], stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self.say(f"setoption name UCI_Variant value {variant}")
        self.say("setoption name Notation value plain")

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def answer(self, command, last):
        """The lines that answer a command, up to one that begins with one of these words."""
        self.say(command)
        lines = []
        while not lines or not lines[-1].startswith(last):
            line = self.process.stdout.readline()
            if not line:
                raise Difference("tengen has left")
            if line.startswith("info string position refused"):
                raise Difference(line.strip())
            lines.append(line.strip())
        return lines

    def result(self, moves):
        """The last line of `d` after these moves: the side to move, or the result."""
        self.say(f"position startpos moves {' '.join(map(name, moves))}")
        return self.answer("d", ("Turn:", "Result:"))[-1]

    def forbidden(self):
        """The forbidden points of an unfinished game of renju, each with its kind."""
        lines = self.answer("eval\nisready", "readyok")
        told = [line for line in lines if line.startswith("forbidden:")]
        if len(told) != 1:
            raise Difference(f"eval does not show the forbidden points: {lines}")
        words = told[0].split()[1:]
        points = [] if words == ["-"] else zip(words[::2], words[1::2], strict=True)
        return {point: kind.strip("()") for point, kind in points}

    def quit(self):
        self.say("quit")
        if self.process.wait(timeout=10) != 0:
            raise Difference("tengen did not leave with status 0")


def name(point):
    return f"{'abcdefghijklmno'[point[0]]}{point[1] + 1}"


def expected(board):
    """The last line of `d`, according to the referee."""
    return {
        BoardStatus.ONGOING: f"Turn: {'second' if len(board) % 2 else 'first'} player",
        BoardStatus.BLACK_WIN: "Result: first player wins",
        BoardStatus.WHITE_WIN: "Result: second player wins",
        BoardStatus.DRAW: "Result: draw",
    }[board.status]


def referee_forbidden(board, empty):
    """The points that the referee forbids to the first player, who is to move, each with its kind."""
    found = {}
    for point in empty:
        board.play_move(*point)
        if board.status == BoardStatus.WHITE_WIN:
            found[name(point)] = KINDS[board.reason]
        # `undo` replays the whole game, which is slow.
        board.moves.pop()
        board.status = BoardStatus.ONGOING
    return found


def play(variant, tengen, dice):
    """Plays one random game. Returns its result and the number of points that were compared."""
    board, moves, points = RenjuBoard(board_size=SIDE, rule=RULES[variant]), [], 0
    empty = [(x, y) for x in range(SIDE) for y in range(SIDE)]
    while board.status == BoardStatus.ONGOING:
        near = [p for p in empty if any(max(abs(p[0] - x), abs(p[1] - y)) <= 1 for x, y in moves)]
        move = dice.choice(near or [(SIDE // 2, SIDE // 2)])
        if variant == "renju" and len(moves) % 8 == 0:
            tengen.result(moves)
            theirs, ours = referee_forbidden(board, near), tengen.forbidden()
            ours = {point: kind for point, kind in ours.items() if point in map(name, near)}
            # If several reasons apply, the referee names the overline and Tengen another one.
            same = ours.keys() == theirs.keys() and all(
                kind in (ours[point], "overline") for point, kind in theirs.items()
            )
            if not same:
                raise Difference(f"after {' '.join(map(name, moves))}:\n  renju  {theirs}\n  tengen {ours}")
            points += len(near)
        moves.append(move)
        empty.remove(move)
        board.play_move(*move)
        result = tengen.result(moves)
        if result != expected(board):
            raise Difference(
                f"{variant} after {' '.join(map(name, moves))}:\n  renju  {expected(board)}\n  tengen {result}"
            )
    return expected(board).removeprefix("Result: "), points


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tengen")
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    dice = random.Random(args.seed)
    for variant in RULES:
        tengen = Tengen(args.tengen, variant)
        ends, compared = {}, 0
        for _ in range(args.games):
            end, points = play(variant, tengen, dice)
            ends[end] = ends.get(end, 0) + 1
            compared += points
        tengen.quit()
        counts = ", ".join(f"{end} {count}" for end, count in sorted(ends.items()))
        print(f"{variant}: {args.games} games agree ({counts}); {compared} points checked for forbidden ones")


if __name__ == "__main__":
    try:
        main()
    except Difference as difference:
        sys.exit(f"difference: {difference}")
