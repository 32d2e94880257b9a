"""What a step can do with an engine: ask, search, judge the answer."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import trio

from ulci.protocol import DIALECTS, BestMove, Go, Id, Option, RemoteProtocolError, Role, Row
from ulci.protocol import Position as Said
from ulci.rules import GAMES, Illegal, Over, Position

from .findings import Finding, Line, Severity
from .patient import Ended, Patient, Silent

# Lines kept of one search, and searches kept of one engine, to be judged at the end.
MOST_LINES = 300
MOST_SEARCHES = 100

# What stands for "no move" (UCI 2004, move format; several engines).
NO_MOVE = frozenset(("0000", "(none)", "none", "null", "NULL"))


@dataclass(frozen=True, slots=True)
class Start:
    """A position to search. Without a `game` nobody here can judge its moves."""

    fen: str | None = None
    moves: tuple[str, ...] = ()
    game: str | None = "chess"

    def position(self) -> Position | None:
        """As the rules see it. A draw that must be claimed does not end it."""
        if self.game is None:
            return None
        position = GAMES[self.game].new(self.fen, claims=True)
        for move in self.moves:
            verdict = position.play_untrusted(move)
            assert not isinstance(verdict, Illegal), verdict
        return position


@dataclass(slots=True)
class Search:
    """One ``go`` and its answer. `spent` in ms, from the ``go`` or ``stop`` to the answer."""

    start: Start
    asked: list[Line]
    heard: list[Line] = field(default_factory=list)
    best: Line | None = None
    move: str = ""
    ponder: str | None = None
    spent: float = 0.0


@dataclass(slots=True)
class Chart:
    """What is known of an engine over all its starts."""

    ids: dict[str, list[str]] = field(default_factory=dict)
    options: list[tuple[Line, Option | None]] = field(default_factory=list)
    searches: list[Search] = field(default_factory=list)
    strays: list[list[Line]] = field(default_factory=list)
    """Exchanges that end with a ``bestmove`` nobody asked for."""
    oddities: list[Line] = field(default_factory=list)
    unreadable: list[tuple[Line, str]] = field(default_factory=list)
    states: dict[str, Line] = field(default_factory=dict)
    """The last ``copyprotection`` and ``registration`` line, by its first word."""

    def option(self, name: str) -> Option | None:
        """What it offers by that name, whatever its case."""
        found = (each for _, each in self.options if each is not None)
        return next((each for each in found if each.name.casefold() == name.casefold()), None)

    def id(self, key: str) -> str:
        """The first that it said after ``id KEY``."""
        return next(iter(self.ids.get(key, ())), "")


class Visit:
    """One step with one running engine."""

    def __init__(self, patient: Patient, chart: Chart, dialect: str, clause: str) -> None:
        self.patient = patient
        self.chart = chart
        self.findings: list[Finding] = []
        self.clause = clause
        self.skipped = ""
        self._dialect = DIALECTS[dialect](Role.SERVER)
        self._search: Search | None = None
        patient.begin()

    @property
    def row(self) -> Row:
        """The dialect's words; UTI has none of these."""
        assert isinstance(self._dialect, Row)
        return self._dialect

    @property
    def hello(self) -> str:
        """The first word of the dialect."""
        return self.row.hello if isinstance(self._dialect, Row) else "uti"

    # Finding

    def find(
        self,
        severity: Severity,
        text: str,
        advice: str,
        exchange: Sequence[Line] | None = None,
    ) -> None:
        """Something that the author should know; it is shown by the exchange so far."""
        shown = tuple(self.patient.exchange if exchange is None else exchange)
        self.findings.append(Finding(severity, text, advice, self.clause, shown))

    def fault(self, text: str, advice: str, exchange: Sequence[Line] | None = None) -> None:
        self.find(Severity.FAULT, text, advice, exchange)

    def warn(self, text: str, advice: str, exchange: Sequence[Line] | None = None) -> None:
        self.find(Severity.WARNING, text, advice, exchange)

    def note(self, text: str, advice: str, exchange: Sequence[Line] | None = None) -> None:
        self.find(Severity.NOTE, text, advice, exchange)

    # Talking

    def say(self, *lines: str) -> None:
        self.patient.say(*lines)

    async def until(self, word: str, seconds: float | None = None, after: str = "") -> Line:
        """The line that begins with this word; the others are noted. Raises as `Patient.until`."""
        awaited = f"{word} after {after}" if after else word
        return await self.patient.until(
            lambda line: line.split()[:1] == [word], awaited, seconds, self.heed
        )

    async def next(self, awaited: str) -> str:
        """The next line, whatever it is. Raises as `Patient.next`."""
        return (await self.patient.next(awaited)).text

    async def ready(self) -> None:
        """``isready``, until ``readyok``."""
        self.say("isready")
        await self.until("readyok", after="isready")

    async def quiet(self, seconds: float) -> None:
        """Listen so long, whatever it says."""
        end = trio.current_time() + seconds
        with trio.move_on_at(end):
            await self.patient.until(lambda _: False, "silence", math.inf, self.heed)

    # Searching

    def start(self, start: Start, go: Go | str) -> Search:
        """``position`` and ``go``; nothing is awaited."""
        self.lay(start)
        return self.go(start, go)

    def lay(self, start: Start) -> None:
        """``position``."""
        self.say(self.row.write(Said(start.fen, start.moves)))

    def go(self, start: Start, go: Go | str) -> Search:
        """``go`` on the position that was laid; nothing is awaited."""
        self.say(go if isinstance(go, str) else self.row.write(go))
        search = Search(start, self.patient.exchange[-2:])
        self._search = search
        if len(self.chart.searches) < MOST_SEARCHES:
            self.chart.searches.append(search)
        return search

    def stop(self, word: str = "stop") -> None:
        """``stop`` or ``ponderhit``."""
        self.say(word)

    async def best(self, search: Search, after: str = "", seconds: float | None = None) -> None:
        """Its ``bestmove``, which is then judged. Raises as `Patient.until`."""
        if search.best is None:
            since = self.patient.exchange[-1].at
            asked = after or " ".join(search.asked[-1].text.split())
            line = await self.until("bestmove", seconds, after=asked)
            self.heed(line)
            search.spent = line.at - since
        self.judge(search)

    async def search(self, start: Start, go: Go | str, seconds: float | None = None) -> Search:
        """The whole of it: ``position``, ``go``, ``bestmove``, judged. Raises as `Patient.until`;
        an engine that answers only to ``stop`` is at fault, but can be used further."""
        search = self.start(start, go)
        try:
            await self.best(search, seconds=seconds)
        except Silent as silent:
            asked = " ".join(search.asked[-1].text.split())
            self.say("stop")
            try:
                await self.best(search, after="stop")
            except (Silent, Ended):
                raise silent from None
            self.fault(
                f"{silent}, only after stop",
                f"Let the limit in `{asked}` end the search.",
            )
        return search

    def judge(self, search: Search) -> None:
        """Is the move legal, and the one to ponder on after it?"""
        position = search.start.position()
        if position is None or search.best is None:
            return
        if search.move in NO_MOVE:
            self.fault(
                f"bestmove {search.move} says that there is no move, but there is one",
                "Answer with a legal move wherever there is one, even if the time is short or the"
                " position is lost.",
            )
            return
        verdict = position.play_untrusted(search.move)
        if isinstance(verdict, Illegal):
            self.fault(
                f"bestmove {search.move} is illegal: {verdict.why}",
                "Check that position sets the board and plays all its moves, and that the search"
                " returns only legal moves.",
            )
        elif search.ponder and not isinstance(verdict, Over):
            after = position.play_untrusted(search.ponder)
            if isinstance(after, Illegal):
                self.fault(
                    f"it would ponder on {search.ponder}, which is illegal: {after.why}",
                    "Leave ponder out when the line ends with the best move.",
                )

    # Hearing what nobody waits for

    def heed(self, line: Line) -> None:
        """Note a line for the steps that judge what was heard in all."""
        verb = (line.text.split() or [""])[0]
        hear = _HEARD.get(verb)
        if hear is not None:
            hear(self, line)
        elif verb not in self._known():
            self.chart.oddities.append(line)

    def _known(self) -> frozenset[str]:
        return KNOWN | {self.row.hello_ok} if isinstance(self._dialect, Row) else KNOWN

    def _hear_id(self, line: Line) -> None:
        said = self._read(line)
        if isinstance(said, Id):
            self.chart.ids.setdefault(said.key, []).append(said.value)

    def _hear_option(self, line: Line) -> None:
        said = self._read(line)
        self.chart.options.append((line, said if isinstance(said, Option) else None))

    def _hear_state(self, line: Line) -> None:
        verb, *words = line.text.split()
        self.chart.states[verb] = line
        if verb == "registration" and words == ["error"] and not self.patient.registered:
            # Once: the engine may answer each try with the same words (UCI 2004, registration).
            self.patient.registered = True
            self.say("register later")

    def _hear_info(self, line: Line) -> None:
        if self._search is not None and len(self._search.heard) < MOST_LINES:
            self._search.heard.append(line)

    def _hear_best(self, line: Line) -> None:
        search, self._search = self._search, None
        if search is None:
            self.chart.strays.append(self.patient.exchange[-8:])
            return
        search.best = line
        said = self._read(line)
        if isinstance(said, BestMove):
            search.move, search.ponder = said.move, said.ponder
        else:
            self.fault("bestmove has no move", "Write `bestmove` and the move, or 0000 for none.")

    def _read(self, line: Line) -> object:
        try:
            return self.row.read_untrusted(line.text, Role.SERVER)
        except RemoteProtocolError:
            return None


KNOWN = frozenset(
    ("id", "option", "readyok", "info", "bestmove", "copyprotection", "registration", "response")
)

_HEARD: Mapping[str, Callable[[Visit, Line], None]] = {
    "id": Visit._hear_id,
    "option": Visit._hear_option,
    "info": Visit._hear_info,
    "bestmove": Visit._hear_best,
    "copyprotection": Visit._hear_state,
    "registration": Visit._hear_state,
}
