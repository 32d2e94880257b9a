"""Which token belongs to which server, and where is it stored?

* `tokens`: token files in the user's own folder, one a server.
* `command`: ``ulci token``.
"""

from .tokens import forget, kept, kept_for_all, save, servers

__all__ = ["forget", "kept", "kept_for_all", "save", "servers"]
