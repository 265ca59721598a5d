"""Equal searches."""

import pathlib
import sys

from campaigns.uci import Uci

# What `determinism` searches: a variant, a position, and a limit in plies.
SEARCHES = [
    ("cfour", "startpos moves d1 d2 d3", 18),
    ("cfour-misere", "startpos moves d1", 14),
    ("gomokufreestyle", "startpos moves h8 i9 g7", 9),
    ("gomoku", "startpos moves h8 h9 j9", 9),
    ("renju", "startpos moves h8 h9 i10 g8", 9),
    ("caro", "startpos moves h8 i9", 8),
    ("freestyle20", "startpos moves j10 k11 i9", 8),
    ("tictactoe", "startpos", 9),
]
NODES = 40_000
TABLES = (1, 16, 128)


def determinism(args):
    """Searches positions again and again: in new processes and after other games, with each program. All lines but their
    times must be equal."""
    compared = different = 0
    limits = [(variant, position, f"depth {depth}") for variant, position, depth in SEARCHES]
    limits += [(variant, position, f"nodes {NODES}") for variant, position, _ in SEARCHES]
    expected = {}
    for repeat in range(args.repeats):
        for program in args.programs:
            old = Uci(program)
            # Another order: other games come before each search.
            for case in limits[repeat:] + limits[:repeat] if repeat % 2 else reversed(limits):
                for table in TABLES:
                    engines = [old] if repeat else [old, Uci(program)]
                    for engine in engines:
                        found = engine.search(*case, table)
                        compared += 1
                        if found != expected.setdefault((case, table), found):
                            different += 1
                            print(f"{program}, {case}, {table} MiB:", *found[-3:], "instead of", *expected[case, table][-3:], sep="\n  ")
                    for engine in engines[1:]:
                        engine.close()
            old.close()
    print(f"{compared} searches of {len(expected)} kinds: {different} different")
    sys.exit(bool(different))


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("determinism", help="searches positions again and again", description=determinism.__doc__)
    command.add_argument("programs", nargs="+", type=pathlib.Path, metavar="PROGRAM", help="a program; all must give the same lines")
    command.add_argument("--repeats", type=int, default=20, help="how often each position is searched (20)")
    command.set_defaults(run=determinism)
