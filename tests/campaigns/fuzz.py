"""Decoders and sessions, fuzzed with libFuzzer."""

import ast
import datetime
import io
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile

from campaigns import ROOT

FUZZ = ROOT / "tests" / "fuzz"
HOST = "x86_64-unknown-linux-gnu"
# What `cargo fuzz` passes to rustc, without a sanitizer: no crate of Tengen has unsafe code.
COVERAGE = " ".join(
    [
        "--cfg fuzzing -Cpasses=sancov-module",
        "-Cllvm-args=-sanitizer-coverage-level=4",
        "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
        "-Cllvm-args=-sanitizer-coverage-pc-table",
        "-Cllvm-args=-sanitizer-coverage-trace-compares",
    ]
)
# The longest input of a target in bytes, if it is not 4096.
LONGEST = {"net": 400_000, "book": 65_536, "renlib": 8192, "proof": 2048, "import": 16_384, "shelf_file": 200_000}
# A record in each format.
RECORDS = {
    "sgf": b"(;GM[4]SZ[15]RU[renju]PB[Anna]RE[B+5];B[hh]C[one](;W[ih];B[jj]LB[aa:1])(;W[hi]))",
    "psq": b"Piskvorky 15x15, 11:11, 0\r\n8,8,100\r\n9,8,31\r\n-1\r\n",
    "renlib": b"\xffRenLib\xff\x03\x00" + bytes(10) + b"\x78\x00\x79\x40",
    "pgn": b'[Event "x"]\n[Variant "renju"]\n\n1. h8 {one} i9 (1... h9) 2. g7 1-0\n',
    "moves": b"startpos moves h8 i9 g7\nh8i9j7\n",
    "jsonl": b'{"game":1,"variant":"renju","moves":"h8 i9"}\n',
}
# A proof of gomoku on a small board.
FIVE = b"""tengen-proof 1
game gomokufreestyle BoardHeight=7 BoardWidth=7
rules 7x7 board, 5 in a row
moves d4 a1 e4 g1 c4 a7
claim first wins
positions 1
shared 0
sha256 36ebb8966d96175556f2d05ecc8f4df190eba1a3005b2665159f9ed5a8edf3d0

b4
"""
# A file of RenjuNet with a game.
RENJUNET = (
    b'<?xml version="1.0"?><database><players><player id="1" name="Anna" surname="B"/><player id="2" name="Bo" surname="C"/></players>'
    b'<rules><rule id="1" name="RIF" category="0"/></rules><tournaments><tournament id="1" name="Cup" year="2001" rule="1"/></tournaments>'
    b'<games><game id="1" tournament="1" rule="1" black="1" white="2" bresult="1"><move>h8 h9 i9</move></game></games></database>'
)


def yixin():
    """Returns a database of Yixin with the empty board and one stone."""
    records = [(bytes(3), b'charset="UTF-8"\0'), (b"\x02\x0f\x0f", b"\x01\x00\x05\x00ok\0"), (b"\x02\x0f\x0f\x07\x07", b"W\x10\x00\x07\x00\0")]
    parts = [len(part).to_bytes(2, "little") + part for pair in records for part in pair]
    return len(records).to_bytes(4, "little") + b"".join(parts)


def zipped():
    """Returns an archive with a record in each format."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in RECORDS.items():
            archive.writestr(f"game.{name}", content)
    return data.getvalue()


def shelf():
    """Returns the file of a shelf without a game."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "my.shelf"
        database = sqlite3.connect(path)
        database.execute("PRAGMA page_size = 512")
        for name in ("schema", "schema_2", "schema_3"):
            database.executescript((ROOT / "shelf/src" / f"{name}.sql").read_text())
        # As `shelf/src/store.rs` marks a shelf of its version.
        database.executescript(f"PRAGMA application_id = {0x54477368}; PRAGMA user_version = 3;")
        database.close()
        return path.read_bytes()


# The most bytes of the kept inputs of a target, the shortest first.
KEPT_BYTES = 150_000


def dialogue(text):
    """Returns the lines of the client in a recorded dialogue, with a line after each that ends a search."""
    lines = re.findall(r"^> ?(.*)$", text, re.MULTILINE)
    return ("\n\x01\n".join(lines) + "\n").encode()


def replies(text):
    """Returns the lines of the engine in a recorded dialogue."""
    return ("\n".join(re.findall(r"^< ?(.*)$", text, re.MULTILINE)) + "\n").encode()


def seeds(target):
    """Yields first inputs of a target: recorded dialogues, and files of the tree. No file of others is among them, since inputs
    that grow from them are kept in the tree."""
    recorded = sorted((ROOT / "protocol/src/dialect/recorded").glob("*.txt"))
    dialogues = sorted((ROOT / "tests/process/dialogues").glob("*.txt")) + recorded
    if target in ("uci", "ugi", "gomocup", "gtp", "first_line"):
        yield from (dialogue(path.read_text()) for path in dialogues)
    elif target.endswith("_client"):
        yield from (replies(path.read_text()) for path in dialogues)
    elif target == "json":
        examples = (ROOT / "protocol/src/dialect/json/examples.txt").read_text()
        yield from (line.encode() + b"\n" for line in re.findall(r"^> ?(.*)$", examples, re.MULTILINE))
    elif target == "record":
        yield from RECORDS.values()
    elif target in RECORDS:
        yield RECORDS[target]
    elif target == "import":
        yield from (*RECORDS.values(), RENJUNET, yixin(), zipped())
    elif target == "shelf_file":
        yield shelf()
    elif target == "listed":
        yield b"\x02" + b"1: d1 d2 5\n44444 3\n- # start\nposition startpos moves d1\n"
    elif target == "board_file":
        yield b"START 20\nINFO rule 1\nBOARD\n7,7,2\n8,8,1\n9,9,3\nDONE\n"
    elif target == "proof":
        # The larger ones take long to check.
        yield from (path.read_bytes() for path in sorted((ROOT / "proofs").glob("*.proof")) if path.stat().st_size < 300)
        yield FIVE
    elif target == "net":
        yield (ROOT / "games/nets/gomoku.net").read_bytes()
    elif target in ("fen", "notation", "openings"):
        for path in dialogues:
            for line in re.findall(r"^> position (?:fen )?(.*)$", path.read_text(), re.MULTILINE):
                yield from (bytes([game]) + line.replace("startpos moves ", "").encode() for game in range(6))
    yield b"\n"


def kept(target):
    """Returns the file of the kept inputs of a target: one line each, as a Python literal of bytes without quotes."""
    return FUZZ / "corpus" / f"{target}.txt"


def read_kept(target):
    """Returns the kept inputs of a target."""
    path = kept(target)
    lines = path.read_text().splitlines() if path.exists() else []
    return [ast.literal_eval(f"b'{line}'") for line in lines]


def written(data):
    """Returns an input as a line of a file of kept inputs."""
    plain = {0x5C: "\\\\", 0x27: "\\'", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"}
    return "".join(plain.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}") for byte in data)


def put(folder, inputs):
    """Writes inputs into a folder, each with a number as its name."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(inputs):
        (folder / f"seed-{number}").write_bytes(data)


def build(state):
    """Builds the fuzzer. Returns its path."""
    target = state / "build"
    env = {**os.environ, "CARGO_TARGET_DIR": str(target), "RUSTFLAGS": COVERAGE}
    subprocess.run(["cargo", "build", "--release", "--target", HOST], cwd=FUZZ, env=env, check=True)
    return target / HOST / "release" / "tengen-fuzz"


def names():
    """Returns the names of the targets."""
    sources = [FUZZ / "src" / name for name in ("targets/mod.rs", "shelves.rs")]
    return [name for path in sources for name in re.findall(r'name: "(\w+)"', path.read_text())]


def fuzz(args):
    """Fuzzes decoders and sessions, each for some time, and goes on from the inputs of earlier runs."""
    state = args.state.resolve()
    state.mkdir(parents=True, exist_ok=True)
    unknown = [name for name in args.targets if name not in names()]
    if unknown:
        sys.exit(f'"{unknown[0]}" is no target: one of {", ".join(names())} expected')
    program = args.program or build(state)
    failed = [name for name in args.targets or names() if not fuzz_one(args, program.resolve(), state, name)]
    table(state)
    if failed:
        sys.exit(f"findings: {', '.join(failed)}; the inputs are in {state}/TARGET/found")


def fuzz_one(args, program, state, name):
    """Fuzzes a target. Returns whether it held."""
    left = args.runs and args.runs - sum(row["runs"] for row in rows_of(state) if row["target"] == name)
    if left is not None and left <= 0:
        return True
    folder = state / name
    corpus, found = folder / "corpus", folder / "found"
    if not corpus.exists():
        put(corpus, [*seeds(name), *read_kept(name)])
    found.mkdir(exist_ok=True)
    # Some targets write files.
    memory = {"TMPDIR": "/dev/shm"} if pathlib.Path("/dev/shm").is_dir() else {}
    env = {**os.environ, **memory, "FUZZ_TARGET": name}
    longest = LONGEST.get(name, 4096)
    command = [program, corpus, f"-max_total_time={args.seconds}", f"-max_len={longest}", "-timeout=60", "-rss_limit_mb=2048"]
    command += [f"-runs={left}"] if left else []
    dictionary = FUZZ / "dictionary.txt"
    command += [f"-dict={dictionary}", f"-artifact_prefix={found}/", "-print_final_stats=1", "-use_value_profile=0"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", check=False)
    (folder / "last.log").write_text(done.stderr)
    runs = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    slowest = re.search(r"slowest_unit_time_sec: *(\d+)", done.stderr)
    peak = re.search(r"peak_rss_mb: *(\d+)", done.stderr)
    cover = re.findall(r"cov: (\d+)", done.stderr)
    row = {
        "target": name,
        "date": datetime.date.today().isoformat(),
        "runs": int(runs[1]) if runs else 0,
        "edges": int(cover[-1]) if cover else 0,
        "slowest_s": int(slowest[1]) if slowest else 0,
        "peak_mib": int(peak[1]) if peak else 0,
        "held": done.returncode == 0,
    }
    with (state / "runs.jsonl").open("a") as log:
        log.write(json.dumps(row) + "\n")
    print(f"{name}: {row['runs']} runs, {row['edges']} edges, {'held' if row['held'] else 'FOUND'}", flush=True)
    if args.keep:
        keep(program, name, corpus, longest)
    return row["held"]


def keep(program, name, corpus, longest):
    """Writes the smallest set of inputs that reaches all that was reached to the file of kept inputs."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "FUZZ_TARGET": name}
        command = [program, "-set_cover_merge=1", f"-max_len={longest}", folder, corpus]
        subprocess.run(command, env=env, capture_output=True, check=True)
        inputs = sorted({path.read_bytes() for path in pathlib.Path(folder).iterdir()}, key=lambda data: (len(data), data))
    lines, room = [], KEPT_BYTES
    for data in inputs:
        line = written(data) + "\n"
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    kept(name).write_text("".join(lines))
    # The next run begins with them, and with what the merge left out because it is long.
    shutil.rmtree(corpus)
    put(corpus, inputs)


def rows_of(state):
    """Returns the rows of all runs."""
    log = state / "runs.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def table(state):
    """Prints what all runs did, by target."""
    rows = rows_of(state)
    print("\n| target | runs | edges | slowest input (s) | memory (MiB) | found |\n|---|---|---|---|---|---|")
    for name in names():
        own = [row for row in rows if row["target"] == name]
        if own:
            peak = [max(row[key] for row in own) for key in ("edges", "slowest_s", "peak_mib")]
            found = sum(not row["held"] for row in own)
            print(f"| {name} | {sum(row['runs'] for row in own):,} | {peak[0]:,} | {peak[1]} | {peak[2]} | {found} |")
    print(f"| all | {sum(row['runs'] for row in rows):,} | | | | {sum(not row['held'] for row in rows)} |")


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("fuzz", help=fuzz.__doc__, description=fuzz.__doc__)
    command.add_argument("targets", nargs="*", metavar="TARGET", help="a target; all targets if none is named")
    command.add_argument("--seconds", type=int, default=1200, help="the time of each target (1200)")
    command.add_argument("--runs", type=int, help="the most runs of each target, with those before (no limit)")
    command.add_argument("--state", type=pathlib.Path, default=ROOT / "target" / "fuzz", help="the folder of inputs and results (target/fuzz)")
    command.add_argument("--program", type=pathlib.Path, help="a fuzzer that was built before")
    command.add_argument("--keep", action="store_true", help="afterwards, write the smallest set of inputs to tests/fuzz/corpus")
    command.set_defaults(run=fuzz)
