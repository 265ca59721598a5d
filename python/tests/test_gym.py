"""The games as environments."""

from __future__ import annotations

import pytest

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
