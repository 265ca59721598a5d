#!/usr/bin/env python3
"""Checks a proof of a game in which a row of stones wins, such as tic-tac-toe or gomoku. It knows the rules and nothing else.

Usage: check_line.py FILE...

A proof is a strategy of one side. This program plays it against every reply of the opponent, to the end of the
game. docs/manual/proofs.md describes the file. The exit status is 1 if a file is not a proof.

A set of points is a number with one bit for each point. The rows follow each other from row 1 on, each from the left
to the right, with one bit more than the board has columns. That bit stays 0, so that no line goes around the edge.
"""

import collections
import gzip
import hashlib
import itertools
import re
import sys

FIELDS = ["game", "rules", "moves", "claim", "positions", "shared", "sha256"]


class Refused(Exception):
    """The file is not a proof, for this reason."""


class Board:
    """The board, and the rules."""

    def __init__(self, rules):
        size = re.fullmatch(r"(\d+)x(\d+) board, (exactly )?(\d+) in a row", rules)
        if not size:
            raise Refused("line 3: this program does not check: " + rules)
        self.width, self.height, self.connect = int(size[1]), int(size[2]), int(size[4])
        self.is_exact = bool(size[3])
        self.stride = self.width + 1
        row = (1 << self.width) - 1
        self.all = sum(row << self.stride * number for number in range(self.height))
        self.directions = [1, self.stride, self.stride + 1, self.stride - 1]
        self.symmetries = list(self.images())

    def images(self):
        """For each reflection and rotation: where each point goes."""
        for turned, mirrored, upside_down in itertools.product([False, True], repeat=3):
            if turned and self.width != self.height:
                continue
            image = {}
            for column, row in itertools.product(range(self.width), range(self.height)):
                to = self.width - 1 - column if mirrored else column
                up = self.height - 1 - row if upside_down else row
                to, up = (up, to) if turned else (to, up)
                image[1 << row * self.stride + column] = 1 << up * self.stride + to
            yield image

    def least(self, own, other):
        """One position for all that are equal by symmetry."""
        return min(tuple(sum(image[point] for point in each(stones)) for stones in (own, other))
                   for image in self.symmetries)

    def point(self, name):
        """The point with a name such as d3."""
        if not re.fullmatch(r"[a-z][1-9]\d?", name):
            raise Refused("no point: " + name)
        column, row = ord(name[0]) - ord("a"), int(name[1:]) - 1
        if column >= self.width or row >= self.height:
            raise Refused("not on the board: " + name)
        return 1 << row * self.stride + column

    def name(self, point):
        row, column = divmod(point.bit_length() - 1, self.stride)
        return "abcdefghijklmnopqrstuvwxyz"[column] + str(row + 1)

    def completing(self, stones):
        """The points, empty or not, where one more stone makes a winning row with these stones."""
        points = 0
        for step in self.directions:
            for before in range(self.connect):
                after = self.connect - 1 - before
                row = self.all
                for distance in range(1, before + 1):
                    row &= stones << distance * step
                for distance in range(1, after + 1):
                    row &= stones >> distance * step
                if self.is_exact:
                    row &= ~(stones << (before + 1) * step) & ~(stones >> (after + 1) * step)
                points |= row
        return points


def each(points):
    """The single points of a set, row by row."""
    while points:
        lowest = points & -points
        yield lowest
        points ^= lowest


class Lines:
    """The lines of a file, which are read one after the other."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.open = gzip.open if file.read(2) == b"\x1f\x8b" else open
        self.file = self.open(path, "rb")
        self.number = 0
        self.hash = hashlib.sha256()

    def next(self):
        """The next line, or None at the end of the file."""
        self.number += 1
        try:
            line = self.file.readline()
        except (OSError, EOFError, gzip.zlib.error) as error:
            raise Refused(f"line {self.number}: cannot be read: {error}") from error
        self.hash.update(line)
        if line and not line.endswith(b"\n"):
            raise Refused(f"line {self.number}: the line has no end")
        return line[:-1].decode() if line else None

    def head(self):
        """The fields of the head."""
        if self.next() != "tengen-proof 1":
            raise Refused("line 1: not a proof")
        head = {}
        for field in FIELDS:
            name, _, value = (self.next() or "").partition(" ")
            if name != field:
                raise Refused(f"line {self.number}: here must be: {field}")
            head[field] = value
        if self.next() != "":
            raise Refused(f"line {self.number}: here must be an empty line")
        self.hash = hashlib.sha256()
        return head


# A move, the plan against each reply that is named, and the plan against all others (or None).
Plan = collections.namedtuple("Plan", "move others answers")


class Checker:
    """Follows the strategy. `own` are the stones of its side, `other` those of the opponent."""

    def __init__(self, path):
        self.lines = Lines(path)
        self.head = self.lines.head()
        self.board = Board(self.head["rules"])
        claim = re.fullmatch("(first|second) (wins|draws)", self.head["claim"])
        if not claim:
            raise Refused("line 5: no claim: " + self.head["claim"])
        self.is_first, self.wins = claim[1] == "first", claim[2] == "wins"
        self.path, self.seen = [], set()  # the moves so far; positions that come again, proven before
        self.read = self.shared = self.played = 0

    def refuse(self, why):
        raise Refused(f"line {self.lines.number}, after {' '.join(self.path) or 'no moves'}: {why}")

    def run(self):
        own = other = 0
        is_own_turn = self.is_first
        for name in self.head["moves"].split():
            point = self.board.point(name)
            if not point & self.board.all & ~(own | other):
                raise Refused("line 4: cannot be played: " + name)
            if point & self.board.completing(own if is_own_turn else other):
                raise Refused("line 4: the game is over")
            own, other = (own | point, other) if is_own_turn else (own, other | point)
            is_own_turn = not is_own_turn
            self.path.append(name)
        self.side(own, other) if is_own_turn else self.replies(own, other, None)
        found = {"positions": str(self.read), "shared": str(self.shared), "sha256": self.lines.hash.hexdigest()}
        if self.lines.next() is not None:
            raise Refused(f"line {self.lines.number}: every position is proven, but the file goes on")
        for field, value in found.items():
            if self.head[field] != value:
                raise Refused(f"line {FIELDS.index(field) + 2}: {field} is {value}, not {self.head[field]}")

    def side(self, own, other):
        """Checks a position in which the side is to move."""
        self.played += 1
        empty = self.board.all & ~(own | other)
        if self.board.completing(own) & empty:
            return
        threats = self.board.completing(other) & empty  # the opponent threatens to win here
        if threats & threats - 1:
            self.refuse("after every move the opponent wins at once")
        safe = threats or empty
        if not safe & safe - 1:  # one move only
            return self.play(own, other, Plan(safe, None, {}))
        key = self.board.least(own, other)
        if key in self.seen:
            return None
        line = self.lines.next()
        self.read += 1
        if line is None:
            self.refuse("the file ends here")
        text = line.removeprefix("*")
        try:
            plan, rest = self.plan(text)
        except Refused as why:
            self.refuse(why)
        if rest:
            self.refuse("no plan: " + rest)
        if not plan.move & empty:
            self.refuse(self.board.name(plan.move) + " cannot be played")
        self.play(own, other, plan)
        if text != line:
            self.shared += 1
            self.seen.add(key)

    def plan(self, text):
        """Reads a plan, `MOVE [(REPLY PLAN)]... [!PLAN]`, and returns it and the rest of the text."""
        name = re.match(r"[a-z]\d*", text)
        move = self.board.point(name[0] if name else text)
        text = text[len(name[0]):]
        others, answers = None, {}
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

    def play(self, own, other, plan):
        """Plays a move of the side and checks all replies. What the plan does not meet, the next lines do."""
        own |= plan.move
        self.path.append(self.board.name(plan.move))
        self.replies(own, other, plan)
        self.path.pop()

    def replies(self, own, other, plan):
        """Checks a position in which the opponent is to move."""
        empty = self.board.all & ~(own | other)
        if not empty and self.wins:
            self.refuse("the game is drawn")
        won, lost = self.board.completing(own), self.board.completing(other)
        for reply in each(empty):
            self.path.append(self.board.name(reply))
            if reply & lost:
                self.refuse("the opponent has won")
            if reply == empty:
                if self.wins:
                    self.refuse("the game is drawn")
            elif plan and reply in plan.answers:
                if not self.follow(own, other | reply, plan.answers[reply]):
                    self.refuse("the plan does not reach the end")
            elif won & empty & ~reply:
                self.played += 1  # the side wins at once
            else:
                others = plan and plan.others
                if not (others and self.follow(own, other | reply, others)):
                    self.side(own, other | reply)
            self.path.pop()

    def follow(self, own, other, plan):
        """Whether the side, which is to move, reaches the end as claimed by the plan alone."""
        empty = self.board.all & ~(own | other)
        if not plan.move & empty:
            return False
        if plan.move & self.board.completing(own):
            return True
        own |= plan.move
        empty &= ~plan.move
        if not empty:
            return not self.wins
        won, lost = self.board.completing(own), self.board.completing(other)
        for reply in each(empty):
            if reply & lost:
                return False
            if reply == empty:
                if self.wins:
                    return False
            elif reply in plan.answers or not won & empty & ~reply:
                answer = plan.answers.get(reply, plan.others)
                if not (answer and self.follow(own, other | reply, answer)):
                    return False
        return True


def main(paths):
    sys.setrecursionlimit(10_000)
    status = 0
    for path in paths or sys.exit(__doc__):
        try:
            checker = Checker(path)
            checker.run()
        except (Refused, OSError, UnicodeDecodeError) as why:
            print(f"{path}: {why}")
            status = 1
            continue
        claim = f"{checker.head['claim']} after {checker.head['moves'] or 'no moves'}"
        print(f"{path}: {claim}: {checker.read} positions, {checker.played} played through")
    sys.exit(status)


if __name__ == "__main__":
    main(sys.argv[1:])
