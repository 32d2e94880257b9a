"""Games of every kind in PGN: what others read of them, and that it is the game that was played."""

import io
import random
from collections.abc import Sequence

import chess.pgn
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.facts import finished, line, noted, played, started
from ulci.rules import GAMES, Reason, Side
from ulci.rules.pgn import quoted, unquoted
from ulci_server.game import Fact
from ulci_server.storage import MemoryDatabase
from ulci_server.storage.export import is_chess, pgn
from ulci_server.storage.verify.pgn import PgnGame, read_pgn

W, B = Side

OTHERS = [
    (name, start)
    for name, rules in GAMES.items()
    if not is_chess(name)
    for start in [*rules.starts, *rules.named]
]
"""Games that python-chess does not know, from every start that has a name."""


def written(facts: Sequence[Fact]) -> str:
    database = MemoryDatabase()
    database.save(noted(facts))
    return pgn(database.games.find()[0], database.games.moves(1))


def read(facts: Sequence[Fact]) -> PgnGame:
    return read_pgn(written(facts))


def read_as_chess(facts: Sequence[Fact]) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(written(facts)))
    assert game is not None
    assert game.errors == []
    return game


def liberty(moves: str, *end: Fact, start: str | None = None) -> list[Fact]:
    return [*line(1, moves, rules="liberty", start=start), *end]


# Liberty Chess where it is chess


def test_a_liberty_game_of_chess_is_one_that_every_chess_program_reads() -> None:
    mated = finished(1, W, Reason.CHECKMATE)
    game = read_as_chess(liberty("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", mated))

    assert not {"Variant", "FEN", "SetUp"} & game.headers.keys()
    assert (game.headers["Rules"], game.headers["Result"]) == ("liberty", "1-0")
    moves = [move.uci() for move in game.mainline_moves()]
    assert " ".join(moves) == "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7"
    assert game.end().san() == "Qxf7#"


def test_so_is_one_from_another_start_of_chess() -> None:
    start = "4k2r/5p2/8/8/8/8/5P2/4K2R w Kk - 3 57"
    game = read_as_chess(liberty("e1g1 e8g8", start=start))

    assert (game.headers["SetUp"], game.headers["FEN"]) == ("1", start)
    assert [node.san() for node in game.mainline()] == ["O-O", "O-O"]


@pytest.mark.parametrize(
    "start",
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 3",  # pawns go further
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 - qrbn ff",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 - q",
        "mongol",  # other men
        "horde",  # no king
        "mini",  # another board
    ],
)
def test_a_start_that_chess_does_not_have_makes_it_liberty(start: str) -> None:
    lfen = GAMES["liberty"].new(start).fen()
    game = read([started(rules="liberty", start=lfen)])

    assert (game.tags["Variant"], game.tags["SetUp"], game.tags["FEN"]) == ("liberty", "1", lfen)
    assert "Rules" not in game.tags


def test_an_el_vaticano_makes_it_liberty() -> None:
    vatican = "4k3/p7/8/2BpB3/8/8/8/4K3 w - - 0 1"
    game = read(liberty("c5e5 e8d7", start=vatican))

    assert (game.tags["Variant"], game.tags["FEN"]) == ("liberty", vatican)
    assert [move.symbol for move in game.moves] == ["Bc5xe5", "Kd7"]


SMOTHERED = "6rk/4b1bp/8/6N1/8/8/8/4K3 w - - 0 1"
"""After Nf7 it is mate in chess; an El Vaticano takes the knight."""


@pytest.mark.parametrize(
    ("moves", "end", "variant"),
    [
        ("g5f7", [finished(1, W, Reason.TIME)], "liberty"),
        ("g5f7", [], "liberty"),
        ("g5f7 e7g7", [], "liberty"),
        ("g5h3", [finished(1, W, Reason.TIME)], None),
    ],
)
def test_a_mate_that_is_none_makes_it_liberty(
    moves: str, end: list[Fact], variant: str | None
) -> None:
    game = read(liberty(moves, *end, start=SMOTHERED))

    assert game.tags.get("Variant") == variant
    assert not game.moves[0].symbol.endswith("#")


def test_men_that_cannot_mate_in_chess_play_on_in_liberty() -> None:
    start = "4k3/4b3/8/8/8/8/3B4/4K3 w - - 0 1"
    game = read_as_chess(liberty("d2e3 e7d6", start=start))

    assert "Variant" not in game.headers
    assert [node.san() for node in game.mainline()] == ["Be3", "Bd6"]


# Games in their own notation


def test_liberty_chess_is_written_in_its_own_notation() -> None:
    start = GAMES["liberty"].new("liberty").fen()
    game = read([*liberty("a3a6 h11g9 g3g5", start=start), finished(1, B, Reason.RESIGNATION)])

    assert game.tags["FEN"] == start
    assert [move.symbol for move in game.moves] == ["a6", "Ng9", "g5"]
    assert (game.result, game.comment.split()[-1]) == ("0-1", "resignation")


def test_moves_are_numbered_from_the_start_on() -> None:
    moves = [played(1, 0, "f6f5", side=B), played(1, 1, "a1b1", side=W)]
    game = read([started(rules="liberty", start="5k/p5/6/6/6/K5 b - - 3 12 3"), *moves])

    assert [f"{move.number} {move.symbol}" for move in game.moves] == ["12... Kf5", "13. Kb1"]


@settings(max_examples=60)
@given(st.sampled_from(OTHERS), st.randoms(use_true_random=False))
def test_any_other_game_replays_from_what_was_written(
    game: tuple[str, str | None], chance: random.Random
) -> None:
    name, start = game
    position, most = GAMES[name].new(start), chance.randrange(1, 60)
    facts: list[Fact] = [started(rules=name, start=position.start)]
    while position.outcome() is None and len(position.moves) < most:
        side, move = position.turn, chance.choice(position.legal_moves())
        position.play_untrusted(move)
        facts.append(played(1, len(facts) - 1, position.moves[-1], side=side))
    outcome = position.outcome()
    if outcome is not None:
        facts.append(finished(1, outcome.winner, outcome.reason))

    found = read(facts)

    again = GAMES[name].new(found.tags.get("FEN"))
    for said in found.moves:
        meant = again.parse_untrusted(said.symbol)
        assert meant is not None
        again.play_untrusted(meant)
    assert list(again.moves) == list(position.moves)
    assert again.outcome() == outcome
    assert found.result == found.tags["Result"] == ("*" if outcome is None else outcome.score)


# Games with a referee


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)
"""Of which no database keeps NUL."""


def refereed(*words: str, sides: Sequence[Side] = (), start: str | None = None) -> list[Fact]:
    turns = sides or [Side(ply % 2) for ply in range(len(words))]
    moves = [
        played(1, ply, word, side=side)
        for ply, (word, side) in enumerate(zip(words, turns, strict=True))
    ]
    return [started(rules="ataxx", start=start), *moves]


def test_moves_of_a_game_with_a_referee_are_its_words() -> None:
    start = "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1"
    end = finished(1, B, Reason.GAME_RULE)
    game = read([*refereed("g2", "a1b3", "0000", "P@e4", start=start), end])

    assert (game.tags["Variant"], game.tags["SetUp"], game.tags["FEN"]) == ("ataxx", "1", start)
    assert [move.symbol for move in game.moves] == ["g2", "a1b3", "Z0", "Z0"]
    assert [move.said.get("move") for move in game.moves] == [None, None, "0000", "P@e4"]
    assert (game.result, game.tags["Result"]) == ("0-1", "0-1")
    assert game.comment.endswith(" game-rule")


def test_the_usual_start_of_a_game_with_a_referee_is_not_known() -> None:
    assert not {"FEN", "SetUp"} & read(refereed("g2")).tags.keys()


@given(st.lists(WORDS, min_size=1, max_size=4))
@example(["0000", "1-0", "0-1", "Z0", "12", "1/2-1/2", "*", "1.", "e4!", "(", "--", "$1", ";", "%"])
@example(
    ["}", "{", "]", "[%clk", "a b", "\n\n", "\u2028", "\x1b[2J", '"', "\\", "é", "%41", 999 * "x"]
)
def test_whatever_was_said_is_read_again(words: list[str]) -> None:
    text = written(refereed(*words))
    game = read_pgn(text)

    said = [
        unquoted(move.said["move"]) if move.symbol == "Z0" else move.symbol for move in game.moves
    ]
    assert said == words
    assert all(line.isascii() and line.isprintable() for line in text.split("\n"))


@given(st.text(st.characters(codec="utf-8")))
def test_quoted_words_have_nothing_that_ends_a_comment(word: str) -> None:
    assert unquoted(quoted(word)) == word
    assert not set(quoted(word)) & set('{}[] "\\')


def test_every_move_says_whose_it_is_also_where_a_side_moves_twice() -> None:
    game = read(refereed("a", "b", "c", "d", "e", sides=[W, W, B, B, W]))

    assert [move.number for move in game.moves] == ["1.", "2.", "2...", "3...", "4."]


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1))
@example('"')
@example('a\\"] [b')
def test_the_start_of_a_game_with_a_referee_is_read_again(start: str) -> None:
    assert read(refereed(start=start)).tags["FEN"] == start
