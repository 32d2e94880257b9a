"""Every game as its players, and those who watched it, were told of it, read from their lines."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter

from tests.faults.record import Wire, plain
from ulci_server.game import Happened, MovePlayed
from ulci_server.storage import Database, GameRecord, MoveRecord

from .history import State, Step, states
from .places import Event, Places, Unheard


@dataclass(frozen=True, slots=True)
class Violation:
    """What must not have happened; `text` is the evidence."""

    kind: str
    game: int
    client: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: game {self.game or '?'}, {self.client or '-'}: {self.text}"


@dataclass
class Story:
    """One game as each of the two was told, and those who watched it, and what SQL says of it."""

    game: int
    record: GameRecord | None = None
    moves: Sequence[MoveRecord] = ()
    """Those that stand."""
    told: dict[str, list[Event]] = field(default_factory=lambda: defaultdict(list))
    names: tuple[str, str] = ("", "")
    watched: dict[str, list[Event]] = field(default_factory=lambda: defaultdict(list))
    steps: Sequence[Step] = ()
    """All that happened, also what was taken back."""
    unheard: Sequence[Unheard] = ()
    """When its owners were not heard at other servers."""

    def remember(self, database: Database, record: GameRecord) -> None:
        """What SQL says."""
        self.record, self.moves = record, database.games.moves(record.id)
        facts = (fact for fact, _ in database.games.history(record.id))
        self.steps = [fact for fact in facts if isinstance(fact, MovePlayed | Happened)]

    @property
    def is_chess(self) -> bool:
        """Or else only a referee knows the rules."""
        return self.record.rules == "chess"

    @cached_property
    def states(self) -> tuple[State, ...]:
        return states(self.steps or self.moves)

    @cached_property
    def places(self) -> Places:
        """Which state of the game each event belongs to."""
        return Places(self.states, self.told.values(), self.watched.values(), self.unheard)

    def events(self, name: str, what: str, place: int | None = None) -> list[Event]:
        """In the order of their times. `place`: only those of that state."""
        told = sorted(self.told.get(name, ()), key=attrgetter("at"))
        found = [event for event in told if event.what == what]
        return found if place is None else [e for e in found if self.places.of(e) == place]

    @property
    def ended(self) -> float | None:
        """When somebody was told first that it is over."""
        told = (*self.told.values(), *self.watched.values())
        return min((e.at for events in told for e in events if e.what == "over"), default=None)


class Chronicle:
    """All stories, from all lines."""

    def __init__(self, wires: Iterable[Wire]) -> None:
        self.stories: dict[tuple[int, tuple[str, str]], Story] = {}
        self.by_owner: dict[str, list[Wire]] = defaultdict(list)
        self.violations: list[Violation] = []
        self._names = ("", "")
        self.unannounced: set[str] = set()
        """Who was asked to play a game of whose beginning no line told them."""
        for wire in sorted(wires, key=lambda wire: wire.opened):
            self.by_owner[wire.owner].append(wire)
        for owner, lines in self.by_owner.items():
            if owner:
                self._read(owner, lines)

    def story(self, game: int, names: tuple[str, str] | None = None) -> Story:
        """A number of which nothing was stored may be given again after a kill, to others."""
        key = (game, names or self._names)
        return self.stories.setdefault(key, Story(game, names=key[1]))

    def _read(self, owner: str, wires: Sequence[Wire]) -> None:
        game = 0
        for wire in wires:
            game = self._read_one(owner, wire, game)

    def _read_one(self, owner: str, wire: Wire, game: int) -> int:
        """One line; `game`: the one in which its owner was before. The one afterwards."""
        heard = [(line.at, 1, line.text, line.until) for line in wire.heard]
        told = [(line.at, 0, line.text, line.since) for line in wire.told]
        known, placed = (), False
        watched: _Watched | None = None
        for at, by_player, text, bound in sorted(heard + told, key=lambda line: line[:2]):
            words = tuple(text.split())
            if not by_player and watched is not None and watched.take(at, words):
                continue
            match words, by_player:
                case ("lobby", "game", number, "start", "white", white, "black", black, *_), 0:
                    if int(number) != game:
                        game, known, placed = int(number), (), False
                    self._meet(game, (plain(white), plain(black)))
                    watched = None
                    self._add(owner, game, Event(at, "start", wire, (), words))
                case ("lobby", "watch", number, *_), 0 if int(number) == game:
                    pass  # it is shown what its opponent thinks
                case ("lobby", "watch", number, "white", white, "black", black, *_), 0:
                    story = self.story(int(number), (plain(white), plain(black)))
                    watched = _Watched(number, wire, story.watched[owner])
                case ("lobby", "unwatch", *_), 0:
                    watched = None
                case ("lobby", "game", number, "over", *result), 0:
                    self._add(owner, int(number), Event(at, "over", wire, known, tuple(result)))
                    game = 0 if int(number) == game else game
                case ("lobby", "game", _, "takeback", _, "ply", ply), 0:
                    self._add(owner, game, Event(at, "taken back", wire, known, (ply,)))
                case ("info", "string", "result", *result), 0:
                    self._add(owner, game, Event(at, "over", wire, known, ("result", *result)))
                case ("position", *_), 0:
                    if not game and not placed:
                        self.unannounced.add(owner)
                        self._say("not announced", 0, owner, f"{text!r} of which game?")
                    known, placed = moves_of(words), True
                    self._add(owner, game, Event(at, "position", wire, known, known))
                case ("go", *_), 0:
                    if not placed:
                        self._say("protocol", game, owner, f"{text!r} without a position before")
                    self._add(owner, game, Event(at, "go", wire, known, words, bound))
                case ("bestmove", move, *_), 1:
                    self._add(owner, game, Event(at, "answer", wire, known, (move,), bound))
                case ("resign" | "draw" | "takeback" as word,), 1:
                    self._add(owner, game, Event(at, word, wire, known, ()))
        return game

    def _meet(self, game: int, names: tuple[str, str]) -> None:
        self._names = names
        self.story(game)

    def _add(self, owner: str, game: int, event: Event) -> None:
        if game:
            self.story(game).told[owner].append(event)

    def _say(self, *what: object) -> None:
        self.violations.append(Violation(*what))


@dataclass
class _Watched:
    """Somebody else's game, as one line is told of it."""

    game: str
    wire: Wire
    events: list[Event]
    known: tuple[str, ...] = ()

    def take(self, at: float, words: tuple[str, ...]) -> bool:
        """Whether the line was about that game."""
        match words:
            case ("position", *_):
                self.known = moves_of(words)
                self.events.append(Event(at, "position", self.wire, self.known, self.known))
            case ("lobby", "game", self.game, "takeback", _, "ply", ply):
                self.events.append(Event(at, "taken back", self.wire, self.known, (ply,)))
            case ("lobby", "game", self.game, "over", *result):
                self.events.append(Event(at, "over", self.wire, self.known, tuple(result)))
            case ("info", "string", "result", *_):
                pass  # the next line says it with its number
            case _:
                return False
        return True


def moves_of(words: Sequence[str]) -> tuple[str, ...]:
    """Those of a ``position``."""
    return tuple(words[words.index("moves") + 1 :]) if "moves" in words else ()
