"""Plays both sides of a whole game with one program that speaks Gomocup, and checks every move and the memory.

Usage: gomocup_game.py PROGRAM [ARGUMENTS]
"""

import re
import subprocess
import sys
from pathlib import Path

SIZE = 15
WAIT = 60
# Bytes, for the whole process.
MEMORY = 80 << 20


class Player:
    """The program, as a manager starts it."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.send(f"START {SIZE}")
        answer = self.answer()
        assert answer == "OK", f"START: {answer}"
        for info in ("rule 0", "timeout_turn 1000", "timeout_match 100000", f"max_memory {MEMORY}", "max_node 3000"):
            self.send(f"INFO {info}")

    def send(self, line):
        self.process.stdin.write(f"{line}\r\n".encode())
        self.process.stdin.flush()

    def answer(self):
        while True:
            line = self.process.stdout.readline().decode()
            assert line, "the program has ended"
            line = line.strip()
            if not line.startswith(("MESSAGE", "DEBUG")):
                return line

    def peak_memory(self):
        """Returns the most bytes that the process had in memory, as Linux says. Under wine those of wine count."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.M).group(1)) << 10

    def end(self):
        self.send("END")
        return self.process.wait(WAIT)


def wins(stones, last):
    """Returns whether the last stone is in a line of five."""
    for right, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
        count = 1
        for sign in (1, -1):
            x, y = last
            while (x := x + sign * right, y := y + sign * down) in stones:
                count += 1
        if count >= 5:
            return True
    return False


def main(command):
    players = [Player(command), Player(command)]
    players[0].send("ABOUT")
    assert 'name="' in players[0].answer()
    stones = [set(), set()]
    players[0].send("BEGIN")
    for ply in range(SIZE * SIZE):
        side = ply % 2
        line = players[side].answer()
        move = tuple(int(part) for part in line.split(","))
        assert len(move) == 2 and all(0 <= part < SIZE for part in move), line
        assert move not in stones[0] | stones[1], f"{line} is taken"
        stones[side].add(move)
        if wins(stones[side], move):
            break
        players[1 - side].send(f"TURN {line}")
    else:
        print("the board is full")
    peak = max(player.peak_memory() for player in players)
    print(f"{ply + 1} plies, at most {peak >> 20} MiB")
    assert peak <= MEMORY, f"{peak} bytes of memory"
    assert [player.end() for player in players] == [0, 0]


if __name__ == "__main__":
    main(sys.argv[1:])
