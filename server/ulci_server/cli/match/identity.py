"""What makes two command lines the same match: who plays whom, from where, by which rules.

How it is shown, written and spread over processors may be changed while it goes on.
"""

from collections.abc import Iterator

from ulci_server.hall.table.tablebases import ALL_RESULTS

from .settings import Entrant, MatchSettings


def identity(match: MatchSettings) -> str:
    """The match in lines of text, equal for the same match."""
    return "\n".join(_lines(match))


def _lines(match: MatchSettings) -> Iterator[str]:
    yield f"game: {match.game}"
    yield f"schedule: {match.schedule}"
    for entrant in match.entrants:
        yield f"engine: {_engine(entrant)}"
    if (book := match.book) is not None:
        yield f"book: {book.path} {book.format} {book.order} plies={book.plies} start={book.start}"
    if match.seed is not None:
        yield f"seed: {match.seed}"
    if match.sprt is not None:
        yield f"sprt: {match.sprt}"
    if match.adjudication:
        yield f"adjudication: {match.adjudication}"
    if match.tablebases is not None and match.tablebases.rules != ALL_RESULTS:
        yield f"tablebases: {match.tablebases.rules}"
    yield f"pairs: {match.by_pairs}"


def _engine(entrant: Entrant) -> str:
    words = [entrant.name, entrant.command, *entrant.arguments, str(entrant.folder or "")]
    words += [entrant.remote, str(entrant.control), *entrant.options]
    margin = (entrant.margin,) if entrant.margin else ()
    return repr((*words, entrant.ponder, *margin))
