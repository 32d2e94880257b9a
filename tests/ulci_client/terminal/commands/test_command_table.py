import pytest

from tests.support.terminal import introduced, lobby, sent, to_move, told, welcomed
from ulci.protocol.lobby.commands import ROWS
from ulci.protocol.messages import (
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
from ulci_client.terminal.commands.command_table import COMMANDS, help_lines
from ulci_client.terminal.model.confirm import FENCES
from ulci_client.terminal.model.state import ClientState, Exit, Leave
from ulci_client.terminal.shell.client import Client


def answer(client: Client, text: str) -> list[str]:
    return told(client.typed(text, 0.0))


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
        ("seek pink", "pink is not a term of a game"),
        ("accept x", "x is not a number; write for example: accept 17"),
        ("accept", "which? write for example: accept 17"),
        ("decline", "which? write for example: decline 18"),
        ("unseek x", "x is not a number"),
        ("challenge", "challenge whom?"),
        ("help xyzzy", "there is no command xyzzy; help lists them"),
        ("resign", "there is no game for resign; seek finds one"),
        ("board", "there is no game for board"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(text: str, why: str) -> None:
    client = welcomed()
    effects = client.typed(text, 0.0)
    assert sent(effects) == []
    assert told(effects)[0].startswith(f"error {why}")


def test_one_game_at_a_time() -> None:
    for text in ("seek", "rematch", "challenge Bob", "accept 3", "lobby"):
        assert answer(to_move(), text) == [
            f"error {text.split()[0]} must wait: you are playing; finish the game, or resign"
        ]


def test_a_server_without_a_lobby_is_not_asked_for_one() -> None:
    assert answer(introduced(), "who") == [
        "error this server has no lobby, so who is not available; moves and quit are"
    ]


def test_nothing_is_said_before_we_are_connected() -> None:
    client = Client(ClientState("Ada", "tcp://here"))
    assert answer(client, "who") == ["error who must wait: not connected yet"]


def test_a_draw_is_offered_once_and_accepted_once() -> None:
    client = to_move()
    assert answer(client, "draw") == ["ok draw offered"]
    assert answer(client, "draw") == ["error your draw offer stands until Bob moves"]
    client = to_move()
    lobby(client, "game 42 offer draw from Bob")
    assert answer(client, "draw") == ["ok draw accepted"]


def test_whatever_a_player_may_say_can_be_typed() -> None:
    unneeded = {"ping", "ignored"}  # the program's own; ignore lists them
    assert {row.word for row in ROWS} - unneeded <= {*COMMANDS}


def test_help_lists_every_command_and_explains_each() -> None:
    lines = answer(welcomed(), "help")
    for name, command in COMMANDS.items():
        assert any(name in line.split("  ")[0] for line in lines) is not command.rare
        assert len(answer(welcomed(), f"help {name}")) >= 2


def test_leaving_between_games_needs_no_question() -> None:
    assert welcomed().typed("quit", 0.0)[-1] == Leave(Exit.DONE)
    assert to_move().typed("quit yes", 0.0)[-1] == Leave(Exit.MID_GAME)


def test_what_we_say_is_shown() -> None:
    client = to_move()
    client.typed("say hi", 0.0)
    lobby(client, f"error no-such-challenge nobody challenged you with {FENCES}")
    assert client.state.news[-1].text == "Ada: hi"


def test_help_says_that_a_pool_and_a_level_may_be_sought() -> None:
    said = told(welcomed().typed("help seek", 0.0))[-1]
    assert "G may be one of the server's pools, too" in said
    assert "level 3 seeks an engine of the server at that strength" in said


def test_the_help_says_each_thing_once() -> None:
    texts = [line[24:].strip() for line in help_lines() if len(line[:25].rstrip()) < 25]
    assert len(texts) > 20
    assert len(texts) == len(set(texts))
    (ignoring,) = (line for line in help_lines() if "ignore [NAME]" in line)
    assert "unignore NAME" in ignoring
