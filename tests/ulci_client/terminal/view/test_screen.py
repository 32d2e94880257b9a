import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.terminal import introduced, lobby, playing, text, to_move, welcomed
from ulci.protocol.messages import Blame, Info, Report
from ulci_client.terminal.view.rows import width
from ulci_client.terminal.view.screen import screen
from ulci_client.terminal.view.theme import ASCII, COLOR, FEW_COLORS, LETTERS, MONO, Theme

LOOKS = (COLOR, FEW_COLORS, LETTERS, MONO, ASCII)


def test_the_whole_screen_of_a_game() -> None:
    client = to_move("e2e4", "e7e5")
    lobby(client, "say Bob good luck")
    assert (
        text(screen(client.state, MONO, 80, 19, 1.0))
        == """\
 Ada · tcp://127.0.0.1:25565                        game 42 Chess 300+3 · rated
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
    rows = text(screen(welcomed(shows_lists=True).state, COLOR, 80, 23, 0.0)).splitlines()
    assert len(rows) == 23
    assert rows[0] == " Ada · tcp://127.0.0.1:25565"
    assert rows[1].startswith(" Open seeks")
    assert rows[-1] == " Type seek to seek a game, accept N to accept one, or help."


def test_moves_are_news_only_where_the_screen_may_be_read_aloud() -> None:
    client = playing("e2e4")
    assert "White: pawn e2 to e4." in text(screen(client.state, ASCII, 80, 23, 0.0))
    assert "White: pawn e2 to e4." not in text(screen(client.state, COLOR, 80, 23, 0.0))


def test_the_result_stands_in_the_last_line_once() -> None:
    client = to_move()
    client.hear(Info(string="result 1-0 reason resignation"), 0.0)
    drawn = text(screen(client.state, COLOR, 80, 23, 0.0))
    assert drawn.count("by resignation") == 1
    assert drawn.splitlines()[-1].startswith(" White wins by resignation. You win.")


def test_a_long_page_takes_the_whole_window() -> None:
    client = to_move()
    client.typed("help", 0.0)
    rows = text(screen(client.state, COLOR, 100, 40, 0.0)).splitlines()
    assert rows[3] == " Help"
    assert " (Enter: back)" in rows
    assert any(row.startswith(" quit ") for row in rows)


@pytest.mark.parametrize("page", ["help", "moves"])
@pytest.mark.parametrize(("columns", "rows"), [(80, 23), (120, 39), (60, 20), (40, 12)])
def test_both_clocks_are_seen_beside_and_above_a_page(page: str, columns: int, rows: int) -> None:
    client = to_move("e2e4", "e7e5", white="Adelaide", black="Bartholomew")
    client.typed(page, 0.0)
    drawn = text(screen(client.state, COLOR, columns, rows, 62.0))
    assert "3:58" in drawn
    assert "5:00" in drawn
    assert page.capitalize() in drawn


def test_stopped_clocks_are_not_shown_above_a_page() -> None:
    client = to_move()
    client.hear(Info(string="result 1-0 reason resignation"), 0.0)
    client.typed("help", 0.0)
    assert text(screen(client.state, COLOR, 80, 23, 0.0)).splitlines()[1] == " Help"


def test_a_page_that_is_too_long_is_cut() -> None:
    client = welcomed()
    client.typed("help", 0.0)
    rows = text(screen(client.state, COLOR, 80, 12, 0.0)).splitlines()
    assert rows[-3:] == [" …", " (Page Up, Page Down; Enter: back)", rows[-1]]


def test_a_lost_connection_is_seen_in_the_title() -> None:
    client = playing()
    client.lost("closed", 0.0, 2.0)
    drawn = text(screen(client.state, COLOR, 80, 23, 0.0))
    assert drawn.startswith(" Ada · disconnected from tcp://127.0.0.1:25565")
    assert "Disconnected: closed. Your seat is kept" in drawn


def test_long_news_is_wrapped_with_its_colour() -> None:
    client = welcomed()
    client.hear(Report(Blame.CLIENT, "word " * 30), 0.0)
    rows = screen(client.state, COLOR, 60, 23, 0.0)
    red = [row for row in rows if any(style == "class:news-error" for style, _ in row)]
    assert len(red) == 3


@pytest.mark.parametrize("theme", LOOKS, ids=lambda theme: theme.name)
def test_every_theme_has_a_style_for_each_class_that_is_used(theme: Theme) -> None:
    client = to_move("e2e4", "e7e5")
    rows = screen(client.state, theme, 80, 23, 1.0)
    classes = {style.removeprefix("class:") for row in rows for style, _ in row if "class" in style}
    if theme is COLOR:
        assert classes <= theme.style.keys() | {"news", "clock"}


def test_ascii_is_ascii_whatever_was_said() -> None:
    client = welcomed("Zoë")
    lobby(client, "say Żółw ♞ is a knight …")
    drawn = text(screen(client.state, ASCII, 40, 23, 0.0))
    assert drawn.isascii()
    assert "???w: ? is a knight ~" in drawn


STATES = (
    introduced().state,
    welcomed(shows_lists=True).state,
    to_move("e2e4", "e7e5").state,
    playing("e2e4", white="Bob" * 30, black="Ada").state,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(STATES), st.sampled_from(LOOKS), st.integers(1, 130), st.integers(0, 45))
def test_no_window_is_ever_overflowed(state: object, theme: Theme, columns: int, rows: int) -> None:
    drawn = screen(state, theme, columns, rows, 0.0)  # type: ignore[arg-type]
    assert len(drawn) == rows
    assert all(width(row) <= columns for row in drawn)
