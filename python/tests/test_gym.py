"""The games as environments."""

from __future__ import annotations

import copy as copying
import pickle

import pytest

import tengen_engine as tengen
from tengen_engine.gym import GameEnv


@pytest.mark.parametrize("variant", ["tictactoe", "cfour"])
def test_random_games_end_with_opposite_rewards(variant: str) -> None:
    env = GameEnv(variant)
    for seed in range(20):
        env.reset(seed=seed)
        rewards = {}
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            assert observation is not None and not truncated
            rewards[agent] = reward
            mask = observation["action_mask"]
            env.step(None if terminated else int(env.action_space(agent).sample(mask)))
        assert sum(rewards.values()) == 0 and env.board.is_over and env.agents == []
        assert (abs(rewards["first"]) == 1) == (env.board.outcome != "draw")


def test_observations_are_for_the_agent() -> None:
    env = GameEnv("tictactoe")
    env.step(0)
    assert env.board.moves == ["a3"] and env.agent_selection == "second"
    seen = env.observe("second")
    assert list(seen["observation"][0][0]) == [0, 1]
    assert list(env.observe("first")["observation"][0][0]) == [1, 0]
    assert list(seen["action_mask"]) == [0, 1, 1, 1, 1, 1, 1, 1, 1]
    assert "svg" in GameEnv("tictactoe", "svg").render() and env.render()


def test_an_illegal_action_loses() -> None:
    env = GameEnv("tictactoe")
    env.step(4)
    env.step(4)
    assert env.rewards == {"first": 0.0, "second": -1.0} and all(env.terminations.values())
    with pytest.raises(ValueError, match="over"):
        env.step(1)
    with pytest.raises(ValueError, match="render_mode"):
        GameEnv(render_mode="human")


@pytest.mark.parametrize("variant", ["tictactoe", "cfour"])
def test_the_official_test_of_environments_passes(variant: str) -> None:
    test = pytest.importorskip("pettingzoo.test")
    test.api_test(GameEnv(variant), num_cycles=200)
    env = GameEnv(variant)
    assert env.action_space("first") is env.action_space("first")
    assert env.observation_space("first") is env.observation_space("first")


def test_states_are_those_of_the_engine() -> None:
    for variant in ("cfour", "gomoku", "renju"):
        env = GameEnv(variant)
        for seed in range(2):
            env.reset(seed=seed)
            while not any(env.terminations.values()):
                board = env.board
                points = [env._action_of(move) for move in board.legal_moves]
                assert env.legal_actions() == sorted(points) and board.turn == env.agent_selection
                seen = env.observe(env.agent_selection)["observation"]
                stones = sum(int(cell) for row in seen for pair in row for cell in pair)
                assert stones == board.ply
                mask = env.observe(env.agent_selection)["action_mask"]
                env.step(int(env.action_space("first").sample(mask)))
            assert env.board.is_over


def test_environments_are_copied() -> None:
    env = GameEnv("tictactoe")
    env.step(0)
    copy = copying.deepcopy(env)
    copy.step(1)
    assert env.board.ply == 1 and copy.board.ply == 2
    assert pickle.loads(pickle.dumps(env)).legal_actions() == env.legal_actions()


def test_an_engine_that_was_killed_is_started_again() -> None:
    from tengen_engine import _pipe

    env = GameEnv("tictactoe")
    assert _pipe._pipe is not None
    _pipe._pipe._popen.kill()
    with pytest.raises(tengen.EngineTerminatedError):
        env.step(0)
    env.reset()
    env.step(0)
    assert env.board.ply == 1
