"""What the checkers of games without falling stones share: the board, the file, and the walk through a strategy.

A set of points is a number with one bit for each point, row by row from a1 on. Behind each row is one bit more, which
stays 0, so that no line goes around the edge.
"""

import collections
import functools
import gzip
import hashlib
import itertools
import re
import sys

FIELDS = ["game", "rules", "moves", "claim", "positions", "shared", "sha256"]


class Refused(Exception):
    """The file is not a proof, for this reason."""


class Board:
    """The points of a board. A game adds `wins`: the points where the player with the stones `own` wins."""

    def __init__(self, width, height):
        stride = width + 1
        self.steps = [1, stride, stride + 1, stride - 1]
        places = itertools.product(range(height), range(width))
        self.names = {1 << row * stride + column: f"{chr(97 + column)}{row + 1}" for row, column in places}
        self.points = {name: point for point, name in self.names.items()}
        self.all = sum(self.names)
        rows = [list(self.names)[row * width:][:width] for row in range(height)]
        images = [rows, rows[::-1]]
        images += [[row[::-1] for row in image] for image in images]
        images += [zip(*image) for image in images if width == height]
        # For each reflection and rotation: where each point goes.
        self.symmetries = [dict(zip(self.names, itertools.chain(*image))) for image in images]

    def point(self, name):
        """The point with a name such as d3."""
        if name not in self.points:
            raise Refused("no point of the board: " + name)
        return self.points[name]

    @functools.cache
    def line(self, point, step):
        """The points up to five steps away, and some beyond the edge, on other lines: no row leads there."""
        return self.all & functools.reduce(int.__or__, (point << by * step | point >> by * step for by in range(1, 6)))

    def completing(self, stones, length, is_exact=False, walls=0):
        """The points, empty or not, where one more stone makes a row of so many of these stones. A longer row counts
        unless `is_exact`, a row with a stone of `walls` at both ends does not."""
        points = 0
        for step, before in itertools.product(self.steps, range(length)):
            after = length - 1 - before
            row = self.all & ~(walls << (before + 1) * step & walls >> (after + 1) * step)
            for by in range(1, length):
                row &= stones << by * step if by <= before else stones >> (by - before) * step
            if is_exact:
                row &= ~(stones << (before + 1) * step) & ~(stones >> (after + 1) * step)
            points |= row
        return points

    def is_allowed(self, own, other, is_first, point):
        """Whether the player with the stones `own` may play on a point."""
        return point & self.all & ~(own | other)

    def touched(self, own, other, plan, more):
        """The points that matter to a plan which wins alone, if the game can tell."""

    def around(self, point):
        """The points where a stone on this point can keep the opponent from winning."""
        return point


def each(points):
    """The single points of a set, row by row."""
    while points:
        yield points & -points
        points &= points - 1


def read(path):
    """The head of a file, the lines of its body, and their SHA-256."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except (OSError, EOFError, gzip.zlib.error) as error:
        raise Refused(f"line 1: cannot be read: {error}") from error
    lines = data.decode().split("\n")
    head = {}
    for number, field in enumerate(["tengen-proof", *FIELDS, ""]):
        name, _, head[field] = (lines[number] if number < len(lines) else "-").partition(" ")
        if name != field or head["tengen-proof"] != "1":
            raise Refused(f"line {number + 1}: here must be: {field or 'an empty line'}")
    if lines.pop():
        raise Refused(f"line {len(lines) + 1}: the line has no end")
    return head, lines[len(head):], hashlib.sha256(data.split(b"\n\n", 1)[1]).hexdigest()


# A move, the plan against each reply that is named, and the plan against all others (or None).
Plan = collections.namedtuple("Plan", "move others answers")


class Checker:
    """Follows the strategy. `own` are the stones of its side, `other` those of the opponent."""

    def __init__(self, path, board_of):
        self.head, self.lines, self.sha256 = read(path)
        self.board = board_of(self.head["rules"])
        if not self.board:
            raise Refused("line 3: this program does not check: " + self.head["rules"])
        claim = re.fullmatch("(first|second) (wins|draws)", self.head["claim"])
        if not claim:
            raise Refused("line 5: no claim: " + self.head["claim"])
        self.is_first, self.wins = claim[1] == "first", claim[2] == "wins"
        self.seen, self.read, self.shared = set(), 0, 0  # positions that come again, proven before; lines

    def refuse(self, path, why):
        raise Refused(f"line {len(self.head) + self.read}, after {' '.join(path) or 'no moves'}: {why}")

    def ends(self, own, other):
        """The points where the side wins, and those where the opponent wins."""
        won, lost = self.board.wins(own, other, self.is_first), self.board.wins(other, own, not self.is_first)
        return won & ~(own | other), lost & ~(own | other)

    def run(self):
        stones, path = [0, 0], self.head["moves"].split()
        for number, name in enumerate(path):
            point, turn = self.board.point(name), number % 2
            before = stones[turn], stones[1 - turn], turn == 0
            if not self.board.is_allowed(*before, point) or point & self.board.wins(*before):
                raise Refused("line 4: cannot be played, or ends the game: " + name)
            stones[turn] |= point
        own, other = stones if self.is_first else stones[::-1]
        is_mover = len(path) % 2 == (not self.is_first)
        self.side(own, other, path) if is_mover else self.replies(own, other, Plan(0, None, {}), path)
        if self.read < len(self.lines):
            raise Refused(f"line {len(self.head) + self.read + 1}: every position is proven, but the file goes on")
        for field, value in (("positions", self.read), ("shared", self.shared), ("sha256", self.sha256)):
            if self.head[field] != str(value):
                raise Refused(f"line {FIELDS.index(field) + 2}: {field} is {value}, not {self.head[field]}")

    def side(self, own, other, path):
        """Checks a position in which the side is to move."""
        won, lost = self.ends(own, other)
        if won:
            return
        moves = each(self.board.around(lost & -lost) if lost else self.board.all)
        moves = (move for move in moves if self.board.is_allowed(own, other, self.is_first, move))
        safe = list(itertools.islice((move for move in moves if not (lost and self.ends(own | move, other)[1])), 2))
        if not safe:
            self.refuse(path, "after every move the opponent wins at once")
        if len(safe) == 1:
            return self.play(own, other, Plan(safe[0], None, {}), path)
        # One position for all that are equal by symmetry.
        key = min(tuple(sum(map(image.get, each(it))) for it in (own, other)) for image in self.board.symmetries)
        if key in self.seen:
            return
        self.read += 1
        if self.read > len(self.lines):
            self.refuse(path, "the file ends here")
        line = self.lines[self.read - 1]
        try:
            plan, rest = self.plan(line.removeprefix("*"))
        except Refused as why:
            self.refuse(path, why)
        if rest:
            self.refuse(path, "no plan: " + rest)
        self.play(own, other, plan, path)
        if line.startswith("*"):
            self.shared += 1
            self.seen.add(key)

    def plan(self, text):
        """Reads a plan, `MOVE [(REPLY PLAN)]... [!PLAN]`, and returns it and the rest of the text."""
        name = re.match(r"[a-z]\d*|", text)[0]
        move, text, others, answers = self.board.point(name), text[len(name):], None, {}
        while text.startswith("("):
            reply, _, text = text[1:].partition(" ")
            answer, text = self.plan(text)
            if not text.startswith(")"):
                raise Refused("no bracket before: " + text)
            answers.setdefault(self.board.point(reply), answer)
            text = text[1:]
        if text.startswith("!"):
            others, text = self.plan(text[1:])
        return Plan(move, others, answers), text

    def play(self, own, other, plan, path, is_alone=False):
        """Plays a move of the side and checks all replies. What the plan leaves has lines, if not `is_alone`."""
        if not plan or not self.board.is_allowed(own, other, self.is_first, plan.move):
            self.refuse(path, "the plan cannot be played")
        if not plan.move & self.ends(own, other)[0]:
            self.replies(own | plan.move, other, plan, path + [self.board.names[plan.move]], is_alone)

    def replies(self, own, other, plan, path, is_alone=False):
        """Checks a position in which the opponent is to move."""
        empty, (won, lost) = self.board.all & ~(own | other), self.ends(own, other)
        met = self.board.touched(own, other, plan.others, 0) if self.wins and not (won or lost) else None
        some = empty if met is None else empty & (met | sum(plan.answers))
        replies = [reply for reply in each(some) if self.board.is_allowed(other, own, not self.is_first, reply)]
        if self.wins and (not replies or empty in replies and not lost):
            self.refuse(path, "the game is drawn")
        for reply in replies:
            after, answer = (own, other | reply), plan.answers.get(reply)
            is_won = won & ~self.board.around(reply) or won and self.ends(*after)[0]
            then = path + [self.board.names[reply]]
            if reply & lost:
                self.refuse(then, "the opponent has won")
            is_met = is_won and not answer or self.wins and self.board.touched(*after, answer or plan.others, -1)
            if reply == empty or is_met:
                continue
            try:
                self.play(*after, answer or plan.others, then, is_alone=True)
            except Refused:
                if answer or is_alone:
                    raise
                self.side(*after, then)


def main(usage, board_of):
    """Checks the files of the command line. `board_of` gives the board of some rules; None if it does not know them."""
    sys.setrecursionlimit(10_000)
    status = 0
    for path in sys.argv[1:] or sys.exit(usage):
        try:
            checker = Checker(path, board_of)
            checker.run()
            print(f"{path}: {checker.head['claim']} after '{checker.head['moves']}': {checker.read} positions")
        except (Refused, OSError, UnicodeDecodeError) as why:
            print(f"{path}: {why}")
            status = 1
    sys.exit(status)
