"""What the fence costs: batches of moves saved by a lone server, and by one of a cluster, in turns.

PostgreSQL only. Both have a schema of their own in the same database and save the same batches in
the same run: quote the ratio, not the number.
"""

import argparse
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from bench import schema

from ulci.rules import Side
from ulci_server.game import GameStarted, MovePlayed, Seat
from ulci_server.storage import Database, Noted, migrate

SIZES = (1, 8, 64, 256)
"""Moves a batch, each of another game."""

SEATS = (Seat("Ada", "human"), Seat("Bob", "human"))

Cost = tuple[float, float]
"""Of one batch: ms until it is durable, µs of this program's processor."""


@contextmanager
def database(server: str, node: str) -> Iterator[Database]:
    """In a schema of its own, dropped afterwards. Without a `node` it is of a lone server."""
    with schema(server) as address:
        migrate(address)
        made = Database(address)
        if node:
            made.runs.join(made.runs.begin(datetime.now(UTC), node))
        else:
            made.runs.begin_alone(datetime.now(UTC), "")
        yield made
        made.close()


def save(database: Database, games: int, ply: int) -> Cost:
    now = datetime.now(UTC)
    moves = [
        MovePlayed(game + 1, ply, Side(ply % 2), "e2e4", 9, 9, seq=ply + 1) for game in range(games)
    ]
    batch = [Noted(move, now) for move in moves]
    began, spent = time.perf_counter(), time.process_time()
    database.save(batch)
    return (time.perf_counter() - began) * 1e3, (time.process_time() - spent) * 1e6


def median(costs: list[Cost]) -> Cost:
    waited, spent = zip(*costs, strict=True)
    return statistics.median(waited), statistics.median(spent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default=os.environ.get("ULCI_TEST_POSTGRES_URL"))
    parser.add_argument("--batches", type=int, default=300, help="of each size")
    options = parser.parse_args()
    if not options.database:
        parser.error("name a database: --database postgresql+psycopg://USER@HOST/NAME")
    print("moves a batch         ms until durable              µs CPU a batch")
    print("                  alone  cluster  ratio       alone  cluster  ratio")
    with database(options.database, "") as alone, database(options.database, "a") as member:
        both = (alone, member)
        for one in both:
            begun = [GameStarted(n + 1, "chess", None, "inf", SEATS) for n in range(max(SIZES))]
            one.save([Noted(fact, datetime.now(UTC)) for fact in begun])
        for round_, size in enumerate(SIZES):
            costs: tuple[list[Cost], list[Cost]] = ([], [])
            for number in range(options.batches):
                for one, spent in zip(both, costs, strict=True):
                    spent.append(save(one, size, round_ * options.batches + number))
            (wait, cpu), (wait_there, cpu_there) = map(median, costs)
            print(
                f"{size:13} {wait:9.2f} {wait_there:8.2f} {wait_there / wait:6.2f}"
                f"   {cpu:9.0f} {cpu_there:8.0f} {cpu_there / cpu:6.2f}"
            )


if __name__ == "__main__":
    main()
