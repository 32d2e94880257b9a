"""What a database does: one suite for memory, SQLite and PostgreSQL."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from tests.support.databases import remove_player
from tests.support.facts import (
    ADA,
    BOB,
    NOON,
    analysed,
    finished,
    happened,
    line,
    noted,
    played,
    reported,
    started,
)
from ulci.protocol.messages import Bound, Info, Score
from ulci.rules import Outcome, Reason, Side
from ulci_server.game import EventKind, Fact, GameFinished, Happened, Heartbeat, Seat
from ulci_server.storage import (
    Database,
    GameRecord,
    MoveRecord,
    Noted,
    RefusedError,
    ReportRecord,
    RunInfo,
)
from ulci_server.storage import games as paging
from ulci_server.storage.rows.events import said_at_the_end


def test_an_empty_database_has_no_games(database: Database) -> None:
    assert database.games.find() == []
    assert database.games.moves(1) == []
    assert database.games.reports(1) == []
    assert database.games.last_id() == 0


def test_saving_nothing_is_allowed(database: Database) -> None:
    database.save([])

    assert database.games.find() == []


def test_a_game_is_kept_as_it_was_begun(database: Database) -> None:
    fact = started(
        7, rules="liberty", start="lfen / 8", control="60b2|inf", pool="blitz", rated=True
    )

    database.save(noted([fact]))

    assert database.games.find() == [
        GameRecord(
            game=7,
            rules="liberty",
            start="lfen / 8",
            control="60b2|inf",
            pool="blitz",
            rated=True,
            seats=(ADA, BOB),
            players=(None, None),
            started_at=NOON,
        )
    ]
    assert database.games.last_id() == 7


def test_a_running_game_has_no_outcome_and_the_result_of_an_open_one(
    database: Database,
) -> None:
    database.save(noted([started()]))

    (game,) = database.games.find()

    assert (game.running, game.outcome, game.result, game.finished_at) == (True, None, "*", None)


@pytest.mark.parametrize("fault", [(), (Side.BLACK,), (Side.WHITE, Side.BLACK)])
def test_whose_fault_an_abort_was_is_kept(database: Database, fault: tuple[Side, ...]) -> None:
    end = finished(1, None, Reason.ABORTED, "why", fault=fault)
    database.save(noted([started(1)]))
    assert [game.fault for game in database.games.find()] == [None]

    database.save(noted([end]))
    database.save(noted([end]))

    assert [game.fault for game in database.games.find()] == [frozenset(fault)]


@pytest.mark.parametrize(
    ("winner", "reason", "result"),
    [
        (Side.WHITE, Reason.CHECKMATE, "1-0"),
        (Side.BLACK, Reason.TIME, "0-1"),
        (None, Reason.FIFTY_MOVES, "1/2-1/2"),
        (None, Reason.ABORTED, "*"),
        (None, Reason.SERVER, "*"),
    ],
)
def test_a_finished_game_knows_who_won_and_why(
    database: Database, winner: Side | None, reason: Reason, result: str
) -> None:
    database.save(noted([started(), finished(1, winner, reason, "so it was")]))

    (game,) = database.games.find()

    assert (game.running, game.result, game.detail) == (False, result, "so it was")
    assert game.outcome == Outcome(winner, reason)
    assert game.finished_at == NOON + timedelta(seconds=1)


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_can_be_kept(database: Database, reason: Reason) -> None:
    database.save(noted([started(), finished(1, None, reason)]))

    assert database.games.find()[0].outcome == Outcome(None, reason)


def test_a_move_is_kept_with_its_clock_and_what_its_program_said(database: Database) -> None:
    info = analysed(seldepth=30, hashfull=7)
    move = played(1, 1, "e7e5", info=info, seq=2, lag=40, stall=3, held=7)

    database.save(noted([started(), played(1, 0, "e2e4", left=None), move]))

    assert database.games.moves(1) == [
        MoveRecord(1, 0, Side.WHITE, "e2e4", 1500, None, at=NOON + timedelta(seconds=1)),
        MoveRecord(
            game=1,
            ply=1,
            side=Side.BLACK,
            move="e7e5",
            at=NOON + timedelta(seconds=2),
            spent=1501,
            left=299_000,
            lag=40,
            stall=3,
            info=Info(depth=12, score=Score(cp=23), time=987, nodes=123_456, pv=("e7e5", "g1f3")),
            seq=2,
            held=7,
        ),
    ]


def test_moves_come_in_the_order_of_plies_and_only_of_that_game(database: Database) -> None:
    database.save(noted([*line(1, "e2e4 e7e5 g1f3"), *line(2, "d2d4")]))
    database.save(noted([played(2, 1, "d7d5"), played(1, 3, "b8c6")]))

    assert [move.move for move in database.games.moves(1)] == ["e2e4", "e7e5", "g1f3", "b8c6"]
    assert [move.move for move in database.games.moves(2)] == ["d2d4", "d7d5"]


def test_the_first_moves_of_many_games_are_read_at_once(database: Database) -> None:
    database.save(noted([*line(1, "e2e4 e7e5 g1f3"), *line(2, "d2d4")]))
    back = happened(3, 1, EventKind.TAKEN_BACK, amount=1, ply=0)
    again = played(3, 0, "d2d4", seq=2)
    database.save(noted([started(3), played(3, 0, "e2e4", seq=0), back, again]))

    found = database.games.beginnings([1, 2, 3, 4], 1)
    assert found == {1: ["e2e4", "e7e5"], 2: ["d2d4"], 3: ["e2e4"], 4: []}
    found = database.games.beginnings([1, 3], 9)
    assert found == {1: ["e2e4", "e7e5", "g1f3"], 3: []}, "its first move was taken back"


def test_reports_come_in_the_order_in_which_they_were_made(database: Database) -> None:
    first = reported(1, "zzz")
    second = reported(1, "aaa", ply=3, side=Side.WHITE, source="server")

    database.save([Noted(started(), NOON), Noted(first, NOON), Noted(second, NOON)])

    assert database.games.reports(1) == [
        ReportRecord(1, 0, Side.BLACK, "player", "zzz", NOON),
        ReportRecord(1, 3, Side.WHITE, "server", "aaa", NOON),
    ]


def test_the_order_within_a_batch_does_not_matter_between_kinds(database: Database) -> None:
    facts = [finished(1), reported(1, "late"), played(1, 0, "e2e4"), started()]

    database.save(noted(facts))

    assert database.games.find()[0].result == "1-0"
    assert len(database.games.moves(1)) == len(database.games.reports(1)) == 1


# What programs and people say is not trusted


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (Score(cp=-31_999), Score(cp=-31_999)),
        (Score(mate=-4), Score(mate=-4)),
        (Score(mate=0), Score(mate=0)),
        (Score(cp=5, bound=Bound.LOWER), Score(cp=5, bound=Bound.LOWER)),
        (Score(mate=2, bound=Bound.UPPER), Score(mate=2, bound=Bound.UPPER)),
        (Score(cp=2**31), None),
        (Score(cp=-(2**63), bound=Bound.LOWER), None),
        (Score(cp=1, mate=1), Score(mate=1)),
        (Score(bound=Bound.UPPER), None),
        (None, None),
    ],
)
def test_a_score_is_kept_if_it_is_one(
    database: Database, said: Score | None, kept: Score | None
) -> None:
    move = played(1, 0, "e2e4", info=Info(score=said))

    database.save(noted([started(), move]))

    assert database.games.moves(1)[0].info == (kept and Info(score=kept))


def test_a_number_that_no_column_holds_costs_the_number_and_not_the_move(
    database: Database,
) -> None:
    info = analysed(depth=2**31, nodes=2**63, time=10**30)

    database.save(noted([started(), played(1, 0, "e2e4", info=info)]))

    (move,) = database.games.moves(1)
    assert (move.move, move.info) == ("e2e4", Info(score=Score(cp=23), pv=info.pv))


def test_text_that_no_database_takes_is_kept_without_what_it_does_not_take(
    database: Database,
) -> None:
    seats = (Seat("N\0ul", "human"), Seat("\ud800 half", "engine", author="J\u00f6rg \u265a"))
    facts = [
        started(seats=seats, start="8/\0"),
        reported(1, "a\0b \udfff"),
        finished(1, detail="\0"),
    ]

    database.save(noted(facts))

    (game,) = database.games.find()
    assert [seat.name for seat in game.seats] == ["N\ufffdul", "? half"]
    assert (game.seats[1].author, game.start, game.detail) == (
        "J\u00f6rg \u265a",
        "8/\ufffd",
        "\ufffd",
    )
    assert database.games.reports(1)[0].text == "a\ufffdb ?"


# All or nothing, and twice


def test_a_batch_may_be_saved_twice(database: Database) -> None:
    batch = noted(
        [*line(1, "e2e4 e7e5"), reported(1, "hm"), finished(1), *line(2, "c2c4"), reported(2, "")]
    )

    database.save(batch)
    before = (database.games.find(), database.games.moves(1), database.games.reports(1))
    database.save(batch)

    assert (database.games.find(), database.games.moves(1), database.games.reports(1)) == before


def test_a_batch_may_be_saved_again_together_with_what_is_new(database: Database) -> None:
    batch = noted([*line(1, "e2e4 e7e5"), reported(1, "hm")])
    database.save(batch)

    database.save([*batch, Noted(played(1, 2, "g1f3"), NOON), Noted(finished(1), NOON)])

    assert [move.move for move in database.games.moves(1)] == ["e2e4", "e7e5", "g1f3"]
    assert len(database.games.reports(1)) == 1
    assert database.games.find()[0].result == "1-0"


def test_a_fact_that_comes_twice_in_one_batch_is_kept_once(database: Database) -> None:
    batch = noted([started(), played(1, 0, "e2e4"), reported(1, "hm"), finished(1)])

    database.save([*batch, *batch])

    assert (len(database.games.moves(1)), len(database.games.reports(1))) == (1, 1)


def test_the_same_complaint_at_another_time_is_another_complaint(database: Database) -> None:
    database.save(noted([started(), reported(1, "hm"), reported(1, "hm")]))

    assert [report.text for report in database.games.reports(1)] == ["hm", "hm"]


def test_accounts_removed_meanwhile_leave_their_games_to_nobody(database: Database) -> None:
    ada = database.accounts.add_player("Ada", "human")
    game = started(seats=(replace(ADA, account=ada.id), replace(BOB, account=99)))
    database.save(noted([game]))
    assert database.games.find()[0].players == (ada.id, None)

    remove_player(database, ada.id)
    database.save(noted([game]))

    assert database.games.find()[0].players == (None, None)


CONTRADICTIONS: dict[str, Fact] = {
    "the game was begun otherwise": started(1, control="60+0"),
    "the ply was another move": played(1, 0, "d2d4"),
    "the ply took another time": played(1, 0, "e2e4", spent=1),
    "the ply had another credit": played(1, 0, "e2e4", lag=1),
    "nobody is given back less than nothing": played(1, 9, "e2e4", lag=-1),
    "nor by us": played(1, 9, "e2e4", stall=-1),
    "the number was something else": happened(1, 8, EventKind.BACK),
    "no such game was begun: event": happened(9, 8, EventKind.AWAY),
    "what happens counts from 1": happened(1, 0, EventKind.AWAY),
    "no such run was begun": Heartbeat(99),
    "the game ended otherwise": finished(1, Side.BLACK, Reason.TIME),
    "no such game was begun: move": played(9, 0, "e2e4"),
    "no such game was begun: report": reported(9, "hm"),
    "no such game was begun: result": finished(9),
    "games count from 1": started(0),
    "plies count from 0": played(1, -1, "e2e4"),
    "reports too": reported(1, "hm", ply=-1),
    "nobody spends less than nothing": played(1, 9, "e2e4", spent=-1),
    "nobody has less than nothing left": played(1, 9, "e2e4", left=-1),
    "this is no fact": None,  # type: ignore[dict-item]
    "this one is made of nonsense": started(5, seats=None),
}


@pytest.mark.parametrize("fact", CONTRADICTIONS.values(), ids=CONTRADICTIONS.keys())
def test_a_contradiction_is_refused_with_all_that_came_with_it(
    database: Database, fact: Fact
) -> None:
    away = happened(1, 8, EventKind.AWAY)
    database.save(noted([started(), played(1, 0, "e2e4"), away, finished(1)]))
    before = (database.games.find(), database.games.history(1), database.games.reports(1))
    good = [started(2), played(2, 0, "c2c4"), reported(2, "hm"), finished(2), played(1, 1, "e7e5")]

    with pytest.raises(RefusedError, match=r"\w"):
        database.save([*noted(good), Noted(fact, NOON)])

    assert (database.games.find(), database.games.history(1), database.games.reports(1)) == before
    assert database.games.moves(2) == []
    assert database.games.reports(2) == []
    database.save(noted(good))
    assert database.games.find()[0].result == "1-0"


def test_two_contradictions_in_one_batch_are_refused(database: Database) -> None:
    database.save(noted([started()]))

    with pytest.raises(RefusedError):
        database.save(noted([played(1, 0, "e2e4"), played(1, 0, "d2d4")]))
    with pytest.raises(RefusedError):
        database.save(noted([finished(1), finished(1, None, Reason.AGREEMENT)]))

    assert database.games.moves(1) == []
    assert database.games.find()[0].running


def test_one_contradiction_among_many_moves_is_refused_with_all_of_them(
    database: Database,
) -> None:
    moves = [played(1, ply, "e2e4", seq=ply, info=analysed()) for ply in range(1, 21)]
    database.save(noted([started(), *moves]))
    batch = noted([started(), *moves])

    database.save([*batch, Noted(played(1, 21, "g1f3", seq=21), NOON)])
    with pytest.raises(RefusedError, match="kept already, and otherwise"):
        database.save([*batch[:9], Noted(played(1, 9, "d2d4", seq=9), batch[9].at), *batch[10:]])

    assert [move.move for move in database.games.moves(1)] == ["e2e4"] * 20 + ["g1f3"]


# Questions


def test_games_come_newest_first_and_at_most_as_many_as_wanted(database: Database) -> None:
    database.save(noted([started(n) for n in (2, 5, 1, 4, 3)]))

    assert [game.id for game in database.games.find()] == [5, 4, 3, 2, 1]
    assert [game.id for game in database.games.find(limit=2)] == [5, 4]
    assert database.games.find(limit=0) == []
    assert [game.id for game in database.games.find(before=3)] == [2, 1]


def test_games_are_found_by_player_on_either_side(database: Database) -> None:
    cy = Seat("Cy", "human")
    seats = [(ADA, BOB), (cy, ADA), (BOB, cy), (Seat("ada", "human"), cy)]
    database.save(noted([started(n, seats=pair) for n, pair in enumerate(seats, 1)]))

    assert [game.id for game in database.games.find(player="Ada")] == [2, 1]
    assert [game.id for game in database.games.find(player="Cy", limit=1)] == [4]
    assert database.games.find(player="Zed") == []


def test_games_are_found_by_when_they_began(database: Database) -> None:
    days = [NOON + timedelta(days=n) for n in range(4)]
    database.save([Noted(started(n), at) for n, at in enumerate(days, 1)])

    assert [game.id for game in database.games.find(since=days[2])] == [4, 3]
    assert [game.id for game in database.games.find(until=days[2])] == [2, 1]
    assert [game.id for game in database.games.find(since=days[1], until=days[3])] == [3, 2]


def test_games_are_found_by_whether_they_still_run(database: Database) -> None:
    database.save(noted([started(1), started(2), finished(1)]))

    assert [game.id for game in database.games.find(running=True)] == [2]
    assert [game.id for game in database.games.find(running=False)] == [1]
    assert [game.id for game in database.games.find(running=None)] == [2, 1]


def test_games_are_found_by_their_numbers(database: Database) -> None:
    database.save(noted([started(n) for n in range(1, 6)]))

    assert [game.id for game in database.games.find(ids=[4, 2, 99])] == [4, 2]
    assert database.games.find(ids=[]) == []


def test_filters_add_up(database: Database) -> None:
    database.save(noted([started(1), started(2), started(3), finished(2), finished(3)]))

    assert [game.id for game in database.games.find(player="Ada", running=False, ids={1, 2})] == [2]


@pytest.mark.parametrize("limit", [None, 0, 1, 2, 3, 4, 5, 6, 99])
def test_pages_give_what_one_question_gives(
    database: Database, limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "PAGE", 2)
    database.save(noted([started(n) for n in range(1, 6)]))

    paged = list(database.games.each(limit=limit, player="Ada"))

    assert paged == database.games.find(limit=limit, player="Ada")


# All that happened

SEATS = (
    replace(ADA, handle="Ada", key="a" * 64),
    Seat("Ada", "engine", author="Babbage", handle="Ada-2", key="b" * 64),
)


def happenings(game: int = 1) -> list[Fact]:
    """One of everything; two plies are made, taken back and made otherwise."""
    info = Info(depth=3, score=Score(mate=2, bound=Bound.LOWER), time=7, nodes=9, pv=("a", "b"))
    whats = enumerate(sorted(set(EventKind) - {EventKind.TAKEN_BACK}), 8)
    return [
        played(game, 1, "e2e4", seq=1, side=Side.WHITE, info=info, lag=30, stall=4, held=5),
        happened(game, 2, EventKind.AWAY, side=Side.BLACK, text="reset \u265a"),
        played(game, 2, "e7e5", seq=3, side=Side.BLACK, left=None),
        played(game, 3, "g1f3", seq=4, side=Side.WHITE, info=Info(depth=0)),
        happened(game, 5, EventKind.TAKEN_BACK, ply=3, amount=2),
        played(game, 2, "c7c5", seq=6, side=Side.BLACK),
        played(game, 3, "b1c3", seq=7, side=Side.WHITE),
        *(happened(game, seq, what, ply=3, amount=2**40) for seq, what in whats),
    ]


def test_history_is_all_that_happened_word_for_word(database: Database) -> None:
    batch = noted([started(seats=SEATS), *happenings()])

    database.save([*batch[::-1], *noted([started(2), *happenings(2)])])
    database.save(batch)

    assert database.games.history(1) == batch[1:]
    assert database.games.history(3) == []


@pytest.mark.parametrize(
    ("facts", "seq", "ply"),
    [
        ([], 1, 0),
        ([played(1, 1, "e2e4", seq=1)], 2, 1),
        ([played(1, 1, "e2e4", seq=1), happened(1, 2, EventKind.AWAY, ply=1)], 3, 1),
        ([happened(1, 1, EventKind.AWAY, ply=0), played(1, 1, "e2e4", seq=2)], 3, 1),
        (happenings()[:5], 6, 1),
        (happenings()[:6], 7, 2),
    ],
)
def test_the_end_of_a_game_is_the_last_of_what_happened(
    facts: list[Fact], seq: int, ply: int, database: Database
) -> None:
    database.save(noted([started(), *facts]))
    end = noted([finished(1, Side.BLACK, Reason.RESIGNATION, "White: resigned")])

    database.save([*end, *end])
    database.save(end)

    *before, (last, at) = database.games.history(1)
    assert len(before) == len(facts)
    text = "resignation: White: resigned"
    assert last == Happened(1, seq, ply, EventKind.FINISHED, Side.BLACK, 0, text)
    assert at == NOON


@pytest.mark.parametrize(
    ("end", "side", "text"),
    [
        (finished(1), Side.WHITE, "checkmate"),
        (finished(1, None, Reason.AGREEMENT, "why\0 not"), None, "agreement: why\ufffd not"),
        (finished(1, None, Reason.ABORTED), None, "aborted"),
    ],
)
def test_the_last_of_what_happened_says_how_it_ended(
    end: GameFinished, side: Side | None, text: str, database: Database
) -> None:
    database.save(noted([started(), end]))

    ((last, at),) = database.games.history(1)

    assert (last, at) == (
        Happened(1, 1, 0, EventKind.FINISHED, side, 0, text),
        NOON + timedelta(seconds=1),
    )
    assert said_at_the_end(last) == (end.outcome.reason, database.games.find()[0].detail)


def test_many_games_of_one_batch_end_each_under_its_own_number(database: Database) -> None:
    lines = [played(game, ply, "a", seq=ply) for game in range(1, 40) for ply in range(1, game)]
    begun, ends = ([make(game) for game in range(1, 40)] for make in (started, finished))
    database.save(noted([*begun, *lines, *ends]))

    numbers = [database.games.history(game)[-1].fact for game in range(1, 40)]

    assert numbers == [
        Happened(game, game, game - 1, EventKind.FINISHED, Side.WHITE, 0, "checkmate")
        for game in range(1, 40)
    ]


def test_what_was_taken_back_is_not_among_the_moves(database: Database) -> None:
    database.save(noted([started(), *happenings()]))

    line = [(move.seq, move.ply, move.move) for move in database.games.moves(1)]

    assert line == [(1, 1, "e2e4"), (6, 2, "c7c5"), (7, 3, "b1c3")]


def test_more_than_there_was_cannot_be_taken_back(database: Database) -> None:
    all_of_it = happened(1, 40, EventKind.TAKEN_BACK, amount=99)
    again = played(1, 1, "d2d4", seq=42)
    nothing = happened(1, 41, EventKind.TAKEN_BACK, amount=0)
    database.save(noted([started(), *happenings(), all_of_it, nothing, again]))

    assert [move.move for move in database.games.moves(1)] == ["d2d4"]


def test_running_games_come_with_all_that_is_needed_to_play_on(database: Database) -> None:
    begun = {n: started(n, seats=SEATS, lag="quota", rated=True, pool="tea") for n in range(1, 5)}
    database.save(noted([*begun.values(), finished(2)]))
    facts = noted([*happenings(3), played(1, 1, "d2d4", seq=1), played(2, 1, "d2d4", seq=1)])
    database.save(facts)

    first, third, fourth = database.games.unfinished([1, 2, 3, 4, 5])

    assert (first.started, first.at) == (begun[1], NOON)
    assert (third.started, third.at) == (begun[3], NOON + timedelta(seconds=2))
    assert third.history == facts[:-2]
    assert first.history == facts[-2:-1]
    assert fourth.history == []


def test_a_record_that_cannot_be_read_is_named_and_spoils_no_other(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_a_later_version(row: Mapping[str, Any]) -> Noted:
        EventKind("dreamt")
        return happened_in(row)

    happened_in = paging.happened
    monkeypatch.setattr(paging, "happened", of_a_later_version)
    database.save(noted([started(1), *happenings(1), started(2), played(2, 1, "d2d4", seq=1)]))

    first, second = database.games.unfinished([1, 2])

    assert (first.started, first.history) == (started(1), [])
    assert "dreamt" in first.unreadable
    assert (len(second.history), second.unreadable) == (1, "")


def test_nothing_runs_in_an_empty_database(database: Database) -> None:
    assert database.games.unfinished([1]) == []


# Runs of the server


def last_run(database: Database) -> RunInfo | None:
    """Of the only game, as the next run knows it."""
    database.runs.begin_alone(NOON, "1.3")
    [claimed] = database.ownership.claim(NOON, 1)
    return claimed.before


def test_where_no_run_is_known_none_is_that_of_a_game(database: Database) -> None:
    database.save(noted([started(1)]))

    assert last_run(database) is None


def test_the_next_run_knows_when_that_of_a_game_was_last_alive(database: Database) -> None:
    run = database.runs.begin_alone(NOON, "1.3")
    database.save(noted([started(1)]))
    beats = [Noted(Heartbeat(run), NOON + timedelta(seconds=n)) for n in range(4)]

    database.save(beats[:3])
    database.save(beats[1:])
    database.save(beats[:2])

    assert last_run(database) == RunInfo(run, beats[-1].at)


def test_the_next_run_knows_when_that_of_a_game_ended(database: Database) -> None:
    ended = NOON + timedelta(hours=1)
    run = database.runs.begin_alone(NOON, "1.3")
    database.save(noted([started(1)]))
    database.runs.end(run, ended)

    assert last_run(database) == RunInfo(run, ended)
