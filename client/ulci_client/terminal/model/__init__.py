"""What does this client know, and how does what the server says change it? Pure.

* `state`: all that is known, and the effects that follow from an event; `game`, `clocks`: the game.
* `hear`: every message; `lobby_handlers`, `lobby_lists`, `lobby_game_handlers`,
  `tournament_handlers`, `opponent`, `watching`: the lobby's lines.
* `move_entry`: our moves, why a move cannot be made, and the end of a game; `confirm`: was it
  heard?
* `phrases`: what happened, in words; `pockets`: what is shown beside the board.
"""
