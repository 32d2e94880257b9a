"""How does a player of the server become the local engine of any GUI?

    GUI's stdin/stdout  <-->  face  <-->  player  <-->  server's Peer

* `player`: the game that the GUI plays, and the one at the server, brought together. It answers the
  GUI at once, and never lets the server hear what is not the next move of its game.
* `games`: the game in the GUI, and the game at the server with what the GUI's asks of it.
* `pairing`: an opponent for the GUI's game; `seeking`: whom to ask for it, and what the answers of
  the lobby mean; `notices`: what else the server announces, for people.
* `session`: who the GUI's player is at the server, over lost connections.
* `face`: the GUI, as the player sees it; `uci`, `xboard`: its two protocols. UCI has no word for
  "you have lost" or "draw agreed", XBoard's has.
* `settings`: what was asked for, by the command line and by the GUI's options.
* `opponent`: standard input and output, the connection to the server, which is reestablished, the
  log, and the one alarm. The only module with I/O.
* `command`: ``ulci opponent``; `greeting`: the first answers to a GUI, said before the imports
  that take long.
"""
