"""A tournament runs by itself: pairings are stored, games begin, and policies hold."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from tests.conftest import ErrorLog
from tests.support.servers import until
from ulci.rules import Reason
from ulci_server.hall.tournament.director import NOT_PAIRED
from ulci_server.hall.tournament.pairing_process import PairingFailedError
from ulci_server.storage import EntrantRecord, PairingRecord, TournamentState

from .conftest import Evening

FOUR = "Ada", "Bob", "Cyd", "Dan"


async def test_a_round_robin_is_played_to_its_end(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create('format = "roundrobin"\ngames = 2', *FOUR)
    evening.come(*FOUR)
    await evening.play_on()
    stored = evening.stored()
    assert stored.record.state is TournamentState.FINISHED
    assert len(stored.pairings) == 12
    assert {row.score for row in stored.pairings} == {None}
    met = [frozenset(pair) for pair in evening.lobby.begun]
    assert all(met.count(pair) == 2 for pair in met)
    assert len({*evening.lobby.begun}) == 12, "each had White once against each other"
    assert [type(one.line).__name__ for one in evening.lobby.announced] == ["TournamentOver"]


async def test_nothing_begins_before_it_is_started(
    autojump_clock: MockClock, evening: Evening
) -> None:
    number = evening.create('format = "roundrobin"', *FOUR, start=False)
    evening.come(*FOUR)
    await trio.sleep(10)
    assert evening.on == []
    evening.store.change(number, evening.now(), state=TournamentState.RUNNING)
    await trio.sleep(2)
    assert len(evening.on) == 2


async def test_it_begins_by_its_timetable(autojump_clock: MockClock, evening: Evening) -> None:
    evening.create('format = "roundrobin"\nschedule = "2026-11-20 12:30"', *FOUR, start=False)
    evening.come(*FOUR)
    await trio.sleep(29 * 60)
    assert evening.on == []
    await trio.sleep(2 * 60)
    assert len(evening.on) == 2


async def test_no_more_games_begin_than_are_allowed_at_once(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create('format = "roundrobin"\nconcurrency = 1', *FOUR)
    evening.come(*FOUR)
    await trio.sleep(2)
    assert len(evening.on) == 1


async def test_nobody_plays_two_games_at_one_board(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create('format = "gauntlet"\ngames = 1', *FOUR)
    evening.come(*FOUR)
    await trio.sleep(2)
    assert len(evening.on) == 1, "the seed plays"


async def test_another_server_goes_on_with_it(autojump_clock: MockClock, evening: Evening) -> None:
    evening.create('format = "roundrobin"\ngames = 1\nconcurrency = 2', *FOUR)
    evening.come(*FOUR)
    await trio.sleep(2)
    evening.end(1)
    evening.host.end()
    await trio.sleep(1)
    evening.serve()
    await evening.play_on()
    stored = evening.stored()
    assert stored.record.state is TournamentState.FINISHED
    assert len(stored.pairings) == len(stored.games) == 6


async def test_a_game_that_ended_while_no_server_ran_counts(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create('format = "roundrobin"\ngames = 1', "Ada", "Bob")
    evening.come("Ada", "Bob")
    await trio.sleep(2)
    evening.host.end()
    await trio.sleep(1)
    evening.end(1, "0-1")
    evening.serve()
    await trio.sleep(10)
    assert evening.stored().record.state is TournamentState.FINISHED


async def test_a_game_without_a_result_is_played_again_with_its_pair(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create('format = "roundrobin"\ngames = 2', "Ada", "Bob")
    evening.come("Ada", "Bob")
    await trio.sleep(2)
    evening.end(1, "1-0")
    await trio.sleep(2)
    evening.end(2, "*")
    await evening.play_on()
    rows = evening.stored().pairings
    assert [row.void for row in rows] == [True, True, False, False]
    assert "has no result (server)" in rows[0].why
    assert {(row.round, row.opening) for row in rows} == {(1, 0)}
    assert evening.stored().record.state is TournamentState.FINISHED


async def test_who_comes_late_pays_for_it(autojump_clock: MockClock, evening: Evening) -> None:
    evening.create('format = "roundrobin"\ngames = 1\nlate = 50', "Ada", "Bob")
    evening.come("Ada")
    await trio.sleep(22)
    assert evening.on == []
    evening.come("Bob")
    await trio.sleep(1)
    ((white, black, agreement),) = evening.lobby.games.values()
    late = agreement.control.white if white == "Bob" else agreement.control.black
    other = agreement.control.black if white == "Bob" else agreement.control.white
    assert {white, black} == {"Ada", "Bob"}
    assert str(other) == "60+1"
    assert 38_000 <= late.stages[0].base <= 41_000


async def test_who_does_not_come_loses(autojump_clock: MockClock, evening: Evening) -> None:
    evening.create('format = "roundrobin"\ngames = 1\nlate = 50', "Ada", "Bob")
    evening.come("Ada")
    await trio.sleep(70)
    (row,) = evening.stored().pairings
    assert row.score == ("0-1" if row.white == 2 else "1-0")
    assert row.why == "Bob did not come within 50 s"
    assert evening.stored().record.state is TournamentState.FINISHED


async def test_both_lose_if_neither_comes(autojump_clock: MockClock, evening: Evening) -> None:
    evening.create('format = "roundrobin"\ngames = 1\nlate = 50', "Ada", "Bob")
    await trio.sleep(70)
    (row,) = evening.stored().pairings
    assert (row.score, row.why) == ("0-0", "Ada and Bob did not come within 50 s")


async def test_who_is_absent_twice_is_out(autojump_clock: MockClock, evening: Evening) -> None:
    settings = 'format = "roundrobin"\ngames = 1\nlate = 20\nabsences = 2\nconcurrency = 1'
    evening.create(settings, *FOUR)
    evening.come("Ada", "Bob", "Cyd")
    for _ in range(6):
        await evening.play_on()
        await trio.sleep(25)
    stored = evening.stored()
    dan = stored.entrants[3]
    assert dan.left is not None
    assert dan.why == "it lost 2 games by absence"
    reasons = [row.why for row in stored.pairings if 4 in (row.white, row.black)]
    assert sorted(reasons) == ["Dan did not come within 20 s"] * 2 + ["Dan had left"]
    assert stored.record.state is TournamentState.FINISHED


async def test_who_loses_three_games_in_a_row_by_its_connection_is_suspended(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create('format = "sprt"\nsprt = { elo0 = 0.0, elo1 = 5.0 }\nrounds = 9', "Ada", "Bob")
    evening.come("Ada", "Bob")
    for _ in range(3):
        await trio.sleep(2)
        ((number, (white, _black, _)),) = evening.lobby.games.items()
        evening.end(number, "0-1" if white == "Bob" else "1-0", Reason.DISCONNECT)
    await trio.sleep(2)
    assert evening.on == []
    assert evening.stored().entrants[1].why == "it lost 3 games in a row by its connection"
    assert "Withdrawn" in evening.heard("Bob")


async def test_a_paused_one_begins_no_game_and_goes_on_later(
    autojump_clock: MockClock, evening: Evening
) -> None:
    number = evening.create('format = "roundrobin"\nconcurrency = 1', *FOUR)
    evening.come(*FOUR)
    await trio.sleep(2)
    evening.store.change(number, evening.now(), state=TournamentState.PAUSED)
    await trio.sleep(2)
    evening.end(1)
    await trio.sleep(10)
    assert evening.on == []
    evening.store.change(number, evening.now(), state=TournamentState.RUNNING)
    await evening.play_on()
    assert evening.stored().record.state is TournamentState.FINISHED


async def test_a_stopped_one_lets_its_games_end(
    autojump_clock: MockClock, evening: Evening
) -> None:
    number = evening.create('format = "roundrobin"\nconcurrency = 1', *FOUR)
    evening.come(*FOUR)
    await trio.sleep(2)
    evening.store.change(number, evening.now(), state=TournamentState.STOPPED)
    await trio.sleep(2)
    assert "cup" in evening.host.directors
    evening.end(1)
    await trio.sleep(10)
    assert evening.on == []
    assert "cup" not in evening.host.directors


async def test_rounds_that_are_begun_by_hand_wait_for_it(
    autojump_clock: MockClock, evening: Evening
) -> None:
    number = evening.create('format = "roundrobin"\ngames = 1\nby_hand = true', *FOUR)
    evening.come(*FOUR)
    await evening.play_on()
    assert {row.round for row in evening.stored().pairings} == {1}
    evening.store.change(number, evening.now(), allowed_round=2)
    await evening.play_on()
    assert {row.round for row in evening.stored().pairings} == {1, 2}


async def test_what_is_played_again_needs_no_hand(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create('format = "roundrobin"\ngames = 1\nby_hand = true', "Ada", "Bob")
    evening.come("Ada", "Bob")
    await trio.sleep(2)
    evening.end(1, "*")
    await trio.sleep(3)
    assert len(evening.on) == 1


async def test_a_directors_correction_counts(autojump_clock: MockClock, evening: Evening) -> None:
    number = evening.create('format = "roundrobin"\ngames = 1\nby_hand = true', *FOUR)
    evening.come(*FOUR)
    await evening.play_on(lambda _: "1/2-1/2")
    row = evening.stored().pairings[0]
    corrected = row._replace(score="1-0", why="the flag had fallen", by="Eve")
    evening.store.change(number, evening.now(), pairings=[corrected])
    await trio.sleep(3)
    tournament = evening.host.directors["cup"].tournament
    assert tournament is not None
    assert [entry.points for entry in tournament.now().entries] == [1, 0.5, 0.5, 0]


async def test_a_pairing_by_hand_is_played(autojump_clock: MockClock, evening: Evening) -> None:
    number = evening.create('format = "ladder"\nopen = true\ngames = 1', "Ada", "Bob")
    evening.come("Ada")
    await trio.sleep(2)
    row = PairingRecord(1, 1, 2, 1, 0, by="Eve")
    evening.store.change(number, evening.now(), pairings=[row])
    await trio.sleep(2)
    evening.come("Bob")
    await trio.sleep(2)
    assert evening.on == [("Bob", "Ada")]


@pytest.mark.parametrize("end", ["it leaves", "its game has no result"])
async def test_who_paired_by_hand_is_kept_whatever_becomes_of_the_pairing(
    autojump_clock: MockClock, evening: Evening, end: str
) -> None:
    number = evening.create('format = "roundrobin"\ngames = 1\nconcurrency = 1', "Ada", "Bob")
    evening.come("Ada")
    await trio.sleep(2)
    row = PairingRecord(2, 1, 2, 1, 1, by="Eve")
    evening.store.change(number, evening.now(), pairings=[row])
    await trio.sleep(2)
    if end == "it leaves":
        gone = evening.stored().entrants[1]._replace(left=2, why="removed by Eve")
        evening.store.change(number, evening.now(), entrants=[gone])
    else:
        evening.come("Bob")
        await trio.sleep(2)
        evening.end(1, "1-0")
        await trio.sleep(2)
        evening.end(2, "*")
    await trio.sleep(3)
    _, by_hand, *again = evening.stored().pairings
    if end == "it leaves":
        assert (by_hand.score, by_hand.why, by_hand.by) == ("0-1", "Bob had left", "Eve")
    else:
        assert (by_hand.void, by_hand.by) == (True, "Eve")
        assert [(one.white, one.by) for one in again] == [(2, "Eve")], "played again, as paired"


async def test_a_game_that_does_not_begin_is_tried_again(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create('format = "roundrobin"\ngames = 1', "Ada", "Bob")
    evening.lobby.refuses = "the referee is down"
    evening.come("Ada", "Bob")
    await trio.sleep(3)
    assert evening.on == []
    evening.lobby.refuses = ""
    evening.arrive(evening.lobby.clients["Ada"])
    evening.arrive(evening.lobby.clients["Bob"])
    await trio.sleep(3)
    assert len(evening.on) == 1


async def test_no_game_begins_while_the_server_begins_none(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create('format = "roundrobin"\ngames = 1', "Ada", "Bob")
    evening.lobby.closed = "the database does not answer"
    evening.come("Ada", "Bob")
    await trio.sleep(10)
    assert evening.on == []
    evening.lobby.closed = ""
    await trio.sleep(6)
    assert len(evening.on) == 1


async def test_engines_of_the_server_play_by_their_names(
    autojump_clock: MockClock, evening: Evening
) -> None:
    number = evening.create('format = "roundrobin"\ngames = 1\nopen = true', "Ada")
    row = EntrantRecord(2, "Fish", engine="Fish")
    evening.store.change(number, evening.now(), entrants=[row])
    evening.offer("Fish")
    evening.come("Ada")
    await evening.play_on()
    assert {*evening.lobby.begun[0]} == {"Ada", "Fish"}


async def test_nobody_is_late_because_of_an_engine_that_plays_with_somebody(
    autojump_clock: MockClock, evening: Evening
) -> None:
    number = evening.create('format = "roundrobin"\ngames = 1\nopen = true\nlate = 20', "Ada")
    evening.store.change(number, evening.now(), entrants=[EntrantRecord(2, "Fish", engine="Fish")])
    evening.offer("Fish")
    evening.lobby.playing["Fish"] = 99
    evening.come("Ada")
    await trio.sleep(100)
    assert evening.stored().pairings[0].score is None
    del evening.lobby.playing["Fish"]
    evening.host.freed(evening.lobby.clients["Fish"])
    await trio.sleep(2)
    assert len(evening.on) == 1


@pytest.mark.parametrize("games", [1, 2])
async def test_an_arena_pairs_whoever_is_free_until_its_time_is_over(
    autojump_clock: MockClock, evening: Evening, games: int
) -> None:
    evening.create(f'format = "arena"\nminutes = 1\nopen = true\ngames = {games}')
    for name in FOUR:
        evening.come(name)
        evening.store.change(
            1,
            evening.now(),
            entrants=[EntrantRecord(FOUR.index(name) + 1, name, account=evening.account(name))],
        )
    await trio.sleep(3)
    assert len(evening.on) == 2
    assert all(one.pool_rules.conduct.berserk for _, _, one in evening.lobby.games.values())
    for _ in range(20):
        evening.end(next(iter(evening.lobby.games)))
        await trio.sleep(2)
    await trio.sleep(60)
    assert len(evening.on) == 2, "those that are on are played to their ends"
    for number in [*evening.lobby.games]:
        evening.end(number)
    await trio.sleep(10)
    assert evening.stored().record.state is TournamentState.FINISHED
    assert evening.on == []


async def test_a_round_that_cannot_be_paired_pauses_it_and_the_log_alone_has_the_details(
    evening: Evening, monkeypatch: pytest.MonkeyPatch, errors_logged: ErrorLog
) -> None:
    async def fails(_: object) -> None:
        await trio.lowlevel.checkpoint()
        raise PairingFailedError("/srv/python: no module")

    monkeypatch.setattr("ulci_server.hall.tournament.director.paired", fails)
    evening.create('format = "roundrobin"', *FOUR)
    evening.come(*FOUR)
    await until(lambda: evening.stored().record.why_paused, "it is paused")
    assert evening.stored().record.why_paused == NOT_PAIRED
    (logged,) = errors_logged.take()
    assert "/srv/python: no module" in logged


@pytest.mark.parametrize(
    ("found", "why"),
    [("", "is empty"), ("7k/8/6QK/8/8/8/8/8 b - - 0 1\n", "no opening of chess is found")],
    ids=["empty", "no line is usable"],
)
async def test_a_book_without_a_usable_line_pauses_it_until_the_book_is_mended(
    evening: Evening, tmp_path: Path, errors_logged: ErrorLog, found: str, why: str
) -> None:
    book = tmp_path / "book.epd"
    book.write_text(found)
    number = evening.create(
        f'format = "roundrobin"\nopenings = {{ file = "{tmp_path}//book.epd" }}', *FOUR
    )
    evening.come(*FOUR)

    paused = TournamentState.PAUSED
    await until(lambda: evening.stored().record.state is paused, "it is paused")
    (told,) = errors_logged.take()
    assert why in told
    assert evening.lobby.begun == []
    record = evening.stored().record
    assert why in record.why_paused
    assert str(tmp_path) not in record.why_paused, "the page shows it"
    evening.store.change(number, evening.now(), state=paused)
    assert evening.stored().record.why_paused == record.why_paused
    assert evening.stored().pairings, "what was paired is kept"
    book.write_text("8/8/8/4k3/8/8/4P3/4K3 w - -\n")
    evening.store.change(number, evening.now(), state=TournamentState.RUNNING)
    await until(lambda: evening.on, "games begin")
    _, _, agreement = evening.lobby.games[1]
    assert agreement.start == "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"
    assert evening.stored().record.why_paused == ""
