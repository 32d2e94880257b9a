"""The face of an XBoard engine (protocol version 2). Plain calls, no waiting.

It has words for what UCI lacks: ``resign``, ``offer draw``, and results both ways.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from ulci.engines.options import OptionError
from ulci.protocol.messages import Go, Option, OptionType
from ulci.rules import GAMES, Illegal, Position, Side, StartError
from ulci_client.sanitize import clean

from .player import OpponentPlayer
from .settings import BUTTONS, OpponentSettings
from .uci import MAX_LINE, engine_name

_VARIANTS: Mapping[str, str] = {
    "normal": "chess",
    "fischerandom": "chess960",
    "suicide": "suicide",
    "giveaway": "giveaway",
    "atomic": "atomic",
    "crazyhouse": "crazyhouse",
    "3check": "3check",
    "kingofthehill": "kingofthehill",
    "horde": "horde",
    "racingkings": "racingkings",
    "antichess": "antichess",
}
"""XBoard's names of variants (its protocol, feature variants), and ours."""

_LEVEL = re.compile(r"(\d{1,4}) (\d{1,4})(?::(\d{1,2}))? (\d{1,5}(?:\.\d{1,3})?)")

_RESULT = re.compile(r"(1-0|0-1|1/2-1/2|\*)\s*(?:\{(.*)\})?.*")

ENGINE_OPTIONS = ("Opponent", "Pool", "Time", "Rated", "Color", "Level")
"""Settings that the GUI may change; the server is the command line's."""


class XboardFace:
    """`write` sends bytes to the GUI."""

    def __init__(self, settings: OpponentSettings, write: Callable[[bytes], None]) -> None:
        self.player = OpponentPlayer(settings, self)
        self._settings = settings
        self._write = write
        self._buffer = bytearray()
        self._pings: list[str] = []
        self._board = GAMES["chess"].new()
        self._start: str | None = None
        self._plays: Side | None = Side.BLACK  # the engine's side; None: force mode
        self._asked = False
        self._offered = False  # a draw, by the remote player
        self._over = False  # the GUI knows that its game is over, or was told so
        self._computer = False

    def receive(self, data: bytes, at: float) -> bool:
        """Bytes of the GUI, empty at their end; False once it has said goodbye."""
        self._buffer += data
        *lines, rest = self._buffer.split(b"\n")
        self._buffer = rest if len(rest) <= MAX_LINE else bytearray()
        for line in lines:
            word, _, text = line.decode(errors="replace").strip().partition(" ")
            if word == "quit":
                return False
            self._hear(word, text.strip(), at)
        return bool(data)

    # What the GUI is told

    def ready(self) -> None:
        if self._pings:
            self._say(f"pong {self._pings.pop(0)}")

    def move(self, board: Position, move: str) -> None:
        self._asked = self._offered = False
        self._say(f"move {self._spelled(board, move)}")
        self._board.play_untrusted(move)

    def no_move(self, why: str = "") -> None:
        self._asked = False
        if why and not self._over:
            # A comment would go unseen, and the GUI's clocks run.
            self._say(f"tellusererror {why}")

    def tell(self, text: str) -> None:
        # Not `telluser`, which opens a window each time.
        self._say(f"# {text}")

    def draw_offered(self, by: str) -> None:  # noqa: ARG002 (the GUI knows its opponent)
        self._offered = True
        self._say("offer draw")

    def over(self, result: str, reason: str, mine: Side | None) -> None:
        if self._over:
            return  # the GUI said so itself
        self._over = True
        lost = {"1-0": Side.BLACK, "0-1": Side.WHITE}.get(result)
        if reason == "resignation" and lost is not None and lost is not mine:
            self._say("resign")
        elif result == "*":
            self._say(f"tellusererror the game is over at the server without a result: {reason}")
        else:
            self._say(f"{result} {{{reason} at the server}}")

    def _say(self, line: str) -> None:
        self._write(f"{clean(line)}\n".encode())

    # What the GUI says

    def _hear(self, word: str, text: str, at: float) -> None:
        handler = _COMMANDS.get(word)
        if handler is not None:
            handler(self, text, at)
        elif word and word not in _IGNORED:
            is_move = self._board.parse_untrusted(word) is not None
            self._move(word) if is_move else self._error("unknown command", word)

    def _error(self, why: str, command: str) -> None:
        self._say(f"Error ({why}): {command}")

    def _protover(self, _: str, __: float) -> None:
        games = ",".join(name for name, game in _VARIANTS.items() if game in GAMES)
        self._say(f'feature myname="{engine_name(self._settings)}" variants="{games}"')
        self._say("feature setboard=1 usermove=1 ping=1 time=1 draw=1 name=1 colors=0 san=0")
        self._say("feature sigint=0 sigterm=0 reuse=1 analyze=0 playother=1 debug=1")
        for option in self._settings.offered():
            if option.name in BUTTONS:
                self._say(f'feature option="{option.name} -button"')
            elif option.name in ENGINE_OPTIONS:
                self._say(f'feature option="{option.name} {_shown(option)}"')
        self._say("feature done=1")

    def _new(self, _: str, __: float) -> None:
        self.player.new_game()
        self._settings.play_variant_untrusted("normal")
        self._set_up(None)
        self._plays = Side.BLACK
        self._asked = self._offered = self._over = False

    def _variant(self, text: str, _: float) -> None:
        game = _VARIANTS.get(text)
        if game is None or game not in GAMES:
            self._error("unknown variant", f"variant {text}")
            return
        self._settings.play_variant_untrusted(game)
        self._set_up(None)

    def _set_board(self, text: str, _: float) -> None:
        try:
            self._set_up(text)
        except StartError as error:
            self._say(f"tellusererror Illegal position: {error}")

    def _set_up(self, start: str | None) -> None:
        self._board = GAMES[self._settings.game].new(start)
        self._start = start

    def _force(self, _: str, __: float) -> None:
        self._plays = None

    def _go(self, _: str, __: float) -> None:
        self._plays = self._board.turn
        self._think()

    def _play_other(self, _: str, __: float) -> None:
        self._plays = self._board.turn.other

    def _move(self, text: str) -> None:
        move = self._board.parse_untrusted(text)
        verdict = None if move is None else self._board.play_untrusted(move)
        if verdict is None or isinstance(verdict, Illegal):
            self._say(f"Illegal move: {text}")
            return
        self._offered = False
        self._think()

    def _think(self) -> None:
        """Ask the remote player, if it is its turn and the GUI's game is on."""
        if self._over or self._asked or self._plays is not self._board.turn:
            return
        self._asked = True
        self.player.position(self._start, self._board.moves)
        self.player.go(Go())

    def _take_back(self, plies: int) -> None:
        if plies <= len(self._board.moves):
            self._board.take_back(plies)
            if self.player.playing:
                self.tell("the game at the server goes on: nothing is taken back there")

    def _level(self, text: str, _: float) -> None:
        if (found := _LEVEL.fullmatch(" ".join(text.split()))) is not None:
            moves = "" if found[1] == "0" else f"{found[1]}/"
            seconds = int(found[2]) * 60 + int(found[3] or 0)
            self.player.pairing.clock = f"{moves}{seconds}+{found[4]}"

    def _fixed(self, text: str, _: float) -> None:
        if text.isdecimal():
            self.player.pairing.clock = f"movetime={int(text) * 1000}"

    def _ping(self, text: str, at: float) -> None:
        self._pings.append(text)
        self.player.ready(at)

    def _name(self, text: str, _: float) -> None:
        self._settings.name = clean(text)
        self._settings.human = not self._computer

    def _is_computer(self, _: str, __: float) -> None:
        self._computer, self._settings.human = True, False

    def _draw(self, _: str, __: float) -> None:
        self.player.draw()

    def _result(self, text: str, _: float) -> None:
        """The GUI's game is over. Where the server's is not, tell it what its words can say."""
        found = _RESULT.fullmatch(text)
        if found is None or self._over:
            self._over = True
            return
        self._over = True
        game = self.player.game
        if game is None or game.over is not None:
            return
        lost = {"1-0": Side.BLACK, "0-1": Side.WHITE}.get(found[1])
        if lost is game.side:
            self.player.resign()
        elif found[1] == "1/2-1/2":
            self.player.draw()

    def _option(self, text: str, _: float) -> None:
        name, _equals, value = (part.strip() for part in text.partition("="))
        if self.player.press(name):
            return
        try:
            self._settings.set_untrusted(name, value)
        except OptionError as error:
            self._error(str(error), f"option {text}")

    def _spelled(self, board: Position, move: str) -> str:
        """Coordinates; castling in Chess960 as O-O (XBoard's protocol, move)."""
        if self._settings.game == "chess960":
            san = board.san(move)
            if san.startswith("O-O"):
                return san.rstrip("+#")
        return move


_IGNORED: Sequence[str] = (
    *("xboard", "accepted", "rejected", "random", "hard", "easy", "rating", "ics", "time", "otim"),
    *("post", "nopost"),
    *("white", "black", "memory", "cores", "egtpath", "sd", "nps", "hint", "bk", "pause", "resume"),
    *("?", ".", "computer", "exclude", "include", "setscore"),
)
"""Commands that mean nothing to a remote player, who cannot be hurried either (``?``)."""

_COMMANDS: Mapping[str, Callable[[XboardFace, str, float], None]] = {
    "protover": XboardFace._protover,
    "new": XboardFace._new,
    "variant": XboardFace._variant,
    "setboard": XboardFace._set_board,
    "force": XboardFace._force,
    "result": XboardFace._result,
    "go": XboardFace._go,
    "playother": XboardFace._play_other,
    "usermove": lambda face, text, _: face._move(text),
    "undo": lambda face, _, __: face._take_back(1),
    "remove": lambda face, _, __: face._take_back(2),
    "level": XboardFace._level,
    "st": XboardFace._fixed,
    "ping": XboardFace._ping,
    "name": XboardFace._name,
    "computer": XboardFace._is_computer,
    "draw": XboardFace._draw,
    "option": XboardFace._option,
}


def _shown(option: Option) -> str:
    """The kind of an option, its default and its values, as XBoard wants them."""
    if option.type is OptionType.SPIN:
        return f"-spin {option.default} {option.min} {option.max}"
    if option.vars:
        return f"-combo {' /// '.join(f'*{v}' if v == option.default else v for v in option.vars)}"
    return f"-string {option.default or ''}"
