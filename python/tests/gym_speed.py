"""Steps a second of random games: the environments of Tengen and of PettingZoo, for four in a row.

Usage: python python/tests/gym_speed.py [SECONDS]. Needs `pip install pettingzoo numpy pygame gymnasium`.
"""

from __future__ import annotations

import random
import sys
import time
from typing import Any

from pettingzoo.classic import connect_four_v3  # type: ignore[import-not-found, unused-ignore]

from tengen_engine.gym import GameEnv


def steps_a_second(env: Any, seed: int, seconds: float) -> float:
    """Returns how many moves of random games were played in a second, each with its observation."""
    choice = random.Random(seed).choice
    steps, start = 0, time.perf_counter()
    while time.perf_counter() < start + seconds:
        env.reset(seed=seed)
        for _ in env.agent_iter():
            observation, _, ended, stopped, _ = env.last()
            if ended or stopped:
                env.step(None)
                continue
            env.step(choice([at for at, legal in enumerate(observation["action_mask"]) if legal]))
            steps += 1
    return steps / (time.perf_counter() - start)


if __name__ == "__main__":
    each = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    for seed in range(3):
        own = steps_a_second(GameEnv("cfour"), seed, each)
        others = steps_a_second(connect_four_v3.env(), seed, each)
        print(f"{own:.0f} steps a second, PettingZoo {others:.0f}, ratio {others / own:.2f}")
