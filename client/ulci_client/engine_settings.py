"""An engine of a client's user: the options that a server may set, and the time that it gets."""

from dataclasses import dataclass

from ulci.engines.errors import OptionRejectedError
from ulci.engines.options import OptionError
from ulci.engines.process import EngineProcess
from ulci.engines.settings import EngineSettings

DEFAULT_MAX_HASH = 256
"""MB of ``Hash`` that a server may ask of each engine: enough for a long game, little enough for
several engines on a small machine."""

MORE_START = "--start-timeout SECONDS (bot.toml: start_timeout) gives it more"
MORE_PING = "--ping-timeout SECONDS (bot.toml: ping_timeout) gives it more"


@dataclass(frozen=True, slots=True)
class ClientEngineSettings(EngineSettings):
    """allow_options: names of options that a server may set beyond the usual ones. max_hash: MB of
    ``Hash`` that a server may ask for."""

    allow_options: tuple[str, ...] = ()
    max_hash: int = DEFAULT_MAX_HASH
    more_start: str = MORE_START
    more_ping: str = MORE_PING


def check_allowed(engine: EngineProcess, settings: ClientEngineSettings) -> None:
    """Raises OptionRejectedError: the engine lacks an option that a server may set."""
    try:
        for name in settings.allow_options:
            engine.options.named(name)
    except OptionError as error:
        raise OptionRejectedError(f"{engine.name}: {error}") from error
