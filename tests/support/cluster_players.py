"""Engines and people who play at any server of a cluster, whatever becomes of the servers."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import chess
import trio

from tests.support.clients import Client
from tests.support.cluster import Server
from ulci.protocol.messages import (
    Accept,
    BestMove,
    Draw,
    Go,
    Hello,
    HelloOk,
    Id,
    IsReady,
    Lobby,
    Message,
    Position,
    ReadyOk,
    Report,
    Resign,
    Seek,
    Stop,
    Takeback,
    Terms,
)

REDIAL = 0.5
"""Seconds until a lost connection is made anew, at any server."""

SEEK_EVERY = 7.0
"""Seconds between two attempts of a person to get a game; those during a game are refused."""

WANTED = Terms(time="20+2")


@dataclass
class Line:
    """One connection. asked: the number of its ``go`` commands; `thinking`: whether the last one is
    open. playing: told so by the lobby."""

    client: Client
    server: Server
    began: float
    asked: int = 0
    moved_at: float = 0.0
    thinking: bool = False
    position: tuple[str, ...] = ()
    reports: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


@dataclass
class Player:
    """`kind`: engine or person. lost: the reasons for which its lines were closed by a server that
    lived, was not cut off, and was not waiting to begin anew after it was fenced. told: all
    positions that it was sent."""

    name: str
    kind: str
    servers: Callable[[], list[Server]]
    chance: random.Random
    nursery: trio.Nursery
    secret: str = ""
    lines: int = 0
    line: Line | None = None
    told: list[tuple[str, ...]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    asked_at: float = 0.0

    async def run(self) -> None:
        """Play for ever."""
        while True:
            servers = self.servers()
            if servers:
                server = self.chance.choice(servers)
                self.line = line = Line(server.connect(), server, trio.current_time())
                self.lines += 1
                with trio.CancelScope() as scope:
                    await self._serve(line, scope)
                self.line = None
                excused = server.node.post.is_cut_off or server.sends_elsewhere
                if server in self.servers() and not excused:
                    self.lost.append(f"{self.name} at {server.name}: {line.reports[-1:]}")
            await trio.sleep(REDIAL)

    async def _serve(self, line: Line, scope: trio.CancelScope) -> None:
        async with trio.open_nursery() as nursery:
            if self.kind == "person":
                nursery.start_soon(self._seek, line)
            while (heard := await line.client.peer.receive()) is not None:
                self._hear(line, heard.message, nursery)
            nursery.cancel_scope.cancel()

    async def _seek(self, line: Line) -> None:
        while True:
            await trio.sleep(self.chance.uniform(0.2, SEEK_EVERY))
            if not line.thinking:
                line.client.say(Seek(WANTED))

    def _hear(self, line: Line, message: Message | str, nursery: trio.Nursery) -> None:
        assert not isinstance(message, str)
        match message:
            case Hello():
                line.client.say(*self._introduction(), HelloOk())
            case IsReady():
                line.client.say(ReadyOk())
            case Position():
                line.position = tuple(message.moves)
                self.told.append(line.position)
            case Go():
                line.asked += 1
                line.thinking = True
                self.asked_at = trio.current_time()
                nursery.start_soon(self._think, line, line.asked, line.position)
            case Stop():
                self._answer(line, line.asked, line.position)
            case Report(_, text):
                line.reports.append(text)
            case Lobby():
                self._hear_lobby(line, message.words)

    def _introduction(self) -> list[Id]:
        if self.kind == "engine":
            return [Id("name", f"{self.name}x{self.lines}")]
        resume = [Id("resume", self.secret)] if self.secret else []
        return [Id("username", self.name), Id("feature", "lobby"), *resume]

    def _hear_lobby(self, line: Line, words: tuple[str, ...]) -> None:
        line.said.append(" ".join(words))
        if words[0] == "welcome":
            self.secret = words[-1]
        elif words[0] == "seek" and self.chance.random() < 0.7:
            line.client.say(Accept(int(words[1])))

    async def _think(self, line: Line, asked: int, moves: tuple[str, ...]) -> None:
        await trio.sleep(self.chance.choice((0.05, 0.5, 2.0, 6.0)))
        if self.kind == "person" and (dice := self.chance.random()) < 0.1:
            line.client.say(Resign() if dice < 0.01 else Draw() if dice < 0.05 else Takeback(2))
        self._answer(line, asked, moves)

    def _answer(self, line: Line, asked: int, moves: tuple[str, ...]) -> None:
        if not line.thinking or asked != line.asked:
            return
        line.thinking = False
        board = chess.Board()
        for move in moves:
            board.push_uci(move)
        legal = [move.uci() for move in board.legal_moves]
        illegal = self.chance.random() < 0.01
        line.client.say(BestMove("a1a1" if illegal or not legal else self.chance.choice(legal)))
