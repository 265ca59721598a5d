#!/usr/bin/env python3
"""Attacks shelves: two writers, a reader during an import, a full disk, cut files, a newer schema, an endless archive.

Usage: attacks.py TENGEN FOLDER_WITH_GAMES WORK_FOLDER

`FOLDER_WITH_GAMES` is one of generate.py; its files are imported. The full disk is a small file system in memory (tmpfs), which
needs the rights of an administrator; without them this part is counted as skipped. Each part prints a line. The exit
status is 1 if one failed.
"""

import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from kills import content, remove

PROGRAM, GAMES, WORK = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
#: The memory of an import in MB, measured, must be below this.
MEMORY = 500
outcomes = {'passed': 0, 'failed': 0, 'skipped': 0}


def tengen(*arguments, shelf):
    command = [PROGRAM, 'shelf', *map(str, arguments), '--shelf', str(shelf)]
    return subprocess.run(command, capture_output=True, text=True)


def note(part, is_good, text):
    outcome = {True: 'passed', False: 'failed', None: 'skipped'}[is_good]
    outcomes[outcome] += 1
    print(f'{outcome}: {part}: {text}', flush=True)


def one_line(done, *words):
    """Returns whether a command failed with one line that has all words, and does not speak of a panic."""
    lines = done.stderr.strip().splitlines()
    last = lines[-1] if lines else ''
    return done.returncode != 0 and all(word in last for word in words) and 'panicked' not in done.stderr


def differences(shelf):
    return tengen('check', shelf=shelf).stdout.strip().splitlines()[-1]


def two_writers(files):
    shelf = WORK / 'two.shelf'
    remove(shelf)
    halves = files[::2], files[1::2]
    commands = [[PROGRAM, 'shelf', 'import', *map(str, half), '--shelf', str(shelf)] for half in halves]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for command in commands]
    looks = 0
    failed = []
    while any(process.poll() is None for process in running):
        if shelf.exists():
            done = tengen('explore', 'h8', '--json', shelf=shelf)
            looks += 1
            empty = 'no games' in done.stderr or 'no shelf' in done.stderr or 'not a shelf' in done.stderr
            if done.returncode != 0 and not empty:
                failed.append(done.stderr)
        time.sleep(0.05)
    statuses = [process.wait() for process in running]
    tengen('import', shelf=shelf)
    whole = WORK / 'whole.shelf'
    remove(whole)
    tengen('import', *files, shelf=whole)

    def games(of):
        database = sqlite3.connect(of)
        count = database.execute('SELECT count(*) FROM games').fetchone()[0]
        database.close()
        return count

    is_same = games(shelf) == games(whole)
    found = differences(shelf)
    is_good = statuses == [0, 0] and is_same and found.endswith(' 0 differences') and not failed
    note('two writers, a reader', is_good, f'statuses {statuses}, {looks} looks, {len(failed)} failed; {found}')


def full_disk(files):
    folder = WORK / 'small'
    folder.mkdir(exist_ok=True)
    mount = ['mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', str(folder)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        return note('full disk', None, 'no rights to mount a file system')
    try:
        shelf = folder / 'full.shelf'
        done = tengen('import', *files, shelf=shelf)
        is_said = one_line(done, 'no room on the disk')
        readable = tengen('stats', shelf=shelf)
        subprocess.run(['mount', '-o', 'remount,size=2g', str(folder)], check=True)
        again = tengen('import', *files, shelf=shelf)
        whole = WORK / 'whole.shelf'
        is_same = content(shelf) == content(whole)
        is_good = is_said and readable.returncode == 0 and again.returncode == 0 and is_same
        last = done.stderr.strip().splitlines()[-1:]
        note('full disk', is_good, f'status {done.returncode}, {last}; continued with more room: '
                                   f'{"the same content" if is_same else "ANOTHER CONTENT"}')
    finally:
        subprocess.run(['umount', str(folder)], check=False)


def damaged():
    whole = (WORK / 'whole.shelf').read_bytes()
    rng = random.Random(1)
    bad = []
    for number in range(12):
        shelf = WORK / 'cut.shelf'
        remove(shelf)
        if number < 6:
            data = whole[:rng.randrange(1, len(whole))]
        else:
            data = bytearray(whole)
            for _ in range(200):
                data[rng.randrange(100, len(data))] ^= 1 << rng.randrange(8)
        shelf.write_bytes(data)
        for command in (['check'], ['stats'], ['explore', 'h8'], ['find', '--year', '2010']):
            done = tengen(*command, shelf=shelf)
            if done.returncode < 0 or 'panicked' in done.stderr or (command == ['check'] and done.returncode == 0):
                bad.append((number, command, done.stderr))
    note('cut and damaged files', not bad, f'48 commands, {len(bad)} that crashed or noticed nothing {bad[:2]}')


def newer():
    shelf = WORK / 'newer.shelf'
    remove(shelf)
    shutil.copy(WORK / 'whole.shelf', shelf)
    database = sqlite3.connect(shelf)
    database.execute('PRAGMA user_version = 4')
    database.commit()
    database.close()
    before = shelf.read_bytes()
    done = [tengen(*command, shelf=shelf) for command in (['stats'], ['import', __file__], ['explore'])]
    is_good = all(one_line(one, 'schema 3', 'use a newer Tengen') for one in done) and shelf.read_bytes() == before
    note('newer schema', is_good, done[0].stderr.strip())


def endless_archive():
    bomb = WORK / 'bomb.zip'
    with zipfile.ZipFile(bomb, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('a.txt', 'h8 i9 h7\n')
        with archive.open('b.txt', 'w', force_zip64=True) as member:
            for _ in range(256):
                member.write(b'\n' * (1 << 20))
    shelf = WORK / 'bomb.shelf'
    remove(shelf)
    begin = time.monotonic()
    done = tengen('import', bomb, shelf=shelf)
    spent = time.monotonic() - begin
    is_good = done.returncode == 2 and 'expands to more than' in done.stderr and 'games: 1 new' in done.stdout
    note('endless archive', is_good, f'{done.stderr.strip()}; {spent:.1f} s')


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    files = sorted(path for path in GAMES.iterdir() if path.suffix != '.json')
    two_writers(files)
    full_disk(files)
    damaged()
    newer()
    endless_archive()
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    note('memory', memory < MEMORY, f'the largest process had {memory} MB')
    print(outcomes)
    sys.exit(1 if outcomes['failed'] else 0)


if __name__ == '__main__':
    main()
