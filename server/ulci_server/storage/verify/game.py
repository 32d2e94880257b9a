"""Rebuilds a game from its facts and checks everything stored of it.

The server's own code rebuilds it, so that it is known whether a server could go on with it; who was
right is asked of `reference`, `ledger` and `progress`, which share nothing with that code but
python-chess: of a variant's end and a move's legality both ask it, so a fault in it is not found.
"""

from collections.abc import Mapping, Sequence

from ulci.rules import GAMES, Rules, Side, StartError
from ulci.rules.refereed import RefereedRules, Standing
from ulci.rules.starts import opened
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
from ulci_server.storage.database import Database
from ulci_server.storage.errors import DisagreementError
from ulci_server.storage.records import Epoch, GameRecord, Noted

from .conduct import check_conduct
from .ended import Ended
from .evidence import check_end, check_evidence
from .exports import check_exports
from .ledger import ledger_of, margin_of
from .progress import progress
from .reference import judged
from .result import check_result
from .times import check_flag, check_lag, check_times

Steps = Sequence[MovePlayed | Happened]


def verify_game(database: Database, game: GameRecord) -> int:
    """Check everything recorded of the game; returns how many plies were made in it.

    Raises:
        DisagreementError: the record contradicts itself.
        StorageError: it cannot be read.
    """
    history = database.games.history(game.id)
    steps = steps_of(history)
    rebuilt = rebuilt_from(game, steps)
    known = progress(steps, len(game.opening))
    judgement, ledger = (
        judged(game, steps, rebuilt),
        ledger_of(game.control, steps, undoes=game.undo_clocks, conduct=game.conduct),
    )
    if game.running and known.finished is not None:
        game = _as_it_is_now(database, game)
    _check_owners(game, database.ownership.epochs(game.id))
    _check_levels(game)
    check_lag(game, history)
    check_conduct(game, known)
    check_times(game, history, judgement, known)
    if not game.running:  # a running game changes between two queries
        moves = database.games.moves(game.id)
        if [*game.opening, *(move.move for move in moves)] != rebuilt.move_list.moves:
            raise DisagreementError("the moves that stand are not those that rebuilding gives")
        check_end(game, history, known)
        assert game.outcome is not None
        before = steps[-2] if len(steps) > 1 else None
        ended = Ended(game.outcome, game.detail, game.seats, before, judgement, ledger, known)
        check_result(game, ended)
        check_evidence(game, ended)
        check_flag(game, history, judgement, ledger, known)
        check_exports(database, game, moves)
    return sum(isinstance(step, MovePlayed) for step in steps)


def _as_it_is_now(database: Database, game: GameRecord) -> GameRecord:
    """Read the game again: it ended between two queries."""
    (now,) = database.games.find(ids=[game.id])
    if now.running:
        raise DisagreementError("it has ended by what happened in it, and is said to run")
    return now


def _check_levels(game: GameRecord) -> None:
    for side in Side:
        seat = game.seats[side]
        if seat.level is None:
            continue
        if seat.kind != "engine" or seat.level < 1:
            raise DisagreementError(f"{side.word} is {seat.kind}, with the level {seat.level}")
        if game.rated:
            raise DisagreementError(f"it is rated, and {side.word} plays at level {seat.level}")


def _check_owners(game: GameRecord, owners: Sequence[Epoch]) -> None:
    """Raises `DisagreementError` unless each owner is a known server, their epochs rise by one from
    1, and the last one is that of the game. A running game may have been claimed after it was
    read."""
    for epoch, owner in enumerate(owners, 1):
        if owner.epoch != epoch:
            raise DisagreementError(f"epoch {epoch} has no owner, and epoch {owner.epoch} has one")
        if owner.node is None:
            raise DisagreementError(f"the owner in epoch {epoch}, run {owner.run}, is not known")
    if len(owners) < game.epoch or (len(owners) > game.epoch and not game.running):
        raise DisagreementError(f"the game is in epoch {game.epoch}, and it had {len(owners)}")
    last = owners[game.epoch - 1].run if game.epoch else None
    if game.owner not in (None, last):
        raise DisagreementError(f"the game belongs to run {game.owner}, its last owner is {last}")


def steps_of(history: Sequence[Noted]) -> Steps:
    """The facts without their times."""
    return [fact for fact, _ in history if isinstance(fact, MovePlayed | Happened)]


def rebuilt_from(game: GameRecord, steps: Steps) -> Rebuilt:
    """The game after all its facts.

    Raises:
        DisagreementError: the facts are no possible sequence.
    """
    try:
        rules = _rules(game, steps)
        # With claims, no game ends earlier than under the other rule.
        claims = game.claims is not False
        line = MoveList(opened(rules, game.start, game.opening, claims=claims))
        # The margin of a ``movetime`` is in the record only if the conduct names one.
        margins = (margin_of(Side.WHITE, game.conduct), margin_of(Side.BLACK, game.conduct))
        clock = Clock(
            Controls.parse(game.control), margin=0, undoes=game.undo_clocks, margins=margins
        )
        return rebuild(line, clock, steps)
    except (ContradictionError, ControlError, StartError) as error:
        raise DisagreementError(str(error)) from error


def _rules(game: GameRecord, steps: Steps) -> Rules:
    """Of a refereed game only the referee's answers are known: its moves are taken as they are."""
    rules: Mapping[str, Rules] = GAMES
    if game.rules in rules:
        return rules[game.rules]
    refereed = RefereedRules(game.rules)
    known = (s.side for s in steps if isinstance(s, MovePlayed) or s.what in OF_THE_MOVER)
    first = next((side for side in known if side is not None), Side.WHITE)
    refereed.learn(game.start, Standing(first))
    return refereed
