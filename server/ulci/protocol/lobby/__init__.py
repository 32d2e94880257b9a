"""The messages of the lobby, both ways: two tables of rows, the only code that reads or writes
them.

* `commands`: what players say (``seek``, ``accept 17``, ``draw`` …). Its rows are the classes of
  `messages.PlayerCommand`. Whoever uses one wrongly is told how it is used.
* `lines`: what the server says behind ``lobby`` (``lobby seek 17 player Bob …``), a class a line.
  A client skips what it does not understand: a newer server may say more.
* `line_template`: what a row is. Its template is the spelling, the usage and the documentation in
  one.

A new line is a class and a row in `lines`, and a handler in a client. A new command is a class in
`protocol.messages`, and a handler in the server: in `lobby.lobby` if it is
about pairing, in `hall.lobby_host` if about other members, in `hall.session.handlers` if about a
game; `hall.session.player_commands` says which of these it is.
"""
