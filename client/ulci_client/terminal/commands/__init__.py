"""The effects of a typed line: a move, a command, or the reason why it is neither. Pure.

* `typed`: from the line to its effects; `command_table`: every command; `conditions`: when it may
  be used.
* `in_game`, `in_lobby`: the commands; `terms`: the terms of a game.
* `complete`: how a line may go on; `arguments`: what may follow a command.

A new command is a row of the table. One that only passes on what was typed needs no action of its
own: `in_lobby.pass_on` reads its arguments as the server does, and shows its usage if they are
wrong.
"""
