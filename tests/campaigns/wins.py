"""Published wins."""

import pathlib
import re
import sys

from campaigns import ROOT
from campaigns.uci import Uci

# What `wins` searches: a file of published positions, the variant, and how many positions, spread evenly.
SETS = [("freestyle_vcf.tsv", "gomokufreestyle", 600), ("renju_vcf.tsv", "renju", 700), ("renju_win_puzzles.tsv", "renju", 700)]


def published_wins():
    """Yields the variant, the stones and the moves of the shortest known win of each position."""
    folder = ROOT.parent / "shared" / "data" / "gomoku"
    for name, variant, count in SETS:
        path = folder / name
        if not path.exists():
            sys.exit(f"{path} is absent: the positions are not part of Tengen")
        head, *rows = (line.split("\t") for line in path.read_text().splitlines())
        rows = [dict(zip(head, row)) for row in rows]
        known = [(row, moves_to_win(row)) for row in rows]
        known = [(row, moves) for row, moves in known if moves]
        for place in range(count):
            row, moves = known[place * len(known) // count]
            yield variant, row, moves


def moves_to_win(row):
    """Returns the moves of the winner in the shortest known win; `None` if it is not known."""
    if "min_attacker_moves" in row:
        # The file counts the fours; a move that makes five follows.
        fours = row["min_attacker_moves"]
        return int(fours) + 1 if fours.isdigit() else None
    plies = re.fullmatch(r"\+M(\d+)", row["rapfi_eval(+Mn = forced win in n plies)"])
    return (int(plies[1]) + 1) // 2 if plies else None


def stones(text):
    """Returns the points of a list such as `J12,F10`: column and row from 0."""
    return [(ord(point[0].lower()) - ord("a"), int(point[1:]) - 1) for point in text.split(",") if point]


def fen(row):
    """Returns the FEN of a position."""
    board = [["" for _ in range(15)] for _ in range(15)]
    for side, piece in (("black", "P"), ("white", "p")):
        for column, line in stones(row[side]):
            board[line][column] = piece
    lines = []
    for cells in reversed(board):
        text = "".join(cell or "." for cell in cells)
        lines.append(re.sub(r"\.+", lambda run: str(len(run[0])), text))
    # Black moves first; in a FEN the first player is White.
    return f"{'/'.join(lines)} {'w' if row['side'] == 'b' else 'b'}"


def is_five(board, point):
    """Returns whether a stone is part of a row of at least five."""
    column, line = point
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        count = 1
        for way in (1, -1):
            step = way
            while board.get((column + step * right, line + step * up)) == board[point]:
                count, step = count + 1, step + way
        if count >= 5:
            return True
    return False


def wins_by(row, line):
    """Returns whether the side to move completes a row with the last move of a line, and nobody before."""
    board = {point: side for side in ("black", "white") for point in stones(row[side])}
    sides = ["black", "white"] if row["side"] == "b" else ["white", "black"]
    for number, point in enumerate(stones(",".join(line))):
        if point in board:
            return False
        board[point] = sides[number % 2]
        if is_five(board, point):
            return number == len(line) - 1 and number % 2 == 0
    return False


def wins(args):
    """Searches 2,000 published wins and compares with the shortest known ones: a row of a table for each number of nodes."""
    engine = Uci(args.program)
    print("| nodes | positions | found | as short or shorter | longer | wrong | line to the end |\n|---|---|---|---|---|---|---|")
    for nodes in args.nodes:
        count = dict.fromkeys(("all", "found", "short", "longer", "wrong", "whole"), 0)
        for variant, row, known in published_wins():
            lines = engine.search(variant, f"fen {fen(row)}", f"nodes {nodes}", args.hash)
            scores = [re.search(r"score mate (-?\d+).* pv (.*)", line) for line in lines if " multipv " not in line or " multipv 1 " in line]
            last = next((score for score in reversed(scores) if score), None)
            is_last = last and f"score mate {last[1]} " in [line for line in lines if " score " in line][-1] + " "
            count["all"] += 1
            if not is_last:
                continue
            moves, line = int(last[1]), last[2].replace("P@", "").split()
            is_whole = len(line) == 2 * moves - 1 and wins_by(row, line)
            count["found"] += moves > 0
            count["wrong"] += moves < 0 or (len(line) >= 2 * moves - 1 and not is_whole)
            count["short"] += 0 < moves <= known
            count["longer"] += moves > known
            count["whole"] += is_whole
        print("|", " | ".join(f"{number:,}" for number in (nodes, *count.values())), "|", flush=True)
    engine.close()


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("wins", help="searches published wins", description=wins.__doc__)
    command.add_argument("program", type=pathlib.Path, metavar="PROGRAM")
    command.add_argument("--nodes", type=int, nargs="+", default=[100_000, 1_000_000], help="the nodes of a search (100000 1000000)")
    command.add_argument("--hash", type=int, default=64, help="the size of the table in MiB (64)")
    command.set_defaults(run=wins)
