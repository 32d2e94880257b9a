"""A guest who says one line again and again, as fast as the server takes it; a process of its own.

``hostile_guest.py PORT TRANSPORT ADDRESS LINE`` prints ``ready`` when it is about to begin, begins
at the first line of its input, and stops at the second. Then it prints how often it said its line,
how often it was cut off, and the last words that it heard before that. When it is cut off, it calls
again.
"""

import contextlib
import os
import select
import selectors
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator

from dearest_lines import LINES, Knock, Line
from wires import RECEIVE, TEXT, frame, upgrade

AT_ONCE = 64 * 1024
"""Bytes made ready to be sent: many of the shortest lines."""

PATIENCE = 20.0
"""Seconds for an answer while a line is being prepared."""

PAUSE = 0.2
"""Seconds before it calls again."""

NICE = 5
"""Those whose moves are measured share the processor."""

PIECES = b"id pieces abcdefghijklmnopqrstuvwxyz"
"""It knows all of them, so that no board is refused for what stands on it."""

WORDS = (b"clienterror", b"servererror", b"lobby error", b"retry-after")


class Cut(Exception):
    """The server ended the connection, or did not answer."""


class Guest:
    """One connection, over ``tcp`` or ``ws``, from one address of this machine."""

    def __init__(self, port: int, transport: str, address: str) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), PATIENCE, (address, 0))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.heard = b""
        self.name = b""
        self.answer: Callable[[bytes], bytes] | None = None
        """What it says to what it hears, if it does."""
        self.framed = transport == "ws"
        if self.framed:
            self.sock.sendall(upgrade("ulci"))
            self.wait_for(b"\r\n\r\n")

    def bytes_of(self, line: bytes) -> bytes:
        """A line as it goes over the wire; one that begins with NUL is a raw frame."""
        if not self.framed:
            return line + b"\n"
        kind = TEXT
        if line[:1] == b"\0":
            kind, line = line[1], line[2:]
        return frame(kind, line)

    def say(self, *lines: bytes) -> None:
        self.sock.sendall(b"".join(map(self.bytes_of, lines)))

    def wait_for(self, word: bytes) -> bytes:
        """What came up to and with `word`."""
        self.sock.settimeout(PATIENCE)
        while word not in self.heard:
            try:
                data = self.sock.recv(RECEIVE)
            except OSError as error:
                raise Cut(str(error)) from None
            if not data:
                raise Cut(self.last_words())
            self.heard += data
        before, found, self.heard = self.heard.partition(word)
        return before + found

    def last_words(self) -> str:
        at = max(self.heard.rfind(word) for word in WORDS)
        said = self.heard[at:].partition(b"\n")[0] if at >= 0 else b""
        return "".join(c for c in said.decode(errors="replace") if c.isprintable())[:100]

    def introduce(self, name: bytes) -> None:
        self.wait_for(b"uci")
        who = (b"id username " + name, b"id version 1", b"id feature lobby", PIECES)
        self.say(*who, b"uciok")
        welcome = self.wait_for(b" resume ")
        self.name = welcome.split()[-4] if b"account" in welcome else name

    def close(self) -> None:
        self.sock.close()


class Host:
    """Whom a line's preparation may ask for more guests, to play against."""

    def __init__(self, port: int, transport: str, address: str) -> None:
        self._where = (port, transport, address)
        self._number = 0
        self.guests: list[Guest] = []

    def guest(self) -> Guest:
        """One that has introduced itself."""
        guest = Guest(*self._where)
        self.guests.append(guest)
        self._number += 1
        name = b"g%d.%d.%d" % (os.getpid(), self._number, time.monotonic_ns() % 1000)
        guest.introduce(name)
        return guest

    def close(self) -> None:
        for guest in self.guests:
            guest.close()


class Flood:
    """Says `lines` from the first of `guests`, as fast as they are taken; the others listen."""

    def __init__(self, lines: Iterator[bytes], guests: list[Guest]) -> None:
        self.said = 0
        self._lines = lines
        self._guests = guests
        self._waiting: dict[Guest, bytearray] = {guest: bytearray() for guest in guests}
        self._ends: deque[int] = deque()  # bytes after which each line that waits is over
        self._sent = self._made = 0

    def run(self) -> None:
        """Until somebody speaks to us. Raises Cut."""
        with selectors.DefaultSelector() as selector:
            for guest in self._guests:
                guest.sock.setblocking(False)
                selector.register(guest.sock, selectors.EVENT_READ | selectors.EVENT_WRITE, guest)
            selector.register(sys.stdin, selectors.EVENT_READ, None)
            while True:
                for key, events in selector.select():
                    if key.data is None:
                        return
                    if events & selectors.EVENT_READ:
                        self._hear(key.data, selector)
                    if events & selectors.EVENT_WRITE and not self._say(key.data):
                        selector.modify(key.fileobj, selectors.EVENT_READ, key.data)

    def _hear(self, guest: Guest, selector: selectors.BaseSelector) -> None:
        try:
            data = guest.sock.recv(RECEIVE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        guest.heard = guest.heard[-RECEIVE:] + data
        if not data:
            raise Cut(guest.last_words())
        if guest.answer is not None and (answer := guest.answer(data)):
            self.said += 1
            self._waiting[guest] += answer
            selector.modify(guest.sock, selectors.EVENT_READ | selectors.EVENT_WRITE, guest)

    def _say(self, guest: Guest) -> bool:
        """Whether there will be more to say."""
        waiting = self._waiting[guest]
        if guest is self._guests[0]:
            while len(waiting) < AT_ONCE and (line := next(self._lines, None)) is not None:
                data = guest.bytes_of(line)
                waiting += data
                self._made += len(data)
                self._ends.append(self._made)
        if not waiting:
            return False
        try:
            sent = guest.sock.send(waiting)
        except BlockingIOError:
            return True
        except OSError:
            raise Cut(guest.last_words()) from None
        del waiting[:sent]
        if guest is self._guests[0]:
            self._sent += sent
            while self._ends and self._ends[0] <= self._sent:
                self._ends.popleft()
                self.said += 1
        return True


class Caller:
    """Calls, prepares its line and says it, again and again until its input says something."""

    def __init__(self, line: Line, where: tuple[int, str, str]) -> None:
        self._line = line
        self._where = where
        self._host = Host(*where)
        self.said = self.cuts = 0
        self.words = ""

    def prepare(self) -> None:
        self._host.close()
        self._host = Host(*self._where)
        self._prepared = self._line.prepare(self._host)

    def run(self) -> None:
        """Until it is told to stop."""
        while True:
            guest, lines = self._prepared
            others = [each for each in self._host.guests if each is not guest]
            flood = Flood(lines, [guest, *others])
            try:
                flood.run()
                return
            except Cut as cut:
                self._cut(str(cut))
            finally:
                self.said += flood.said
            while True:
                if select.select([sys.stdin], [], [], PAUSE)[0]:
                    return
                try:
                    self.prepare()
                    break
                except (Cut, OSError) as error:
                    self._cut(str(error))

    def _cut(self, words: str) -> None:
        self.cuts += 1
        self.words = words or self.words


class Knocker:
    """Connects again and again, and leaves as many connections open as its row keeps."""

    AT_ONCE = 32
    """Connections that wait for their end, beside those that are kept."""

    A_SECOND = 1000
    """Connections. The system has 28,000 ports for them, and each rests for a minute afterwards."""

    def __init__(self, knock: Knock, where: tuple[int, str, str]) -> None:
        self._knock = knock
        self._port, _, self._address = where
        self._open: deque[socket.socket] = deque()
        self._next = 0.0  # when it may call
        self.said = self.cuts = 0
        self.words = ""

    def prepare(self) -> None:
        """Nothing is."""

    def run(self) -> None:
        """Until its input says something."""
        with selectors.DefaultSelector() as selector:
            selector.register(sys.stdin, selectors.EVENT_READ, None)
            self._next = time.monotonic()
            while True:
                if (wait := self._next - time.monotonic()) <= 0:
                    if len(self._open) >= self.AT_ONCE + self._knock.kept:
                        self._end(self._open[0], selector)
                    self._call(selector)
                    self._next += 1 / self.A_SECOND
                for key, _ in selector.select(max(0.0, wait)):
                    if key.fileobj is sys.stdin:
                        return
                    assert isinstance(key.fileobj, socket.socket)
                    self._hear(key.fileobj, selector)

    def _call(self, selector: selectors.BaseSelector) -> None:
        sock = socket.create_connection(("127.0.0.1", self._port), PATIENCE, (self._address, 0))
        with contextlib.suppress(OSError):  # it was refused at once; the reason can be read
            sock.sendall(self._knock.says)
        sock.setblocking(False)
        self._open.append(sock)
        selector.register(sock, selectors.EVENT_READ, sock)

    def _hear(self, sock: socket.socket, selector: selectors.BaseSelector) -> None:
        try:
            data = sock.recv(RECEIVE)
        except OSError:
            data = b""
        if data and b"uci\n" not in data:
            line = data.partition(b"\n")[0].decode(errors="replace")
            self.words = "".join(filter(str.isprintable, line))[:100]
        elif not data:
            self._end(sock, selector)

    def _end(self, sock: socket.socket, selector: selectors.BaseSelector) -> None:
        selector.unregister(sock)
        self._open.remove(sock)
        sock.close()
        self.said += 1


def main() -> None:
    port, transport, address, name = int(sys.argv[1]), *sys.argv[2:5]
    os.nice(NICE)
    row, where = LINES[name], (port, transport, address)
    caller = Knocker(row, where) if isinstance(row, Knock) else Caller(row, where)
    caller.prepare()
    print("ready", flush=True)
    sys.stdin.readline()
    caller.run()
    print(f"{caller.said} {caller.cuts} {caller.words}", flush=True)


if __name__ == "__main__":
    main()
