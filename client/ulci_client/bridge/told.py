"""What a server tells an engine between searches, and what a fresh one must be told again. Pure."""

from ulci.protocol import (
    Bench,
    Eval,
    FromServer,
    NewGame,
    Perft,
    Position,
    Register,
    SetOption,
)

# What no engine is told while it searches.
BETWEEN_SEARCHES = (SetOption, Register, Eval, Perft, Bench)


class Told:
    """`position`: the last one, held back until something is asked of it: some engines forget it
    at `isready`, others refuse it while they search."""

    def __init__(self) -> None:
        self.position = Position()
        self._settings: dict[str, SetOption | NewGame] = {}

    @property
    def settings(self) -> tuple[SetOption | NewGame, ...]:
        """What a fresh engine must be told before anything else."""
        return tuple(self._settings.values())

    def say(self, message: FromServer) -> list[FromServer]:
        """How the engine is told this, in order."""
        match message:
            case SetOption():
                self._settings[message.name.casefold()] = message
            case NewGame():
                # The last word before each game, whatever was set after it.
                self._settings.pop("", None)
                self._settings[""] = message
            case Eval() | Perft():
                return [self.position, message]
        return [message]
