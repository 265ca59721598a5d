#!/usr/bin/env python3
"""Edits, deletes, comments, trees, undos, redos and imports in random order, killed at random, against a model.

Usage: edits.py TENGEN WORK_FOLDER [STEPS [SEED]]

The model keeps games, headers, comments and moves of trees, and a copy of them for each change that can be undone. It shares no code with Tengen.
A third of the commands are killed (SIGKILL) after a random part of their usual time. After each command the shelf must be as before it, or
as after it, in whole; every tenth time `explore` must have the counts of the model, and `check` must find no difference.
"""

import copy
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

RESULTS = {'1-0': 1, '0-1': -1, '1/2-1/2': 0, '*': None}
DATES = {'2019-05-04': 20190504, '12/24/1998': 19981224, '5.6.2019': 20190605, '': None, '2001': 20010000}


class Shelf:
    """The program with a shelf, and what the file holds."""

    def __init__(self, program, path):
        self.program, self.path = program, path
        self.usual = {}

    def run(self, *command, kills=None):
        """Runs a command, to its end or to a kill. Returns whether it ended by itself."""
        process = subprocess.Popen([self.program, 'shelf', *command, '--shelf', str(self.path)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        begin = time.monotonic()
        try:
            limit = None if kills is None else kills.uniform(0, self.usual.get(command[0], 0.1))
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
        self.usual[command[0]] = time.monotonic() - begin
        if process.returncode != 0:
            raise SystemExit(f'{command}: {process.returncode}: {err}')
        return out

    def state(self):
        """Returns games by file and number, comments, and the number of changes."""
        database = sqlite3.connect(f'file:{self.path}?mode=ro', uri=True)
        games = database.execute(
            'SELECT sources.name, number, first.name, events.name, date, result, games.id FROM games '
            'JOIN sources ON sources.id = source LEFT JOIN players AS first ON first.id = first '
            'LEFT JOIN events ON events.id = event').fetchall()
        comments = database.execute('SELECT comment, author FROM comments ORDER BY id').fetchall()
        trees = [text for text, in database.execute('SELECT comment FROM notes ORDER BY comment').fetchall()]
        changes = database.execute('SELECT count(*) FROM changes WHERE id > 0').fetchone()[0]
        database.close()
        facts = {(Path(name).name, number): facts for name, number, *facts, _ in games}
        ids = {(Path(name).name, number): game for name, number, *_, game in games}
        return (facts, comments, trees), ids, changes


class Model:
    """What the shelf must hold."""

    def __init__(self):
        self.games, self.comments = {}, []
        #: The comments of trees after the first move and these points.
        self.trees = {}

    def state(self):
        return {key: list(facts) for key, facts in self.games.items()}, self.comments, sorted(self.trees.values())


def new_file(rng, folder, number, model):
    """Writes a file of random games without five in a row, and adds them to the model."""
    games = []
    for place in range(rng.randint(1, 6)):
        cells = [(column, row) for column in range(0, 15, 2) for row in range(0, 15, 3)]
        moves = [(6, 6)] + rng.sample([cell for cell in cells if cell != (6, 6)], rng.randint(3, 30))
        player, result = rng.choice(['Anna', 'Ben', 'Cleo']), rng.choice(list(RESULTS))
        points = ''.join(f';{"BW"[ply % 2]}[{chr(97 + column)}{chr(97 + row)}]' for ply, (column, row) in enumerate(moves))
        games.append(f'(;GM[4]SZ[15]RU[renju]PB[{player}]RE[{result}]{points})')
        key = (f'{number}.sgf', place + 1)
        model.games[key] = [player, None, None, RESULTS[result]]
    path = folder / f'{number}.sgf'
    path.write_text('\n'.join(games))
    return ['import', str(path)]


def edit(rng, ids, model):
    """Edits a header of some games."""
    keys = rng.sample(sorted(ids), min(len(ids), rng.randint(1, 4)))
    place, name, text, value = rng.choice([
        *((0, 'first', name, name) for name in ('Dora', 'Emil')),
        *((1, 'event', name, name or None) for name in ('Open', '')),
        *((2, 'date', *date) for date in DATES.items()),
        *((3, 'result', *result) for result in RESULTS.items()),
    ])
    for key in keys:
        model.games[key][place] = value
    return ['edit', *(str(ids[key]) for key in keys), '--set', f'{name}={text}']


def edit_tree(rng, number, model):
    """Adds a move with a comment to a tree, or removes one."""
    # No two of these points are images of each other.
    point = rng.choice(['i8', 'i9', 'j8', 'j9', 'j10'])
    if model.trees.pop(point, None) is not None and rng.random() < 0.5:
        return ['tree', 'h8', point, '--remove', '--variant', 'renju']
    model.trees[point] = f'tree {number:04}'
    return ['tree', 'h8', point, '--comment', f'tree {number:04}', '--variant', 'renju']


def step(rng, folder, number, ids, model):
    """Chooses a command, and does it on the model."""
    what = rng.random()
    if what < 0.4 or not ids:
        return new_file(rng, folder, number, model)
    if what < 0.7:
        return edit(rng, ids, model)
    if what < 0.85:
        keys = rng.sample(sorted(ids), min(len(ids), rng.randint(1, 5)))
        for key in keys:
            del model.games[key]
        return ['delete', *(str(ids[key]) for key in keys)]
    if what < 0.93:
        return edit_tree(rng, number, model)
    model.comments.append((f'note {number}', 'Anna'))
    return ['comment', 'h8', '--text', f'note {number}', '--author', 'Anna', '--variant', 'renju']


def check_counts(shelf, model):
    """Compares counts of the first move with the model, and lets the program recount everything."""
    shelf.run('import')
    shelf.run('check')
    known = json.loads(shelf.run('explore', '--json', '--variant', 'renju'))
    results = [facts[3] for facts in model.games.values()]
    expected = [len(results), results.count(1), results.count(0), results.count(-1)]
    found = [known[name] for name in ('games', 'wins', 'draws', 'losses')]
    if found != expected:
        raise SystemExit(f'counts {found}, expected {expected}')


def main():
    program, work = sys.argv[1], Path(sys.argv[2])
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    shelf, model, before, undone = Shelf(program, work / 'a.shelf'), Model(), [], []
    shelf.run('import')
    count = {'commands': 0, 'killed': 0, 'killed and done': 0, 'undone': 0, 'redone': 0}
    for number in range(steps):
        _, ids, changes = shelf.state()
        kills = rng if rng.random() < 1 / 3 else None
        after = copy.deepcopy(model)
        is_undo = bool(before) and rng.random() < 0.3
        is_redo = not is_undo and bool(undone) and rng.random() < 0.4
        if is_undo:
            after, command = before[-1], ['undo']
        elif is_redo:
            after, command = undone[-1], ['redo']
        else:
            command = step(rng, work, number, ids, after)
        ended = shelf.run(*command, kills=kills) is not None
        found, _, now = shelf.state()
        is_done = found == after.state()
        if not is_done and (ended or found != model.state()):
            raise SystemExit(f'step {number}: {command}: another content')
        # A command that was killed may leave a change without content.
        if is_undo:
            is_done = now < changes
            if is_done:
                undone.append(model)
                before.pop()
            count['undone'] += is_done
        elif now > changes:
            before.append(model)
        if is_redo and now > changes:
            undone.pop()
            count['redone'] += 1
        elif not is_undo and not is_redo:
            undone = []
        count['commands'] += 1
        count['killed'] += not ended
        count['killed and done'] += is_done and not ended
        model = after if is_done else model
        if number % 10 == 9:
            check_counts(shelf, model)
            # Its import begins a change.
            undone = []
    print(f'{count}: {len(model.games)} games, {len(model.comments)} comments, {len(model.trees)} of trees, 0 differences')


if __name__ == '__main__':
    main()
