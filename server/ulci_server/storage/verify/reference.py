"""What the rules say of a recorded game, asked of python-chess alone where it knows the game.

The server judges by `ulci.rules`: a fault there would be recorded and, if the same code verified
the record, be found right. Liberty Chess, m,n,k-games and refereed games have no second judge here:
of them the rebuilt position is asked.
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

MOST_POSITIONS = 10_000
"""Positions that are looked at for a draw on time without an end of material: a few seconds."""

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
        """Whether the side's material may win."""
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

    @property
    def turn(self) -> Side:
        return Side.WHITE if self._board.turn == chess.WHITE else Side.BLACK

    def take(self, step: MovePlayed | Happened) -> None:
        if isinstance(step, MovePlayed):
            self._play(step)
        elif step.what is EventKind.TAKEN_BACK:
            for _ in range(step.amount):
                self._board.pop()

    def _play(self, step: MovePlayed) -> None:
        where = f"ply {step.ply}, {step.move}"
        if step.side is not self.turn:
            raise DisagreementError(f"{where}: by python-chess it is {self.turn.word}'s turn")
        if (ended := self.outcome()) is not None:
            how = f"{ended.score} ({ended.reason.value})"
            raise DisagreementError(f"{where}: python-chess ended the game before it, {how}")
        try:
            self._board.push_uci(step.move)
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
        return not self._board.has_insufficient_material(_COLORS[side])

    def can_mate(self, side: Side) -> bool:
        if type(self._board) is not chess.Board:
            return self.can_win(side)  # variants are won otherwise, too
        return self.can_win(side) and _may_be_mated(self._board, _COLORS[side])


_COLORS = {Side.WHITE: chess.WHITE, Side.BLACK: chess.BLACK}


def _may_be_mated(board: chess.Board, winner: chess.Color) -> bool:
    """Looks at every position that can follow, where these are few enough: a wall of pawns leaves
    some thousand ways to place two kings."""
    seen = {board.epd()}
    waiting = [board.copy(stack=False)]
    while waiting:
        position = waiting.pop()
        if position.is_checkmate() and position.turn is not winner:
            return True
        if position.has_insufficient_material(winner):
            continue
        if len(seen) > MOST_POSITIONS:
            return True
        for move in position.legal_moves:
            following = position.copy(stack=False)
            following.push(move)
            if (name := following.epd()) not in seen:
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
