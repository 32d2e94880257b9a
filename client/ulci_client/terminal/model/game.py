"""One game as this client knows it; where the server differs, the server is right. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase

from ulci.rules import GAMES, Illegal, Over, Position, Side, StartError

from . import pockets
from .clocks import Clocks
from .phrases import Result

DEFAULT_RULES = "chess"

Square = tuple[int, int]


class UnreadableError(Exception):
    """A position that our rules cannot follow; the text says why."""


@dataclass(frozen=True, slots=True)
class Ply:
    """A move that was made: by whom (None: unknown), in protocol notation and in SAN."""

    side: Side | None
    move: str
    san: str


@dataclass(frozen=True, slots=True)
class EarlierBoard:
    """The board after `plies` half-moves."""

    plies: int
    position: Position


@dataclass(slots=True)
class Game:
    """names, kinds, levels (of engines of the server), ratings: White's and Black's, as far as
    known. mine: our side.

    asked: the server waits for our move. sent: our last move, shown but not yet confirmed by a
    position. repeat: our move, lost with the connection, to be sent at the next `go`. unsure:
    disconnected since; the position may be outdated. blind: why there is no board, empty if there
    is one; moves are then opaque words, and the turn is what the server said last (`told`).

    returned: announced again after a reconnection; its position is still to come. watched: not
    ours. lag: the rule for lag compensation. conduct: what players may not do. book: half-moves of
    a book with which it began. plies_back: half-moves that the opponent asks to take back.
    shortened: a takeback was announced; its position is still to come. away: when we may claim
    against the absent opponent (s; inf: never), None while present. trouble: what else keeps the
    opponent from moving, or empty. thought: the latest analysis of a watched player.

    start: the FEN of the start as told; None for the usual one. began: when its first line came
    (s). ending: we sent what ends it; the result is still to come. viewed: an earlier board shown
    instead of the present one. premove: a move to be made at our next turn, or empty.
    """

    id: int | None = None
    rules: str = DEFAULT_RULES
    control: str = ""
    rated: bool = False
    lag: str = ""
    conduct: str = ""
    book: int = 0
    names: list[str] = field(default_factory=lambda: ["", ""])
    kinds: list[str] = field(default_factory=lambda: ["", ""])
    levels: list[int | None] = field(default_factory=lambda: [None, None])
    ratings: list[str] = field(default_factory=lambda: ["", ""])
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
    viewed: EarlierBoard | None = None
    premove: str = ""
    start: str | None = None
    _opening: Position | None = None
    _spare: Position | None = None

    @property
    def over(self) -> bool:
        return self.result is not None

    @property
    def verdict(self) -> Result | None:
        """The result by the server, or until then by the rules; None if it is on."""
        return self.result or self.ended

    @property
    def unsettled(self) -> bool:
        """Whether the server has yet to confirm our last move, or what ends the game."""
        return not self.over and (self.sent is not None or self.ending)

    @property
    def turn(self) -> Side | None:
        return self.position.turn if self.position else self.told

    @property
    def opponent(self) -> str:
        """The opponent's name, for a sentence."""
        name = "" if self.mine is None else self.names[self.mine.other]
        return name or "your opponent"

    def named(self, side: Side) -> str:
        return self.names[side] or side.word.capitalize()

    def player(self, side: Side) -> str:
        """``House level 3``."""
        level = self.levels[side]
        return self.named(side) + (f" level {level}" if level else "")

    def kind(self, side: Side) -> str:
        """``engine, level 3``, ``human, 1812``; empty if nothing is known."""
        level = f"level {self.levels[side]}" if self.levels[side] else ""
        return ", ".join(filter(None, (self.kinds[side], level, self.ratings[side])))

    # Following the server

    def follow(self, start: str | None, moves: Sequence[str]) -> list[Ply] | None:
        """Take over the server's position. The new plies, or None if it does not continue ours.

        Raises:
            UnreadableError: our rules cannot follow. Raised once; from then on there is no board.
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
            self.viewed = viewed  # a spectator may keep looking back
        return self.plies[before:] if on else None

    def _follow_blind(self, moves: Sequence[str], sent: str | None) -> list[Ply] | None:
        """Take the moves as opaque words; ours may come back in another spelling."""
        known = [ply.move for ply in self.plies]
        if sent is not None and len(moves) >= len(known):
            known[-1] = moves[len(known) - 1]
            self.plies[-1] = Ply(self.plies[-1].side, known[-1], known[-1])
        on = known == [*moves[: len(known)]]
        while self.plies and [ply.move for ply in self.plies] != [*moves[: len(self.plies)]]:
            self.plies.pop()
        before = len(self.plies)
        # Only the last move's side is known: it was to move until now.
        mover = self.told if len(moves) == before + 1 else None
        for move in moves[before:]:
            self.plies.append(Ply(mover, move, move))
        return self.plies[before:] if on else None

    def play(self, move: str) -> Ply | None:
        """Make the move if legal; without rules any move."""
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
        # An offer stands until its recipient moves.
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
            # With claims: only the arbiter ends a game by repetition.
            self.position = rules.new(start, claims=True)
            self._opening = rules.new(start, claims=True)
        except StartError as error:
            raise UnreadableError(str(error)) from error

    # Looking back

    @property
    def shown(self) -> Position | None:
        """The board to show: the present one, or an earlier one."""
        return self.position if self.viewed is None else self.viewed.position

    @property
    def plies_shown(self) -> int:
        """The number of half-moves before it."""
        return len(self.plies) if self.viewed is None else self.viewed.plies

    def look_at(self, plies: int) -> None:
        """Show the board after so many half-moves, or the nearest."""
        wanted = max(0, plies)
        board = self.trial(wanted) if wanted < len(self.plies) else None
        self.viewed = None if board is None else EarlierBoard(wanted, board)

    # For the views

    def trial(self, plies: int | None = None) -> Position | None:
        """A new position after so many half-moves (None: all), free to play on."""
        if self.position is None:
            return None
        trial = GAMES[self.rules].new(self.start, claims=True)
        for ply in self.plies[:plies]:
            trial.play_untrusted(ply.move)
        return trial

    def spare(self) -> Position | None:
        """The current position for callers that take back what they play. Reused: replaying a long
        game for each line of analysis would stall the screen."""
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
        """Our legal moves, protocol notation to SAN; empty when it is not our turn."""
        if self.position is None or not self.asked:
            return {}
        return {move: self.position.san(move) for move in self.position.legal_moves()}

    def last_squares(self) -> frozenset[Square]:
        """The squares of the last move, as (file, rank) from 0 at the bottom left."""
        if not self.plies_shown:
            return frozenset()
        return frozenset(squares_of(self.plies[self.plies_shown - 1].move))

    def captured(self, side: Side) -> str:
        """The side's pieces that were captured, strongest first, lower case."""
        if self.shown is None or self._opening is None:
            return ""
        return pockets.captured(self._opening, self.shown, side)

    def pocket(self, side: Side) -> str | None:
        """The side's pocket, strongest first; None in games without drops."""
        return None if self.shown is None else pockets.pocket(self.rules, self.shown, side)

    def checks(self, side: Side) -> tuple[int, int] | None:
        """Checks given by the side, and how many win; None in other games."""
        return None if self.shown is None else pockets.checks(self.rules, self.shown, side)

    def lead(self) -> int | None:
        """White's material lead in pawns; None if some piece has no value."""
        return None if self.shown is None else pockets.lead(self.shown)


def squares_of(move: str) -> list[Square]:
    """The squares named in a move: ``e2e4`` two, ``b2`` one; at most two."""
    named = re.findall(r"([a-z]{1,2})([1-9][0-9]{0,2})", move)[:2]
    return [(_file_number(file), int(rank) - 1) for file, rank in named]


def file_name(file: int) -> str:
    """``a`` to ``z`` for 0 to 25, and then ``aa``, ``ab`` and so on, two letters at most."""
    before, last = divmod(file, len(ascii_lowercase))
    return (ascii_lowercase[before - 1] if before else "") + ascii_lowercase[last]


def _file_number(name: str) -> int:
    *before, last = (ascii_lowercase.index(letter) for letter in name)
    return sum(len(ascii_lowercase) * (letter + 1) for letter in before) + last
