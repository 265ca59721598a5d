"""Property tests with many cases."""

import os
import subprocess
import sys

from campaigns import ROOT

# Crates with property tests of what others send.
READERS = ("tengen-engine", "tengen-protocol", "tengen-records")


def properties(args):
    """Runs property tests with many cases: what one half of a dialect writes, the other half reads. Tests with a number of
    cases of their own keep it."""
    env = {**os.environ, "PROPTEST_CASES": str(args.cases)}
    packages = [word for name in READERS for word in ("--package", name)]
    command = ["cargo", "test", "--release", *packages, "--lib", "--", *args.tests]
    sys.exit(subprocess.run(command, cwd=ROOT, env=env, check=False).returncode)


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("properties", help="runs property tests with many cases", description=properties.__doc__)
    command.add_argument("tests", nargs="*", metavar="TEST", help="a part of a test's name; all tests if none is named")
    command.add_argument("--cases", type=int, default=1_000_000, help="the cases of each property (1000000)")
    command.set_defaults(run=properties)
