"""Plays a match as a command line asks for it, and prints what happens."""

import os
import platform
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import trio

from ulci.engines.process import EngineProcess
from ulci.engines.settings import EngineSettings
from ulci.net import Address
from ulci.rules import GAMES, Outcome, Reason
from ulci_server.app import Shutdown
from ulci_server.app.matching import MatchPlan, play_match
from ulci_server.game import Conduct
from ulci_server.lobby import PoolRules
from ulci_server.match import MatchEngine, Past
from ulci_server.openings import Book, Opening, draw_opening
from ulci_server.storage import Database, GameRecord, MoveRecord
from ulci_server.tournament import Progress, ScheduledGame

from . import lines
from .book import open_match_book
from .engine_watch import EngineWatch
from .files import GameFiles
from .identity import identity
from .match_log import MatchLog
from .printer import Printer
from .screen import Screen
from .settings import Entrant, MatchSettings
from .status import status

CONDUCT = Conduct(abort=False, takeback=False, givetime=False, rematch=False, forfeit=True)
"""A player that does not come, does not answer or leaves has lost, from the first move on."""

SEEDS = 2**32
"""A seed is drawn from so many."""

SEEDS_OF_DATABASE = 2**63
"""Databases keep integers of 64 bits with a sign; seeds of the command line have none."""


class MatchRun:
    """One run of a match."""

    def __init__(self, match: MatchSettings, screen: Screen, log: MatchLog | None = None) -> None:
        self._match = match
        self._screen = screen
        self._say = screen.say
        self._began = 0.0
        self._before = 0  # games of earlier runs
        self._progress = Progress(match.schedule, match.sprt, by_pairs=match.by_pairs)
        self._printer = Printer(match, self._progress)
        self._book: Book | None = None
        self._seed = 0
        self._said: set[str] = set()
        self._failure = ""
        self._files: GameFiles | None = None
        self._watch = EngineWatch(match, log)
        self.opened = self._watch.opened
        self.played = self._watch.played

    async def play(self, shutdown: Shutdown) -> int:
        """Until it is over, or `shutdown` is asked for. Returns the exit code.

        Raises:
            MatchError: it cannot be played, or cannot go on.
        """
        self._began = trio.current_time()
        match = self._match
        plan = MatchPlan(
            settings=identity(match),
            seed=seed_of(match),
            database=f"sqlite:///{match.database}",
            game=match.game,
            engines=[_engine(match, entrant) for entrant in match.entrants],
            rules=PoolRules(adjudication=match.adjudication, conduct=CONDUCT),
            draw=self._draw,
            boards=match.concurrency,
            ready=match.new_game_ms / 1000,
            answer=match.ping_ms / 1000,
            wait=match.wait / 1000,
            listen=_addresses(match),
            processors=_processors(match),
        )
        if (tables := match.tablebases) is not None:
            plan = replace(plan, tablebases=tables.folders, tablebase_rules=tables.rules)
        try:
            is_over = await play_match(
                plan, self._progress, self, self._recalled, shutdown, self._listening
            )
        finally:
            self._close_files()
        self._screen.show("")
        if self._failure:
            self._say_once(self._failure)
        self._say_all(self._watch.latencies())
        interrupted = not is_over and not self._failure
        self._say_all(self._printer.closed(self._seconds, interrupted=interrupted))
        return 0 if is_over and not self._failure else 1

    @property
    def _seconds(self) -> float:
        """How long it has run."""
        return trio.current_time() - self._began

    def _close_files(self) -> None:
        if self._files is None:
            return
        self._files.close()
        if self._match.checksum and (found := self._files.checksum()) is not None:
            self._say(lines.checksum(*found))

    def _show_status(self) -> None:
        self._screen.show(status(self._progress, self._seconds, self._before))

    def _listening(self, addresses: Sequence[Address]) -> None:
        for address in addresses:
            host = platform.node() if address.host == ANY else address.host
            if address.scheme != "tcp":
                self._say(lines.page(host, address.port))
                continue
            for entrant in self._match.entrants:
                if entrant.remote:
                    self._say(lines.waiting_for(entrant.remote, host, address.port))

    async def _recalled(self, past: Past, database: Database) -> None:
        """What earlier runs have played."""
        self._seed = past.kept.seed
        counted = []
        for number, game in past.ended:
            assert game.outcome is not None
            if self._progress.finish(number, game.result):
                counted.append((number, game))
            self._printer.recall(self._match.schedule.game(number), game.outcome, game.detail)
        if self._match.book is not None and not self._progress.is_over:
            file = replace(self._match.book, seed=self._seed)
            rules = GAMES[self._match.game]
            self._book = await open_match_book(file, rules, past, database)
        await trio.to_thread.run_sync(self._open_files, past, counted, database)
        self._before = self._progress.finished
        if past.ended:
            self._say(lines.played_before(self._before, self._match.database))
        if self._progress.is_over:
            self._say_all(self._printer.result())

    def _open_files(
        self, past: Past, counted: Sequence[tuple[int, GameRecord]], database: Database
    ) -> None:
        self._files = files = GameFiles(self._match, past.kept, database)
        for number, game in counted:
            if files.lack(game):
                pair = self._match.schedule.game(number).pair
                files.add(game, database.games.moves(game.id), pair)

    async def _draw(self, number: int) -> Opening:
        if self._book is not None:
            drawn = await draw_opening(self._book, number)
            for skipped in drawn.skipped:
                self._say_once(lines.bad_entry(skipped.book, skipped.line, skipped.why))
            return drawn.opening
        starts = GAMES[self._match.game].starts
        return Opening(starts[(self._seed + number) % len(starts)])

    # What happens

    def introduced(self, engine: int, process: EngineProcess, left_out: Sequence[str]) -> bool:
        name = self._match.entrants[engine].name
        for text in left_out:
            option, _, value = text.partition("=")
            missing = process.options.get(option.strip()) is None
            line = lines.no_option(name, option) if missing else lines.invalid_value(option, value)
            self._warn(line)
        values = {option.name: option.default or "" for option in process.options}
        values |= {each.name: each.value or "" for each in process.fixed.values()}
        self._printer.introduced(engine, values)
        return not self._failure

    def noticed(self, engine: int, text: str) -> bool:  # noqa: ARG002 - the text names it
        self._warn(f"Warning; {text}")
        return not self._failure

    def started(self, game: ScheduledGame) -> None:
        self._say_all(self._printer.started(game))
        self._show_status()

    def ended(self, game: ScheduledGame, outcome: Outcome, detail: str) -> bool:
        names = self._printer.names
        crashed = outcome.reason is Reason.DISCONNECT and outcome.winner is not None
        if outcome.reason is Reason.ILLEGAL_MOVE and outcome.winner is not None:
            loser = (game.white, game.black)[outcome.winner.other]
            self._say(lines.illegal_move(names[loser], _quoted(detail)))
        self._say_all(self._printer.ended(game, outcome, detail))
        self._show_status()
        if not self._progress.is_finished(game.number):
            self._watch.ended_uncounted(game)
        if crashed and not self._match.recover:
            self._failure = self._failure or lines.no_recovery(game.number)
        return not self._failure

    def recorded(
        self, game: ScheduledGame, record: GameRecord, moves: Sequence[MoveRecord]
    ) -> None:
        """Runs in a worker thread, one game after the other."""
        assert self._files is not None
        seen = self._watch.recorded(game, record, moves)
        if why := self._files.add(record, seen.moves, game.pair, seen.quoted):
            trio.from_thread.run_sync(self._say, f"Warning; {why}")
        between = " :: " if self._match.test_environment else "\n"
        for warning in seen.warnings:
            trio.from_thread.run_sync(self._warn, between.join(warning))

    def _warn(self, line: str) -> None:
        self._say_once(line)
        if self._match.strict:
            self._failure = self._failure or line

    def _say_once(self, line: str) -> None:
        """What an engine does wrong, each of its processes does."""
        if line not in self._said:
            self._said.add(line)
            self._say(line)

    def _say_all(self, said: Sequence[str]) -> None:
        for line in said:
            self._say(line)


REMOTE = "tcp://*:0"
"""Where engines from elsewhere come in: at any port, which is printed."""

ANY = "*"
"""The host of an address at every interface."""

PAGE = "ws://127.0.0.1:25566"


def _addresses(match: MatchSettings) -> list[str]:
    remote = any(entrant.remote for entrant in match.entrants)
    page = [] if match.web is None else [match.web or PAGE]
    return [*([REMOTE] if remote else []), *page]


def seed_of(match: MatchSettings) -> int:
    """The seed of a match that begins now."""
    return secrets.randbelow(SEEDS) if match.seed is None else match.seed % SEEDS_OF_DATABASE


def _engine(match: MatchSettings, entrant: Entrant) -> MatchEngine:
    """Raises `MatchError`: there is no such program."""
    if entrant.remote:
        return MatchEngine(
            entrant.name, None, entrant.control, margin=entrant.margin, remote=entrant.remote
        )
    settings = EngineSettings(
        entrant.argv(Path.is_file),
        cwd=entrant.folder,
        options=entrant.options,
        ponder=entrant.ponder,
        start=match.startup_ms / 1000,
        ping=match.ping_ms / 1000,
        dialect=entrant.dialect,
    )
    return MatchEngine(
        entrant.name, settings, entrant.control, entrant.restart, margin=entrant.margin
    )


def _processors(match: MatchSettings) -> Sequence[int]:
    """Of its engines; none where it does not matter."""
    if match.affinity is None:
        return ()
    return match.affinity or sorted(os.sched_getaffinity(0))


def _quoted(detail: str) -> str:
    """The move in the evidence of an illegal one."""
    return detail.split("'")[1] if detail.count("'") > 1 else ""


async def play(match: MatchSettings, screen: Screen, log: MatchLog | None) -> int:
    """Play until it is over, or a signal interrupts it. Returns the exit code.

    Raises:
        MatchError, StorageError, OtherMatchError, BookError, TablebaseError: it cannot be played.
    """
    for note in match.notes:
        screen.say(note)
    shutdown = Shutdown()
    async with trio.open_nursery() as nursery:
        await nursery.start(shutdown.ask_at_signals)
        code = await MatchRun(match, screen, log).play(shutdown)
        nursery.cancel_scope.cancel()
    return code
