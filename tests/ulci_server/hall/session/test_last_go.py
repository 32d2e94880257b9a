"""Of what a program thinks, the newest that says how it stands is kept for its move."""

import pytest

from ulci.protocol import Unread
from ulci.protocol.messages import Info, Score
from ulci_server.hall.session.last_go import LastGo

FIRST = Info(depth=9, score=Score(cp=30), pv=("e2e4",))


def test_the_newest_thought_belongs_to_one_move() -> None:
    last_go = LastGo()
    assert last_go.add_info(Info(depth=3, score=Score(cp=1)))
    assert last_go.add_info(FIRST)
    assert last_go.take_untrusted() == FIRST
    assert last_go.take_untrusted() is None


def test_what_came_before_it_was_asked_is_no_thought_of_this_position() -> None:
    last_go = LastGo()
    last_go.add_info(FIRST)
    last_go.begin(4)
    assert last_go.take_untrusted() is None
    assert last_go.number == 4


def test_no_answer_counts_once_it_was_told_to_stop() -> None:
    last_go = LastGo()
    last_go.begin(4)
    last_go.stop()
    assert last_go.number not in range(5)


@pytest.mark.parametrize(
    "thought",
    [
        Info(currmove="e2e4", currmovenumber=2),
        Info(depth=9, multipv=2, score=Score(cp=-50)),
        Unread("info currmove e2e4 currmovenumber 2"),
        Unread("info depth 9 multipv 2 score cp -50 pv a2a3"),
        Unread("info depth 9 multipv 12 score cp -50 pv a2a3"),
    ],
)
def test_what_does_not_say_how_it_stands_replaces_nothing(thought: Unread | Info) -> None:
    last_go = LastGo()
    last_go.add_info(FIRST)
    assert not last_go.add_info(thought)
    assert last_go.take_untrusted() == FIRST


@pytest.mark.parametrize("which", ["", "multipv 1 "])
def test_a_line_is_read_when_it_is_needed(which: str) -> None:
    last_go = LastGo()
    assert last_go.add_info(Unread(f"info depth 9 {which}score cp 30 pv e2e4"))
    info = last_go.take_untrusted()
    assert info is not None
    assert (info.depth, info.score, info.pv) == (9, Score(cp=30), ("e2e4",))


def test_what_cannot_be_read_in_a_line_is_left_out() -> None:
    last_go = LastGo()
    assert last_go.add_info(Unread("info depth nine score cp thirty nodes 7"))
    assert last_go.take_untrusted() == Info(nodes=7)
