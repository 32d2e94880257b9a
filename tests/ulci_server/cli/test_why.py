"""``ulci-server why``: who paid for which time."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.facts import NOON, finished, happened, reported
from tests.support.games import keep, moves
from ulci.rules import Reason, Side, reason_in_english
from ulci_server.game import WRITES_LATE, EventKind, GameFinished, Happened
from ulci_server.storage import Database, Epoch, MemoryDatabase, Noted, migrate
from ulci_server.storage.explain import explained
from ulci_server.storage.records import ReportRecord

W, B = Side


def happening(seq: int, what: EventKind, **changes: Any) -> Happened:
    return happened(1, seq, what, **({"ply": 2} | changes))


def said_of(
    *events: Happened,
    end: GameFinished | None,
    text: str = "e2e4 e7e5",
    clock: tuple[int, int] = (300_000, 3_000),
    **start: Any,
) -> str:
    database = MemoryDatabase()
    keep(database, [*moves(text, clock=clock), *events], end, **start)
    (game,) = database.games.find()
    return explained(game, database.games.history(1))


def test_a_loss_on_time_is_explained_in_one_paragraph() -> None:
    end = finished(1, B, Reason.TIME, "the flag of White (Ada) fell at ply 3")

    said = said_of(end=end, control="3+0", clock=(3000, 0))

    assert said == (
        "Game 1 (chess, 3+0), Ada against Bob, ended 0-1 on time (2026-11-20 12:00:09 UTC),"
        " after 2 plies: the flag of White (Ada) fell at ply 3."
        " It was White (Ada)'s turn after ply 2, e7e5, which was recorded at 12:00:06.000, and its"
        " clock had 1.043 s. Until the end 3.000 s passed. Of these its clock paid all that it had,"
        " 1.043 s; the other 1.957 s it did not pay: until what came before was recorded and it was"
        " asked, and what the rule for the network gave. For its 1 move before, 2.000 s passed from"
        " question to answer: 0.040 s were given back for the network and 0.003 s for the server's"
        " own lateness, so that it paid 1.957 s; 0.005 s between the opponent's moves and its turns"
        " were on nobody's clock. The lag rule was quota: of every move the line's"
        " least round trip is given back, from a quota. Nobody was disconnected in the whole game."
    )


def late(side: Side, text: str = WRITES_LATE, **changes: Any) -> ReportRecord:
    return ReportRecord(
        **(
            {"game": 1, "ply": 2, "side": side, "source": "server", "text": text}
            | {"at": NOON}
            | changes
        )
    )


@pytest.mark.parametrize(
    ("reports", "named"),
    [
        ([late(W)], 1),
        ([late(W), late(W, ply=8)], 1),
        ([late(B)], 0),
        ([late(W, source="player")], 0),
        ([late(W, "no such option")], 0),
        ([], 0),
    ],
)
def test_a_loss_on_time_over_a_line_that_writes_late_names_the_line(
    reports: list[ReportRecord], named: int
) -> None:
    database = MemoryDatabase()
    keep(database, moves("e2e4 e7e5"), finished(1, B, Reason.TIME))
    (game,) = database.games.find()
    said = explained(game, database.games.history(1), reports=reports)
    note = f"At ply 2 the server noted of White (Ada): {WRITES_LATE}."
    assert said.count("the server noted") == said.count(note) == named


def test_what_was_reported_of_a_line_is_read_from_the_record(shell, sqlite_url: str) -> None:
    migrate(sqlite_url)
    database = Database(sqlite_url)
    keep(database, moves("e2e4 e7e5"), finished(1, B, Reason.TIME))
    said = reported(1, WRITES_LATE, ply=2, side=W, source="server")
    database.save([Noted(said, NOON)])
    database.close()
    assert "nodelay" in shell.run("why", "1", "--database", sqlite_url).stdout


@pytest.mark.parametrize("reason", [Reason.TIME, Reason.RESIGNATION])
def test_who_went_berserk_is_named_with_the_time_that_this_cost(reason: Reason) -> None:
    berserk = happening(1, EventKind.BERSERK, ply=0, side=W, amount=90_000)
    said = said_of(berserk, end=finished(1, B, reason), text="", control="180+2", conduct="berserk")
    assert "White (Ada) went berserk at 12:00:03" in said
    assert "its clock lost 1:30.000, half of what it had, and its increments." in said


def test_the_ledger_of_a_loss_on_time_is_there() -> None:
    end = finished(1, B, Reason.TIME)

    said = said_of(happening(3, EventKind.TIME_GIVEN, side=W, amount=500, text="Bob"), end=end)

    assert "It was White (Ada)'s turn after ply 2, e7e5, which was recorded at 12:00:06" in said
    assert "its clock had 5:01.543. Until the end 6.000 s passed." in said
    assert "That is less than it had" in said
    assert "For its 1 move before, 2.000 s passed from question to answer: 0.040 s" in said
    assert "0.003 s for the server's own lateness, so that it paid 1.957 s; 0.005 s" in said
    assert "The lag rule was quota: of every move the line's least" in said
    assert "White (Ada) was given 0.500 s by Bob." in said
    assert "Nobody was disconnected in the whole game." in said
    assert "\n" not in said


@pytest.mark.parametrize("undo_clocks", [True, False])
def test_that_a_takeback_took_time_off_the_clocks_is_said(undo_clocks: bool) -> None:
    taken_back = happening(3, EventKind.TAKEN_BACK, side=W, amount=1, text="by agreement")

    said = said_of(taken_back, end=finished(1, W, Reason.TIME), undo_clocks=undo_clocks)

    gone = "What moves that were taken back had added to the clocks went with them."
    assert (gone in said) is undo_clocks


def test_a_turn_that_a_restart_interrupted_counts_from_the_return_of_the_player() -> None:
    resumed = happening(
        3, EventKind.RESUMED, side=W, amount=43, text="the server was away for 9.000 s"
    )
    events = [resumed, happening(4, EventKind.BACK, side=B), happening(5, EventKind.BACK, side=W)]

    said = said_of(*events, end=finished(1, B, Reason.TIME), control="3+0", clock=(3000, 0))

    assert "turn after the server was back and it had come again at 12:00:15.000" in said
    assert "its clock had 1.000 s. Until the end 3.000 s passed." in said
    assert "the other 2.000 s it did not pay" in said


@pytest.mark.parametrize(
    ("event", "end"),
    [
        ([], finished(1, W, Reason.RESIGNATION, "Black (Bob) resigned")),
        ([EventKind.LEFT], finished(1, W, Reason.DISCONNECT, "Black (Bob) left: the line is dead")),
        ([EventKind.RULED], finished(1, None, Reason.ADJUDICATION, "a draw: the line is dead")),
    ],
)
def test_how_it_ended_is_said_once(event: list[EventKind], end: GameFinished) -> None:
    events = [happening(3, what, side=B, text="the line is dead") for what in event]

    said = said_of(*events, end=end)

    assert said.count(end.detail) == 1
    assert said.count("the line is dead") == len(event)
    assert "finished" not in said


def test_moves_that_were_taken_back_are_counted() -> None:
    taken_back = happening(3, EventKind.TAKEN_BACK, side=W, amount=2)

    said = said_of(taken_back, end=finished(1, B, Reason.RESIGNATION))

    assert "after 2 plies, 2 of them taken back." in said


def test_what_who_was_away_does_not_pay_for_is_told() -> None:
    events = [
        happening(3, EventKind.AWAY, side=W, amount=1000),
        happening(4, EventKind.BACK, side=W, amount=1500),
    ]

    said = said_of(*events, end=finished(1, B, Reason.TIME))

    who = "White (Ada) was away from 12:00:09.000 for 3.000 s"
    assert f"{who}, and does not pay for 1.500 s of its turn so far." in said


def test_absences_and_restarts_are_told() -> None:
    events = [
        happening(3, EventKind.AWAY, side=W),
        happening(4, EventKind.BACK, side=W),
        happening(5, EventKind.AWAY, side=B),
        happening(
            6, EventKind.RESUMED, side=W, amount=1500, text="the server was away for 12.300 s"
        ),
    ]

    said = said_of(*events, end=finished(1, B, Reason.TIME))

    assert "White (Ada) was away from 12:00:09.000 for 3.000 s." in said
    assert "Black (Bob) was away from 12:00:15.000, 6.000 s before the end." in said
    assert "At 12:00:18.000 the server was back (the server was away for 12.300 s);" in said
    assert "the side to move had thought 1.500 s, and nobody paid for the rest." in said
    assert "No line was lost" not in said


@pytest.mark.parametrize("reason", Reason)
def test_every_ending_has_its_words(reason: Reason) -> None:
    winner = B if "0-1" in reason.scores else None
    said = said_of(end=finished(1, winner, reason, "so it was"))

    score = reason.scores[-1].replace("*", "without a result") if winner is None else "0-1"
    assert f"ended {score} {reason_in_english(reason, 'White')} (2026-11-20" in said
    assert "so it was." in said


def test_a_decision_says_who_decided() -> None:
    ruled = happening(3, EventKind.RULED, text="root: both asleep")

    said = said_of(ruled, end=finished(1, None, Reason.ADJUDICATION))

    assert "A ruling was made at 12:00:09.000" in said


def test_a_game_without_a_saved_clock_says_so() -> None:
    said = said_of(end=finished(1, B, Reason.TIME), text="", control="movetime=500", lag="none")

    assert "with so much for every move" in said
    assert "The lag rule was none: nothing is given back." in said


FLAG = "the flag of White (Ada) fell at ply 1, after 3.000 s"


def test_a_flag_at_the_first_move_recites_no_zeros() -> None:
    said = said_of(end=finished(1, B, Reason.TIME, FLAG), text="", control="3+0", clock=(3000, 0))

    assert said == (
        "Game 1 (chess, 3+0), Ada against Bob, ended 0-1 on time (2026-11-20 12:00:03 UTC),"
        f" after 0 plies: {FLAG}."
        " It was White (Ada)'s turn after the game was begun at 12:00:00.000, and its clock had"
        " 3.000 s. Until the end 3.000 s passed, all on its clock. It had made no move before."
        " The lag rule was quota: of every move the line's least round trip is"
        " given back, from a quota. Nobody was disconnected in the whole game."
    )


@pytest.mark.parametrize(
    ("had", "passed"), [(3, "3.000 s passed, all on its clock"), (2, "3.000 s passed")]
)
def test_an_abort_by_the_flag_of_who_never_moved_says_what_it_had_and_no_more(
    had: int, passed: str
) -> None:
    end = finished(1, None, Reason.ABORTED, FLAG)
    said = said_of(end=end, text="", control=f"{had}+0")

    assert said == (
        f"Game 1 (chess, {had}+0), Ada against Bob, ended without a result as the game was"
        f" aborted (2026-11-20 12:00:03 UTC), after 0 plies: {FLAG}."
        " It was White (Ada)'s turn after the game was begun at 12:00:00.000, and its clock had"
        f" {had}.000 s. Until the end {passed}."
    )


def test_the_conduct_is_among_the_terms_and_a_first_flag_may_lose_by_it() -> None:
    end = finished(1, B, Reason.TIME, FLAG)
    said = said_of(end=end, text="", control="3+0", conduct="no-takeback,forfeit")

    assert said.startswith(
        "Game 1 (chess, 3+0, no takebacks, not coming or not moving in time loses from the start),"
        f" Ada against Bob, ended 0-1 on time (2026-11-20 12:00:03 UTC), after 0 plies: {FLAG}."
    )
    assert "It had made no move before." in said


def test_an_opening_is_among_the_terms_and_its_plies_are_no_moves_of_the_players() -> None:
    detail = "White (Ada) resigned"
    database = MemoryDatabase()
    end = finished(1, B, Reason.RESIGNATION, detail)
    keep(database, moves("g1f3", book=2), end, opening=("e2e4", "e7e5"))
    (game,) = database.games.find()

    assert explained(game, database.games.history(1)).startswith(
        "Game 1 (chess, 300+3, with 2 plies of a book), Ada against Bob, ended 0-1 by resignation"
        f" (2026-11-20 12:00:06 UTC), after 1 ply: {detail}."
    )


def test_so_is_blacks_and_what_the_mover_before_did_is_not_held_against_it() -> None:
    detail = "the flag of Black (Bob) fell at ply 2"
    end = finished(1, None, Reason.ABORTED, detail)

    said = said_of(end=end, text="e2e4", control="3+0", clock=(3000, 0))

    assert "It was Black (Bob)'s turn after ply 1, e2e4, which was recorded at 12:00:03" in said


def test_other_aborts_have_no_ledger() -> None:
    detail = "White (Ada) not ready within 10 s"

    said = said_of(end=finished(1, None, Reason.ABORTED, detail), text="")

    assert said.endswith(f"after 0 plies: {detail}.")


@pytest.mark.parametrize("reason", [Reason.GAME_RULE, Reason.TIME, Reason.ILLEGAL_MOVE])
def test_the_referee_that_judged_is_named(reason: Reason) -> None:
    said = said_of(end=finished(1, B, reason), text="g2 a1b3", rules="ataxx")

    assert said.endswith("The referee of ataxx judged the moves, on nobody's clock.")
    assert ("The referee of ataxx ended it with ply 2, a1b3" in said) is (
        reason is Reason.GAME_RULE
    )


def test_the_program_that_judges_today_is_named_where_the_configuration_has_it(
    shell, sqlite_url: str, tmp_path: Path
) -> None:
    migrate(sqlite_url)
    database = Database(sqlite_url)
    keep(database, moves("g2 a1b3"), finished(1, B, Reason.GAME_RULE), rules="ataxx")
    database.close()
    config = tmp_path / "server.toml"
    program = f'["{sys.executable}", "my engine.py"]'
    config.write_text(
        f'[[game]]\nname = "ataxx"\nreferee = {program}\n[[pool]]\nname = "ataxx"\ngame = "ataxx"\n'
    )

    said = shell.run("why", "1", "--database", sqlite_url, "-c", str(config)).stdout

    assert f"(today {sys.executable} 'my engine.py' is configured)" in " ".join(said.split())


def test_a_game_that_runs_has_not_ended() -> None:
    assert said_of(end=None).endswith("is still played, or waits for its players.")


def test_what_cannot_be_rebuilt_is_explained_as_far_as_it_can() -> None:
    said = said_of(end=finished(1, B, Reason.TIME), text="e2e5")

    assert "More cannot be said: the record does not agree with itself (ply 1, e2e5" in said


def test_the_command_writes_a_paragraph_that_fits_a_terminal(shell, sqlite_url: str) -> None:
    migrate(sqlite_url)
    database = Database(sqlite_url)
    keep(database, moves("e2e4"), finished(1, W, Reason.TIME, "who\x1b[2J knows"))
    database.close()

    said = shell.run("why", "1", "--database", sqlite_url).stdout

    assert said.startswith("Game 1 (chess, 300+3), Ada against Bob, ended 1-0 on time (2026-11-20")
    assert "who?[2J knows" in said
    assert max(map(len, said.splitlines())) <= 100
    assert shell.refused("why", "2", "--database", sqlite_url, code=4) == "there is no game 2"


def test_who_was_sent_away_did_not_lose_its_line() -> None:
    sent = happening(3, EventKind.KICKED, side=W, text="Root: spam")
    for end in (finished(1, B, Reason.TIME), finished(1, B, Reason.DISCONNECT)):
        said = said_of(sent, happening(4, EventKind.AWAY, side=W), end=end)
        assert "White (Ada) was kicked at 12:00:0" in said
        assert " by Root: spam. White (Ada) was away from" in said


def held_by(*nodes: str) -> list[Epoch]:
    starts = (NOON + timedelta(seconds=5 * number) for number in range(len(nodes)))
    return [
        Epoch(n, n, node, at) for n, (node, at) in enumerate(zip(nodes, starts, strict=True), 1)
    ]


HELD = {
    ("a",): "",
    ("", ""): "",
    ("a", ""): " It was held by server a until 12:00:05.000, then by a lone server.",
    ("a", "a"): "",
    ("a", "b"): " It was held by server a until 12:00:05.000, then by server b.",
    ("a", "b", "b", "a"): " It was held by server a until 12:00:05.000, then by server b until"
    " 12:00:15.000, then by server a.",
}


@pytest.mark.parametrize(("nodes", "text"), HELD.items(), ids=map("".join, HELD))
def test_the_servers_that_held_a_game_are_named_if_there_were_several(
    nodes: tuple[str, ...], text: str
) -> None:
    for end in (None, finished(1, B, Reason.RESIGNATION, "White (Ada) resigned")):
        database = MemoryDatabase()
        keep(database, moves("e2e4"), end)
        (game,) = database.games.find()
        history = database.games.history(1)

        said = explained(game, history, owners=held_by(*nodes))

        assert said.replace(text, "") == explained(game, history)
        assert said.count("It was held by server a until") == bool(text)


def test_every_command_reads_the_database_of_a_cluster(shell, sqlite_url: str) -> None:
    migrate(sqlite_url)
    database = Database(sqlite_url)
    for node in "ab":
        run = database.runs.begin(NOON, node)
        database.runs.join(run)
        if node == "a":
            keep(database, moves("e2e4"))
            database.runs.end(run, NOON)
    assert len(database.ownership.claim(NOON, 1)) == 1
    resigned = finished(1, B, Reason.RESIGNATION, "White (Ada) resigned")
    database.save([Noted(resigned, NOON + timedelta(minutes=1))])
    database.close()

    said = {
        command: shell.run(*command.split(), "--database", sqlite_url).stdout
        for command in ("why 1", "verify", "games", "export")
    }

    assert "It was held by server a until 12:00:00.000, then by server b." in " ".join(
        said["why 1"].split()
    )
    assert said["verify"] == "1 game, 1 ply: all agree\n"
    assert "Ada" in said["games"]
    assert "1. e4" in said["export"]
