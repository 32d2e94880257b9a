"""What a match sees of its engines goes into its log, its files and its warnings."""

from pathlib import Path

import pytest

from tests.support.facts import NOON, analysed, played, record_of, started
from tests.support.memory_peers import MemoryPeer
from ulci.net import Limits
from ulci.protocol import UCI, Connection, Role, TextCodec
from ulci.protocol.messages import Hello
from ulci.rules import Side
from ulci_server.cli.match import MatchSettings, line_patterns, match_log, parse
from ulci_server.cli.match.engine_watch import EngineWatch
from ulci_server.cli.match.match_log import MatchLog
from ulci_server.storage import MoveRecord
from ulci_server.tournament import ScheduledGame

WORDS = "-engine cmd=a -engine cmd=b -each tc=10+0.1 -show-latency"


class Process(MemoryPeer):
    """A process that says nothing by itself."""

    __slots__ = ()

    pid = 4711

    def __init__(self) -> None:
        connection = Connection(Role.SERVER, TextCodec(), UCI)
        super().__init__(connection, label="a (process 4711)", limits=Limits())


def match(*more: str) -> MatchSettings:
    asked = parse([*WORDS.split(), *more], 8)
    assert isinstance(asked, MatchSettings)
    return asked


def due(settings: MatchSettings, number: int) -> ScheduledGame:
    return settings.schedule.game(number)


def test_latency_is_that_of_the_engine_that_moved() -> None:
    settings = match()
    watch = EngineWatch(settings, None)
    for game in (1, 2):
        for ply, side in enumerate(Side):
            move = played(game, ply, "e2e4", side=side, spent=100 * game, info=analysed(time=90))
            watch.played(due(settings, game), move)
    watch.played(due(settings, 1), played(1, 3, "e2e4"))
    assert watch.latencies() == [
        "Latency of a: 60.0 ms on average, 110 ms at most (2 moves)",
        "Latency of b: 60.0 ms on average, 110 ms at most (2 moves)",
    ]


def test_latency_is_not_told_unless_it_is_asked_for() -> None:
    settings = match()
    assert EngineWatch(settings, None).latencies() == []
    asked = parse(WORDS.replace(" -show-latency", "").split(), 8)
    assert isinstance(asked, MatchSettings)
    watch = EngineWatch(asked, None)
    watch.played(due(asked, 1), played(1, 1, "e2e4", info=analysed()))
    assert watch.latencies() == []


def test_a_game_is_completed_quoted_and_checked() -> None:
    settings = match("-pgnout", "match_line=eval")
    watch = EngineWatch(settings, None)
    process = Process()
    watch.opened(0, process)  # type: ignore[arg-type]
    process.remark("game", "white", 7)
    process.connection.codec.receive_data(b"info string eval 4\n")
    info = analysed(hashfull=9, pv=("a1a1",))
    watch.played(due(settings, 1), played(7, 1, "e2e4", side=Side.WHITE, info=info))
    record = record_of(started(7))
    stored = MoveRecord(7, 1, Side.WHITE, "e2e4", 10, None, analysed(pv=("a1a1",)), at=NOON)
    seen = watch.recorded(due(settings, 1), record, [stored])
    assert [move.info for move in seen.moves] == [info]
    assert seen.quoted == {1: ["info string eval 4"]}
    assert [doubt[0] for doubt in seen.warnings] == ["Warning; Illegal PV move - move a1a1 from a"]


def test_the_log_has_what_engines_say_and_hear_and_how_late_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "match.log"
    settings = match("-log", f"file={path}", "engine=true", "level=trace")
    assert settings.log is not None
    monkeypatch.setattr(match_log, "LAST_WRITE", 60.0)  # a disk of a busy machine may be slow
    log = MatchLog(settings.log, lambda why: None)
    watch = EngineWatch(settings, log)
    process = Process()
    watch.opened(0, process)  # type: ignore[arg-type]
    process.put(Hello())
    process.connection.codec.receive_data(b"id name Some\n")
    watch.played(due(settings, 1), played(1, 0, "e2e4", spent=95, info=analysed(time=90)))
    log.close()
    said = [line.partition("> ")[2] for line in path.read_text().splitlines()]
    assert said == [
        "ulci-server --- Started engine a: a (process 4711)",
        " a <--- uci",
        " a ---> id name Some",
        "ulci-server --- Engine a latency: 5ms",
    ]


def test_without_a_reason_nobody_listens_to_an_engine() -> None:
    process = Process()
    codec = process.connection.codec
    EngineWatch(match(), None).opened(0, process)  # type: ignore[arg-type]
    assert process.connection.codec is codec


def test_a_pattern_that_takes_too_long_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_patterns, "MOST_SECONDS", 0.0)
    settings = match("-pgnout", "match_line=eval")
    watch = EngineWatch(settings, None)
    process = Process()
    watch.opened(0, process)  # type: ignore[arg-type]
    process.remark("game", "white", 7)
    record = record_of(started(7))
    told = []
    for _ in range(2):
        process.connection.codec.receive_data(b"info string eval 4\n")
        watch.played(due(settings, 1), played(7, 1, "e2e4", side=Side.WHITE))
        told += watch.recorded(due(settings, 1), record, []).warnings
    slow = "Warning; match_line=eval takes too long and is not searched for any more"
    assert told == [(slow,)]
