"""A player at a real server that plays the same moves every time, and can say what it was told."""

import random
from contextlib import closing

import chess

from ulci.net import Address, Peer, dial
from ulci.protocol import ULCI, Connection, Role, TextCodec
from ulci.protocol.messages import (
    BestMove,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    Message,
    Position,
    ReadyOk,
    Report,
)
from ulci_server.storage import open_database


class Player:
    """Answers at once, but not while it is held, and remembers all that it hears. Its moves are any
    legal ones: a game of the first ones is a draw by repetition within a tenth of a second."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.heard: list[Message] = []
        self.held = False
        self._chance = random.Random(name)
        self._asked: Peer | None = None

    async def play(self, port: int) -> None:
        connection = Connection(Role.CLIENT, TextCodec(max_line=1 << 20), ULCI)
        address = Address.parse(f"tcp://127.0.0.1:{port}")
        async with dial(address, lambda _: connection) as peer:
            while (heard := await peer.receive()) is not None:
                self.heard.append(heard.message)
                self._answer(peer, heard.message)

    def _answer(self, peer: Peer, message: Message) -> None:
        match message:
            case Hello():
                peer.put(Id("version", "1"), Id("name", self.name), HelloOk())
            case IsReady():
                peer.put(ReadyOk())
            case Go():
                self._asked = peer
                self._move()

    @property
    def is_asked(self) -> bool:
        """Whether it owes a move that it holds."""
        return self._asked is not None

    def release(self) -> None:
        """Answer again, at once what was asked meanwhile."""
        self.held = False
        self._move()

    def _move(self) -> None:
        if self.held or self._asked is None:
            return
        board = chess.Board()
        for move in self.last(Position).moves:
            board.push_uci(move)
        self._asked.put(BestMove(self._chance.choice([*board.legal_moves]).uci()))
        self._asked = None

    def last(self, kind: type) -> Message:
        return next(message for message in reversed(self.heard) if isinstance(message, kind))

    def plies(self) -> int:
        return sum(isinstance(message, Position) for message in self.heard)

    def complaints(self) -> list[str]:
        return [m.text for m in self.heard if isinstance(m, Report) and m.blame == "servererror"]

    def is_told_of_return(self) -> bool:
        """Whether it was told that the database works again."""
        strings = (m.string for m in self.heard if isinstance(m, Info) and m.string)
        return any("database is back" in string for string in strings)


def told(*players: Player) -> set[tuple[str, ...]]:
    """All positions that they were shown, as the moves that lead there."""
    heard = (message for player in players for message in player.heard)
    return {tuple(message.moves) for message in heard if isinstance(message, Position)}


def kept(url: str) -> set[tuple[str, ...]]:
    """All positions of all games in that database."""
    with closing(open_database(url, writing=False)) as database:
        games = [
            [move.move for move in database.games.moves(game.id)] for game in database.games.find()
        ]
    return {tuple(moves[:ply]) for moves in games for ply in range(len(moves) + 1)}
