"""Plays games of weak levels, reviews them, and checks every reason for a bad move by rules of its own.

    python reasons.py TENGEN [--moves 1000] [--variants gomokufreestyle,gomoku,renju,cfour] [--nodes 50000]
                             [--seed 1] [--save FILE] [--show KIND]

Two levels from 2 to 7 play each game after a few random moves. The review is that of the JSON protocol. A bad move loses
40 % of the expected score or more. For each one the program replays the facts of its `reason`: it knows the rules of the
games and no threats, and it uses no code of Tengen. Prints a table of the kinds, and each fact that does not hold; the
exit status is 1 if there is one.

A win in a line is replayed to its end. Of a win by fours this is the whole proof: each four has one answer. Of a win by
threes, or of a search, the line is one of many, so the claim that it wins against every defence is that of the search.
"""

import argparse
import collections
import json
import random
import subprocess
import sys
from pathlib import Path

COLUMNS = "abcdefghijklmnopqrstuvwxyz"
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
FIVES = {"gomokufreestyle", "gomoku", "renju"}
# The most nodes of the search for wins by fours.
FOUR_NODES = 3000


class Board:
    """Stones by their points, and the rules. Sides are 0 and 1."""

    def __init__(self, variant):
        self.variant, self.stones = variant, {}
        self.falls = variant == "cfour"
        self.width, self.height, self.connect = (7, 6, 4) if self.falls else (15, 15, 5)

    def empty(self):
        return [(c, r) for c in range(self.width) for r in range(self.height) if (c, r) not in self.stones]

    def is_inside(self, point):
        return 0 <= point[0] < self.width and 0 <= point[1] < self.height

    def row(self, point, direction, side):
        """The length of the row of `side` through a point in a direction, with a stone on the point."""
        length = 1
        for sign in (1, -1):
            at = (point[0] + sign * direction[0], point[1] + sign * direction[1])
            while self.stones.get(at) == side:
                length += 1
                at = (at[0] + sign * direction[0], at[1] + sign * direction[1])
        return length

    def wins(self, point, side):
        """Whether a stone of `side` on an empty point wins, whether or not it can be played now."""
        lengths = [self.row(point, direction, side) for direction in DIRECTIONS]
        exact = self.variant == "gomoku" or (self.variant == "renju" and side == 0)
        return any(n == self.connect if exact else n >= self.connect for n in lengths)

    def can_play(self, point, side):
        """Whether the rules allow a stone there now."""
        if point in self.stones or not self.is_inside(point):
            return False
        if self.falls:
            return point[1] == 0 or (point[0], point[1] - 1) in self.stones
        return self.forbidden(point, side) is None

    def winning(self, side):
        """The points on which `side` would win at once."""
        return {p for p in self.empty() if self.wins(p, side) and self.can_play(p, side)}

    def with_stone(self, point, side, question):
        self.stones[point] = side
        answer = question()
        del self.stones[point]
        return answer

    def near(self, point):
        return [p for d in DIRECTIONS for n in range(-4, 5) if n and self.is_inside(p := (point[0] + n * d[0], point[1] + n * d[1]))]

    def can_make_four(self, point, side):
        """Whether three stones of `side` are near enough on one line through a point."""
        lines = [[(point[0] + n * d[0], point[1] + n * d[1]) for n in range(-4, 5)] for d in DIRECTIONS]
        return any(sum(self.stones.get(p) == side for p in line) >= 3 for line in lines)

    def winning_near(self, point, side):
        """The points on which `side` would win at once, on the lines through a point."""
        free = [p for p in self.near(point) if p not in self.stones]
        return {p for p in free if self.wins(p, side) and self.can_play(p, side)}

    def open_fours(self, side):
        """The points on which a stone of `side` makes an open four: two winning points on one line. Nobody must threaten to win now."""
        return {
            p
            for p in self.empty()
            if self.can_make_four(p, side)
            and not self.wins(p, side)
            and self.can_play(p, side)
            and self.with_stone(p, side, lambda p=p: self.on_one_line(p, self.winning_near(p, side)))
        }

    @staticmethod
    def on_one_line(point, points):
        """Whether two of the points are on one line through a point."""
        steps = [(p[0] - point[0], p[1] - point[1]) for p in points]
        return any(a[0] * b[1] == a[1] * b[0] for i, a in enumerate(steps) for b in steps[:i])

    # The forbidden points follow the text of the rule of renju.
    def forbidden(self, point, side):
        """The rules that forbid the point to `side`; None if none does."""
        if self.variant != "renju" or side != 0:
            return None
        lengths = [self.row(point, d, 0) for d in DIRECTIONS]
        if 5 in lengths:
            return None
        names = set()
        if any(n > 5 for n in lengths):
            names.add("overline")
        self.stones[point] = 0
        if sum(len(self.fours(point, d)) for d in DIRECTIONS) >= 2:
            names.add("double-four")
        if sum(self.is_three(point, d) for d in DIRECTIONS) >= 2:
            names.add("double-three")
        del self.stones[point]
        return names or None

    def line(self, point, direction, side):
        """The points of the unbroken row through a stone."""
        found = {point}
        for sign in (1, -1):
            at = (point[0] + sign * direction[0], point[1] + sign * direction[1])
            while self.stones.get(at) == side:
                found.add(at)
                at = (at[0] + sign * direction[0], at[1] + sign * direction[1])
        return found

    def free_on(self, point, direction):
        line = [(point[0] + n * direction[0], point[1] + n * direction[1]) for n in range(-4, 5)]
        return [p for p in line if self.is_inside(p) and p not in self.stones]

    def fours(self, point, direction):
        """The sets of four stones through a stone which one more makes five."""
        found = set()
        for end in self.free_on(point, direction):
            five = self.line(end, direction, 0)
            if len(five) == 5 and point in five:
                found.add(frozenset(five - {end}))
        return found

    def is_three(self, point, direction):
        """Whether one more allowed stone makes a straight four through a stone."""
        for more in self.free_on(point, direction):
            row = self.line(more, direction, 0)
            if len(row) != 4 or point not in row:
                continue
            ordered = sorted(row)
            ends = [
                (ordered[0][0] - direction[0], ordered[0][1] - direction[1]),
                (ordered[-1][0] + direction[0], ordered[-1][1] + direction[1]),
            ]
            makes_five = lambda e, more=more: (  # noqa: E731
                self.is_inside(e) and e not in self.stones and self.with_stone(more, 0, lambda: self.row(e, direction, 0) == 5)
            )
            if all(makes_five(e) for e in ends) and self.forbidden(more, 0) is None:
                if not any(self.row(more, d, 0) == 5 for d in DIRECTIONS):
                    return True
        return False

    def wins_by_fours(self, side, budget):
        """Whether `side`, which is to move, wins by continuous fours; None if the budget, a list of one number, runs out."""
        budget[0] -= 1
        if budget[0] < 0:
            return None
        if self.winning(side):
            return True
        answers_needed = self.winning(1 - side)
        unknown = False
        for p in self.empty():
            if answers_needed - {p} or not self.can_make_four(p, side) or not self.can_play(p, side):
                continue
            points = self.with_stone(p, side, lambda p=p: self.winning_near(p, side))
            if not points:
                continue
            self.stones[p] = side
            answer = next(iter(points))
            if self.winning_near(p, 1 - side) or self.winning(1 - side):
                found = False
            elif len(points) > 1 or not self.can_play(answer, 1 - side):
                found = True
            else:
                found = self.with_stone(answer, 1 - side, lambda: self.wins_by_fours(side, budget))
            del self.stones[p]
            if found:
                return True
            unknown |= found is None
        return None if unknown else False


def point(name):
    return (COLUMNS.index(name[0]), int(name[1:]) - 1)


class Check:
    """The facts of one reason. `faults` has those that do not hold."""

    def __init__(self, variant, moves, reply):
        self.board, self.faults, self.unknown = Board(variant), [], 0
        self.reason, self.mv = reply["reason"], point(reply["move"])
        for index, move in enumerate(moves[: reply["number"] - 1]):
            self.board.stones[point(move)] = index % 2
        self.mover = (reply["number"] - 1) % 2
        self.side = ["first", "second"].index(self.reason["side"])
        self.points = {point(p) for p in self.reason["points"]}
        self.stops = {point(p) for p in self.reason["stops"]}
        getattr(self, self.reason["kind"])()

    def expect(self, holds, fact):
        if not holds:
            self.faults.append(fact)

    def after(self, question):
        return self.board.with_stone(self.mv, self.mover, question)

    def forbidden(self):
        names = self.board.forbidden(self.mv, self.mover)
        self.expect(names and self.reason["rule"] in names and self.points == {self.mv}, f"the move is forbidden by {names}")

    def misses_win(self):
        self.expect(self.side == self.mover and not self.board.wins(self.mv, self.mover), "the move does not win")
        if self.points:
            self.expect(self.points == self.board.winning(self.mover), "the points win at once")
        self.line()

    def puts_below(self):
        above = (self.mv[0], self.mv[1] + 1)
        self.expect(self.points == {above} and self.board.wins(above, self.side), "the point above wins")
        self.expect(self.side != self.mover, "the opponent wins")

    def leaves_four(self):
        self.expect(self.side != self.mover, "the opponent wins")
        self.expect(self.points == self.after(lambda: self.board.winning(self.side)), "the points win at once")
        self.expect(self.points & self.board.winning(self.side), "a point won before the move")
        self.expect(self.stops == self.points, "the points stop it")

    def leaves_three(self):
        self.expect(not self.after(lambda: self.board.winning(self.mover)), "the move makes no four")
        self.expect(not self.after(lambda: self.board.winning(self.side)), "no four was there")
        self.expect(self.points == self.after(lambda: self.board.open_fours(self.side)), "the points make open fours")
        self.expect(self.points & self.board.open_fours(self.side), "the three was there before the move")
        for stop in self.stops:
            left = self.board.with_stone(stop, self.mover, lambda: self.board.open_fours(self.side))
            self.expect(not left and self.board.can_play(stop, self.mover), f"{stop} stops the three")

    def gives_up_threat(self):
        above = (self.mv[0], self.mv[1] + 1)
        self.expect(self.points == {above} and self.side == self.mover, "the point above is the player's")
        self.expect(self.board.wins(above, self.mover), "the player wins above")

    def allows_win(self):
        self.expect(self.side != self.mover, "the opponent wins")
        self.after(self.line)
        for stop in self.stops:
            allowed = self.board.can_play(stop, self.mover)
            left = self.board.with_stone(stop, self.mover, lambda: self.board.wins_by_fours(self.side, [FOUR_NODES]))
            self.unknown += left is None
            self.expect(allowed and left is not True, f"{stop} leaves no win by fours")

    def quiet(self):
        self.expect(not self.reason["line"] and not self.points, "a quiet reason has no line")

    def line(self):
        """Replays the line of the winner."""
        by, board, key = self.reason.get("by"), self.board, self.reason.get("key")
        if not self.reason["line"]:
            return
        line, turn, won = [point(p) for p in self.reason["line"]], self.side, False
        key_seen = key is None
        for ply, p in enumerate(line):
            self.expect(not won, "the line ends with the win")
            legal = board.can_play(p, turn) or (turn != self.side and ply == len(line) - 1)
            self.expect(legal, f"{p} is legal")
            won = board.wins(p, turn) or board.forbidden(p, turn) is not None
            winner = turn if board.wins(p, turn) else 1 - turn
            board.stones[p] = turn
            if won:
                self.expect(winner == self.side, "the line is won by the side")
            elif turn == self.side:
                fours = board.winning(self.side)
                own = board.winning(1 - self.side)
                if by == "fours":
                    self.expect(fours and not own, f"{p} makes a four, and the opponent has none")
                if by == "threes":
                    self.expect(fours or board.open_fours(self.side), f"{p} makes a four or an open three")
                if key and point(key["move"]) == p:
                    key_seen = True
                    self.key(key, fours)
            turn = 1 - turn
        self.expect(won and key_seen, "the line ends with a win, and has its key")
        for p in line:
            del board.stones[p]

    def key(self, key, fours):
        board, loser = self.board, 1 - self.side
        threats = {point(p) for p in key["threats"]}
        if key["kind"] == "two_points":
            self.expect(threats == fours and len(fours) >= 2, "the key threatens two points")
        elif key["kind"] == "forbidden_answer":
            (only,) = fours if len(fours) == 1 else (None,)
            names = only and board.forbidden(only, loser)
            self.expect(threats == fours and names and key["rule"] in names, "the answer is forbidden")
        elif key["kind"] == "four_three":
            self.expect(len(fours) == 1, "the key makes one four")
            for only in fours:
                board.stones[only] = loser
                self.expect(not board.winning(loser) and threats == board.open_fours(self.side), "an open four follows")
                del board.stones[only]
        else:
            replies = [p for p in board.empty() if board.can_play(p, loser)]
            loses = all(board.with_stone(p, loser, lambda: board.winning(self.side)) for p in replies)
            self.expect(loses and not fours, "every move loses at once")


class Uci:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def move(self, level, variant, moves):
        send = self.process.stdin.write
        send(f"setoption name UCI_Variant value {variant}\nsetoption name Skill Level value {level}\n")
        send(f"position startpos moves {' '.join(moves)}\ngo nodes 3000\n")
        for line in self.process.stdout:
            if line.startswith("bestmove"):
                best = line.split()[1].removeprefix("P@")
                return None if best in ("(none)", "0000") else best
        sys.exit("tengen has left")


def full_name(board, move):
    """The point of a move, which in four in a row may be a column."""
    if not move[1:]:
        column = COLUMNS.index(move)
        return move + str(1 + sum((column, r) in board.stones for r in range(board.height)))
    return move


def play(uci, variant, rng):
    board, moves, levels = Board(variant), [], [rng.randint(2, 7), rng.randint(2, 7)]
    if variant == "cfour":
        opening = [COLUMNS[rng.randrange(7)] for _ in range(rng.choice([2, 4, 6]))]
    else:
        near = [COLUMNS[c] + str(r + 1) for c in range(5, 10) for r in range(5, 10)]
        opening = rng.sample(near, rng.choice([3, 4, 5]))
    while len(board.stones) < board.width * board.height:
        name = opening.pop(0) if opening else uci.move(levels[len(moves) % 2], variant, moves)
        if name is None:
            break
        name = full_name(board, name)
        side, at = len(moves) % 2, point(name)
        if not board.can_play(at, side):
            break
        over = board.wins(at, side)
        board.stones[at] = side
        moves.append(name)
        if over:
            break
    return moves


class Reviewer:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def review(self, variant, moves, nodes):
        query = {"id": "r", "action": "review", "variant": variant, "moves": moves, "nodes": nodes, "threads": 1, "fresh": True}
        self.process.stdin.write(json.dumps(query) + "\n")
        replies = []
        for line in self.process.stdout:
            reply = json.loads(line)
            if reply["type"] == "error":
                sys.exit(f"{variant} {' '.join(moves)}: {reply}")
            if reply["type"] == "game":
                return replies
            if reply["type"] == "move":
                replies.append(reply)
        sys.exit("tengen has left")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tengen")
    parser.add_argument("--moves", type=int, default=1000, help="the number of bad moves, over all games")
    parser.add_argument("--variants", default="gomokufreestyle,gomoku,renju,cfour")
    parser.add_argument("--nodes", type=int, default=50000, help="the nodes for each position of a review")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="append each bad move to this file")
    parser.add_argument("--show", default="", help="print the reasons of this kind, or `all`")
    args = parser.parse_args()
    variants = args.variants.split(",")
    uci, reviewer, wanted = Uci(args.tengen), Reviewer(args.tengen), args.moves // len(variants)
    false = 0
    for variant in variants:
        rng, kinds, games, faulty, unknown = random.Random(f"{variant} {args.seed}"), collections.Counter(), 0, 0, 0
        while sum(kinds.values()) < wanted:
            moves = play(uci, variant, rng)
            games += 1
            for reply in reviewer.review(variant, moves, args.nodes):
                if reply["grade"] != "blunder" or sum(kinds.values()) >= wanted:
                    continue
                reason = reply["reason"]
                check = Check(variant, moves, reply)
                name = reason["kind"] + (f" {reason['by']}" if "by" in reason else "")
                kinds[name] += 1
                faulty += bool(check.faults)
                unknown += check.unknown
                text = f"{variant} {' '.join(moves[: reply['number']])}: {reason['text']}"
                if check.faults:
                    print("FALSE", check.faults, text, json.dumps(reason), flush=True)
                if args.show in (reason["kind"], "all"):
                    print(name, text, flush=True)
                if args.save:
                    with args.save.open("a") as file:
                        file.write(json.dumps({"variant": variant, "moves": moves, "reply": reply}) + "\n")
        known = 100 * (wanted - kinds["quiet"]) / wanted
        print(f"{variant}: {games} games, {wanted} bad moves, {known:.0f} % with a reason, {faulty} false, {unknown} not decided")
        print("  " + ", ".join(f"{name} {count}" for name, count in kinds.most_common()), flush=True)
        false += faulty
    sys.exit(1 if false else 0)


if __name__ == "__main__":
    main()
