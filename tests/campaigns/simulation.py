"""Simulated runs."""

import os
import subprocess
import sys

from campaigns import ROOT


def simulation(args):
    """Runs a coordinator, its journal and faulty workers under partitions, kills and torn writes, as seeds say. A seed that fails is named
    with the command that repeats it."""
    env = {**os.environ, "TENGEN_FIRST_SEED": str(args.first), "TENGEN_SEEDS": str(args.seeds)}
    # The journals are synced.
    if os.path.isdir("/dev/shm"):
        env["TMPDIR"] = "/dev/shm"
    words = ["cargo", "test", "--package", "tengen-runs", "--lib", "--", "--ignored", "--nocapture", "campaign_simulation"]
    sys.exit(subprocess.run(words, cwd=ROOT, env=env, check=False).returncode)


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("simulation", help="simulates runs with faults", description=simulation.__doc__)
    command.add_argument("--seeds", type=int, default=10_000, help="the number of seeds (10000)")
    command.add_argument("--first", type=int, default=0, help="the first seed (0)")
    command.set_defaults(run=simulation)
