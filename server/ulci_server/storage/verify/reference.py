"""What the rules say of a recorded game, asked of python-chess alone where it knows the game.

The server judges by `ulci.rules`: a fault there would be recorded and, if the same code verified
the record, be found right. How chess and Chess960 end, that code finds by itself. How variants end
and which moves are legal, it asks python-chess, too: a fault of python-chess is not found here.
Liberty Chess, m,n,k-games and refereed games have no second judge: of them the rebuilt position is
asked.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import chess
import chess.variant

from ulci.rules import Outcome, Position, Reason, Side
from ulci.rules.refereed import RefereedPosition
from ulci_server.game import EventKind, Happened, MovePlayed, Rebuilt
from ulci_server.storage.errors import DisagreementError
from ulci_server.storage.records import GameRecord

THREEFOLD = 3

MOST_TRIED = 64 * 64 * 2 * 8
"""Moves that are tried to see whether a draw on time, without an end of material, was none: all
that two kings have, wherever they stand behind walls of pawns. It takes a few seconds."""

SURELY_TRIED = 64
"""Moves that a server tries itself when a flag falls: a side that cannot mate by any of so few was
known to be unable. Servers also know closed walls of pawns; a loss on time behind one is not found
here."""

_KINDS: Mapping[str, type[chess.Board]] = {
    "chess": chess.Board,
    "chess960": chess.Board,
    "3check": chess.variant.ThreeCheckBoard,
    "antichess": chess.variant.AntichessBoard,
    "atomic": chess.variant.AtomicBoard,
    "crazyhouse": chess.variant.CrazyhouseBoard,
    "giveaway": chess.variant.GiveawayBoard,
    "horde": chess.variant.HordeBoard,
    "kingofthehill": chess.variant.KingOfTheHillBoard,
    "racingkings": chess.variant.RacingKingsBoard,
    "suicide": chess.variant.SuicideBoard,
}

_REASONS: Mapping[chess.Termination, Reason] = {
    chess.Termination.CHECKMATE: Reason.CHECKMATE,
    chess.Termination.STALEMATE: Reason.STALEMATE,
    chess.Termination.INSUFFICIENT_MATERIAL: Reason.MATERIAL,
    chess.Termination.SEVENTYFIVE_MOVES: Reason.FIFTY_MOVES,
    chess.Termination.FIVEFOLD_REPETITION: Reason.REPETITION,
    chess.Termination.VARIANT_WIN: Reason.GAME_RULE,
    chess.Termination.VARIANT_LOSS: Reason.GAME_RULE,
    chess.Termination.VARIANT_DRAW: Reason.GAME_RULE,
}


class Judgement(Protocol):
    """The last position of a game, judged. `refereed`: only the game's referee could do so."""

    @property
    def refereed(self) -> bool: ...

    @property
    def turn(self) -> Side: ...

    def outcome(self) -> Outcome | None: ...

    def claim(self) -> Reason | None:
        """The draw that could be claimed."""
        ...

    def can_win(self, side: Side) -> bool:
        """Whether the side may win, as a server had to see when the flag of the other one fell."""
        ...

    def can_mate(self, side: Side) -> bool:
        """Whether any series of moves may win for the side, as far as that can be found out."""
        ...


def judged(game: GameRecord, steps: Sequence[MovePlayed | Happened], rebuilt: Rebuilt) -> Judgement:
    """The game by python-chess, or, if it does not know that game, as it was rebuilt.

    Raises:
        DisagreementError: a move was illegal, of the wrong side, or made after the end.
    """
    if game.rules not in _KINDS:
        return _Rebuilt(rebuilt)
    reference = _Reference(game)
    for step in steps:
        reference.take(step)
    return reference


class _Reference:
    """A game on a board of python-chess, with its whole history."""

    refereed = False

    def __init__(self, game: GameRecord) -> None:
        kind = _KINDS[game.rules]
        try:
            start = kind.starting_fen if game.start is None else game.start
            self._board = kind(start, chess960=game.rules == "chess960")
        except ValueError as error:
            raise DisagreementError(f"python-chess cannot play from its start: {error}") from error
        self._must_claim = game.claims is not False
        self._open(game.opening)
        # Servers have undone clocks since they have looked further than at the material.
        self._tried = SURELY_TRIED if game.undo_clocks else 0

    @property
    def turn(self) -> Side:
        return Side.WHITE if self._board.turn == chess.WHITE else Side.BLACK

    def take(self, step: MovePlayed | Happened) -> None:
        if isinstance(step, MovePlayed):
            self._play(step)
        elif step.what is EventKind.TAKEN_BACK:
            for _ in range(step.amount):
                self._board.pop()

    def _open(self, opening: Sequence[str]) -> None:
        for ply, move in enumerate(opening, 1):
            self._push(f"ply {ply} of the opening, {move}", move)

    def _play(self, step: MovePlayed) -> None:
        where = f"ply {step.ply}, {step.move}"
        if step.side is not self.turn:
            raise DisagreementError(f"{where}: by python-chess it is {self.turn.word}'s turn")
        self._push(where, step.move)

    def _push(self, where: str, move: str) -> None:
        if (ended := self.outcome()) is not None:
            how = f"{ended.score} ({ended.reason.value})"
            raise DisagreementError(f"{where}: python-chess ended the game before it, {how}")
        try:
            self._board.push_uci(move)
        except ValueError as error:
            raise DisagreementError(f"{where}: python-chess finds it illegal: {error}") from error

    def outcome(self) -> Outcome | None:
        ended = self._board.outcome()
        if ended is not None:
            winner = {None: None, chess.WHITE: Side.WHITE, chess.BLACK: Side.BLACK}[ended.winner]
            return Outcome(winner, _REASONS[ended.termination])
        drawn = None if self._must_claim else self.claim()
        return None if drawn is None else Outcome(None, drawn)

    def claim(self) -> Reason | None:
        if self._board.is_fifty_moves():
            return Reason.FIFTY_MOVES
        return Reason.REPETITION if self._board.is_repetition(THREEFOLD) else None

    def can_win(self, side: Side) -> bool:
        return self._can_win(side, self._tried)

    def can_mate(self, side: Side) -> bool:
        return self._can_win(side, MOST_TRIED)

    def _can_win(self, side: Side, most: int) -> bool:
        if type(self._board) is chess.Board:
            return _may_mate(self._board, _COLORS[side], most)
        # Variants are won otherwise, too.
        return not self._board.has_insufficient_material(_COLORS[side])


_COLORS = {Side.WHITE: chess.WHITE, Side.BLACK: chess.BLACK}


def _may_mate(board: chess.Board, winner: chess.Color, most: int) -> bool:
    """Looks at every position that can follow, as long as not more than `most` moves are tried."""
    seen = {board.epd(en_passant="fen")}
    waiting = [board.copy(stack=False)]
    tried = 0
    while waiting:
        position = waiting.pop()
        if position.is_checkmate() and position.turn is not winner:
            return True
        if position.has_insufficient_material(winner):
            continue
        legal = [*position.legal_moves]
        tried += len(legal)
        if tried > most:
            return True
        for move in legal:
            following = position.copy(stack=False)
            following.push(move)
            if (name := following.epd(en_passant="fen")) not in seen:
                seen.add(name)
                waiting.append(following)
    return False


class _Rebuilt:
    """A game as the server's own rules rebuild it."""

    def __init__(self, rebuilt: Rebuilt) -> None:
        self._rebuilt = rebuilt
        self._position: Position = rebuilt.move_list.position
        self.refereed = isinstance(self._position, RefereedPosition)

    @property
    def turn(self) -> Side:
        return self._rebuilt.move_list.turn

    def outcome(self) -> Outcome | None:
        over = self._rebuilt.over
        return self._position.outcome() if over is None else over.outcome

    def claim(self) -> Reason | None:
        return self._position.claim()

    def can_win(self, side: Side) -> bool:
        return self._position.can_win(side)

    can_mate = can_win
