#!/usr/bin/env python3
"""Checks a proof of caro. It knows the rules and nothing else.
Usage: check_caro.py FILE... The exit status is 1 if a file is not a proof.
docs/manual/proofs.md describes the file, and walk.py walks through it.
"""

import re

from walk import Board, main


class Caro(Board):
    """Five win unless the opponent has stones at both ends. Six or more always win, or never."""

    def __init__(self, width, height, is_exact):
        super().__init__(width, height)
        self.is_exact = is_exact

    def wins(self, own, other, is_first):
        longer = 0 if self.is_exact else self.completing(own, 6)
        return self.completing(own, 5, is_exact=True, walls=other) | longer

    def around(self, point):
        """A stone keeps the opponent from winning on this point, or it closes a row of five through a point near it."""
        lines = [self.line(point, step) for step in self.steps]
        return point | lines[0] | lines[1] | lines[2] | lines[3]


def board_of(rules):
    size = re.fullmatch(r"(\d+)x(\d+) board, caro: (exactly )?5 in a row not closed at both ends", rules)
    return size and Caro(int(size[1]), int(size[2]), bool(size[3]))


if __name__ == "__main__":
    main(__doc__, board_of)
