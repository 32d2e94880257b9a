"""The steps that judge what was heard in all the steps before them."""

from collections.abc import Iterator

from ulci.rules import Illegal, Legal

from .findings import Line
from .reading import Remark, info_remarks, pv_of
from .visit import Search, Visit


async def one_answer(visit: Visit) -> None:
    """Exactly one ``bestmove`` for each ``go`` of all steps so far."""
    if visit.chart.strays:
        visit.fault(
            f"{len(visit.chart.strays)} times there was a bestmove that no go had asked for",
            "Send exactly one bestmove for each go, and nothing after it.",
            visit.chart.strays[0],
        )


async def infos(visit: Visit) -> None:
    """Every kind of remark once, with the first line that deserves it."""
    remarks: dict[Remark, list[Line]] = {}
    for search in visit.chart.searches:
        for line in search.heard:
            for remark in info_remarks(line.text):
                remarks.setdefault(remark, [*search.asked, line])
    for (severity, text), lines in remarks.items():
        visit.find(severity, f"an info line {text}", "Give every word of info its value.", lines)
    _complete(visit)


def _complete(visit: Visit) -> None:
    said = {
        word
        for search in visit.chart.searches
        for line in search.heard
        for word in line.text.partition(" string ")[0].split()
    }
    missing = [word for word in ("depth", "score", "nodes", "time", "pv") if word not in said]
    if visit.chart.searches and missing:
        visit.warn(
            f"no search told its {', '.join(missing)}",
            "Say `info depth … score cp … time … nodes … pv …` before bestmove: people and"
            " adjudicators rely on it.",
            [],
        )


async def lines_are_legal(visit: Visit) -> None:
    """Every ``pv`` can be played from its position."""
    faults = [each for search in visit.chart.searches for each in _illegal(search)]
    if faults:
        text, lines = faults[0]
        more = f" (and {len(faults) - 1} more like it)" if len(faults) > 1 else ""
        visit.fault(
            f"{text}{more}",
            "Cut the line where its moves stop being legal: old entries of the hash table may"
            " belong to another position.",
            lines,
        )


def _illegal(search: Search) -> Iterator[tuple[str, list[Line]]]:
    for line in search.heard:
        moves = pv_of(line.text)
        position = search.start.position() if moves else None
        if position is None or position.outcome() is not None:
            continue
        for move in moves:
            verdict = position.play_untrusted(move)
            if isinstance(verdict, Illegal):
                yield f"a pv has the illegal move {move}: {verdict.why}", [*search.asked, line]
            if not isinstance(verdict, Legal):
                break


async def only_protocol(visit: Visit) -> None:
    """Nothing else on the standard output."""
    chart = visit.chart
    for line, why in chart.unreadable[:1]:
        visit.fault(why, "Write text in UTF-8 and end every line with a newline.", [line])
    if chart.oddities:
        visit.warn(
            f"lines that are no word of the protocol ({len(chart.oddities)}), such as"
            f" {chart.oddities[0].text[:60]!r}",
            "Write texts for people as `info string …`, or to the standard error.",
            chart.oddities[:5],
        )
