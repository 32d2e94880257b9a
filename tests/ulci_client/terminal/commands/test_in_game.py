"""What a person may do in a game beside moving."""

import pytest

from tests.support.terminal import lobby, playing, sent, to_move, told
from ulci.protocol.messages import Berserk, Claim, GiveTime, Info, Message, Takeback
from ulci.rules import Side
from ulci_client.terminal.shell.client import Client


def answer(client: Client, text: str) -> list[str]:
    return told(client.typed(text, 0.0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("takeback", Takeback()),
        ("takeback 2", Takeback(2)),
        ("/takeback  1", Takeback(1)),
        ("givetime 15", GiveTime(15_000)),
        ("givetime 0.5", GiveTime(500)),
    ],
)
def test_what_is_asked_of_a_game_is_sent(text: str, message: Message) -> None:
    assert sent(to_move("e2e4", "e7e5").typed(text, 0.0)) == [message]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("takeback 0", 'error "takeback 0": it takes the number of half-moves'),
        ("takeback 3", "error only 2 half-moves can be taken back"),
        ("givetime", 'error "givetime": it takes seconds'),
        ("givetime lots", 'error "givetime lots": it takes seconds'),
        ("claim", 'error "claim": it needs win or draw; use: claim win|draw'),
        ("claim win", "error Bob is not away, so no win can be claimed"),
    ],
)
def test_what_cannot_be_is_refused_at_once(text: str, why: str) -> None:
    effects = to_move("e2e4", "e7e5").typed(text, 0.0)
    assert sent(effects) == []
    assert told(effects)[0].startswith(why)


@pytest.mark.parametrize("text", ["abort", "takeback", "givetime 15"])
def test_what_the_conduct_of_the_game_forbids_is_refused_at_once(text: str) -> None:
    client = to_move("e2e4", "e7e5")
    again = "game 42 start white Ada black Bob game chess time 300+3 rated yes"
    command = text.split()[0]
    lobby(client, f"{again} conduct no-{command}")
    effects = client.typed(text, 0.0)
    assert sent(effects) == []
    assert told(effects) == [f"error there is no {command} in this game"]


def test_there_is_no_rematch_of_a_game_whose_conduct_forbids_it() -> None:
    client = to_move("e2e4", "e7e5")
    again = "game 42 start white Ada black Bob game chess time 300+3 rated yes"
    lobby(client, f"{again} conduct no-rematch")
    client.hear(Info(string="result 1-0 reason resignation"), 0.0)
    lobby(client, "game 42 over result 1-0 reason resignation")
    assert answer(client, "rematch") == ["error there is no rematch in this game"]


def test_nothing_is_taken_back_before_anybody_moved() -> None:
    assert answer(to_move(), "takeback") == ["error there is no move to take back yet"]


@pytest.mark.parametrize(
    ("book", "text", "why"),
    [
        (2, "takeback", "error there is no move to take back yet"),
        (1, "takeback 2", "error only 1 half-move can be taken back"),
    ],
)
def test_no_move_of_a_book_is_taken_back(book: int, text: str, why: str) -> None:
    client = to_move("e2e4", "e7e5")
    again = "game 42 start white Ada black Bob game chess time 300+3 rated yes"
    lobby(client, f"{again} book {book}")
    assert answer(client, text) == [why]


def test_a_takeback_is_granted_in_as_many_ways_as_it_can_be_said() -> None:
    for text in ("takeback", "takeback 2", "accept"):
        client = to_move("e2e4", "e7e5")
        assert told(lobby(client, "game 42 offer takeback 2 from Bob")) == [
            "offer takeback 2 from Bob"
        ]
        effects = client.typed(text, 0.0)
        assert told(effects) == ["ok takeback accepted"]
        assert sent(effects) == [Takeback(2)]


def test_a_takeback_of_another_number_is_refused() -> None:
    client = to_move("e2e4", "e7e5")
    lobby(client, "game 42 offer takeback 2 from Bob")
    effects = client.typed("takeback 1", 0.0)
    assert told(effects) == [
        "error Bob asks to take back 2 half-moves: takeback agrees to just that"
    ]
    assert sent(effects) == []


def test_two_offers_are_told_apart() -> None:
    client = to_move("e2e4", "e7e5")
    lobby(client, "game 42 offer takeback 2 from Bob", "game 42 offer draw from Bob")
    assert answer(client, "accept") == ["error which? write draw, or takeback"]
    assert answer(client, "decline") == ["error an offer is declined by making a move"]


def test_to_move_declines_a_takeback() -> None:
    client = to_move("e2e4", "e7e5")
    lobby(client, "game 42 offer takeback 2 from Bob")
    client.typed("d4", 0.0)
    assert client.state.game is not None
    assert client.state.game.offers == set()


def test_a_game_is_claimed_when_the_opponent_has_been_away_for_long_enough() -> None:
    client = playing("e2e4")
    lobby(client, "game 42 opponent away claim-in 30000", at=0.0)
    early = client.typed("claim win", 29.5)
    assert (told(early), sent(early)) == (["error not yet: Bob has 1 s to come back"], [])
    assert sent(client.typed("claim win", 30.0)) == [Claim("win")]
    assert sent(client.typed("claim draw", 30.0)) == [Claim("draw")]


def test_a_draw_by_the_rules_is_the_servers_to_judge() -> None:
    assert sent(to_move("e2e4", "e7e5").typed("claim draw", 0.0)) == [Claim("draw")]


def test_a_win_can_be_claimed_if_the_opponent_is_gone() -> None:
    client = playing("e2e4")
    lobby(client, "game 42 opponent gone")
    assert sent(client.typed("claim win", 0.0)) == [Claim("win")]


def test_where_the_clock_decides_nothing_is_claimed() -> None:
    client = playing("e2e4")
    lobby(client, "game 42 opponent away")
    assert answer(client, "claim win") == [
        "error not yet: Bob may stay away until the clock runs out"
    ]


def test_time_is_given_where_there_are_clocks() -> None:
    client = playing("e2e4")
    assert answer(client, "givetime 15") == ["error there are no clocks in this game"]
    client = to_move()
    assert client.state.game is not None
    assert client.state.game.clocks is not None
    assert told(lobby(client, "game 42 givetime 15000 to black from Ada")) == [
        "givetime 0:15 to black from Ada"
    ]
    assert client.state.game.clocks.remaining(Side.BLACK, 0.0) == 315_000
    assert client.state.game.clocks.remaining(Side.WHITE, 0.0) == 300_000


def in_arena(*moves: str) -> Client:
    client = to_move(*moves)
    again = "game 42 start white Ada black Bob game chess time 300+3 rated yes"
    lobby(client, f"{again} conduct no-abort,berserk")
    return client


def test_berserk_is_said_before_the_own_first_move() -> None:
    assert sent(in_arena().typed("berserk", 0.0)) == [Berserk()]
    effects = in_arena("e2e4", "e7e5").typed("berserk", 0.0)
    assert sent(effects) == []
    assert told(effects) == ["error berserk is said before your first move"]


def test_berserk_is_for_games_of_an_arena() -> None:
    assert answer(to_move(), "berserk") == ["error there is no berserk in this game"]


def test_who_goes_berserk_is_told() -> None:
    client = in_arena()
    for side, name in (("white", "Ada"), ("black", "Bob")):
        heard = told(lobby(client, f"game 42 berserk {side} from {name}"))
        assert heard == [f"berserk {side} {name}"]


def test_the_board_is_turned_round() -> None:
    client = to_move()
    assert answer(client, "flip") == ["ok flipped"]
    assert answer(client, "board")[1].startswith(" 1 R N B K")


def test_the_game_is_told_in_lines() -> None:
    client = to_move("e2e4", "e7e5")
    assert answer(client, "moves") == ["Moves", "1. e4 e5"]
    assert answer(client, "clock") == ["clock white 5:00 black 5:00 running white"]
    [fen] = answer(client, "fen")
    assert fen.startswith("fen rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w")
    assert len(answer(client, "board")) == 10
