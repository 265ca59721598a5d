"""Compares Tengen's rules with those of Fairy-Stockfish, through pyffish.

    python pyffish_rules.py PATH_TO_TENGEN [--positions 10000] [--seed 1]

Plays random games of four in a row, tic-tac-toe and five in a row on 10x10. At every position it compares the output of `d` with
pyffish: the legal moves, the position with its stones in hand, the side to move, and the result. Prints the counts; exits with 1
at the first difference. Needs the package `pyffish` from PyPI.
"""

import argparse
import multiprocessing
import random
import subprocess
import sys
import time

import pyffish


def stones_in_hand(cells):
    return "P" * ((cells + 1) // 2) + "p" * (cells // 2)


def definition(name, parent, width, height, connect, extra=""):
    """The configuration of a game for Fairy-Stockfish."""
    rows = "/".join([str(width)] * height)
    start = f"{rows}[{stones_in_hand(width * height)}] w - - 0 1"
    return (
        f"[{name}:{parent}]\nmaxFile = {width}\nmaxRank = {height}\nimmobile = p\nstartFen = {start}\n"
        "pieceDrops = true\ndoubleStep = false\ncastling = false\nstalemateValue = draw\n"
        f"immobilityIllegal = false\nconnectN = {connect}\n{extra}\n"
    )


# For each game: its configuration for pyffish, the commands for Tengen, and its share of the positions.
GAMES = {
    "cfour": (
        definition("cfour", "chess", 7, 6, 4, "enclosingDrop = top\n"),
        ["setoption name UCI_Variant value cfour"],
        0.5,
    ),
    "tictactoe": (
        definition("tictactoe", "chess", 3, 3, 3),
        ["setoption name UCI_Variant value tictactoe"],
        0.5,
    ),
    "fiveinarow": (
        definition("fiveinarow", "chess", 10, 10, 5),
        [
            "setoption name UCI_Variant value custom",
            "setoption name BoardWidth value 10",
            "setoption name BoardHeight value 10",
            "setoption name ConnectK value 5",
            "setoption name Gravity value false",
        ],
        0.2,
    ),
}


class Difference(Exception):
    pass


class Tengen:
    def __init__(self, path, options):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([path], stdin=pipe, stdout=pipe, text=True, bufsize=1)
        for option in options:
            self.say(option)

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def show(self, moves):
        """The lines of `d` after these moves, as a dictionary of label and text."""
        self.say(f"position startpos moves {' '.join(moves)}")
        self.say("d")
        shown = {}
        while "Turn" not in shown and "Result" not in shown:
            line = self.process.stdout.readline()
            if not line:
                raise Difference("tengen has left")
            if line.startswith("info string position refused"):
                raise Difference(f"{line.strip()} after {moves}")
            label, colon, text = line.rstrip("\n").partition(": ")
            if colon:
                shown[label] = text
        return shown

    def quit(self):
        self.say("quit")
        if self.process.wait(timeout=10) != 0:
            raise Difference("tengen did not leave with status 0")


def expected(variant, moves):
    """The position according to pyffish: FEN, legal moves, and the last line of `d`."""
    start = pyffish.start_fen(variant)
    fen = pyffish.get_fen(variant, start, moves)
    legal = pyffish.legal_moves(variant, start, moves)
    turn = "first player" if fen.split()[1] == "w" else "second player"
    other = "second player" if turn == "first player" else "first player"
    # A game that is over has no legal moves. The other calls are slow, so they are made only then.
    if legal:
        return fen, sorted(legal), ("Turn", turn)
    over, value = pyffish.is_immediate_game_end(variant, start, moves)
    if not over:
        value = pyffish.game_result(variant, start, moves)
    result = "draw" if value == 0 else f"{turn if value > 0 else other} wins"
    return fen, [], ("Result", result)


def compare(variant, tengen, moves):
    fen, legal, (label, text) = expected(variant, moves)
    shown = tengen.show(moves)
    found = shown["Pocket"], sorted(shown["Moves"].split()), (label, shown.get(label))
    if found != (fen, legal, (label, text)):
        raise Difference(
            f"{variant} after {' '.join(moves)}:\n  pyffish {(fen, legal, (label, text))}\n  tengen  {found}"
        )
    return legal, text


def neighbours(move, moves):
    """The moves next to a move. They make lines, so that games end before the board is full."""
    file, rank = ord(move[2]), int(move[3:])
    return [m for m in moves if abs(ord(m[2]) - file) <= 1 and abs(int(m[3:]) - rank) <= 1]


def play_games(variant, tengen, count):
    """Plays random games and compares each position. Returns the number of positions, and a count of results."""
    positions, ends = 0, {}
    while positions < count:
        moves = []
        while positions < count:
            legal, text = compare(variant, tengen, moves)
            positions += 1
            if not legal:
                ends[text] = ends.get(text, 0) + 1
                break
            beside = neighbours(moves[-2], legal) if len(moves) > 1 and random.random() < 0.8 else []
            moves.append(random.choice(beside or legal))
    return positions, ends


def check(job):
    """Compares one game and returns a line for its result."""
    variant, chosen = job
    definition, setup, share = GAMES[variant]
    random.seed(chosen.seed)
    pyffish.load_variant_config(definition)
    began = time.perf_counter()
    tengen = Tengen(chosen.engine, setup)
    positions, ends = play_games(variant, tengen, int(share * chosen.positions))
    tengen.quit()
    if not any("wins" in end for end in ends):
        raise Difference(f"{variant}: no game was won, so the end was not tested")
    told = ", ".join(f"{text} {count}" for text, count in sorted(ends.items()))
    return f"{variant}: {positions} positions agree ({told}), {time.perf_counter() - began:.1f} s"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("engine")
    options.add_argument("--positions", type=int, default=10_000, help="of four in a row and tic-tac-toe")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    print("pyffish", ".".join(map(str, pyffish.version())))
    try:
        # A call of pyffish takes more than a millisecond, so the games run in parallel.
        with multiprocessing.Pool() as pool:
            jobs = [(variant, chosen) for variant in GAMES]
            for told in pool.imap(check, jobs, chunksize=1):
                print(told)
    except Difference as difference:
        print(difference)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
