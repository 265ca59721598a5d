#!/usr/bin/env python3
"""Exports a shelf in each format, imports that into a new shelf, and counts what is not there again.

Usage: round_trip.py TENGEN FOLDER_WITH_GAMES WORK_FOLDER
WORK_FOLDER is emptied first.

All games are taken as renju on 15x15. A record with variations, comments and labels is added to those of the folder. A row is a
format; a number says how many games, lists of moves, values of headers, comments, moves of trees or labels of the first shelf the
second one lacks. Names of games are left out: many are numbers of records.
"""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

FORMATS = ['sgf', 'pgn', 'jsonl', 'psq', 'txt', 'lib']
BOARD = ['--variant', 'renju', '--width', '15', '--height', '15']
RECORD = ('(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Ben]EV[Open]RO[2]DT[2019-05-04]RE[B+R]PC[Tokyo];B[hh]C[the centre];W[ig]LB[jh:A]'
          '(;B[jh]C[strong];W[gh])(;B[fg]TR[hh]C[weak]))\n')
GAMES = ('SELECT line, first.name, second.name, events.name, date, result, round, ending, headers FROM games '
         'LEFT JOIN players AS first ON first.id = games.first LEFT JOIN players AS second ON second.id = games.second '
         'LEFT JOIN events ON events.id = event')
COLUMNS = ['games', 'lines', 'first', 'second', 'event', 'date', 'result', 'round', 'ending', 'others']
OTHERS = {
    'comments': 'SELECT key, comment FROM notes',
    'tree moves': 'SELECT key, move FROM tree_moves',
    'labels': 'SELECT key, move, label FROM tree_moves WHERE label IS NOT NULL',
}


def others(value):
    """Returns a value of a column; of the other headers, those without the name of the game."""
    if not isinstance(value, str) or not value.startswith('{'):
        return value
    headers = {name: text for name, text in json.loads(value).items() if name != 'GN'}
    return json.dumps(headers, sort_keys=True) if headers else None


def content(shelf):
    """Returns what a shelf holds: a counter for each column."""
    database = sqlite3.connect(f'file:{shelf}?mode=ro', uri=True)
    rows = database.execute(GAMES).fetchall()
    found = {'games': Counter({'games': len(rows)}), 'lines': Counter({row[0]: 1 for row in rows})}
    for column, name in enumerate(COLUMNS[2:], 1):
        # What is unknown cannot be lost.
        found[name] = Counter((row[0], others(row[column])) for row in rows if others(row[column]) is not None)
    for name, query in OTHERS.items():
        found[name] = Counter(set(database.execute(query).fetchall()))
    database.close()
    return found


def main():
    program, games, work = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / 'record.sgf').write_text(RECORD)

    def tengen(shelf, *command):
        done = subprocess.run([program, 'shelf', *command, '--shelf', work / shelf], capture_output=True, text=True)
        # 3: some games cannot be read.
        if done.returncode not in (0, 3):
            raise SystemExit(f'{command}: {done.returncode}: {done.stderr}')

    tengen('first.shelf', 'import', games, str(work / 'record.sgf'), *BOARD)
    first = content(work / 'first.shelf')
    names = COLUMNS + list(OTHERS)
    print('| format | ' + ' | '.join(names) + ' |')
    print('| first shelf | ' + ' | '.join(str(first[name].total()) for name in names) + ' |')
    for kind in FORMATS:
        out = work / f'out.{kind}'
        tengen('first.shelf', 'export', str(out))
        tengen(f'{kind}.shelf', 'import', str(out), *BOARD)
        again = content(work / f'{kind}.shelf')
        lost = [str((first[name] - again[name]).total()) for name in names]
        print(f'| {kind} | ' + ' | '.join(lost) + ' |', flush=True)


if __name__ == '__main__':
    main()
