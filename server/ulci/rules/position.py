"""What a game must offer to be played here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .outcome import Outcome, Reason, Side


class StartError(ValueError):
    """A start position that cannot be played; the text names field, fault and what was expected."""


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
    """Nothing was made. `why` is one sentence for the mover, without a full stop."""

    why: str


Verdict = Legal | Over | Illegal


@dataclass(frozen=True, slots=True)
class Needs:
    """What a player must have declared to be given a start position.

    pieces: letters that must be in ``id pieces``; features: words of ``id feature``; options: what
    is set before the game by ``setoption``, name to value, and must therefore have been offered.
    """

    pieces: frozenset[str] = frozenset()
    features: frozenset[str] = frozenset()
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Size:
    """How large a start position is, as far as that decides what its moves cost.

    squares: of its board, 0 where nobody here knows.  kings: of the side that has more of them.
    """

    squares: int = 0
    kings: int = 0


class Position(Protocol):
    """One game being played: mutable, in-process, no I/O."""

    @property
    def start(self) -> str | None:
        """As ``position`` sends it: a FEN, or None for the usual start."""
        ...

    @property
    def moves(self) -> Sequence[str]:
        """Canonical moves made since the start."""
        ...

    @property
    def turn(self) -> Side: ...

    def play_untrusted(self, move: str) -> Verdict:
        """Judge the move and, unless it is illegal, make it. Raises nothing, whatever was sent."""
        ...

    def is_legal_untrusted(self, move: str) -> bool:
        """Whether `play_untrusted` would make it. Asked of this one move, without listing others;
        True where only a referee knows."""
        ...

    def take_back(self, plies: int) -> None:
        """The last `plies` moves, one at least, were never made. What it costs does not depend on
        how many were made, nor on how many go."""
        ...

    def outcome(self) -> Outcome | None:
        """Whether the position as it stands is the end (a start position may be)."""
        ...

    def claim(self) -> Reason | None:
        """The draw that may be claimed now, where the rules make it a claim."""
        ...

    def can_win(self, side: Side) -> bool:
        """False only if no sequence of legal moves wins for the side (a flag is then a draw)."""
        ...

    def legal_moves(self) -> list[str]: ...

    def fen(self) -> str: ...

    def san(self, move: str) -> str:
        """The legal move in the notation that people read. Raises ValueError if it isn't legal."""
        ...

    def parse_untrusted(self, text: str) -> str | None:
        """What a person typed (SAN, long algebraic, sloppy) as a canonical legal move, or None."""
        ...

    def squares(self) -> Sequence[Sequence[str]]:
        """Ranks from the top, each file from the left: a piece letter (upper case White) or ""."""
        ...

    def checked(self) -> Sequence[tuple[int, int]]:
        """(file, rank) from 0 at the bottom left of every royal piece of the mover in check."""
        ...


class Rules(Protocol):
    """A game: one row of the registry."""

    @property
    def name(self) -> str: ...

    @property
    def starts(self) -> Sequence[str | None]:
        """Start positions to draw from when nobody asked for one; at least one."""
        ...

    @property
    def named(self) -> Mapping[str, str]:
        """Start positions that have a name; a name is taken wherever a start is."""
        ...

    def new(self, start: str | None = None, *, claims: bool = False) -> Position:
        """A game at its start, which is a FEN, a name, or None for the usual one. With `claims`,
        threefold repetition and fifty moves end it only when claimed (fivefold and seventy-five
        moves always do: FIDE 9.6), if the game has claims at all.

        Raises:
            StartError: the start position cannot be played.
        """
        ...

    def size(self, start: str | None) -> Size:
        """How large that start is; found without setting it up, so that it is cheap to ask of what
        a stranger wrote.

        Raises:
            StartError: the start position cannot be played. (Another may still be found to be so.)
        """
        ...

    def needs(self, start: str | None) -> Needs:
        """What a player must have declared; found as cheaply. Raises `StartError` likewise."""
        ...
