#!/usr/bin/env python3
"""Compares `tengen shelf explore` with a recount that shares no code with Tengen.

Usage: recount.py TENGEN SHELF [POSITIONS [SEED]]

The games are read from the table `games` of the shelf with Python's own SQLite. Positions are all of the first six plies
that at least 50 games reached, and POSITIONS others (10,000) at any ply. Every game is played through, and each position that was
chosen is counted under the eight symmetries of the board, by hashes that this program draws itself. The program prints
the number of positions, the differences, and the time of a question: of each position in one process, in the second round,
and of some in a process each.
Only the board with the most games is checked, which must be a square without gravity.
"""

import json
import random
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict

TIMED = 300


def main():
    program, shelf = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    database = sqlite3.connect(f'file:{shelf}?mode=ro', uri=True)
    board, variant, side = database.execute(
        'SELECT id, variant, width FROM boards ORDER BY games DESC LIMIT 1').fetchone()
    cells = side * side
    images = []
    for symmetry in range(8):
        image = []
        for cell in range(cells):
            column, row = cell % side, cell // side
            column = side - 1 - column if symmetry & 1 else column
            row = side - 1 - row if symmetry & 2 else row
            image.append(column * side + row if symmetry & 4 else row * side + column)
        images.append(image)
    drawn = [[rng.getrandbits(64) for _ in range(cells)] for _ in range(2)]
    stones = [[tuple(drawn[who][image[cell]] for image in images) for cell in range(cells)] for who in range(2)]

    def games():
        query = 'SELECT moves, ended, result FROM games WHERE board = ? AND start IS NULL'
        for moves, ended, result in database.execute(query, (board,)):
            line = list(moves) if cells <= 256 else [moves[at] << 8 | moves[at + 1] for at in range(0, len(moves), 2)]
            yield line[:ended], result

    def keys(line):
        """Yields the key of each position, before the first move and after each."""
        sums = (0,) * 8
        yield 0
        for ply, cell in enumerate(line):
            sums = tuple(one ^ other for one, other in zip(sums, stones[ply % 2][cell]))
            yield min(sums)

    chosen = {}
    popular = defaultdict(int)
    total = 0
    for line, _ in games():
        total += 1
        known = list(keys(line))
        for ply, key in enumerate(known[:7]):
            popular[key] += 1
            if popular[key] == 50:
                chosen[key] = line[:ply]
    for line, _ in games():
        if rng.random() < 1.2 * count / total and len(chosen) < count + len(popular):
            plies = rng.randint(0, len(line))
            chosen.setdefault(list(keys(line))[plies], line[:plies])
    expected = {key: defaultdict(lambda: [0, 0, 0, 0]) for key in chosen}
    totals = {key: [0, 0, 0, 0] for key in chosen}
    for line, result in games():
        known = list(keys(line))
        for ply, key in enumerate(known):
            if key not in chosen:
                continue
            mover = 1 if ply % 2 == 0 else -1
            counts = [totals[key]]
            if ply < len(line):
                counts.append(expected[key][known[ply + 1]])
            for numbers in counts:
                numbers[0] += 1
                if result is not None:
                    numbers[1 if result == mover else 2 if result == 0 else 3] += 1

    def name(cell):
        return f'{chr(97 + cell % side)}{cell // side + 1}'

    asked = [' '.join(name(cell) for cell in line) for line in chosen.values()]
    command = [program, 'shelf', 'explore', '--shelf', shelf, '--variant', variant, '--json']
    lines, warm = [], []
    with subprocess.Popen(command + ['--positions', '-'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        # The first round reads the pages of the file.
        for is_timed in (False, True):
            for question in asked:
                begin = time.monotonic()
                process.stdin.write(question + '\n')
                process.stdin.flush()
                line = process.stdout.readline()
                if is_timed:
                    warm.append(time.monotonic() - begin)
                    lines.append(line)
        process.stdin.close()
    warm.sort()
    differences = 0 if len(lines) == len(asked) else 1
    for (key, line), text in zip(chosen.items(), lines):
        found = json.loads(text)
        fields = ('games', 'wins', 'draws', 'losses')
        found_moves = defaultdict(lambda: [0, 0, 0, 0])
        for move in found['moves']:
            cell = (int(move['move'][1:]) - 1) * side + ord(move['move'][0]) - 97
            after = list(keys(line + [cell]))[-1]
            if move['games']:
                found_moves[after] = [found_moves[after][at] + move[field] for at, field in enumerate(fields)]
        if [found[field] for field in fields] != totals[key] or found_moves != expected[key]:
            differences += 1
            print(f'differs after {" ".join(map(name, line))}: {dict(found_moves)}, recounted {dict(expected[key])}')
    times = []
    for line in rng.sample(asked, min(TIMED, len(asked))):
        begin = time.monotonic()
        subprocess.run(command + [line], capture_output=True, check=True)
        times.append(time.monotonic() - begin)
    times.sort()
    print(f'{total} games, {len(asked)} positions, {differences} differences')
    print(f'in one process, warm: median {1000 * warm[len(warm) // 2]:.2f} ms, 99 % within '
          f'{1000 * warm[len(warm) * 99 // 100]:.2f} ms, at most {1000 * warm[-1]:.1f} ms')
    print(f'a process each: median {1000 * times[len(times) // 2]:.1f} ms, '
          f'99 % within {1000 * times[len(times) * 99 // 100]:.1f} ms')
    sys.exit(1 if differences else 0)


if __name__ == '__main__':
    main()
