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
from typing import Any, NamedTuple

from ._board import Board
from ._pipe import ask
from ._scores import Side, other

numpy: Any = None
_spaces: Any = None
_AECEnv: Any = object
with suppress(ImportError):
    numpy = importlib.import_module("numpy")
with suppress(ImportError):
    _spaces = importlib.import_module("gymnasium.spaces")
with suppress(ImportError):
    _AECEnv = importlib.import_module("pettingzoo").AECEnv

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


class _State(NamedTuple):
    """What the rules say about a position."""

    turn: Side
    outcome: str | None
    legal: tuple[int, ...]
    #: Forbidden points of renju may be played, and lose.
    forbidden: tuple[int, ...]


class GameEnv(_AECEnv):  # type: ignore[misc]
    """A game of two agents, ``first`` and ``second``, who move by turns.

    An action is a column from the left where stones fall; else it is a point, row by row from the top
    left. Both count from 0. An observation has ``observation``, rows of points of two numbers (the stone
    of the agent, the stone of the opponent), and ``action_mask``, 1 for each legal action. A move that is
    not legal ends the game with the reward -1, as PettingZoo does. A forbidden move of renju loses by
    the rules. It is an ``AECEnv`` where PettingZoo is installed.
    """

    metadata = {"name": "tengen_v0", "render_modes": ["ansi", "svg"], "is_parallelizable": False}
    #: How many positions are remembered.
    _MEMORY = 100_000

    def __init__(self, variant: str = "cfour", render_mode: str | None = "ansi", **board: Any) -> None:
        if render_mode not in ("ansi", "svg", None):
            raise ValueError(f'render_mode {render_mode!r}: "ansi", "svg" or None is expected')
        self.render_mode = render_mode
        self.possible_agents: list[Side] = list(AGENTS)
        self._start = Board(variant, **board)
        self._width, self._height = self._start.width, self._start.height
        self._falls = self._start.gravity
        count = self._width if self._falls else self._width * self._height
        self._action_space: Any = _spaces.Discrete(count) if _spaces else Discrete(count)
        self._observation_space = self._make_observation_space(count)
        self._subject = self._start.subject()
        # Positions that were seen, by the stones of both sides.
        self._states: dict[tuple[int, int], _State] = {}
        self.reset()

    def _make_observation_space(self, count: int) -> Any:
        if _spaces is None or numpy is None:
            return None
        shape = (self._height, self._width, 2)
        return _spaces.Dict(
            {
                "observation": _spaces.Box(0, 1, shape, numpy.int8),
                "action_mask": _spaces.Box(0, 1, (count,), numpy.int8),
            }
        )

    def action_space(self, agent: Side) -> Any:
        """Returns the actions of an agent."""
        return self._action_space

    def observation_space(self, agent: Side) -> Any:
        """Returns the observations of an agent; ``None`` where Gymnasium is not installed."""
        return self._observation_space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a new game. ``seed`` is that of the samples of `GameEnv.action_space`."""
        self._moves: list[str] = list(self._subject["moves"])
        # A list of 0 and 1 for each side, over the points, row by row from the top left.
        self._stones = {side: bytearray(self._width * self._height) for side in AGENTS}
        self._masks: dict[Side, int] = dict.fromkeys(AGENTS, 0)
        for point, side in self._start.stones.items():
            self._put(self._point_of(point), side)
        self._state = self._look()
        self.agents = list(AGENTS)
        self.agent_selection: Side = self._state.turn
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

    def _point_of(self, move: str) -> int:
        return (self._height - int(move[1:])) * self._width + ord(move[0]) - ord("a")

    def _put(self, point: int, side: Side) -> None:
        self._stones[side][point] = 1
        self._masks[side] |= 1 << point

    def _look(self) -> _State:
        """Returns what the rules say about the position: as remembered, or as the engine says."""
        key = (self._masks["first"], self._masks["second"])
        state = self._states.get(key)
        if state is None:
            said = ask({"action": "position"} | self._subject | {"moves": self._moves})
            legal = sorted(map(self._action_of, said["legal"]))
            forbidden = tuple(self._action_of(it["move"]) for it in said["forbidden"])
            state = _State(said["turn"], said["outcome"], tuple(legal), forbidden)
            if len(self._states) >= self._MEMORY:
                self._states.clear()
            self._states[key] = state
        return state

    def _action_of(self, move: str) -> int:
        point = self._point_of(move)
        return point % self._width if self._falls else point

    @property
    def board(self) -> Board:
        """The position."""
        fields = self._subject
        return Board(
            fields["variant"], self._moves, fen=fields.get("fen"), **fields.get("board", {})
        )

    def legal_actions(self) -> list[int]:
        """Returns the legal actions of the agent that is to move, in order."""
        return list(self._state.legal)

    def observe(self, agent: Side) -> dict[str, Any]:
        """Returns what an agent sees. Only the agent that is to move has legal actions."""
        own, others = self._stones[agent], self._stones[other(agent)]
        has_turn = agent == self.agent_selection and not self.terminations.get(agent, True)
        legal = self._state.legal if has_turn else ()
        if numpy is None:
            mask = [0] * self._action_space.n
            for action in legal:
                mask[action] = 1
            pairs = [list(pair) for pair in zip(own, others)]
            rows = [pairs[at : at + self._width] for at in range(0, len(pairs), self._width)]
            return {"observation": rows, "action_mask": mask}
        shape = (self._height, self._width)
        planes = [numpy.frombuffer(it, numpy.int8).reshape(shape) for it in (own, others)]
        action_mask = numpy.zeros(self._action_space.n, numpy.int8)
        action_mask[list(legal)] = 1
        return {"observation": numpy.stack(planes, axis=-1), "action_mask": action_mask}

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
        if not self.agents:
            raise ValueError("the game is over for both agents: reset begins a new one")
        agent = self.agent_selection
        if self.terminations[agent]:
            return self._leave(agent, action)
        self._cumulative_rewards[agent] = 0.0
        if action is None:
            raise ValueError("action None: the game is not over")
        if action not in self._state.legal and action not in self._state.forbidden:
            return self._finish({agent: -1.0})
        self._play(int(action), agent)
        outcome = self._state.outcome
        if outcome is None:
            self.agent_selection = self._state.turn
            self.rewards = dict.fromkeys(AGENTS, 0.0)
        elif outcome == "draw":
            self._finish({})
        else:
            winner: Side = "first" if outcome == "first" else "second"
            self._finish({winner: 1.0, other(winner): -1.0})

    def _play(self, action: int, side: Side) -> None:
        point = action
        if self._falls:
            # The lowest empty point of the column.
            point += (self._height - 1) * self._width
            while self._stones["first"][point] or self._stones["second"][point]:
                point -= self._width
        self._put(point, side)
        row, column = divmod(point, self._width)
        self._moves.append(f"{chr(ord('a') + column)}{self._height - row}")
        self._state = self._look()

    def _leave(self, agent: Side, action: int | None) -> None:
        """Takes the last action of an agent whose game is over."""
        if action is not None:
            raise ValueError("the game is over: the only action is None")
        self.agents.remove(agent)
        for values in (self.rewards, self._cumulative_rewards, self.terminations, self.truncations):
            del values[agent]
        del self.infos[agent]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.agents:
            self.agent_selection = self.agents[0]

    def _finish(self, rewards: dict[Side, float]) -> None:
        for agent in AGENTS:
            self.rewards[agent] = rewards.get(agent, 0.0)
            self._cumulative_rewards[agent] += self.rewards[agent]
            self.terminations[agent] = True
        self.agent_selection = other(self.agent_selection)

    def agent_iter(self, max_iter: int = 1 << 30) -> Iterator[Side]:
        """Gives the agent to move until all agents are done."""
        for _ in range(max_iter):
            if not self.agents:
                return
            yield self.agent_selection

    def render(self) -> str | None:
        """Returns the board as text or SVG."""
        if self.render_mode is None:
            return None
        return self.board.svg() if self.render_mode == "svg" else self.board.text()

    def close(self) -> None:
        """Does nothing: the process of the boards is shared."""
