"""What does a line that the person types do? A move, a command, or the reason why not. Pure.

* `typed`: from the line to its effects; `command_table`: every command; `conditions`: when it may
  be done.
* `in_game`, `in_lobby`: what the commands do; `terms`: which game is asked for.
* `complete`: how a line may go on; `arguments`: what may follow a command.

A new command is a row of the table. Where it only says something to the server, that is all
(`in_lobby.send`); the server checks it and says how it is used.
"""
