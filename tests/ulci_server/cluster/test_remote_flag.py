"""The flag of a player at another server falls only by what that server says."""

import pytest
import trio

from tests.support.clock_field import Field, in_field
from ulci.protocol.messages import Draw
from ulci.rules import Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.remote_flag import LOOK_AGAIN, hold_flag
from ulci_server.game import Away, Commanded, EventKind, TimeRuled

FIRST = 40.0
"""Seconds on Bob's clock before his first move."""


def test_it_falls_when_the_server_says_that_nobody_has_answered() -> None:
    def scenario(field: Field) -> None:
        field.pass_by(FIRST - 0.01)
        assert field.over is None
        field.pass_by(0.02)
        assert field.over is not None

    in_field(scenario)


def test_it_waits_for_a_server_that_says_nothing_and_looks_again() -> None:
    def scenario(field: Field) -> None:
        field.pass_by(FIRST - 1.0)
        field.silence(2, 3.0)
        field.answers()
        field.pass_by(1.5)
        assert field.table._alarm.due <= 40.5 + LOOK_AGAIN
        field.pass_by(1.0)
        assert field.over is None
        field.pass_by(1.0)
        assert field.replies[0].spent - field.replies[0].stall == 39_000

    in_field(scenario)


@pytest.mark.parametrize(
    "event",
    [
        lambda at: Commanded(Side.WHITE, at, Draw()),
        lambda at: Away(Side.WHITE, at),
        lambda at: TimeRuled(Side.WHITE, at, 5_000, "Root", ""),
    ],
)
def test_it_waits_for_the_server_whatever_else_happens_in_the_game(event) -> None:
    def scenario(field: Field) -> None:
        field.pass_by(FIRST - 1.0)
        field.silence(2, 3.0)
        field.answers()
        field.pass_by(1.5)
        field.table.handle(event(trio.current_time()))
        field.pass_by(0.0)
        assert field.over is None
        field.pass_by(2.5)
        assert field.replies[0].spent - field.replies[0].stall == 39_000

    in_field(scenario)


def test_a_game_that_is_given_away_meanwhile_goes_on() -> None:
    def scenario(field: Field) -> None:
        field.pass_by(FIRST - 1.0)
        field.silence(2, 3.0)
        field.answers()
        field.pass_by(1.5)
        facts = field.table.leave(trio.current_time())
        assert [fact.what for fact in facts] == [EventKind.PAUSED]

    in_field(scenario)


@pytest.mark.parametrize(("late", "due"), [(0.0, 40.0), (0.3, 40.3)])
def test_it_falls_later_by_as_much_as_the_go_was_under_way(late, due) -> None:
    def scenario(field: Field) -> None:
        field.delay = late
        field.answers()
        field.pass_by(2 * late)
        field.delay = 0.0
        left = field.replies[0].left / 1000
        field.pass_by(left - 0.05)
        assert field.over is None
        field.pass_by(0.1)
        assert field.over is not None

    in_field(scenario)


def test_one_who_is_here_is_known_without_a_look() -> None:
    def scenario(field: Field) -> None:
        field.answers()
        field.pass_by = None
        field._happen()
        assert field.table.game.mover is Side.WHITE
        assert not hold_flag(field.table)

    in_field(scenario)


def test_a_look_about_another_turn_says_nothing() -> None:
    def scenario(field: Field) -> None:
        field.pass_by(39.0)
        late = said.Looked(1, 1, Side.BLACK, 7, 100.0)
        field.servers[1].owner.hear(2, late)
        assert field.over is None

    in_field(scenario)


def test_it_falls_by_the_clock_here_while_the_player_is_away() -> None:
    def scenario(field: Field) -> None:
        field.table.handle(Away(Side.BLACK, trio.current_time()))
        field.pass_by(FIRST + 1.0)
        assert field.over is not None

    in_field(scenario)
