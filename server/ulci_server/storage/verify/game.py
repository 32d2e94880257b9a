"""Rebuilds a game from its facts and checks all that is kept of it."""

from collections.abc import Mapping, Sequence

from ulci.rules import GAMES, Side
from ulci.rules.position import Rules, StartError
from ulci.rules.refereed import RefereedRules, Standing
from ulci_server.game import (
    OF_THE_MOVER,
    Clock,
    ContradictionError,
    ControlError,
    Controls,
    Happened,
    MoveList,
    MovePlayed,
    Rebuilt,
    rebuild,
)
from ulci_server.storage.records import GameRecord, Noted
from ulci_server.storage.repository import Repository

from .errors import DisagreementError
from .evidence import check_end, check_evidence
from .exports import check_exports
from .result import check_result
from .times import check_flag, check_lag, check_times

GradualWork = Sequence[MovePlayed | Happened]


def verify_game(repository: Repository, game: GameRecord) -> int:
    """Check all that the record says of the game; returns how many moves were made in it.

    Raises:
        DisagreementError: something contradicts something.
        StorageError: it cannot be read.
    """
    history = repository.history(game.id)
    steps = steps_of(history)
    rebuilt = rebuilt_from(game, steps)
    if game.running and rebuilt.finished is not None:
        game = _as_it_is_now(repository, game)
    check_lag(game, history)
    check_times(game, history, rebuilt)
    if not game.running:  # a game that runs is further on at every question
        moves = repository.moves(game.id)
        if [move.move for move in moves] != rebuilt.move_list.moves:
            raise DisagreementError("the moves that stand are not those that rebuilding gives")
        check_end(game, history, rebuilt)
        check_result(game, steps, rebuilt)
        check_evidence(game, history, rebuilt)
        check_flag(game, history, rebuilt)
        check_exports(repository, game, moves)
    return sum(isinstance(step, MovePlayed) for step in steps)


def _as_it_is_now(repository: Repository, game: GameRecord) -> GameRecord:
    """It ended between two questions."""
    (now,) = repository.games(ids=[game.id])
    if now.running:
        raise DisagreementError("it has ended by what happened in it, and is said to run")
    return now


def steps_of(history: Sequence[Noted]) -> GradualWork:
    """What happened, without when."""
    return [fact for fact, _ in history if isinstance(fact, MovePlayed | Happened)]


def rebuilt_from(game: GameRecord, steps: GradualWork) -> Rebuilt:
    """The game as its facts leave it.

    Raises:
        DisagreementError: the facts cannot have followed each other.
    """
    try:
        rules = _rules(game, steps)
        # With claims a game goes on as long as it can under either rule.
        line = MoveList(rules.new(game.start, claims=game.claims is not False))
        # How far a ``movetime`` may be exceeded is not in the record.
        return rebuild(line, Clock(Controls.parse(game.control), margin=0), steps)
    except (ContradictionError, ControlError, StartError) as error:
        raise DisagreementError(str(error)) from error


def _rules(game: GameRecord, steps: GradualWork) -> Rules:
    """Of a game with a referee only what it answered is known: its moves are taken as they are."""
    rules: Mapping[str, Rules] = GAMES
    if game.rules in rules:
        return rules[game.rules]
    refereed = RefereedRules(game.rules)
    known = (s.side for s in steps if isinstance(s, MovePlayed) or s.what in OF_THE_MOVER)
    first = next((side for side in known if side is not None), Side.WHITE)
    refereed.learn(game.start, Standing(first))
    return refereed
