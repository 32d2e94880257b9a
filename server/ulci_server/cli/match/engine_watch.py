"""What a match sees of its engines beside their moves: for its log, its files and its warnings."""

from collections.abc import Sequence
from typing import NamedTuple

from ulci.net import ProcessPeer
from ulci.wire_log import Event, Note, listen
from ulci_server.game import MovePlayed
from ulci_server.match import SearchOutput
from ulci_server.storage import GameRecord, MoveRecord
from ulci_server.storage.export import QuotedLines
from ulci_server.tournament import ScheduledGame

from . import lines
from .analyses import Analyses, completed
from .latency import Latency, latency
from .match_log import MatchLog
from .settings import MatchSettings
from .variations import doubts


class Seen(NamedTuple):
    """Of a game. moves: of the record, with their whole analyses. quoted: lines that its engines
    said. warnings: what is wrong with their variations or with the user's patterns, each as some
    lines."""

    moves: Sequence[MoveRecord]
    quoted: QuotedLines
    warnings: Sequence[Sequence[str]]


class EngineWatch:
    """Of one run of a match. log: None for none."""

    def __init__(self, match: MatchSettings, log: MatchLog | None) -> None:
        self._match = match
        self._log = log
        self._names = [each.name for each in match.entrants]
        self._analyses = Analyses(match)
        self._latencies = [Latency() for _ in match.entrants]

    def opened(self, engine: int, peer: ProcessPeer) -> None:
        """A process of that engine has been started, and has not answered yet."""
        notes: list[Note | SearchOutput] = []
        if self._log is not None:
            self._log.tell("trace", f"Started engine {self._names[engine]}: {peer.label}")
            if self._match.log is not None and self._match.log.engine:
                notes.append(self._log.listener(self._names[engine], peer.pid))
        if self._analyses.wants_output:
            notes.append(self._analyses.listener())
        if notes:

            def note(event: Event, text: str | bytes = "", game: int = 0) -> None:
                for each in notes:
                    each(event, text, game)

            listen(peer, note)

    def played(self, game: ScheduledGame, move: MovePlayed) -> None:
        """A move of a running game."""
        self._analyses.played(game.number, move)
        if not self._match.show_latency or (late := latency(move)) is None:
            return
        engine = (game.white, game.black)[move.side]
        self._latencies[engine].add(late)
        if self._log is not None:
            self._log.tell("info", lines.latency_of_move(self._names[engine], late))

    def ended_uncounted(self, game: ScheduledGame) -> None:
        """A game is over that will not be `recorded`."""
        self._analyses.drop(game.number)

    def recorded(
        self, game: ScheduledGame, record: GameRecord, moves: Sequence[MoveRecord]
    ) -> Seen:
        """What was seen of a game that is in the record, once. May be called in another thread,
        for one game after the other: it takes seconds where engines have printed much."""
        slow = len(self._analyses.slow)
        said = self._analyses.take(game.number)
        whole = completed(moves, said)
        names = self._names[game.white], self._names[game.black]
        quoted = {ply: each.quoted for ply, each in said.items() if each.quoted}
        warnings = [(lines.slow_pattern(text),) for text in self._analyses.slow[slow:]]
        return Seen(whole, quoted, [*warnings, *doubts(record, whole, said, names)])

    def latencies(self) -> list[str]:
        """A line for each engine, if that was asked for."""
        return [
            lines.latency(name, each.average, each.most, each.moves)
            for name, each in zip(self._names, self._latencies, strict=True)
            if each.moves
        ]
