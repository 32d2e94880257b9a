"""What leaves is read again."""

from typing import Any

import pytest

from tests.support.facts import finished
from tests.support.games import keep, moves
from ulci.rules import Reason, Side
from ulci_server.storage import MemoryRepository
from ulci_server.storage.export import pgn
from ulci_server.storage.verify import DisagreementError, check_exports, exports

CASTLING = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8"
FISCHER = "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1"


def checked(text: str = CASTLING, **start: Any) -> None:
    repository = MemoryRepository()
    keep(repository, moves(text), finished(1, Side.WHITE, Reason.RESIGNATION), **start)
    (game,) = repository.games()
    check_exports(repository, game, repository.moves(1))


@pytest.mark.parametrize(
    "start",
    [
        {},
        {"rules": "chess960", "start": FISCHER, "text": "f2f3 f7f6"},
        {"rules": "tictactoe", "text": "a1 b2"},
        {"control": "depth=5"},
    ],
)
def test_what_leaves_says_what_is_kept(start: dict[str, Any]) -> None:
    checked(**start)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('[Result "1-0"]', '[Result "0-1"]', "PGN says that it ended 0-1, not 1-0"),
        ("4. O-O", "4. Ng5", "ply 7, e1g1: PGN has f3g5"),
        ("4. O-O", "4. Qa8", "cannot be read"),
        ("[%clk 0:05:01.043]", "[%clk 0:05:01.044]", "ply 1, e2e4: PGN has another clock"),
    ],
)
def test_pgn_that_says_otherwise_is_found(
    old: str, new: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*args: Any) -> str:
        text = pgn(*args)
        assert old in text
        return text.replace(old, new, 1)

    monkeypatch.setattr(exports, "pgn", wrong)

    with pytest.raises(DisagreementError, match=why):
        checked()


def test_json_that_says_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = exports.export_json

    def wrong(*args: Any) -> list[str]:
        return [text.replace('"spent_ms": 2000', '"spent_ms": 2001', 1) for text in lines(*args)]

    monkeypatch.setattr(exports, "export_json", wrong)

    with pytest.raises(DisagreementError, match="the moves in JSON are not those"):
        checked()
