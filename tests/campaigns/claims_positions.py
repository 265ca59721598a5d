"""The positions of the campaign `claims`: published ones, those of games of the program with itself, and random ones."""

import random
import re

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Group:
    """Positions of one game. `rule` is its name in the referee; None if exact values are compared."""

    def __init__(self, variant, width=15, height=15, rule=None, options=None, k=4, falls=True, misere=False):
        self.variant, self.width, self.height, self.rule = variant, width, height, rule
        self.k, self.falls, self.misere = k, falls, misere
        # Options stay when the variant changes, so each is set.
        self.options = {"BoardWidth": 0, "BoardHeight": 0, "ConnectK": 4, "Gravity": "true", "Overline": "true", **(options or {})}


def custom(width, height, k, falls):
    """Returns the group of an m,n,k game."""
    options = {"BoardWidth": width, "BoardHeight": height, "ConnectK": k, "Gravity": str(falls).lower()}
    return Group("custom", width, height, options=options, k=k, falls=falls)


GROUPS = {
    "freestyle": Group("gomokufreestyle", rule="freestyle"),
    "freestyle 20x20": Group("freestyle20", 20, 20, rule="freestyle"),
    "exactly five": Group("gomoku", rule="exact"),
    "renju": Group("renju", rule="renju"),
    "caro": Group("caro", rule="caro"),
    "caro, exactly five": Group("caro", rule="caro-exact", options={"Overline": "false"}),
    "four in a row": Group("cfour", 7, 6),
    "four in a row 9x5": custom(9, 5, 4, True),
    "four in a row 10x6": custom(10, 6, 4, True),
    "misère": Group("cfour-misere", 7, 6, misere=True),
    "tic-tac-toe": Group("tictactoe", 3, 3, k=3, falls=False),
    "4x4, three in a row": custom(4, 4, 3, False),
    "4x4, four in a row": custom(4, 4, 4, False),
    "5x4, four in a row": custom(5, 4, 4, False),
}

# How many positions: published, of games of the program with itself, random.
SHARES = {
    "freestyle": (700, 400, 200),
    "freestyle 20x20": (400, 400, 200),
    "exactly five": (500, 400, 200),
    "renju": (1000, 600, 300),
    "caro": (500, 400, 200),
    "caro, exactly five": (500, 400, 200),
    "four in a row": (1000, 200, 300),
    "four in a row 9x5": (250, 0, 0),
    "four in a row 10x6": (250, 0, 0),
    "misère": (0, 0, 300),
    "tic-tac-toe": (0, 0, 100),
    "4x4, three in a row": (0, 0, 100),
    "4x4, four in a row": (0, 0, 100),
    "5x4, four in a row": (0, 0, 100),
}


def name(column, row):
    """Returns the name of a point."""
    return LETTERS[column] + str(row + 1)


def point(text):
    """Returns the column and the row of a point."""
    return LETTERS.index(text[0].lower()), int(text[1:]) - 1


def fen(group, stones, turn):
    """Returns the FEN of a position; in a FEN the first player is White."""
    rows = []
    for row in reversed(range(group.height)):
        text = "".join(".Pp"[stones.get(name(column, row), 0)] for column in range(group.width))
        rows.append(re.sub(r"\.+", lambda run: str(len(run[0])), text))
    return f"{'/'.join(rows)} {'w' if turn == 1 else 'b'}"


def is_row(group, stones, text):
    """Returns whether a stone is part of a row that may end the game. Longer and closed rows count, too: such positions are left
    out."""
    column, row = point(text)
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        count = 1
        for way in (1, -1):
            x, y = column + way * right, row + way * up
            while 0 <= x < group.width and 0 <= y < group.height and stones.get(name(x, y)) == stones[text]:
                count, x, y = count + 1, x + way * right, y + way * up
        if count >= (5 if group.rule else group.k):
            return True
    return False


def is_open(group, stones):
    """Returns whether no row ends the game and two points at least are empty."""
    return len(stones) + 2 <= group.width * group.height and not any(is_row(group, stones, text) for text in stones)


def published_fives(group, data, count):
    """Yields published positions; on a larger board they stand in the middle."""
    sets = ["renju_vcf.tsv", "renju_win_puzzles.tsv"] if group.rule == "renju" else ["freestyle_vcf.tsv", "renju_win_puzzles.tsv"]
    rows = []
    for file in sets:
        head, *lines = (line.split("\t") for line in (data / "gomoku" / file).read_text().splitlines())
        rows += [dict(zip(head, line)) for line in lines]
    shift = (group.width - 15) // 2
    for place in range(count):
        row = rows[place * len(rows) // count]
        stones = {}
        for side, key in ((1, "black"), (2, "white")):
            for text in filter(None, row[key].split(",")):
                column, line = point(text)
                stones[name(column + shift, line + shift)] = side
        yield stones, 1 if row["side"] == "b" else 2, None


def published_fours(group, data, count):
    """Yields published positions of four in a row with their scores."""
    if group.variant == "cfour":
        files, base = sorted((data / "connect4").glob("Test_L*")), 1
    else:
        files, base = sorted((data / "connect4" / "other_sizes").glob(f"{group.width}x{group.height}_*")), 0
    # Those near the end first: a small search solves more of them.
    rows = [line.split() for file in files for line in file.read_text().splitlines()]
    rows = sorted((row for row in rows if len(row) == 2), key=lambda row: -len(row[0]))[:count * 3 // 2]
    for place in range(count):
        moves, score = rows[place * len(rows) // count]
        stones, heights = {}, [0] * group.width
        for number, column in enumerate(int(move) - base for move in moves):
            stones[name(column, heights[column])] = 1 + number % 2
            heights[column] += 1
        yield stones, 1 + len(moves) % 2, int(score)


def own_games(group, count, engine, rng):
    """Yields positions of the second halves of games of the program with itself, 1,000 nodes a move, after five random moves."""
    found = 0
    while found < count:
        stones, line = {}, []
        middle = group.width // 2, group.height // 2
        while len(line) < (5 if group.rule else 8):
            column, row = (rng.randrange(centre - 3, centre + 4 - (group.width < 8)) for centre in middle)
            row = sum(name(column, row) in stones for row in range(group.height)) if group.falls and not group.rule else row
            text = name(column, row)
            if text not in stones and row < group.height:
                line.append(text)
                stones[text] = 1 + (len(line) + 1) % 2
        start, turn, line = fen(group, stones, 1 + len(line) % 2), 1 + len(line) % 2, []
        if not is_open(group, stones):
            continue
        game = []
        while is_open(group, stones):
            game.append((dict(stones), turn, None))
            lines = engine.search(group.variant, f"fen {start} moves {' '.join(line)}" if line else f"fen {start}", "nodes 1000", 16, group.options)
            best = lines[-1].split()[1].replace("P@", "")
            if best in ("0000", "(none)"):
                break
            line.append(best)
            stones[best] = turn
            turn = 3 - turn
        game = game[len(game) // 2:]
        for position in game[::max(1, len(game) // 12)][:count - found]:
            found += 1
            yield position


def random_boards(group, count, rng):
    """Yields boards of random stones in clusters, as many of each side; where stones fall, random games."""
    found = 0
    while found < count:
        stones = {}
        cells = group.width * group.height
        column, row = group.width // 2, group.height // 2
        # A small board keeps few empty points, so that the referee solves it.
        goal = rng.randrange(10, 50) if group.rule else rng.randrange(cells // 4, cells - 2) if cells < 30 else rng.randrange(cells - 20, cells - 3)
        tries = 0
        while len(stones) < goal and tries < 1000:
            tries += 1
            if rng.randrange(7) == 0 or not group.rule:
                column, row = rng.randrange(group.width), rng.randrange(group.height)
            column = min(max(column + rng.randrange(-2, 3), 0), group.width - 1)
            row = min(max(row + rng.randrange(-2, 3), 0), group.height - 1)
            if group.falls and not group.rule:
                row = sum(name(column, row) in stones for row in range(group.height))
            text = name(column, row)
            if row < group.height and text not in stones:
                stones[text] = 1 + len(stones) % 2
                if is_row(group, stones, text):
                    del stones[text]
        if len(stones) == goal:
            found += 1
            yield stones, 1 + goal % 2, None


def positions(engine, data, seed, part):
    """Yields all positions: the group, the source, the stones, the side to move, and the published score or None."""
    for label, shares in SHARES.items():
        group = GROUPS[label]
        published, own, scattered = (share * part // 100 for share in shares)
        rng = random.Random(f"{seed} {label}")
        sources = [
            ("published", (published_fives if group.rule else published_fours)(group, data, published)),
            ("own games", own_games(group, own, engine, rng)),
            ("random", random_boards(group, scattered, rng)),
        ]
        for source, found in sources:
            for stones, turn, score in found:
                if is_open(group, stones):
                    yield label, source, stones, turn, score
