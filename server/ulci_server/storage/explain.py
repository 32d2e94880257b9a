"""Explains in words how a game ended and whose clock paid for which time, from its record alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from types import MappingProxyType

from ulci.conduct import conduct_in_words
from ulci.rules import GAMES, Evidence, Outcome, Side, reason_in_english
from ulci_server.game import (
    WORTH_NOTING,
    WRITES_LATE,
    EventKind,
    Happened,
    LagRule,
    MovePlayed,
    Rebuilt,
)

from .records import Epoch, GameRecord, Noted, ReportRecord
from .verify import DisagreementError, rebuilt_from, steps_of

NOBODY: Mapping[str, str] = MappingProxyType({})
"""Where no program is known that judges a game."""

_RULES: Mapping[str, str] = {
    LagRule.NONE: "nothing is given back",
    LagRule.QUOTA: "of every move the line's least round trip is given back, from a quota",
    LagRule.EQUALISED: "for every move the excess of the connection's least round trip over the"
    " opponent's is given back, from a quota",
}


@dataclass(frozen=True, slots=True)
class _Ended:
    """A game that is over: its record, what happened, what was reported, and how that leaves
    it."""

    game: GameRecord
    history: Sequence[Noted]
    reports: Sequence[ReportRecord]
    rebuilt: Rebuilt

    @property
    def moves(self) -> list[MovePlayed]:
        """Every one, also those that were taken back."""
        return [fact for fact, _ in self.history if isinstance(fact, MovePlayed)]

    @property
    def loser(self) -> Side:
        """Whose turn it was, where that is who lost."""
        return self.rebuilt.move_list.turn

    def who(self, side: Side) -> str:
        return f"{side.name.title()} ({self.game.seats[side].name})"

    @property
    def finished_at(self) -> datetime:
        assert self.game.finished_at is not None
        return self.game.finished_at


def explained(
    game: GameRecord,
    history: Sequence[Noted],
    referees: Mapping[str, str] = NOBODY,
    owners: Sequence[Epoch] = (),
    reports: Sequence[ReportRecord] = (),
) -> str:
    """One paragraph about a game that is over, or still runs. `referees`: the programs that judge,
    by the names of their games, as far as they are known. `owners`: the servers that held it.
    `reports`: those of the game."""
    white, black = game.seats
    conduct = conduct_in_words(game.conduct)
    terms = ", ".join(filter(None, (game.rules, game.control, conduct, _book(game))))
    began = f"Game {game.id} ({terms}), {white.called} against {black.called},"
    if game.outcome is None or game.finished_at is None:
        return f"{began} is still played, or waits for its players.{_servers(owners)}"
    said = [
        f"{began} ended {_result(game.outcome)} ({game.finished_at:%Y-%m-%d %H:%M:%S} UTC),"
        f" after {_plies(history)}{_detail(game)}."
    ]
    try:
        rebuilt = rebuilt_from(game, steps_of(history))
    except DisagreementError as error:
        return f"{said[0]} More cannot be said: the record does not agree with itself ({error})."
    ended = _Ended(game, history, reports, rebuilt)
    rows = _ROWS.get(game.outcome.reason.evidence, _OTHERWISE)
    said[0] += _servers(owners)
    said += [text for row in rows for text in row(ended)]
    if ended.moves and game.rules not in GAMES:
        said.append(_judged(game.rules, referees.get(game.rules)))
    return " ".join(said)


def _book(game: GameRecord) -> str:
    return f"with {_of_plies(len(game.opening))} of a book" if game.opening else ""


def _servers(owners: Sequence[Epoch]) -> str:
    """Which servers held it, and until when, if there were several. A lone server that restarted
    is one."""
    servers = [next(same) for _, same in groupby(owners, lambda owner: owner.node)]
    if len(servers) < 2:
        return ""
    until = [f"{_called(one)} until {_clock(after.at)}" for one, after in pairwise(servers)]
    return f" It was held by {', then by '.join(until)}, then by {_called(servers[-1])}."


def _called(owner: Epoch) -> str:
    return f"server {owner.node}" if owner.node else "a lone server"


def _result(outcome: Outcome) -> str:
    score = "without a result" if outcome.score == "*" else outcome.score
    loser = "" if outcome.winner is None else outcome.winner.other.name.title()
    return f"{score} {reason_in_english(outcome.reason, loser)}"


def _judged(rules: str, program: str | None) -> str:
    now = "" if program is None else f" (today {program} is configured)"
    return f"The referee of {rules}{now} judged the moves, on nobody's clock."


def _plies(history: Sequence[Noted]) -> str:
    """How many plies the players made, and how many of them were taken back: a move of chess is
    two."""
    facts = [fact for fact, _ in history]
    made = sum(isinstance(fact, MovePlayed) for fact in facts)
    back = sum(
        fact.amount
        for fact in facts
        if isinstance(fact, Happened) and fact.what is EventKind.TAKEN_BACK
    )
    return _of_plies(made) + (f", {back} of them taken back" if back else "")


def _of_plies(number: int) -> str:
    return "1 ply" if number == 1 else f"{number} plies"


def _moves(number: int) -> str:
    return "1 move" if number == 1 else f"{number} moves"


def _detail(game: GameRecord) -> str:
    return f": {game.detail.rstrip('.')}" if game.detail else ""


# Sentences


def _last_move(ended: _Ended) -> Iterator[str]:
    if moves := ended.moves:
        last = moves[-1]
        who = "The rules" if ended.game.rules in GAMES else f"The referee of {ended.game.rules}"
        yield f"{who} ended it with ply {last.ply}, {last.move} of {ended.who(last.side)}."
    else:
        yield "The position at the start was the end already."


_DECIDED = {
    EventKind.RULED: "A ruling was made at {at}{text}.",
    EventKind.LEFT: "{who} went at {at}{text}.",
}


def _decided(ended: _Ended) -> Iterator[str]:
    """What people and administrators did that bears on it."""
    for fact, at in ended.history:
        if isinstance(fact, Happened) and fact.what in _DECIDED:
            who = "Somebody" if fact.side is None else ended.who(fact.side)
            # The explanation may have quoted it already.
            text = "" if fact.text in (ended.game.detail or "") else f": {fact.text}"
            yield _DECIDED[fact.what].format(at=_clock(at), who=who, text=text)


def _had(ended: _Ended) -> int | None:
    """What was on its clock, ms, without what it had thought before a restart."""
    return ended.rebuilt.clock.left(ended.loser, 0.0)


def _turn(ended: _Ended) -> Iterator[str]:
    """What the side had when it was asked, and what passed until its flag fell."""
    since, after = _since(ended)
    had, who = _had(ended), ended.who(ended.loser)
    if had is None:
        yield f"{who} was to move since {_clock(since)}, {after}, with so much for every move."
        return
    passed = _ms(ended.finished_at - since)
    yield (
        f"It was {who}'s turn {after} at {_clock(since)}, and its clock had {_time(had)}."
        f" Until the end {_time(passed)} passed{', all on its clock' if passed == had else ''}."
    )


def _unpaid(ended: _Ended) -> Iterator[str]:
    """Why that was not what it had."""
    had = _had(ended)
    if had is None:
        return
    passed = _ms(ended.finished_at - _since(ended)[0])
    if passed < had:
        yield (
            "That is less than it had: either the machine's own clock was set meanwhile, or the"
            " server had counted time from before it was started again."
        )
    if passed <= had:
        return
    network = ", and what the rule for the network gave" if ended.game.lag != LagRule.NONE else ""
    yield (
        f"Of these its clock paid all that it had, {_time(had)}; the other {_time(passed - had)}"
        f" it did not pay: until what came before was recorded and it was asked{network}."
    )


def _since(ended: _Ended) -> tuple[datetime, str]:
    """Since when the side to move had this turn on its clock, and what came before."""
    since, after, waiting = ended.game.started_at, "after the game was begun", False
    for fact, at in ended.history:
        if isinstance(fact, MovePlayed):
            since, waiting = at, False
            after = f"after ply {fact.ply}, {fact.move}, which was recorded"
        elif isinstance(fact, Happened) and fact.what is EventKind.TAKEN_BACK:
            since, after, waiting = at, "after moves were taken back", False
        elif isinstance(fact, Happened) and fact.what is EventKind.RESUMED:
            since, after, waiting = at, "after the server was back", True
        elif waiting and isinstance(fact, Happened) and _is_back(fact, ended.loser):
            since, after, waiting = at, "after the server was back and it had come again", False
    return since, after


def _is_back(fact: Happened, side: Side) -> bool:
    return fact.what is EventKind.BACK and fact.side is side


def _ledger(ended: _Ended) -> Iterator[str]:
    """What the side spent in the whole game, and what it was given back."""
    own = [move for move in ended.moves if move.side is ended.loser]
    if not own:
        yield "It had made no move before."
        return
    spent, lag, stall, held = (
        sum(getattr(move, name) for move in own) for name in ("spent", "lag", "stall", "held")
    )
    before = _moves(len(own))
    yield (
        f"For its {before} before, {_time(spent)} passed from question to answer:"
        f" {_time(lag)} were given back for the network and {_time(stall)} for the server's own"
        f" lateness, so that it paid {_time(spent - lag - stall)}; {_time(held)} between the"
        f" opponent's moves and its turns were on nobody's clock."
    )


def _late_writes(ended: _Ended) -> Iterator[str]:
    """Which line made its moves late; the other side's lost nothing by it here."""
    for report in ended.reports:
        if (report.side, report.source, report.text) == (ended.loser, "server", WRITES_LATE):
            who = ended.who(ended.loser)
            yield f"At ply {report.ply} the server noted of {who}: {WRITES_LATE}."
            return


def _rule(ended: _Ended) -> Iterator[str]:
    rule = ended.game.lag
    yield f"The lag rule was {rule}: {_RULES.get(rule, 'which is not known here')}."


def _gifts(ended: _Ended) -> Iterator[str]:
    for fact, _ in ended.history:
        if (
            isinstance(fact, Happened)
            and fact.what is EventKind.TIME_GIVEN
            and fact.side is not None
        ):
            yield f"{ended.who(fact.side)} was given {_time(fact.amount)} by {fact.text or '-'}."


def _berserk(ended: _Ended) -> Iterator[str]:
    for fact, at in ended.history:
        if isinstance(fact, Happened) and fact.what is EventKind.BERSERK and fact.side is not None:
            yield (
                f"{ended.who(fact.side)} went berserk at {_clock(at)}: its clock lost"
                f" {_time(fact.amount)}, half of what it had, and its increments."
            )


def _takebacks(ended: _Ended) -> Iterator[str]:
    """What is on the clock is not what its moves would add up to."""
    events = [fact.what for fact, _ in ended.history if isinstance(fact, Happened)]
    if ended.game.undo_clocks and EventKind.TAKEN_BACK in events:
        yield "What moves that were taken back had added to the clocks went with them."


def _restarts(ended: _Ended) -> Iterator[str]:
    for fact, at in ended.history:
        if isinstance(fact, Happened) and fact.what is EventKind.RESUMED:
            yield (
                f"At {_clock(at)} the server was back ({fact.text}); the side to move had thought"
                f" {_time(fact.amount)}, and nobody paid for the rest."
            )


def _sent_away(ended: _Ended) -> Iterator[str]:
    """Whose line was cut by an administrator: that was nobody's network."""
    for fact, at in ended.history:
        if isinstance(fact, Happened) and fact.what is EventKind.KICKED and fact.side is not None:
            yield f"{ended.who(fact.side)} was kicked at {_clock(at)} by {fact.text}."


def _absences(ended: _Ended) -> Iterator[str]:
    """Whose line was lost when, and for how long."""
    gone = dict[Side, datetime]()
    for fact, at in ended.history:
        if not isinstance(fact, Happened) or fact.side is None:
            continue
        if fact.what is EventKind.AWAY:
            gone[fact.side] = at
        elif fact.what is EventKind.BACK and fact.side in gone:
            lost = gone.pop(fact.side)
            text = f"was away from {_clock(lost)} for {_time(_ms(at - lost))}"
            if fact.amount >= WORTH_NOTING:
                text += f", and does not pay for {_time(fact.amount)} of its turn so far"
            yield f"{ended.who(fact.side)} {text}."
    for side, lost in gone.items():
        span = _time(_ms(ended.finished_at - lost))
        yield f"{ended.who(side)} was away from {_clock(lost)}, {span} before the end."


def _whether_away(ended: _Ended) -> Iterator[str]:
    if not any(
        isinstance(fact, Happened) and fact.what is EventKind.AWAY for fact, _ in ended.history
    ):
        yield "Nobody was disconnected in the whole game."


def _flag_before_any_move(ended: _Ended) -> Iterator[str]:
    """A side that never moved does not lose on time: the game is aborted, with the flag as
    evidence. That costs nobody anything, so the rest is not explained."""
    if "flag" in ended.game.detail and not any(move.side is ended.loser for move in ended.moves):
        yield from _turn(ended)


def _cannot_win(ended: _Ended) -> Iterator[str]:
    other = ended.who(ended.loser.other)
    yield f"With what {other} had left no moves win, so that it is a draw (FIDE 6.9)."


Sentences = Callable[[_Ended], Iterator[str]]

_TIME: tuple[Sentences, ...] = (
    _turn,
    _unpaid,
    _ledger,
    _late_writes,
    _rule,
    _gifts,
    _berserk,
    _takebacks,
    _restarts,
    _sent_away,
    _absences,
    _whether_away,
)

_OTHERWISE: tuple[Sentences, ...] = (_berserk, _decided, _sent_away, _absences)

_ROWS: Mapping[Evidence, tuple[Sentences, ...]] = {
    Evidence.RULES: (_berserk, _last_move),
    Evidence.ABORT: (_flag_before_any_move, *_OTHERWISE),
    Evidence.FLAG: _TIME,
    Evidence.FLAG_INSUFFICIENT: (_cannot_win, *_TIME),
}
"""What is to be said of an ending by its evidence, beside what `_detail` says of all."""


def _clock(at: datetime) -> str:
    return f"{at:%H:%M:%S}.{at.microsecond // 1000:03}"


def _ms(span: timedelta) -> int:
    return round(span / timedelta(milliseconds=1))


def _time(ms: int) -> str:
    """``9.250 s``, ``2:05.000``, ``1:00:00.000``."""
    if abs(ms) < 60_000:
        return f"{ms / 1000:.3f} s"
    seconds, ms = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    ahead = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{ahead}:{seconds:02}.{ms:03}"
