"""What does a line that the person types do? A move, a command, or the reason why not. Pure.

* `typed`: from the line to its effects; `command_table`: every command; `conditions`: when it may
  be done.
* `in_game`, `in_lobby`: what the commands do; `terms`: which game is asked for.
* `complete`: how a line may go on; `arguments`: what may follow a command.

A new command is a row of the table. If it only says to the server what was typed, it needs no more:
`in_lobby.pass_on` reads its arguments as the server would, and tells how it is used if they are
wrong.
"""
