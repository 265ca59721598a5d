"""The tests and searches under the address sanitizer, which finds leaks, too."""

import os
import pathlib
import re
import subprocess
import sys

from campaigns import ROOT
from campaigns.determinism import SEARCHES
from campaigns.uci import Uci

HOST = "x86_64-unknown-linux-gnu"
# Reports begin so.
REPORT = re.compile(r"ERROR: AddressSanitizer|ERROR: LeakSanitizer")
# Leaks of tests that are known and no fault.
LEAKS = ROOT / "tests" / "campaigns" / "leaks.txt"
# The crates whose tests run.
PACKAGES = ["tengen-engine", "tengen-games", "tengen-protocol", "tengen-records", "tengen-runs", "tengen-proofs", "tengen-prover", "tengen-tasks",
            "tengen-arena", "tengen-shelf", "tengen-terminal", "tengen-textbook", "tengen-web", "tengen"]


def sanitizers(args):
    """Runs the tests of each crate, and searches with four threads, under the address sanitizer, which finds leaks, too. The standard
    library and code in C are not instrumented."""
    state = args.state.resolve()
    state.mkdir(parents=True, exist_ok=True)
    env = {
        **os.environ,
        "CARGO_TARGET_DIR": str(state / "build"),
        "CARGO_INCREMENTAL": "0",
        "RUSTC_BOOTSTRAP": "1",
        "RUSTFLAGS": "-Zsanitizer=address",
        # A test asks for more memory than any machine has.
        "ASAN_OPTIONS": "allocator_may_return_null=1",
        "LSAN_OPTIONS": f"suppressions={LEAKS}:print_suppressions=0",
    }
    failed = []
    for package in args.packages or PACKAGES:
        words = ["cargo", "test", "--target", HOST, "--package", package, "--no-fail-fast", "--lib", "--bins", "--tests"]
        done = subprocess.run(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        failed += judged(state, package, done.stdout, done.returncode)
    if not args.packages:
        failed += judged(state, "search", *search(state / "build" / HOST / "debug" / "tengen", env, state / "errors.log"))
    if failed:
        sys.exit(f"not clean: {', '.join(failed)}; the output is in {state}")


def search(program, env, log):
    """Searches a position of each of some games with four threads. Returns the output for errors and the status of the program."""
    with log.open("w+") as errors:
        engine = Uci(program, env, errors)
        engine.send("setoption name Threads value 4")
        for variant, position, _ in SEARCHES:
            engine.search(variant, position, "nodes 100000")
        status = engine.close()
        errors.seek(0)
        return errors.read(), status


def judged(state, name, output, status):
    """Prints what a command did. Returns its name in a list if it failed or if the sanitizer reported something."""
    (state / f"{name}.log").write_text(output)
    passed, broken = (sum(map(int, re.findall(rf"(\d+) {word}", output))) for word in ("passed", "failed"))
    reports = len(REPORT.findall(output))
    print(f"{name}: {passed} tests passed, {broken} failed, {reports} reports, status {status}", flush=True)
    return [name] if status or reports else []


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("sanitizers", help="runs tests and searches under a sanitizer", description=sanitizers.__doc__)
    command.add_argument("packages", nargs="*", metavar="PACKAGE", help="a crate; all crates and the searches if none is named")
    command.add_argument("--state", type=pathlib.Path, default=ROOT / "target" / "sanitizers", help="the folder of builds and outputs (target/sanitizers)")
    command.set_defaults(run=sanitizers)
