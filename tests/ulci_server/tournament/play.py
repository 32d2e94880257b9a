"""Plays a tournament by chance, with games that are void, and rebuilds it on the way."""

import random
from collections.abc import Iterator

from msgspec.structs import replace

from ulci_server.hall.tournament.pairing_worker import pair_swiss
from ulci_server.tournament import (
    Entrant,
    GameResult,
    Pairing,
    PairingRequest,
    Tournament,
    pair,
    parse_tournament,
)

SCORES = ("1-0", "0-1", "1/2-1/2")


def settings_text(settings: str, names: list[str]) -> str:
    listed = "".join(f'[[entrant]]\naccount = "{name}"\n' for name in names)
    return f'name = "Cup"\npool = "chess"\n{settings}\n{listed}'


def field(count: int, chance: random.Random | None = None) -> list[Entrant]:
    """So many entrants; with ratings if there is a chance for them."""
    ratings = (None if chance is None else chance.uniform(1000, 2500) for _ in range(count))
    return [Entrant(n, f"p{n}", rating) for n, rating in enumerate(ratings, 1)]


def made(settings: str, entrants: list[Entrant], seed: int = 1) -> Tournament:
    text = settings_text(settings, [one.name for one in entrants])
    return Tournament(parse_tournament(text), seed, entrants)


class Evening:
    """What a director does, without clients or a database. voids: the part of games without a
    result."""

    def __init__(self, tournament: Tournament, seed: int, *, voids: float = 0.0) -> None:
        self.tournament = tournament
        self.chance = random.Random(seed)
        self.voids = voids
        self.at = 0.0
        self.on: dict[int, Pairing] = {}
        self.results: list[GameResult] = []
        self.played = 0

    @property
    def busy(self) -> set[int]:
        return {one for p in self.on.values() for one in (p.white, p.black) if one is not None}

    def pair_all(self) -> None:
        """Pair until nothing is due."""
        tournament = self.tournament
        while (request := self._request()) is not None:
            request = tournament.prepared(request)
            tournament.put_pairings(pair_swiss(request) if request.slow else pair(request))
            for pairing in tournament.open_pairings():
                self.on.setdefault(pairing.number, pairing)
        for pairing in tournament.open_pairings():
            self.on.setdefault(pairing.number, pairing)

    def _request(self) -> PairingRequest | None:
        free = {n: 1 for n in self.tournament.entrants if n not in self.busy}
        return self.tournament.request(self.at, free)

    def end_one(self) -> Pairing:
        """A game by chance is over."""
        number = self.chance.choice([*self.on])
        pairing = self.on.pop(number)
        self.at += 1
        if self.chance.random() < self.voids:
            self._void(number)
        else:
            self._finish(GameResult(number, self.chance.choice(SCORES), (20, 20), "checkmate"))
        return pairing

    def _void(self, number: int) -> None:
        again = self.tournament.replay_of(number)
        for one in again:
            self.on.pop(one.number, None)
        voided = [replace(one, void=True, why="the server failed") for one in again]
        self.tournament.put_pairings(voided)
        self._finish(GameResult(number, "*", (2, 2), "server"))

    def _finish(self, result: GameResult) -> None:
        self.tournament.finish(result)
        self.results.append(result)
        self.played += 1

    def rebuilt(self) -> Tournament:
        """From its rows."""
        mine = self.tournament
        return Tournament(
            mine.settings, 1, mine.entrants.values(), mine.pairings.values(), self.results
        )

    def play(self, most: int = 5000) -> Iterator[Pairing]:
        """Until it is over: each game as it ends."""
        for _ in range(most):
            self.pair_all()
            if not self.on:
                assert self.tournament.is_over(self.at), "nothing is due, and it is not over"
                return
            yield self.end_one()
        raise AssertionError("it does not end")
