"""One connected client: its messages, its seat and the answers that it owes.

* `session`: the client, its connection and its seat. It knows its table by the interface in
  `table.interfaces` alone.
* `handlers`: one function a message; `player_commands`: which commands are for a game and which for
  the lobby; `command_rate`: their rate limit.
* `search`: its last ``go``; `liveness`: whether its program hangs; `late_writes`: whether its line
  holds its moves back; `suspects`: who played what referees die of; `pending`: ``readyok`` and
  ``response`` that it owes; `drain`: what it still owes after a game.
"""
