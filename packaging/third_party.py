"""The licences of the crates in the program, as one text, and the crates as a bill of materials."""

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


def bill(metadata, lock, version):
    """Returns the bill of materials in CycloneDX 1.6, from the JSON of `cargo metadata --filter-platform` and the text of Cargo.lock.

    CITE: https://cyclonedx.org/docs/1.6/json/
    """
    entry = re.compile(r'^name = "(.+)"\nversion = "(.+)"\nsource = ".+"\nchecksum = "(.+)"$', re.M)
    sums = {(name, number): checksum for name, number, checksum in entry.findall(lock)}
    components = []
    for package in packages_in(json.loads(metadata)):
        name, number = package["name"], package["version"]
        url = f"pkg:cargo/{name}@{number}"
        component = {"type": "library", "bom-ref": url, "name": name, "version": number, "purl": url}
        component["hashes"] = [{"alg": "SHA-256", "content": sums[name, number]}]
        if package["license"]:
            # The old form of "or".
            component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        components.append(component)
    program = {"type": "application", "name": "tengen", "version": version, "licenses": [{"expression": "MIT OR Apache-2.0"}]}
    document = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": program}, "components": components}
    return json.dumps(document, indent=1) + "\n"
