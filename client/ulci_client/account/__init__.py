"""Tokens of accounts, each stored for a server.

* `tokens`: token files in the user's own folder, one a server.
* `command`: ``ulci token``.
"""

from .tokens import kept_for_all

__all__ = ["kept_for_all"]
