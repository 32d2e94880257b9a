"""The client's state, and how the server's messages change it. Pure.

* `state`: the whole state, and the effects that follow from an event; `game`, `clocks`: the game.
* `hear`: every message; `lobby_handlers`, `lobby_lists`, `lobby_game_handlers`,
  `tournament_handlers`, `opponent`, `watching`: the lobby's lines.
* `move_entry`: our moves, why a move cannot be made, and the end of a game; `confirm`: whether the
  server has processed a message.
* `phrases`: events in words; `pockets`: what is shown beside the board.
"""
