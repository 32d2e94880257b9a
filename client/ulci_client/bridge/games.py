"""A player's games: when one begins and ends, which side it plays, and what people see of it.

Plain calls only, no waiting.
"""

from ulci.protocol import Clock, Go, Position
from ulci.rules import Side
from ulci_client.lobby import GameStarted

from .guess import to_move
from .relay import Post, Relay
from .scores import Scores
from .seeking import Seeking, Stage
from .status import Progress, View
from .thinking import Phase

DOING = {
    Stage.AWAY: "not connected",
    Stage.RETURNING: "back on the line",
    Stage.SEEKING: "seeking a game",
    Stage.PLAYING: "against",
    Stage.WITHDRAWING: "leaving",
    Stage.DONE: "done",
}


class Games:
    """`progress` is what people see; the relay and the seeking are told what they must know."""

    def __init__(self, relay: Relay, seeking: Seeking, view: View, progress: Progress) -> None:
        self.progress = progress
        self.refused_once = False  # a takeback, in this game
        self.declined_once = False  # a draw, in this game
        self.scores = Scores()
        self._relay = relay
        self._seeking = seeking
        self._view = view
        self._to_move: Side | None = None
        self._names: tuple[str, str] | None = None  # White's and Black's, once they were told

    @property
    def number(self) -> int | None:
        """That of the game which is on, if the server told it."""
        return self.progress.game if self._seeking.in_game else None

    def show(self) -> None:
        """What we are doing."""
        self.progress.doing = DOING[self._seeking.stage]

    # How one begins

    def begin(self) -> None:
        """There is a game, perhaps a new one."""
        if not self._seeking.game_on():
            return
        self._view.tally.games += 1
        self.progress.playing, self.progress.plies, self.progress.analysis = True, 0, None
        self.refused_once = self.declined_once = False
        self.scores = Scores()
        self.show()

    def started(self, notice: GameStarted, name: str) -> None:
        """The lobby announces it, to us who are known there by this name."""
        self.begin()  # unless it was, by `ucinewgame`
        self._names = notice.white, notice.black
        self._sit(_side(notice, name))
        if self.progress.game != notice.id:  # or else it goes on after a break of the line
            self.progress.game = notice.id
            self._relay.forget()
            what = " ".join(filter(None, [notice.game, notice.time]))
            self._view.note(f"game {notice.id} begins: {notice.white} - {notice.black} ({what})")

    # How it goes on

    def moved(self, message: Position) -> None:
        self.progress.plies = len(message.moves)
        self._to_move = to_move(message)

    def asked(self, message: Go, at: float) -> None:
        self.begin()
        if self._to_move is not None:  # who is asked is to move; their names may be alike
            self._sit(self._to_move)
        self._clocks(message, self.progress.side, at)

    def clocks(self, message: Clock, at: float) -> None:
        side = self.progress.side
        thinking = self._relay.phase is Phase.THINKING  # then time was given, and it goes on
        self._clocks(message, side if side is None or thinking else side.other, at)

    # How it ends

    def over(self, result: str, reason: str, at: float) -> Post:
        """What is to be said then."""
        if not self._seeking.in_game:
            return Post()
        self._view.tally.count(result, self.progress.side)
        why = f" ({reason})" if reason else ""
        number = "the game" if self.progress.game is None else f"game {self.progress.game}"
        self._view.note(f"{number} is over: {result}{why}; {self._view.tally}")
        post = self.end(at)
        post.server += self._seeking.game_over()
        self.show()
        return post

    def end(self, at: float) -> Post:
        """It is over, however it ended."""
        post = self._relay.game_over(at)
        self._relay.side = self.progress.side = self.progress.game = None
        self._names = None
        self.progress.playing, self.progress.opponent = False, ""
        self.progress.clocks, self.progress.ticking = (None, None), None
        return post

    # Steps

    def _sit(self, side: Side | None) -> None:
        """We play this side; None if that cannot be told yet."""
        self._relay.side = self.progress.side = side
        if self._names is not None and side is not None:
            self.progress.opponent = self._names[0 if side is Side.BLACK else 1]

    def _clocks(self, message: Go | Clock, ticking: Side | None, at: float) -> None:
        self.progress.clocks = message.wtime, message.btime
        self.progress.ticking, self.progress.at = ticking, at


def _side(notice: GameStarted, name: str) -> Side | None:
    """Which of the two is called so; None if that cannot be told."""
    ours = [
        side
        for side, player in zip(Side, (notice.white, notice.black), strict=True)
        if player.casefold() == name.casefold()
    ]
    return ours[0] if len(ours) == 1 else None
