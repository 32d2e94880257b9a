"""Adjudication: ends a game early by the engines' scores, by a limit or by tablebases. Draws by the
rules of a game, such as repetition, are in `ulci.rules`.

The rules are those of engine testers (cutechess and fastchess call them resign, draw, maxmoves and
tb), with their counting:

* resign: a side's own scores were at or below a bound for a number of its moves in a row.
* draw: a number of moves have been played, those of an opening included, and both sides' scores
  were close to 0 for a number of moves in a row; a capture or a pawn move restarts the count.
* maximum: after that many moves of the players the game is a draw. The server's own limit is in
  plies of the whole game, and always applies.
* tablebases: they have the position after a capture or a pawn move.

Only engines' scores count, each for its own side. A move without one breaks the series.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ulci.protocol.messages import Bound, Info, Score
from ulci.rules import Position, Side
from ulci.rules.chess import ChessPosition

from .endings import Ending, Endings

MOST_PLIES = 5000
"""Plies of a game, by default: several times as many as engines need to win any game."""

MOST_LETTERS = 60_000
"""Characters of a game's moves, each after a blank; no setting raises this limit. The server sends
each move with all moves before it, and a client reads at most 64 KiB as one line. 5000 moves of
chess have 27,000 characters; only a refereed game may have moves long enough to reach the limit
sooner."""

SHOWN = 8
"""Scores of a side in the record: enough to show that they were no accident."""


@dataclass(frozen=True, slots=True)
class ResignRule:
    """A side loses once its last `moves` scores were all at or below -`score` (centipawns), or a
    mate against it. `twosided`: only if the opponent's last `moves` scores agree."""

    moves: int
    score: int
    twosided: bool = False

    def __str__(self) -> str:
        both = ", both sides agreeing" if self.twosided else ""
        return f"resignation after {self.moves} moves at {_spelled(Score(cp=-self.score))}{both}"


@dataclass(frozen=True, slots=True)
class DrawRule:
    """A draw, once `after` moves of each side were made and the last `moves` scores of both sides
    were within `score` centipawns of 0."""

    after: int
    moves: int
    score: int

    def __str__(self) -> str:
        bound = _spelled(Score(cp=self.score)).lstrip("+")
        return f"draw after {self.moves} moves within {bound} from move {self.after} on"


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The rules by which the games of a pool end early; None and False switch a rule off.

    `people`: whether the rules also hold in games with a person.
    """

    resign: ResignRule | None = None
    draw: DrawRule | None = None
    max_moves: int | None = None
    tablebases: bool = False
    people: bool = False

    def __bool__(self) -> bool:
        return any((self.resign, self.draw, self.max_moves, self.tablebases))

    def __str__(self) -> str:
        """The rules in a few words, for the operator."""
        rules = [str(rule) for rule in (self.resign, self.draw) if rule is not None]
        if self.max_moves is not None:
            rules.append(f"draw at {self.max_moves} moves")
        if self.tablebases:
            rules.append("tablebases")
        return "; ".join(rules)


NONE = Adjudication()
"""No rule ends a game early."""


@dataclass(frozen=True, slots=True)
class Proved:
    """The tablebases' result of a position, by the fifty-move rule. winner: None for a draw."""

    winner: Side | None


@dataclass(frozen=True, slots=True)
class Played:
    """A legal move after which the game goes on.

    `info` is the mover's last analysis before it. `zeroing`: it was a capture or a pawn move.
    """

    side: Side
    ply: int
    info: Info | None = None
    zeroing: bool = False


Prove = Callable[[Position], Proved | None]
"""The tablebases' result of a position, if they have it."""


def is_zeroing(position: Position) -> bool:
    """Whether the last move was a capture or a pawn move, in games that have these."""
    return isinstance(position, ChessPosition) and position.half_moves == 0


class Adjudicator:
    """Ends a game by its rules: call `judge` after each move, until it returns an ending."""

    __slots__ = (
        "_decides",
        "_endings",
        "_most_plies",
        "_opening",
        "_prove",
        "_quiet",
        "_scores",
        "_settings",
    )

    def __init__(
        self,
        settings: Adjudication,
        endings: Endings,
        most_plies: int | None = None,
        prove: Prove | None = None,
        opening: int = 0,
    ) -> None:
        """`most_plies`: the limit for all games, whoever plays; None: no limit. `prove` looks a
        position up in tablebases, if there are any. `opening`: its plies, which are not among the
        moves given here."""
        self._endings = endings
        self._most_plies = most_plies
        self._opening = opening
        people = any(seat.kind == "human" for seat in endings.seats)
        self._settings = NONE if people and not settings.people else settings
        resign, draw = self._settings.resign, self._settings.draw
        self._decides = bool(self._settings)
        self._prove = prove
        most = max(resign.moves if resign else 0, draw.moves if draw else 0)
        self._scores = (deque[Score](maxlen=most), deque[Score](maxlen=most))
        self._quiet = [0, 0]

    def judge(
        self, side: Side, ply: int, info: Info | None, letters: int, position: Position
    ) -> Ending | None:
        """The ending by the rules after the side's move, which led to `position`; tablebases
        precede scores. `letters`: of all moves so far, each after a blank."""
        if self._decides:
            decided = self._decide(Played(side, ply, info, is_zeroing(position)), position)
            if decided is not None:
                return decided
        most = self._most_plies
        if letters < MOST_LETTERS and (most is None or ply < most):
            return None
        return self._endless(ply, letters)

    def _decide(self, played: Played, position: Position) -> Ending | None:
        self._count(played)
        return (
            self._by_tablebases(played, position)
            or self._resigned(played.side)
            or self._drawn(played.ply)
            or self._too_long(played.ply)
        )

    def recall(self, played: Iterable[Played]) -> None:
        """Count the moves made before a restart, which did not end the game."""
        if self._decides:
            for one in played:
                self._count(one)

    def take_back(self) -> None:
        """Forget all scores, because moves were taken back."""
        for scores in self._scores:
            scores.clear()
        self._quiet = [0, 0]

    # Counting

    def _count(self, played: Played) -> None:
        side, draw = played.side, self._settings.draw
        score = self._score(played)
        if score is None:
            self._scores[side].clear()
        else:
            self._scores[side].append(score)
        if played.zeroing:
            self._quiet = [0, 0]
        if draw is not None and score is not None and _within(score, draw.score):
            self._quiet[side] += 1
        else:
            self._quiet = [0, 0]

    def _score(self, played: Played) -> Score | None:
        """The move's score, if its player is an engine."""
        if played.info is None or self._endings.seats[played.side].kind != "engine":
            return None
        return played.info.score

    # The rules

    def _by_tablebases(self, played: Played, position: Position) -> Ending | None:
        if not self._settings.tablebases or self._prove is None:
            return None
        proved = self._prove(position)
        if proved is None:
            return None
        winner = proved.winner
        what = "a draw" if winner is None else f"won for {self._endings.who(winner)}"
        return self._endings.adjudicated(
            winner, f"the tablebases have the position after ply {played.ply} as {what}"
        )

    def _resigned(self, side: Side) -> Ending | None:
        """The ending for a side whose own scores agree that it has lost; with `twosided`, the
        opponent's must agree, too. None if no side has lost so."""
        rule = self._settings.resign
        if rule is None:
            return None
        for loser in (side, side.other):
            winner = loser.other
            if (rule.twosided or loser is side) and self._agree(rule, loser, winner):
                text = self._quote(loser, rule.moves)
                if rule.twosided:
                    text += f", and {self._quote(winner, rule.moves)}"
                bound = _spelled(Score(cp=-rule.score))
                return self._endings.adjudicated(
                    winner, f"resign rule ({rule.moves} moves at {bound}): {text}"
                )
        return None

    def _agree(self, rule: ResignRule, loser: Side, winner: Side) -> bool:
        if not self._all(loser, rule.moves, lambda score: _lost(score, rule.score)):
            return False
        return not rule.twosided or self._all(
            winner, rule.moves, lambda score: _won(score, rule.score)
        )

    def _drawn(self, ply: int) -> Ending | None:
        rule = self._settings.draw
        if rule is None or ply < 2 * rule.after or min(self._quiet) < rule.moves:
            return None
        quotes = ", and ".join(self._quote(side, rule.moves) for side in Side)
        bound = _spelled(Score(cp=rule.score)).lstrip("+")
        return self._endings.adjudicated(
            None,
            f"draw rule (from move {rule.after} on, {rule.moves} moves within {bound}): {quotes}",
        )

    def _too_long(self, ply: int) -> Ending | None:
        most = self._settings.max_moves
        if most is None or ply - self._opening < 2 * most:
            return None
        return self._endings.adjudicated(None, f"the game reached its limit of {most} moves")

    def _endless(self, ply: int, letters: int) -> Ending:
        if letters >= MOST_LETTERS:
            text = f"its moves have {letters} letters, as many as a client takes in one line"
        else:
            text = f"the game has {ply} plies, as many as this server allows"
        return self._endings.adjudicated(None, text)

    # Scores of one side

    def _all(self, side: Side, moves: int, holds: Callable[[Score], bool]) -> bool:
        last = self._last(side, moves)
        return len(last) == moves and all(map(holds, last))

    def _last(self, side: Side, moves: int) -> list[Score]:
        return list(self._scores[side])[-moves:]

    def _quote(self, side: Side, moves: int) -> str:
        """The side's last scores, such as ``White (Ada) said -6.12 -7.00 -M5``."""
        return f"{self._endings.who(side)} said {_list(self._last(side, moves))}"


def _list(scores: Iterable[Score]) -> str:
    said = [_spelled(score) for score in scores]
    left_out = "… " if len(said) > SHOWN else ""
    return left_out + " ".join(said[-SHOWN:])


def _lost(score: Score, bound: int) -> bool:
    """Whether the mover's score means a loss. A lower bound does not; ``mate 0`` is being mated
    already."""
    if score.bound is Bound.LOWER:
        return False
    return score.mate <= 0 if score.mate is not None else (score.cp or 0) <= -bound


def _won(score: Score, bound: int) -> bool:
    if score.bound is Bound.UPPER:
        return False
    return score.mate > 0 if score.mate is not None else (score.cp or 0) >= bound


def _within(score: Score, bound: int) -> bool:
    return score.cp is not None and score.bound is None and abs(score.cp) <= bound


def _spelled(score: Score) -> str:
    """A score in pawns, for people: ``+0.25``, ``-M5``."""
    if score.mate is not None:
        return f"{'+' if score.mate > 0 else '-'}M{abs(score.mate)}"
    cp = score.cp or 0
    return f"{'-' if cp < 0 else '+'}{abs(cp) // 100}.{abs(cp) % 100:02}"
