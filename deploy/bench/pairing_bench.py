"""What tournaments cost: the pairing of a Swiss, standings, and an arena's minute.

What holds the loop of the server is measured by the processor's time, and is compared with one sort
of as many entrants, made in the same run: quote the ratio. A Swiss is paired in a process of its
own, whose time is that of the whole process, its start included.
"""

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from ulci_server.tournament import (
    Entrant,
    GameResult,
    Pairing,
    PairingRequest,
    Tournament,
    pair,
    parse_tournament,
)

WORKER = "ulci_server.hall.tournament.pairing_worker"
SCORES = ("1-0", "0-1", "1/2-1/2")
GAMES_A_MINUTE = 1
"""Of each entrant: games of a minute are the fastest that people play."""

LEAST = 200
"""Sorts of which the median is the yardstick."""


def spent(call: Callable[[], object]) -> float:
    """Milliseconds of the processor."""
    began = time.process_time()
    call()
    return 1000 * (time.process_time() - began)


def yardstick(entrants: int, chance: random.Random) -> float:
    """Milliseconds of a sort of so many by three figures."""
    rows = [(chance.random(), chance.random(), chance.random()) for _ in range(entrants)]
    return statistics.median(spent(lambda: sorted(rows)) for _ in range(LEAST))


def tournament(settings: str, entrants: int, chance: random.Random) -> Tournament:
    text = f'name = "Bench"\npool = "chess"\nopen = true\n{settings}\n'
    field = (Entrant(n, f"p{n}", chance.uniform(1000, 2500)) for n in range(1, entrants + 1))
    return Tournament(parse_tournament(text), 1, field)


def finish(played: Tournament, pairing: Pairing, chance: random.Random) -> None:
    played.finish(GameResult(pairing.number, chance.choice(SCORES), (30, 30), "checkmate"))


def report(name: str, figures: list[float], sort: float) -> None:
    median, worst = statistics.median(figures), max(figures)
    print(
        f"{name:<44} {median:8.2f} ms median {worst:8.2f} ms worst"
        f" {median / sort:7.1f} sorts {len(figures):6} times"
    )


def swiss(entrants: int, rounds: int, chance: random.Random) -> None:
    sort = yardstick(entrants, chance)
    played = tournament(f'format = "swiss"\nrounds = {rounds}', entrants, chance)
    asked, described, paired, put, shown, ended = ([] for _ in range(6))
    for _ in range(rounds):
        asked.append(spent(partial(played.request, 0, {})))
        request = due(played, {})
        described.append(spent(partial(played.prepared, request)))
        request = played.prepared(request)
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", WORKER],
            input=msgspec.json.encode(request),
            capture_output=True,
            check=True,
        )
        paired.append(1000 * (time.perf_counter() - began))
        new = msgspec.json.decode(done.stdout, type=list[Pairing])
        put.append(spent(partial(played.put_pairings, new)))
        games = played.open_pairings()
        for place, pairing in enumerate(games):
            ended.append(spent(partial(finish, played, pairing, chance)))
            if place in (len(games) // 2, len(games) // 2 + 1, len(games) - 1):
                shown.append(spent(played.now))
    name = f"Swiss of {entrants}"
    report(f"{name}: the worker pairs a round", paired, sort)
    report(f"{name}: the loop asks for a round", asked, sort)
    report(f"{name}: a thread describes a round", described, sort)
    report(f"{name}: the loop takes a round", put, sort)
    report(f"{name}: a game ends", ended, sort)
    report(f"{name}: standings", shown, sort)


def turns(entrants: int, minutes: int) -> Iterator[int]:
    """Games that end in each tenth of a second."""
    due = 0.0
    for _ in range(600 * minutes):
        due += entrants / 2 * GAMES_A_MINUTE / 600
        yield int(due)
        due -= int(due)


def arena(entrants: int, minutes: int, chance: random.Random) -> None:
    sort = yardstick(entrants, chance)
    played = tournament(f'format = "arena"\nminutes = {minutes + 1}', entrants, chance)
    first = pair(due(played, dict.fromkeys(range(1, entrants + 1), 1)))
    played.put_pairings(first)
    on, free = [*first], dict[int, int]()
    turn, shown = list[float](), list[float]()

    def one_turn(ending: int) -> None:
        for _ in range(min(ending, len(on))):
            over = on.pop(chance.randrange(len(on)))
            finish(played, over, chance)
            free.update({over.white: 1, over.black or 0: 1})
        request = played.request(0, free)
        if request is not None:
            new = pair(request)
            played.put_pairings(new)
            on.extend(new)
            for one in new:
                del free[one.white], free[one.black or 0]

    for number, ending in enumerate(turns(entrants, minutes)):
        turn.append(spent(partial(one_turn, ending)))
        if not number % 10:
            shown.append(spent(played.now))
    report(f"arena of {entrants}: a tenth of a second", turn, sort)
    report(f"arena of {entrants}: standings", shown, sort)
    print(f"{'':<44} the loop is held {sum(turn) / 600 / minutes:.2f} ms of each 100 ms")


def due(played: Tournament, free: dict[int, int]) -> PairingRequest:
    request = played.request(0, free)
    assert request is not None
    return request


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--swiss", type=int, nargs="*", default=[100, 1000])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--arena", type=int, nargs="*", default=[40, 2000])
    parser.add_argument("--minutes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    for entrants in options.swiss:
        swiss(entrants, options.rounds, chance)
    for entrants in options.arena:
        arena(entrants, options.minutes, chance)


if __name__ == "__main__":
    main()
