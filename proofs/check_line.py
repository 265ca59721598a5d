#!/usr/bin/env python3
"""Checks a proof of a game in which a row of stones wins, such as tic-tac-toe. It knows the rules and nothing else.
Usage: check_line.py FILE... The exit status is 1 if a file is not a proof.

docs/manual/proofs.md describes the file, and walk.py walks through it.
"""

import re

from walk import Board, main


class Line(Board):
    """So many stones in a row win, or exactly so many."""

    def __init__(self, width, height, length, is_exact):
        super().__init__(width, height)
        self.length, self.is_exact = length, is_exact

    def wins(self, own, other, is_first):
        return self.completing(own, self.length, self.is_exact)


def board_of(rules):
    size = re.fullmatch(r"(\d+)x(\d+) board, (exactly )?(\d+) in a row", rules)
    return size and Line(int(size[1]), int(size[2]), int(size[4]), bool(size[3]))


if __name__ == "__main__":
    main(__doc__, board_of)
