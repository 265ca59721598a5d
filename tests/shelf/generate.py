#!/usr/bin/env python3
"""Writes a collection of random legal games, to measure `tengen shelf import`.

Usage: generate.py FOLDER [GAMES [SEED]]
       generate.py --headers FOLDER [SEED]

Ten games in a hundred at least are in each format that the shelf imports: SGF, PGN, PSQ, libraries of RenLib (in a
ZIP archive), lists of moves, games of the arena in JSON, and an XML file like RenjuNet's. Of a hundred games 90 are distinct,
and 10 repeat a game, turned or mirrored, with a part of its headers. One of the 90 deviates late from a common line,
as in self-play. Two are faulty: a point is taken twice or outside the board, the game goes on after five in a
row, or the result contradicts the board. `FOLDER.truth.json` has the number of games of each kind.

With `--headers` the files are short records in SGF with headers as they lie about: 24 spellings of dates, 16 of results, names in
the encoding of the folder that no file tells, and trees with variations, labels and comments of two authors.
`FOLDER.truth.json` has what each file says. `headers.py` compares it with a shelf.

The rules are gomoku of 15x15 where five or more win. The program shares no code with Tengen.
"""

import json
import random
import sys
import zipfile
from pathlib import Path

SIDE = 15
STRIDE = 16
#: A point that no board of 15x15 or 20x20 has.
OUTSIDE = (20, 3)
PLAYERS = [f'Player {number:03}' for number in range(800)]
EVENTS = [f'Event {number:03}' for number in range(300)]
#: The formats of ten games, and the kinds of a hundred.
FORMATS = ['sgf', 'sgf', 'sgf', 'pgn', 'psq', 'lib', 'moves', 'moves', 'jsonl', 'rif']
KINDS = ['repeated'] * 10 + ['self-play'] + ['faulty'] * 2 + ['random'] * 87


def wins(board):
    """Returns whether a bit board of 16 columns has five in a row."""
    for step in (1, STRIDE - 1, STRIDE, STRIDE + 1):
        twos = board & (board >> step)
        fours = twos & (twos >> (2 * step))
        if fours & (board >> (4 * step)):
            return True
    return False


class Game:
    """A game: cells as (column, row) from the bottom left, and headers."""

    def __init__(self, moves, result, headers):
        self.moves = moves
        self.result = result
        self.headers = headers

    def image(self, symmetry, keep):
        """Returns the same game, turned, with each header by the chance `keep`."""
        moves = [turn(move, symmetry) for move in self.moves]
        headers = {name: value for name, value in self.headers.items() if keep()}
        return Game(moves, self.result, headers)


def turn(point, symmetry):
    column, row = point
    if symmetry & 1:
        column = SIDE - 1 - column
    if symmetry & 2:
        row = SIDE - 1 - row
    return (row, column) if symmetry & 4 else (column, row)


def near(draw, point, most):
    """Returns a point at most `most` away in each direction. `draw` returns numbers from 0 to 1."""
    width = 2 * most + 1
    column = point[0] + int(draw() * width) - most
    row = point[1] + int(draw() * width) - most
    return min(SIDE - 1, max(0, column)), min(SIDE - 1, max(0, row))


def play(rng, line=(), follow=0):
    """Plays a game. The first `follow` moves are those of `line`."""
    draw = rng.random
    length = max(6, min(150, int(rng.gauss(42, 14))))
    moves, taken, boards = [], set(), [0, 0]
    for ply in range(length):
        if ply < follow and ply < len(line):
            point = line[ply]
        elif ply == 0:
            point = (7, 7)
        elif ply == 1:
            point = (7 + int(draw() * 2), 8)
        elif ply == 2:
            point = near(draw, (7, 7), 2)
        else:
            point = near(draw, moves[int(draw() * ply)], 2)
        while point in taken:
            point = near(draw, point, 3)
        taken.add(point)
        moves.append(point)
        side = ply & 1
        boards[side] |= 1 << (point[1] * STRIDE + point[0])
        if ply >= 8 and wins(boards[side]):
            return moves, (1, -1)[side]
    return moves, rng.choice([1, -1, 0, None])


#: The columns of a board, and of the points outside that faulty games have.
COLUMNS = range(26)
NAMES = {(column, row): f'{chr(97 + column)}{row + 1}' for column in COLUMNS for row in range(SIDE)}
LETTERS = {(column, row): chr(97 + column) + chr(97 + SIDE - 1 - row) for column in COLUMNS for row in range(SIDE)}
name, letters = NAMES.get, LETTERS.get


def sgf(game, _):
    words = {1: 'B+R', -1: 'W+R', 0: '0'}
    properties = [('GM', '4'), ('SZ', '15'), ('RU', 'freestyle')]
    for ours, theirs in [('black', 'PB'), ('white', 'PW'), ('event', 'EV'), ('date', 'DT'), ('round', 'RO')]:
        if ours in game.headers:
            properties.append((theirs, game.headers[ours]))
    if game.result is not None:
        properties.append(('RE', words[game.result]))
    root = ''.join(f'{key}[{value}]' for key, value in properties)
    moves = ''.join(f';{"BW"[ply % 2]}[{letters(point)}]' for ply, point in enumerate(game.moves))
    return f'(;{root}{moves})\n'


def pgn(game, _):
    words = {1: '1-0', -1: '0-1', 0: '1/2-1/2', None: '*'}
    tags = [('Variant', 'gomokufreestyle'), ('Result', words[game.result])]
    for ours, theirs in [('event', 'Event'), ('date', 'Date'), ('round', 'Round'), ('black', 'White'), ('white', 'Black')]:
        tags.append((theirs, game.headers.get(ours, '?').replace('-', '.' if ours == 'date' else '-')))
    head = ''.join(f'[{key} "{value}"]\n' for key, value in sorted(tags, key=lambda tag: tag[0] != 'Event'))
    moves = ' '.join((f'{ply // 2 + 1}. ' if ply % 2 == 0 else '') + name(point) for ply, point in enumerate(game.moves))
    return f'{head}\n{moves} {words[game.result]}\n\n'


def psq(game, _):
    lines = [f'{column + 1},{SIDE - row},{17 * ply}' for ply, (column, row) in enumerate(game.moves)]
    names = []
    if 'black' in game.headers and 'white' in game.headers:
        names = [game.headers['black'], game.headers['white']]
    words = {1: '1,Freestyle15_1', -1: '2,Freestyle15_1', 0: '0,Freestyle15_1'}
    last = [words[game.result]] if game.result is not None and names else []
    return '\n'.join(['Piskvorky 15x15, 11:11, 0', *lines, *names, '-1', *last]) + '\n'


def moves(game, _):
    words = {1: ' 1-0', -1: ' 0-1', 0: ' 1/2-1/2', None: ''}
    return ' '.join(name(point) for point in game.moves) + words[game.result] + '\n'


def jsonl(game, number):
    words = {1: '1-0', -1: '0-1', 0: '1/2-1/2', None: '*'}
    line = {
        'id': number,
        'players': [game.headers.get('black', 'A'), game.headers.get('white', 'B')],
        'variant': 'gomokufreestyle', 'size': [15, 15],
        'moves': [name(point) for point in game.moves], 'score': words[game.result],
        'started': game.headers.get('date', ''),
    }
    return json.dumps(line) + '\n'


def lib(game, _):
    head = bytes([0xFF]) + b'RenLib' + bytes([0xFF, 3, 0]) + bytes([0xFF]) * 10
    nodes = bytearray()
    for index, (column, row) in enumerate(game.moves):
        last = index == len(game.moves) - 1
        x = column + 1 if column < SIDE else 0
        nodes += bytes([16 * (SIDE - 1 - row) + x, 0x40 if last else 0])
    return head + bytes(nodes)


def rif(game, number):
    result = {1: '1', -1: '0', 0: '0.5', None: ''}[game.result]
    black = PLAYERS.index(game.headers['black']) + 1 if 'black' in game.headers else ''
    white = PLAYERS.index(game.headers['white']) + 1 if 'white' in game.headers else ''
    event = EVENTS.index(game.headers['event']) + 1 if 'event' in game.headers else ''
    line = ' '.join(name(point) for point in game.moves)
    return (f'<game id="{number}" tournament="{event}" round="" rule="1" black="{black}" white="{white}" '
            f'bresult="{result}" opening="" alt="" swap=""><move>{line}</move></game>\r\n')


RIF_HEAD = ''.join([
    '<?xml version="1.0" encoding="UTF-8"?>\r\n<database version="1.0" date="2026-01-01">\r\n<rules>\r\n',
    '<rule id="1" name="freestyle" category="2"/>\r\n</rules>\r\n<players>\r\n',
    ''.join(f'<player id="{number + 1}" name="{player.split()[0]}" surname="{player.split()[1]}"/>\r\n'
            for number, player in enumerate(PLAYERS)),
    '</players>\r\n<tournaments>\r\n',
    ''.join(f'<tournament id="{number + 1}" name="{event}" year="{2000 + number % 25}" start=""/>\r\n'
            for number, event in enumerate(EVENTS)),
    '</tournaments>\r\n<games>\r\n',
])
WRITERS = {'sgf': sgf, 'pgn': pgn, 'psq': psq, 'moves': moves, 'jsonl': jsonl}
EXTENSIONS = {'sgf': 'sgf', 'pgn': 'pgn', 'psq': 'psq', 'moves': 'txt', 'jsonl': 'jsonl'}
#: The games of a file.
PER_FILE = 20000


class Output:
    """The files of one format."""

    def __init__(self, folder, form):
        self.folder, self.form, self.count, self.file = folder, form, 0, None

    def write(self, text):
        if self.count % PER_FILE == 0:
            if self.file:
                self.file.close()
            number = self.count // PER_FILE
            self.file = open(self.folder / f'{self.form}-{number:03}.{EXTENSIONS[self.form]}', 'w', newline='')
        self.file.write(text)
        self.count += 1

    def close(self):
        if self.file:
            self.file.close()


def spoil(rng, game):
    """Makes a game faulty. Returns how."""
    fault = rng.choice(['taken', 'outside', 'goes on', 'result'])
    if fault in ('taken', 'outside'):
        at = rng.randrange(2, len(game.moves))
        bad = game.moves[rng.randrange(at)] if fault == 'taken' else OUTSIDE
        game.moves = [*game.moves[:at], bad, *game.moves[at:]]
    elif fault == 'goes on':
        game.moves, game.result = play_to_five(rng)
        free = [(column, row) for column in range(SIDE) for row in range(SIDE) if (column, row) not in game.moves]
        game.moves = game.moves + free[:2]
    else:
        game.moves, result = play_to_five(rng)
        game.result = -result
    return fault


def play_to_five(rng):
    """Plays games until one ends by five in a row."""
    while True:
        moves, result = play(rng)
        if len(moves) % 2 == (result == 1) and ends_in_five(moves):
            return moves, result


def ends_in_five(moves):
    board = 0
    for column, row in moves[(len(moves) - 1) % 2::2]:
        board |= 1 << (row * STRIDE + column)
    return wins(board)


MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

#: The spellings of a date, and which parts of it are certain: year, month and day.
DATES = [
    (lambda y, m, d: f'{y}-{m:02}-{d:02}', 3),
    (lambda y, m, d: f'{y}/{m}/{d}', 3),
    (lambda y, m, d: f'{y}.{m:02}.{d:02}', 3),
    (lambda y, m, d: f'{y}{m:02}{d:02}', 3),
    (lambda y, m, d: f'{y}年{m}月{d}日', 3),
    (lambda y, m, d: f'{y}年{m}月', 2),
    (lambda y, m, d: f'{y}年', 1),
    (lambda y, m, d: f'{d} {MONTHS[m - 1]} {y}', 3),
    (lambda y, m, d: f'{MONTHS[m - 1]} {d}, {y}', 3),
    (lambda y, m, d: f'{d}-{MONTHS[m - 1][:3]}-{y}', 3),
    (lambda y, m, d: f'{MONTHS[m - 1][:3]} {y}', 2),
    (lambda y, m, d: f'{MONTHS[m - 1]} {y}', 2),
    (lambda y, m, d: f'{d}.{m}.{y}', 3),
    (lambda y, m, d: f'{d:02}.{m:02}.{y}', 3),
    # With slashes the order is certain only if one number is no month, or both are equal.
    (lambda y, m, d: f'{m}/{d}/{y}', lambda m, d: 3 if d > 12 or d == m else 1),
    (lambda y, m, d: f'{d}/{m}/{y}', lambda m, d: 3 if d > 12 or d == m else 1),
    (lambda y, m, d: f'{y}', 1),
    (lambda y, m, d: f'{y}-{m:02}', 2),
    (lambda y, m, d: f'{y}-{m:02}-??', 2),
    (lambda y, m, d: f'{m}/{y}', 2),
    (lambda y, m, d: f'{y}-{m:02}-{d:02},{min(d + 1, 28):02}', 3),
    (lambda y, m, d: f'{y}-{m:02}-{d:02} 18:30', 3),
    (lambda y, m, d: f'{y % 100:02}-{m}-{d}', 0),
    (lambda y, m, d: 'unknown', 0),
]
#: The spellings of a result, and the result for the first player.
RESULTS = [
    ('B+', 1), ('B+R', 1), ('B+Resign', 1), ('b+', 1), ('Black wins', 1), ('1-0', 1), ('黑胜', 1),
    ('W+', -1), ('W+T', -1), ('White', -1), ('0-1', -1), ('0', 0), ('Draw', 0), ('1/2-1/2', 0), ('?', None), ('Void', None),
]
#: Encodings, and names that people write in them.
ENCODINGS = {
    'gb18030': ['王海清', '刘浩', '陈新', '张一鸣', '李建国'],
    'big5': ['張藝騰', '陳韋君', '林書玄', '黃國維', '蘇偉凡'],
    'shift_jis': ['中村茂', '河村典彦', '長谷川一人', '岡部寛', '山口釉水'],
    'euc_kr': ['김철수', '박정환', '이영희', '최민준', '정수빈'],
    'utf-8': ['Nguyễn Đức', 'Võ Đình Chiến', 'Müller', 'Ōsawa', 'Иванов'],
}
#: What the authors of trees write; `|` stands between two comments.
AUTHORS = {'Anna': 'the centre is strong|here White can defend', 'Ben': 'I like the diagonal|see the game of 1999 \\] (;B'}


def spelled_date(rng, place):
    """Returns a date in a spelling, and the date as the shelf stores it: YYYYMMDD, 0 for what is unknown, or None."""
    year, month, day = rng.randint(1965, 2025), rng.randint(1, 12), rng.randint(1, 28)
    write, certain = DATES[place % len(DATES)]
    parts = certain(month, day) if callable(certain) else certain
    known = [year, month, day][:parts] + [0] * (3 - parts)
    return write(year, month, day), known[0] * 10000 + known[1] * 100 + known[2] if parts else None


def quiet_moves(rng, count):
    """Returns moves that make no five in a row."""
    cells = [(column, row) for column in range(0, SIDE, 2) for row in range(0, SIDE, 3)]
    return [(6, 6)] + rng.sample([cell for cell in cells if cell != (6, 6)], count - 1)


def tree(rng, author):
    """Returns a tree in SGF with variations, a label and comments of an author, and its comments."""
    first, second = AUTHORS[author].split('|')
    line, other = quiet_moves(rng, 6), quiet_moves(rng, 4)
    nodes = [f';{"BW"[ply % 2]}[{letters(point)}]' for ply, point in enumerate(line)]
    branch = ''.join(f';{"WB"[ply % 2]}[{letters(point)}]' for ply, point in enumerate(other[1:3]))
    nodes[0] += f'C[{first}]LB[{letters(line[1])}:A]'
    nodes[-1] += f'C[{second}]'
    # The second comment of Ben has an escaped bracket.
    return f'{nodes[0]}({"".join(nodes[1:])})({branch})', [first, second.replace('\\]', ']')]


def write_headers(folder, rng):
    """Writes the records with headers as they lie about, and what they say."""
    files = {}
    for encoding, names in ENCODINGS.items():
        (folder / encoding).mkdir(parents=True, exist_ok=True)
        for number in range(4 * len(DATES)):
            date, stored = spelled_date(rng, number)
            result, value = RESULTS[rng.randrange(len(RESULTS))]
            fits = lambda text: text.isascii() or encoding in ('utf-8', 'gb18030')
            if not fits(date):
                date, stored = f'{1990 + number % 30}', (1990 + number % 30) * 10000
            if not fits(result):
                result, value = 'B+', 1
            black, white = rng.sample(names, 2)
            comments = []
            author = [None, 'Anna', 'Ben'][number % 3]
            if author:
                played, comments = tree(rng, author)
            else:
                played = ''.join(f';{"BW"[ply % 2]}[{letters(point)}]' for ply, point in enumerate(quiet_moves(rng, 12)))
            root = f'GM[4]SZ[15]RU[renju]PB[{black}]PW[{white}]DT[{date}]RE[{result}]'
            (folder / encoding / f'{number:03}.sgf').write_bytes(f'(;{root}{played})\n'.encode(encoding))
            files[f'{encoding}/{number:03}.sgf'] = [black, white, stored, value, date, comments]
    Path(f'{folder}.truth.json').write_text(json.dumps(files, ensure_ascii=False, indent=1))
    print(f'{len(files)} files')


def main():
    if sys.argv[1] == '--headers':
        write_headers(Path(sys.argv[2]), random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1))
        return
    folder = Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    folder.mkdir(parents=True, exist_ok=True)
    outputs = {form: Output(folder, form) for form in WRITERS}
    archive = zipfile.ZipFile(folder / 'libraries.zip', 'w', zipfile.ZIP_DEFLATED, compresslevel=1)
    database = open(folder / 'renjunet.rif', 'w', newline='')
    database.write(RIF_HEAD)
    truth = {'games': count, 'kinds': {}, 'faults': {}, 'formats': {}}

    def count_one(name, key):
        truth[name][key] = truth[name].get(key, 0) + 1

    recent, line = [], None
    forms, kinds = [], []
    for number in range(count):
        forms = forms or rng.sample(FORMATS, len(FORMATS))
        kinds = kinds or rng.sample(KINDS, len(KINDS))
        form, kind = forms.pop(), kinds.pop() if recent else 'random'
        count_one('kinds', kind)
        count_one('formats', form)
        if kind == 'repeated':
            original = recent[rng.randrange(len(recent))]
            game = original.image(rng.randrange(8), lambda: rng.random() < 0.7)
        else:
            if kind == 'self-play':
                if line is None or rng.random() < 0.005:
                    line, _ = play(rng)
                played, result = play(rng, line, rng.randint(20, 40))
            else:
                played, result = play(rng)
            headers = {
                'black': rng.choice(PLAYERS), 'white': rng.choice(PLAYERS), 'event': rng.choice(EVENTS),
                'date': f'{rng.randint(1995, 2025)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}',
                'round': str(rng.randint(1, 11)),
            }
            game = Game(played, result, headers)
            if kind == 'faulty':
                count_one('faults', spoil(rng, game))
            else:
                recent.append(game)
                if len(recent) > 5000:
                    recent[rng.randrange(5000)] = recent.pop()
        if form == 'lib':
            archive.writestr(f'{number:07}.lib', lib(game, number))
        elif form == 'rif':
            database.write(rif(game, number))
        else:
            outputs[form].write(WRITERS[form](game, number))
    database.write('</games>\r\n</database>\r\n')
    database.close()
    archive.close()
    for output in outputs.values():
        output.close()
    Path(f'{folder}.truth.json').write_text(json.dumps(truth, indent=1))
    print(json.dumps(truth))


if __name__ == '__main__':
    main()
