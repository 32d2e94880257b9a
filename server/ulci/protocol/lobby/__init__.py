"""The messages of the lobby, both ways: two tables of rows, the only code that reads or writes
them.

* `commands`: what players say (``seek``, ``accept 17``, ``draw`` …), a `messages` class a command.
  Whoever uses one wrongly is told how it is used.
* `lines`: what the server says behind ``lobby`` (``lobby seek 17 player Bob …``), a class a line.
  A client skips what it does not understand: a newer server may say more.
* `line_template`: what a row is. Its template is the spelling, the usage and the documentation in
  one.

A new command is a class and a row in `commands`, a new line a class and a row in `lines`; then one
handler, in the server's hall or in a client.
"""
