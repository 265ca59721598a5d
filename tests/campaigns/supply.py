"""The crates that Tengen is built of."""

import json
import pathlib
import re
import subprocess
import sys

from campaigns import ROOT

# A crate that no source names: it says by what `zip` decompresses.
NAMED_NOWHERE = {"tengen-shelf: flate2"}


def number(text):
    """Returns a version as numbers, with a flag that puts a pre-release before its release."""
    main, _, before = text.strip().partition("-")
    parts = [int(part) for part in main.split("+")[0].split(".")]
    return [*parts, *[0] * (3 - len(parts)), 0 if before else 1]


def fits(version, requirement):
    """Whether a version fits a requirement such as `>= 1.2, < 2`, as Cargo reads it."""
    for part in requirement.split(","):
        sign, wanted = re.fullmatch(r"\s*(>=|<=|>|<|=|\^|~)?\s*(\S+)\s*", part).groups()
        low, own = number(wanted), number(version)
        if sign in (None, "^", "~"):
            given = wanted.split("-")[0].split(".")
            at = min(1, len(given) - 1) if sign == "~" else next((n for n, digit in enumerate(low[:3]) if digit), len(given) - 1)
            holds = low <= own < [*low[:at], low[at] + 1, *[0] * (3 - at)]
        else:
            holds = {">=": own >= low, "<=": own <= low, ">": own > low, "<": own < low, "=": own == low}[sign]
        if not holds:
            return False
    return True


def advisories(folder, locked):
    """Yields the advisories of RustSec that hold for locked crates: name, version, id, and what it is."""
    import tomllib

    for name, version in locked:
        for path in sorted((folder / "crates" / name).glob("RUSTSEC-*.md")):
            entry = tomllib.loads(path.read_text().split("```")[1].removeprefix("toml"))
            safe = [entry["versions"].get(key, []) for key in ("patched", "unaffected")]
            if "withdrawn" not in entry["advisory"] and not any(fits(version, part) for part in sum(safe, [])):
                yield name, version, entry["advisory"]["id"], entry["advisory"].get("informational", "a vulnerability")


def supply(args):
    """Checks the crates that Tengen is built of: known vulnerabilities without a network, and crates that nothing uses."""
    faults = 0
    for lock in ("Cargo.lock", "lab/Cargo.lock", "tests/fuzz/Cargo.lock"):
        locked = re.findall(r'^name = "(.+)"\nversion = "(.+)"\nsource = ', (ROOT / lock).read_text(), re.MULTILINE)
        found = list(advisories(args.advisories, locked))
        # Others say that nobody keeps a crate any more.
        faults += sum(kind == "a vulnerability" for *_, kind in found)
        print(f"{lock}: {len(locked)} crates, {len(found)} advisories")
        for entry in found:
            print("  ", *entry)
    words = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    packages = json.loads(subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)["packages"]
    unused = []
    for package in (package for package in packages if not package["source"]):
        folder = pathlib.Path(package["manifest_path"]).parent
        own = [path for part in ("src", "tests", "benches", "examples", "build.rs") for path in [folder / part, *(folder / part).rglob("*.rs")]]
        text = "".join(path.read_text() for path in own if path.is_file())
        for dependency in package["dependencies"]:
            name = (dependency["rename"] or dependency["name"]).replace("-", "_")
            if not re.search(rf"\b{name}\b", text):
                unused.append(f"{package['name']}: {name}")
    unused = [entry for entry in unused if entry not in NAMED_NOWHERE]
    print(f"unused: {len(unused)}", *unused, sep="\n  ")
    sys.exit(bool(faults + len(unused)))


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("supply", help="checks the crates that Tengen is built of", description=supply.__doc__)
    command.add_argument("advisories", type=pathlib.Path, metavar="FOLDER", help="a clone of https://github.com/rustsec/advisory-db")
    command.set_defaults(run=supply)
