"""Trains a large net on games of five in a row and writes what it says of other positions.

    python teacher.py GAMES... --write labelled.txt [--positions 2000000] [--steps 4000]

GAMES are files of freestyle that `tune --save` wrote, of one size. The net is a residual network of convolutions. It
learns the results of the games, the scores of their searches and the moves that were chosen. Positions whose search
proved a win or a loss are left out. Every sixteenth game is held out, to see how well the net predicts.

The net is far too slow for a search, but it can teach a small one. The positions that are written are those of the games
with up to three random moves more, each with the chance of the side to move. `tune --labelled` reads them.

Needs the packages `numpy` and `torch` from PyPI, and a GPU to be done in minutes.
"""
# CITE: He, Zhang, Ren and Sun, "Deep residual learning for image recognition", arXiv:1512.03385, 2015;
# Hinton, Vinyals and Dean, "Distilling the knowledge in a neural network", arXiv:1503.02531, 2015.

import argparse
import math
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

# A search whose score has this size has proven a win.
MAX_SCORE = 3000
# An evaluation of so many units means that a win is e times as likely as a loss.
UNITS = 200
# How much of what is learned is the result of a game; the rest is the score of the search.
RESULT = 0.5
# The weight of the chosen move, relative to the chance.
MOVES = 0.15
# One game in so many is held out.
HELD_OUT = 16
BATCH = 4096
RATE = 2e-3
EMPTY, OWN, OTHER = 0, 1, 2


class Samples:
    """The positions whose search proved nothing. Stones are seen by the side to move."""

    def __init__(self, games, side):
        self.games = games
        count = sum(len(ply_range(game)) for game in games)
        self.boards = np.zeros((count, side * side), np.uint8)
        self.place = np.zeros((count, 2), np.int32)
        self.chosen = np.zeros(count, np.int64)
        self.target = np.zeros(count, np.float32)
        kept = np.zeros(count, bool)
        row = 0
        for number, game in enumerate(games):
            boards = boards_of(game, side)
            for ply in ply_range(game):
                score = game["scores"][ply]
                self.boards[row] = boards[ply]
                self.place[row] = number, ply
                self.chosen[row] = game["moves"][ply]
                self.target[row] = target(result(game, ply), score)
                kept[row] = score is None or abs(score) < MAX_SCORE
                row += 1
        self.boards, self.place = self.boards[kept], self.place[kept]
        self.chosen, self.target = self.chosen[kept], self.target[kept]
        self.held_out = self.place[:, 0] % HELD_OUT == 0


def target(outcome, score):
    """What is learned: the result of the game and the chance that the search gave, if it gave one."""
    if score is None:
        return outcome
    return RESULT * outcome + (1 - RESULT) / (1 + math.exp(-score / UNITS))


def ply_range(game):
    """The plies that were searched."""
    return range(game["opening"], len(game["moves"]))


def result(game, ply):
    """The result of a game for the side to move at a ply: 1, 0.5 or 0."""
    if not game["is_won"]:
        return 0.5
    return float((len(game["moves"]) - 1 - ply) % 2 == 0)


def boards_of(game, side):
    """The board before each ply, as the side to move sees the stones."""
    moves = game["moves"]
    boards = np.zeros((len(moves), side * side), np.uint8)
    for ply, move in enumerate(moves):
        boards[ply + 1 :, move] = OWN + ply % 2
    boards[1::2] = swapped(boards[1::2])
    return boards


def swapped(boards):
    return np.array([EMPTY, OTHER, OWN], np.uint8)[boards]


def has_five(boards, side):
    """Whether somebody has five in a row, for each board."""
    found = np.zeros(len(boards), bool)
    for stone in (OWN, OTHER):
        own = (boards == stone).reshape(-1, side, side)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            five = np.ones_like(own)
            for step in range(5):
                five &= shifted(own, down * step, right * step)
            found |= five.any((1, 2))
    return found


def shifted(planes, down, right):
    """What lies so many points further, nothing beyond the edge."""
    out = np.zeros_like(planes)
    rows, columns = planes.shape[1] - abs(down), planes.shape[2] - abs(right)
    to = np.s_[:, max(-down, 0) : max(-down, 0) + rows, max(-right, 0) : max(-right, 0) + columns]
    by = np.s_[:, max(down, 0) : max(down, 0) + rows, max(right, 0) : max(right, 0) + columns]
    out[to] = planes[by]
    return out


def read_games(files, side):
    games = []
    for file in files:
        with open(file) as lines:
            games += [read_game(line, side) for line in lines]
    if not games:
        sys.exit("no games to learn from")
    return games


def read_game(line, side):
    """A game from a line such as "5 h8 i9 g7 j8 h10 i7:35 g9:-20"."""
    first, *words = line.split()
    moves, scores = [], []
    for word in words:
        move, _, score = word.partition(":")
        column, row = ord(move[0]) - ord("a"), int(move[1:]) - 1
        if not (0 <= column < side and 0 <= row < side):
            sys.exit(f'"{move}" is not on a board of {side}x{side}')
        moves.append(row * side + column)
        scores.append(int(score) if score else None)
    is_won = len(moves) < side * side or abs(scores[-1] or 0) >= MAX_SCORE
    return {"moves": moves, "scores": scores, "opening": int(first), "is_won": is_won}


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(2))

    def forward(self, x):
        y = F.relu(self.norms[0](self.first(x)))
        return F.relu(x + self.norms[1](self.second(y)))


class Teacher(nn.Module):
    """Returns the logarithm of the odds of the side to move, and a rank for every point."""

    def __init__(self, channels, blocks):
        super().__init__()
        self.enter = nn.Conv2d(3, channels, 5, padding=2, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        self.blocks = nn.Sequential(*(Block(channels) for _ in range(blocks)))
        self.narrow = nn.Conv2d(channels, 48, 1)
        self.hidden = nn.Linear(96, 96)
        self.value = nn.Linear(96, 1)
        self.ranks = nn.Conv2d(channels, 1, 1)

    def forward(self, x):
        x = self.blocks(F.relu(self.norm(self.enter(x))))
        y = F.relu(self.narrow(x))
        y = torch.cat([y.mean((2, 3)), y.amax((2, 3))], 1)
        return self.value(F.relu(self.hidden(y))).squeeze(1), self.ranks(x).flatten(1)


class Trainer:
    """The net, and the device it runs on."""

    def __init__(self, args):
        self.side = args.side
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        net = Teacher(args.channels, args.blocks).to(self.device)
        self.net = net.to(memory_format=torch.channels_last)
        turned = np.arange(args.side**2).reshape(args.side, args.side)
        turns = [np.rot90(grid, k).reshape(-1) for grid in (turned, turned.T) for k in range(4)]
        self.turns = torch.tensor(np.stack(turns), device=self.device)

    def tensor(self, array):
        return torch.as_tensor(array, device=self.device)

    def run(self, boards):
        planes = [boards == OWN, boards == OTHER, torch.ones_like(boards, dtype=torch.bool)]
        planes = torch.stack(planes, 1).view(-1, 3, self.side, self.side).float()
        with torch.autocast(self.device, dtype=torch.bfloat16):
            odds, ranks = self.net(planes.contiguous(memory_format=torch.channels_last))
        return odds.float(), ranks.float()

    def train(self, samples, steps):
        """Trains on the samples that are not held out, each batch turned or mirrored in one of eight ways."""
        boards, target = self.tensor(samples.boards), self.tensor(samples.target)
        chosen, learned = self.tensor(samples.chosen), self.tensor(np.flatnonzero(~samples.held_out))
        back = torch.argsort(self.turns, 1)
        optimizer = torch.optim.AdamW(self.net.parameters(), lr=RATE, weight_decay=1e-2)
        self.net.train()
        for step in range(steps):
            rate = RATE * min(1, (step + 1) / 200) * (1 + math.cos(math.pi * step / steps)) / 2
            optimizer.param_groups[0]["lr"] = rate
            batch = learned[torch.randint(len(learned), (BATCH,), device=self.device)]
            turn = step % len(self.turns)
            seen = boards[batch][:, self.turns[turn]]
            odds, ranks = self.run(seen)
            ranks = ranks.masked_fill(seen != EMPTY, -1e9)
            loss = F.binary_cross_entropy_with_logits(odds, target[batch])
            loss = loss + MOVES * F.cross_entropy(ranks, back[turn][chosen[batch]])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            if (step + 1) % max(steps // 10, 1) == 0:
                print(f"step {step + 1}: held-out loss {self.loss_held_out(samples):.4f}", flush=True)
        self.net.eval()

    def loss_held_out(self, samples):
        """The loss of the chances of the games held out, above that of chances that are right."""
        target = self.tensor(samples.target[samples.held_out])
        self.net.eval()
        odds = torch.logit(self.tensor(self.chances(samples.boards[samples.held_out])), eps=1e-6)
        self.net.train()
        least = F.binary_cross_entropy_with_logits(torch.logit(target, eps=1e-6), target)
        return (F.binary_cross_entropy_with_logits(odds, target) - least).item()

    @torch.no_grad()
    def chances(self, boards):
        parts = [self.run(self.tensor(part))[0] for part in np.array_split(boards, len(boards) // 8192 + 1)]
        return torch.sigmoid(torch.cat(parts)).cpu().numpy()


def varied(samples, side, count, rng):
    """Random positions of the games that were learned, each with up to three random moves more, at most two
    steps from a stone. Returns the boards, and the moves that lead to each. Won positions are left out."""
    rows = rng.choice(np.flatnonzero(~samples.held_out), count)
    boards, more = samples.boards[rows], rng.integers(0, 4, count)
    added = -np.ones((count, 3), np.int64)
    for number in range(3):
        stones = (boards != EMPTY).reshape(-1, side, side)
        near = np.zeros_like(stones)
        for down in range(-2, 3):
            for right in range(-2, 3):
                near |= shifted(stones, down, right)
        near = near.reshape(count, -1) & (boards == EMPTY)
        goes_on = (more > number) & near.any(1) & ~has_five(boards, side)
        cells = np.argmax(near * rng.random(near.shape, np.float32), 1)
        boards[goes_on, cells[goes_on]] = OWN
        boards[goes_on] = swapped(boards[goes_on])
        added[goes_on, number] = cells[goes_on]
    moves = [
        samples.games[number]["moves"][:ply] + [cell for cell in cells if cell >= 0]
        for (number, ply), cells in zip(samples.place[rows], added)
    ]
    is_open = ~has_five(boards, side)
    return boards[is_open], [moves[row] for row in np.flatnonzero(is_open)]


def write_labelled(file, trainer, samples, args):
    names = [f"{chr(ord('a') + cell % args.side)}{cell // args.side + 1}" for cell in range(args.side**2)]
    rng, left = np.random.default_rng(args.seed), args.positions
    with open(file, "w") as out:
        while left > 0:
            boards, moves = varied(samples, args.side, min(left, 50_000), rng)
            for line, chance in zip(moves, trainer.chances(boards)):
                out.write(" ".join([str(args.side)] + [names[cell] for cell in line]) + f" = {round(1000 * float(chance))}\n")
            left -= len(moves)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", metavar="GAMES")
    parser.add_argument("--write", required=True, metavar="FILE", help="where the labelled positions go")
    parser.add_argument("--positions", type=int, default=2_000_000, help="how many are written (%(default)s)")
    parser.add_argument("--steps", type=int, default=4000, help=f"steps of {BATCH} positions (%(default)s)")
    parser.add_argument("--channels", type=int, default=96, help="the width of the net (%(default)s)")
    parser.add_argument("--blocks", type=int, default=8, help="its blocks of two convolutions (%(default)s)")
    parser.add_argument("--side", type=int, default=15, help="the side of the board (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="where the random numbers begin (%(default)s)")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    samples = Samples(read_games(args.games, args.side), args.side)
    print(f"{len(samples.games)} games, {len(samples.boards)} positions", flush=True)
    trainer = Trainer(args)
    trainer.train(samples, args.steps)
    write_labelled(args.write, trainer, samples, args)


if __name__ == "__main__":
    main()
