"""What does a line that the person types do? A move, a command, or the reason why not. Pure.

* `typed`: from the line to its effects; `command_table`: every command; `conditions`: when it may
  be done.
* `in_game`, `in_lobby`: what the commands do; `terms`: which game is asked for.
* `complete`: how a line may go on; `arguments`: what may follow a command.

A new command is a row of the table. One that only passes on what was typed needs no action of its
own: `in_lobby.pass_on` reads its arguments as the server does, and shows its usage if they are
wrong.
"""
