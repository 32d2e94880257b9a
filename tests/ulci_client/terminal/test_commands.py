import pytest

from tests.support.terminal import introduced, lobby, sent, to_move, told, welcomed
from ulci.protocol import (
    Abort,
    Accept,
    Challenge,
    Decline,
    Draw,
    Games,
    Message,
    Quit,
    Rematch,
    Resign,
    Seek,
    Seeks,
    Terms,
    Unseek,
    Who,
)
from ulci_client.terminal.commands import COMMANDS
from ulci_client.terminal.confirm import FENCES
from ulci_client.terminal.model import Model
from ulci_client.terminal.state import Exit, Leave


def answer(model: Model, text: str) -> list[str]:
    return told(model.typed(text, 0.0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("resign yes", Resign()),
        ("draw", Draw()),
        ("abort", Abort()),
        ("seeks", Seeks()),
        ("who", Who()),
        ("games", Games()),
        ("unseek", Unseek()),
        ("unseek 17", Unseek(17)),
        ("decline 18", Decline(18)),
    ],
)
def test_what_is_said_during_a_game(text: str, message: Message) -> None:
    assert sent(to_move().typed(text, 0.0)) == [message]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seek", Seek()),
        ("seek 300+3 white", Seek(Terms(time="300+3", color="white"))),
        ("accept 17", Accept(17)),
        ("challenge Bob", Challenge("Bob")),
        ("challenge Bob time 60+0", Challenge("Bob", Terms(time="60+0"))),
        ("rematch", Rematch()),
        ("quit", Quit()),
    ],
)
def test_what_is_said_between_games(text: str, message: Message) -> None:
    assert sent(welcomed().typed(text, 0.0)) == [message]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("say", "say what? write: say good luck"),
        ("seek pink", "pink says nothing about a game"),
        ("accept x", "x is not a number; write for example: accept 17"),
        ("accept", "which? write for example: accept 17"),
        ("decline", "which? write for example: decline 18"),
        ("unseek x", "x is not a number"),
        ("challenge", "challenge whom?"),
        ("help xyzzy", "there is no command xyzzy; help lists them"),
        ("resign", "there is no game, so resign means nothing; seek finds one"),
        ("board", "there is no game to show, so board means nothing"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(text: str, why: str) -> None:
    model = welcomed()
    effects = model.typed(text, 0.0)
    assert sent(effects) == []
    assert told(effects)[0].startswith(f"error {why}")


def test_one_game_at_a_time() -> None:
    for text in ("seek", "rematch", "challenge Bob", "accept 3", "lobby"):
        assert answer(to_move(), text) == [
            f"error {text.split()[0]} must wait: you are playing; finish the game, or resign"
        ]


def test_a_server_without_a_lobby_is_not_asked_for_one() -> None:
    assert answer(introduced(), "who") == [
        "error this server has not opened a lobby, so it does not know who; moves and quit work"
    ]


def test_nothing_is_said_before_we_are_connected() -> None:
    model = Model("Ada", "tcp://here")
    assert answer(model, "who") == ["error who must wait: we are not connected yet"]


def test_a_draw_is_offered_once_and_accepted_once() -> None:
    model = to_move()
    assert answer(model, "draw") == ["ok draw offered"]
    assert answer(model, "draw") == ["error your draw offer stands until Bob moves"]
    model = to_move()
    lobby(model, "game 42 offer draw from Bob")
    assert answer(model, "draw") == ["ok draw accepted"]


def test_help_lists_every_command_and_explains_each() -> None:
    lines = answer(welcomed(), "help")
    for name, command in COMMANDS.items():
        assert any(name in line.split("  ")[0] for line in lines) is not command.rare
        assert len(answer(welcomed(), f"help {name}")) >= 2


def test_leaving_between_games_needs_no_question() -> None:
    assert welcomed().typed("quit", 0.0)[-1] == Leave(Exit.DONE)
    assert to_move().typed("quit yes", 0.0)[-1] == Leave(Exit.MID_GAME)


def test_what_we_say_is_shown() -> None:
    model = to_move()
    model.typed("say hi", 0.0)
    lobby(model, f"error no-such-challenge nobody challenged you with {FENCES}")
    assert model.state.news[-1].text == "Ada: hi"


def test_help_says_that_a_pool_may_be_sought() -> None:
    assert told(welcomed().typed("help seek", 0.0))[-1].endswith(
        "G may be one of the server's pools, too"
    )
