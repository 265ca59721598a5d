"""The licences of the crates in the program, as one text."""

import json
import re
from pathlib import Path

NAMES = re.compile(r"(licen[cs]e|copying|notice|unlicense|copyright)", re.I)

HEAD = """\
Tengen contains the crates below, the standard library of Rust (MIT or Apache-2.0), and in static programs for Linux the
GNU C library (LGPL-2.1-or-later), in programs for Windows the start code of mingw-w64 (public domain and ZPL-2.1).
Each crate is used under the licence of its line. The texts follow once each, under the names of the crates that
have them.
"""


def packages_in(metadata):
    """Returns the packages that the program is made of: neither tests nor programs of the build."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    open_, seen = [metadata["resolve"]["root"]], set()
    while open_:
        package = open_.pop()
        if package not in seen:
            seen.add(package)
            open_ += [to["pkg"] for to in nodes[package]["deps"] if any(kind["kind"] is None for kind in to["dep_kinds"])]
    found = [package for package in metadata["packages"] if package["id"] in seen and package["source"]]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def texts_of(package):
    """Returns the texts of the licence files of a crate."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and NAMES.match(path.name))
    return ["\n".join(line.rstrip() for line in path.read_text(errors="replace").strip().splitlines()) for path in files]


def third_party(metadata):
    """Returns the text, from the JSON of `cargo metadata --filter-platform`."""
    packages = packages_in(json.loads(metadata))
    lines, texts = [HEAD], {}
    for package in packages:
        named = f"{package['name']} {package['version']}"
        lines.append(f"{named}: {package['license'] or 'see its text'}; {package['repository'] or 'crates.io'}")
        for text in texts_of(package):
            texts.setdefault(text, []).append(named)
    for text, names in sorted(texts.items(), key=lambda item: item[1]):
        lines += ["", "-" * 78, ", ".join(names), "-" * 78, text]
    return "\n".join(lines) + "\n"
