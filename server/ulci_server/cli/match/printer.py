"""Which lines are due when: at a game's start and end, after so many games, and at the end."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ulci.rules import Outcome
from ulci_server.storage.export import ended
from ulci_server.tournament import Progress, ScheduledGame

from . import lines, report
from .faults import Fault, fault
from .report import Setting
from .settings import MatchSettings, Style


@dataclass(slots=True)
class Printer:
    """Makes the lines of a match. `progress` hears of a game's end before the printer does.
    `settings` are those of the engines, by their places; `faults` are counted by their names."""

    match: MatchSettings
    progress: Progress
    settings: list[Setting] = field(init=False)
    faults: dict[str, dict[Fault, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.settings = [Setting.of(each, {}) for each in self.match.entrants]
        self.faults = {}

    @property
    def names(self) -> list[str]:
        """Of the engines, by their places."""
        return [each.name for each in self.match.entrants]

    def introduced(self, engine: int, options: Mapping[str, str]) -> None:
        """What an engine's options are, now that they are set."""
        self.settings[engine] = Setting.of(self.match.entrants[engine], options)

    def started(self, game: ScheduledGame) -> list[str]:
        total = self.match.schedule.total
        return [lines.started(game.number, total, *self._players(game))]

    def recall(self, game: ScheduledGame, outcome: Outcome, detail: str = "") -> None:
        """A game that ended before a restart: only its faults count."""
        if (found := fault(outcome, detail)) is not None:
            side, what = found
            counted = self.faults.setdefault(self._players(game)[side], dict.fromkeys(Fault, 0))
            counted[what] += 1

    def ended(
        self, game: ScheduledGame, outcome: Outcome, detail: str = "", overrun: int | None = None
    ) -> list[str]:
        """A game is over, or will be played again if it has no result. detail: the evidence in the
        record; overrun: ms beyond the clock, if that is why."""
        self.recall(game, outcome, detail)
        why = ended(outcome, detail, overrun)
        said = [lines.finished(game.number, *self._players(game), outcome.score, why)]
        if not self.progress.is_finished(game.number):
            return said
        if self._score_is_due():
            said += self._score(game.encounter)
        if self._report_is_due(game.number):
            said += self._report(game.encounter)
        return said + self._decision()

    def result(self) -> list[str]:
        """Of a match that was over before this run."""
        return [*self._report((0, 1)), *self._decision()]

    def closed(self, seconds: float, *, interrupted: bool = False) -> list[str]:
        """The match is over after so long, or goes on another time."""
        return [
            *self._faults(),
            *([lines.INTERRUPTED] if interrupted else []),
            lines.FINISHED,
            lines.total_time(seconds),
        ]

    def _players(self, game: ScheduledGame) -> tuple[str, str]:
        return self.names[game.white], self.names[game.black]

    # What is due

    def _score_is_due(self) -> bool:
        if self.match.style is not Style.CUTECHESS:
            return False
        interval, finished = self.match.score_interval, self.progress.finished
        return self.progress.is_over or bool(interval and finished % interval == 0)

    def _report_is_due(self, number: int) -> bool:
        progress, interval = self.progress, self.match.rating_interval
        if progress.is_over:
            return True
        if not interval or (progress.by_pairs and not progress.is_complete(number)):
            return False
        return (progress.pairs if progress.by_pairs else progress.finished) % interval == 0

    # What it is

    def _score(self, encounter: tuple[int, int]) -> list[str]:
        first, second = encounter
        tally = self.progress.tally(first, second)
        return [report.cutechess_score(self.names[first], self.names[second], tally)]

    def _report(self, encounter: tuple[int, int]) -> list[str]:
        figures = [*self._figures(encounter), *self._test(encounter)]
        if self.match.style is Style.CUTECHESS:
            return figures
        return [report.RULE, *figures, report.RULE]

    def _figures(self, encounter: tuple[int, int]) -> list[str]:
        by_pairs, cutechess = self.progress.by_pairs, self.match.style is Style.CUTECHESS
        if len(self.names) > 2:
            tallies = {name: self.progress.tally_of(at) for at, name in enumerate(self.names)}
            return report.ranks(tallies, by_pairs=by_pairs, penta=not cutechess)
        first, second = encounter
        tally = self.progress.tally(first, second)
        if cutechess:
            return [report.cutechess_figures(tally)]
        names, settings = (self.names[first], self.names[second]), self.settings
        book = None if self.match.book is None else self.match.book.path
        head = report.matchup(names, (settings[first], settings[second]), book)
        return [head, *report.figures(tally, by_pairs=by_pairs)]

    def _test(self, encounter: tuple[int, int]) -> list[str]:
        if self.progress.sprt is None:
            return []
        told = report.cutechess_test if self.match.style is Style.CUTECHESS else report.test
        return [told(self.progress.sprt, self.progress.llr(*encounter))]

    def _decision(self) -> list[str]:
        sprt, accepted = self.progress.sprt, self.progress.accepted
        if sprt is None or accepted is None:
            return []
        if self.match.style is Style.CUTECHESS:
            return ["Tournament finished"]
        return [report.decided(sprt, accepted)]

    def _faults(self) -> Iterable[str]:
        if not self.faults or self.match.style is Style.CUTECHESS:
            return
        yield ""
        for name, counted in self.faults.items():
            yield f"Player: {name}"
            yield from (f"  {what.value}: {counted[what]}" for what in Fault)
        yield ""
