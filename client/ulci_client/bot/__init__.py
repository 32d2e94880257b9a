"""The decisions of a bot (``ulci bridge --config bot.toml``): its opponents, games and moves.

    file      fields, sections: the settings of bot.toml;  load: from the file, with all its errors
              and the line of each
    whom      acceptance: a table of rules, each with the reason for the challenger and the
              log;  opponent_names: patterns of names
    how much  ledger: the running games, and those of the last day;  games_file: stores them
    how       engines: which engine plays a game, with which options;  own_moves: moves that need
              no engine, from books and tablebases;  verdicts: when to resign, and to offer or
              accept a draw
    else      decline_queue: how fast challenges are declined and logged;  matchmaking: how to find
              opponents when nobody challenges the bot

One pure call decides about a challenge: ``AcceptanceRules.decide(challenge, state, at)`` returns an
`Objection` with its reason, or None. Only `load`, `games_file`, `books` and `tablebases` use
files, and no module here has a clock or a task: `bridge.house` calls them and talks to the server.
"""
