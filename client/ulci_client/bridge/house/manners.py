"""A bot's greeting to its opponent, and its engine's options, in one game. Pure."""

from collections.abc import Sequence

from ulci.protocol.messages import FromClient, Option, SetOption, TellPlayer
from ulci_client.bot.engines import GameOptions, Met
from ulci_client.bot.sections import Config


class Manners:
    """The manners of one player. name: the player's in the lobby. met: the running game, if there
    is one."""

    def __init__(self, config: Config) -> None:
        self.name = ""
        self.met: Met | None = None
        self._kinds: Sequence[str] = config.greeting.to
        self._options = GameOptions(config)
        self._offered: Sequence[Option] = ()
        self._chosen: dict[str, str] = {}  # for all games of the engine
        self._values: dict[str, str | None] = {}  # that were set for one game

    def engine_up(self, chosen: Sequence[str], offered: Sequence[Option]) -> list[str]:
        """A fresh engine, its options as ``Name=Value`` for all games, and those that it has.
        Returns those that it lacks."""
        self._offered, self._values = offered, {}
        pairs = [text.partition("=") for text in chosen]
        self._chosen = {name.strip().casefold(): value.strip() for name, _, value in pairs}
        return [name for name in self._options.names if self._option(name) is None]

    def options(self) -> list[SetOption]:
        """The options for the engine in the game that begins."""
        if self.met is None:
            return []
        told = []
        for name, value in self._options.of(self.met).items():
            option = self._option(name)
            if option is None:
                continue
            usual = self._chosen.get(option.name.casefold(), option.default)
            wanted = usual if value is None else value
            if wanted != self._values.get(option.name, usual):
                told.append(SetOption(option.name, wanted))
            self._values[option.name] = wanted
        return told

    def greet(self, text: str, result: str = "") -> list[FromClient]:
        """The greeting to the opponent alone; an opponent of unknown kind gets one if all kinds
        do."""
        met = self.met
        kinds = (*self._kinds, "") if len({*self._kinds}) > 1 else self._kinds
        if not text or met is None or met.kind not in kinds or not met.opponent:
            return []
        said = text.format(
            opponent=met.opponent, bot=self.name, game=met.game, time=met.time, result=result
        )
        return [TellPlayer(met.opponent, said)]

    def _option(self, name: str) -> Option | None:
        wanted = name.casefold()
        return next((one for one in self._offered if one.name.casefold() == wanted), None)
