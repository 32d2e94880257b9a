"""A player that answers at once with any legal move."""

import random

import chess

from ulci.net import Address, dial
from ulci.protocol import ULCI, Connection, Role, TextCodec
from ulci.protocol.messages import BestMove, Go, Hello, HelloOk, Id, IsReady, Position, ReadyOk

# A position of the longest game fits.
LONGEST_LINE = 1 << 20


async def play(port: int, told: list[tuple[str, ...]], chance: random.Random) -> None:
    """A quick player that remembers every position that it was sent, until the line breaks."""
    connection = Connection(Role.CLIENT, TextCodec(max_line=LONGEST_LINE), ULCI)
    async with dial(Address.parse(f"tcp://127.0.0.1:{port}"), lambda _: connection) as peer:
        moves: tuple[str, ...] = ()
        while (heard := await peer.receive()) is not None:
            match heard.message:
                case Hello():
                    name = f"p{chance.random()}"
                    peer.put(Id("version", "1"), Id("name", name), HelloOk())
                case IsReady():
                    peer.put(ReadyOk())
                case Position(_, moves):
                    told.append(moves)
                case Go():
                    board = chess.Board()
                    for move in moves:
                        board.push_uci(move)
                    peer.put(BestMove(chance.choice([*board.legal_moves]).uci()))
