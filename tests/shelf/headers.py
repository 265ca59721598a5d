#!/usr/bin/env python3
"""Compares what a shelf reads in headers, and what it keeps of them, with what `generate.py --headers` wrote.

Usage: headers.py TENGEN WORK_FOLDER [SEED]

The records are imported in one command. Players, date and result of each game and the comments of each tree must be those of the file, and an
export as SGF must have the text of each date. Then two authors comment on a position, one of them by an edit of a tree. Their
comments, and who wrote them, must be found, and an undo of each change must leave the tables as they were. It shares no code with Tengen.
"""

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path


class Shelf:
    """The program with a shelf."""

    def __init__(self, program, path):
        self.program, self.path = program, path

    def run(self, *command):
        done = subprocess.run([self.program, 'shelf', *map(str, command), '--shelf', str(self.path)], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f'{command}: {done.returncode}: {done.stderr}')
        return done.stdout

    def rows(self, select):
        database = sqlite3.connect(f'file:{self.path}?mode=ro', uri=True)
        rows = database.execute(select).fetchall()
        database.close()
        return rows


def compare(shelf, work, truth):
    """Returns the differences between the files and the shelf."""
    games = {}
    for name, number, black, white, date, result, game in shelf.rows(
            'SELECT sources.name, number, first.name, second.name, date, result, games.id FROM games '
            'JOIN sources ON sources.id = source LEFT JOIN players AS first ON first.id = first '
            'LEFT JOIN players AS second ON second.id = second'):
        games['/'.join(Path(name).parts[-2:])] = ([black, white, date, result], game)
    notes = {}
    for game, comment in shelf.rows('SELECT game, comment FROM notes JOIN trees ON trees.id = tree'):
        notes.setdefault(game, []).append(comment)
    out = work / 'out.sgf'
    shelf.run('export', out)
    dates = re.findall(r'DT\[([^]]*)\]', out.read_text(encoding='utf-8'))
    differences = []
    for name, (black, white, date, result, text, comments) in truth.items():
        found, game = games.pop(name, (None, None))
        if found != [black, white, date, result]:
            differences.append(f'{name}: {found}, expected {[black, white, date, result]} of "{text}"')
        if sorted(notes.get(game, [])) != sorted(comments):
            differences.append(f'{name}: comments {notes.get(game)}, expected {comments}')
    differences += [f'{name}: not a file' for name in games]
    # Dates of the usual form are written with hyphens, without question marks.
    usual = lambda text: re.sub(r'^([0-9]{4})[./]([0-9]{2})(?:[./]([0-9]{2}))?$', lambda it: '-'.join(filter(None, it.groups())), text.replace('-??', ''))
    written = sorted(usual(text) for *_, text, _ in truth.values() if any(char.isdigit() for char in text))
    kept = sorted(usual(date) for date in dates if any(char.isdigit() for char in date))
    if written != kept:
        differences.append(f'texts of dates: {set(written) ^ set(kept)}')
    return differences


def comment(shelf):
    """Lets two authors comment, and takes everything back. Returns the differences."""
    # A change that was taken back has a number below 0.
    tables = ['comments', 'notes', 'trees', 'tree_moves', 'changes WHERE id > 0']
    before = [shelf.rows(f'SELECT * FROM {table}') for table in tables]
    shelf.run('comment', 'h8', 'i9', '--text', 'solid', '--author', 'Anna', '--variant', 'renju')
    shelf.run('comment', 'h8', 'g9', '--text', 'weak', '--author', 'Ben', '--variant', 'renju')
    shelf.run('tree', 'h8', 'i9', 'j10', '--comment', 'a tree', '--variant', 'renju')
    # The second position is the mirror image of the first one.
    notes = json.loads(shelf.run('explore', 'h8', 'i9', '--json', '--variant', 'renju'))['notes']
    differences = []
    if [(note['author'], note['text']) for note in notes] != [('Anna', 'solid'), ('Ben', 'weak')]:
        differences.append(f'notes: {notes}')
    notes = json.loads(shelf.run('explore', 'h8', 'g9', 'f10', '--json', '--variant', 'renju'))['notes']
    if [note['text'] for note in notes] != ['a tree']:
        differences.append(f'notes of the tree: {notes}')
    for _ in range(3):
        shelf.run('undo')
    if [shelf.rows(f'SELECT * FROM {table}') for table in tables] != before:
        differences.append('the undo left other tables')
    return differences


def main():
    program, work = sys.argv[1], Path(sys.argv[2])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    folder = work / 'headers'
    generate = [sys.executable, str(Path(__file__).with_name('generate.py')), '--headers', str(folder), *sys.argv[3:4]]
    subprocess.run(generate, check=True)
    truth = json.loads(Path(f'{folder}.truth.json').read_text())
    shelf = Shelf(program, work / 'a.shelf')
    shelf.run('import', folder)
    differences = compare(shelf, work, truth) + comment(shelf)
    shelf.run('check')
    for line in differences[:20]:
        print(line)
    print(f'{len(truth)} files: {len(differences)} differences')
    sys.exit(bool(differences))


if __name__ == '__main__':
    main()
