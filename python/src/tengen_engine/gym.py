"""Games with the conventions of PettingZoo's AEC interface, for learning programs.

Neither PettingZoo nor Gymnasium nor NumPy is needed: where they are installed, spaces are those of
Gymnasium and observations are arrays of NumPy.

    env = GameEnv("tictactoe")
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        action = None if terminated else env.action_space(agent).sample(observation["action_mask"])
        env.step(action)
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from ._board import Board
from ._values import Side

numpy: Any = None
_spaces: Any = None
with suppress(ImportError):
    numpy = importlib.import_module("numpy")
with suppress(ImportError):
    _spaces = importlib.import_module("gymnasium.spaces")

AGENTS: tuple[Side, Side] = ("first", "second")


class Discrete:
    """The actions 0 to ``n`` - 1, where Gymnasium is not installed."""

    def __init__(self, n: int, seed: int | None = None) -> None:
        self.n = n
        self._random = random.Random(seed)

    def sample(self, mask: Sequence[int] | None = None) -> int:
        """Returns a random action, of those whose entry in ``mask`` is 1."""
        allowed = range(self.n) if mask is None else [it for it in range(self.n) if mask[it]]
        return self._random.choice(list(allowed))

    def contains(self, action: int) -> bool:
        """Returns whether ``action`` is an action."""
        return 0 <= action < self.n

    def __contains__(self, action: int) -> bool:
        return self.contains(action)


class GameEnv:
    """A game of two agents, ``first`` and ``second``, who move by turns.

    An action is a column from the left where stones fall; else it is a point, row by row from the top
    left. Both count from 0. An observation has ``observation``, rows of points of two numbers (the stone
    of the agent, the stone of the opponent), and ``action_mask``, 1 for each legal action. A move that is
    not legal ends the game with the reward -1, as PettingZoo does. A forbidden move of renju loses by
    the rules.
    """

    metadata = {"name": "tengen_v0", "render_modes": ["ansi", "svg"], "is_parallelizable": False}

    def __init__(self, variant: str = "cfour", render_mode: str = "ansi", **board: Any) -> None:
        if render_mode not in ("ansi", "svg"):
            raise ValueError(f'render_mode {render_mode!r}: "ansi" or "svg" is expected')
        self.render_mode = render_mode
        self.possible_agents: list[Side] = list(AGENTS)
        self._start = Board(variant, **board)
        width, height = self._start.width, self._start.height
        count = width if self._start.gravity else width * height
        self._action_space: Any = _spaces.Discrete(count) if _spaces else Discrete(count)
        self._actions = {move: self._action_of(move) for move in self._all_moves()}
        self.reset()

    def _all_moves(self) -> Iterator[str]:
        for row in range(1, self._start.height + 1):
            for column in range(self._start.width):
                yield f"{chr(ord('a') + column)}{row}"

    def _action_of(self, move: str) -> int:
        column, row = ord(move[0]) - ord("a"), int(move[1:])
        if self._start.gravity:
            return column
        return (self._start.height - row) * self._start.width + column

    def action_space(self, agent: Side) -> Any:
        """Returns the actions of an agent."""
        return self._action_space

    def observation_space(self, agent: Side) -> Any:
        """Returns the observations of an agent; ``None`` where Gymnasium is not installed."""
        if _spaces is None or numpy is None:
            return None
        shape = (self._start.height, self._start.width, 2)
        return _spaces.Dict(
            {
                "observation": _spaces.Box(0, 1, shape, numpy.int8),
                "action_mask": _spaces.Box(0, 1, (self._action_space.n,), numpy.int8),
            }
        )

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a new game. ``seed`` is that of `action_space`'s samples."""
        self.board = self._start.copy()
        self.agents = list(AGENTS)
        self.agent_selection: Side = self.board.turn
        self.rewards: dict[Side, float] = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards: dict[Side, float] = dict.fromkeys(AGENTS, 0.0)
        self.terminations: dict[Side, bool] = dict.fromkeys(AGENTS, False)
        self.truncations: dict[Side, bool] = dict.fromkeys(AGENTS, False)
        self.infos: dict[Side, dict[str, Any]] = {agent: {} for agent in AGENTS}
        if seed is not None:
            if _spaces:
                self._action_space.seed(seed)
            else:
                self._action_space = Discrete(self._action_space.n, seed)

    def legal_actions(self) -> list[int]:
        """Returns the legal actions of the agent that is to move, in order."""
        return sorted(self._actions[move] for move in self.board.legal_moves)

    def observe(self, agent: Side) -> dict[str, Any]:
        """Returns what an agent sees. Only the agent that is to move has legal actions."""
        mask = [0] * self._action_space.n
        if agent == self.agent_selection and not self.terminations[agent]:
            for action in self.legal_actions():
                mask[action] = 1
        stones = self.board.stones
        rows = [
            [
                [int(owner == agent), int(owner is not None and owner != agent)]
                for column in range(self.board.width)
                for owner in [stones.get(f"{chr(ord('a') + column)}{row}")]
            ]
            for row in range(self.board.height, 0, -1)
        ]
        if numpy is None:
            return {"observation": rows, "action_mask": mask}
        return {
            "observation": numpy.array(rows, dtype=numpy.int8),
            "action_mask": numpy.array(mask, dtype=numpy.int8),
        }

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]:
        """Returns observation, reward, termination, truncation and info of the agent to move."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def step(self, action: int | None) -> None:
        """Plays an action of the agent to move; ``None`` once its game is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            if action is not None:
                raise ValueError("the game is over: the only action is None")
            self.agents.remove(agent)
            self.rewards = dict.fromkeys(AGENTS, 0.0)
            if self.agents:
                self.agent_selection = self.agents[0]
            return
        self._cumulative_rewards[agent] = 0.0
        move = self._move_of(action)
        if move is None:
            self._finish({agent: -1.0})
            return
        self.board.push(move)
        outcome = self.board.outcome
        if outcome in AGENTS:
            winner: Side = "first" if outcome == "first" else "second"
            loser: Side = "second" if winner == "first" else "first"
            self._finish({winner: 1.0, loser: -1.0})
        elif outcome == "draw":
            self._finish({})
        else:
            self.agent_selection = self.board.turn
            self.rewards = dict.fromkeys(AGENTS, 0.0)

    def _move_of(self, action: int | None) -> str | None:
        for move in self.board.legal_moves:
            if self._actions[move] == action:
                return move
        # Forbidden points of renju may be played, and lose.
        points = (move for move in self.board.forbidden() if self._actions[move] == action)
        return next(points, None)

    def _finish(self, rewards: dict[Side, float]) -> None:
        for agent in AGENTS:
            self.rewards[agent] = rewards.get(agent, 0.0)
            self._cumulative_rewards[agent] += self.rewards[agent]
            self.terminations[agent] = True
        self.agent_selection = "second" if self.agent_selection == "first" else "first"

    def agent_iter(self, max_iter: int = 1 << 30) -> Iterator[Side]:
        """Gives the agent to move until all agents are done."""
        for _ in range(max_iter):
            if not self.agents:
                return
            yield self.agent_selection

    def render(self) -> str:
        """Returns the board as text or SVG."""
        return self.board.svg() if self.render_mode == "svg" else self.board.text()

    def close(self) -> None:
        """Does nothing: the process of the boards is shared."""
