"""Who sits on the other side of a page: a client over TCP that says what a test tells it to, and a
line to the server that a test can cut."""

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PATIENCE = 60
"""A hang guard, in s."""


class Opponent:
    """A person at a client for lines with a lobby, or by the kind `name` an engine. It says that it
    is ready by itself; all else it says when it is told to. `repeats`: asked again for a move at
    the position at which it made one, it makes the same by itself."""

    def __init__(
        self, port: int, name: str, kind: str = "username", *, repeats: bool = False
    ) -> None:
        self.name = name
        self._repeats = repeats
        self._position = ""  # told last
        self._moved: tuple[str, str] | None = None  # at that position, by that line
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._lines: list[str] = []
        self._news = threading.Condition()
        self._read = 0
        self._reader = threading.Thread(target=self._listen)
        self._reader.start()
        self.say(f"id {kind} {name}", "id version 1", "id pieces kmqcaehuriwbznxlop")
        self.say("option name UCI_Chess960 type check default false")
        self.say("id feature lobby", "uciok")
        self.hear("lobby welcome")

    def _listen(self) -> None:
        with suppress(OSError), self._socket.makefile() as lines:  # it was closed here
            for line in lines:
                if line.strip() == "isready":
                    self.say("readyok")
                    continue
                if line.startswith("position "):
                    self._position = line
                elif line.startswith("go ") and self._repeats and self._moved is not None:
                    at, move = self._moved
                    if at == self._position:
                        self.say(move)
                        continue
                with self._news:
                    self._lines.append(line.strip())
                    self._news.notify()

    def say(self, *lines: str) -> None:
        for line in lines:
            if line.startswith("bestmove "):
                self._moved = self._position, line
        self._socket.sendall("".join(f"{line}\n" for line in lines).encode())

    def has_got(self, words: str) -> bool:
        """Whether these words stand in any line so far."""
        with self._news:
            return any(words in line for line in self._lines)

    def hear(self, beginning: str, words: str = "") -> str:
        """The next line that begins like this and has these words; what comes before it is passed
        over."""

        def heard() -> str | None:
            while self._read < len(self._lines):
                line = self._lines[self._read]
                self._read += 1
                if line.startswith(beginning) and words in line:
                    return line
            return None

        with self._news:
            line = self._news.wait_for(heard, PATIENCE)
            assert line, f"waited in vain for {beginning}{words}, heard {self._lines[-10:]}"
            return line

    def play(self, rival: "Opponent", terms: str = "") -> str:
        """Begin a game as White, and return its number."""
        self.say(f"challenge {rival.name} color white {terms}".rstrip())
        rival.say(f"accept {rival.hear('lobby challenge').split()[2]}")
        return self.hear("lobby game", " start white").split()[2]

    def move(self, *moves: str) -> None:
        """Make each of these moves when it is asked for one."""
        for move in moves:
            self.hear("go ")
            self.say(f"bestmove {move}")

    def close(self) -> None:
        """Leave."""
        with suppress(OSError):  # the server was quicker
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.join(PATIENCE)
        self._socket.close()


class Wire:
    """A port that is passed on to another one of this machine until it is cut."""

    def __init__(self, port: int) -> None:
        self._far = port
        self._calls: list[socket.socket] = []
        self._open = threading.Lock()
        self._works = True
        self._silent = threading.Event()  # of all calls since the last of them
        self._closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def cut(self) -> None:
        """Break what is open; until it is mended, whoever calls is hung up on."""
        with self._open:
            self._works = False
            for call in self._calls:
                with suppress(OSError):  # that call was over
                    call.shutdown(socket.SHUT_RDWR)
            self._calls.clear()

    def mend(self) -> None:
        self._works = True

    def fall_silent(self) -> None:
        """Pass on nothing more of what is open, of which neither side is told; whoever calls again
        is passed on."""
        self._silent.set()
        self._silent = threading.Event()

    def _accept(self) -> None:
        with suppress(OSError):  # it was closed here
            while True:
                near, _ = self._listener.accept()
                with self._open:
                    if not self._works:
                        near.close()
                        continue
                    far = socket.create_connection(("127.0.0.1", self._far))
                    self._calls += (near, far)
                ends = (self._silent, self._closing)
                thread = threading.Thread(target=_pass_on, args=(near, far, *ends))
                self._threads.append(thread)
                thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._closing.set()
        self.cut()
        for thread in self._threads:
            thread.join(PATIENCE)
        self._listener.close()


def _pass_on(
    near: socket.socket, far: socket.socket, silent: threading.Event, closing: threading.Event
) -> None:
    with near, far, suppress(OSError):  # cut
        while True:
            for source in select.select([near, far], [], [])[0]:
                if silent.is_set():
                    closing.wait()
                    return
                if not (data := source.recv(1 << 16)):
                    return
                (far if source is near else near).sendall(data)


@contextmanager
def wire(port: int) -> Iterator[Wire]:
    laid = Wire(port)
    try:
        yield laid
    finally:
        laid.close()
