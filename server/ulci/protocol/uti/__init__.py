"""UTI, a protocol with neither growing positions nor clocks.

Every question sets the whole board, then names the square that was played: ``pos 12------- 1``,
``0 winlength 3``; square 0 asks for a move. The answer is ``<square> <score> [notes]``. A dialect
is therefore stateful: each object belongs to one connection and to one of its ends.

* `grid`: the board as UTI counts its squares, and as ``position`` sends it.
* `words`: options, and the errors that an engine may answer.
* `question`: parses questions.
* `asking`: the server's end; `Position` and `Go` become a question, its answer a `BestMove`.
* `answering`: the engine's end; a question becomes `Position` and `Go`, `BestMove` its answer.

Messages without a direct counterpart:

* ``utiok`` does not describe the engine, so `Hello` is ``uti``, ``id``, ``info`` and ``isready``,
  and `HelloOk` the ``readyok`` to that. An engine that does not know ``info`` answers an error.
* `IsReady` and `ReadyOk` are UTI's own ``isready`` and ``readyok``.
* Clocks, nodes and move times are left out of a question; ``depth`` is sent. `Stop` is ``stop``.
* ``multi``, ``table`` and ``level`` are options (`SetOption`), repeated with every question.
* Scores are player 1's, -100 to 100; `Score.cp` is the same number from the mover's side.
"""

from .answering import Answering
from .asking import Asking

__all__ = ["Answering", "Asking"]
