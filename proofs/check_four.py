#!/usr/bin/env python3
"""Checks a proof of four in a row. It knows the rules of the game and nothing else.

Usage: check_four.py FILE...

A proof is a strategy of one side. This program plays it against every reply of the opponent, to the end of the
game. docs/manual/proofs.md describes the file. The exit status is 1 if a file is not a proof.

A set of points is a number with one bit for each point. The columns follow each other, each from the bottom to the
top, with one bit more than the board has rows. That bit stays 0, so that no line goes from one column into the next.
"""

import gzip
import hashlib
import re
import sys

FIELDS = ["game", "rules", "moves", "claim", "positions", "shared", "sha256"]


class Refused(Exception):
    """The file is not a proof, for this reason."""


class Board:
    """The size of the board, and what depends on it."""

    def __init__(self, rules):
        size = re.fullmatch(r"(\d+)x(\d+) board, 4 in a row, stones fall", rules)
        if not size:
            raise Refused("line 3: this program does not check: " + rules)
        self.width, self.height = int(size[1]), int(size[2])
        self.stride = self.height + 1
        self.bottom = sum(1 << column * self.stride for column in range(self.width))
        self.all = self.bottom * ((1 << self.height) - 1)
        self.even = sum(self.bottom << row for row in range(1, self.height, 2))
        self.directions = [self.stride, self.stride - 1, self.stride + 1]

    def point(self, name):
        """The point with a name such as d3."""
        if not re.fullmatch(r"[a-z][1-9]\d?", name):
            raise Refused("no point: " + name)
        column, row = ord(name[0]) - ord("a"), int(name[1:]) - 1
        if column >= self.width or row >= self.height:
            raise Refused("not on the board: " + name)
        return 1 << column * self.stride + row

    def name(self, point):
        column, row = divmod(point.bit_length() - 1, self.stride)
        return "abcdefghijklmnopqrstuvwxyz"[column] + str(row + 1)

    def playable(self, stones):
        """The lowest empty point of each column. A column of n stones is the number 2**n - 1."""
        return (stones + self.bottom) & self.all

    def completing(self, stones):
        """The points where one more stone makes four in a row with these stones."""
        points = stones << 1 & stones << 2 & stones << 3
        for step in self.directions:
            before = stones << step & stones << 2 * step  # two stones on one side of the point
            after = stones >> step & stones >> 2 * step  # two stones on the other side
            points |= before & (stones << 3 * step | stones >> step)
            points |= after & (stones >> 3 * step | stones << step)
        return points & self.all

    def mirror(self, points):
        column = (1 << self.stride) - 1
        mirrored = 0
        for _ in range(self.width):
            mirrored = mirrored << self.stride | points & column
            points >>= self.stride
        return mirrored


def each(points):
    """The single points of a set, column by column."""
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
        if not line:
            return None
        self.hash.update(line)
        if not line.endswith(b"\n"):
            raise Refused(f"line {self.number}: the line has no end")
        return line[:-1].decode()

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
        self.path = []  # the moves to the position that is checked
        self.seen = set()  # positions that come again, proven before
        self.read = self.shared = self.played = 0

    def refuse(self, why):
        raise Refused(f"line {self.lines.number}, after {' '.join(self.path) or 'no moves'}: {why}")

    def run(self):
        own = other = 0
        is_own_turn = self.is_first
        for name in self.head["moves"].split():
            point = self.board.point(name)
            if not point & self.board.playable(own | other):
                raise Refused("line 4: cannot be played: " + name)
            if point & self.board.completing(own if is_own_turn else other):
                raise Refused("line 4: the game is over")
            own, other = (own | point, other) if is_own_turn else (own, other | point)
            is_own_turn = not is_own_turn
            self.path.append(name)
        if is_own_turn:
            self.side(own, other)
        else:
            self.replies(own, other, None)
        found = {"positions": str(self.read), "shared": str(self.shared), "sha256": self.lines.hash.hexdigest()}
        if self.lines.next() is not None:
            raise Refused(f"line {self.lines.number}: every position is proven, but the file goes on")
        for field, value in found.items():
            if self.head[field] != value:
                raise Refused(f"line {FIELDS.index(field) + 2}: {field} is {value}, not {self.head[field]}")

    def safe(self, own, other):
        """The moves after which the opponent cannot win at once."""
        moves = self.board.playable(own | other)
        threats = self.board.completing(other)
        if moves & threats:  # the opponent threatens to win here, so the move must be here
            moves &= threats
            if moves & moves - 1:
                return 0
        return moves & ~(threats >> 1)  # the opponent could play on top of the move

    def side(self, own, other):
        """Checks a position in which the side is to move."""
        self.played += 1
        if self.board.completing(own) & self.board.playable(own | other):
            return
        safe = self.safe(own, other)
        if not safe:
            self.refuse("after every move the opponent wins at once")
        if not safe & safe - 1:  # one move only
            self.play(own, other, safe, None)
            return
        key = min((own, other), (self.board.mirror(own), self.board.mirror(other)))
        if key in self.seen:
            return
        line = self.lines.next()
        self.read += 1
        if line is None:
            self.refuse("the file ends here")
        text = line.removeprefix("*")
        move, colon, rule = text.partition(":")
        try:
            rule = self.rule(rule) if colon else None
            point = self.board.point(move) if move else None
        except Refused as why:
            self.refuse(why)
        if point:
            if not point & self.board.playable(own | other):
                self.refuse(move + " cannot be played")
            self.play(own, other, point, rule)
        elif rule is None or not self.follow(own, other, rule, set()):
            self.refuse("the rule does not reach the end")
        if text != line:
            self.shared += 1
            self.seen.add(key)

    def play(self, own, other, point, rule):
        """Plays a move of the side and checks all replies."""
        self.path.append(self.board.name(point))
        self.replies(own | point, other, rule)
        self.path.pop()

    def replies(self, own, other, rule):
        """Checks a position in which the opponent is to move. What the rule does not meet, the next lines do."""
        if own | other == self.board.all:
            if self.wins:
                self.refuse("the game is drawn")
            return
        lost = self.board.completing(other)
        seen = set()
        for reply in each(self.board.playable(own | other)):
            self.path.append(self.board.name(reply))
            if reply & lost:
                self.refuse("the opponent has won")
            if own | other | reply == self.board.all:
                if self.wins:
                    self.refuse("the game is drawn")
            elif rule is None or not self.follow(own, other | reply, rule, seen):
                self.side(own, other | reply)
            self.path.pop()

    def rule(self, text):
        """Reads a list such as "e4-e3 b2 c3.d1": points to play, some only if another point is taken or empty."""
        items = []
        for word in text.split():
            parts = re.fullmatch(r"(\w+)(?:([-+.])(\w+))?", word)
            if not parts:
                raise Refused("no item of a rule: " + word)
            at = self.board.point(parts[3]) if parts[2] else 0
            items.append((self.board.point(parts[1]), at, parts[2]))
        return items

    def follow(self, own, other, rule, seen):
        """Whether the side reaches the end as claimed if it follows the rule."""
        self.played += 1
        taken = own | other
        if self.board.completing(own) & self.board.playable(taken):
            return True
        safe = self.safe(own, other)
        if not safe:
            return False
        for point, at, owner in rule:
            if point & safe:
                if not at or at & (other if owner == "-" else own if owner == "+" else ~taken):
                    break
        else:
            point = safe & self.board.even or safe
            point &= -point
        own |= point
        taken |= point
        if (own, other) in seen:
            return True
        if taken == self.board.all:
            return not self.wins
        for reply in each(self.board.playable(taken)):
            if taken | reply == self.board.all:
                if self.wins:
                    return False
            elif not self.follow(own, other | reply, rule, seen):
                return False
        seen.add((own, other))
        return True


def main(paths):
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
