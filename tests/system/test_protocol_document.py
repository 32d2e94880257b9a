"""A client written from server/ulci/protocol/README.md alone plays every kind of game to its end.

It imports nothing of this project. Whatever it does stands in that document: what it had to guess
would be missing there.
"""

import json
import random
import urllib.request
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, wrap_client_stream

from tests.support.servers import Server, serving

pytestmark = pytest.mark.system

HANG = 240
"""No game waits for it."""


class TcpLines:
    """Lines of text, each ended by a newline."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._unread = b""

    async def read(self) -> str | None:
        """The next line; nothing if the server has closed the connection."""
        while b"\n" not in self._unread:
            data = await self._stream.receive_some()
            if not data:
                return None
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode().rstrip("\r")

    async def send(self, line: str) -> None:
        await self._stream.send_all(f"{line}\n".encode())


class WebSocketLines:
    """What is heard is one line a frame, without a newline; what is said may be, too."""

    def __init__(self, socket: WebSocketConnection) -> None:
        self._socket = socket

    async def read(self) -> str | None:
        try:
            return str(await self._socket.get_message())
        except ConnectionClosed:
            return None

    async def send(self, line: str) -> None:
        await self._socket.send_message(line)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[TcpLines | WebSocketLines]:
    parts = urlsplit(url)
    async with await trio.open_tcp_stream(parts.hostname, parts.port) as stream:
        if parts.scheme == "tcp":
            yield TcpLines(stream)
        else:
            async with trio.open_nursery() as nursery:
                socket = await wrap_client_stream(
                    nursery, stream, parts.netloc, parts.path, subprotocols=["ulci"]
                )
                async with socket:
                    assert socket.subprotocol == "ulci"
                    yield WebSocketLines(socket)


def pairs(words: Sequence[str]) -> Mapping[str, str]:
    """A key and a value in turn."""
    return dict(zip(words[::2], words[1::2], strict=False))


@dataclass
class Client:
    """An engine without rules of its own: it asks the server what it may play."""

    name: str
    lines: TcpLines | WebSocketLines
    http: str
    option: str
    chance: random.Random
    asked: deque[str] = field(default_factory=deque)
    """Seeks of others that stand open, by their numbers."""

    position: str = ""
    set: list[str] = field(default_factory=list)
    game: str = ""
    played: list[str] = field(default_factory=list)
    result: tuple[str, str] = ("", "")
    others: list[str] = field(default_factory=list)
    """What was heard and is no word of a game."""

    async def enter(self) -> None:
        assert await self.lines.read() == "uci"
        introduction = ("id name", "id author", "id version", "id feature", "id pieces")
        values = (self.name, "A stranger", "1", "lobby", "kmqcaehuriwbznxlop")
        for key, value in zip(introduction, values, strict=True):
            await self.lines.send(f"{key} {value}")
        if self.option:
            await self.lines.send(self.option)
        await self.lines.send("uciok")
        await self._hear_until("welcome")

    async def seek(self, terms: str) -> None:
        await self.lines.send(f"seek {terms}")

    async def accept_a_seek(self) -> None:
        while not self.asked:
            await self._hear()
        await self.lines.send(f"accept {self.asked.popleft()}")

    async def play(self) -> None:
        """One game, until the server asks whether the next one may begin."""
        await self._hear_until("over")
        while await self._hear() != "isready":
            pass
        await self.lines.send("quit")
        assert await self.lines.read() is None

    async def _hear_until(self, word: str) -> None:
        while await self._hear() != word:
            pass

    async def _hear(self) -> str:
        """Do what the next line asks for; the word that says what it was."""
        line = await self.lines.read()
        assert line is not None, f"{self.name} was cut off"
        verb, *words = line.split()
        match verb:
            case "isready":
                await self.lines.send("readyok")
            case "position":
                self.position = line
            case "go":
                await self.lines.send(f"bestmove {await self._choose()}")
            case "lobby":
                return self._hear_of_the_lobby(words)
            case "setoption":
                self.set.append(line)
            case "info" if words[:2] == ["string", "result"]:
                told = pairs(words[1:])
                self.result = (told["result"], told["reason"])
            case "ucinewgame" | "clock":
                pass
            case _:
                self.others.append(line)
        return verb

    def _hear_of_the_lobby(self, words: Sequence[str]) -> str:
        match words:
            case ["seek", number, *rest] if pairs(rest)["player"] != self.name:
                self.asked.append(number)
            case ["gone", number] if number in self.asked:
                self.asked.remove(number)
            case ["game", number, "start", *_]:
                self.game = number
            case ["game", number, "over", *rest]:
                told = pairs(rest)
                assert self.result == (told["result"], told["reason"])
                assert number == self.game
                return "over"
            case ["error" | "note", *_]:
                self.others.append(" ".join(words))
        return words[0]

    async def _choose(self) -> str:
        """A move that mates, if there is one; a rare kind of move; else any."""
        url = f"{self.http}/api/games/{self.game}/legal"
        with await trio.to_thread.run_sync(urllib.request.urlopen, url) as answer:
            legal = json.load(answer)
        _, _, moves = self.position.partition(" moves ")
        assert legal["ply"] == len(moves.split())
        names = legal["san"]
        for mark in ("#", "O-O", "@", "="):
            if rare := [move for move, name in names.items() if mark in name]:
                break
        else:
            rare = legal["moves"]
        self.played.append(self.chance.choice(rare))
        return self.played[-1]


@dataclass(frozen=True)
class Kind:
    terms: str
    option: str = ""
    ends: frozenset[str] = frozenset(
        ("checkmate", "stalemate", "material", "repetition", "fifty-moves")
    )


COMBO = "option name UCI_Variant type combo default chess var chess var"
KINDS = {
    "chess": Kind("game chess"),
    "chess960": Kind(
        "game chess960 start bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1",
        "option name UCI_Chess960 type check default false",
    ),
    "crazyhouse": Kind("game crazyhouse", f"{COMBO} crazyhouse"),
    "liberty": Kind("game liberty start mini"),
    "tictactoe": Kind("game tictactoe", f"{COMBO} tictactoe", frozenset(("game-rule",))),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    listen = ("--listen", "tcp://127.0.0.1:0", "--listen", "ws://127.0.0.1:0")
    with serving(tmp_path_factory.mktemp("server"), *listen) as running:
        yield running


@pytest.mark.parametrize("way", ["tcp", "ws"])
@pytest.mark.parametrize("kind", KINDS)
async def test_two_clients_made_from_the_document_play_to_the_end(
    server: Server, kind: str, way: str
) -> None:
    tcp, web = (urlsplit(address).netloc for address in server.addresses)
    url = f"tcp://{tcp}" if way == "tcp" else f"ws://{web}/ulci"
    http = f"http://{web}"
    option, clients = KINDS[kind].option, []
    with trio.fail_after(HANG):
        async with connected(url) as one, connected(url) as other:
            for number, lines in enumerate((one, other)):
                name = f"{kind}-{way}-{number}"
                clients.append(Client(name, lines, http, option, random.Random(number)))
                await clients[-1].enter()
            seeker, accepter = clients
            await seeker.seek(f"time 600+5 color white {KINDS[kind].terms}")
            await accepter.accept_a_seek()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(seeker.play)
                nursery.start_soon(accepter.play)
    assert seeker.result == accepter.result
    assert seeker.result[1] in KINDS[kind].ends
    assert seeker.position == accepter.position
    assert seeker.others == accepter.others == []
    _, _, moves = seeker.position.partition(" moves ")
    assert moves.split()[::2] == seeker.played
    assert moves.split()[1::2] == accepter.played
    if kind == "crazyhouse":
        assert any("@" in move for move in moves.split())
