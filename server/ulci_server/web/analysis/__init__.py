"""Questions about any position, outside a running game.

* `game_positions`: a position of a recorded game, after any ply.
* `questions`: reads questions about any position, and limits how many an address may ask.
* `positions`: the position after some moves, its legal moves, and the meaning of a typed move.
* `pasted`: a game that somebody pastes, as PGN or FEN, with its comments and variations.
* `explorer`: the moves that were played in a position in this server's games.
* `opinion`: the evaluation of a position by an engine of the server.
* `answers`: the answers to these questions, made in a worker thread.

The server records none of these questions.
"""

from .answers import AnalysisAnswers
from .explorer import Explorer
from .game_positions import GamePositions

__all__ = ["AnalysisAnswers", "Explorer", "GamePositions"]
