import io

import pytest

from ulci.protocol import Unread
from ulci.protocol.messages import Info, Score
from ulci.rules import Side
from ulci_client.bridge.analysis import format_score
from ulci_client.bridge.console import (
    ERASE,
    LINES_BURST,
    Console,
    Level,
    Progress,
    Tally,
    format_time,
    summary,
)


@pytest.mark.parametrize(
    ("result", "side", "tally"),
    [
        ("1-0", Side.WHITE, Tally(wins=1)),
        ("1-0", Side.BLACK, Tally(losses=1)),
        ("0-1", Side.BLACK, Tally(wins=1)),
        ("0-1", Side.WHITE, Tally(losses=1)),
        ("1/2-1/2", None, Tally(draws=1)),
        ("1-0", None, Tally(undecided=1)),
        ("*", Side.WHITE, Tally(undecided=1)),
    ],
)
def test_a_result_is_counted_from_our_side(result, side, tally):
    counted = Tally()
    counted.count(result, side)
    assert counted == tally


def test_undecided_games_are_mentioned_only_if_there_are_any():
    assert str(Tally(3, 1, 2, 0)) == "won 1, drawn 2, lost 0"
    assert str(Tally(3, 1, 1, 0, 1)) == "won 1, drawn 1, lost 0, 1 undecided"


@pytest.mark.parametrize(
    ("analysis", "score"),
    [
        (None, ""),
        (Info(depth=3), ""),
        (Info(depth=12, score=Score(cp=35)), "+0.35 depth 12"),
        (Info(score=Score(cp=-120)), "-1.20"),
        (Info(depth=9, score=Score(mate=-3)), "#-3 depth 9"),
        (Unread("info depth 7 score cp 0 pv e2e4"), "+0.00 depth 7"),
    ],
)
def test_a_score_is_shown_in_pawns_or_moves_to_mate(analysis, score):
    assert format_score(analysis) == score


@pytest.mark.parametrize(
    ("ms", "time"),
    [(-5, "0.0"), (9_400, "9.4"), (10_000, "0:10"), (298_000, "4:58"), (3_898_000, "1:04:58")],
)
def test_times_are_shown_as_clocks_show_them(ms, time):
    assert format_time(ms) == time


def test_one_engine_is_shown_with_its_game():
    player = Progress(
        name="Fish",
        doing="against",
        playing=True,
        side=Side.BLACK,
        opponent="Ada",
        game=42,
        plies=7,
        clocks=(60_000, 90_000),
        ticking=Side.BLACK,
        at=100.0,
        analysis=Info(depth=5, score=Score(cp=20)),
    )
    assert summary([player], Tally(2, 1), now=130.0) == (
        "Fish against Ada · game 42 · move 4 · +0.20 depth 5 · 1:00 - 1:00"
        " · 2 games · won 1, drawn 0, lost 0"
    )


def test_one_engine_that_does_not_play_is_shown_with_what_it_does():
    assert summary([Progress("Fish", "seeking a game")], Tally(), 0.0) == "Fish · seeking a game"


def test_it_is_shown_when_the_server_is_called_again():
    player = Progress("Fish", "not connected", again_at=60.0)
    assert summary([player], Tally(), 0.5) == "Fish · disconnected, trying again in 60 s"
    player.playing = True
    assert (
        summary([player], Tally(), 59.5)
        == "Fish · disconnected, trying again in 1 s · a game is on"
    )


def test_a_game_of_which_nothing_is_known_is_shown_too():
    assert summary([Progress("Fish", "against", playing=True)], Tally(1), 0.0) == (
        "Fish against somebody · game · move 1 · 1 game · won 0, drawn 0, lost 0"
    )


def test_several_engines_are_counted():
    players = [Progress(playing=True), Progress(), Progress(playing=True)]
    assert summary(players, Tally(), 0.0) == "3 engines, 2 playing"


def test_nothing_that_a_peer_wrote_can_command_the_terminal():
    out = io.StringIO()
    Console(out, live=False).note("Ada\x1b[2J\tBob\n")
    assert out.getvalue() == "Ada\N{REPLACEMENT CHARACTER}[2J Bob\n"


def live_view(level: Level = Level.NOTE) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    view = Console(out, live=True, level=level)
    view.progress.append(Progress("Fish", "seeking a game"))
    return view, out


def test_the_status_line_is_written_over_and_only_if_it_changed():
    view, out = live_view()
    view.draw(0.0)
    view.draw(1.0)
    assert out.getvalue() == ERASE + "Fish · seeking a game"
    view.clear()
    view.clear()
    assert out.getvalue() == ERASE + "Fish · seeking a game" + ERASE


def test_a_note_takes_the_place_of_the_status_line_which_comes_back_below():
    view, out = live_view()
    view.draw(0.0)
    view.note("game 1 begins")
    view.draw(0.0)
    status = ERASE + "Fish · seeking a game"
    assert out.getvalue() == status + ERASE + "game 1 begins\n" + status


def test_the_status_line_is_cut_to_the_width_of_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "10")
    view, out = live_view()
    view.draw(0.0)
    assert out.getvalue() == ERASE + "Fish · se"


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        (Level.WARNING, "warning\n"),
        (Level.NOTE, "warning\nnote\n"),
        (Level.DETAIL, "warning\nnote\ndetail\n"),
    ],
)
def test_only_what_was_asked_for_is_shown(level, shown):
    out = io.StringIO()
    view = Console(out, live=False, level=level)
    view.warn("warning")
    view.note("note")
    view.detail("detail")
    view.draw(0.0)
    assert out.getvalue() == shown


def test_a_quiet_bridge_has_no_status_line():
    view, out = live_view(Level.WARNING)
    view.draw(0.0)
    assert out.getvalue() == ""


async def test_the_status_line_is_kept_up_to_date(nursery, autojump_clock):
    import trio

    view, out = live_view()
    nursery.start_soon(view.run)
    await trio.sleep(1)
    view.progress[0].doing = "leaving"
    await trio.sleep(1)
    assert out.getvalue() == ERASE + "Fish · seeking a game" + ERASE + "Fish · leaving"


async def test_without_a_terminal_nothing_is_kept_up_to_date():
    await Console(io.StringIO(), live=False).run()


def test_a_fatal_error_goes_to_stderr_and_clears_the_status_line():
    out, errors = io.StringIO(), io.StringIO()
    view = Console(out, live=True, errors=errors)
    view.progress.append(Progress("Fish", "seeking a game"))
    view.draw(0.0)
    view.fail("no such engine\n  look \x1b[31mhere")
    assert out.getvalue() == ERASE + "Fish · seeking a game" + ERASE
    assert errors.getvalue() == "error: no such engine\n  look \N{REPLACEMENT CHARACTER}[31mhere\n"


class ClosedTerminal(io.StringIO):
    """What everything that is written to says once its window was closed."""

    def flush(self) -> None:
        raise OSError(5, "Input/output error")


def test_a_closed_terminal_does_not_stop_the_games():
    view = Console(ClosedTerminal(), live=True)
    view.progress.append(Progress("Fish", "seeking a game"))
    view.draw(0.0)
    view.warn("warning")
    view.fail("the end")
    view.clear()


def test_a_server_that_has_nothing_else_to_do_fills_no_disk_with_lines():
    out, now = io.StringIO(), [0.0]
    view = Console(out, live=False, clock=lambda: now[0])
    for number in range(5 * LINES_BURST):
        view.note(f"line {number}")
    assert len(out.getvalue().splitlines()) == LINES_BURST
    now[0] = 1000.0
    view.warn("the last")
    left_out, last = out.getvalue().splitlines()[-2:]
    assert left_out == f"{4 * LINES_BURST} lines were left out: too many at once"
    assert last == "the last"


def test_a_fatal_error_is_always_shown():
    out, errors = io.StringIO(), io.StringIO()
    view = Console(out, live=False, errors=errors, clock=lambda: 0.0)
    for _ in range(2 * LINES_BURST):
        view.note("x")
    view.fail("it cannot go on")
    assert errors.getvalue() == "error: it cannot go on\n"
