from tests.support.terminal import introduced, playing, sent, to_move, told, welcomed
from ulci.protocol import BestMove, Go, Info, NewGame, Position, Quit, Resign
from ulci_client.terminal.model import Model
from ulci_client.terminal.state import Exit, Leave, Question


def answer(model: Model, text: str) -> list[str]:
    return told(model.typed(text, 0.0))


def test_a_move_is_sent_in_the_servers_spelling_and_shown_at_once() -> None:
    for text, move in (("e4", "e2e4"), ("Nf3", "g1f3"), ("g1f3", "g1f3"), ("nf3", "g1f3")):
        model = to_move()
        assert sent(model.typed(text, 0.0)) == [BestMove(move)]
        assert model.state.game is not None
        assert model.state.game.plies[-1].move == move
        assert not model.state.owed


def test_an_illegal_move_is_answered_here() -> None:
    model = to_move()
    effects = model.typed("e5", 0.0)
    assert sent(effects) == []
    assert told(effects) == ["error no pawn of yours can go to e5"]
    assert model.state.owed


def test_a_move_out_of_turn_is_answered_here() -> None:
    model = playing("e2e4")
    assert answer(model, "d4") == ["error it is not your turn; wait, or write: premove d4"]


def test_a_move_without_a_game_is_answered_here() -> None:
    assert answer(welcomed(), "e4") == [
        "error there is no game, so a move means nothing; seek finds one"
    ]


def test_a_move_after_the_end_is_answered_here() -> None:
    model = to_move()
    model.hear(Info(string="result 0-1 reason time"), 0.0)
    assert answer(model, "e4") == ["error the game is over: Black wins on time"]


def test_a_move_while_the_line_is_lost_is_answered_here() -> None:
    model = to_move()
    model.lost("cable cut", 0.0, 2.0)
    assert answer(model, "e4") == ["error a move must wait: the line to the server is lost"]


def test_a_question_has_no_full_stop_behind_its_mark() -> None:
    model = welcomed()
    model.typed("resing", 0.0)
    assert model.state.news[-1].text.endswith("did you mean resign?")
    model.typed("xyzzy", 0.0)
    assert model.state.news[-1].text.endswith("help lists the commands.")


def test_a_word_that_is_neither_is_answered_with_the_nearest() -> None:
    model = to_move()
    assert answer(model, "resing") == [
        "error 'resing' is neither a move nor a command; did you mean resign?"
    ]
    assert answer(model, "xyzzy") == [
        "error 'xyzzy' is neither a move nor a command; help lists the commands"
    ]
    assert answer(model, "/e4") == [
        "error 'e4' is neither a move nor a command; help lists the commands"
    ]


def test_nothing_typed_does_nothing_but_close_a_page() -> None:
    model = to_move()
    answer(model, "help")
    assert model.state.page is not None
    assert model.typed("   ", 0.0) == []
    assert model.state.page is None


def test_commands_may_begin_with_a_slash_and_in_any_case() -> None:
    assert answer(to_move(), "/FLIP") == ["ok flipped"]


def test_resigning_asks_first() -> None:
    model = to_move()
    assert answer(model, "resign") == ["ask resign? answer yes or no"]
    assert model.state.question is Question.RESIGN
    assert sent(model.typed("y", 0.0)) == [Resign()]
    assert model.state.question is None


def test_a_no_plays_on_and_so_does_a_move() -> None:
    model = to_move()
    answer(model, "resign")
    assert answer(model, "no") == ["ok no"]
    answer(model, "resign")
    effects = model.typed("e4", 0.0)
    assert told(effects) == ["ok no", "move e2e4 (e4)"]
    assert sent(effects) == [BestMove("e2e4")]


def test_an_empty_line_is_a_no() -> None:
    model = to_move()
    answer(model, "resign")
    assert answer(model, "") == ["ok no"]
    assert model.state.question is None


def test_leaving_in_the_middle_of_a_game_asks_first() -> None:
    model = to_move()
    assert answer(model, "quit") == ["ask leave and lose the game? answer yes or no"]
    effects = model.typed("yes", 0.0)
    assert sent(effects) == [Quit()]
    assert effects[-1] == Leave(Exit.MID_GAME)


def test_what_was_typed_cannot_steer_the_terminal_either() -> None:
    [line] = answer(to_move(), "\x1b[2Jx")
    assert "\x1b" not in line


def test_a_game_that_we_have_no_rules_for_takes_whatever_has_a_digit() -> None:
    model = introduced()
    model.hear(NewGame(), 0.0)
    model.hear(Position("not a position of ours"), 0.0)
    model.hear(Go(), 0.0)
    assert answer(model, "hepl") == [
        "error 'hepl' is neither a move nor a command; did you mean help?"
    ]
    assert sent(model.typed("3-2", 0.0)) == [BestMove("3-2")]
    assert answer(model, "a1b2") == ["error the server has not asked for your move yet; wait"]
