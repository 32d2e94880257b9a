"""One game as this client knows it: pure, and always ready to believe the server instead."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase

from ulci.rules import GAMES, Illegal, Over, Position, Side, StartError

from . import beside
from .clocks import Clocks
from .words import Result

DEFAULT_RULES = "chess"

# Usual values, in pawns, of the men that have one. Other games' men are counted, not weighed.
VALUES = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 0}

# The strongest first, as a set is laid out beside the board.
_ORDER = "qrbnp"

Square = tuple[int, int]


class UnreadableError(Exception):
    """A position that these rules cannot follow; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Ply:
    """One move that was made: who (None: nobody said), as it is sent, as people write it."""

    side: Side | None
    move: str
    san: str


@dataclass(frozen=True, slots=True)
class View:
    """An earlier board: the one after so many half-moves."""

    plies: int
    position: Position


@dataclass(slots=True)
class Game:
    """names, kinds: White's and Black's, as far as the server told. mine: which side is ours.

    asked: it is ours to move and the server waits. sent: our last move, shown already but not yet
    confirmed by a position. repeat: the same, got lost with the line; it is made again when we are
    asked. unsure: the line was lost since; what is shown may be old. blind: why
    there is no board, empty if there is one; moves are then words, and whose turn it is is what
    the server said last (`told`).

    returned: announced again since the line was lost; its position is still to come. watched: it is
    other people's. lag: the rule by which time lost in the network is given back. plies_back: how
    many half-moves the opponent asks to take back. shortened: some were taken back, and the
    position that says so is still to come. away: when the opponent may be claimed against (s; inf:
    never), None while here. trouble: what else keeps the opponent from moving, empty if nothing
    does. thought: the latest of whoever is watched.

    start: the FEN of the beginning as the server told it; None for the usual one.
    began: when we first heard of it (s). ending: a word was said that ends it, and the result is
    still to come.

    viewed: the earlier board that is looked at instead of the present one. premove: what was typed
    to be played as soon as it is our turn, empty if nothing was.
    """

    id: int | None = None
    rules: str = DEFAULT_RULES
    control: str = ""
    rated: bool = False
    lag: str = ""
    names: list[str] = field(default_factory=lambda: ["", ""])
    kinds: list[str] = field(default_factory=lambda: ["", ""])
    mine: Side | None = None
    position: Position | None = None
    plies: list[Ply] = field(default_factory=list)
    asked: bool = False
    sent: str | None = None
    repeat: str | None = None
    unsure: bool = False
    clocks: Clocks | None = None
    offers: set[tuple[Side, str]] = field(default_factory=set)
    away: float | None = None
    ended: Result | None = None
    result: Result | None = None
    raw: tuple[str, ...] = ()
    seen: bool = False
    blind: str = ""
    told: Side | None = None
    returned: bool = False
    watched: bool = False
    plies_back: int = 0
    shortened: bool = False
    trouble: str = ""
    thought: str = ""
    began: float = 0.0
    ending: bool = False
    viewed: View | None = None
    premove: str = ""
    start: str | None = None
    _opening: Position | None = None
    _spare: Position | None = None

    @property
    def over(self) -> bool:
        return self.result is not None

    @property
    def verdict(self) -> Result | None:
        """How it ended, by the server's word or until then by the rules; None if it is on."""
        return self.result or self.ended

    @property
    def unsettled(self) -> bool:
        """Whether something was said on which the server's word is still to come: our last move, or
        what ends the game."""
        return not self.over and (self.sent is not None or self.ending)

    @property
    def turn(self) -> Side | None:
        return self.position.turn if self.position else self.told

    @property
    def opponent(self) -> str:
        """Their name, for a sentence."""
        name = "" if self.mine is None else self.names[self.mine.other]
        return name or "your opponent"

    def named(self, side: Side) -> str:
        return self.names[side] or side.word.capitalize()

    # Following the server

    def follow(self, start: str | None, moves: Sequence[str]) -> list[Ply] | None:
        """Stand where the server says; the plies that are new, or None if it was not just those.

        Raises:
            UnreadableError: these rules cannot read the position. There is no board from now on;
                it is said once.
        """
        sent, self.sent = self.sent, None
        self.raw, self.seen, self.unsure, self.returned = tuple(moves), True, False, False
        if self.blind and start == self.start:
            return self._follow_blind(moves, sent)
        try:
            return self._follow(start, moves)
        except UnreadableError as error:
            self.blind, self.position = str(error), None
            self._follow_blind(moves, None)
            raise

    def _follow(self, start: str | None, moves: Sequence[str]) -> list[Ply] | None:
        known = [ply.move for ply in self.plies]
        on = self.position is not None and start == self.start and known == [*moves[: len(known)]]
        if not on:
            self._begin(start)
        before, viewed = len(self.plies), self.viewed
        for move in moves[before:]:
            if not self.play(move):
                raise UnreadableError(f"{move} cannot be played there in {self.rules}")
        if on and self.watched:
            self.viewed = viewed  # who only watches has time to look back
        return self.plies[before:] if on else None

    def _follow_blind(self, moves: Sequence[str], sent: str | None) -> list[Ply] | None:
        """Take moves for words; the one that we sent may come back in another spelling."""
        known = [ply.move for ply in self.plies]
        if sent is not None and len(moves) >= len(known):
            known[-1] = moves[len(known) - 1]
            self.plies[-1] = Ply(self.plies[-1].side, known[-1], known[-1])
        on = known == [*moves[: len(known)]]
        while self.plies and [ply.move for ply in self.plies] != [*moves[: len(self.plies)]]:
            self.plies.pop()
        before = len(self.plies)
        # Only of the last move it is known who made it: whose turn it was until now.
        mover = self.told if len(moves) == before + 1 else None
        for move in moves[before:]:
            self.plies.append(Ply(mover, move, move))
        return self.plies[before:] if on else None

    def play(self, move: str) -> Ply | None:
        """Make the move if the rules allow it; without rules every move."""
        if self.position is None:
            return self._play_blind(move) if self.blind else None
        side = self.position.turn
        try:
            san = self.position.san(move)
        except ValueError:
            san = move
        verdict = self.position.play_untrusted(move)
        if isinstance(verdict, Illegal):
            return None
        self.ended = Result.of(verdict.outcome) if isinstance(verdict, Over) else None
        # An offer stands until the one to whom it was made moves.
        self.offers = {offer for offer in self.offers if offer[0] is side}
        self.viewed, self.ending = None, False
        self.plies.append(Ply(side, verdict.move, san))
        return self.plies[-1]

    def _play_blind(self, move: str) -> Ply:
        self.plies.append(Ply(self.told, move, move))
        self.offers = {offer for offer in self.offers if offer[0] is self.told}
        self.told = None if self.told is None else self.told.other
        return self.plies[-1]

    def _begin(self, start: str | None) -> None:
        self.plies.clear()
        self.blind, self.viewed = "", None
        self.ended, self.start = None, start
        self.position = self._opening = self._spare = None
        rules = GAMES.get(self.rules)
        if rules is None:
            raise UnreadableError(f"this client does not know the game {self.rules}")
        try:
            # With claims: whether a repetition ends the game is the arbiter's to say.
            self.position = rules.new(start, claims=True)
            self._opening = rules.new(start, claims=True)
        except StartError as error:
            raise UnreadableError(str(error)) from error

    # Looking back

    @property
    def shown(self) -> Position | None:
        """The board that is looked at: the present one, or an earlier one."""
        return self.position if self.viewed is None else self.viewed.position

    @property
    def plies_shown(self) -> int:
        """After how many half-moves that is."""
        return len(self.plies) if self.viewed is None else self.viewed.plies

    def look_at(self, plies: int) -> None:
        """The board after so many half-moves, or the nearest that there is."""
        wanted = max(0, plies)
        board = self.trial(wanted) if wanted < len(self.plies) else None
        self.viewed = None if board is None else View(wanted, board)

    # What a renderer asks

    def trial(self, plies: int | None = None) -> Position | None:
        """A position of its own that may be played with: the game as it stands, or as it stood
        after so many half-moves."""
        if self.position is None:
            return None
        trial = GAMES[self.rules].new(self.start, claims=True)
        for ply in self.plies[:plies]:
            trial.play_untrusted(ply.move)
        return trial

    def spare(self) -> Position | None:
        """A position as the game stands, for whoever takes back what is played on it. It is kept:
        to replay a long game for every thought would hold up the screen."""
        if self.position is None:
            return None
        spare = self._spare = self._spare or GAMES[self.rules].new(self.start, claims=True)
        moves = [ply.move for ply in self.plies]
        while spare.moves and [*spare.moves] != moves[: len(spare.moves)]:
            spare.take_back(1)
        for move in moves[len(spare.moves) :]:
            spare.play_untrusted(move)
        return spare

    def legal(self) -> Mapping[str, str]:
        """Our legal moves, as sent to as written; empty when it is not ours to move."""
        if self.position is None or not self.asked:
            return {}
        return {move: self.position.san(move) for move in self.position.legal_moves()}

    def last_squares(self) -> frozenset[Square]:
        """(file, rank) from 0 at the bottom left of the squares that the last move names."""
        if not self.plies_shown:
            return frozenset()
        return frozenset(squares_of(self.plies[self.plies_shown - 1].move))

    def fallen(self, side: Side) -> str:
        """The men of that side that have left the board, the strongest first, lower case."""
        if self.shown is None or self._opening is None:
            return ""
        gone = _men(self._opening, side) - _men(self.shown, side)
        return "".join(sorted(gone.elements(), key=_strength))

    def hand(self, side: Side) -> str | None:
        """The men that the side may drop, the strongest first; None where nothing is dropped."""
        men = None if self.shown is None else beside.hand(self.rules, self.shown, side)
        return None if men is None else "".join(sorted(men, key=_strength))

    def checks(self, side: Side) -> tuple[int, int] | None:
        """How many checks the side has given, and how many win; None where they only threaten."""
        return None if self.shown is None else beside.checks(self.rules, self.shown, side)

    def lead(self) -> int | None:
        """How many pawns' worth White is ahead; None where men have no usual value."""
        if self.shown is None:
            return None
        men = [_men(self.shown, side) for side in Side]
        if any(man not in VALUES for man in men[0] | men[1]):
            return None
        white, black = (sum(VALUES[man] * n for man, n in side.items()) for side in men)
        return white - black


def _strength(man: str) -> tuple[int, str]:
    return _ORDER.find(man) % 9, man


def squares_of(move: str) -> list[Square]:
    """The squares that a move names: ``e2e4`` two, ``b2`` one; at most two."""
    named = re.findall(r"([a-z]{1,2})([1-9][0-9]{0,2})", move)[:2]
    return [(_file_number(file), int(rank) - 1) for file, rank in named]


def file_name(file: int) -> str:
    """``a`` to ``z`` for 0 to 25, and then ``aa``, ``ab`` and so on, two letters at most."""
    before, last = divmod(file, len(ascii_lowercase))
    return (ascii_lowercase[before - 1] if before else "") + ascii_lowercase[last]


def _file_number(name: str) -> int:
    *before, last = (ascii_lowercase.index(letter) for letter in name)
    return sum(len(ascii_lowercase) * (letter + 1) for letter in before) + last


def _men(position: Position, side: Side) -> Counter[str]:
    return Counter(
        man.lower()
        for rank in position.squares()
        for man in rank
        if man and man.isupper() == (side is Side.WHITE)
    )
