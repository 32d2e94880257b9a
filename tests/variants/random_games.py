"""Random games, played by a game's rules beside their reference until the two differ."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import chess

from ulci.rules import GAMES, Illegal, Legal, Over, Position, Rules

from .reference import Reference

TAKEN_BACK = 0.01
"""One ply of a hundred is followed by a takeback: what is counted must go back with it."""

MOST_TAKEN_BACK = 40
"""Plies; more than lie between two copies that a position keeps."""

LONGEST = 600
"""Plies of a game, in which most games of random moves come to an end."""

FEW_MEN = 8
"""Few men make other endings likely than many."""

KEPT, KEPT_OF_FEW = 0.002, 0.02
"""Of all positions and of those with few men: in these later games begin."""

MOST_HALF_MOVES = 140
"""Half-moves without a capture or pawn move at a start: less than end the game."""


ENOUGH = 20
"""Differences after which no more of the same game are looked for."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between the rules and their reference, after which moves."""

    game: str
    start: str | None
    claims: bool
    moves: Sequence[str]
    what: str

    def __str__(self) -> str:
        claims = "with claims" if self.claims else "without claims"
        moves = " ".join(self.moves)
        return f"{self.game}, {claims}: {self.what}\n  start {self.start}\n  moves {moves}"


@dataclass(slots=True)
class Tally:
    """Of one game: `ends` counts results with their reasons."""

    plies: int = 0
    games: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)


def compare(
    game: str, plies: int, seed: int, rules: Rules | None = None, enough: int = ENOUGH
) -> Tally:
    """Play so many plies of that game, and the last game to its end, unless that many differ
    before. `rules`: those to be compared, by default the registry's."""
    rng = random.Random(f"{seed} {game}")
    tally = Tally()
    table = _Table(game, rules or GAMES[game], rng)
    while tally.plies < plies and len(tally.differences) < enough:
        table.play_one(tally)
    return tally


class _Table:
    def __init__(self, game: str, rules: Rules, rng: random.Random) -> None:
        self._game, self._rules, self._rng = game, rules, rng
        self._kept: list[str] = []

    def play_one(self, tally: Tally) -> None:
        """One game, until it ends, is long enough, or differs."""
        rng, claims = self._rng, self._rng.random() < 0.5
        start = self._start()
        reference = Reference(self._game, start, claims=claims)
        position = self._rules.new(start, claims=claims)
        shuffling = rng.random() ** 2  # how much they like to go back, so that games repeat
        tally.games += 1
        moves: list[str] = []
        for _ in range(LONGEST):
            for what in _differences(position, reference, rng):
                tally.differences.append(Difference(self._game, start, claims, [*moves], what))
                return
            if (end := reference.end()) is not None:
                tally.ends[f"{end.result} {end.reason}"] += 1
                return
            self._keep(reference)
            move = self._choose(reference, shuffling)
            tally.plies += 1
            moves.append(move)
            if (what := _play(position, reference, move)) is not None:
                tally.differences.append(Difference(self._game, start, claims, [*moves], what))
                return
            if reference.end() is None and rng.random() < TAKEN_BACK:
                plies = rng.randint(1, min(MOST_TAKEN_BACK, reference.plies()))
                position.take_back(plies)
                reference.take_back(plies)
                del moves[len(moves) - plies :]

    def _start(self) -> str | None:
        if self._kept and self._rng.random() < 0.5:
            return self._kept.pop()
        return self._rng.choice(self._rules.starts)

    def _keep(self, reference: Reference) -> None:
        """Later games begin from here, at times near the end of the fifty moves."""
        board, rng = reference.board, self._rng
        few = board.occupied.bit_count() <= FEW_MEN
        if rng.random() > (KEPT_OF_FEW if few else KEPT):
            return
        board = board.copy(stack=False)
        board.halfmove_clock = rng.choice((0, rng.randint(0, MOST_HALF_MOVES)))
        board.fullmove_number = 1
        self._kept.append(board.fen(shredder=reference.chess960))

    def _choose(self, reference: Reference, shuffling: float) -> str:
        legal = reference.moves()
        back = reference.return_of_the_last()
        if back in legal and self._rng.random() < shuffling:
            return back
        return self._rng.choice(legal)


def _differences(position: Position, reference: Reference, rng: random.Random) -> Iterator[str]:
    outcome, end = position.outcome(), reference.end()
    said = None if outcome is None else (outcome.score, outcome.reason.value)
    if said != end:
        yield f"the rules end it {said}, python-chess {end}"
    if outcome is None and end is None:
        claim = position.claim()
        if (claim and claim.value) != reference.claim():
            yield f"the rules let {claim} be claimed, python-chess {reference.claim()}"
    if position.turn.word != reference.turn():
        yield f"{position.turn.word} is to move, by python-chess {reference.turn()}"
    if position.fen() != reference.fen():
        yield f"the position is {position.fen()}, by python-chess {reference.fen()}"
    legal = reference.moves()
    if sorted(position.legal_moves()) != legal:
        differ = sorted({*position.legal_moves()} ^ {*legal})
        yield f"these moves are legal by one only: {' '.join(differ)}"
    move = _any_move(reference, rng)
    if position.is_legal_untrusted(move) != (move in legal):
        yield f"{move} is legal by one only"


def _any_move(reference: Reference, rng: random.Random) -> str:
    """A move that is rarely legal. A king's is left out: castling has several spellings."""
    board = reference.board
    squares = [*chess.scan_forward(board.occupied & ~board.kings)] or [*chess.SQUARES]
    start, end = rng.choice(squares), rng.choice(chess.SQUARES)
    return chess.Move(start, end).uci() if start != end else "0000"


def _play(position: Position, reference: Reference, move: str) -> str | None:
    san = reference.san(move)
    if position.san(move) != san:
        return f"{move} is {position.san(move)}, by python-chess {san}"
    reference.play(move)
    verdict = position.play_untrusted(move)
    if isinstance(verdict, Illegal):
        return f"{move} is illegal: {verdict.why}"
    assert isinstance(verdict, Legal | Over)
    if verdict.move != move:
        return f"{move} is spelled {verdict.move}"
    over = verdict.outcome if isinstance(verdict, Over) else None
    return None if over == position.outcome() else f"{move} ends it by {over}"
