"""One connected client: its messages, its seat and the answers that it owes.

* `session`: the client as the hall and the lobby know it; `connection`: what it is told, and its
  errors; `local_player`: what it is at tables, which it knows by `table.interfaces` alone.
* `handlers`: one function a message; `hall_commands`: the commands of players that this server
  answers by itself; `command_rate`: the rate limit of all commands.
* `last_go`: its last ``go``; `liveness`: whether its program hangs; `late_writes`: whether its line
  holds its moves back; `suspects`: who played what referees die of; `pending`: ``readyok`` and
  ``response`` that it owes; `drain`: what it still owes after a game.

A new command of players: see `ulci.protocol.lobby`.
"""
