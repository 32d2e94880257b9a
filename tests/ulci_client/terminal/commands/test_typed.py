from tests.support.terminal import introduced, playing, sent, to_move, told, welcomed
from ulci.protocol.messages import BestMove, Go, Info, NewGame, Position, Quit, Resign
from ulci_client.terminal.model.state import Exit, Leave, YesNoQuestion
from ulci_client.terminal.shell.client import Client


def answer(client: Client, text: str) -> list[str]:
    return told(client.typed(text, 0.0))


def test_a_move_is_sent_in_the_servers_spelling_and_shown_at_once() -> None:
    for text, move in (("e4", "e2e4"), ("Nf3", "g1f3"), ("g1f3", "g1f3"), ("nf3", "g1f3")):
        client = to_move()
        assert sent(client.typed(text, 0.0)) == [BestMove(move)]
        assert client.state.game is not None
        assert client.state.game.plies[-1].move == move
        assert not client.state.owed


def test_an_illegal_move_is_answered_here() -> None:
    client = to_move()
    effects = client.typed("e5", 0.0)
    assert sent(effects) == []
    assert told(effects) == ["error no pawn of yours can go to e5"]
    assert client.state.owed


def test_a_move_out_of_turn_is_answered_here() -> None:
    client = playing("e2e4")
    assert answer(client, "d4") == ["error it is not your turn; wait, or write: premove d4"]


def test_a_move_without_a_game_is_answered_here() -> None:
    assert answer(welcomed(), "e4") == ["error there is no game for a move; seek finds one"]


def test_a_move_after_the_end_is_answered_here() -> None:
    client = to_move()
    client.hear(Info(string="result 0-1 reason time"), 0.0)
    assert answer(client, "e4") == ["error the game is over: Black wins on time"]


def test_a_move_while_the_connection_is_lost_is_answered_here() -> None:
    client = to_move()
    client.lost("cable cut", 0.0, 2.0)
    assert answer(client, "e4") == ["error a move must wait: disconnected from the server"]


def test_a_question_has_no_full_stop_behind_its_mark() -> None:
    client = welcomed()
    client.typed("resing", 0.0)
    assert client.state.news[-1].text.endswith("did you mean resign?")
    client.typed("xyzzy", 0.0)
    assert client.state.news[-1].text.endswith("help lists the commands.")


def test_a_word_that_is_neither_is_answered_with_the_nearest() -> None:
    client = to_move()
    assert answer(client, "resing") == [
        "error 'resing' is neither a move nor a command; did you mean resign?"
    ]
    assert answer(client, "xyzzy") == [
        "error 'xyzzy' is neither a move nor a command; help lists the commands"
    ]
    assert answer(client, "/e4") == [
        "error 'e4' is neither a move nor a command; help lists the commands"
    ]


def test_nothing_typed_does_nothing_but_close_a_page() -> None:
    client = to_move()
    answer(client, "help")
    assert client.state.page is not None
    assert client.typed("   ", 0.0) == []
    assert client.state.page is None


def test_commands_may_begin_with_a_slash_and_in_any_case() -> None:
    assert answer(to_move(), "/FLIP") == ["ok flipped"]


def test_resigning_asks_first() -> None:
    client = to_move()
    assert answer(client, "resign") == ["ask resign? answer yes or no"]
    assert client.state.question is YesNoQuestion.RESIGN
    assert sent(client.typed("y", 0.0)) == [Resign()]
    assert client.state.question is None


def test_a_no_plays_on_and_so_does_a_move() -> None:
    client = to_move()
    answer(client, "resign")
    assert answer(client, "no") == ["ok no"]
    answer(client, "resign")
    effects = client.typed("e4", 0.0)
    assert told(effects) == ["ok no", "move e2e4 (e4)"]
    assert sent(effects) == [BestMove("e2e4")]


def test_an_empty_line_is_a_no() -> None:
    client = to_move()
    answer(client, "resign")
    assert answer(client, "") == ["ok no"]
    assert client.state.question is None


def test_leaving_in_the_middle_of_a_game_asks_first() -> None:
    client = to_move()
    assert answer(client, "quit") == ["ask leave and lose the game? answer yes or no"]
    effects = client.typed("yes", 0.0)
    assert sent(effects) == [Quit()]
    assert effects[-1] == Leave(Exit.MID_GAME)


def test_what_was_typed_cannot_steer_the_terminal_either() -> None:
    [line] = answer(to_move(), "\x1b[2Jx")
    assert "\x1b" not in line


def test_a_game_that_we_have_no_rules_for_takes_whatever_has_a_digit() -> None:
    client = introduced()
    client.hear(NewGame(), 0.0)
    client.hear(Position("not a position of ours"), 0.0)
    client.hear(Go(), 0.0)
    assert answer(client, "hepl") == [
        "error 'hepl' is neither a move nor a command; did you mean help?"
    ]
    assert sent(client.typed("3-2", 0.0)) == [BestMove("3-2")]
    assert answer(client, "a1b2") == ["error the server does not ask for your move yet; wait"]
