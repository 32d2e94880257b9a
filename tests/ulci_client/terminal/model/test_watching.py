"""Other people's games."""

import pytest

from tests.support.terminal import lobby, playing, sent, text, to_move, told, welcomed
from ulci.protocol.messages import (
    Clock,
    Hello,
    Info,
    Message,
    Position,
    Score,
    Seeks,
    Unwatch,
    Watch,
    Who,
)
from ulci.rules import Side
from ulci_client.terminal.commands.complete import candidates
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.view.screen import screen
from ulci_client.terminal.view.status_line import status
from ulci_client.terminal.view.theme import ASCII

LINE = "watch 7 white Bob black Cid game chess time 300+3 rated yes ply 2"
MOVES = ("e2e4", "e7e5")


def watching(*moves: str, shows_lists: bool = False) -> Client:
    """Ada sees Bob and Cid play."""
    client = welcomed(shows_lists=shows_lists)
    lobby(client, LINE)
    client.hear(Position(None, moves or MOVES), 0.0)
    client.hear(Clock(wtime=200_000, btime=100_000), 0.0)
    return client


def shown(client: Client) -> str:
    return status(client.state, 0.0)[0]


def test_a_spectator_sees_players_clocks_and_moves() -> None:
    client = watching()
    drawn = text(screen(client.state, ASCII, 80, 24, 0.0))
    for part in ("game 7 Chess 300+3", "Bob", "Cid", "3:20", "1:40", "1 e4", "e5"):
        assert part in drawn, drawn
    assert shown(client) == "You are watching. Bob is to move. unwatch stops watching."
    assert told(client.hear(Position(None, (*MOVES, "g1f3")), 0.0)) == ["move g1f3 (Nf3)"]


def test_a_spectator_knows_how_many_moves_are_of_a_book() -> None:
    client = welcomed()
    lobby(client, f"{LINE} book 2")
    client.hear(Position(None, MOVES), 0.0)
    game = client.state.game
    assert game is not None
    assert game.book == 2


def test_a_spectator_is_told_at_which_level_an_engine_plays() -> None:
    client = welcomed()
    said = told(lobby(client, f"{LINE} black-level 3"))
    assert any("Bob - Cid level 3" in line for line in said)


def test_a_spectator_takes_no_side() -> None:
    client = watching()
    game = client.state.game
    assert game is not None
    assert (game.mine, client.state.playing, client.state.watching) == (None, False, True)
    assert game.clocks is not None
    assert game.clocks.running is Side.WHITE


@pytest.mark.parametrize("typed", ["Nf3", "g1f3", "draw", "resign", "takeback", "claim win"])
def test_a_spectator_cannot_meddle(typed: str) -> None:
    effects = watching().typed(typed, 0.0)
    assert sent(effects) == []
    assert "you are watching: " in told(effects)[0]
    assert told(effects)[0].endswith(" is for the players; unwatch stops watching")


def test_a_game_is_chosen_by_its_number() -> None:
    client = welcomed()
    assert sent(client.typed("watch 7", 0.0)) == [Watch(7)]
    assert told(client.typed("watch", 0.0)) == [
        "error watch which game? games lists them; write for example: watch 42"
    ]
    lobby(client, "games 1", "game 7 playing white Bob black Cid game chess time 60+0 ply 12")
    assert sent(client.typed("watch", 0.0)) == [Watch(7)]
    (one,) = candidates(client.state, "watch ")
    assert one == ("7", "Bob - Cid chess 60+0")


def test_one_game_is_watched_at_a_time() -> None:
    client = watching()
    assert sent(client.typed("watch 8", 0.0)) == [Unwatch(7), Watch(8)]
    assert told(client.typed("watch 7", 0.0)) == ["error you are already watching game 7"]


def test_a_player_cannot_watch() -> None:
    assert told(to_move().typed("watch 7", 0.0))[0].startswith("error watch must wait")


@pytest.mark.parametrize(
    ("typed", "message"),
    [("unwatch", Unwatch(7)), ("unwatch 7", Unwatch(7)), ("lobby", Unwatch(7))],
)
def test_a_spectator_leaves_when_the_server_says_so(typed: str, message: Message) -> None:
    client = watching(shows_lists=True)
    assert sent(client.typed(typed, 0.0)) == [message]
    assert client.state.game is not None
    effects = lobby(client, "unwatch 7")
    assert told(effects) == ["unwatch 7"]
    assert sent(effects) == [Who(), Seeks()]
    assert client.state.game is None


@pytest.mark.parametrize("typed", ["unwatch", "unwatch 9"])
def test_what_is_not_watched_cannot_be_left(typed: str) -> None:
    (line,) = told(playing().typed(typed, 0.0))
    assert line.startswith("error you are not watching ")


def test_the_end_of_a_game_stays_in_sight() -> None:
    client = watching()
    assert told(lobby(client, "game 7 over result 0-1 reason resignation", "unwatch 7")) == [
        "result 0-1 resignation Black wins by resignation",
        "unwatch 7",
    ]
    assert shown(client) == "Black wins by resignation. Type watch N, games, lobby or quit."
    client.typed("unwatch", 0.0)
    assert client.state.game is None


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
def test_analysis_are_shown(info: Info, thought: str) -> None:
    client = watching()
    assert told(client.hear(info, 0.0)) == [f"thought {thought}"]
    assert shown(client) == f"Thinking: {thought}"


def test_analysis_is_written_for_the_newest_position_where_it_is_legal() -> None:
    client = watching()
    knights = ("g1f3", "b8c6", "f3g1", "c6b8")
    client.hear(Position(None, (*MOVES, *knights * 3)), 0.0)
    # Not legal on the board that is shown, but on some before it.
    assert told(client.hear(Info(depth=1, pv=("f3e5", "c6e5")), 0.0)) == [
        "thought Bob depth 1: Nxe5 Nxe5"
    ]
    assert told(client.hear(Info(depth=1, pv=("a2a4", "h7h5")), 0.0)) == [
        "thought Bob depth 1: a4 h5"
    ]


def test_analysis_costs_the_same_in_long_and_short_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = watching(*(MOVES + ("g1f3", "b8c6", "f3g1", "c6b8") * 3))
    thought = Info(depth=1, pv=("g1f3", "b8c6"))
    client.hear(thought, 0.0)
    game = client.state.game
    assert game is not None
    kind, played = type(game.position), []
    play = kind.play_untrusted  # type: ignore[union-attr]

    def counted(position: object, move: str) -> object:
        played.append(move)
        return play(position, move)  # type: ignore[arg-type]

    monkeypatch.setattr(kind, "play_untrusted", counted)
    for _ in range(3):
        assert told(client.hear(thought, 0.0)) == ["thought Bob depth 1: Nf3 Nc6"]
    assert len(played) == 3 * len(thought.pv)
    client.hear(Position(None, MOVES), 0.0)  # moves were taken back
    assert told(client.hear(thought, 0.0)) == ["thought Bob depth 1: Nf3 Nc6"]


def test_on_the_screen_analysis_are_no_news() -> None:
    client = watching(shows_lists=True)
    assert client.hear(Info(depth=3, score=Score(cp=1)), 0.0) == []
    assert client.hear(Info(nodes=3), 0.0) == []
    assert shown(client) == "Thinking: +0.01, depth 3"


def test_of_a_game_of_ours_no_analysis_are_shown() -> None:
    assert to_move().hear(Info(depth=3, score=Score(cp=1)), 0.0) == []


def test_a_spectator_who_comes_back_watches_on() -> None:
    client = watching()
    client.lost("closed", 1.0, 1.0)
    client.connected(2.0)
    client.hear(Hello(), 2.0)
    assert sent(lobby(client, "welcome name Ada account no resume n3w")) == [Watch(7)]


def test_a_takeback_between_others_is_followed() -> None:
    client = watching()
    told_of = told(lobby(client, "game 7 offer takeback 1 from Bob", "game 7 takeback 1 ply 1"))
    assert told_of == ["offer takeback 1 from Bob", "takeback 1 ply 1"]
    assert told(client.hear(Position(None, MOVES[:1]), 0.0)) == []
    assert client.state.game is not None
    assert len(client.state.game.plies) == 1
