"""The messages of the lobby, both ways: two tables of rows, the only code that reads or writes
them.

* `player_commands`: what players say (``seek``, ``accept 17``, ``draw`` …), a class a row;
  `commands` reads and writes them. A wrong one is answered with its usage.
* `lines`: what the server sends after ``lobby`` (``lobby seek 17 player Bob …``), a class a row.
  A client skips what it does not understand: a newer server may say more.
* `line_template`: what a row is. Its template is the spelling, the usage and the documentation in
  one.

A new command needs

1. a class in `player_commands`, which is its row, and a row in protocol/README.md;
2. a handler, with a row in the table of the room that answers it:
   `hall.session.hall_commands` if the server of the connection can;
   `lobby.lobby` if it is about pairing, or `hall.lobby_host` if about other members: it travels to
   the server that hosts the lobby, so the version of `cluster.messages` is raised;
   `game.in_progress` if its class is a `GameCommand`, which travels, too;
3. a row in the terminal's `commands.command_table`, and whatever the page is to make of it.

An answer for people is a `lobby_lines.note`, which all clients show. A new line, for programs, is a
class in `lines`, a row in the README, and a handler in the clients that need it.
"""
