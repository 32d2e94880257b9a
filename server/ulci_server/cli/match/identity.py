"""What makes two command lines the same match: who plays whom, from where, by which rules.

How it is shown, written and spread over processors may be changed while it goes on, and so may the
folders of tablebases.

The text is kept in the database, and later versions of the program compare theirs with it. So it is
written field by field, and does not depend on how classes are named or spelled. A field that is
new must be left out where it has the value that all matches had before.
"""

import json
from collections.abc import Iterator, Sequence
from typing import assert_never

from ulci_server.game import ByoYomi, Control, Correspondence, Hourglass, Limit, Staged
from ulci_server.game.adjudication import Adjudication
from ulci_server.openings import BookFile
from ulci_server.statistics import Sprt
from ulci_server.tournament import Schedule

from .settings import Entrant, MatchSettings, Tablebases

Value = str | int | float | Sequence["Value"] | None
"""What JSON has a notation for."""


def identity(match: MatchSettings) -> str:
    """The match in lines of text, equal for the same match."""
    return "\n".join(_lines(match))


def _lines(match: MatchSettings) -> Iterator[str]:
    yield _line("match", game=match.game, pairs=match.by_pairs)
    yield _schedule(match.schedule)
    for entrant in match.entrants:
        yield _engine(entrant)
    if match.book is not None:
        yield _book(match.book)
    if match.seed is not None:
        yield _line("seed", value=match.seed)
    if match.sprt is not None:
        yield _sprt(match.sprt)
    yield from _adjudication(match.adjudication)
    if match.tablebases is not None:
        yield _tablebases(match.tablebases)


def _line(of: str, **values: Value) -> str:
    """``of: name=value name=value``, with values in JSON, which is ASCII and has no line breaks."""
    return f"{of}: " + " ".join(f"{name}={json.dumps(value)}" for name, value in values.items())


def _schedule(schedule: Schedule) -> str:
    return _line(
        "schedule",
        engines=schedule.engines,
        rounds=schedule.rounds,
        games=schedule.games,
        format=schedule.format.value,
        seeds=schedule.seeds,
        swap=schedule.swap,
        reverse=schedule.reverse,
    )


def _engine(entrant: Entrant) -> str:
    return _line(
        "engine",
        name=entrant.name,
        command=entrant.command,
        arguments=[*entrant.arguments],
        folder=None if entrant.folder is None else str(entrant.folder),
        remote=entrant.remote,
        dialect=entrant.dialect,
        control=_control(entrant.control),
        margin=entrant.margin,
        options=[*entrant.options],
        ponder=entrant.ponder,
    )


def _control(control: Control) -> Sequence[Value]:
    """Its kind, and then its numbers; times are in ms."""
    match control:
        case Staged(stages):
            return [
                "stages",
                *([each.moves, each.base, each.bonus.value, each.amount] for each in stages),
            ]
        case ByoYomi(base, periods, period):
            return ["byoyomi", base, periods, period]
        case Hourglass(base):
            return ["hourglass", base]
        case Correspondence(days):
            return ["days", days]
        case Limit(name, amount):
            return [name, amount]
        case _:
            assert_never(control)


def _book(book: BookFile) -> str:
    """Its seed is that of the match."""
    return _line(
        "book",
        path=str(book.path),
        format=book.format.value,
        order=book.order.value,
        plies=book.plies,
        start=book.start,
    )


def _sprt(sprt: Sprt) -> str:
    return _line(
        "sprt",
        elo0=float(sprt.elo0),
        elo1=float(sprt.elo1),
        alpha=sprt.alpha,
        beta=sprt.beta,
        model=sprt.model.value,
    )


def _adjudication(rules: Adjudication) -> Iterator[str]:
    """Without tablebases, which have a line of their own. No people play in a match."""
    if (resign := rules.resign) is not None:
        yield _line("resign", moves=resign.moves, score=resign.score, twosided=resign.twosided)
    if (draw := rules.draw) is not None:
        yield _line("draw", after=draw.after, moves=draw.moves, score=draw.score)
    if rules.max_moves is not None:
        yield _line("max_moves", moves=rules.max_moves)


def _tablebases(tablebases: Tablebases) -> str:
    rules = tablebases.rules
    return _line(
        "tablebases",
        men=rules.men,
        fifty_moves=rules.fifty_moves,
        wins=rules.wins,
        draws=rules.draws,
    )
