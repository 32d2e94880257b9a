"""Every game as its players were told of it, read from their lines."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.faults.record import Wire, plain
from ulci_server.storage import GameRecord, MoveRecord


@dataclass(frozen=True, slots=True)
class Violation:
    """What must not have happened; `text` is the evidence."""

    kind: str
    game: int
    client: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: game {self.game or '?'}, {self.client or '-'}: {self.text}"


class Event(NamedTuple):
    """A line that matters to a game. `ply`: how many moves had been told on that line before.
    `bound`: of an answer when it was handed over, of a question when it came at the earliest."""

    at: float
    what: str
    wire: Wire
    ply: int
    words: tuple[str, ...]
    bound: float = 0.0


@dataclass
class Story:
    """One game as each of the two was told, and what SQL says of it."""

    game: int
    record: GameRecord | None = None
    moves: Sequence[MoveRecord] = ()
    told: dict[str, list[Event]] = field(default_factory=lambda: defaultdict(list))
    names: tuple[str, str] = ("", "")
    amended: bool = False
    """Whether moves were taken back or time was given: then what is stored at the end is not what
    was told all along, and only `verified` can tell whether it is right."""

    @property
    def is_chess(self) -> bool:
        """Or else only a referee knows the rules."""
        return self.record.rules == "chess"

    def events(self, name: str, what: str, ply: int | None = None) -> list[Event]:
        return [e for e in self.told[name] if e.what == what and ply in (None, e.ply)]


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
        ply, placed, watching = 0, False, False
        for at, by_player, text, bound in sorted(heard + told, key=lambda line: line[:2]):
            words = tuple(text.split())
            match words, by_player:
                case ("lobby", "game", number, "start", "white", white, "black", black, *_), 0:
                    if int(number) != game:
                        game, ply, placed = int(number), 0, False
                    self._meet(game, (plain(white), plain(black)))
                    watching = False
                    self._add(owner, game, Event(at, "start", wire, 0, words))
                case ("lobby", "game", number, "over", *result), 0:
                    self._add(owner, int(number), Event(at, "over", wire, ply, tuple(result)))
                    game = 0 if int(number) == game or not watching else game
                case ("lobby", "watch" | "unwatch" as word, *_), 0:
                    watching = word == "watch"
                case ("lobby", "game", _, "takeback" | "givetime", *_), 0 if game:
                    self.story(game).amended = True
                case ("position", *_), 0 if watching:
                    pass  # of somebody else's
                case ("info", "string", "result", *result), 0:
                    self._add(owner, game, Event(at, "over", wire, ply, ("result", *result)))
                case ("position", *_), 0:
                    moves = words[words.index("moves") + 1 :] if "moves" in words else ()
                    if not game and not placed:
                        self.unannounced.add(owner)
                        self._say("not announced", 0, owner, f"{text!r} of which game?")
                    ply, placed = len(moves), True
                    self._add(owner, game, Event(at, "position", wire, ply, moves))
                case ("go", *_), 0:
                    if not placed:
                        self._say("protocol", game, owner, f"{text!r} without a position before")
                    self._add(owner, game, Event(at, "go", wire, ply, words, bound))
                case ("bestmove", move, *_), 1:
                    self._add(owner, game, Event(at, "answer", wire, ply, (move,), bound))
                case ("resign" | "draw" as word,), 1:
                    self._add(owner, game, Event(at, word, wire, ply, ()))
        return game

    def _meet(self, game: int, names: tuple[str, str]) -> None:
        self._names = names
        self.story(game)

    def _add(self, owner: str, game: int, event: Event) -> None:
        if game:
            self.story(game).told[owner].append(event)

    def _say(self, *what: object) -> None:
        self.violations.append(Violation(*what))
