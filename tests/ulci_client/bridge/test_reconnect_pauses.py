"""How long to wait before the next call. Chance gives the longest pauses."""

from ulci_client.bridge.reconnect_pauses import (
    DOUBT,
    GOOD_LINE,
    LONGEST_DOUBTFUL_PAUSE,
    LONGEST_GAME_PAUSE,
    LostConnection,
    RedialPolicy,
)


def pauses(*losses: LostConnection) -> list[float]:
    redial = RedialPolicy(lambda: 1.0)
    return [redial.pause(lost) for lost in losses]


def test_a_server_that_is_gone_is_called_less_and_less_often() -> None:
    gone = [LostConnection(100.0 * n, greeted=False) for n in range(7)]
    assert pauses(*gone) == [2, 4, 8, 16, 32, 60, 60]


def test_after_a_good_line_it_begins_anew() -> None:
    gone = LostConnection(0.0, greeted=False)
    assert pauses(gone, gone, LostConnection(100.0, GOOD_LINE), gone) == [2, 4, 2, 4]
    hung = LostConnection(100.0, GOOD_LINE, greeted=False)  # a call that nobody took is no line
    assert pauses(gone, gone, hung) == [2, 4, 8]


def test_in_a_game_it_never_waits_for_long() -> None:
    gone = [LostConnection(100.0 * n, greeted=False, in_game=True) for n in range(1, 9)]
    assert pauses(LostConnection(0.0, in_game=True), *gone)[:3] == [0.5, 1, LONGEST_GAME_PAUSE]
    assert pauses(LostConnection(0.0, in_game=True), *gone)[3:] == [LONGEST_GAME_PAUSE] * 6
    assert pauses(gone[0], LostConnection(200.0, in_game=True), gone[1]) == [0.5, 0.5, 1]


def test_it_never_waits_long_where_a_game_may_have_begun() -> None:
    asked = LostConnection(0.0, asked=True)
    gone = [LostConnection(at, greeted=False, asked=True) for at in (1.0, 30.0, DOUBT - 1)]
    assert pauses(asked, *gone) == [0.5, 1, LONGEST_GAME_PAUSE, LONGEST_GAME_PAUSE]


def test_later_it_waits_longer_but_not_as_long_as_a_seat_may_be_kept() -> None:
    asked = LostConnection(0.0, asked=True)
    gone = [LostConnection(DOUBT + 100 * n, greeted=False, asked=True) for n in range(5)]
    most = LONGEST_DOUBTFUL_PAUSE
    assert pauses(asked, *gone) == [0.5, 2, 4, 8, most, most]


def test_a_server_that_crashes_at_every_seek_is_not_hammered() -> None:
    falls = [LostConnection(40.0 * n, asked=True) for n in range(8)]
    assert pauses(*falls) == [0.5, 1, 2, 4, 8, 16, 32, 60]


def test_but_a_good_line_or_a_game_makes_the_next_seek_as_good_as_the_first() -> None:
    first, later = LostConnection(0.0, asked=True), LostConnection(200.0, GOOD_LINE, asked=True)
    assert pauses(first, later) == [0.5, 0.5]
    game, then = LostConnection(100.0, in_game=True), LostConnection(200.0, asked=True)
    assert pauses(first, game, then) == [0.5, 0.5, 1]
