"""Login: who may enter, under which name, and to which seat.

* `handshake`: the client's introduction up to ``uciok``.
* `authenticator`: accounts, guests and bans; `tokens`: wrong tokens are limited, used ones
  recorded; `backoff`: how many wrong ones are free, and how long the next ones wait; `bans`,
  `reserved_names`: indexes of what the database has; `program_names`: whether an account's
  program is another one.
* `login`: leads a client into the lobby, back to its seat, or to the admin commands.
* `registry`: all sessions, by handle, secret and account.
"""
