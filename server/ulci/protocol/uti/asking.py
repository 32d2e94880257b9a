"""The server's end of UTI: `Position` and `Go` become a question, its answer a `BestMove`.

A question that an engine refuses is repeated if that is safe: with a setting spelled as it hints,
with another value for its own settings (`TUNING`), or without these. The rules of the game are
never changed for it: then there is no move, ``bestmove 0000``.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ulci.protocol import messages as say
from ulci.protocol.dialect import Read, Role
from ulci.protocol.info import Unread
from ulci.protocol.messages import NO_MOVE, Message, Unknown
from ulci.protocol.text import number_in, word

from .grid import Grid, grid_of
from .words import (
    CAPABILITIES,
    PLAIN,
    RULES,
    TUNING,
    CommandNotKnown,
    meant,
    parts,
    read_refusal_untrusted,
)

# Hints followed for one question: an engine that keeps suggesting new values has none that works.
MAX_TRIES = 4

_SAYS = frozenset({
    say.Hello, say.Debug, say.IsReady, say.SetOption, say.NewGame, say.Position, say.Go, say.Stop,
    say.Eval, say.Quit,
})  # fmt: skip
_SPELLED_ALIKE = (say.Debug, say.NewGame, say.Stop, say.Quit, say.Unknown)
_NOTES = {"depth": "depth", "nodes": "nodes", "calctime": "time"}


@dataclass(slots=True)
class OpenQuestion:
    """A question not answered yet. depth: of the ``go``. tried: the lines sent for it so far."""

    grid: Grid
    eval: bool = False
    depth: int | None = None
    bare: bool = False  # without the engine's own settings
    tried: list[str] = field(default_factory=list)


class Asking:
    """The `Dialect` of a server for a UTI engine."""

    name = "UTI"
    lobby = False
    lacks = frozenset({"movestogo", "ponder", "nodes", "mate", "movetime"})
    appends = False
    sayable = _SAYS

    def __init__(self) -> None:
        self.replies: list[Unknown] = []
        self._grid = Grid()
        self._questions: deque[OpenQuestion] = deque()
        self._pings: deque[bool] = deque()  # is it the one that ends the introduction?
        self._heard_utiok = False
        self._capabilities: list[str] = []
        self._tuning: dict[str, str] = {}  # values that were set, or suggested by the engine
        self._spelling: dict[str, str] = {}  # its own names for settings
        self._spelled_out: set[str] = set()  # default settings that it wants to be sent

    def __repr__(self) -> str:
        return self.name

    def take_replies(self) -> Sequence[Unknown]:
        taken, self.replies = self.replies, []
        return taken

    def forgive(self) -> None:
        self._questions.clear()

    def can_say(self, message: Message | Unread) -> bool:
        return type(message) in _SAYS and not (isinstance(message, say.Go) and message.ponder)

    def show(self, message: Message | Unread) -> str:
        return PLAIN.write(message)

    # Writing

    def write(self, message: Message | Unread) -> str:
        """Several lines for some messages, none for others: a position comes with its question."""
        match message:
            case say.Hello():
                self._heard_utiok = False
                self._pings.append(True)
                return "uti\nid\ninfo\nisready"
            case say.IsReady():
                self._pings.append(False)
                return "isready"
            case say.SetOption(name, str(value)) if name.casefold() in TUNING:
                self._tuning[name.casefold()] = _on_or_off(word(value))
            case say.Position(start, moves):
                self._grid = grid_of(start, moves)
            case say.Go():
                return self._ask(OpenQuestion(self._grid, depth=message.depth))
            case say.Eval():
                return self._ask(OpenQuestion(self._grid, eval=True))
            case _ if isinstance(message, _SPELLED_ALIKE):
                return PLAIN.write(message)
        return ""

    def _ask(self, question: OpenQuestion) -> str:
        lines = self._lines(question)
        question.tried.append(lines)
        self._questions.append(question)
        return lines

    def _lines(self, question: OpenQuestion) -> str:
        grid = question.grid
        usual = Grid()
        said = self._rules(grid)
        size = [self._named("size"), said["size"]]
        if (grid.width, grid.height) == (usual.width, usual.height):
            size = size if "size" in self._spelled_out else []
        line = [*size, *(["eval"] if question.eval else []), "0"]
        if grid.winlength != usual.winlength or "winlength" in self._spelled_out:
            line += [self._named("winlength"), said["winlength"]]
        if "players" in self._spelled_out:
            line += [self._named("players"), said["players"]]
        if not question.bare:
            depth = {} if question.depth is None else {"depth": str(question.depth)}
            for name, value in {**depth, **self._tuning}.items():
                line += [self._named(name), value]
        return f"pos {grid.cells} {grid.turn}\n{' '.join(line)}"

    def _rules(self, grid: Grid) -> Mapping[str, str]:
        size = f"{grid.width}X{grid.height}"
        return {"size": size, "winlength": str(grid.winlength), "players": "2"}

    def _named(self, name: str) -> str:
        return self._spelling.get(name, name)

    # Reading

    def read_untrusted(self, line: str, reader: Role, *, defer: bool = False) -> Read:  # noqa: ARG002 (one end only)
        """Read an engine's line. Never raises: UTI wants unknown lines to be shown."""
        said = line.split()
        if not said:
            return ()
        if (refusal := read_refusal_untrusted(said)) is not None:
            return self._refused(refusal)
        if (square := number_in(said[0])) is not None:
            return self._answered(square, said[1:])
        match [each.casefold() for each in said]:
            case ["utiok", *_]:
                self._heard_utiok = True
                return ()
            case ["readyok", *_]:
                return self._ready()
            case ["quit"]:
                return say.Quit()
            case ["id", *_]:
                return _identity(said[1:])
            case ["name" | "author" | "country", *_]:
                return _identity(said)
            case folded if self._introducing and CAPABILITIES & {*parts(folded)}:
                self._capabilities += (each for each in parts(folded) if each in CAPABILITIES)
                return ()
            case ["info", *_]:
                return say.Info(string=" ".join(said[1:]))
        return Unknown(" ".join(said))

    @property
    def _introducing(self) -> bool:
        return any(self._pings)

    def _ready(self) -> Read:
        if not self._pings or not self._pings.popleft():
            return say.ReadyOk()
        if not self._heard_utiok:
            return ()  # "if not engine task will be killed by gui"
        known = dict.fromkeys(self._capabilities)
        features = [each for each in known if each not in TUNING]
        games = _EVERY_BOARD if _ANY_BOARD.issubset(known) else _EVERY_BOARD[:1]
        told: list[Message] = [
            say.Option("UCI_Variant", say.OptionType.COMBO, games[0], vars=games)
        ]
        if features:
            told.append(say.Id("feature", " ".join(features)))
        told += (_OPTIONS[each] for each in known if each in _OPTIONS)
        return (*told, say.HelloOk())

    def _answered(self, square: int, rest: Sequence[str]) -> Read:
        question = self._questions.popleft() if self._questions else OpenQuestion(self._grid)
        told: list[Message] = []
        if rest and (score := number_in(rest[0], -100)) is not None:
            mover = 1 if question.grid.turn == 1 else -1
            told.append(_analysis(mover * min(score, 100), rest[1:]))
        if not question.eval:
            move = NO_MOVE if square == 0 else question.grid.name(square)
            told.append(say.BestMove(move))
        return tuple(told)

    def _refused(self, refusal: CommandNotKnown) -> Read:
        report = say.Report(say.Blame.CLIENT, refusal.explain())
        if not self._questions:
            return report
        question = self._questions[0]
        if len(self._questions) == 1 and self._adapts(question, refusal):
            question.tried.append(self._lines(question))
            self.replies += (Unknown(line) for line in question.tried[-1].split("\n"))
            return report
        self._questions.popleft()
        return report if question.eval else (report, say.BestMove(NO_MOVE))

    def _adapts(self, question: OpenQuestion, refusal: CommandNotKnown) -> bool:
        """Whether the question can be asked in another way."""
        if len(question.tried) > MAX_TRIES:
            return False
        if refusal.hint is not None:
            self._take_hint(question, *refusal.hint)
        if self._lines(question) in question.tried:
            question.bare = True
        return self._lines(question) not in question.tried

    def _take_hint(self, question: OpenQuestion, name: str, value: str) -> None:
        setting = meant(name)
        if setting in TUNING:
            self._tuning[setting] = value
        elif setting in RULES:
            if self._rules(question.grid)[setting].casefold() != value.casefold():
                return  # another game
            self._spelled_out.add(setting)
        if setting is not None:
            self._spelling[setting] = name


# Games for an engine; all but the first need boards of any size.
_EVERY_BOARD = ("tictactoe", "mnk", "gomoku")
_ANY_BOARD = frozenset({"size", "winlength"})

_OPTIONS: Mapping[str, say.Option] = {
    "multi": say.Option("multi", say.OptionType.CHECK),
    "table": say.Option("table", say.OptionType.CHECK),
    "level": say.Option("level", say.OptionType.SPIN),
}


def _on_or_off(value: str) -> str:
    return {"true": "on", "false": "off"}.get(value.casefold(), value)


def _identity(said: Sequence[str]) -> tuple[Message, ...]:
    """``name <x> author <x> ( country <x>)``: each value goes to the next of these words."""
    keys = ("name", "author", "country")
    at = [at for at, each in enumerate(said) if each.casefold() in keys]
    return tuple(
        say.Id(said[begin].casefold(), " ".join(said[begin + 1 : end]))
        for begin, end in pairwise((*at, len(said)))
    )


def _analysis(score: int, notes: Sequence[str]) -> say.Info:
    """The known notes, and the others as text: "the users should understand"."""
    counts: dict[str, Any] = {}
    others: list[str] = []
    left = parts(notes)
    while left:
        note = left.pop(0)
        if (
            (key := _NOTES.get(note.casefold()))
            and left
            and (count := number_in(left[0])) is not None
        ):
            counts[key] = count
            del left[0]
        else:
            others.append(note)
    string = " ".join(others) if others else None
    return say.Info(score=say.Score(cp=score), string=string, **counts)
