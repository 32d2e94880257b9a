"""Bots by their files, and scripted players who challenge them: polite ones, and rude ones."""

import sys
import tomllib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trio

from ulci.net import Address, Peer, dial
from ulci.protocol import ULCI, Connection, Role, TextCodec
from ulci.protocol.lobby.lines import (
    ChallengeDecline,
    Chat,
    ErrorLine,
    GameOver,
    GameStart,
    Gone,
    Line,
    OpenSeek,
    OutgoingChallenge,
    PrivateChat,
    SeekList,
    Welcome,
)
from ulci.protocol.messages import (
    BestMove,
    Challenge,
    Decline,
    Go,
    Hello,
    HelloOk,
    Id,
    IsReady,
    Lobby,
    Message,
    Option,
    OptionType,
    Position,
    ReadyOk,
    Resign,
    Seeks,
    Stop,
    Terms,
    Unseek,
)
from ulci_client.bot.sections import Config

from .bridges import Bridge, bridged
from .engines import SCRIPT
from .servers import PATIENCE, Server, until

OPTIONS = (
    Option("UCI_Chess960", OptionType.CHECK, "false"),
    Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "atomic", "tictactoe")),
)


NOBODYS = 10**9
"""The number of no challenge."""

HOUSE = f'["{sys.executable}", "-m", "ulci_client.house_engine"]'
UGI = HOUSE.replace("]", ', "--dialect", "ugi"]')
SCRIPTED = f'["{sys.executable}", "{SCRIPT}"'

MOVES = ("g1f3", "g8f6", "f3g1", "f6g8")


def to_and_fro(position: Position) -> str:
    """As the scripted engine plays."""
    return MOVES[len(position.moves) % 4]


@dataclass(frozen=True)
class BotFile:
    """A bot.toml. {port}: the server's. {engine}, {ugi}: commands of the house engine. {scripted}:
    that of the scripted one without its closing bracket. `tries`: words, the settings that players
    put to the test, such as ``accept.kinds``."""

    text: str
    tries: str

    def written(self, **words: object) -> str:
        named = {"engine": HOUSE, "ugi": UGI, "scripted": SCRIPTED, **words}
        return self.text.format_map(named)

    def tried_by_default(self) -> set[str]:
        """Those of `tries` that the file does not say, or that it sets to the default: who obeys
        them may not have read them."""
        words = dict.fromkeys(("port", "name", "when", "after", "cafile", "folder", "tables"), 1)
        said = _flat(tomllib.loads(self.written(**words)))
        usual = _flat(Config().model_dump(mode="json"))
        return {key for key in self.tries.split() if key not in said or said[key] == usual.get(key)}


def _flat(tables: dict[str, Any], path: str = "") -> dict[str, Any]:
    """Settings by ``table.key``; of several tables of a name the last one's."""
    flat: dict[str, Any] = {}
    for key, value in tables.items():
        below = value if isinstance(value, list) else [value]
        free = f"{path}{key}" in ("engine.options", "options.set")
        for one in below:
            if isinstance(one, dict) and not free:
                flat |= _flat(one, f"{path}{key}.")
            else:
                flat[f"{path}{key}"] = value
    return flat


@contextmanager
def bot(
    server: Server, file: BotFile, below: Path | None = None, /, **words: object
) -> Iterator[Bridge]:
    """A bot by this file, which is written into the folder `below`; default: the server's."""
    folder = below or server.folder
    folder.mkdir(exist_ok=True)
    path = folder / "bot.toml"
    path.write_text(file.written(**{"port": server.port(), **words}))
    with bridged(folder, "bot", "--config", str(path)) as bridge:
        yield bridge


async def here(bridge: Bridge, count: int = 1) -> None:
    """It is in the lobby with so many players, or has been there so often."""
    await until(
        lambda: (
            bridge.shown.count("is known to the server as") >= count
            or bridge.process.poll() is not None
        ),
        "it is there",
    )
    assert bridge.process.poll() is None, bridge.shown


async def over(bridge: Bridge, one: "Challenger") -> None:
    """He resigns, and the bot knows."""
    before = bridge.shown.count(" is over: ")
    await one.resign()
    await until(lambda: bridge.shown.count(" is over: ") > before, "the bot knows", every=0.01)


class Challenger:
    """A person, or an engine, who reads the lobby. `told`: what others told him, in order.
    `heard`: why each challenge of his was declined, by its number; several may share one. `lines`:
    all that he heard of the lobby. `place`: the last position. `mover`: what he plays when he is
    asked; empty: nothing."""

    def __init__(self, peer: Peer, name: str, heard: dict[int, str] | None = None) -> None:
        self.peer = peer
        self.name = name
        self.secret = ""
        self.heard = {} if heard is None else heard
        self.told: list[str] = []
        self.lines: list[Line] = []
        self.place = Position()
        self.mover: Callable[[Position], str] = lambda _: ""
        self._owes = False  # a move, for the last `go`
        self._fences = 0  # refusals of `decline` that are still to come

    def say(self, *messages: Message) -> None:
        self.peer.put(*messages)

    async def line(self, *kinds: type) -> Line:
        """The next lobby line of one of these kinds."""
        with trio.fail_after(PATIENCE):
            while True:
                line = await self._hear()
                if isinstance(line, kinds):
                    return line

    async def position(self, plies: int) -> Position:
        """The one after so many half-moves."""
        with trio.fail_after(PATIENCE):
            while True:
                message = await self._hear()
                if isinstance(message, Position) and len(message.moves) == plies:
                    return message

    async def asked(self) -> Position:
        """The position for which a move is asked."""
        with trio.fail_after(PATIENCE):
            while not isinstance(await self._hear(), Go):
                pass
        return self.place

    async def _hear(self) -> Message | Line | None:
        """The next message, or line of the lobby; ready whenever the server asks."""
        heard = await self.peer.receive()
        assert heard is not None, f"{self.name} was cut off: {self.peer.why}"
        message = heard.message
        match message:
            case IsReady():
                self.say(ReadyOk())
            case Position():
                self.place = message
            case Go():
                move = self.mover(self.place)
                self._owes = not move
                if move:
                    self.say(BestMove(move))
            case Stop() if self._owes:  # who resigned owes a move
                self._owes = False
                self.say(BestMove("0000"))
            case Lobby(line=line):
                return self._noted(line)
        return message

    def _noted(self, line: Line) -> Line | None:
        self.lines.append(line)
        match line:
            case ChallengeDecline(number, _, why):
                self.heard[number] = why
            case Chat(by, text) | PrivateChat(by, text):
                self.told.append(f"{by} {text}")
            case ErrorLine() if self._fences:
                self._fences -= 1
                return None
        return line

    async def challenge(self, bot: str, terms: Terms | None = None) -> ChallengeDecline | GameStart:
        """The bot's answer; an error line of the server's is an AssertionError. A server withdraws
        all challenges to a player whose game begins: then it is made again."""
        while True:
            self.say(Challenge(bot, terms or Terms()))
            made = await self.line(OutgoingChallenge, ErrorLine)
            assert isinstance(made, OutgoingChallenge), made
            answer = await self.line(ChallengeDecline, GameStart, Gone)
            if isinstance(answer, Gone):
                # Accepted or withdrawn: a game begins before the answer to this, if it does.
                self.say(Decline(NOBODYS))
                answer = await self.line(GameStart, ErrorLine)
            if isinstance(answer, GameStart):
                self._fences += 1
            if isinstance(answer, ChallengeDecline | GameStart):
                return answer

    async def declined(self, bot: str, terms: Terms | None = None) -> str:
        """The reason for which the bot declines."""
        answer = await self.challenge(bot, terms)
        assert isinstance(answer, ChallengeDecline), answer
        return answer.text

    async def plays(self, bot: str, terms: Terms | None = None) -> GameStart:
        """The game that the bot accepts."""
        answer = await self.challenge(bot, terms)
        assert isinstance(answer, GameStart), answer
        return answer

    async def refused(self) -> ErrorLine:
        """What the server says against his last word."""
        line = await self.line(ErrorLine)
        assert isinstance(line, ErrorLine)
        return line

    async def seeks(self) -> list[OpenSeek]:
        """Those that are open."""
        self.say(Seeks())
        found = await self.line(SeekList)
        assert isinstance(found, SeekList)
        seeks = [await self.line(OpenSeek) for _ in range(found.count)]
        return [seek for seek in seeks if isinstance(seek, OpenSeek)]

    async def resign(self) -> None:
        """And wait for the end of the game."""
        self.say(Resign())
        await self.line(GameOver)

    async def challenge_and_withdraw(self, bot: str, terms: Terms | None = None) -> None:
        """At once: the server hears both together."""
        self.say(Challenge(bot, terms or Terms()), Unseek())
        await self.line(OutgoingChallenge)
        await self.line(Gone, ChallengeDecline, GameStart)


@asynccontextmanager
async def challenger(
    port: int,
    name: str,
    kind: str = "human",
    heard: dict[int, str] | None = None,
    resume: str = "",
) -> AsyncIterator[Challenger]:
    """In the lobby, under his name. resume: the secret by which he comes back."""
    connection = Connection(Role.CLIENT, TextCodec(), ULCI.with_lobby())
    async with dial(Address.parse(f"tcp://127.0.0.1:{port}"), lambda _: connection) as peer:
        one = Challenger(peer, name, heard)
        with trio.fail_after(PATIENCE):
            hello = await peer.receive()
        assert hello is not None
        assert isinstance(hello.message, Hello)
        who = Id("username" if kind == "human" else "name", name)
        back = [Id("resume", resume)] if resume else []
        one.say(who, Id("feature", "lobby"), *back, *OPTIONS, HelloOk())
        welcome = await one.line(Welcome)
        assert isinstance(welcome, Welcome)
        one.name, one.secret = welcome.name, welcome.resume
        yield one
