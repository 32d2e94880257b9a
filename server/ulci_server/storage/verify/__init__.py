"""Checks that the record is consistent: every game is rebuilt from its facts, judged and exported
again.

An inconsistency raises a `DisagreementError` that says what and where. Missing data is no error:
games of older versions recorded less, and not all record whether draws by repetition and by fifty
moves had to be claimed.
"""

from .errors import DisagreementError
from .exports import check_exports
from .game import rebuilt_from, steps_of, verify_game
from .owners import check_owners
from .result import check_result

__all__ = [
    "DisagreementError",
    "check_exports",
    "check_owners",
    "check_result",
    "rebuilt_from",
    "steps_of",
    "verify_game",
]
