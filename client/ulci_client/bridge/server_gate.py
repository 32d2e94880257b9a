"""Filters a server's messages on their way to the engine: one row a verb. Pure.

A message without a row never reaches the engine: the bridge handles it, or ignores it. After a
position that the engine must not get, it gets no message until the next position, and the bridge
answers in its place.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ulci.engines.options import OptionError
from ulci.protocol.messages import (
    Bench,
    Debug,
    Eval,
    FromServer,
    Go,
    IsReady,
    NewGame,
    Perft,
    PonderHit,
    Position,
    Query,
    Register,
    SetOption,
    Stop,
)

from .position_check import bounded, position_fault, search_fault
from .server_rights import ServerRights

MOST_TOLD = 20
"""Refusals that are shown, each once; a server can think of any number of names."""

VARIANT = "uci_variant"
"""The option by which a server chooses the game, in lower case."""

Said = TypeVar("Said", bound=FromServer)


class UnplayableError(Exception):
    """The engine must not get what it is asked to search; the text says why."""


class ServerGate:
    """`told`: called with each thing that a server may not do, once each."""

    def __init__(self, told: Callable[[str], None]) -> None:
        self._told = told
        self._shown: set[str] = set()
        self._rights = ServerRights()
        self._game: str | None = None
        self._variant = ""  # the server's choice for this engine
        self._fault = ""  # of the last position

    def engine_up(
        self, rights: ServerRights, game: str | None, told: Iterable[FromServer] = ()
    ) -> None:
        """A fresh engine. `game`: what it plays unless the server chooses; None if its dialect is
        not UCI, so that nobody knows what it plays. `told`: what the server sent to its
        predecessor, and the gate passed on."""
        self._rights, self._game, self._variant = rights, game, ""
        for message in told:
            if isinstance(message, SetOption):
                self._option(message)

    def passed(self, message: FromServer) -> FromServer | None:
        """What the engine is to hear; None for nothing. A search has a method of its own."""
        handler = _WORDS.get(type(message))
        return None if handler is None else handler(self, message)

    def search(self, message: Go) -> Go:
        """The search that the engine is to make.

        Raises:
            UnplayableError: of what it must not get; answer it without the engine.
        """
        if fault := self._fault or search_fault(message, self._known_game):
            raise UnplayableError(f"the engine was not given this position: {fault}")
        return bounded(message)

    def _freely(self, message: Said) -> Said:
        return message

    def _never(self, message: FromServer) -> None:
        word = type(message).__name__.lower()
        self._refuse(word, f"the server says {word!r}, which a server may not: ignored")

    def _option(self, message: SetOption) -> SetOption | None:
        try:
            setting = self._rights.setting(message)
        except OptionError as error:
            name = message.name.casefold()
            self._refuse(f"option {name}", f"the server's setting was ignored: {error}")
            return None
        if setting is not None and setting.name.casefold() == VARIANT and setting.value:
            self._variant = setting.value.casefold()
        return setting

    def _position(self, message: Position) -> Position | None:
        self._fault = position_fault(message, self._known_game)
        return None if self._fault else message

    @property
    def _known_game(self) -> str | None:
        return None if self._game is None else self._variant or self._game

    def _refuse(self, what: str, text: str) -> None:
        if what not in self._shown and len(self._shown) < MOST_TOLD:
            self._shown.add(what)
            self._told(text)


_WORDS: Mapping[type, Callable[[ServerGate, Any], FromServer | None]] = {
    IsReady: ServerGate._freely,
    NewGame: ServerGate._freely,
    SetOption: ServerGate._option,
    Position: ServerGate._position,
    Stop: ServerGate._freely,
    PonderHit: ServerGate._freely,
    # They write to files and screens, unlock, or keep the engine busy for as long as it takes.
    **dict.fromkeys((Debug, Register, Eval, Bench, Perft, Query), ServerGate._never),
}
