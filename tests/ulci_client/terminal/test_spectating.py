"""Who is here, and what others play."""

import pytest

from tests.support.terminal import lobby, playing, sent, told, welcomed
from ulci.protocol import Games, Message, Position, Seeks, Unwatch, Watch, Who


@pytest.mark.parametrize(
    ("typed", "message", "line"),
    [
        ("seeks", Seeks(), "seeks 0"),
        ("who", Who(), "who 0"),
        ("games", Games(), "games 0"),
    ],
)
def test_a_list_is_shown_to_who_asked_for_it(typed: str, message: Message, line: str) -> None:
    model = welcomed()
    assert told(lobby(model, line)) == []
    assert sent(model.typed(typed, 0.0)) == [message]
    assert told(lobby(model, line))[1:] == ["none"]


def test_the_only_game_need_not_be_named() -> None:
    model = welcomed()
    lobby(model, "games 1", "game 7 playing white Bob black Cid game chess time 60+0 ply 12")
    assert sent(model.typed("watch", 0.0)) == [Watch(7)]


@pytest.mark.parametrize("typed", ["lobby", "unwatch", "unwatch 7"])
def test_a_game_of_others_is_left_by_telling_the_server(typed: str) -> None:
    model = welcomed()
    lobby(model, "watch 7 white Bob black Cid game chess time 300+3 rated yes ply 2")
    model.hear(Position(None, ("e2e4",)), 0.0)
    assert sent(model.typed(typed, 0.0)) == [Unwatch(7)]
    assert model.state.watching


def test_one_game_is_left_for_the_next() -> None:
    model = welcomed()
    lobby(model, "watch 7 white Bob black Cid game chess time 300+3 rated yes ply 2")
    model.hear(Position(None, ("e2e4",)), 0.0)
    assert sent(model.typed("watch 8", 0.0)) == [Unwatch(7), Watch(8)]
    assert told(model.typed("watch 7", 0.0)) == ["error you are watching game 7 already"]


def test_what_is_not_watched_cannot_be_left() -> None:
    assert told(playing().typed("unwatch 9", 0.0)) == [
        "error you are not watching game 9; games lists what there is to watch"
    ]


def test_back_in_the_lobby_the_lists_are_fetched() -> None:
    model = playing(curious=True)
    lobby(model, "game 42 over result 1-0 reason resignation")
    assert sent(model.typed("lobby", 0.0)) == [Who(), Seeks()]
    assert model.state.game is None
    assert sent(welcomed().typed("lobby", 0.0)) == []
