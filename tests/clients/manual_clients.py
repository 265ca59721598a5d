"""Runs the clients of the manual as they are printed there.

    python manual_clients.py PATH_TO_TENGEN

Starts `tengen serve` on free ports and runs each block in Python, JavaScript and shell under "Ways to ask" of docs/manual/serve.md
against it. Then it runs the blocks under "Clients in ten lines" of docs/manual/json-clients.md, which start the program themselves. A
client must print a move or an answer, and end with status 0. A client whose program (node, nc, websocat) is not installed is
skipped, reported and counted. Prints what ran; exits with 1 at the first error. Needs no package.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MANUAL = pathlib.Path(__file__).parents[2] / "docs" / "manual"
# Seconds.
TIMEOUT = 60
skipped = []


def blocks(page, heading):
    """The fenced blocks under a heading, as pairs of language and text."""
    text = (MANUAL / page).read_text(encoding="utf-8")
    section = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"```(\w+)\n(.*?)```", section, re.S)


def run(name, command, environment):
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    )
    answered = re.search(r"\b[a-z]\d{1,2}\b|\"type\":\"answer\"", result.stdout)
    if result.returncode != 0 or not answered:
        raise SystemExit(f"{name}: status {result.returncode}\n{result.stdout}{result.stderr}")
    print(f"{name}: {result.stdout.splitlines()[0][:70]}")


def node_command():
    """The command of Node.js with WebSockets, which versions 20 and 21 have behind an option."""
    major = int(subprocess.run(["node", "-p", "process.versions.node"], capture_output=True, text=True, check=True).stdout.split(".")[0])
    return ["node", "--experimental-websocket"] if major < 22 else ["node"]


def ending_script(text):
    """The script of a page, changed so that it closes its socket and ends after the answer."""
    return text.replace("console.log(JSON.parse(message.data).best);", "{ console.log(JSON.parse(message.data).best); socket.close(); };")


def skip(page, program):
    skipped.append(f"skipped: {program} is absent, for a client of docs/manual/{page}")
    print(skipped[-1])


def try_block(page, language, text, environment):
    if language == "python":
        run(f"{page}: Python", [sys.executable, "-c", text], environment)
    elif language == "javascript":
        if not shutil.which("node"):
            return skip(page, "node")
        run(f"{page}: JavaScript", [*node_command(), "-e", ending_script(text)], environment)
    elif language == "sh":
        for line in text.splitlines():
            words = re.findall(r"(?:^|\| )(\w+)", line)
            missing = [word for word in words if word != "echo" and not shutil.which(word)]
            if missing:
                skip(page, missing[0])
            else:
                run(f"{page}: {words[-1]}", ["sh", "-c", line], environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program")
    program = pathlib.Path(parser.parse_args().program).resolve()
    command = [program, "serve", "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0", "--drain", "1"]
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            # Some blocks start the program by its name.
            os.symlink(program, pathlib.Path(folder) / "tengen")
            environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
            http, _, tcp = re.findall(r"127\.0\.0\.1:(\d+)", server.stdout.readline())
            for language, text in blocks("serve.md", "Ways to ask"):
                try_block("serve.md", language, text.replace("7878", http).replace("7879", tcp), environment)
            for language, text in blocks("json-clients.md", "Clients in ten lines"):
                try_block("json-clients.md", language, text, environment)
        finally:
            server.terminate()
    print(f"{len(skipped)} skipped")


if __name__ == "__main__":
    main()
