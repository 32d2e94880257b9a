"""How does a local engine play at a server? Messages, not lines, pass between two peers.

    server's Peer  <-->  player  <-->  engine's Peer
                           |
                         server_gate    what a server may say to an engine: `server_rights`, its
                                        options; `position_check`, positions and searches
                         relay          what is passed on, and when
                         search         what the engine is searching; `ponder`: on the opponent's
                                        time, if `guess_check` finds the expected move legal
                         watchdog       what the engine must answer, and by when
                         lobby_handler  what to do about the lobby's announcements
                         seeking        when to seek a game, and when to stop
                         analysis       how much of the engine's output the server gets
                         house/         a bot's: challenges, and what to do when nobody comes

* `supervisor`: the two tasks of a player, which restart its engine and reconnect to the server.
* `engine_pool`: several players that share a number of games; signals and exit codes.
* `games_keeper`: keeps a bot's games of the last day in a file.
* `program_file`, `suspension`: an engine's program was updated, the machine was suspended.
* `console`: what a person sees.
* `settings`: what was asked for, and how the engine is introduced to the server.
* `command`: ``ulci bridge`` and its options; `check_config`: what a bot would do by its file.

What a bot decides is in `ulci_client.bot`, which knows nothing of these. Only engine_pool,
supervisor, console, games_keeper, program_file, suspension and the command do I/O. No module parses
lines: an engine's spelling is its dialect's business.
"""
