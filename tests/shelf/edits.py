#!/usr/bin/env python3
"""Edits, deletes, comments, trees, undos, redos and imports, also of corrected files, in random order, killed at random, against a model.

Usage: edits.py TENGEN WORK_FOLDER [STEPS [SEED]]

The model keeps games, the files that have them, headers, comments and moves of trees, and a copy of them for each change that can be undone. It shares no code with Tengen.
A third of the commands are killed (SIGKILL) after a random part of their usual time. After each command the shelf must be as before it, or
as after it, in whole; every tenth time `explore` must have the counts of the model, and `check` must find no difference.
"""

import copy
import hashlib
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
        """Returns games by file, content and number, who edited and who shares them, comments, and the number of changes."""
        database = sqlite3.connect(f'file:{self.path}?mode=ro', uri=True)
        games = database.execute(
            'SELECT sources.name, digest, number, first.name, events.name, date, result, games.id FROM games '
            'JOIN sources ON sources.id = source LEFT JOIN players AS first ON first.id = first '
            'LEFT JOIN events ON events.id = event').fetchall()
        comments = database.execute('SELECT comment, author FROM comments ORDER BY id').fetchall()
        trees = [text for text, in database.execute('SELECT comment FROM notes ORDER BY comment').fetchall()]
        edited = {game for game, in database.execute("SELECT id FROM edited WHERE name = 'games'")}
        others = database.execute('SELECT game, name, digest, other_sources.number FROM other_sources '
                                  'JOIN sources ON sources.id = source').fetchall()
        changes = database.execute('SELECT count(*) FROM changes WHERE id > 0').fetchone()[0]
        database.close()
        facts = {(Path(name).name, digest, number): facts for name, digest, number, *facts, _ in games}
        ids = {(Path(name).name, digest, number): game for name, digest, number, *_, game in games}
        keys = {game: key for key, game in ids.items()}
        edited = {keys[game] for game in edited}
        shared = {keys[game]: (Path(name).name, digest, number) for game, name, digest, number in others}
        return (facts, edited, shared, comments, trees), ids, changes


class Model:
    """What the shelf must hold."""

    def __init__(self):
        self.games, self.comments = {}, []
        #: The games that were edited, and the places of games in another file that has them, too.
        self.edited, self.shared = set(), {}
        #: The texts of the games of each file.
        self.files = {}
        #: The comments of trees after the first move and these points.
        self.trees = {}

    def state(self):
        facts = {key: list(facts) for key, facts in self.games.items()}
        return facts, self.edited, self.shared, self.comments, sorted(self.trees.values())

    def remove(self, key):
        """Removes a game."""
        del self.games[key]
        self.edited.discard(key)
        self.shared.pop(key, None)

    def replace(self, name):
        """Removes the games of a file that no other file has and nobody edited."""
        for key in [key for key in self.games if key[0] == name]:
            other = self.shared.pop(key, None)
            if other is not None:
                self.games[other] = self.games.pop(key)
                if key in self.edited:
                    self.edited.remove(key)
                    self.edited.add(other)
            elif key not in self.edited:
                self.remove(key)
        self.shared = {key: other for key, other in self.shared.items() if other[0] != name}


def digest_of(text):
    """Returns how the shelf knows the content of a file."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], 'big', signed=True)


def new_file(rng, folder, number, model):
    """Writes a file of random games without five in a row, and adds them to the model.

    It is a new one, a corrected one in place of an old one, or one that has the games of another one, too.
    """
    games, facts = [], []
    for _ in range(rng.randint(1, 6)):
        cells = [(column, row) for column in range(0, 15, 2) for row in range(0, 15, 3)]
        moves = [(6, 6)] + rng.sample([cell for cell in cells if cell != (6, 6)], rng.randint(3, 30))
        player, result = rng.choice(['Anna', 'Ben', 'Cleo']), rng.choice(list(RESULTS))
        points = ''.join(f';{"BW"[ply % 2]}[{chr(97 + column)}{chr(97 + row)}]' for ply, (column, row) in enumerate(moves))
        games.append(f'(;GM[4]SZ[15]RU[renju]PB[{player}]RE[{result}]{points})')
        facts.append([player, None, None, RESULTS[result]])
    name, what = f'{number}.sgf', rng.random()
    is_whole = [old for old, (texts, digest) in model.files.items() if all(
        (key := (old, digest, place + 1)) in model.games and key not in model.edited and key not in model.shared
        for place in range(len(texts)))]
    first = []
    if what < 0.3 and is_whole:
        # The games of another file come first.
        old = rng.choice(sorted(is_whole))
        first, digest = model.files[old]
    elif what < 0.6 and model.files:
        name = rng.choice(sorted(model.files))
        model.replace(name)
    text = '\n'.join([*first, *games])
    for place in range(len(first)):
        model.shared[old, digest, place + 1] = (name, digest_of(text), place + 1)
    for place, one in enumerate(facts, len(first) + 1):
        model.games[name, digest_of(text), place] = one
    if not first:
        model.files[name] = (games, digest_of(text))
    path = folder / name
    path.write_text(text)
    return ['import', '--replace', str(path)]


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
        if model.games[key][place] != value:
            model.edited.add(key)
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
            model.remove(key)
        return ['delete', *(str(ids[key]) for key in keys)]
    if what < 0.93:
        return edit_tree(rng, number, model)
    author = rng.choice(['Anna', 'Ben'])
    model.comments.append((f'note {number}', author))
    return ['comment', 'h8', '--text', f'note {number}', '--author', author, '--variant', 'renju']


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
