#!/usr/bin/env python3
"""Kills imports at random moments, and compares the shelf with one that was never killed.

Usage: kills.py TENGEN FOLDER_WITH_GAMES WORK_FOLDER [KILLS [SEED]]

First the whole import is timed. Then an import is killed (SIGKILL) after a random part of that time, and continued, KILLS times
(50); the last one ends by itself. The content of both shelves is compared table by table, without the ids of rows: games
with the names of players, events, rules and files; counts; the games of positions, by their file and number.
"""

import hashlib
import random
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

QUERIES = [
    'SELECT boards.name, hex(moves), first.name, second.name, events.name, rules.name, round, date, result, ending, opening, '
    'marks, ended, rest, start, headers, sources.name, number FROM games JOIN boards ON boards.id = board '
    'JOIN sources ON sources.id = source LEFT JOIN players AS first ON first.id = games.first '
    'LEFT JOIN players AS second ON second.id = games.second LEFT JOIN events ON events.id = event '
    'LEFT JOIN rules ON rules.id = rule ORDER BY sources.name, number',
    'SELECT * FROM counts ORDER BY key, move, year',
    'SELECT key, sources.name, number FROM occurrences JOIN games ON games.id = game '
    'JOIN sources ON sources.id = source ORDER BY key, sources.name, number',
    'SELECT sources.name, number, text FROM problems JOIN sources ON sources.id = source ORDER BY 1, 2',
    'SELECT name, digest, choice, games, done FROM sources ORDER BY name',
    'SELECT name, games FROM boards ORDER BY name',
]


def content(shelf):
    """Returns a digest of the rows of each query."""
    database = sqlite3.connect(f'file:{shelf}?mode=ro', uri=True)
    digests = []
    for query in QUERIES:
        digest = hashlib.sha256()
        rows = 0
        for row in database.execute(query):
            digest.update(repr(row).encode())
            rows += 1
        digests.append((rows, digest.hexdigest()))
    database.close()
    return digests


def remove(shelf):
    """Removes a shelf with its log."""
    for suffix in ('', '-wal', '-shm'):
        Path(f'{shelf}{suffix}').unlink(missing_ok=True)


def phase(shelf):
    """Returns what an import was doing when it was killed."""
    if not Path(shelf).exists():
        return 'before the file'
    database = sqlite3.connect(f'file:{shelf}?mode=ro', uri=True)
    try:
        open_files = database.execute('SELECT count(*) FROM sources WHERE NOT done').fetchone()[0]
        indexed = database.execute("SELECT coalesce(max(value), 0) FROM meta WHERE name = 'indexed'").fetchone()[0]
        last = database.execute('SELECT coalesce(max(id), 0) FROM games').fetchone()[0]
    except sqlite3.OperationalError:
        return 'before the tables'
    finally:
        database.close()
    if indexed == 0:
        no_file = 'in the first part of the index, or between files' if last else 'before the first game'
        return 'in a file' if open_files else no_file
    return 'indexing' if indexed < last else 'at the end'


def main():
    program, games, work = sys.argv[1:4]
    kills = int(sys.argv[4]) if len(sys.argv) > 4 else 50
    rng = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    command = [program, 'shelf', 'import', games, '--shelf']
    whole, killed = work / 'whole.shelf', work / 'killed.shelf'
    remove(whole)
    remove(killed)
    quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}
    begin = time.monotonic()
    subprocess.run([*command, str(whole)], check=True, **quiet)
    spent = time.monotonic() - begin
    print(f'whole import: {spent:.1f} s', flush=True)
    done, phases = 0, defaultdict(int)
    while done < kills:
        process = subprocess.Popen([*command, str(killed)], **quiet)
        try:
            process.wait(timeout=rng.uniform(0, spent))
            # It ended by itself: begin again.
            remove(killed)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            done += 1
            phases[phase(killed)] += 1
    subprocess.run([*command, str(killed)], check=True, **quiet)
    one, other = content(whole), content(killed)
    same = one == other
    print(f'{done} kills {dict(phases)}: {"the same content" if same else "ANOTHER CONTENT"}')
    for rows in zip(one, other):
        print(*rows)
    sys.exit(0 if same else 1)


if __name__ == '__main__':
    main()
