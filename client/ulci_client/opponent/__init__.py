"""Makes a player of the server the local engine of any GUI.

    GUI's stdin/stdout  <-->  face  <-->  player  <-->  server's Peer

* `player`: connects the GUI's game and the one at the server. It answers the GUI at once, and sends
  the server only the next move of its game.
* `games`: the game in the GUI, and the game at the server with what the GUI's asks of it.
* `pairing`: an opponent for the GUI's game; `seeking`: whom to ask for it, and the meaning of the
  lobby's answers; `notices`: the server's other announcements, for people.
* `session`: the GUI's player at the server, over lost connections.
* `face`: the GUI, as the player sees it; `uci`, `xboard`: its two protocols. UCI has no word for
  "you have lost" or "draw agreed", XBoard's has.
* `settings`: the settings of the command line and of the GUI's options.
* `opponent`: standard input and output, the connection to the server, which is reestablished, the
  log, and the one alarm. The only module with I/O.
* `command`: ``ulci opponent``; `greeting`: the first answers to a GUI, sent before the imports that
  take long.
"""
