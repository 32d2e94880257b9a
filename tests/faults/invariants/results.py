"""Does every result follow from the moves, or from what a player said, did or failed to do?"""

from collections.abc import Iterable, Iterator
from math import inf

import chess

from tests.faults.record import Wire
from ulci.rules import Reason, Side
from ulci_server.game.endings import FLAG

from .case import Case
from .chronicle import Chronicle, Story, Violation
from .flags import BREAKING, ENDS_LINES, flagged

LATE = 3.0
"""s by which the end of a game may be told later than it came about: a disk may be waited for."""

WELL = 3.0
"""s on a good line to a server to which nothing is done, in which a player hears of its game."""

SETTLED = 2.0
"""s after a mishap in which a server is still busy with it."""

HEARD = 0.5
"""s until the server of a game that begins has heard that a line to another one is over."""


def results_agree(case: Case, story: Story) -> Iterator[Violation]:
    record = story.record
    for name, events in (*story.told.items(), *story.watched.items()):
        for event in (event for event in events if event.what == "over"):
            told = " ".join(event.words)
            if record.outcome is None:
                yield Violation("result not stored", story.game, name, f"was told {told}")
                continue
            stored = f"result {record.result} reason {record.outcome.reason.value}"
            if told != stored:
                yield Violation(
                    "result contradicted", story.game, name, f"told {told}, {stored} stored"
                )


def result_follows_from_the_moves(case: Case, story: Story) -> Iterator[Violation]:
    outcome = story.record.outcome
    if outcome is None:
        yield Violation(
            "still running", story.game, "", f"{len(story.moves)} plies, nobody plays it"
        )
        return
    if not story.is_chess:
        return
    board = chess.Board()
    for move in story.moves:
        if chess.Move.from_uci(move.move) not in board.legal_moves:
            return  # which has been said
        board.push_uci(move.move)
    follows = {
        Reason.CHECKMATE: board.is_checkmate,
        Reason.STALEMATE: board.is_stalemate,
        Reason.MATERIAL: board.is_insufficient_material,
        Reason.REPETITION: lambda: board.is_repetition(3),
        Reason.FIFTY_MOVES: lambda: board.halfmove_clock >= 100,
    }
    ended = {reason for reason, holds in follows.items() if holds()}
    if (outcome.reason in follows or ended) and outcome.reason not in ended:
        text = f"{outcome} but the position is {board.fen()}"
        yield Violation("result against the moves", story.game, "", text)
    mated = Side.WHITE if board.turn else Side.BLACK
    if outcome.reason is Reason.CHECKMATE and outcome.winner is not mated.other:
        yield Violation("result against the moves", story.game, "", f"{outcome}, {board.fen()}")


def result_has_a_cause(case: Case, story: Story) -> Iterator[Violation]:
    outcome = story.record.outcome
    if outcome is None:
        return
    judge = _CAUSES.get(outcome.reason)
    if judge is not None:
        yield from judge(case, story, outcome.winner)


def _resigned(case: Case, story: Story, winner: Side | None) -> Iterator[Violation]:
    loser = story.names[winner.other]
    if not story.events(loser, "resign"):
        yield Violation("result without a cause", story.game, loser, "never said resign")


def _agreed(case: Case, story: Story, _: Side | None) -> Iterator[Violation]:
    for name in story.names:
        if not story.events(name, "draw"):
            yield Violation("result without a cause", story.game, name, "never said draw")


def _never(case: Case, story: Story, winner: Side | None) -> Iterator[Violation]:
    loser = "" if winner is None else story.names[winner.other]
    detail = story.record.detail
    yield Violation(f"lost by {story.record.outcome.reason.value}", story.game, loser, detail)


def _cut_off(case: Case, story: Story, winner: Side | None) -> Iterator[Violation]:
    loser = story.names[winner.other]
    gap = _longest_gap(case, loser, story)
    if gap < case.away - 1:
        text = f"{story.record.detail}; its longest absence was {gap:.1f} s; "
        text += _lines_of(case, loser, story)
        yield Violation("lost by disconnect", story.game, loser, text)


def _lines_of(case: Case, name: str, story: Story) -> str:
    """The last lines of somebody, in s before the end of the game."""
    ends = [e.at for events in story.told.values() for e in events if e.what == "over"]
    end = min(ends, default=inf)
    said = []
    for number, wire in enumerate(case.chronicle.by_owner[name]):
        near = [line for line in wire.told if line.at > end - 20]
        if near or end - 20 < wire.opened < end + 5:
            last = [line.text[:40] for line in wire.told[-4:]]
            faults = [f"{f.since - end:.1f}:{f.kind}" for f in wire.faults[-2:]]
            open_for = f"{wire.opened - end:.1f} to {wire.closed - end:.1f}"
            said.append(f"@{number} {open_for} {faults} told {last}")
    return " ".join(said)


def _longest_gap(case: Case, name: str, story: Story) -> float:
    """s without a line on which it was here, while the game ran."""
    begin = min((e.at for e in story.told[name]), default=inf)
    end = inf if story.ended is None else story.ended
    gap, last = 0.0, begin
    for here, lost in sorted(_here(case, wire) for wire in case.chronicle.by_owner[name]):
        if here < end and lost > last:
            gap = max(gap, here - last)
            last = lost
    return max(gap, end - last)


def _here(case: Case, wire: Wire) -> tuple[float, float]:
    """From when until when its owner was here: welcome, and ready if it was asked."""
    said = {line.text.partition(" name ")[0]: line.at for line in reversed(wire.told)}
    welcome = said.get("lobby welcome", inf)
    here = wire.ready if "isready" in said else welcome
    lost = (fault.since for fault in wire.faults if fault.kind in BREAKING)
    gone = (
        trouble.since
        for trouble in case.troubles
        if trouble.server == wire.server != ""
        and trouble.kind in ENDS_LINES
        and trouble.until >= wire.opened
        and trouble.since <= wire.closed
    )
    return here, min([wire.closed, *lost, *gone])


def _aborted(case: Case, story: Story, _: Side | None) -> Iterator[Violation]:
    """Nobody here asks for it: a line broke, something was wrong with the server, or somebody who
    wants no more games left."""
    if story.record.detail.startswith(FLAG):
        yield from flagged(case, story)  # of somebody who had made no move
        return
    begin = min((e.at for events in story.told.values() for e in events), default=-inf)
    end = inf if story.ended is None else story.ended
    harm = [*case.troubles, *(t for name in story.names for t in case.harmed.get(name, ()))]
    troubles = [t for t in harm if t.since <= end and t.until >= begin - case.away]
    stood_still = any(  # these players, when they had to say that they are ready
        until - since > case.away / 2 and since <= end and until >= begin - case.away
        for since, until in case.pauses
    )
    before = begin - HEARD
    left = any(_quits(case, name, end) for name in story.names)
    if not (
        troubles
        or stood_still
        or left
        or any(_breaks(case, name, before, end) for name in story.names)
    ):
        yield Violation("aborted for nothing", story.game, "", story.record.detail)


def _quits(case: Case, name: str, end: float) -> bool:
    """Whether it left by itself before that time (s). A busy server may hear of that only when the
    game has begun. Whoever leaves so does not come back."""
    wires = case.chronicle.by_owner[name]
    last = (line for wire in wires for line in wire.heard[-1:])
    return any(line.text == "quit" and line.at <= end for line in last)


def _breaks(case: Case, name: str, begin: float, end: float) -> list[str]:
    """What broke one of its lines that lived while the game did."""
    return [
        fault.kind
        for wire in case.chronicle.by_owner[name]
        if wire.opened <= end and wire.closed >= begin
        for fault in wire.faults
        if fault.kind in BREAKING and fault.since <= end
    ]


def _ended_by_server(case: Case, story: Story, _: Side | None) -> Iterator[Violation]:
    yield Violation("ended by the server", story.game, "", story.record.detail)


def _flagged(case: Case, story: Story, _: Side | None) -> Iterator[Violation]:
    yield from flagged(case, story)


def given_up(
    chronicle: Chronicle, players: Iterable[tuple[str, int, float]], ahead: float = 0.0
) -> Iterator[Violation]:
    """Who came back and heard nothing of their game must not have missed it: it was over then, or
    they were told of it later, having waited for less than its servers needed. Or it was another
    game of theirs with the same number, as the first one was never stored. `ahead`: s by which
    the clock of the record is ahead of that of the players."""
    stories = {story.game: story for story in chronicle.stories.values() if story.record}
    for name, game, at in players:
        story = stories.get(game)
        if story is None or name not in story.names:
            continue  # it was never stored, and nobody was asked to play it
        told = (*story.events(name, "start"), *story.events(name, "go"))
        if any(event.at > at for event in told):
            continue
        if (last := min(_last_word(story), _ended(story) - ahead)) > at + LATE:
            text = f"it came back and was not told of it, {last - at:.1f} s before its last word"
            yield Violation("given up", game, name, text)


def left_in_the_dark(
    case: Case, players: Iterable[tuple[str, int, float]], seconds: float
) -> Iterator[Violation]:
    """Who heard nothing of its game for so many seconds must not have been on a good line to a
    server that was well for `WELL` s of them."""
    for name, game, at in players:
        wires = case.chronicle.by_owner[name]
        if (well := max((_well(case, wire, at - seconds, at) for wire in wires), default=0)) > WELL:
            text = f"it was on a good line to a server that was well for {well:.1f} s"
            yield Violation("left in the dark", game, name, text)


def _well(case: Case, wire: Wire, since: float, until: float) -> float:
    """The longest time, s, in which nothing was done to the line or to its server."""
    begin, longest = max(since, wire.opened), 0.0
    end = min(until, wire.closed, wire.hung_up)
    end = min([end, *(fault.since for fault in wire.faults if fault.kind in BREAKING)])
    troubles = [t for t in case.troubles if t.server in ("", wire.server)]
    for trouble in sorted(troubles, key=lambda trouble: trouble.since):
        longest = max(longest, min(trouble.since, end) - begin)
        begin = max(begin, trouble.until + SETTLED)
    return max(longest, end - begin)


def _ended(story: Story) -> float:
    """When it ended by the record, s since 1970."""
    ended = story.record.finished_at
    return inf if ended is None else ended.timestamp()


def _last_word(story: Story) -> float:
    """When it was first said to be over, else when somebody was asked for the last time."""
    said = [e for told in story.told.values() for e in told if e.what in ("go", "over")]
    over = [e.at for e in said if e.what == "over"]
    return min(over) if over else max((e.at for e in said), default=0.0)


_CAUSES = {
    Reason.RESIGNATION: _resigned,
    Reason.AGREEMENT: _agreed,
    Reason.TIME: _flagged,
    Reason.TIME_INSUFFICIENT: _flagged,
    Reason.DISCONNECT: _cut_off,
    Reason.ABORTED: _aborted,
    Reason.SERVER: _ended_by_server,
    Reason.ILLEGAL_MOVE: _never,
}

RESULTS = (results_agree, result_follows_from_the_moves, result_has_a_cause)
