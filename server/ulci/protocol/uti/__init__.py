"""How does UTI work, which has neither growing positions nor clocks?

Every question lays the whole board, then names the square that was played: ``pos 12------- 1``,
``0 winlength 3``; square 0 asks for a move. The answer is ``<square> <score> [notes]``. A dialect
must therefore remember: each object belongs to one connection and to one of its ends.

* `grid`: the board as UTI counts its squares, and as ``position`` sends it.
* `words`: options, and the errors that an engine may answer.
* `question`: what a question asks.
* `asking`: the server's end; `Position` and `Go` become a question, its answer a `BestMove`.
* `answering`: the engine's end; a question becomes `Position` and `Go`, `BestMove` its answer.

What has no word of its own:

* ``utiok`` says nothing of the engine, so `Hello` is ``uti``, ``id``, ``info`` and ``isready``, and
  `HelloOk` the ``readyok`` to that. An engine that does not know ``info`` says so, no more.
* `IsReady` and `ReadyOk` are UTI's own ``isready`` and ``readyok``.
* Clocks, nodes and move times are left out of a question; ``depth`` is said. `Stop` is ``stop``.
* ``multi``, ``table`` and ``level`` are options (`SetOption`), said again with every question.
* Scores are player 1's, -100 to 100; `Score.cp` is the same number as the mover sees it.
"""

from .answering import Answering
from .asking import Asking

__all__ = ["Answering", "Asking"]
