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
    return digests


def main():
    program, games, work = sys.argv[1:4]
    kills = int(sys.argv[4]) if len(sys.argv) > 4 else 50
    rng = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    command = [program, 'shelf', 'import', games, '--shelf']
    whole, killed = work / 'whole.shelf', work / 'killed.shelf'
    for shelf in (whole, killed):
        for suffix in ('', '-wal', '-shm'):
            Path(f'{shelf}{suffix}').unlink(missing_ok=True)
    begin = time.monotonic()
    subprocess.run([*command, str(whole)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    spent = time.monotonic() - begin
    print(f'whole import: {spent:.1f} s')
    done = 0
    while done < kills:
        process = subprocess.Popen([*command, str(killed)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=rng.uniform(0, spent))
            # It ended by itself: begin again.
            for suffix in ('', '-wal', '-shm'):
                Path(f'{killed}{suffix}').unlink(missing_ok=True)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            done += 1
    subprocess.run([*command, str(killed)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    same = content(whole) == content(killed)
    print(f'{done} kills: {"the same content" if same else "ANOTHER CONTENT"}')
    for one, other in zip(content(whole), content(killed)):
        print(one, other)
    sys.exit(0 if same else 1)


if __name__ == '__main__':
    main()
