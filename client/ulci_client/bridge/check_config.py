"""``ulci bridge --check-config``: what a bot would do with its file, in a few lines."""

from collections.abc import Iterator, Sequence

from ulci.settings import SettingPath
from ulci_client.bot.books import Book, BookError
from ulci_client.bot.sections import Config
from ulci_client.bot.tablebases import lacking

from .program_file import find_program


def file_faults(config: Config) -> Iterator[tuple[SettingPath, str]]:
    """The faults of the files that the configuration names; no program is started."""
    if not config.engine:
        yield ("engine",), 'is missing; write [[engine]] and: command = ["/usr/games/stockfish"]'
    for at, engine in enumerate(config.engine):
        if find_program(engine.command[0]) is None:
            yield ("engine", at, "command"), f"there is no program {engine.command[0]}"
    for at, table in enumerate(config.book):
        try:
            Book(table.path)
        except BookError as error:
            yield ("book", at, "path"), str(error)
    for at, path in enumerate(config.tablebases.paths):
        if lack := lacking(path):
            yield ("tablebases", "paths", at), lack


def summary(config: Config) -> Iterator[str]:
    """A line for each thing that the bot would do."""
    games = "a game" if config.concurrency == 1 else f"{config.concurrency} games"
    called = f" as {config.name}" if config.name else ""
    yield f"play {games} at once at {' or '.join(config.server)}{called}"
    for engine in config.engine:
        yield f"let {engine.command[0]} play {', '.join(engine.games) or 'all other games'}"
    yield from _accepts(config)
    yield from _limits(config)
    yield from _helps(config)
    yield _seeks(config)
    if config.matchmaking.after:
        kinds = " and ".join(f"{kind}s" for kind in config.matchmaking.kinds)
        yield f"challenge {kinds} after {config.matchmaking.after:g} s of idleness"


def _accepts(config: Config) -> Iterator[str]:
    table = config.accept
    if not table.challenges:
        yield "decline every challenge"
        return
    clocks = (
        f"{table.base[0]:g} to {table.base[1]:g} s and {table.bonus[0]:g} to {table.bonus[1]:g}"
    )
    parts = [
        f"of {' and '.join(f'{kind}s' for kind in table.kinds) or 'nobody'}",
        f"at {', '.join(table.games)}" if table.games else "at whatever its engines play",
        f"with {clocks} s per move" if "clock" in table.clocks else "",
        {"any": "", "yes": "rated", "no": "unrated"}[table.rated],
        "" if table.own_starts else "from usual starts",
    ]
    yield f"accept challenges {', '.join(filter(None, parts))}"
    if table.only:
        yield f"play only {_some(table.only)}"
    if table.refuse:
        yield f"refuse {_some(table.refuse)}"


def _limits(config: Config) -> Iterator[str]:
    limits = config.limits
    if limits.kept_for_people:
        yield f"keep {limits.kept_for_people} of {config.concurrency} games for people"
    for most, what in (
        (limits.opponent_at_once, "at once with one opponent"),
        (limits.opponent_a_day, "a day with one opponent"),
        (limits.a_day, "a day"),
    ):
        if most:
            yield f"play at most {most} {what}"
    for span in limits.quiet_hours:
        yield f"rest {span.text}"


def _helps(config: Config) -> Iterator[str]:
    for book in config.book:
        yield f"play {', '.join(book.games)} from {book.path} up to ply {book.plies}"
    for path in config.tablebases.paths:
        yield f"play endings by the tablebases in {path}"
    if config.resign.moves:
        yield f"resign after {config.resign.moves} moves at -{config.resign.score} or worse"


def _seeks(config: Config) -> str:
    seek = config.seek
    what = " ".join(filter(None, (seek.pool or seek.game or "the server's game", seek.time)))
    when = {
        "always": f"seek {what} whenever it is free",
        "idle": f"seek {what} after {seek.after:g} s of idleness",
        "never": "seek no game",
    }
    return when[seek.when]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"{', '.join(names[:5])}{more}"
