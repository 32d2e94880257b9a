"""One game being played: run, judged, watched and resumed after a restart.

* `table`: performs the effects of its game in order; `player`: a session as its table sees it;
  `tables`: opens and closes tables.
* `spectators`: watchers, told without delaying the players.
* `arbiter`: moves that a referee judges; `referee`, `referee_queue`, `referee_process`: the engine
  that judges them.
* `recovery`: games that a restarted server resumes; `tablebases`; `game_log`.
"""
