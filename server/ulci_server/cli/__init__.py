"""The command ``ulci-server``, with a module for each of its commands.

* `main`: the group of all commands.
* `serve`, with its `banner` and what a `public` one is told, `check` and `explained`: host games;
  check a configuration; print one that explains every setting.
* `games`, `why` (in the words of `storage.explain`), `export`, `verify`, `migrate`: the database.
* `players`, `bans`: accounts, tokens and bans. `ratings`: how strong the players are. `admin`:
  commands to a running server.
* `cluster`: several servers that act as one. `wire`: conversations from a log of all lines.
* `match`: matches between engines, by the command line of other match runners. `tournament`: those
  that a server plays.
* `demo`: a game between two engines through the real programs.
* `own_engine`: the command of our own small engine; `words`: a command as a shell splits it.
* `options`: options that several commands share; `errors`: how a command fails; `output`: tables
  and files; `logs`: the log; `writer`: writes it without ever waiting for its reader.
"""

import sys
from pathlib import Path

from .main import main

RUNNER = "chess"
"""In the names of the match runners that scripts and frameworks start: a link of such a name to
``ulci-server`` is ``ulci-server match``."""


def run() -> None:
    """What the program ``ulci-server`` does."""
    if RUNNER in Path(sys.argv[0]).name:
        sys.argv.insert(1, "match")
    main()


__all__ = ["main", "run"]
