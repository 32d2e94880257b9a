"""Checks that the record agrees with itself: every game is rebuilt from its facts, judged and
exported anew.

What does not agree is a `DisagreementError` that says what and where. What the record does not have
is not held against it: what games of older versions left unsaid, and whether draws by repetition
and by fifty moves had to be claimed.
"""

from .errors import DisagreementError
from .exports import check_exports
from .game import rebuilt_from, steps_of, verify_game
from .result import check_result

__all__ = [
    "DisagreementError",
    "check_exports",
    "check_result",
    "rebuilt_from",
    "steps_of",
    "verify_game",
]
