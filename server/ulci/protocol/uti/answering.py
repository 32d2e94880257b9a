"""The engine's end of UTI: a question becomes `Position` and `Go`, `BestMove` its answer.

The board is set by ``newgame``, ``pos`` or ``posmoves``, and changes with every move that is named
or answered. Only a question gives its size and the winning length. An invalid question is answered
with an error here; the caller gets a RemoteProtocolError only.
"""

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ulci.protocol import messages as say
from ulci.protocol.dialect import Read, Role
from ulci.protocol.errors import RemoteProtocolError
from ulci.protocol.info import Unread, read_info_untrusted
from ulci.protocol.messages import NO_MOVE, Message, Unknown
from ulci.protocol.text import plain, quote

from .grid import EMPTY, Grid
from .question import NUMBER, UnanswerableError, read_player, read_question
from .words import PLAIN, CommandNotKnown, parts, read_refusal_untrusted

# UTI has no clock, and "0" must be answered without a stop: the time for a move, in ms, if the
# question gives no depth.
MOVE_TIME = 1000

BEST = 100  # "100 means player 1 is winning"

_MOVE = re.compile(r"([0-9]{1,4}),([1-9])", re.ASCII)
_CELLS = re.compile(r"[-1-9]{1,1000}", re.ASCII)
_CAN = ("standard", "size", "eval", "winlength", "players", "depth")


@dataclass(frozen=True, slots=True)
class Laid:
    """Stones by the numbers of their squares; `length`: the number of squares if known."""

    stones: Mapping[int, str] = field(default_factory=dict)
    turn: int = 1
    length: int | None = None

    def on(self, width: int, height: int, winlength: int) -> Grid:
        """The stones on a board of this size. Raises UnanswerableError."""
        length = width * height
        if self.length not in (None, length) or max(self.stones, default=1) > length:
            raise UnanswerableError("SetboardIncorrect")
        if self.turn > 2 or any(player > "2" for player in self.stones.values()):
            raise UnanswerableError("PlayerCountNotSupported", ("players", "2"))
        cells = "".join(self.stones.get(square, EMPTY) for square in range(1, length + 1))
        return Grid(width, height, winlength, cells, self.turn)


def _laid(cells: str, turn: int) -> Laid:
    stones = {at: cell for at, cell in enumerate(cells, 1) if cell != EMPTY}
    return Laid(stones, turn, len(cells))


_SAYS = frozenset({
    Unread, say.Id, say.Option, say.HelloOk, say.ReadyOk, say.BestMove, say.Info, say.Report,
    say.Quit, say.Unknown,
})  # fmt: skip


class Answering:
    """The `Dialect` of an engine for a UTI program."""

    name = "UTI"
    lobby = False
    lacks: frozenset[str] = frozenset()
    appends = False
    sayable = _SAYS

    def __init__(self) -> None:
        self.replies: list[Unknown] = []
        self._ids: dict[str, str] = {}
        self._options: dict[str, str] = {}  # names as the engine spells them, by UTI's
        self._introduced = False
        self._held: list[Callable[[], str]] = []  # answers due after the introduction
        self._laid: Laid | None = Laid()
        self._open: deque[tuple[Grid, bool, Laid]] = deque()  # board, is it eval, `_laid` then
        self._stopped = False
        self._debug = False
        self._analysis = say.Info()

    def __repr__(self) -> str:
        return self.name

    def take_replies(self) -> Sequence[Unknown]:
        taken, self.replies = self.replies, []
        return taken

    def forgive(self) -> None:
        self._open.clear()

    def can_say(self, message: Message | Unread) -> bool:
        """A message without a line of its own is kept for an answer, or left out by `write`."""
        return type(message) in _SAYS

    def show(self, message: Message | Unread) -> str:
        return PLAIN.write(message)

    # Reading

    def read_untrusted(self, line: str, reader: Role, *, defer: bool = False) -> Read:  # noqa: ARG002 (one end only)
        """Read a program's line. An invalid question is also answered with UTI's error."""
        said = line.split()
        if not said:
            return ()
        if read_refusal_untrusted(said) is not None:
            return Unknown(" ".join(said))  # its sender might refuse a refusal in turn, for ever
        verb = said[0].casefold()
        try:
            if verb in _VERBS:
                return _VERBS[verb](self, said[1:])
            if verb in ("size", "eval") or any(map(NUMBER.fullmatch, parts(said))):
                return self._question(said)
        except UnanswerableError as refused:
            self._reply(refused.refusal.write())
            raise RemoteProtocolError(f"{quote(line)}: {refused.refusal.explain()}") from None
        self._reply(CommandNotKnown().write())
        return Unknown(" ".join(said))

    def _reply(self, line: str) -> None:
        self.replies.append(Unknown(line))

    def _hello(self, _said: Sequence[str]) -> Read:
        self._introduced = False
        return say.Hello()

    def _set_debug(self, said: Sequence[str]) -> Read:
        if said[:1] not in (["on"], ["off"]):
            raise UnanswerableError("OptionNotSupported")
        self._debug = said[0] == "on"
        return say.Debug(self._debug)

    def _stop(self, _said: Sequence[str]) -> Read:
        self._stopped = True
        return say.Stop()

    def _asks(self, answer: Callable[[], str]) -> Read:
        if self._introduced:
            self._reply(answer())
        else:
            self._held.append(answer)
        return ()

    def _identity(self) -> str:
        keys = ("name", "author", "country")
        known = {"name": "anonymous", "author": "unknown", **self._ids}
        return " ".join(f"{key} {known[key]}" for key in keys if known.get(key))

    def _capabilities(self) -> str:
        return f"info {' '.join((*_CAN, *self._options))}"

    def _new_game(self, _said: Sequence[str]) -> Read:
        self._laid = Laid()
        return say.NewGame()

    def _set_board(self, said: Sequence[str]) -> Read:
        self._laid = None  # the last board is no longer valid, even if this one cannot be read
        cells, turn = "".join(said[:-1]), read_player(said)
        if not _CELLS.fullmatch(cells):
            raise UnanswerableError("SetboardIncorrect")
        self._laid = _laid(cells, turn)
        return ()

    def _set_moves(self, said: Sequence[str]) -> Read:
        self._laid = None
        stones: dict[int, str] = {}
        turn = read_player(said)
        for move in filter(None, "".join(said[:-1]).split(";")):
            found = _MOVE.fullmatch(move)
            if found is None or int(found[1]) in stones or int(found[1]) < 1:
                raise UnanswerableError("SetboardIncorrect")
            stones[int(found[1])] = found[2]
        self._laid = Laid(stones, turn)
        return ()

    def _question(self, said: Sequence[str]) -> Read:
        asked = read_question(parts(said))
        if not self._introduced:
            raise UnanswerableError("SayUtiFirst")
        self._give_up_evaluations()
        if self._open and not self._stopped:
            raise UnanswerableError("StillCalculating")
        width, height, winlength = asked.rules()
        depth = asked.depth()
        settings = self._settings(asked.settings)
        if self._laid is None:
            raise UnanswerableError("SetboardIncorrect")
        grid: Grid | None = self._laid.on(width, height, winlength)
        if asked.square and grid is not None:
            grid = grid.put(asked.square)
        if grid is None:
            raise UnanswerableError("SquareNotEmpty")
        self._laid = _laid(grid.cells, grid.turn)
        self._open.append((grid, asked.eval, self._laid))
        self._stopped, self._analysis = False, say.Info()
        go = say.Go(movetime=MOVE_TIME) if depth is None else say.Go(depth=depth)
        return (*settings, say.Position(grid.start()), say.Eval() if asked.eval else go)

    def _give_up_evaluations(self) -> None:
        """Only UTI requires an answer to an evaluation, so some engines send none."""
        while self._open and self._open[0][1]:
            self._open.popleft()
            self._reply(CommandNotKnown("EvalNotSupported").write())

    def _settings(self, settings: Mapping[str, str]) -> tuple[say.SetOption, ...]:
        """The options to set. Options that the engine lacks can be off.

        Raises UnanswerableError."""
        said = []
        for name, (detail, hint) in _TUNING.items():
            value = settings.get(name)
            if value is None:
                continue
            if name in self._options:
                value = {"on": "true", "off": "false"}.get(value, value)
                said.append(say.SetOption(self._options[name], value))
            elif value != "off":
                raise UnanswerableError(detail, hint)
        return tuple(said)

    # Writing

    def write(self, message: Message | Unread) -> str:
        """Several lines for some messages, none for others: an analysis is sent with the answer."""
        match message:
            case Unread(line):
                return self._note(read_info_untrusted(line))
            case say.Id(key, value):
                self._ids[key] = value
            case say.Option(name):
                if name.casefold() in _TUNING:
                    self._options[name.casefold()] = name
            case say.HelloOk():
                self._introduced = True
                held, self._held = self._held, []
                return "\n".join(("utiok", *(answer() for answer in held)))
            case say.Info():
                return self._note(message)
            case say.Report(_, text):
                return self._extra(text)
            case say.BestMove(move):
                return self._answer(move)
            case _:
                return PLAIN.write(message)
        return ""

    def _note(self, info: say.Info) -> str:
        if info.score is None:
            return self._extra(info.string) if info.string else ""
        self._analysis = info
        if self._open and self._open[0][1]:
            return self._answer(NO_MOVE)
        return ""

    def _extra(self, text: str) -> str:
        """ "In debug mode the engine can send extra info"."""
        return f"info {plain(text)}" if self._debug else ""

    def _answer(self, move: str) -> str:
        grid, _, laid = self._open.popleft() if self._open else (Grid(), False, None)
        square = grid.square_untrusted(move) or 0
        after = grid.put(square)
        if after is not None and laid is self._laid:
            self._laid = _laid(after.cells, after.turn)
        info, self._analysis = self._analysis, say.Info()
        score = _points(info.score) * (1 if grid.turn == 1 else -1)
        notes = {"depth": info.depth, "nodes": info.nodes, "calctime": info.time}
        said = [f"{name} {count}" for name, count in notes.items() if count is not None]
        return " ".join((str(square), str(score), *said))


Verb = Callable[[Answering, Sequence[str]], Read]

_VERBS: Mapping[str, Verb] = {
    "uti": Answering._hello,
    "isready": lambda *_: say.IsReady(),
    "debug": Answering._set_debug,
    "stop": Answering._stop,
    "quit": lambda *_: say.Quit(),
    "id": lambda self, _: self._asks(self._identity),
    "info": lambda self, _: self._asks(self._capabilities),
    "newgame": Answering._new_game,
    "pos": Answering._set_board,
    "posmoves": Answering._set_moves,
}

# Errors for settings that the engine does not offer.
_TUNING: Mapping[str, tuple[str, tuple[str, str] | None]] = {
    "multi": ("MutlithreatingNotSupported", ("multi", "off")),
    "table": ("TranspotableNotSupported", ("table", "off")),
    "level": ("LevelNotSupported", None),
}


def _points(score: say.Score | None) -> int:
    """From -100 to 100, from the mover's side."""
    if score is None:
        return 0
    if score.mate is not None:
        return BEST if score.mate > 0 else -BEST
    return max(-BEST, min(score.cp or 0, BEST))
