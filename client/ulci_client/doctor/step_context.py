"""The tools of a step: send to the engine, search, judge the answer."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import trio

from ulci.protocol import DIALECTS, RemoteProtocolError, Role, Row
from ulci.protocol.messages import BestMove, Go, Id, Option
from ulci.protocol.messages import Position as Said
from ulci.rules import GAMES, Illegal, Over, Position

from .engine import Engine, EngineEnded, Silent
from .report import Exchange, Finding, Severity, TranscriptLine

# Lines kept of a search, and searches kept of an engine, for the last steps.
MOST_LINES = 300
MOST_SEARCHES = 100

# Spellings of "no move" (UCI 2004, move format; several engines).
NO_MOVE = frozenset(("0000", "(none)", "none", "null", "NULL"))


@dataclass(frozen=True, slots=True)
class Start:
    """A position to search. Without a `game` its moves are not judged."""

    fen: str | None = None
    moves: tuple[str, ...] = ()
    game: str | None = "chess"

    def position(self) -> Position | None:
        """The position by our rules, where draws must be claimed; None without a game."""
        if self.game is None:
            return None
        position = GAMES[self.game].new(self.fen, claims=True)
        for move in self.moves:
            verdict = position.play_untrusted(move)
            assert not isinstance(verdict, Illegal), verdict
        return position


@dataclass(slots=True)
class SearchRecord:
    """One ``go`` and its answer. spent: ms from ``go`` or ``stop`` to the answer."""

    start: Start
    asked: list[TranscriptLine]
    heard: list[TranscriptLine] = field(default_factory=list)
    best: TranscriptLine | None = None
    move: str = ""
    ponder: str | None = None
    spent: float = 0.0


@dataclass(slots=True)
class EngineProfile:
    """The known facts about an engine, over all its restarts."""

    ids: dict[str, list[str]] = field(default_factory=dict)
    options: list[tuple[TranscriptLine, Option | None]] = field(default_factory=list)
    searches: list[SearchRecord] = field(default_factory=list)
    unexpected: list[list[TranscriptLine]] = field(default_factory=list)
    """Exchanges that end with an unexpected ``bestmove``."""
    unknown_lines: list[TranscriptLine] = field(default_factory=list)
    unreadable: list[tuple[TranscriptLine, str]] = field(default_factory=list)
    states: dict[str, TranscriptLine] = field(default_factory=dict)
    """The last ``copyprotection`` and ``registration`` line, by its first word."""

    def option(self, name: str) -> Option | None:
        """The option of this name, in any case."""
        found = (each for _, each in self.options if each is not None)
        return next((each for each in found if each.name.casefold() == name.casefold()), None)

    def id(self, key: str) -> str:
        """Its first ``id KEY``."""
        return next(iter(self.ids.get(key, ())), "")


class Context:
    """One step with one running engine."""

    def __init__(self, engine: Engine, profile: EngineProfile, dialect: str, clause: str) -> None:
        self.engine = engine
        self.profile = profile
        self.findings: list[Finding] = []
        self.clause = clause
        self.skipped = ""
        self._dialect = DIALECTS[dialect](Role.SERVER)
        self._search: SearchRecord | None = None
        engine.begin()

    @property
    def row(self) -> Row:
        """The dialect's table row; UTI has none."""
        assert isinstance(self._dialect, Row)
        return self._dialect

    @property
    def hello(self) -> str:
        """The dialect's greeting."""
        return self.row.hello if isinstance(self._dialect, Row) else "uti"

    # Findings

    def find(
        self,
        severity: Severity,
        text: str,
        advice: str,
        exchange: Exchange | None = None,
    ) -> None:
        """Add a finding, by default with the exchange so far."""
        shown = tuple(self.engine.exchange if exchange is None else exchange)
        self.findings.append(Finding(severity, text, advice, self.clause, shown))

    def fault(self, text: str, advice: str, exchange: Exchange | None = None) -> None:
        self.find(Severity.FAULT, text, advice, exchange)

    def warn(self, text: str, advice: str, exchange: Exchange | None = None) -> None:
        self.find(Severity.WARNING, text, advice, exchange)

    def note(self, text: str, advice: str, exchange: Exchange | None = None) -> None:
        self.find(Severity.NOTE, text, advice, exchange)

    # Conversation

    def say(self, *lines: str) -> None:
        self.engine.say(*lines)

    async def until(
        self, word: str, seconds: float | None = None, after: str = ""
    ) -> TranscriptLine:
        """The next line that begins with this word; others are noted. Raises as `Engine.until`."""
        awaited = f"{word} after {after}" if after else word
        return await self.engine.until(
            lambda line: line.split()[:1] == [word], awaited, seconds, self.record
        )

    async def next(self, awaited: str) -> str:
        """The next line, whatever it is. Raises as `Engine.next`."""
        return (await self.engine.next(awaited)).text

    async def ready(self) -> None:
        """``isready``, until ``readyok``."""
        self.say("isready")
        await self.until("readyok", after="isready")

    async def quiet(self, seconds: float) -> None:
        """Listen for so many s, or until the search has been answered."""
        with trio.move_on_after(seconds):
            line = await self.engine.until(
                lambda said: said.split()[:1] == ["bestmove"], "silence", math.inf, self.record
            )
            self.record(line)

    # Searching

    def start(self, start: Start, go: Go | str) -> SearchRecord:
        """``position`` and ``go``, without waiting."""
        self.send_position(start)
        return self.go(start, go)

    def send_position(self, start: Start) -> None:
        """``position``."""
        self.say(self.row.write(Said(start.fen, start.moves)))

    def go(self, start: Start, go: Go | str) -> SearchRecord:
        """``go`` on the last position, without waiting."""
        self.say(go if isinstance(go, str) else self.row.write(go))
        search = SearchRecord(start, self.engine.exchange[-2:])
        self._search = search
        if len(self.profile.searches) < MOST_SEARCHES:
            self.profile.searches.append(search)
        return search

    async def best(
        self, search: SearchRecord, after: str = "", seconds: float | None = None
    ) -> None:
        """Wait for ``bestmove`` and judge it. Raises as `Engine.until`."""
        if search.best is None:
            since = self.engine.exchange[-1].at
            asked = after or " ".join(search.asked[-1].text.split())
            line = await self.until("bestmove", seconds, after=asked)
            self.record(line)
            search.spent = line.at - since
        self.judge(search)

    async def search(
        self, start: Start, go: Go | str, seconds: float | None = None
    ) -> SearchRecord:
        """``position``, ``go``, and ``bestmove``, judged. Raises as `Engine.until`; answering only
        after ``stop`` is a fault, but the engine remains usable."""
        search = self.start(start, go)
        try:
            await self.best(search, seconds=seconds)
        except Silent as silent:
            asked = " ".join(search.asked[-1].text.split())
            self.say("stop")
            try:
                await self.best(search, after="stop")
            except (Silent, EngineEnded):
                raise silent from None
            self.fault(
                f"{silent}, only after stop",
                f"Let the limit in `{asked}` end the search.",
            )
        return search

    def judge(self, search: SearchRecord) -> None:
        """Check that the move is legal, and the ponder move after it."""
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

    # Lines that no step waits for

    def record(self, line: TranscriptLine) -> None:
        """Note a line for the steps that judge the whole conversation."""
        verb = (line.text.split() or [""])[0]
        hear = _HEARD.get(verb)
        if hear is not None:
            hear(self, line)
        elif verb not in self._known():
            self.profile.unknown_lines.append(line)

    def _known(self) -> frozenset[str]:
        return KNOWN | {self.row.hello_ok} if isinstance(self._dialect, Row) else KNOWN

    def _hear_id(self, line: TranscriptLine) -> None:
        said = self._read(line)
        if isinstance(said, Id):
            self.profile.ids.setdefault(said.key, []).append(said.value)

    def _hear_option(self, line: TranscriptLine) -> None:
        said = self._read(line)
        self.profile.options.append((line, said if isinstance(said, Option) else None))

    def _hear_state(self, line: TranscriptLine) -> None:
        verb, *words = line.text.split()
        self.profile.states[verb] = line
        if verb == "registration" and words == ["error"] and not self.engine.registered:
            # Once: the engine may answer each attempt with the same error (UCI 2004, registration).
            self.engine.registered = True
            self.say("register later")

    def _hear_info(self, line: TranscriptLine) -> None:
        if self._search is not None and len(self._search.heard) < MOST_LINES:
            self._search.heard.append(line)

    def _hear_bestmove(self, line: TranscriptLine) -> None:
        search, self._search = self._search, None
        if search is None:
            self.profile.unexpected.append(self.engine.exchange[-8:])
            return
        search.best = line
        said = self._read(line)
        if isinstance(said, BestMove):
            search.move, search.ponder = said.move, said.ponder
        else:
            self.fault("bestmove has no move", "Write `bestmove` and the move, or 0000 for none.")

    def _read(self, line: TranscriptLine) -> object:
        try:
            return self.row.read_untrusted(line.text, Role.SERVER)
        except RemoteProtocolError:
            return None


KNOWN = frozenset(
    ("id", "option", "readyok", "info", "bestmove", "copyprotection", "registration", "response")
)

_HEARD: Mapping[str, Callable[[Context, TranscriptLine], None]] = {
    "id": Context._hear_id,
    "option": Context._hear_option,
    "info": Context._hear_info,
    "bestmove": Context._hear_bestmove,
    "copyprotection": Context._hear_state,
    "registration": Context._hear_state,
}
