"""The interface of a game: rules, positions, verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .outcome import Outcome, Reason, Side


class StartError(ValueError):
    """An invalid start position; the text names the field, the fault and what was expected."""


@dataclass(frozen=True, slots=True)
class Legal:
    """The move was made and the game goes on. `move` is its canonical spelling."""

    move: str


@dataclass(frozen=True, slots=True)
class Over:
    """The move was made and ended the game."""

    move: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Illegal:
    """No move was made. `why` is one sentence for the player, without a full stop."""

    why: str


Verdict = Legal | Over | Illegal


@dataclass(frozen=True, slots=True)
class Needs:
    """What a player must have declared for a start position.

    pieces: letters required in ``id pieces``; features: words of ``id feature``; options: values
    set before the game by ``setoption``, so the client must have offered these options; variant:
    the game's name in ``UCI_Variant`` if it is what UCI engines play without that option, which one
    that has it must know.
    """

    pieces: frozenset[str] = frozenset()
    features: frozenset[str] = frozenset()
    options: Mapping[str, str] = field(default_factory=dict)
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a start position, as far as it determines the cost of its moves.

    squares: of its board, 0 if unknown. kings: of the side that has more of them.
    """

    squares: int = 0
    kings: int = 0


class Position(Protocol):
    """One game being played: mutable, in-process, no I/O."""

    @property
    def start(self) -> str | None:
        """The FEN in ``position``, or None for the usual start."""
        ...

    @property
    def moves(self) -> Sequence[str]:
        """Canonical moves since the start."""
        ...

    @property
    def turn(self) -> Side: ...

    def play_untrusted(self, move: str) -> Verdict:
        """Judge the move and, unless it is illegal, make it. Never raises."""
        ...

    def is_legal_untrusted(self, move: str) -> bool:
        """Whether `play_untrusted` would make the move, without generating others; True where only
        a referee knows."""
        ...

    def take_back(self, plies: int) -> None:
        """Undo the last `plies` moves, at least one. The cost depends neither on the length of the
        game nor on `plies`."""
        ...

    def outcome(self) -> Outcome | None:
        """The outcome if the position is final (a start position may be)."""
        ...

    def claim(self) -> Reason | None:
        """The draw that the player may claim now, in games with claims."""
        ...

    def can_win(self, side: Side) -> bool:
        """False only if no sequence of legal moves wins for the side (its opponent's flag is then a
        draw)."""
        ...

    def legal_moves(self) -> list[str]: ...

    def fen(self) -> str: ...

    def san(self, move: str) -> str:
        """A legal move in the usual notation. Raises ValueError if it is illegal."""
        ...

    def parse_untrusted(self, text: str) -> str | None:
        """The canonical legal move for a person's input (SAN, long algebraic, sloppy), or None."""
        ...

    def squares(self) -> Sequence[Sequence[str]]:
        """Ranks from the top, files from the left: a piece letter (upper case is White) or ""."""
        ...

    def checked(self) -> Sequence[tuple[int, int]]:
        """(file, rank), from 0 at the bottom left, of every royal piece of the mover in check."""
        ...


class Rules(Protocol):
    """A game: one row of the registry."""

    @property
    def name(self) -> str: ...

    @property
    def starts(self) -> Sequence[str | None]:
        """Start positions to choose from by default; at least one."""
        ...

    @property
    def named(self) -> Mapping[str, str]:
        """Named start positions; a name is valid wherever a start is."""
        ...

    def new(self, start: str | None = None, *, claims: bool = False) -> Position:
        """A game at its start: a FEN, a name, or None for the usual one. With `claims`, threefold
        repetition and fifty moves end the game only when claimed (fivefold and seventy-five moves
        always do: FIDE 9.6), if the game has claims.

        Raises:
            StartError: the start position is invalid.
        """
        ...

    def to_play(self, start: str) -> Position:
        """As `new`, for a game that somebody asks for.

        Raises:
            StartError: the start position is invalid, or engines cannot play it. `new` accepts the
                latter, because older games have such starts.
        """
        ...

    def size(self, start: str | None) -> Size:
        """The size of a start, found without setting it up, so that it is cheap for untrusted
        input.

        Raises:
            StartError: the start position is invalid. (Not every invalid start is detected here.)
        """
        ...

    def needs(self, start: str | None) -> Needs:
        """What a player must have declared; as cheap as `size`. Raises `StartError` likewise."""
        ...
