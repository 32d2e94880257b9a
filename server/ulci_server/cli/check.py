"""``ulci-server check-config``: check a configuration, and show what a server would do with it."""

from collections.abc import Iterator
from pathlib import Path

import click

from ulci_server.config import Config, load
from ulci_server.config.pool_table import PoolTable
from ulci_server.game.conduct import DEFAULT_CONDUCT
from ulci_server.storage import Durability

from .banner import engine_offered, kept_in, spoken_at
from .errors import reporting_errors
from .output import columns, table


@click.command(name="check-config")
@click.argument("file", type=click.Path(path_type=Path))
def check_config(file: Path) -> None:
    """Check a configuration: show all its errors, or what a server would do with it.

    Only the files that it names are opened. Exit codes: 0 valid, 2 invalid.
    """
    with reporting_errors():
        click.echo(summary(load(file), file))


SURVIVED: dict[Durability, str] = {
    "power": "the loss of power",
    "process": "the end of the server",
}


def summary(config: Config, file: Path) -> str:
    """What a server would do, in a few lines."""
    pools = config.pools()
    default = pools[0].name
    where = [
        (
            f"    {listener.address}{spoken_at(listener.dialect)}",
            f"for the pool {listener.pool or default}",
        )
        for listener in config.listen
    ]
    what = [
        (
            f"    {pool.name}",
            pool.game.name,
            str(pool.control),
            _starts(table, len(pool.starts)),
            pool.meet,
        )
        for table, pool in zip(config.pool, pools, strict=True)
    ]
    head = ("    pool", "game", "time", "starts", "meet")
    return "\n".join(
        [
            f"{file} is fine; a server with it would",
            "listen at",
            columns(where),
            "offer",
            table(head, what),
            *(
                f"decide games of {pool.name} early by {pool.pool_rules.adjudication}"
                for pool in pools
                if pool.pool_rules.adjudication
            ),
            *(
                f"play games of {pool.name} by the conduct {pool.pool_rules.conduct}"
                for pool in pools
                if pool.pool_rules.conduct != DEFAULT_CONDUCT
            ),
            *(f"use the tablebases in {path}" for path in config.tablebases.paths),
            *(f"let {' '.join(game.referee)} judge {game.name}" for game in config.game),
            *_directed(config),
            *(f"let play {engine_offered(engine)}" for engine in config.engine),
            f"keep games in {kept_in(config.database.url, Path.cwd())}",
            f"show a move once it survives {SURVIVED[config.database.durability]}",
            f"give running games {config.shutdown.grace:g} s at shutdown",
            f"log from level {config.log.level} on, as {config.log.format}",
            *([f"log every line in {config.wire_log.file}"] if config.wire_log.file else []),
            *_warnings(config),
        ]
    )


def _directed(config: Config) -> Iterator[str]:
    if directors := config.tournaments.directors:
        yield f"let {', '.join(directors)} make and direct tournaments over the network"
        if config.web.serve == "off":
            yield "warning: [tournaments] directors: nobody can direct while [web] serve is off"


def _warnings(config: Config) -> Iterator[str]:
    """What an operator should know of the listeners and of the pools' books, and until when
    certificates hold."""
    for pool in config.pool:
        yield from (f"warning: pool {pool.name}: starts_file {line}" for line in pool.skipped)
    for listener in config.listen:
        if warning := listener.warning():
            yield f"warning: {warning}"
        if (certificates := listener.certificates()) is not None:
            if warning := certificates.warning():
                yield f"warning: the certificate of {listener.address}: {warning}"
            if (until := certificates.validity.until) is not None:
                yield f"the certificate of {listener.address} holds until {until:%Y-%m-%d}"


def _starts(pool: PoolTable, count: int) -> str:
    if pool.openings is not None:
        return f"openings of {pool.openings.file.name}"
    return "1 position" if count == 1 else f"{count} positions"
