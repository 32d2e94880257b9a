import pytest

from tests.support.terminal import introduced, lobby, playing, to_move, welcomed
from ulci.protocol.messages import Clock, Info, NewGame, Position
from ulci_client.terminal.model.state import ClientState
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.view.status_line import prompt, status

CHALLENGE = "challenge 18 player Bob kind human game chess time 60+0 color white rated no"


def told(client: Client, now: float = 0.0) -> str:
    return status(client.state, now)[0]


def test_in_the_lobby_it_says_how_to_find_a_game() -> None:
    client = welcomed()
    assert told(client) == "Type seek to seek a game, accept N to accept one, or help."
    lobby(client, "seek 3 player Ada kind human game chess time 60+0 color white rated no")
    assert told(client) == "Waiting for an opponent; unseek withdraws your seek."
    lobby(client, CHALLENGE)
    assert told(client) == "Bob challenges you: accept 18, or decline 18"


def test_without_a_lobby_there_is_nothing_but_waiting() -> None:
    assert told(introduced()) == "Waiting for the server to start a game."


def test_before_the_line_and_without_it() -> None:
    client = Client(ClientState("Ada", "tcp://here"))
    assert told(client) == "Connecting to tcp://here"
    client.lost("refused", 10.0, 5.0)
    assert told(client, 10.5) == "Disconnected; trying again in 5 s, until you quit."
    assert told(client, 11.5) == "Disconnected for 1 s; trying again in 4 s, until you quit."
    assert told(client, 99.0) == "Disconnected for 89 s; trying again in 0 s, until you quit."


def test_whose_turn_it_is() -> None:
    assert status(to_move().state, 0.0) == ("Your move.", "status-good")
    assert told(playing()) == "Waiting for Ada to move."
    assert told(to_move("f2f3", "e7e5", "e2e4", "d8h4")) == "Your move. You are in check."


def test_before_the_first_position() -> None:
    client = welcomed()
    client.hear(NewGame(), 0.0)
    assert told(client) == "The game is about to begin."


def test_an_offer_is_more_pressing_than_the_turn() -> None:
    client = to_move()
    lobby(client, "game 42 offer draw from Bob")
    assert told(client) == "Bob offers a draw: draw accepts it, a move declines."


def test_our_own_offer_is_remembered() -> None:
    client = playing("e2e4")
    client.typed("draw", 0.0)
    assert told(client) == "Waiting for Bob to move. Your draw offer stands until then."


def test_an_absent_opponent_has_a_time_to_come_back() -> None:
    client = playing("e2e4")
    lobby(client, "game 42 opponent away claim-in 30000", at=0.0)
    assert told(client, 10.5) == "Bob is away and has 20 s to come back."
    lobby(client, "game 42 opponent away")
    assert told(client) == "Bob is away and may stay away until the clock runs out."


def test_a_question_is_the_most_pressing() -> None:
    client = to_move()
    client.typed("resign", 0.0)
    assert told(client) == "Resign this game? yes or no"
    assert prompt(client.state) == (" yes or no > ", "prompt-turn")


@pytest.mark.parametrize(
    ("result", "text", "tone"),
    [
        ("1-0 reason checkmate", "White wins by checkmate. You win.", "status-good"),
        ("0-1 reason time", "Black wins on time. You lose.", "status-bad"),
        ("1/2-1/2 reason agreement", "Draw by agreement.", "status"),
    ],
)
def test_the_end_says_what_next(result: str, text: str, tone: str) -> None:
    client = to_move()
    client.hear(Info(string=f"result {result}"), 0.0)
    assert status(client.state, 0.0) == (f"{text} Type rematch, seek, save, lobby or quit.", tone)


def test_the_end_says_who_wants_another_game() -> None:
    client = to_move()
    client.hear(Info(string="result 1-0 reason time"), 0.0)
    lobby(client, CHALLENGE)
    assert told(client).endswith("Bob wants another game: accept 18")


def test_the_end_says_for_whom_we_wait() -> None:
    client = to_move()
    client.hear(Info(string="result 1-0 reason time"), 0.0)
    lobby(client, "challenging 19 player Bob")
    assert told(client).endswith(
        "You win. Waiting for Bob to answer; unseek 19 withdraws the challenge."
    )
    lobby(client, "seek 3 player Ada kind human game chess time 60+0 color white rated no")
    assert told(client).endswith("Waiting for an opponent; unseek withdraws your seek.")


def test_the_end_without_a_lobby_promises_nothing() -> None:
    client = introduced()
    client.hear(Position(None, ()), 0.0)
    client.hear(Clock(), 0.0)
    client.hear(Info(string="result 1/2-1/2 reason agreement"), 0.0)
    assert told(client) == "Draw by agreement."


def test_back_on_the_connection_the_board_may_be_old() -> None:
    client = playing("e2e4")
    client.lost("closed", 1.0, 1.0)
    client.connected(2.0)
    assert told(client) == "Reconnected to tcp://127.0.0.1:25565; waiting for its answer."
    assert client.state.game is not None
    client.state.line = welcomed().state.line
    assert told(client) == "Reconnected; waiting for the position."


def test_a_board_that_cannot_be_shown_has_no_turn() -> None:
    client = introduced()
    client.hear(Position("nonsense"), 0.0)
    assert told(client) == "Waiting."


def test_the_prompt_is_marked_when_a_move_is_due() -> None:
    assert prompt(to_move().state) == (" > ", "prompt-turn")
    assert prompt(playing().state) == (" > ", "prompt")
