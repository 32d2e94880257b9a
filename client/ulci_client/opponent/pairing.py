"""Pairs the GUI's game with an opponent: while the GUI waits for one, and until the game begins.

Everything local is answered at once. Only the first ``isready`` of a game waits, because there a
GUI's clock does not run yet.
"""

import math
from collections.abc import Callable

from ulci.protocol.lobby.lines import Line
from ulci.protocol.messages import Go

from .face import Face
from .games import DifferenceError, GuiGame
from .seeking import Seeking, SeekStage
from .session import ServerSession
from .settings import OpponentSettings

FIND = 12.0
"""Seconds for which the answer to the first ``isready`` of a game waits for an opponent: match
runners give an engine 15 s (cutechess 5e84232b) to 60 s (fastchess 74deac23) there, and every
later second would cost the remote player's clock in the GUI."""


class Pairing:
    """`playing` says whether a game is on at the server."""

    def __init__(
        self,
        settings: OpponentSettings,
        face: Face,
        session: ServerSession,
        playing: Callable[[], bool],
    ) -> None:
        self.open = False
        """The GUI's game has no opponent yet, nor was one missed."""
        self.wants_line = False
        self.clock = ""
        """The GUI's time control in the server's notation, as far as it is known."""
        self._seeking = Seeking(settings)
        self._face = face
        self._session = session
        self._playing = playing
        self._before = 0
        self._held = 0  # answers to `isready` that wait for an opponent
        self._hold_until = math.inf

    # The GUI

    def new_game(self) -> None:
        """The GUI begins a game."""
        self.open = True
        self._seeking.new_game()

    def ready(self, at: float) -> None:
        """``isready``: answered at once, but the first one of a game when an opponent is found."""
        self._held += 1
        if self.open and not self._found and not self._seeking.failure:
            self._hold_until = min(self._hold_until, at + FIND)
            self.want()
        self._release(at)

    def shape(self, go: Go, gui: GuiGame | None) -> None:
        """The GUI's clock: the terms of the next challenge, unless others were given."""
        at_start = gui is None or len(gui.moves) < 2
        if at_start and go.wtime is not None and go.btime is not None:
            ms, bonus = max(go.wtime, go.btime), go.winc or 0
            moves = f"{go.movestogo}/" if go.movestogo else ""
            self.clock = f"{moves}{_seconds(ms)}+{_seconds(bonus)}"

    def begin(self, gui: GuiGame) -> str:
        """The GUI waits for a move, and no game is on. Returns why there will be none; empty: it
        has to wait."""
        if self._playing():
            return ""  # a game that is being resigned or aborted
        if self._seeking.failure:
            return f"no opponent: {self._seeking.failure}"
        if self._seeking.stage is SeekStage.WAITS:
            return self._choose(gui)
        if self._seeking.stage is SeekStage.IDLE:
            self.open = True
            self.want()
        return ""

    @property
    def outdated(self) -> bool:
        """Whether the GUI has set something else since the opponent was sought."""
        return self._seeking.outdated

    def ask_anew(self) -> None:
        """Withdraw what was asked for; the game is to be paired as the GUI has it now."""
        self.open = True
        self._session.say(*self._seeking.ask_anew())

    def count_game(self) -> None:
        """The GUI asks for its first move in a game that has begun."""
        self._seeking.count_game()

    def _choose(self, gui: GuiGame) -> str:
        """Say the color and the start, which the GUI has shown now."""
        try:
            beginning = gui.beginning()
        except DifferenceError as difference:
            return str(difference)
        self._before = beginning.before
        if beginning.before:
            self._face.tell(f"the game begins at the server behind ply {beginning.before}")
        self._session.say(*self._seeking.choose(beginning.side, beginning.start))
        return ""

    def want(self) -> None:
        """An opponent is wanted."""
        self.wants_line = True
        if self._playing() or self._found:
            return
        if self._session.outdated and not self._seeking.in_match:
            self._session.leave_seat("the GUI has named another player or server")
        elif self._session.admitted and not self._session.returning:
            self._session.say(*self._seeking.ask(self.clock))

    def depart(self) -> None:
        """The GUI has gone."""
        self._session.say(*self._seeking.withdraw())

    # Time

    @property
    def due(self) -> float:
        """When to call `alarm` (s); infinite if never."""
        return min(self._hold_until, self._seeking.due)

    def alarm(self, at: float, *, waits: bool) -> None:
        """`due` has come. `waits`: the GUI waits for a move."""
        if at >= self._seeking.due:
            self._session.say(*self._seeking.alarm(at))
            self._go_on(at, waits=waits)
        self._release(at)

    # The server

    def hear(self, line: Line, at: float, *, waits: bool) -> None:
        """A line of the lobby. `waits`: the GUI waits for a move."""
        name, playing = self._session.name, self._playing()
        self._session.say(*self._seeking.hear(line, name, at, playing=playing))
        self._go_on(at, waits=waits)

    def returned(self, at: float, *, busy: bool, waits: bool) -> None:
        """We are back at the server; `busy`: it has a game or a match of ours."""
        if busy and not self._playing():
            self._seeking.busy(at)
        self._go_on(at, waits=waits)

    def began(self, at: float) -> int:
        """A game has begun; how many plies of the GUI's game came before it."""
        before, self._before, self.open = self._before, 0, False
        self._seeking.began()
        self._release(at)
        return before

    def line_down(self) -> None:
        self._seeking.line_lost()

    def rejected(self, why: str, at: float) -> None:
        """The server will not let us in."""
        self.wants_line = False
        self._seeking.fail(why)
        self._release(at)

    @property
    def decided(self) -> bool:
        """Whether there is an opponent, or will be none."""
        return self._seeking.found or bool(self._seeking.failure)

    @property
    def idle(self) -> bool:
        """Whether nobody has been asked."""
        return self._seeking.stage is SeekStage.IDLE and not self._playing()

    @property
    def _found(self) -> bool:
        # A game that is on while another is wanted is one that was resigned.
        return self._seeking.found or (self._playing() and not self.open)

    def _go_on(self, at: float, *, waits: bool) -> None:
        """Show what came of the asking, and ask again where nothing did."""
        if self._seeking.news:
            self._face.tell(self._seeking.news)
            self._seeking.news = ""
        self._release(at)
        self.ask_again(waits=waits)

    def ask_again(self, *, waits: bool) -> None:
        """Ask if the GUI waits for an opponent, and nobody has been asked."""
        if self.open and (self._held or waits) and self._seeking.stage is SeekStage.IDLE:
            self.want()

    def _release(self, at: float) -> None:
        """Answer ``isready``, unless the opponent is still sought."""
        if self._hold_until < math.inf:
            if at < self._hold_until and not self._found and not self._seeking.failure:
                return
            if not self._found:
                why = self._seeking.failure or f"nobody has accepted within {FIND:g} s"
                self._face.tell(f"no opponent: {why}")
            self._hold_until = math.inf
        for _ in range(self._held):
            self._face.ready()
        self._held = 0


def _seconds(ms: int) -> str:
    seconds, rest = divmod(ms, 1000)
    return f"{seconds}.{rest:03}".rstrip("0") if rest else str(seconds)
