"""Claims: wins, losses and exact values against an independent referee.

A claim of five in a row is "at most so many moves": it is right if the referee wins within them against every reply. The moves that the
referee tries first come from the program; what they are worth, only the referee says."""

import json
import pathlib
import re
import subprocess
import sys
import time

from campaigns import ROOT
from campaigns.claims_positions import GROUPS, fen, positions
from campaigns.uci import Uci

SETTINGS = [(threads, table) for threads in (1, 2, 4) for table in (1, 128)]
# How a claim can end.
ENDS = ("right", "wrong", "length", "unsettled")
# The nodes of the referee for a position without a proposed move: at first, and where no move was proposed.
EFFORT, MORE_EFFORT = 2_000, 100_000
# The searches that propose moves to the referee; the second one looks only for a win that is short enough.
PROPOSALS = ("nodes 20000", "mate {} nodes 3000000")
ROUNDS = 60


class Referee:
    """The independent program: rules, threats and solver of its own (`textbook/examples/referee`)."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        """Sends a request. Returns the answer in words."""
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()
        first, _, rest = self.process.stdout.readline().rstrip("\n").partition(" ")
        if first not in ("right", "wrong", "open", "win", "loss", "draw", "budget", "noted"):
            raise ValueError(f"{words}: {first} {rest}")
        return first, rest


def claims_of(lines):
    """Returns the claims of a search: the shortest win and the shortest loss, as moves and all lines for it, or None; and the last
    score if it is exact, as moves with a sign, 0 for a proven draw."""
    wins, losses, last = {}, {}, None
    for line in lines:
        found = re.search(r" score (mate|cp) (-?\d+)( lowerbound| upperbound)?.*?(?: pv (.*))?$", line)
        if not found:
            continue
        kind, number, bound = found[1], int(found[2]), found[3]
        last = number if kind == "mate" and not bound else None
        moves = (found[4] or "").replace("P@", "").split()
        if kind == "mate" and number > 0 and bound != " upperbound":
            wins.setdefault(number, []).insert(0, moves)
        elif kind == "mate" and number < 0 and bound != " lowerbound":
            losses.setdefault(-number, []).insert(0, moves)
    if any("drawn, proven" in line for line in lines):
        last = 0
    return min(wins.items(), default=None), min(losses.items(), default=None), last


def stones_of(position, side):
    """Returns the stones of a side as the referee reads them."""
    return ",".join(text for text, owner in position["stones"].items() if owner == side) or "-"


class Judge:
    """Judges claims with the referee. Where the referee knows no move of the winner, the program proposes one."""

    def __init__(self, program, referee):
        self.proposer, self.referee = Uci(program), Referee(referee)

    def judge(self, position, lines):
        """Returns how the claim of a search ends, or None if it claims nothing, and what to report."""
        win, loss, exact = claims_of(lines)
        group = GROUPS[position["group"]]
        if win and loss:
            return "wrong", "a win and a loss"
        if not (win or loss) and exact is None:
            return None, ""
        if not group.rule:
            return self.exact(group, position, win, loss, exact)
        if not (win or loss):
            return "unsettled", "a draw"
        moves, known = win or loss
        attacker = position["turn"] if win else 3 - position["turn"]
        return self.forced(group, position, attacker, moves, known)

    def exact(self, group, position, win, loss, exact):
        """Compares claims with the published score, or with the value that the referee finds: an exact one must be equal, others must
        be no shorter."""
        value = self.published(group, position) if position["score"] is not None else self.value(group, position)
        if value is None:
            return "unsettled", "the referee's nodes ran out"
        is_right = exact is None or exact == value
        is_right &= not win or 0 < value <= win[0]
        is_right &= not loss or 0 < -value <= loss[0]
        return ("right" if is_right else "wrong"), f"{exact}, {win}, {loss}, known {value}"

    def published(self, group, position):
        """Returns the published value in moves: positive for a win, negative for a loss, 0 for a draw."""
        score = position["score"]
        # A win ends after an odd number of plies, a loss after an even one.
        left = group.width * group.height - len(position["stones"]) - 2 * (abs(score) - 1)
        left -= left % 2 != (score > 0)
        return 0 if score == 0 else (left + 1) // 2 * (1 if score > 0 else -1)

    def value(self, group, position):
        """Returns the value that the referee finds, as `published`; None if its nodes ran out."""
        falls, misere = "falls" if group.falls else "free", "misere" if group.misere else "normal"
        stones = stones_of(position, 1), stones_of(position, 2)
        kind, plies = self.referee.ask("value", group.width, group.height, group.k, falls, misere, *stones, position["turn"], 2_000_000)
        moves = max(1, (int(plies or 0) + 1) // 2)
        return {"budget": None, "draw": 0, "win": moves, "loss": -moves}[kind]

    def forced(self, group, position, attacker, moves, known):
        """Checks a win within so many moves against every reply."""
        stones = stones_of(position, 1), stones_of(position, 2)
        asked = "win", group.rule, group.width, group.height, *stones, position["turn"], attacker, moves, EFFORT, *" / ".join(map(" ".join, known)).split()
        answer, rest = self.referee.ask(*asked)
        answer, rest = self.settle(group, position, attacker, moves, answer, rest)
        if answer != "open":
            return answer, rest
        # Is it a win at all?
        answer, _ = self.settle(group, position, attacker, 2 * moves + 20, *self.referee.ask("within", 2 * moves + 20))
        return ("length" if answer == "right" else "unsettled"), f"within {moves} open after {rest}"

    def settle(self, group, position, attacker, moves, answer, rest):
        """Proposes moves until the referee decides, or no move is known."""
        asked = set()
        for _ in range(ROUNDS):
            if answer != "open":
                return answer, rest
            if not sum([self.propose(group, position, attacker, moves, played.split(), asked) for played in rest.split(",")]):
                break
            answer, rest = self.referee.ask("effort", EFFORT)
        if answer == "open":
            answer, rest = self.referee.ask("effort", MORE_EFFORT)
        return answer, rest

    def propose(self, group, position, attacker, moves, played, asked):
        """Asks the program for a win after some moves, and tells the referee. If there is none, an earlier move may have been wrong.
        Returns whether the referee was told a win that it did not know."""
        is_attackers = attacker == position["turn"]
        left = moves - (len(played) + is_attackers) // 2
        start = f"fen {fen(group, position['stones'], position['turn'])}"
        start += f" moves {' '.join(played)}" if played else ""
        for limit in () if start in asked else PROPOSALS:
            win, _, _ = claims_of(self.proposer.search(group.variant, start, limit.format(left), options=group.options))
            if win and win[0] <= left:
                asked.add(start)
                for line in win[1]:
                    self.referee.ask("hint", *played, *line)
                return True
        asked.add(start)
        return len(played) > 1 and self.propose(group, position, attacker, moves, played[:-2], asked)


def build_referee():
    """Builds the referee and returns its path."""
    subprocess.run(["cargo", "build", "--release", "-p", "tengen-textbook", "--example", "referee"], cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "examples" / "referee"


def kept(path):
    """Yields the records of a file of lines; a last line that is cut off is none."""
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                return


def all_positions(args):
    """Returns the positions, from the file of an earlier call if there is one."""
    path = args.state / "positions.jsonl"
    head = {"seed": args.seed, "part": args.part, "nodes": args.nodes}
    if path.exists():
        first, *rest = kept(path)
        if first != head:
            sys.exit(f"{path} has other numbers ({first}): give another --state")
        return rest
    engine, found, counts = Uci(args.program), [], {}
    for label, source, stones, turn, score in positions(engine, args.data, args.seed, args.part):
        count = counts[label] = counts.get(label, -1) + 1
        threads, table = SETTINGS[count % len(SETTINGS)]
        found.append({"group": label, "source": source, "stones": stones, "turn": turn, "score": score, "threads": threads, "table": table})
    engine.close()
    new = path.with_suffix(".new")
    new.write_text("".join(json.dumps(record) + "\n" for record in [head, *found]))
    new.rename(path)
    return found


def print_table(found, results):
    """Prints a row for each game, number of threads and table."""
    print("| game | threads | table | positions | claims | right | wrong | length not settled | unsettled |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    rows = [(label, *setting) for label in GROUPS for setting in SETTINGS]
    total = [0] * 6
    for row in rows:
        ends = [results[place]["end"] for place, it in enumerate(found) if (it["group"], it["threads"], it["table"]) == row and place in results]
        counts = [len(ends), sum(map(bool, ends)), *(ends.count(end) for end in ENDS)]
        total = [sum(pair) for pair in zip(total, counts)]
        print(f"| {row[0]} | {row[1]} | {row[2]} MiB |", " | ".join(f"{count:,}" for count in counts), "|")
    print("| all | | |", " | ".join(f"{count:,}" for count in total), "|")
    return total


def claims(args):
    """Searches 10,000 positions with 1, 2 and 4 threads and tables of 1 and 128 MiB, and checks each win, loss and exact value that the
    program claims against every reply, by a referee with rules and a search of its own. A row for each game, threads and
    table. The same command continues."""
    if not args.data.exists():
        sys.exit(f"{args.data} is absent: the positions are not part of Tengen")
    args.state.mkdir(parents=True, exist_ok=True)
    referee = args.referee or build_referee()
    found = all_positions(args)
    path = args.state / "results.jsonl"
    results = {result["place"]: result for result in kept(path)}
    # A line that a kill cut off is written again.
    path.write_text("".join(json.dumps(result) + "\n" for result in results.values()))
    engine, judge = Uci(args.program), Judge(args.program, referee)
    # Evenly: a run that is stopped has something of everything.
    order = sorted(range(len(found)), key=lambda place: place * 7919 % len(found))
    with path.open("a") as file:
        for place in order:
            if place in results:
                continue
            position = found[place]
            group = GROUPS[position["group"]]
            options = {**group.options, "Threads": position["threads"]}
            start = f"fen {fen(group, position['stones'], position['turn'])}"
            begin = time.monotonic()
            lines = engine.search(group.variant, start, f"nodes {args.nodes}", position["table"], options)
            searched = time.monotonic()
            end, why = judge.judge(position, lines)
            times = [round(searched - begin, 2), round(time.monotonic() - searched, 2)]
            results[place] = {"place": place, "end": end, "why": why, "seconds": times}
            if end in ENDS[1:]:
                results[place] |= {"command": [group.variant, options, position["table"], start, f"nodes {args.nodes}"], "lines": lines[-4:]}
                print(end, position["source"], json.dumps(results[place], ensure_ascii=False), file=sys.stderr, flush=True)
            file.write(json.dumps(results[place]) + "\n")
            file.flush()
    total = print_table(found, results)
    sys.exit(total[3] > 0)


def add(commands):
    """Describes the command line."""
    command = commands.add_parser("claims", help="checks what searches claim", description=claims.__doc__)
    command.add_argument("program", type=pathlib.Path, metavar="PROGRAM")
    command.add_argument("--state", type=pathlib.Path, default=ROOT / "target" / "claims", help="the folder of the state (target/claims)")
    data = ROOT.parent / "shared" / "data"
    command.add_argument("--data", type=pathlib.Path, default=data, help="the folder of the published positions (../shared/data)")
    command.add_argument("--nodes", type=int, default=20_000, help="the nodes of a search (20000)")
    command.add_argument("--seed", type=int, default=1, help="the seed of the random positions (1)")
    command.add_argument("--part", type=int, default=100, help="so many hundredths of the positions (100)")
    command.add_argument("--referee", type=pathlib.Path, help="the referee; without it cargo builds it")
    command.set_defaults(run=claims)
