"""What can be asked of the server at a shell? ``ulci-server`` and its commands, for people.

* `serve`: host games; `banner`: what it says when it is ready.
* `check`: what is wrong with a configuration, or what it would do.
* `games`, `export`, `migrate`: what the database holds, and whether its tables are current.
* `verify`: whether the record agrees with itself; `why`: how a game ended, `explain`ed.
* `players`, `bans`: who has an account and a token, and who may not come in.
* `demo`: a game between two engines through the real programs, shown as it is played.
* `options`: what several commands share; `problems`: how a command fails; `output`: where it
  writes; `logs`: the log; `writer`: writes it without ever waiting for whoever reads it.
"""

from .main import main

__all__ = ["main"]
