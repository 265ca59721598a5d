"""A process that speaks UCI."""

import re
import subprocess


class Uci:
    """A process that speaks UCI."""

    def __init__(self, program, env=None, errors=None):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program], stdin=pipe, stdout=pipe, stderr=errors, env=env, text=True)
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

    def search(self, variant, position, limit, table=64, options=None):
        """Searches as in a new game, with further options. Returns all lines, but without times."""
        # The size of the last board may be none of this variant.
        self.send("setoption name BoardWidth value 0", "setoption name BoardHeight value 0")
        self.send(f"setoption name UCI_Variant value {variant}", f"setoption name Hash value {table}")
        self.send(*(f"setoption name {name} value {value}" for name, value in (options or {}).items()))
        self.send("setoption name OwnBook value false", "ucinewgame", f"position {position}")
        refused = [line for line in self.ask("isready", "readyok")[:-1] if not line.startswith("info string variant ")]
        if refused:
            raise ValueError(f"{variant}, {position}: {refused}")
        return [re.sub(r" (time|nps) \d+", "", line) for line in self.ask(f"go {limit}", "bestmove")]

    def close(self):
        """Ends the process. Returns its status."""
        self.send("quit")
        return self.process.wait()
