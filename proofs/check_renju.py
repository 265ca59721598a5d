#!/usr/bin/env python3
"""Checks a proof of renju. It knows the rules and nothing else. docs/manual/proofs.md describes the file.
Usage: check_renju.py FILE... The exit status is 1 if a file is not a proof.
"""

import re

from walk import Board, each, main


class Renju(Board):
    """Section 9 of the International Rules of Renju. Black, the first player, wins with exactly five only."""

    def wins(self, own, other, is_first):
        return self.completing(own, 5, is_exact=is_first)

    def is_allowed(self, own, other, is_first, point):
        return super().is_allowed(own, other, is_first, point) and not (is_first and self.forbidden(own, other, point))

    def forbidden(self, black, white, point):
        """Why an empty point is forbidden to Black: 33, 44 or 6 (an overline). None if it is allowed."""
        if sum((black & self.line(point, step)).bit_count() for step in self.steps) < 4:
            return None  # too few stones
        black |= point
        rows = [row(black, point, step).bit_count() for step in self.steps]
        if 5 in rows:
            return None
        for kind, shapes in (("44", self.fours), ("33", self.threes)):
            if sum(len(shapes(black, white, point, step)) for step in self.steps) >= 2:
                return kind
        return "6" if max(rows) > 5 else None

    def fours(self, black, white, point, step):
        """The fours with the stone on `point`: sets of four stones that one more turns into exactly five."""
        fives = {end: row(black | end, end, step) for end in each(self.line(point, step) & ~(black | white))}
        return {five & ~end for end, five in fives.items() if five & point and five.bit_count() == 5}

    def threes(self, black, white, point, step):
        """The threes with the stone on `point`: sets of three stones that one more turns into a straight four, a row
        that becomes five at both ends. That stone must be allowed, and make no five."""
        threes = set()
        for more in each(self.line(point, step) & ~(black | white)):
            four = row(black | more, more, step)
            ends = each((four << step | four >> step) & self.all & ~(four | white))
            is_straight = [row(black | more | end, end, step).bit_count() for end in ends] == [5, 5]
            if is_straight and four & point and not self.completing(black, 5, is_exact=True) & more:
                threes |= {four & ~more} if not self.forbidden(black, white, more) else set()
        return threes


def row(stones, point, step):
    """The unbroken row of stones through `point`, which counts as one of them."""
    found, grown = 0, point
    while found != grown:
        found, grown = grown, grown | (grown << step | grown >> step) & stones
    return found


def board_of(rules):
    size = re.fullmatch(r"(\d+)x(\d+) board, renju", rules)
    return size and Renju(int(size[1]), int(size[2]))


if __name__ == "__main__":
    main(__doc__, board_of)
