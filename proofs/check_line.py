#!/usr/bin/env python3
"""Checks a proof of a game in which a row of stones wins, such as tic-tac-toe. It knows the rules and nothing else.
Usage: check_line.py FILE... The exit status is 1 if a file is not a proof.
docs/manual/proofs.md describes the file, and walk.py walks through it.
"""

import functools
import re

from walk import Board, each, main


class Line(Board):
    """So many stones in a row win, or exactly so many."""

    def __init__(self, width, height, length, is_exact):
        super().__init__(width, height)
        self.length, self.is_exact = length, is_exact

    def wins(self, own, other, is_first):
        return self.completing(own, self.length, self.is_exact)

    def near(self, stones, walls, least):
        """The points of all rows with at least so many of these stones and no wall."""
        points = 0
        for step in self.steps:
            rows, counts = self.all, [self.all] + [0] * self.length
            for by in range(self.length):
                rows &= (self.all & ~walls) >> by * step
                more = [count & stones >> by * step for count in counts]
                counts = [self.all, *map(int.__or__, counts[1:], more)]
            points |= functools.reduce(int.__or__, ((rows & counts[least]) << by * step for by in range(self.length)))
        return points

    def touched(self, own, other, plan, more):
        """The points that matter to a plan which wins alone. Whatever `more` and one stones the opponent has elsewhere,
        it wins in the same way: no row can get full of them."""
        empty = self.all & ~(own | other)
        if not plan or not plan.move & empty:
            return None
        if plan.move & self.wins(own, other, None):
            return plan.move
        own, empty = own | plan.move, empty & ~plan.move
        won = self.wins(own, other, None) & empty
        if self.wins(other, own, None) & empty:
            return None
        if empty.bit_count() < more + 4:
            return None  # the board could get full
        points = [plan.move | won | self.near(other, own, max(self.length - 2 - more, 0)) & empty]
        points += [] if won else [self.touched(own, other, plan.others, more + 1)]
        left = 0 if won & won - 1 else won or (points[1] or 0) & empty
        after = {**dict.fromkeys(each(left), plan.others), **plan.answers}
        points += (self.touched(own, other | at, answer, more) for at, answer in after.items() if at & empty)
        return None if None in points else functools.reduce(int.__or__, points)


def board_of(rules):
    size = re.fullmatch(r"(\d+)x(\d+) board, (exactly )?(\d+) in a row", rules)
    return size and Line(int(size[1]), int(size[2]), int(size[4]), bool(size[3]))


if __name__ == "__main__":
    main(__doc__, board_of)
