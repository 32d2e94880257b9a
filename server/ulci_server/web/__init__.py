"""What do outsiders see? The pages, the API, the event streams and the metrics.

    request -> site (routes, headers, errors) -> games | game_streams | service -> documents
    board   -> feed (one a watched game)      -> event_stream (many, a few at a time)

* `site`: the application with all its routes; its headers, errors and static files. `answers`: what
  all answers have in common and are made from.
* `games`: lists of games, one game, its PGN, and why it ended.
* `legal_moves`: questions about a running game: legal moves, and what a typed move means.
* `snapshot`: a running game as it is now, wherever it is played.
* `service`: the server, its pools and players; health and metrics.
* `tournaments`: those of the servers. `ratings`: of the players of a pool. `standings`: of the
  match that is played here, if one is.
* `directing`: tournaments made and directed from afar, the only answers that change anything.
* `game_streams`: event streams of one game, and of all games.
* `feed`: makes the events of one watched game, once for all its streams.
* `all_games`: makes the events of all games: each beginning and end, and the newest moves.
* `event_stream`: numbered events in a ring, and how many streams read it without holding the loop.
* `archive`: games from the database, made in worker threads and kept while they are asked for.
* `played_moves`: the moves of a game in its notation, with the board after each.
* `documents`: the JSON of all answers and events.
* `pieces`: long answers, of which most is shared and not copied.
* `error_page`: errors for people who asked with a browser.
* `quotas`: who may ask for how much.
* `metrics`: what Prometheus reads.
* `openapi.json`: the description for programs; `static`: the pages, which `site` lists by path, and
  what several of them have in common (`.part`);
  `page_tables`: the words in them that come from tables of `ulci`.

Nothing here may be waited for by a player, and nothing here tells what spectators may not know:
tokens, addresses, secrets of seats, chat, challenges, and what engines think before its time.
"""

from .site import PROMPT, make_site

__all__ = ["PROMPT", "make_site"]
