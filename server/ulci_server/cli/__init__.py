"""The command ``ulci-server``, with a module for each of its commands.

* `main`: the group of all commands.
* `serve`, with its `banner`, and `check`: host games; check a configuration.
* `games`, `why` (in the words of `storage.explain`), `export`, `verify`, `migrate`: the database.
* `players`, `bans`: accounts, tokens and bans. `admin`: commands to a running server.
* `cluster`: several servers that act as one. `wire`: conversations from a log of all lines.
* `match`: the command line and the lines of matches between engines.
* `demo`: a game between two engines through the real programs.
* `options`: options that several commands share; `errors`: how a command fails; `output`: tables
  and files; `logs`: the log; `writer`: writes it without ever waiting for its reader.
"""

from .main import main

__all__ = ["main"]
