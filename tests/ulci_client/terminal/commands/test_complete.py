from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from tests.support.terminal import lobby, playing, to_move, welcomed
from ulci.protocol.messages import Go
from ulci.rules.liberty import NAMED
from ulci_client.terminal.commands.command_table import COMMANDS
from ulci_client.terminal.commands.complete import Completion, candidates
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.shell.full_screen import LineCompleter


def texts(client: Client, line: str) -> list[str]:
    return [one.text for one in candidates(client.state, line)]


def test_moves_are_offered_in_both_notations() -> None:
    client = to_move()
    assert texts(client, "N") == ["Na3", "Nc3", "Nf3", "Nh3"]
    assert candidates(client.state, "g1") == [Completion("g1f3", "Nf3"), Completion("g1h3", "Nh3")]
    assert candidates(client.state, "Nf") == [Completion("Nf3", "g1f3")]


def test_pawns_go_before_pieces_of_the_same_letter() -> None:
    client = to_move("e2e4", "b7b6", "d2d4", "c8b7")
    found = texts(client, "b")
    assert found[:2] == ["b3", "b4"]
    assert "Bd3" in found


def test_commands_are_offered_with_what_they_do() -> None:
    client = to_move()
    assert Completion("resign", COMMANDS["resign"].help) in candidates(client.state, "re")
    assert texts(client, "/fl") == ["/flip"]
    assert texts(client, "") == [*COMMANDS]


def test_what_is_complete_is_not_offered_again() -> None:
    client = to_move()
    assert texts(client, "e4") == []
    assert texts(client, "flip") == []


def test_who_is_not_to_move_is_offered_no_moves() -> None:
    assert texts(playing("e2e4"), "N") == []


def test_arguments_are_offered() -> None:
    client = welcomed()
    lobby(
        client,
        "seek 17 player Bob kind engine game chess time 300+3 color random rated yes",
        "seek 3 player Ada kind human game chess time 60+0 color white rated no",
        "challenge 18 player Bob kind human game chess time 60+0 color white rated no",
        "player Cid kind human state idle",
    )
    assert candidates(client.state, "accept 1") == [
        Completion("17", "Bob chess 300+3"),
        Completion("18", "Bob chess 60+0"),
    ]
    assert texts(client, "decline ") == ["18"]
    assert texts(client, "unseek ") == ["3"]
    assert texts(client, "challenge ") == ["Bob", "Cid"]
    assert texts(client, "challenge Bob col") == ["color"]
    assert texts(client, "help res") == ["resign"]
    assert texts(client, "resign ") == ["yes"]
    assert texts(client, "say go") == []


def test_terms_are_offered_with_their_values() -> None:
    client = welcomed()
    assert texts(client, "seek color ") == ["white", "black", "random", "later"]
    assert texts(client, "seek game chess9") == ["chess960"]
    assert "5m+3s" in texts(client, "seek ")
    assert texts(client, "seek time 3") == ["3m+2s", "30m+20s", "3days"]
    assert texts(client, "seek start ") == []


def their_move(game: str, *moves: str, start: str | None = None) -> Client:
    client = playing(*moves, start=start, game=game)
    client.hear(Go(wtime=300_000, btime=300_000), 0.0)
    return client


def test_pockets_are_offered() -> None:
    client = their_move("crazyhouse", "e2e4", "d7d5", "e4d5", "d8d5")
    assert "@e4" in texts(client, "@e")
    assert "P@e4" in texts(client, "P@e")
    assert "@e4" in texts(client, "@")


def test_after_the_name_of_a_start_the_terms_go_on_but_not_after_a_fen() -> None:
    client = welcomed()
    assert "against" in texts(client, "seek liberty start mini ag")
    assert texts(client, "seek start 8/8/8/4k3/8/8/4P3/4K3 ag") == []


def test_stones_are_offered_once() -> None:
    client = their_move("tictactoe", "b2", "a1")
    assert texts(client, "b") == ["b1", "b3", "berserk", "board", "back"]
    assert candidates(client.state, "c")[0] == Completion("c1")


def test_moves_of_liberty_chess_are_offered_in_both_notations() -> None:
    client = their_move("liberty", start=NAMED["liberty"])
    assert "Zf4" in texts(client, "Z")
    assert texts(client, "d3d6") == []
    assert "d3d5" in texts(client, "d3")


def test_named_starts_are_offered_where_the_game_has_any() -> None:
    client = welcomed()
    assert texts(client, "seek game liberty start mi") == ["mini"]
    assert texts(client, "challenge Bob liberty start capa") == [
        "capablanca-rectangle",
        "capablanca",
    ]
    assert texts(client, "seek game chess start ") == []


def test_games_that_others_seek_are_offered() -> None:
    client = welcomed()
    lobby(client, "seek 17 player Bob kind engine game ataxx time 9+3 color random rated yes")
    assert texts(client, "seek game at") == ["atomic", "ataxx"]


def test_the_toolkit_is_given_the_last_word_to_replace() -> None:
    client = to_move()
    completer = LineCompleter(client.state)
    typed = CompleteEvent(text_inserted=True)
    [one] = completer.get_completions(Document("Nf"), typed)
    assert (one.text, one.start_position, one.display_meta_text) == ("Nf3", -2, "g1f3")


def test_an_empty_line_offers_everything_to_who_asks_only() -> None:
    completer = LineCompleter(to_move().state)
    assert [*completer.get_completions(Document(""), CompleteEvent(text_inserted=True))] == []
    asked = CompleteEvent(completion_requested=True)
    assert len([*completer.get_completions(Document(""), asked)]) == len(COMMANDS)


def test_levels_of_a_strange_server_are_offered_in_a_number_that_people_read() -> None:
    client = welcomed()
    lobby(client, f"player House kind engine state waiting levels {2**63 - 1}")
    assert len(texts(client, "seek level ")) == 20


def test_the_levels_of_the_engines_that_are_here_are_offered() -> None:
    client = welcomed()
    assert texts(client, "seek level ") == []
    lobby(client, "player House kind engine state waiting levels 3")
    assert texts(client, "seek level ") == ["1", "2", "3"]
