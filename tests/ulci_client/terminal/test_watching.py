"""Other people's games."""

import pytest

from tests.support.terminal import lobby, playing, sent, text, to_move, told, welcomed
from ulci.protocol import Clock, Hello, Info, Message, Position, Score, Seeks, Unwatch, Watch, Who
from ulci.rules import Side
from ulci_client.terminal.complete import candidates
from ulci_client.terminal.look import ASCII
from ulci_client.terminal.model import Model
from ulci_client.terminal.screen import screen
from ulci_client.terminal.status import status

LINE = "watch 7 white Bob black Cid game chess time 300+3 rated yes ply 2"
MOVES = ("e2e4", "e7e5")


def watching(*moves: str, curious: bool = False) -> Model:
    """Ada sees Bob and Cid play."""
    model = welcomed(curious=curious)
    lobby(model, LINE)
    model.hear(Position(None, moves or MOVES), 0.0)
    model.hear(Clock(wtime=200_000, btime=100_000), 0.0)
    return model


def shown(model: Model) -> str:
    return status(model.state, 0.0)[0]


def test_a_watcher_sees_players_clocks_and_moves() -> None:
    model = watching()
    drawn = text(screen(model.state, ASCII, 80, 24, 0.0))
    for part in ("game 7 chess 300+3", "Bob", "Cid", "3:20", "1:40", "1 e4", "e5"):
        assert part in drawn, drawn
    assert shown(model) == "You are watching. Bob is to move. unwatch leaves."
    assert told(model.hear(Position(None, (*MOVES, "g1f3")), 0.0)) == ["move g1f3 (Nf3)"]


def test_a_watcher_takes_no_side() -> None:
    model = watching()
    game = model.state.game
    assert game is not None
    assert (game.mine, model.state.playing, model.state.watching) == (None, False, True)
    assert game.clocks is not None
    assert game.clocks.running is Side.WHITE


@pytest.mark.parametrize("typed", ["Nf3", "g1f3", "draw", "resign", "takeback", "claim win"])
def test_a_watcher_cannot_meddle(typed: str) -> None:
    effects = watching().typed(typed, 0.0)
    assert sent(effects) == []
    assert "you are watching: " in told(effects)[0]
    assert told(effects)[0].endswith(" is for the players; unwatch leaves")


def test_a_game_is_chosen_by_its_number() -> None:
    model = welcomed()
    assert sent(model.typed("watch 7", 0.0)) == [Watch(7)]
    assert told(model.typed("watch", 0.0)) == [
        "error watch which game? games lists them; write for example: watch 42"
    ]
    lobby(model, "games 1", "game 7 playing white Bob black Cid game chess time 60+0 ply 12")
    assert sent(model.typed("watch", 0.0)) == [Watch(7)]
    (one,) = candidates(model.state, "watch ")
    assert one == ("7", "Bob - Cid chess 60+0")


def test_one_game_is_watched_at_a_time() -> None:
    model = watching()
    assert sent(model.typed("watch 8", 0.0)) == [Unwatch(7), Watch(8)]
    assert told(model.typed("watch 7", 0.0)) == ["error you are watching game 7 already"]


def test_who_plays_does_not_watch() -> None:
    assert told(to_move().typed("watch 7", 0.0))[0].startswith("error watch must wait")


@pytest.mark.parametrize(
    ("typed", "message"),
    [("unwatch", Unwatch(7)), ("unwatch 7", Unwatch(7)), ("lobby", Unwatch(7))],
)
def test_a_watcher_leaves_when_the_server_says_so(typed: str, message: Message) -> None:
    model = watching(curious=True)
    assert sent(model.typed(typed, 0.0)) == [message]
    assert model.state.game is not None
    effects = lobby(model, "unwatch 7")
    assert told(effects) == ["unwatch 7"]
    assert sent(effects) == [Who(), Seeks()]
    assert model.state.game is None


@pytest.mark.parametrize("typed", ["unwatch", "unwatch 9"])
def test_what_is_not_watched_cannot_be_left(typed: str) -> None:
    (line,) = told(playing().typed(typed, 0.0))
    assert line.startswith("error you are not watching ")


def test_the_end_of_a_game_stays_in_sight() -> None:
    model = watching()
    assert told(lobby(model, "game 7 over result 0-1 reason resignation", "unwatch 7")) == [
        "result 0-1 resignation Black wins: White resigned",
        "unwatch 7",
    ]
    assert shown(model) == "Black wins: White resigned. Type watch N, games, lobby or quit."
    model.typed("unwatch", 0.0)
    assert model.state.game is None


def test_other_games_end_without_notice() -> None:
    assert lobby(watching(), "unwatch 8") == []


@pytest.mark.parametrize(
    ("info", "thought"),
    [
        (Info(depth=12, score=Score(cp=34), pv=("g1f3", "b8c6")), "Bob +0.34, depth 12: Nf3 Nc6"),
        (Info(score=Score(mate=-3)), "mate in -3"),
        (Info(depth=3, pv=("b8c6", "f1b5")), "Cid depth 3: Nc6 Bb5"),  # of the position before
        (Info(depth=3, pv=("d7d5", "e4d5")), "Cid depth 3: d5 exd5"),
        (Info(depth=3, pv=("c3e4", "g8f6")), "depth 3: c3e4 g8f6"),  # of no position of this game
    ],
)
def test_thoughts_are_shown(info: Info, thought: str) -> None:
    model = watching()
    assert told(model.hear(info, 0.0)) == [f"thought {thought}"]
    assert shown(model) == f"Thinking: {thought}"


def test_a_thought_is_written_by_the_newest_board_from_which_it_goes_on() -> None:
    model = watching()
    knights = ("g1f3", "b8c6", "f3g1", "c6b8")
    model.hear(Position(None, (*MOVES, *knights * 3)), 0.0)
    # Not legal on the board that is shown, but on some before it.
    assert told(model.hear(Info(depth=1, pv=("f3e5", "c6e5")), 0.0)) == [
        "thought Bob depth 1: Nxe5 Nxe5"
    ]
    assert told(model.hear(Info(depth=1, pv=("a2a4", "h7h5")), 0.0)) == [
        "thought Bob depth 1: a4 h5"
    ]


def test_a_thought_costs_as_much_in_a_long_game_as_in_a_short_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = watching(*(MOVES + ("g1f3", "b8c6", "f3g1", "c6b8") * 3))
    thought = Info(depth=1, pv=("g1f3", "b8c6"))
    model.hear(thought, 0.0)
    game = model.state.game
    assert game is not None
    kind, played = type(game.position), []
    play = kind.play_untrusted  # type: ignore[union-attr]

    def counted(position: object, move: str) -> object:
        played.append(move)
        return play(position, move)  # type: ignore[arg-type]

    monkeypatch.setattr(kind, "play_untrusted", counted)
    for _ in range(3):
        assert told(model.hear(thought, 0.0)) == ["thought Bob depth 1: Nf3 Nc6"]
    assert len(played) == 3 * len(thought.pv)
    model.hear(Position(None, MOVES), 0.0)  # moves were taken back
    assert told(model.hear(thought, 0.0)) == ["thought Bob depth 1: Nf3 Nc6"]


def test_on_the_screen_thoughts_are_no_news() -> None:
    model = watching(curious=True)
    assert model.hear(Info(depth=3, score=Score(cp=1)), 0.0) == []
    assert model.hear(Info(nodes=3), 0.0) == []
    assert shown(model) == "Thinking: +0.01, depth 3"


def test_of_a_game_of_ours_no_thoughts_are_shown() -> None:
    assert to_move().hear(Info(depth=3, score=Score(cp=1)), 0.0) == []


def test_a_watcher_who_comes_back_watches_on() -> None:
    model = watching()
    model.lost("closed", 1.0, 1.0)
    model.connected(2.0)
    model.hear(Hello(), 2.0)
    assert sent(lobby(model, "welcome name Ada account no resume n3w")) == [Watch(7)]


def test_a_takeback_between_others_is_followed() -> None:
    model = watching()
    told_of = told(lobby(model, "game 7 offer takeback 1 from Bob", "game 7 takeback 1 ply 1"))
    assert told_of == ["offer takeback 1 from Bob", "takeback 1 ply 1"]
    assert told(model.hear(Position(None, MOVES[:1]), 0.0)) == []
    assert model.state.game is not None
    assert len(model.state.game.plies) == 1
