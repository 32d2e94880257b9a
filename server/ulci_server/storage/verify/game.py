"""Does a game rebuild from what is kept of it?"""

from collections.abc import Mapping, Sequence

from ulci.rules import GAMES, Side
from ulci.rules.position import Rules, StartError
from ulci.rules.refereed import RefereedRules, Standing
from ulci_server.game import (
    Clock,
    ContradictionError,
    ControlError,
    Controls,
    Happened,
    LagRule,
    Line,
    MovePlayed,
    Rebuilt,
    rebuild,
)
from ulci_server.storage.records import GameRecord, Noted
from ulci_server.storage.repository import Repository

from .errors import DisagreementError
from .exports import check_exports
from .result import check_result

Steps = Sequence[MovePlayed | Happened]


def verify_game(repository: Repository, game: GameRecord) -> int:
    """Check all that the record says of the game; returns how many moves were made in it.

    Raises:
        DisagreementError: something contradicts something.
        StorageError: it cannot be read.
    """
    steps = steps_of(repository.history(game.id))
    rebuilt = rebuilt_from(game, steps)
    _check_lag(game, steps)
    if not game.running:  # a game that runs is further on at every question
        moves = repository.moves(game.id)
        if tuple(move.move for move in moves) != rebuilt.line.moves:
            raise DisagreementError("the moves that stand are not those that rebuilding gives")
        check_result(game, steps, rebuilt)
        check_exports(repository, game, moves)
    return sum(isinstance(step, MovePlayed) for step in steps)


def steps_of(history: Sequence[Noted]) -> Steps:
    """What happened, without when."""
    return [fact for fact, _ in history if isinstance(fact, MovePlayed | Happened)]


def rebuilt_from(game: GameRecord, steps: Steps) -> Rebuilt:
    """The game as its facts leave it.

    Raises:
        DisagreementError: the facts cannot have followed each other.
    """
    try:
        rules = _rules(game, steps)
        # With claims a game goes on as long as it can under either rule.
        line = Line(lambda: rules.new(game.start, claims=True))
        return rebuild(line, Clock(Controls.parse(game.control)), steps)
    except (ContradictionError, ControlError, StartError) as error:
        raise DisagreementError(str(error)) from error


def _rules(game: GameRecord, steps: Steps) -> Rules:
    """Of a game with a referee only what it answered is known: its moves are taken as they are."""
    rules: Mapping[str, Rules] = GAMES
    if game.rules in rules:
        return rules[game.rules]
    refereed = RefereedRules(game.rules)
    first = next((step.side for step in steps if isinstance(step, MovePlayed)), Side.WHITE)
    refereed.learn(refereed.new(game.start).start, Standing(first))
    return refereed


def _check_lag(game: GameRecord, steps: Steps) -> None:
    if game.lag not in list(LagRule):
        raise DisagreementError(f"there is no rule for time lost in the network named {game.lag}")
    for step in steps:
        if isinstance(step, MovePlayed) and step.lag and game.lag == LagRule.NONE:
            raise DisagreementError(
                f"ply {step.ply}, {step.move}: {step.lag} ms were given back for the network,"
                " which the game's rule does not do"
            )
