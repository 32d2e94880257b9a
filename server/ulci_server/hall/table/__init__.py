"""One game being played: run, judged, watched and resumed after a restart.

* `table`: performs the effects of its game in order; `seats`: its players, and what they are told;
  `tables`: opens and closes tables.
* `interfaces`: a table as sessions and watchers see it, and a session as its table sees it.
* `engine_options`: the ``setoption`` lines before a game.
* `state`: how a game stands. `spectators`: watchers, told without delaying the players.
* `arbiter`: moves that a referee judges. The engine that judges them: `referee_supervisor` starts
  it and gives it up, `referee_queue` counts its failures, `referee_process` talks to it.
* `tablebases`: adjudication by Syzygy.
* `recovery`: games that a restarted server resumes; `game_log`: log lines of a game.
* `settings`: the settings of the tables.
"""
