"""Who are we, at which server? Tokens: where each is kept, and who may be told.

* `tokens`: read from a file, the environment or the user's own folder, and kept there.
* `command`: ``ulci token``.
"""

from .tokens import forget, kept, save, servers

__all__ = ["forget", "kept", "save", "servers"]
