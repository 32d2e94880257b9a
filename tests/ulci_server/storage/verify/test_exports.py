"""What leaves is read again."""

from typing import Any

import pytest

from tests.support.facts import finished
from tests.support.games import keep, moves
from ulci.rules import Reason, Side
from ulci_server.game import EventKind, Happened, Seat
from ulci_server.storage import MemoryDatabase
from ulci_server.storage.export import pgn
from ulci_server.storage.verify import DisagreementError, check_exports, exports

CASTLING = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8"
FISCHER = "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1"


MINI = "qkbnr/ppppp/5/5/PPPPP/QKBNR w Kk - 0 1 1"


def checked(text: str = CASTLING, **start: Any) -> None:
    database = MemoryDatabase()
    book = len(start.get("opening", ()))
    keep(database, moves(text, book=book), finished(1, Side.WHITE, Reason.DISCONNECT), **start)
    (game,) = database.games.find()
    check_exports(database, game, database.games.moves(1))


@pytest.mark.parametrize(
    "start",
    [
        {},
        {"rules": "chess960", "start": FISCHER, "text": "f2f3 f7f6"},
        {"rules": "tictactoe", "text": "a1 b2"},
        {"rules": "tictactoe", "start": "xo1/1xo/2x o 3", "text": ""},
        {"rules": "liberty"},
        {"rules": "liberty", "start": MINI, "text": "d2d3 c5c4"},
        {"rules": "ataxx", "text": "g2 a1b3 0000 P*7f"},
        {"rules": "ataxx", "start": 'x5o/7 "x', "text": "g2"},
        {"control": "depth=5"},
        {"rules": "crazyhouse", "text": "e2e4 d7d5 e4d5 d8d5 P@e4 P@h3 b1c3 d5d8 g1f3 d8d2"},
        {"opening": ("d2d4", "d7d5")},
        {"opening": ("d2d4", "d7d5"), "text": ""},
        {"rules": "liberty", "opening": ("d2d4",), "text": "e7e5 g1f3"},
        {"rules": "liberty", "start": MINI, "opening": ("d2d3",), "text": "c5c4"},
        {"rules": "tictactoe", "opening": ("a1",), "text": "b2"},
    ],
)
def test_what_leaves_says_what_is_kept(start: dict[str, Any]) -> None:
    checked(**start)


def test_who_went_berserk_is_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    database = MemoryDatabase()
    berserk = Happened(1, 5, 4, EventKind.BERSERK, Side.BLACK, 5)
    ending = finished(1, Side.WHITE, Reason.DISCONNECT)
    keep(database, [*moves("e2e4 e7e5"), berserk], ending, conduct="berserk")
    (game,) = database.games.find()
    check_exports(database, game, database.games.moves(1))
    monkeypatch.setattr(exports, "pgn", lambda game, moves, _: pgn(game, moves, {Side.WHITE}))
    with pytest.raises(DisagreementError, match="all who went berserk: 'White'"):
        check_exports(database, game, database.games.moves(1))


def test_names_are_read_back_whole() -> None:
    names = ('Ada "the\\cat"', "\u0645\u06cc\u200c\u062e", " two\nlines ", "")
    for name in names:
        checked(seats=(Seat(name, "human"), Seat("Bob", "engine")))


def test_a_level_is_read_back_behind_the_name() -> None:
    checked(seats=(Seat("Ada", "human"), Seat("Fish", "engine", level=3)))


def wrong_pgn(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    def wrong(*args: Any) -> str:
        text = pgn(*args)
        assert old in text
        return text.replace(old, new, 1)

    monkeypatch.setattr(exports, "pgn", wrong)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('[Result "1-0"]', '[Result "0-1"]', "PGN says that it ended 0-1, not 1-0"),
        ('[White "Ada"]', '[White "Eva"]', "PGN says that white was Eva, and not Ada"),
        ("4. O-O", "4. Ng5", "ply 7, e1g1: PGN has f3g5"),
        ("4. O-O", "4. Qa8", "cannot be read"),
        ("[%clk 0:05:01.043]", "[%clk 0:05:01.044]", "ply 1, e2e4: PGN has another clock"),
    ],
)
@pytest.mark.parametrize("rules", ["chess", "liberty"])
def test_pgn_that_says_otherwise_is_found(
    rules: str, old: str, new: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong_pgn(monkeypatch, old, new)

    with pytest.raises(DisagreementError, match=why):
        checked(rules=rules)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("1. d4 {book}", "1. c4 {book}", "ply 1, d2d4: PGN has c"),
        ("1. d4 {book}", "1. d4", "ply 1, d2d4: PGN does not tell whether it is of a book"),
        ("1. d4 {book}", "1. d4 { [%clk 0:05:00] }", "ply 1, .*: PGN has a clock of what no clock"),
    ],
)
def test_pgn_that_says_otherwise_what_is_of_the_book_is_found(
    old: str, new: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong_pgn(monkeypatch, old, new)

    with pytest.raises(DisagreementError, match=why):
        checked("e7e5 g1f3", opening=("d2d4",))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('[Result "1-0"]', '[Result "0-1"]', "PGN says that it ended 0-1, not 1-0"),
        ("disconnect } 1-0", "disconnect } *", "PGN says that it ended [*], not 1-0"),
        ('[Variant "WORD"]', '[Variant "losers"]', "PGN says that it is a game of losers"),
        ('[Variant "WORD"]', '[Variation "x"]', "PGN says that it is a game of None"),
        ("[FEN ", "[NEF ", "PGN lets it begin from None, not "),
        ("1. WORD", "1. zz", "ply 1, .*: PGN has zz"),
        ("1. WORD", "1... WORD", "ply 1, .*: PGN has it of the other side"),
        ("1. WORD", "1 WORD", "its PGN cannot be read: '1 "),
        ("[%clk 0:05:01.043]", "[%clk 0:05:01.044]", "ply 1, .*: PGN has another clock"),
        ("[%clk 0:05:01.043]", "", "ply 1, .*: PGN has another clock"),
    ],
)
@pytest.mark.parametrize(
    ("rules", "start", "text", "first"),
    [("liberty", MINI, "d2d3 c5c4", "d3"), ("ataxx", "x5o", "g2 a1", "g2")],
)
def test_pgn_of_words_that_says_otherwise_is_found(
    rules: str, start: str, text: str, first: str, old: str, new: str, why: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    word = rules if "Variant" in old else first
    wrong_pgn(monkeypatch, old.replace("WORD", word), new.replace("WORD", word))

    with pytest.raises(DisagreementError, match=why):
        checked(text, rules=rules, start=start)


def test_a_word_that_is_said_otherwise_in_its_comment_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong_pgn(monkeypatch, "[%move 0000]", "[%move 00000]")

    with pytest.raises(DisagreementError, match="ply 1, 0000: PGN has 00000"):
        checked("0000", rules="ataxx")


def test_json_that_says_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = exports.export_json

    def wrong(*args: Any) -> list[str]:
        return [text.replace('"spent_ms": 2000', '"spent_ms": 2001', 1) for text in lines(*args)]

    monkeypatch.setattr(exports, "export_json", wrong)

    with pytest.raises(DisagreementError, match="the moves in JSON are not those"):
        checked()


def cannot_be_written(*_: Any) -> str:
    raise exports.ExportError("ply 2, e7e5, is no move of it")


@pytest.mark.parametrize("rules", ["chess", "liberty"])
def test_a_game_of_known_rules_that_pgn_cannot_hold_is_one_that_does_not_agree(
    rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "pgn", cannot_be_written)

    with pytest.raises(DisagreementError, match="cannot be written as PGN: ply 2, e7e5, is no"):
        checked(rules=rules)


def test_a_refereed_game_that_pgn_cannot_hold_agrees() -> None:
    checked("g2", rules="ataxx", start="x5o\x01")
