"""Plays in many rooms of `tengen serve --rooms`, kills the server, and tries secrets.

    python serve_rooms.py PATH_TO_TENGEN [rooms|guesses]

rooms: 200 rooms at once with clocks, each with two players and ten people who look on. Between the moves the server is killed and started
again. Counts moves that were lost or doubled, and the largest difference of a clock. guesses: 100,000 wrong secrets within the limits.
Prints a line for each figure with what is wanted, and ends with status 1 if a figure is worse. Needs Python 3.10 on Linux, and no package.
"""

import asyncio
import base64
import os
import resource
import signal
import sys
import tempfile
import time

from serve_load import Server, Socket

ROOMS = int(os.environ.get("ROOMS", "200"))
WATCHERS = 10
MOVES = ["h8", "a1", "h9", "a3", "h10", "a5", "k8", "c1", "k9", "c3"]
BASE_MS = 600_000
GUESSES = int(os.environ.get("GUESSES", "100000"))
GUESSERS = 1000
failures = 0


def tell(figure, value, wanted, is_met):
    global failures
    failures += not is_met
    print(f"{figure:<72} {value:<20} wanted: {wanted}{'' if is_met else '  MISSED'}", flush=True)


class Room:
    """A room, its connections, and what they know."""

    def __init__(self, secrets):
        self.secrets = secrets
        self.acts = []
        # The remaining milliseconds of the player who moves, and when they were told.
        self.left, self.at = BASE_MS, time.monotonic()
        self.lost = self.doubled = 0
        self.drift = 0

    @property
    def mover(self):
        return len(self.acts) % 2

    async def join(self, server):
        """Joins with all connections. Returns the first state of player 1, and when it came."""
        own, friend, watch = self.secrets
        self.sockets = []
        for secret in [own, friend] + [watch] * WATCHERS:
            self.sockets.append(await Socket.open(server))
            await self.sockets[-1].send(id="j", action="join_room", room=secret)
            if secret == own:
                first = await self.state(0), time.monotonic()
        return first

    async def state(self, index, count=0):
        """The first state with at least `count` acts that a connection gets."""
        while True:
            message = await self.sockets[index].until("room")
            if len(message["acts"]) >= count:
                return message

    def note(self, state, at=None):
        self.left, self.at = state["left_ms"][state["decides"] - 1], at or time.monotonic()

    async def play(self, move):
        """Sends a move twice, and waits until all have it."""
        mover = self.mover
        for _ in range(2):
            number = len(self.acts)
            await self.sockets[mover].send(id="a", action="room_act", room=self.secrets[mover], do="act", act=move, number=number)
        states = await asyncio.gather(*(self.state(index, len(self.acts) + 1) for index in range(len(self.sockets))))
        self.acts.append(move)
        self.doubled += sum(state["acts"] != self.acts for state in states)
        self.note(states[0])

    async def come_back(self, server, killed, started):
        """Joins again after a kill. A move that was answered must be there."""
        state, at = await self.join(server)
        self.lost += len(state["acts"]) < len(self.acts)
        self.doubled += len(state["acts"]) > len(self.acts) + 1 or len(set(state["acts"])) < len(state["acts"])
        if len(state["acts"]) == len(self.acts):
            left = state["left_ms"][state["decides"] - 1]
            expected = self.left - 1000 * (killed - self.at + at - started)
            self.drift = max(self.drift, abs(left - expected))
        self.acts = state["acts"]
        self.note(state, at)

    def close(self):
        for socket in self.sockets:
            socket.close()


async def play_rooms(program):
    with tempfile.TemporaryDirectory() as folder:
        limits = ["sessions=8192", "idle_connections=8192", "ping_ms=600000"]  # Clients here answer pings only while they wait.
        options = ["--rooms", folder, "--workers", "1", *(word for limit in limits for word in ("--limit", limit))]
        server = Server(program, *options)
        client = await Socket.open(server)
        rooms = []
        for _ in range(ROOMS):
            await client.send(id="m", action="make_room", variant="gomoku", clock={"base_ms": BASE_MS})
            made = await client.until("room_made")
            rooms.append(Room([made["own"], made["friend"], made["watch"]]))
        for room in rooms:
            await room.join(server)
        for room in rooms:
            room.note(await room.state(WATCHERS))
        times, kills, down = [], 0, 0
        for number, move in enumerate(MOVES):
            begin = time.monotonic()
            # In every second round the server is killed while moves are under way.
            plays = [asyncio.create_task(room.play(move)) for room in rooms if len(room.acts) == number]
            if number % 2:
                await asyncio.wait(plays, return_when=asyncio.FIRST_COMPLETED)
            else:
                await asyncio.gather(*plays)
                times.append((time.monotonic() - begin) * 1000)
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            killed = time.monotonic()
            for play in plays:
                play.cancel()
            await asyncio.gather(*plays, return_exceptions=True)
            for room in rooms:
                room.close()
            kills += 1
            server = Server(program, *options)
            started = time.monotonic()
            down = max(down, started - killed)
            for first in range(0, len(rooms), 20):
                await asyncio.gather(*(room.come_back(server, killed, started) for room in rooms[first : first + 20]))
            # Moves that were under way are played now.
            await asyncio.gather(*(room.play(move) for room in rooms if len(room.acts) == number))
        total = sum(len(room.acts) for room in rooms)
        tell(f"{ROOMS} rooms, {ROOMS * (2 + WATCHERS)} connections, {kills} kills: moves", f"{total} of {ROOMS * len(MOVES)}", "all", total == ROOMS * len(MOVES))
        tell("moves lost", sum(room.lost for room in rooms), "0", not any(room.lost for room in rooms))
        tell("moves doubled", sum(room.doubled for room in rooms), "0", not any(room.doubled for room in rooms))
        drift = max(room.drift for room in rooms)
        tell("largest difference of a clock after a kill", f"{drift:.0f} ms", "below 1,000 ms", drift < 1000)
        tell("a move in each room at once, until everybody has it: median, longest", f"{sorted(times)[len(times) // 2]:.0f}, {max(times):.0f} ms", "told", True)
        tell("resident memory", f"{server.memory() / 1024:.0f} MiB", "told", True)
        server.__exit__()


async def guess(server, count):
    """Tries secrets on one connection. Returns how many replies were not refusals."""
    socket = await Socket.open(server)
    wrong = 0
    for _ in range(count):
        await socket.send(id="j", action="join_room", room=base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("="))
        reply = await socket.hear()
        wrong += reply["type"] != "error" or reply["code"] != "forbidden"
    socket.close()
    return wrong


async def guesses(program):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, "--rooms", folder, "--limit", "sessions=2048", "--limit", "idle_connections=2048", "--workers", "1")
        client = await Socket.open(server)
        for _ in range(ROOMS):
            await client.send(id="m", action="make_room", variant="gomoku")
            await client.until("room_made")
        begin = time.monotonic()
        found = await asyncio.gather(*(guess(server, GUESSES // GUESSERS) for _ in range(GUESSERS)))
        tell(f"{GUESSES:,} wrong secrets over {GUESSERS:,} connections, {ROOMS} rooms: replies that tell something", sum(found), "0", sum(found) == 0)
        tell("time that the guesses took", f"{time.monotonic() - begin:.0f} s", "told", True)
        server.__exit__()


PARTS = {"rooms": play_rooms, "guesses": guesses}


def main():
    program, *names = sys.argv[1:]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
    for name in names or PARTS:
        asyncio.run(PARTS[name](program))
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
