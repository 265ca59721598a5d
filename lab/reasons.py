"""Plays games of weak levels, reviews them, and checks every reason for a bad move by rules of its own.

    python reasons.py TENGEN [--moves 1000] [--variants gomokufreestyle,gomoku,renju,cfour] [--nodes 50000]
                             [--seed 1] [--save FILE] [--show KIND] [--all]

Two levels from 2 to 7 play each game after a few random moves. The review is that of the JSON protocol. A bad move loses
40 % of the expected score or more. For each one the program replays the facts of its `reason`: it knows the rules of the
games and no threats, and it uses no code of Tengen. With `--all` good moves have a reason, too, and are checked; they do not
count. With `--save` the command continues after an end: it checks the saved moves again, and plays on. Prints a table of the kinds, and each fact that does not hold; the
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
FOUR_NODES = 1000


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
        """The points on which `side` would win at once: each is beside one of its stones."""
        own = [at for at, owner in self.stones.items() if owner == side]
        beside = {(c + dc, r + dr) for c, r in own for dc in (-1, 0, 1) for dr in (-1, 0, 1)}
        free = [p for p in beside if p not in self.stones and self.is_inside(p)]
        return {p for p in free if self.wins(p, side) and self.can_play(p, side)}

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
        if sum(self.three(point, d) is not None for d in DIRECTIONS) >= 2:
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

    def three(self, point, direction):
        """The three through a stone of which one more allowed stone makes a straight four; None without one."""
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
                    return frozenset(row - {more})
        return None

    def forbidding_lines(self, point, rule):
        """The stones of the lines that make a point forbidden by a rule, with the point."""

        def lines():
            if rule == "double-four":
                return {four for d in DIRECTIONS for four in self.fours(point, d)}
            if rule == "double-three":
                return {self.three(point, d) for d in DIRECTIONS} - {None}
            return {frozenset(row) for d in DIRECTIONS if len(row := self.line(point, d, 0)) > 5}

        return self.with_stone(point, 0, lines)

    def played_out(self, column):
        """Plays a column out as if all others were full: the winner and the point, or None; and the lowest empty point."""
        added, found = [], None
        for row in range(self.height):
            at = (column, row)
            if at in self.stones:
                continue
            mover = ((self.width - 1) * self.height + row) % 2
            if self.wins(at, mover):
                found = (mover, at)
                break
            self.stones[at] = mover
            added.append(at)
        for at in added:
            del self.stones[at]
        return found, added[0] if added else found and found[1]

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
            if answers_needed - {p} or not self.can_make_four(p, side):
                continue
            points = self.with_stone(p, side, lambda p=p: self.winning_near(p, side))
            if not points or not self.can_play(p, side):
                continue
            self.stones[p] = side
            answer = next(iter(points))
            if len(points) > 1 or not self.can_play(answer, 1 - side):
                found = True
            else:
                found = self.with_stone(answer, 1 - side, lambda: self.wins_by_fours(side, budget))
            del self.stones[p]
            if found:
                return True
            unknown |= found is None
        return None if unknown else False


def as_point(name):
    return (COLUMNS.index(name[0]), int(name[1:]) - 1)


class Check:
    """The facts of one reason. `faults` has those that do not hold."""

    def __init__(self, variant, moves, reply):
        self.board, self.faults, self.unknown = Board(variant), [], 0
        self.reason, self.mv = reply["reason"], as_point(reply["move"])
        for index, move in enumerate(moves[: reply["number"] - 1]):
            self.board.stones[as_point(move)] = index % 2
        self.mover = (reply["number"] - 1) % 2
        self.side = ["first", "second"].index(self.reason["side"])
        self.points = {as_point(p) for p in self.reason["points"]}
        self.stops = {as_point(p) for p in self.reason["stops"]}
        getattr(self, self.reason["kind"])()

    def expect(self, holds, fact):
        if not holds:
            self.faults.append(fact)

    def after(self, question):
        return self.board.with_stone(self.mv, self.mover, question)

    def wins(self):
        self.expect(self.side == self.mover and not self.stops, "the player wins")
        if self.points:
            self.expect(self.points == {self.mv} and self.board.wins(self.mv, self.mover), "the move wins")
        self.line()
        self.hold()

    def forbids(self, about, point, side):
        """The rule and the lines that make a point forbidden."""
        names, lines = self.board.forbidden(point, side), about.get("lines", [])
        self.expect(names and about["rule"] in names, f"{point} is forbidden by {names}")
        lines = {frozenset(as_point(name) for name in line) for line in lines}
        self.expect(lines == self.board.forbidding_lines(point, about["rule"]), f"the lines forbid {point}: {lines}")

    def forbidden(self):
        self.expect(self.points == {self.mv}, "the point is the move")
        self.forbids(self.reason, self.mv, self.mover)

    def hold(self):
        """A point that the winner gets if the other columns are full."""
        board, hold = self.board, self.reason.get("hold")
        if not hold:
            return
        at, made_by = as_point(hold["point"]), hold.get("made_by")
        held = lambda: (lambda found, lowest: found == (self.side, at) and lowest != at)(*board.played_out(at[0]))  # noqa: E731
        if made_by is None:
            return self.expect(held(), f"{at} is held")
        self.expect(not held() and board.can_play(as_point(made_by), self.side), f"{at} is not held before {made_by}")
        self.expect(board.with_stone(as_point(made_by), self.side, held), f"{made_by} makes {at} held")

    def misses_win(self):
        self.expect(self.side == self.mover and not self.board.wins(self.mv, self.mover), "the move does not win")
        if self.points:
            self.expect(self.points == self.board.winning(self.mover), "the points win at once")
        self.line()
        self.hold()

    def was_lost(self):
        self.expect(self.side != self.mover and not self.reason["line"] and not self.points, "the opponent has a proof, without a line")

    def puts_below(self):
        above = (self.mv[0], self.mv[1] + 1)
        self.expect(self.points == {above} and self.board.wins(above, self.side), "the point above wins")
        self.expect(self.side != self.mover, "the opponent wins")

    def leaves_four(self):
        self.expect(self.side != self.mover, "the opponent wins")
        self.expect(self.points == self.board.winning(self.side), "the points were threats before the move")
        self.expect(self.points & self.after(lambda: self.board.winning(self.side)), "one of them is left")
        if "rule" in self.reason:
            (only,) = self.points
            return self.forbids(self.reason, only, self.mover)
        self.expect(self.stops == (self.points if len(self.points) == 1 else set()), "the only point stops it")

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
        self.after(self.hold)
        for stop in self.stops:
            allowed = self.board.can_play(stop, self.mover)
            left = self.board.with_stone(stop, self.mover, lambda: self.board.wins_by_fours(self.side, [FOUR_NODES]))
            self.unknown += left is None
            self.expect(allowed and left is not True, f"{stop} leaves no win by fours")

    def draws(self):
        known = self.reason["line"] or self.points or self.after(lambda: self.board.winning(1 - self.mover))
        self.expect(self.side == self.mover and self.reason["draw"] and not known, "nobody wins")

    def quiet(self):
        self.expect(not self.reason["line"] and not self.points, "a quiet reason has no line")

    def line(self):
        """Replays the line of the winner."""
        by, board, key = self.reason.get("by"), self.board, self.reason.get("key")
        if not self.reason["line"]:
            return
        line, turn, won = [as_point(p) for p in self.reason["line"]], self.side, False
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
                if key and as_point(key["move"]) == p:
                    key_seen = True
                    self.key(key, fours)
            turn = 1 - turn
        self.expect(won and key_seen, "the line ends with a win, and has its key")
        for p in line:
            del board.stones[p]

    def key(self, key, fours):
        board, loser = self.board, 1 - self.side
        threats = {as_point(p) for p in key["threats"]}
        if key["kind"] == "two_points":
            self.expect(threats == fours and len(fours) >= 2, "the key threatens two points")
        elif key["kind"] == "forbidden_answer":
            (only,) = fours if len(fours) == 1 else (None,)
            names = only and board.forbidden(only, loser)
            self.expect(threats == fours and names and key["rule"] in names, "the answer is forbidden")
            self.forbids(key, only, loser)
        elif key["kind"] == "stacked":
            (low, high) = (as_point(name) for name in key["threats"])
            is_above = high == (low[0], low[1] + 1) and board.wins(high, self.side)
            self.expect(fours == {low} and is_above, "the key threatens two points, one above the other")
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
        side, at = len(moves) % 2, as_point(name)
        if not board.can_play(at, side):
            break
        over = board.wins(at, side)
        board.stones[at] = side
        moves.append(name)
        if over:
            break
    return moves


class Reviewer:
    def __init__(self, path, explains_all):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.explains_all = explains_all

    def review(self, variant, moves, nodes):
        query = {"id": "r", "action": "review", "variant": variant, "moves": moves, "nodes": nodes, "threads": 1, "fresh": True}
        query["include_reasons"] = self.explains_all
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


class Tally:
    """The kinds of the reasons of a variant, and what its checks found."""

    def __init__(self, variant, show):
        self.variant, self.show = variant, show
        self.kinds, self.games, self.faulty, self.unknown = collections.Counter(), 0, 0, 0

    @property
    def count(self):
        return sum(self.kinds.values())

    def check(self, moves, reply):
        """Checks the reason of a move. A bad move counts."""
        reason, is_bad = reply["reason"], reply["grade"] == "blunder"
        check = Check(self.variant, moves, reply)
        name = reason["kind"] + (f" {reason['by']}" if "by" in reason else "")
        self.kinds[name] += is_bad
        self.faulty += bool(check.faults)
        self.unknown += check.unknown
        text = f"{self.variant} {' '.join(moves[: reply['number']])}: {reason['text']}"
        if check.faults:
            print("FALSE", check.faults, text, json.dumps(reason), flush=True)
        if self.show in (reason["kind"], "all"):
            print(name, text, flush=True)

    def report(self):
        known = 100 * (self.count - self.kinds["quiet"]) / max(self.count, 1)
        print(
            f"{self.variant}: {self.games} games, {self.count} bad moves, {known:.0f} % with a reason, {self.faulty} false, "
            f"{self.unknown} not decided\n  " + ", ".join(f"{name} {count}" for name, count in self.kinds.most_common() if count),
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tengen")
    parser.add_argument("--moves", type=int, default=1000, help="the number of bad moves, over all games")
    parser.add_argument("--variants", default="gomokufreestyle,gomoku,renju,cfour")
    parser.add_argument("--nodes", type=int, default=50000, help="the nodes for each position of a review")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="append each bad move to this file, and begin with those that it has")
    parser.add_argument("--show", default="", help="print the reasons of this kind, or `all`")
    parser.add_argument("--all", action="store_true", help="check the reasons of all moves; only bad moves count")
    args = parser.parse_args()
    variants = args.variants.split(",")
    uci, reviewer, wanted = Uci(args.tengen), Reviewer(args.tengen, args.all), args.moves // len(variants)
    saved = [json.loads(line) for line in args.save.open()] if args.save and args.save.exists() else []
    false = 0
    for variant in variants:
        tally = Tally(variant, args.show)
        for known in [it for it in saved if it["variant"] == variant]:
            tally.check(known["moves"], known["reply"])
        rng = random.Random(f"{variant} {args.seed} {tally.count}")
        while tally.count < wanted:
            moves = play(uci, variant, rng)
            tally.games += 1
            for reply in reviewer.review(variant, moves, args.nodes):
                is_bad = reply["grade"] == "blunder"
                if tally.count >= wanted or not (is_bad or args.all):
                    continue
                tally.check(moves, reply)
                if args.save and is_bad:
                    with args.save.open("a") as file:
                        file.write(json.dumps({"variant": variant, "moves": moves, "reply": reply}) + "\n")
        tally.report()
        false += tally.faulty
    sys.exit(1 if false else 0)


if __name__ == "__main__":
    main()
