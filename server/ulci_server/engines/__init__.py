"""Programs of this server that play: started, watched and ended by it.

* `profile`: what the lobby is told of such a program.
"""
