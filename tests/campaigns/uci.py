"""A process that speaks UCI."""

import re
import subprocess


class Uci:
    """A process that speaks UCI."""

    def __init__(self, program):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program], stdin=pipe, stdout=pipe, text=True)
        self.ask("uci", "uciok")

    def send(self, *lines):
        """Sends lines."""
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def ask(self, line, last):
        """Sends a line. Returns the lines up to one that begins with `last`."""
        self.send(line)
        lines = []
        for reply in self.process.stdout:
            lines.append(reply.rstrip("\n"))
            if reply.startswith(last):
                return lines
        raise EOFError(f"{line}: no {last}")

    def search(self, variant, position, limit, table=64):
        """Searches as in a new game. Returns all lines, but without times."""
        self.send(f"setoption name UCI_Variant value {variant}", f"setoption name Hash value {table}")
        self.send("setoption name OwnBook value false", "ucinewgame", f"position {position}")
        self.ask("isready", "readyok")
        return [re.sub(r" (time|nps) \d+", "", line) for line in self.ask(f"go {limit}", "bestmove")]

    def close(self):
        """Ends the process."""
        self.send("quit")
        self.process.wait()
