"""The pages, the API, the event streams and the metrics: all that outsiders see.

    request -> site (routes, headers, errors) -> games | game_streams | service -> documents
    table   -> feed (one a watched game)      -> event_stream (many, a few at a time)

* `site`: the application with all its routes; its headers, errors and static files. `answers`: the
  parts and functions that all answers share.
* `games`: lists of games, one game, its PGN, and why it ended.
* `legal_moves`: questions about a running game: legal moves, and what a typed move means.
* `snapshot`: a running game as it is now, wherever it is played.
* `service`: the server, its pools and players; health and metrics.
* `tournaments`: all tournaments in the database; `tournament_pairings`: their pairings, a page at a
  time.
* `ratings`: the players of a pool by rating. `player`: one player. `standings`: the standings of
  the match that is played here, if there is one.
* `directing`: directors make and direct tournaments over the network. `accounts`: people sign up,
  in and out. No other answers change anything.
* `game_streams`: event streams of one game, and of all games.
* `feed`: makes the events of one watched game, once for all its streams.
* `all_games`: makes the events of all games: each beginning and end, and the newest moves.
* `event_stream`: numbered events in a ring, and how many streams read it without holding the loop.
* `archive`: games from the database, read in worker threads and cached while they are requested.
* `played_moves`: the moves of a game in its notation, with the board after each.
* `files`: the files of the pages, and the compression of long answers.
* `pictures`: boards as pictures, and the previews that chats show of a link.
* `analysis`: questions about any position, outside a running game.
* `documents`: the JSON of all answers and events.
* `pieces`: long answers that share most of their bytes instead of copying them.
* `error_page`: errors for people who use a browser.
* `quotas`: how many requests and streams each address may have.
* `metrics`: the server's metrics for Prometheus.
* `openapi.json`: the description for programs; `static`: the pages, which `site` lists by path, and
  the parts that several of them share (`.part`);
  `page_tables`: the words in them that come from tables of `ulci`.

No player waits for anything here. Nothing here shows what spectators may not know: tokens,
addresses, secrets of seats, chat, challenges, and engines' analysis before its delay is over.
"""

from .site import PROMPT, make_site

__all__ = ["PROMPT", "make_site"]
