"""Models of threads, in all interleavings."""

import os
import pathlib
import subprocess
import sys

from campaigns import ROOT


def interleavings(args):
    """Runs the models of loom: small programs of two or three threads over the code of the engine, in all interleavings."""
    env = {**os.environ, "CARGO_TARGET_DIR": str(args.state.resolve()), "RUSTFLAGS": "--cfg loom"}
    words = ["cargo", "test", "--release", "--package", "tengen-engine", "--no-default-features", "--lib", "--", "model::", "--nocapture", "--test-threads=1"]
    sys.exit(subprocess.run(words, cwd=ROOT, env=env, check=False).returncode)


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("interleavings", help="runs models of threads in all interleavings", description=interleavings.__doc__)
    command.add_argument("--state", type=pathlib.Path, default=ROOT / "target" / "loom", help="the folder of the build (target/loom)")
    command.set_defaults(run=interleavings)
