"""Plays random games in Tengen's environment and in OpenSpiel, and compares every turn.

    python compare_open_spiel.py [GAMES]

Compares the legal actions, the end and the rewards of GAMES games (10,000) of connect_four and of
tic_tac_toe each. Needs ``pip install open_spiel``. Exits with 1 at the first difference.
"""

from __future__ import annotations

import random
import sys
import time

import pyspiel  # type: ignore[import-not-found]

from tengen_engine.gym import GameEnv


def play(env: GameEnv, game: object, moves: random.Random) -> int:
    """Plays a game in both. Returns the number of turns."""
    env.reset()
    state = game.new_initial_state()  # type: ignore[attr-defined]
    turns = 0
    while not state.is_terminal():
        legal = env.legal_actions()
        if any(env.terminations.values()) or legal != state.legal_actions():
            raise SystemExit(f"{env.board!r}: {legal}, not {state.legal_actions()}\n{state}")
        action = moves.choice(legal)
        env.step(action)
        state.apply_action(action)
        turns += 1
    rewards = [env.rewards["first"], env.rewards["second"]]
    if not all(env.terminations.values()) or rewards != state.returns():
        raise SystemExit(f"{env.board!r}: {rewards}, not {state.returns()}\n{state}")
    return turns


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for variant, name in (("cfour", "connect_four"), ("tictactoe", "tic_tac_toe")):
        env, game, moves = GameEnv(variant), pyspiel.load_game(name), random.Random(1)
        begin = time.monotonic()
        turns = sum(play(env, game, moves) for _ in range(games))
        print(f"{name}: {games} games, {turns} turns, equal; {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
