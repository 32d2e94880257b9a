"""A local engine plays at a server. Messages, not lines, pass between two peers.

    server's Peer  <-->  player  <-->  engine's Peer
                           |
                         server_gate    what a server may send to an engine: `server_rights`, its
                                        options; `position_check`, positions and searches
                         relay          what is passed on, and when
                         search         what the engine is searching; `ponder`: on the opponent's
                                        time, if `guess_check` finds the expected move legal
                         watchdog       what the engine must answer, and by when
                         lobby_handler  what to do about the lobby's announcements
                         seeking        when to seek a game, and when to stop
                         analysis       how much of the engine's output the server gets
                         house/         a bot's: challenges, and the search for opponents

* `supervisor`: the two tasks of a player, which restart its engine and reconnect to the server.
* `engine_pool`: several players that share a number of games; signals and exit codes.
* `games_keeper`: keeps a bot's games of the last day in a file.
* `program_file`, `suspension`: notice an updated program of an engine, and a suspended machine.
* `console`: the output for people.
* `settings`: the bridge's settings, and how the engine is introduced to the server.
* `command`: ``ulci bridge`` and its options; `check_config`: what a bot would do by its file.

`ulci_client.bot` decides for a bot and knows nothing of these modules. Only engine_pool,
supervisor, console, games_keeper, program_file, suspension and the command do I/O. No module parses
lines: an engine's spelling is its dialect's business.
"""
