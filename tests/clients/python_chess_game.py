"""Drives Tengen with the engine module of python-chess, a UCI client of other authors.

    python python_chess_game.py PATH_TO_TENGEN [--seconds 5] [--increment 0.05] [--games 1] [--seed 1]

Plays whole games of four in a row, Tengen against itself. This script keeps the clock, and the second player ponders. An independent
referee checks moves and results. Then it analyses positions with several lines. Prints the results; exits with 1 at the first
illegal move, time loss or wrong mate. Needs the package `chess` from PyPI.
"""

import argparse
import random
import sys
import time

import chess
import chess.engine

FILES, RANKS, CONNECT = 7, 6, 4
DIRECTIONS = [(1, 0), (0, 1), (1, 1), (1, -1)]


class FourInARow(chess.Board):
    """Four in a row like `cfour` of Cute Chess: stones are pawns, and moves are drops such as P@d1."""

    aliases = ["Four in a row", "Connect four", "cfour"]
    uci_variant = "cfour"
    starting_fen = "7/7/7/7/7/7[" + "P" * 21 + "p" * 21 + "] w - - 0 1"

    def __init__(self, fen=None, **_):
        if fen not in (None, self.starting_fen):
            raise ValueError("only the starting position is set up from text")
        super().__init__(None)
        self.turn = chess.WHITE

    def reset(self):
        self.clear()

    def fen(self, **_):
        rows = []
        for rank in reversed(range(RANKS)):
            row, empty = "", 0
            for file in range(FILES):
                piece = self.piece_at(chess.square(file, rank))
                if piece is None:
                    empty += 1
                    continue
                row += (str(empty) if empty else "") + piece.symbol()
                empty = 0
            rows.append(row + (str(empty) if empty else ""))
        left = [21 - chess.popcount(self.occupied_co[color]) for color in (chess.WHITE, chess.BLACK)]
        pocket = "P" * left[0] + "p" * left[1]
        turn = "w" if self.turn == chess.WHITE else "b"
        return f"{'/'.join(rows)}[{pocket}] {turn} - - 0 {self.fullmove_number}"

    def winner(self):
        for square in chess.SquareSet(self.occupied):
            color = self.color_at(square)
            for across, up in DIRECTIONS:
                if all(self.owner(square, across * n, up * n) == color for n in range(CONNECT)):
                    return color
        return None

    def owner(self, square, across, up):
        file, rank = chess.square_file(square) + across, chess.square_rank(square) + up
        if 0 <= file < FILES and 0 <= rank < RANKS:
            return self.color_at(chess.square(file, rank))
        return None

    def generate_legal_moves(self, from_mask=chess.BB_ALL, to_mask=chess.BB_ALL):
        if self.winner() is not None:
            return
        for file in range(FILES):
            free = (chess.square(file, rank) for rank in range(RANKS))
            lowest = next((square for square in free if self.color_at(square) is None), None)
            if lowest is not None and chess.BB_SQUARES[lowest] & to_mask:
                yield chess.Move(lowest, lowest, drop=chess.PAWN)

    generate_pseudo_legal_moves = generate_legal_moves

    def is_legal(self, move):
        return move in self.generate_legal_moves()

    is_pseudo_legal = is_legal

    def is_game_over(self, **_):
        return not any(self.generate_legal_moves())

    def san(self, move):
        return move.uci()

    def status(self):
        return chess.STATUS_VALID


class Clock:
    def __init__(self, seconds, increment):
        self.left = {chess.WHITE: seconds, chess.BLACK: seconds}
        self.increment = increment

    def limit(self):
        return chess.engine.Limit(
            white_clock=self.left[chess.WHITE],
            black_clock=self.left[chess.BLACK],
            white_inc=self.increment,
            black_inc=self.increment,
        )

    def charge(self, color, spent):
        self.left[color] -= spent
        if self.left[color] < 0:
            raise SystemExit(f"time loss: {self.left[color] * 1000:.1f} ms")
        self.left[color] += self.increment


def play(engines, opening, seconds, increment):
    board, clock = FourInARow(), Clock(seconds, increment)
    for _ in range(opening):
        board.push(random.choice(list(board.generate_legal_moves())))
    game = object()
    while not board.is_game_over():
        color, began = board.turn, time.perf_counter()
        result = engines[color].play(board, clock.limit(), game=game, ponder=color == chess.BLACK)
        clock.charge(color, time.perf_counter() - began)
        if result.move is None or not board.is_legal(result.move):
            raise SystemExit(f"illegal move {result.move} in {board.fen()}")
        board.push(result.move)
    winner = board.winner()
    verdict = "1/2-1/2" if winner is None else "1-0" if winner == chess.WHITE else "0-1"
    moves = " ".join(move.uci() for move in board.move_stack)
    left = ", ".join(f"{clock.left[color]:.2f} s" for color in (chess.WHITE, chess.BLACK))
    print(f"{verdict} after {len(board.move_stack)} plies, {left} left: {moves}")


def check_line(board, line):
    copy = board.copy()
    for move in line:
        if not copy.is_legal(move):
            raise SystemExit(f"illegal line {line} in {board.fen()}")
        copy.push(move)
    return copy


def analyse(engine, moves, depth, lines):
    board = FourInARow()
    for move in moves.split():
        board.push_uci(move)
    found = engine.analyse(board, chess.engine.Limit(depth=depth), multipv=lines)
    expected = min(lines, len(list(board.generate_legal_moves())))
    first = {info["pv"][0] for info in found}
    if len(found) != expected or len(first) != expected:
        raise SystemExit(f"{expected} lines expected, found {found}")
    scores = [info["score"].relative for info in found]
    if scores != sorted(scores, reverse=True):
        raise SystemExit(f"lines out of order: {scores}")
    print(f"analysis after \"{moves}\", depth {depth}:")
    for info in found:
        end = check_line(board, info["pv"])
        mate = info["score"].relative.mate()
        if mate is not None and mate > 0 and end.winner() != board.turn:
            raise SystemExit(f"a mate that does not win: {info}")
        print(f"  {info['score'].relative}: {' '.join(move.uci() for move in info['pv'])}")


def stop_an_endless_analysis(engine):
    with engine.analysis(FourInARow(), chess.engine.Limit()) as analysis:
        next(info for info in analysis if "pv" in info)
        analysis.stop()
        best = analysis.wait()
    if best.move is None or not FourInARow().is_legal(best.move):
        raise SystemExit(f"stopped analysis: no legal move but {best.move}")
    print(f"endless analysis, stopped: {best.move}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("engine")
    options.add_argument("--seconds", type=float, default=5.0)
    options.add_argument("--increment", type=float, default=0.05)
    options.add_argument("--games", type=int, default=1)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    random.seed(chosen.seed)
    with (
        chess.engine.SimpleEngine.popen_uci(chosen.engine) as first,
        chess.engine.SimpleEngine.popen_uci(chosen.engine) as second,
    ):
        print(f"{first.id['name']} by {first.id['author']}, python-chess {chess.__version__}")
        for game in range(chosen.games):
            # The first game is played from the empty board.
            play({chess.WHITE: first, chess.BLACK: second}, game % 5, chosen.seconds, chosen.increment)
        analyse(first, "", 8, 3)
        analyse(first, "P@d1 P@d2 P@e1", 10, 10)
        analyse(first, "P@d1 P@e1 P@d2 P@e2 P@d3 P@e3", 6, 2)
        stop_an_endless_analysis(first)
    return 0


if __name__ == "__main__":
    sys.exit(main())
