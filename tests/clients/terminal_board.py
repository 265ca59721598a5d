"""Plays on the full screen of `tengen play`, with the package `pyte`, a terminal in memory.

    python terminal_board.py PATH_TO_TENGEN

Each scene starts the program in its own terminal, sends keys and clicks, and waits for the expected screen. The scenes cover boards
at 80x24 and 120x40, moves by cursor, mouse and typed coordinates, replies, undo while the engine thinks, hint, analysis, the dialog
for a new game, a board larger than the window, a resized window, no colours with NO_COLOR, only ASCII with --ascii, a record with
its review, saving, clocks, a closed terminal, and each way to quit, which must restore the terminal. Prints the scenes; exits with 1
at the first error and prints the screen. Needs the package `pyte` from PyPI.
"""

import argparse
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

import pyte

# Seconds; turns a hang into a failure.
TIMEOUT = 60
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
PAGE_UP, PAGE_DOWN, BACKSPACE, ENTER, ESCAPE = "\x1b[5~", "\x1b[6~", "\x7f", "\r", "\x1b"
CONTROL_C, CONTROL_S = "\x03", "\x13"
COLOUR = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[0-9;]*m")


class Failure(Exception):
    """The screen or the program is not as expected."""


class Terminal:
    """The program in a terminal in memory."""

    def __init__(self, tengen, arguments, columns=80, rows=24, environment=None, folder=None, controls=True):
        self.folder = folder or tempfile.mkdtemp()
        ours, theirs = pty.openpty()
        self.ours = ours
        self.set_size(columns, rows)
        self.before = termios.tcgetattr(theirs)
        variables = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PATH": os.environ["PATH"]}
        variables |= {"XDG_STATE_HOME": self.folder} | (environment or {})
        self.process = subprocess.Popen(
            [os.path.abspath(tengen), "play", *arguments],
            stdin=theirs, stdout=theirs, stderr=theirs, env=variables, cwd=self.folder,
            start_new_session=True, preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if controls else None,
        )
        self.theirs = theirs
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.output = b""

    def set_size(self, columns, rows):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        self.set_size(columns, rows)
        self.screen.resize(rows, columns)
        self.process.send_signal(signal.SIGWINCH)

    def send(self, keys):
        os.write(self.ours, keys.encode())

    def click(self, place):
        column, row = place
        self.send(f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m")

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def read(self):
        """Reads the output of the program. Returns False when the program has ended."""
        ready, _, _ = select.select([self.ours], [], [], 0.2)
        if not ready:
            return self.process.poll() is None
        try:
            output = os.read(self.ours, 65536)
        except OSError:
            return False
        self.output += output
        self.stream.feed(output)
        return bool(output)

    def wait_for(self, wanted, what=None):
        """Waits until the screen contains a text, or until a function of the screen returns true."""
        is_there = wanted if callable(wanted) else lambda screen: wanted in screen
        deadline = time.monotonic() + TIMEOUT
        while not is_there(self.text()):
            if not self.read():
                raise Failure(f"{self.text()}\nthe program ended before: {what or wanted}")
            if time.monotonic() > deadline:
                raise Failure(f"{self.text()}\nthe screen never shows: {what or wanted}")

    def find(self, name):
        """The column and row on the screen of a point, found by the coordinates of the board; None if it is not drawn."""
        file, rank = name[0], name[1:]
        lines = [line + " " for line in self.screen.display]
        files = [row for row, line in enumerate(lines) if re.match(r"^ {3,}[a-z](?: +[a-z])* ", line)]
        if not files:
            return None
        rows = [row for row, line in enumerate(lines[: files[-1]]) if line[:2].strip() == rank]
        column = lines[files[-1]].find(f" {file} ")
        return (column + 1, rows[-1]) if rows and column >= 0 else None

    def place(self, name):
        """The column and row on the screen of a point. Fails if it is not drawn."""
        found = self.find(name)
        if found is None:
            raise Failure(f"{self.text()}\nthe board has no {name}")
        return found

    def sign(self, name):
        """The character on a point."""
        column, row = self.place(name)
        return self.screen.display[row][column]

    def cell(self, name):
        """The text of a point, of up to three letters."""
        column, row = self.place(name)
        return self.screen.display[row][column - 1 : column + 2].strip()

    def wait_for_sign(self, name, sign):
        self.wait_for(lambda _: self.find(name) is not None and self.sign(name) == sign, f"{sign} on {name}")

    def end(self, status=0):
        """Waits until the program has ended, and checks that it has restored the terminal."""
        deadline = time.monotonic() + TIMEOUT
        while self.read():
            if time.monotonic() > deadline:
                raise Failure(f"{self.text()}\nthe program does not end")
        found = self.process.wait()
        if found != status:
            raise Failure(f"{self.text()}\nthe program ended with {found}")
        after = termios.tcgetattr(self.theirs)
        if after[:4] != self.before[:4]:
            raise Failure("the modes of the terminal are not what they were")
        for on, off in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?1006h", b"\x1b[?1006l")):
            if on in self.output and self.output.rfind(off) < self.output.rfind(on):
                raise Failure(f"{on} is never taken back")
        os.close(self.theirs)
        os.close(self.ours)


RENJU = ["--variant", "renju", "--level", "0", "--seed", "1"]


def play_by_cursor(tengen):
    """The cursor starts in the middle; Enter plays, the engine replies, undo takes both moves back."""
    board = Terminal(tengen, RENJU)
    board.wait_for("Your turn, Black.")
    board.send(ENTER)
    board.wait_for("Tengen plays ")
    if board.sign("h8") != "●":
        raise Failure(f"{board.text()}\nno stone on h8")
    if board.text().count("●") + board.text().count("○") != 4:
        raise Failure(f"{board.text()}\nnot two stones, and two in the panel")
    board.send(UP + RIGHT + ENTER)
    board.wait_for_sign("i9", "●")
    board.wait_for(lambda screen: len(re.findall("●", screen)) == 6, "four stones")
    board.send(BACKSPACE)
    board.wait_for("Taken back: ")
    board.wait_for_sign("i9", "┼")
    board.send("Q")
    board.wait_for("The game is kept")
    board.end()


def play_by_mouse_and_words(tengen):
    """A click plays, but not a press and a release on two points; typed words work, and wrong ones are refused."""
    board = Terminal(tengen, RENJU + ["--side", "both"], 120, 40)
    board.wait_for("Black is to move.")
    board.click(board.place("c3"))
    board.wait_for_sign("c3", "●")
    (column, row), (other, _) = board.place("d4"), board.place("e4")
    board.send(f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{other + 1};{row + 1}m")
    board.send("h8" + ENTER)
    board.wait_for("White plays h8.")
    if board.sign("d4") != "┼" or board.sign("e4") != "┼":
        raise Failure(f"{board.text()}\na stone where the mouse was only moved")
    board.send("h8" + ENTER)
    board.wait_for("h8 is taken")
    board.send("level 99" + ENTER)
    board.wait_for("level 99: say a number from 0 to 10")
    board.send("last")
    board.wait_for("> last_")
    board.send(ESCAPE)
    board.wait_for(lambda screen: "> last" not in screen, "no typed text")
    board.send(CONTROL_C)
    board.end()


def undo_while_the_engine_thinks(tengen):
    """Undo stops the engine; its late answer changes nothing."""
    board = Terminal(tengen, ["--variant", "gomoku", "--level", "10", "--movetime", "600000"])
    board.wait_for("Your turn, Black.")
    board.send("h8" + ENTER)
    board.wait_for("Tengen is thinking")
    board.send(BACKSPACE)
    board.wait_for("Taken back: h8.")
    board.send("j10" + ENTER)
    board.wait_for("Tengen is thinking")
    board.send("G")
    board.wait_for("Tengen plays ")
    if board.sign("h8") == "●" or board.sign("j10") != "●":
        raise Failure(f"{board.text()}\nthe wrong stones")
    board.send("Q")
    board.end()


def hint_and_analysis(tengen):
    """A hint shows a point, then its line; the analysis shows values in each column and its lines."""
    board = Terminal(tengen, ["--moves", "d1 d2 d3 d4 d5 b1 b2 e1 f1 d6", "--side", "both"])
    board.wait_for("Red is to move.")
    board.send("A")
    board.wait_for(", done")
    values = {"b3": "W15", "f2": "W15", "e2": "=", "g1": "=", "a1": "L15", "c1": "L15"}
    board.wait_for(lambda _: {name: board.cell(name) for name in values} == values, f"the values {values}")
    board.send("H")
    board.wait_for("Hint: ")
    board.send("H")
    board.wait_for("Red: win in 15")
    board.send("A")
    board.wait_for("Analysis is off.")
    board.wait_for(lambda screen: "Best moves" not in screen, "no best moves")
    board.send("q")
    board.end()


def large_board(tengen):
    """A board that does not fit scrolls with the cursor; a larger window shows all of it; help opens and closes."""
    sizes = ["--variant", "gomoku", "--width", "22", "--height", "22", "--side", "both"]
    board = Terminal(tengen, sizes)
    board.wait_for("Black is to move.")
    if any(line[:2] in (" 1", "22") for line in board.screen.display):
        raise Failure(f"{board.text()}\nthe board should not fit")
    board.send(UP * 22 + LEFT * 22)
    board.wait_for(lambda screen: "\n22" in screen, "the top row")
    board.send(ENTER)
    board.wait_for("Black plays a22.")
    board.resize(120, 50)
    board.wait_for(lambda screen: "\n22" in screen and "\n 1" in screen, "the whole board")
    board.wait_for_sign("a22", "●")
    board.send("q")
    board.wait_for("> q_")
    board.send(ESCAPE)
    board.wait_for(lambda screen: "> q_" not in screen, "no typed text")
    board.send("?")
    board.wait_for("Keys and words")
    board.send(ESCAPE)
    board.wait_for(lambda screen: "Keys and words" not in screen, "no help")
    board.resize(24, 8)
    board.wait_for(lambda screen: "a22" in screen or "22" in screen, "a small board")
    board.send("quit" + ENTER)
    board.end()


def without_colours(tengen):
    """With NO_COLOR there are no colours, with --ascii only ASCII; the stones still differ."""
    arguments = RENJU + ["--side", "both", "--moves", "h8 i9"]
    plain = Terminal(tengen, arguments + ["--ascii"], environment={"NO_COLOR": "1"})
    plain.wait_for("Black is to move.")
    plain.wait_for_sign("h8", "X")
    plain.wait_for_sign("i9", "O")
    plain.send("Q")
    plain.end()
    if COLOUR.search(plain.output):
        raise Failure(f"a colour: {COLOUR.search(plain.output).group()!r}")
    if not plain.text().isascii():
        raise Failure(f"{plain.text()}\nmore than ASCII")
    full = Terminal(tengen, arguments)
    full.wait_for("Black is to move.")
    full.send("Q")
    full.end()
    if not COLOUR.search(full.output):
        raise Failure("no colours at all")


def new_game_dialog(tengen):
    """The dialog for a new game without colours: a wrong size is refused, another one is typed, and the game begins."""
    board = Terminal(tengen, RENJU + ["--side", "both"], environment={"NO_COLOR": "1"})
    board.wait_for("Black is to move.")
    board.send("B")
    board.wait_for("renju: 15x15 board")
    board.send(DOWN + "99" + DOWN)
    board.wait_for("Width 99")
    board.send("13" + DOWN + "13" + ENTER)
    # The dialog names the game, too, before Enter is handled.
    board.wait_for(lambda screen: "renju: 13x13 board" in screen and "Enter start" not in screen, "the game")
    board.send("B")
    board.wait_for("Enter start")
    board.send(ESCAPE)
    board.wait_for(lambda screen: "Enter start" not in screen, "no dialog")
    board.send("Q")
    board.end()


def forbidden_points(tengen):
    """A forbidden point has a cross, and a click on it shows the rule."""
    board = Terminal(tengen, RENJU + ["--side", "both", "--moves", "h8 a1 i8 a3 j7 a5 j6 a7"])
    board.wait_for_sign("j8", "×")
    board.click(board.place("j8"))
    board.wait_for("j8 is forbidden to Black: double-three")
    board.wait_for_sign("j8", "×")
    board.send("Q")
    board.end()


def review_and_save(tengen):
    """A record is shown, reviewed and saved, and the game is resumed after SIGTERM."""
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "game.sgf"), "w") as record:
        record.write("(;GM[4]SZ[15]RU[renju]PB[One]PW[Two];B[hh];W[ig];B[ii](;W[gg];B[hi];W[aa];B[gi])(;W[aa]C[bad]))")
    board = Terminal(tengen, ["--nodes", "2000", "game.sgf"], folder=folder)
    board.wait_for("Black is to move.")
    board.send(PAGE_DOWN * 3)
    board.wait_for_sign("i7", "●")
    board.send("J")
    board.wait_for("Mistakes: ")
    board.wait_for(lambda screen: "a15?" in screen, "the mistake marked")
    board.send("to 5" + ENTER)
    board.wait_for("Move 5 of 7")
    board.send("N")
    board.wait_for("Move 6 of 7: White a15?")
    board.send(CONTROL_S)
    board.wait_for("Save as: tengen-renju.sgf_")
    board.send(ENTER)
    board.wait_for("The game is saved as tengen-renju.sgf.")
    board.send("n14" + ENTER)
    board.wait_for("Black plays n14.")
    board.process.send_signal(signal.SIGTERM)
    board.end()
    with open(os.path.join(folder, "tengen-renju.sgf")) as saved:
        text = saved.read()
    for part in ("B[hh]", "C[bad]", "BM[", "PB[One]", "RU[renju]"):
        if part not in text:
            raise Failure(f"{text}\nhas no {part}")
    board = Terminal(tengen, ["--resume"], folder=folder)
    board.wait_for_sign("n14", "●")
    board.send(CONTROL_C)
    board.end()


def clocks(tengen):
    """Both clocks are shown and get their increments; undo and a new game reset them; a player without time loses."""
    board = Terminal(tengen, ["--variant", "gomoku", "--level", "0", "--seed", "1", "--clock", "1+30"])
    shows = lambda pattern: board.wait_for(lambda screen: re.search(pattern, screen) is not None, pattern)
    shows(r"Black (1:00|5\d s), White 1:00")
    board.send("h8" + ENTER)
    shows(r"Black 1:[0-3]\d, White 1:[23]\d")
    board.send("clock" + ENTER)
    board.wait_for("Clocks: Black 1:")
    board.send(BACKSPACE)
    board.wait_for("Taken back: ")
    shows(r"Black (1:00|5\d s), White 1:00")
    board.send("new renju 13x13" + ENTER)
    board.wait_for("13x13")
    shows(r"Black (1:00|5\d s), White 1:00")
    board.send("Q")
    board.end()
    short = Terminal(tengen, ["--variant", "gomoku", "--clock", "0.02"])
    short.wait_for("Black (you) has run out of time")
    short.send("Q")
    short.end()


def closed_terminal(tengen):
    """Without a signal the program notices that its terminal is closed, ends, and keeps the game."""
    board = Terminal(tengen, RENJU + ["--side", "both"], controls=False)
    board.wait_for("Black is to move.")
    board.send("h8" + ENTER)
    board.wait_for_sign("h8", "●")
    os.close(board.theirs)
    os.close(board.ours)
    try:
        board.process.wait(TIMEOUT)
    except subprocess.TimeoutExpired:
        board.process.kill()
        raise Failure("the program outlives its terminal") from None
    again = Terminal(tengen, ["--resume"], folder=board.folder)
    again.wait_for_sign("h8", "●")
    again.send("Q")
    again.end()


SCENES = [
    play_by_cursor, play_by_mouse_and_words, undo_while_the_engine_thinks, hint_and_analysis,
    large_board, without_colours, new_game_dialog, forbidden_points, review_and_save, clocks, closed_terminal,
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tengen")
    tengen = parser.parse_args().tengen
    for scene in SCENES:
        try:
            scene(tengen)
        except Failure as failure:
            raise SystemExit(f"{scene.__name__}:\n{failure}")
        print(f"{scene.__name__}: {scene.__doc__.splitlines()[0]}")


if __name__ == "__main__":
    sys.exit(main())
