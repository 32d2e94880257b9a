"""A remote player who makes moves at random, and does what a test is about in every game."""

import enum
import random
from collections.abc import Sequence

import chess
import trio

from ulci.net import Peer
from ulci.protocol.lobby.lines import GameOver, IncomingChallenge, Welcome
from ulci.protocol.messages import (
    Accept,
    BestMove,
    Go,
    Id,
    IsReady,
    Lobby,
    Position,
    ReadyOk,
    Resign,
    Stop,
)

from .guis import remote
from .servers import PATIENCE, Server

LATE = 3
"""Moves of the player in a game before it does what its script says."""

LAST = 5
"""Moves after which it resigns a game that is still on."""


SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")
"""Moves of both sides that repeat the usual start."""


class Deed(enum.Enum):
    """What a player does in a game, at its third move."""

    RESIGN = "resigns"
    LOSE_ON_TIME = "loses on time"
    LEAVE = "leaves and comes back"
    RESTART = "sees the server killed and started again"
    REPEAT = "moves its knight to and fro"
    PLAY = "plays to the end"


class Actor:
    """`deeds`: one a game. `ends`: what the server said of each game."""

    def __init__(self, server: Server, deeds: Sequence[Deed], name: str = "Bob") -> None:
        self.ends: list[GameOver] = []
        self._server = server
        self._name = name
        self._deeds = deeds
        self._chance = random.Random(7)
        self._secret = ""
        self._moved = 0
        self._done = False  # what this game's deed is
        self._position = Position(None, ())

    async def play(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """All games; started when it is in the lobby."""
        with trio.fail_after(PATIENCE):
            while len(self.ends) < len(self._deeds):
                async with remote(self._server) as bob:
                    ids = [Id("username", self._name), Id("feature", "lobby")]
                    if self._secret:
                        ids.append(Id("resume", self._secret))
                    await bob.introduce(*ids)
                    await self._converse(bob.peer, task_status)
                    task_status = trio.TASK_STATUS_IGNORED

    async def _converse(self, peer: Peer, task_status: trio.TaskStatus[None]) -> None:
        while len(self.ends) < len(self._deeds) and (heard := await peer.receive()) is not None:
            match heard.message:
                case IsReady():
                    peer.put(ReadyOk())
                case Position() as position:
                    self._position = position
                case Go():
                    self._act(peer)
                case Stop():
                    if peer.connection.owed:
                        peer.put(BestMove("0000"))
                case Lobby(line=Welcome(resume=secret)):
                    self._secret = secret
                    task_status.started()
                case Lobby(line=IncomingChallenge(id=number)):
                    peer.put(Accept(number))
                case Lobby(line=GameOver() as over):
                    self.ends.append(over)
                    self._moved, self._done = 0, False

    def _act(self, peer: Peer) -> None:
        """It is asked for a move."""
        deed = self._deeds[len(self.ends)]
        if deed is Deed.REPEAT:
            peer.put(BestMove(SHUFFLE[len(self._position.moves) % len(SHUFFLE)]))
        elif self._moved == LAST and deed is not Deed.PLAY:
            peer.put(Resign())
        elif self._moved < LATE or self._done:
            self._move(peer)
        else:
            self._do(deed, peer)

    def _do(self, deed: Deed, peer: Peer) -> None:
        self._done = True
        match deed:
            case Deed.RESIGN:
                peer.put(Resign())
            case Deed.LEAVE:
                peer.cut("the line is lost")
            case Deed.RESTART:
                self._server.kill()
                self._server.start_again()
            case Deed.LOSE_ON_TIME:
                pass
            case _:
                self._move(peer)

    def _move(self, peer: Peer) -> None:
        self._moved += 1
        board = chess.Board(self._position.start or chess.STARTING_FEN)
        for move in self._position.moves:
            board.push_uci(move)
        moves = [*board.legal_moves]
        self._chance.shuffle(moves)
        chosen = next((move for move in moves if not _allows_mate(board, move)), moves[0])
        peer.put(BestMove(chosen.uci()))


def _allows_mate(board: chess.Board, move: chess.Move) -> bool:
    """Whether the opponent can mate after this move, which would end the game before its deed."""
    after = board.copy(stack=False)
    after.push(move)
    for reply in [*after.legal_moves]:
        after.push(reply)
        mated = after.is_checkmate()
        after.pop()
        if mated:
            return True
    return False
