import pytest

from tests.support.terminal import introduced, lobby, playing, to_move, welcomed
from ulci.protocol import Clock, Info, NewGame, Position
from ulci_client.terminal.model import Model
from ulci_client.terminal.status import prompt, status

CHALLENGE = "challenge 18 player Bob kind human game chess time 60+0 color white rated no"


def told(model: Model, now: float = 0.0) -> str:
    return status(model.state, now)[0]


def test_in_the_lobby_it_says_how_to_find_a_game() -> None:
    model = welcomed()
    assert told(model) == "Type seek to look for a game, accept N to take one, or help."
    lobby(model, "seek 3 player Ada kind human game chess time 60+0 color white rated no")
    assert told(model) == "Waiting for somebody to play with; unseek stops looking."
    lobby(model, CHALLENGE)
    assert told(model) == "Bob challenges you: accept 18, or decline 18"


def test_without_a_lobby_there_is_nothing_but_waiting() -> None:
    assert told(introduced()) == "Waiting for the server to start a game."


def test_before_the_line_and_without_it() -> None:
    model = Model("Ada", "tcp://here")
    assert told(model) == "Connecting to tcp://here"
    model.lost("refused", 10.0, 5.0)
    assert told(model, 10.5) == "The line is lost; trying again in 5 s, until you quit."
    assert told(model, 11.5) == "No line for 1 s; trying again in 4 s, until you quit."
    assert told(model, 99.0) == "No line for 89 s; trying again in 0 s, until you quit."


def test_whose_turn_it_is() -> None:
    assert status(to_move().state, 0.0) == ("Your move.", "status-good")
    assert told(playing()) == "Waiting for Ada to move."
    assert told(to_move("f2f3", "e7e5", "e2e4", "d8h4")) == "Your move. You are in check."


def test_before_the_first_position() -> None:
    model = welcomed()
    model.hear(NewGame(), 0.0)
    assert told(model) == "The game is about to begin."


def test_an_offer_is_more_pressing_than_the_turn() -> None:
    model = to_move()
    lobby(model, "game 42 offer draw from Bob")
    assert told(model) == "Bob offers a draw: draw accepts it, a move declines."


def test_our_own_offer_is_remembered() -> None:
    model = playing("e2e4")
    model.typed("draw", 0.0)
    assert told(model) == "Waiting for Bob to move. Your draw offer stands until then."


def test_who_is_away_has_so_long_to_come_back() -> None:
    model = playing("e2e4")
    lobby(model, "game 42 opponent away claim-in 30000", at=0.0)
    assert told(model, 10.5) == "Bob is away and has 20 s to come back."
    lobby(model, "game 42 opponent away")
    assert told(model) == "Bob is away and may stay away until the clock runs out."


def test_a_question_is_the_most_pressing() -> None:
    model = to_move()
    model.typed("resign", 0.0)
    assert told(model) == "Resign this game? yes or no"
    assert prompt(model.state) == (" yes or no > ", "prompt-turn")


@pytest.mark.parametrize(
    ("result", "text", "tone"),
    [
        ("1-0 reason checkmate", "White wins by checkmate. You win.", "status-good"),
        ("0-1 reason time", "Black wins on time. You lose.", "status-bad"),
        ("1/2-1/2 reason agreement", "Draw by agreement.", "status"),
    ],
)
def test_the_end_says_what_next(result: str, text: str, tone: str) -> None:
    model = to_move()
    model.hear(Info(string=f"result {result}"), 0.0)
    assert status(model.state, 0.0) == (f"{text} Type rematch, seek, save, lobby or quit.", tone)


def test_the_end_says_who_wants_another_game() -> None:
    model = to_move()
    model.hear(Info(string="result 1-0 reason time"), 0.0)
    lobby(model, CHALLENGE)
    assert told(model).endswith("Bob wants another game: accept 18")


def test_the_end_says_for_whom_we_wait() -> None:
    model = to_move()
    model.hear(Info(string="result 1-0 reason time"), 0.0)
    lobby(model, "challenging 19 player Bob")
    assert told(model).endswith(
        "You win. Waiting for Bob to answer; unseek 19 takes the challenge back."
    )
    lobby(model, "seek 3 player Ada kind human game chess time 60+0 color white rated no")
    assert told(model).endswith("Waiting for somebody to play with; unseek stops looking.")


def test_the_end_without_a_lobby_promises_nothing() -> None:
    model = introduced()
    model.hear(Position(None, ()), 0.0)
    model.hear(Clock(), 0.0)
    model.hear(Info(string="result 1/2-1/2 reason agreement"), 0.0)
    assert told(model) == "Draw by agreement."


def test_back_on_the_line_the_board_may_be_old() -> None:
    model = playing("e2e4")
    model.lost("closed", 1.0, 1.0)
    model.connected(2.0)
    assert told(model) == "Back on a line to tcp://127.0.0.1:25565; it is not answered yet."
    assert model.state.game is not None
    model.state.line = welcomed().state.line
    assert told(model) == "Back on the line; waiting for the position."


def test_a_board_that_cannot_be_shown_has_no_turn() -> None:
    model = introduced()
    model.hear(Position("nonsense"), 0.0)
    assert told(model) == "Waiting."


def test_the_prompt_is_marked_when_a_move_is_due() -> None:
    assert prompt(to_move().state) == (" > ", "prompt-turn")
    assert prompt(playing().state) == (" > ", "prompt")
