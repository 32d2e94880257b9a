import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.terminal import introduced, lobby, playing, text, to_move, welcomed
from ulci.protocol import Blame, Info, Report
from ulci_client.terminal.look import ASCII, COLOR, FEW_COLORS, LETTERS, MONO, Look
from ulci_client.terminal.rows import width
from ulci_client.terminal.screen import screen

LOOKS = (COLOR, FEW_COLORS, LETTERS, MONO, ASCII)


def test_the_whole_screen_of_a_game() -> None:
    model = to_move("e2e4", "e7e5")
    lobby(model, "say Bob good luck")
    assert (
        text(screen(model.state, MONO, 80, 19, 1.0))
        == """\
 Ada · tcp://127.0.0.1:25565                        game 42 chess 300+3 · rated
 8  r  n  b  q  k  b  n  r     Bob                                         5:00
 7  p  p  p  p [·] p  p  p
 6     ·     ·     ·     ·   ───────────────────────────────────────────────────
 5  ·     ·    [p]    ·        1 e4        e5
 4     ·     ·  P  ·     ·
 3  ·     ·     ·     ·      ───────────────────────────────────────────────────
 2  P  P  P  P     P  P  P
 1  R  N  B  Q  K  B  N  R   ● Ada                                         4:59
    a  b  c  d  e  f  g  h




 Connected to tcp://127.0.0.1:25565.
 You are Ada here.
 You are White against Bob: chess 300+3, rated.
 Bob: good luck
 Your move."""
    )


def test_the_whole_screen_of_the_lobby() -> None:
    rows = text(screen(welcomed(curious=True).state, COLOR, 80, 23, 0.0)).splitlines()
    assert len(rows) == 23
    assert rows[0] == " Ada · tcp://127.0.0.1:25565"
    assert rows[1].startswith(" Open seeks")
    assert rows[-1] == " Type seek to look for a game, accept N to take one, or help."


def test_moves_are_news_only_where_the_screen_may_be_read_aloud() -> None:
    model = playing("e2e4")
    assert "White: pawn e2 to e4." in text(screen(model.state, ASCII, 80, 23, 0.0))
    assert "White: pawn e2 to e4." not in text(screen(model.state, COLOR, 80, 23, 0.0))


def test_the_result_stands_in_the_last_line_once() -> None:
    model = to_move()
    model.hear(Info(string="result 1-0 reason resignation"), 0.0)
    drawn = text(screen(model.state, COLOR, 80, 23, 0.0))
    assert drawn.count("Black resigned") == 1
    assert drawn.splitlines()[-1].startswith(" White wins: Black resigned. You win.")


def test_a_long_page_takes_the_whole_window() -> None:
    model = to_move()
    model.typed("help", 0.0)
    rows = text(screen(model.state, COLOR, 100, 40, 0.0)).splitlines()
    assert rows[3] == " Help"
    assert " (Enter: back)" in rows
    assert any(row.startswith(" quit ") for row in rows)


@pytest.mark.parametrize("page", ["help", "moves"])
@pytest.mark.parametrize(("columns", "rows"), [(80, 23), (120, 39), (60, 20), (40, 12)])
def test_both_clocks_are_seen_beside_and_above_a_page(page: str, columns: int, rows: int) -> None:
    model = to_move("e2e4", "e7e5", white="Adelaide", black="Bartholomew")
    model.typed(page, 0.0)
    drawn = text(screen(model.state, COLOR, columns, rows, 62.0))
    assert "3:58" in drawn
    assert "5:00" in drawn
    assert page.capitalize() in drawn


def test_a_page_needs_no_clocks_that_stand() -> None:
    model = to_move()
    model.hear(Info(string="result 1-0 reason resignation"), 0.0)
    model.typed("help", 0.0)
    assert text(screen(model.state, COLOR, 80, 23, 0.0)).splitlines()[1] == " Help"


def test_a_page_that_is_too_long_is_cut() -> None:
    model = welcomed()
    model.typed("help", 0.0)
    rows = text(screen(model.state, COLOR, 80, 12, 0.0)).splitlines()
    assert rows[-3:] == [" …", " (Page Up, Page Down; Enter: back)", rows[-1]]


def test_a_lost_line_is_seen_in_the_title() -> None:
    model = playing()
    model.lost("closed", 0.0, 2.0)
    drawn = text(screen(model.state, COLOR, 80, 23, 0.0))
    assert drawn.startswith(" Ada · no line to tcp://127.0.0.1:25565")
    assert "The line is lost: closed. Your seat is kept" in drawn


def test_long_news_is_wrapped_with_its_colour() -> None:
    model = welcomed()
    model.hear(Report(Blame.CLIENT, "word " * 30), 0.0)
    rows = screen(model.state, COLOR, 60, 23, 0.0)
    red = [row for row in rows if any(style == "class:news-error" for style, _ in row)]
    assert len(red) == 3


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.name)
def test_every_look_has_a_style_for_what_it_uses_or_needs_none(look: Look) -> None:
    model = to_move("e2e4", "e7e5")
    rows = screen(model.state, look, 80, 23, 1.0)
    classes = {style.removeprefix("class:") for row in rows for style, _ in row if "class" in style}
    if look is COLOR:
        assert classes <= look.style.keys() | {"news", "clock"}


def test_ascii_is_ascii_whatever_was_said() -> None:
    model = welcomed("Zoë")
    lobby(model, "say Żółw ♞ is a knight …")
    drawn = text(screen(model.state, ASCII, 40, 23, 0.0))
    assert drawn.isascii()
    assert "???w: ? is a knight ~" in drawn


STATES = (
    introduced().state,
    welcomed(curious=True).state,
    to_move("e2e4", "e7e5").state,
    playing("e2e4", white="Bob" * 30, black="Ada").state,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(STATES), st.sampled_from(LOOKS), st.integers(1, 130), st.integers(0, 45))
def test_no_window_is_ever_overflowed(state: object, look: Look, columns: int, rows: int) -> None:
    drawn = screen(state, look, columns, rows, 0.0)  # type: ignore[arg-type]
    assert len(drawn) == rows
    assert all(width(row) <= columns for row in drawn)
