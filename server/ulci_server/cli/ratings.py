"""``ulci-server ratings``: the ratings of players, live and fitted."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Any

import click

from ulci_server.rating import DEFAULT_PRIOR, FitError, Fitted, fit, spelled
from ulci_server.storage import Database, RatingRecord

from .errors import Failure, NothingFound, reporting_errors
from .options import NUMBER, database_options, reading, writing
from .output import counted, minute, open_output, shown, table

HEAD = ("pool", "rank", "name", "kind", "rating", "±", "games", "last game (UTC)")
FITTED = ("rank", "name", "Elo", "±", "points", "games", "%")
NUMBERS = ("rank", "rating", "±", "games", "Elo", "points", "%")

WIDTH = 24
"""Columns of a name."""

PAGE = 500
"""Ratings that are read at once."""

MEAN = 1500.0

SURE = 1.96
"""Deviations on either side of a rating between which the strength is with a confidence of 95 %."""


class Anchor(click.ParamType[tuple[str, float]]):
    """A player, and the Elo that it has."""

    name = "NAME=ELO"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float]:
        if isinstance(value, tuple):
            return value
        name, _, elo = str(value).rpartition("=")
        try:
            if not name or not abs(float(elo)) <= MOST_ELO:  # it may be nan
                raise ValueError
            return name, float(elo)
        except ValueError:
            self.fail(f"{value!r} is no name with an Elo, such as Ada=2400", param, ctx)


MOST_ELO = 9999


@click.command()
@click.argument("pool", required=False)
@database_options
@click.option("--fit", "fitted", is_flag=True, help="Fit the strengths to all games, in any order.")
@click.option(
    "--anchor",
    "anchors",
    type=Anchor(),
    multiple=True,
    help="--fit: this player has that Elo; may be given more than once.",
)
@click.option(
    "--prior",
    type=click.FloatRange(0, 1000),
    default=DEFAULT_PRIOR,
    show_default=True,
    metavar="GAMES",
    help="--fit: drawn games that everybody has beside its own, against the average.",
)
@click.option(
    "--tournament",
    type=NUMBER,
    help="--fit: only games of this match or tournament.",
)
@click.option("--limit", type=NUMBER, metavar="N", help="At most so many players of a pool.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option("--missed", is_flag=True, help="Rate games whose end could not do it, and list them.")
def ratings(**asked: Any) -> None:
    """List the ratings of a pool, or of all pools, the highest first.

    Live ratings are Glicko-2: a question mark says that one is not sure yet, ± how far the strength
    may be off (95 %), and = that an operator has set it (see: player anchor).

    With --fit the strengths are those that explain best all games with a result, of accounts and
    guests alike, by a Bradley-Terry model, as Ordo and BayesElo do it: for players that do not
    change. They are relative to the anchors, also those of accounts in that pool; without any the
    average is 1500.

    Exit codes: 0 ratings are listed, 1 failed, 2 wrong usage, 4 there are none.
    """
    _check_usage(asked)
    if asked["missed"]:
        _rate_missed(asked)
        return
    with reporting_errors(), closing(reading(asked)) as database:
        lines = _fitted(database, asked) if asked["fitted"] else _live(database, asked)
    with open_output() as output:
        output.write("".join(f"{line}\n" for line in lines))


def _check_usage(asked: dict[str, Any]) -> None:
    of_fit = [name for name in ("anchors", "tournament") if asked[name]]
    if of_fit and not asked["fitted"]:
        raise click.UsageError("--anchor and --tournament are for --fit")
    if asked["missed"] and asked["fitted"]:
        raise click.UsageError("--missed is not for --fit, which rates all games")


# Live


def _live(database: Database, asked: dict[str, Any]) -> list[str]:
    pools = [*database.ratings.pools()] if asked["pool"] is None else [asked["pool"]]
    now = datetime.now(UTC)
    rows = [
        (rank, record)
        for pool in pools
        for rank, record in enumerate(_leaders(database, pool, asked["limit"]), 1)
    ]
    if not rows:
        raise NothingFound(_nobody(asked["pool"]))
    if asked["as_json"]:
        return [json.dumps(_document(*row, now), ensure_ascii=False) for row in rows]
    return [table(HEAD, [_row(*row, now) for row in rows], right=NUMBERS)]


def _leaders(database: Database, pool: str, limit: int | None) -> Iterator[RatingRecord]:
    def pages() -> Iterator[list[RatingRecord]]:
        offset = 0
        while page := database.ratings.leaders(pool, PAGE, offset):
            yield page
            offset += len(page)

    return islice(chain.from_iterable(pages()), limit)


def _nobody(pool: str | None) -> str:
    where = "" if pool is None else f" in the pool {shown(pool, WIDTH)}"
    return f"nobody has a rating{where}: it takes a rated game of two accounts"


def _row(rank: int, record: RatingRecord, now: datetime) -> tuple[str, ...]:
    rating = record.at(now)
    return (
        shown(record.pool, WIDTH),
        str(rank),
        shown(record.name, WIDTH),
        record.kind,
        f"{'=' if record.anchored else ''}{spelled(rating)}",
        "" if record.anchored else str(round(SURE * rating.deviation)),
        str(record.games),
        minute(record.updated_at),
    )


def _document(rank: int, record: RatingRecord, now: datetime) -> dict[str, object]:
    rating = record.at(now)
    return {
        "pool": record.pool,
        "rank": rank,
        "name": record.name,
        "kind": record.kind,
        "rating": round(rating.rating, 1),
        "deviation": round(rating.deviation, 1),
        "volatility": round(rating.volatility, 6),
        "provisional": rating.is_provisional,
        "games": record.games,
        "anchored": record.anchored,
        "updated_at": record.updated_at.isoformat(),
    }


# Fitted


def _fitted(database: Database, asked: dict[str, Any]) -> list[str]:
    pool = asked["pool"]
    met = database.ratings.met(pool, asked["tournament"])
    kept = _leaders(database, pool, None) if pool is not None else ()
    anchors = {one.name: one.rating.rating for one in kept if one.anchored}
    anchors |= dict(asked["anchors"])
    players = {player for each in met for player in (each.first, each.second)}
    if unknown := [name for name, _ in asked["anchors"] if name not in players]:
        raise Failure(f"{shown(unknown[0], WIDTH)!r} has played no game with a result there")
    try:
        fitted = fit(met, anchors, mean=MEAN, prior=asked["prior"])
    except FitError as error:
        raise Failure(f"{error}; leave --prior as it is") from None
    if not fitted:
        raise NothingFound("no game with a result was played there")
    ranked = [*enumerate(fitted, 1)][: asked["limit"]]
    if asked["as_json"]:
        return [json.dumps(_fitted_document(*row), ensure_ascii=False) for row in ranked]
    return [table(FITTED, [_fitted_row(*row) for row in ranked], right=NUMBERS)]


def _fitted_row(rank: int, player: Fitted[str]) -> Sequence[str]:
    return (
        str(rank),
        shown(player.player, WIDTH),
        f"{'=' if player.is_anchored else ''}{player.elo:.0f}",
        "" if player.is_anchored else f"{player.error:.0f}",
        f"{player.points:g}",
        str(player.games),
        f"{100 * player.points / player.games:.1f}",
    )


def _fitted_document(rank: int, player: Fitted[str]) -> dict[str, object]:
    return {
        "rank": rank,
        "name": player.player,
        "elo": round(player.elo, 2),
        "error": round(player.error, 2),
        "points": player.points,
        "games": player.games,
        "anchored": player.is_anchored,
    }


# Missed


def _rate_missed(asked: dict[str, Any]) -> None:
    with reporting_errors(), closing(writing(asked)) as database:
        missed = database.ratings.missed()
        database.ratings.rate(missed)
        left = {number for number, _ in database.ratings.missed()}
    rated = [str(number) for number, _ in missed if number not in left]
    if not rated:
        click.echo("every game that changes ratings has done so")
    else:
        click.echo(f"rated {counted(len(rated), 'game')}: {' '.join(rated)}")
