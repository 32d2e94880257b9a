"""Checks that the record is consistent: every game is rebuilt from its facts, judged and exported
again.

* `game`: rebuilds a game and checks all that is stored of it, also who owned it.
* `reference`: asks python-chess about moves and ends; `ledger`: keeps both clocks by the facts;
  `progress`: what was offered, and who was away. None shares code with what played the game, but
  python-chess: the server asks it, too, which moves are legal and how variants end.
* `ended`: an end beside all that is known before it.
* `result`: can a game end so in that position? `evidence`: do the facts support that end?
* `conduct`: did players do what they may not?
* `times`: do the moves fit into the time that passed?
* `encounters`: is each game of a match there, with one result? `tournaments`: were the games of a
  tournament played by those who were paired, and is none missing?
* `ratings`: are they what the games make them, by `glicko`?
* `exports`: PGN, read by the strict reader in `pgn`, and JSON must agree with the record.

An inconsistency raises a `DisagreementError` that says what and where. Missing data is
no error: games of older versions recorded less, and not all record whether draws by repetition and
by fifty moves had to be claimed.
"""

from ulci_server.storage.errors import DisagreementError

from .encounters import check_encounters
from .exports import check_exports
from .game import rebuilt_from, steps_of, verify_game
from .ratings import check_ratings
from .tournaments import check_tournaments

__all__ = [
    "DisagreementError",
    "check_encounters",
    "check_exports",
    "check_ratings",
    "check_tournaments",
    "rebuilt_from",
    "steps_of",
    "verify_game",
]
