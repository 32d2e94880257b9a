"""Steps that judge everything the engine wrote in the steps before."""

from collections.abc import Iterator

from ulci.rules import Illegal, Legal
from ulci_client.doctor.report import TranscriptLine
from ulci_client.doctor.step_context import Context, SearchRecord

from .lint import Remark, info_remarks, pv_of


async def one_answer(context: Context) -> None:
    """Exactly one ``bestmove`` for each ``go`` of all steps so far."""
    if context.profile.unexpected:
        context.fault(
            f"{len(context.profile.unexpected)} times a bestmove came without a go",
            "Send exactly one bestmove for each go, and nothing after it.",
            context.profile.unexpected[0],
        )


async def infos(context: Context) -> None:
    """Each kind of remark once, with its first line."""
    remarks: dict[Remark, list[TranscriptLine]] = {}
    for search in context.profile.searches:
        for line in search.heard:
            for remark in info_remarks(line.text):
                remarks.setdefault(remark, [*search.asked, line])
    for (severity, text), lines in remarks.items():
        context.find(severity, f"an info line {text}", "Give every word of info its value.", lines)
    _complete(context)


def _complete(context: Context) -> None:
    said = {
        word
        for search in context.profile.searches
        for line in search.heard
        for word in line.text.partition(" string ")[0].split()
    }
    missing = [word for word in ("depth", "score", "nodes", "time", "pv") if word not in said]
    if context.profile.searches and missing:
        context.warn(
            f"no search reported {', '.join(missing)}",
            "Say `info depth … score cp … time … nodes … pv …` before bestmove: people and"
            " adjudicators rely on it.",
            [],
        )


async def lines_are_legal(context: Context) -> None:
    """Every ``pv`` can be played from its position."""
    faults = [each for search in context.profile.searches for each in _illegal(search)]
    if faults:
        text, lines = faults[0]
        more = f" (and {len(faults) - 1} more like it)" if len(faults) > 1 else ""
        context.fault(
            f"{text}{more}",
            "Cut the line where its moves stop being legal: old entries of the hash table may"
            " belong to another position.",
            lines,
        )


def _illegal(search: SearchRecord) -> Iterator[tuple[str, list[TranscriptLine]]]:
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


async def only_protocol(context: Context) -> None:
    """Nothing else on the standard output."""
    profile = context.profile
    for line, why in profile.unreadable[:1]:
        context.fault(why, "Write text in UTF-8 and end every line with a newline.", [line])
    if profile.unknown_lines:
        context.warn(
            f"lines outside the protocol ({len(profile.unknown_lines)}), such as"
            f" {profile.unknown_lines[0].text[:60]!r}",
            "Write texts for people as `info string …`, or to the standard error.",
            profile.unknown_lines[:5],
        )
