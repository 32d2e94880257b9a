"""Evidence that is written by hand: what two lines were told, and what SQL says of the game."""

from datetime import UTC, datetime

from tests.faults.record import Fault, Line, Wire
from ulci.rules import Outcome, Reason, Side
from ulci_server.game import EventKind, Happened, MovePlayed, Seat
from ulci_server.storage import GameRecord

from .case import Case, Trouble
from .chronicle import Chronicle, Story, Violation
from .places import Unheard

GAME = 7
BASE, INCREMENT = 10_000, 100
NAMES = ("ada", "bob")
THEN = datetime(2026, 1, 1, tzinfo=UTC)


class Script:
    """A game of 10+0.1 at its beginning, with each player on a good line. Time passes only where
    it is said."""

    def __init__(self) -> None:
        self.now = 100.0
        self.wires: list[Wire] = []
        self.steps: list[MovePlayed | Happened] = []
        self.stand: list[MovePlayed] = []
        self.troubles: list[Trouble] = []
        self.pauses: list[tuple[float, float]] = []
        self.unheard: list[Unheard] = []
        self.left = [BASE, BASE]
        self.outcome: Outcome | None = None
        self.lines = [self.dial(name) for name in NAMES]
        self.wait(1)
        for line in self.lines:
            self.announce(line)

    # What passes

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def dial(self, name: str) -> Wire:
        """A new line, on which its owner is welcome and ready."""
        wire = Wire(opened=self.now)
        self.wires.append(wire)
        self.wait(0.001)
        self.hear(wire, f"id name {name}", "uciok")
        self.tell(wire, f"lobby welcome name {name} account none resume secret-of-{name}")
        self.tell(wire, "isready")
        self.hear(wire, "readyok")
        return wire

    def tell(self, wire: Wire, *lines: str) -> None:
        wire.told += [Line(self.now, line) for line in lines]

    def hear(self, wire: Wire, *lines: str) -> None:
        wire.heard += [Line(self.now, line) for line in lines]
        self.wait(0.001)

    def announce(self, wire: Wire) -> None:
        self.tell(wire, f"lobby game {GAME} start white ada black bob game chess time 10+0.1")

    def hang_up(self, wire: Wire) -> None:
        wire.closed = self.now

    def harm(self, wire: Wire, kind: str, seconds: float = 0.1) -> None:
        wire.faults.append(Fault(kind, self.now, self.now + seconds))

    def watch(self) -> Wire:
        """Somebody else's line, who watches the game from now on."""
        wire = self.dial("eve")
        self.tell(wire, f"lobby watch {GAME} white ada black bob game chess time 10+0.1 ply 0")
        return wire

    # The game

    @property
    def mover(self) -> Side:
        return Side(len(self.stand) % 2)

    @property
    def position(self) -> str:
        moves = " ".join(move.move for move in self.stand)
        return "position startpos" + f" moves {moves}" * bool(moves)

    def ask(self, wire: Wire | None = None) -> None:
        white, black = self.left
        go = f"go wtime {white} btime {black} winc {INCREMENT} binc {INCREMENT}"
        self.tell(wire or self.lines[self.mover], self.position, go)

    def answer(self, move: str, wire: Wire | None = None) -> None:
        self.hear(wire or self.lines[self.mover], f"bestmove {move}")

    def store(self, move: str, spent: int, side: Side | None = None, lag: int = 0) -> None:
        """The record gets the move, which nobody need have made."""
        side, ply = self.mover if side is None else side, len(self.stand) + 1
        self.left[side] += INCREMENT - (spent - lag)
        seq = len(self.steps) + 1
        made = MovePlayed(GAME, ply, side, move, spent, self.left[side], seq=seq, lag=lag)
        self.steps.append(made)
        self.stand.append(made)

    def happen(self, what: EventKind, side: Side, amount: int) -> None:
        seq = len(self.steps) + 1
        self.steps.append(Happened(GAME, seq, len(self.stand), what, side, amount))

    def play(self, *moves: str, took: float = 0.01, charged: int = 10, lag: int = 0) -> None:
        """Each is asked for, made after `took` s, and stored."""
        for move in moves:
            self.ask()
            self.wait(took)
            self.answer(move)
            self.store(move, charged, lag=lag)

    def take_back(self, plies: int, *, told: int | None = None) -> None:
        """By agreement. `told`: another number of plies that both are told to be left."""
        for line in self.lines:
            self.hear(line, "takeback")
        self.happen(EventKind.TAKEN_BACK, self.mover, plies)
        for side in Side:
            undone = [move for move in self.stand[-plies:] if move.side is side]
            self._undo(side, undone)
        del self.stand[-plies:]
        self.wait(0.001)
        ply = len(self.stand) if told is None else told
        for line in self.lines:
            self.tell(line, f"lobby game {GAME} takeback {plies} ply {ply}")

    def _undo(self, side: Side, undone: list[MovePlayed]) -> None:
        """Their increments go; ten seconds stay, if there were as many before and after them."""
        if undone:
            first = undone[0]
            had = first.left - INCREMENT + first.spent - first.lag
            least = min(had, self.left[side], 10_000)
            self.left[side] = max(self.left[side] - INCREMENT * len(undone), least)

    def give(self, gift: int) -> None:
        """To who is to move."""
        self.happen(EventKind.TIME_GIVEN, self.mover, gift)
        self.left[self.mover] += gift

    def end(self, reason: Reason, winner: Side | None) -> None:
        self.outcome = Outcome(winner, reason)
        for wire in self.wires:
            if wire.closed > self.now:
                self.tell(wire, f"lobby game {GAME} over {self.result}")

    def resign(self) -> None:
        self.ask()
        self.wait(0.01)
        self.hear(self.lines[self.mover], "resign")
        self.end(Reason.RESIGNATION, self.mover.other)

    @property
    def result(self) -> str:
        return f"result {self.outcome.score} reason {self.outcome.reason.value}"

    # What it is judged by

    def case(self) -> Case:
        chronicle = Chronicle(self.wires)
        story = chronicle.story(GAME, NAMES)
        seats = (Seat("ada", "engine"), Seat("bob", "engine"))
        story.record = GameRecord(
            game=GAME,
            rules="chess",
            start=None,
            control="10+0.1",
            seats=seats,
            players=(None, None),
            started_at=THEN,
            outcome=self.outcome,
        )
        story.moves, story.steps, story.unheard = self.stand, self.steps, self.unheard
        return Case(chronicle, self.troubles, BASE, INCREMENT, pauses=self.pauses)

    def found(self, *checks) -> list[str]:
        """The kinds of what those invariants find wrong in it."""
        case = self.case()
        story: Story = case.chronicle.stories[GAME, NAMES]
        violations: list[Violation] = [v for check in checks for v in check(case, story)]
        return [*dict.fromkeys(violation.kind for violation in violations)]
