"""Checks what `tengen analyze` shows on a terminal, with the package `pyte`, a terminal in memory.

    python live_view.py PATH_TO_TENGEN

Analyses an opening of gomoku for 1.5 s with three ranked moves. During the search the screen must show at most one line for each
move, which is overwritten and never repeated. All three lines must appear together at least three times. At the end the screen
must show the board, the three lines and the best move, in this order, and nothing below. Ten shorter analyses must end in the
same way. Everything is repeated in a window that is too narrow for the lines. Prints the number of screens; exits with 1 at the
first error. Needs the package `pyte` from PyPI.
"""

import argparse
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios

import pyte

ROWS = 45
# Seconds. The pieces of one write follow one another sooner.
SILENCE = 0.02
RANKED = re.compile(r"^ *(\d+) +(\d+)\. ")


def ranks(screen):
    """The ranks of the moves on the screen, from the top."""
    found = (RANKED.match(line) for line in screen.display)
    return [int(match.group(2)) for match in found if match]


def screens(command, columns):
    """Yields the screen whenever the program is silent, and once more when it has ended.

    The program draws the lines by one write, but the terminal may deliver it in pieces.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    environment = os.environ | {"TERM": "xterm-256color"}
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, close_fds=True
    )
    os.close(theirs)
    screen = pyte.Screen(columns, ROWS)
    stream = pyte.ByteStream(screen)
    while True:
        ready, _, _ = select.select([ours], [], [], 60)
        if not ready:
            raise SystemExit("no output for a minute")
        try:
            output = os.read(ours, 65536)
        except OSError:
            break
        if not output:
            break
        stream.feed(output)
        if not select.select([ours], [], [], SILENCE)[0]:
            yield screen
    if process.wait() != 0:
        raise SystemExit(f"the program ended with {process.returncode}")
    yield screen


def check(tengen, columns, milliseconds):
    command = [tengen, "analyze", "--variant", "gomoku", "--moves", "h8 i9"]
    command += ["--movetime", str(milliseconds), "--multipv", "3"]
    seen = full = 0
    for screen in screens(command, columns):
        seen += 1
        shown = ranks(screen)
        if shown != list(range(1, len(shown) + 1)) or len(shown) > 3:
            raise SystemExit("\n".join(screen.display) + f"\nthe ranks {shown} are shown")
        full += shown == [1, 2, 3]
    lines = [line.rstrip() for line in screen.display]
    text = "\n".join(lines).rstrip()
    parts = ("gomoku: 15x15", "first player is to move", "  1. ", "  2. ", "  3. ", "best: ")
    places = [text.find(part) for part in parts]
    is_last = lines and text.splitlines()[-1].startswith("best: ")
    if places != sorted(places) or -1 in places or not is_last:
        raise SystemExit(f"{text}\nis not the expected end")
    return seen, full


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tengen")
    tengen = parser.parse_args().tengen
    for columns in (100, 60):
        for _ in range(10):
            check(tengen, columns, 200)
        seen, full = check(tengen, columns, 1500)
        if full < 3:
            raise SystemExit(f"only {full} of {seen} screens showed all three moves")
        print(f"{columns} columns: {seen} screens, {full} with all three moves")


if __name__ == "__main__":
    sys.exit(main())
