"""One connected client: its messages, its seat and the answers that it owes.

* `session`: the client, its connection and its seat. It knows its table by a small protocol alone.
* `handlers`: one function a message; `player_commands`: the commands of players; `command_rate`:
  their rate limit.
* `search`: its last ``go``; `liveness`: whether its program hangs; `pending`: ``readyok`` and
  ``response`` that it owes; `drain`: what it still owes after a game.
"""
