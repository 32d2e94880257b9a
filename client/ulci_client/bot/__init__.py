"""Whom does a bot play, when, and with what? What ``ulci bridge --config bot.toml`` decides.

    file      fields, sections: the settings of bot.toml;  load: from the file, with all its errors
              and the line of each
    whom      acceptance: a table of rules, each with the reason that a challenger hears and the
              log has;  opponent_names: patterns of names
    how much  ledger: the games that are on, and those of the last day;  games_file: keeps them
    how       engines: which engine plays a game, with which options;  own_moves: moves that need
              no engine, from books and tablebases;  verdicts: when to resign, and to offer or
              accept a draw
    else      decline_queue: how fast challenges are declined and logged;  matchmaking: what to do
              when nobody comes

A challenge is decided in one pure call: ``AcceptanceRules.decide(challenge, state, at)`` is an
`Objection` with its reason, or None. Only `load`, `games_file`, `books` and `tablebases` use
files, and nothing here has a clock or a task: `bridge.house` asks these and speaks with the server.
"""
