"""Drives Tengen with pygomo-lib, a Gomocup client of other authors.

    python pygomo_game.py PATH_TO_TENGEN [--turn 100] [--games 2] [--size 15]

Plays whole games, Tengen against itself, in freestyle and standard gomoku, with an independent referee. Then it sets up positions,
ranks moves, takes a move back and stops a search. The client must understand every message. Every line of play must be on empty cells
and begin with the move played. Every turn must end in time. Prints the games; exits with 1 at the first error. Needs the package
`pygomo-lib` from PyPI.
"""

import argparse
import sys
import time
from importlib.metadata import version

from pygomo import EngineClient
from pygomo.protocol.models import BoardPosition, Move

DIRECTIONS = [(1, 0), (0, 1), (1, 1), (1, -1)]
NAMES = {0: "freestyle", 1: "standard"}
# Seconds that a busy machine may add to a turn.
GRACE = 2.0


class Referee:
    def __init__(self, size, rule):
        self.size, self.rule, self.stones = size, rule, {}

    def play(self, move, player):
        cell = move.to_tuple()
        if not all(0 <= at < self.size for at in cell) or cell in self.stones:
            raise SystemExit(f"illegal move {cell} after {list(self.stones)}")
        self.stones[cell] = player
        return any(self.wins(self.run(cell, player, direction)) for direction in DIRECTIONS)

    def wins(self, length):
        return length == 5 or (length > 5 and self.rule == 0)

    def run(self, cell, player, direction):
        length = 1
        for sign in (1, -1):
            x, y = cell
            while True:
                x, y = x + sign * direction[0], y + sign * direction[1]
                if self.stones.get((x, y)) != player:
                    break
                length += 1
        return length

    def is_full(self):
        return len(self.stones) == self.size**2


def check_search(referee, result, player):
    """Checks the messages of a search. Returns whether the last one claims that the move wins immediately."""
    if not result.all_info:
        raise SystemExit("a search without a message")
    for info in result.all_info:
        # On a busy machine a turn can end before depth 1.
        if not info.pv or (info.depth == 0 and len(result.all_info) > 1):
            raise SystemExit(f"a message that says nothing: {info}")
        cells = [move.to_tuple() for move in info.pv]
        if len(set(cells)) != len(cells) or any(cell in referee.stones for cell in cells):
            raise SystemExit(f"an illegal line: {info}")
    last = result.search_info
    if last.pv[0] != result.move:
        raise SystemExit(f"{result.move} was played, but the last line is {last}")
    score = last.eval.score()
    return last.eval.is_mate() and last.eval.is_winning() and score.steps() == 1


def timed(turn, think):
    """Calls `think` and returns its result, which must come within `turn` milliseconds and the grace."""
    began = time.perf_counter()
    result = think()
    spent = time.perf_counter() - began
    if result is None:
        raise SystemExit("no move")
    if spent > turn / 1000 + GRACE:
        raise SystemExit(f"{spent:.2f} s for a turn of {turn} ms")
    return result


def play(engines, referee, turn):
    for engine in engines:
        engine.configure(timeout_turn=turn, timeout_match=600_000, time_left=600_000, max_memory=83_886_080)
        engine.set_rule(referee.rule)
        if not engine.start(referee.size):
            raise SystemExit("START was not answered by OK")
    player, last, moves, deepest = 0, None, [], 0
    while True:
        engine = engines[player]
        think = engine.begin if last is None else lambda: engine.turn(last)
        result = timed(turn, think)
        claims = check_search(referee, result, player)
        deepest = max(deepest, result.search_info.depth)
        won = referee.play(result.move, player)
        if claims and not won:
            raise SystemExit(f"{result.move} was said to win")
        moves.append(result.move.to_numeric())
        if won or referee.is_full():
            if deepest == 0:
                raise SystemExit("a game without a search")
            winner = ["first", "second"][player] if won else "nobody"
            print(f"{NAMES[referee.rule]} {referee.size}: {winner} wins after {len(moves)}: {' '.join(moves)}")
            return
        last, player = result.move, 1 - player


def analyse(engine, size, turn):
    engine.set_rule(0)
    engine.configure(timeout_turn=turn)
    engine.start(size)
    position = BoardPosition()
    for index in range(4):
        position.add_move(Move((3 + index, 3)), BoardPosition.SELF)
        position.add_move(Move((0, 2 * index)), BoardPosition.OPPONENT)
    result = timed(turn, lambda: engine.board(position))
    if result.move.to_tuple() not in [(2, 3), (7, 3)] or result.eval.raw_value != "+M1":
        raise SystemExit(f"a five was missed: {result}")
    if not engine.takeback(result.move):
        raise SystemExit("TAKEBACK was not answered by OK")
    if engine.takeback(Move((14, 14)), timeout=1):
        raise SystemExit("a stone that is not there was taken back")
    engine.restart()
    engine.board(BoardPosition(), start_thinking=False)
    result = timed(turn, lambda: engine.nbest(3))
    ranks = {info.multipv for info in result.all_info}
    if ranks != {1, 2, 3}:
        raise SystemExit(f"three lines expected, found {ranks}")
    engine.restart()
    engine.configure(timeout_turn=600_000)
    engine.send_raw("BEGIN")
    engine.stop()
    if not engine.router.get("coord", timeout=10):
        raise SystemExit("a stop without a move")
    print("positions, ranked moves, a stone taken back and a stop: as expected")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("engine")
    options.add_argument("--turn", type=int, default=100, help="milliseconds")
    options.add_argument("--games", type=int, default=2)
    options.add_argument("--size", type=int, default=15)
    chosen = options.parse_args()
    with EngineClient(chosen.engine) as first, EngineClient(chosen.engine) as second:
        print(f"{first.about()} through pygomo-lib {version('pygomo-lib')}")
        second.about()
        for game in range(chosen.games):
            play([first, second], Referee(chosen.size, game % 2), chosen.turn)
        analyse(first, chosen.size, chosen.turn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
