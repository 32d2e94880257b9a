"""Whatever happens in a tournament, in any order: its rows alone tell all that it decides."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from msgspec.structs import replace
from py4swiss.engines.common import PairingError

from tests.ulci_server.tournament.play import field, made
from ulci_server.hall.tournament.pairing_worker import pair_swiss
from ulci_server.tournament import (
    Entrant,
    GameResult,
    Pairing,
    PairingRequest,
    Tournament,
    pair,
)
from ulci_server.tournament.formats.ladder import REMATCH

FORMATS = {
    "roundrobin": 'format = "roundrobin"\nconcurrency = 3',
    "single": 'format = "roundrobin"\ngames = 1\nrounds = 2',
    "gauntlet": 'format = "gauntlet"\nseeds = 2\nconcurrency = 2',
    "knockout": 'format = "knockout"',
    "swiss": 'format = "swiss"\nrounds = 3',
    "sprt": 'format = "sprt"\nrounds = 12\nconcurrency = 5\nsprt = { elo0 = 0, elo1 = 200 }',
    "ladder": 'format = "ladder"',
    "arena": 'format = "arena"\nminutes = 1',
}
SCORES = ("1-0", "0-1", "1/2-1/2")
EVENTS = (*SCORES, "void", "absent", "leave", "enter", "correct")

# What happens, and to whom: the number of one of those to whom it may.
Event = tuple[str, int]
events = st.lists(st.tuples(st.sampled_from(EVENTS), st.integers(0, 50)), max_size=40)


class Evening:
    """A director of one tournament, who keeps rows. `live` is never rebuilt."""

    def __init__(self, name: str, entrants: int) -> None:
        self.live = made(FORMATS[name], field(2 if name == "sprt" else entrants))
        self.results: list[GameResult] = []
        self.at = 0.0
        self.stuck = False  # the round of a Swiss cannot be paired

    def happen(self, event: Event) -> None:
        what, whom = event
        self.at += 1.5
        waiting = self.live.open_pairings()
        chosen = waiting[whom % len(waiting)] if waiting else None
        if what == "enter":
            self._enter()
        elif what == "leave":
            self._leave(1 + whom % len(self.live.entrants))
        elif what == "correct":
            decided = [one for one in self.live.pairings.values() if self._counts(one)]
            if decided:
                corrected = decided[whom % len(decided)]
                self.live.put_pairings([replace(corrected, score=SCORES[whom % 3], why="a slip")])
        elif chosen is None:
            return
        elif what == "void":
            self._finish(GameResult(chosen.number, "*", (2, 1), "server"))
            again = self.live.replay_of(chosen.number)
            self.live.put_pairings([replace(one, void=True) for one in again])
        elif what == "absent":
            self.live.put_pairings([replace(chosen, score="0-0", why="did not come")])
        else:
            self._finish(GameResult(chosen.number, what, (20, 20), "checkmate"))

    def _counts(self, one: Pairing) -> bool:
        return (
            one.black is not None and not one.void and self.live.state.score(one.number) in SCORES
        )

    def _finish(self, result: GameResult) -> None:
        self.live.finish(result)
        self.results.append(result)

    def _enter(self) -> None:
        live = self.live
        if live.last_round and not live.takes_late:
            return
        late = live.last_round and not live.pairs_here
        number = len(live.entrants) + 1
        joined = live.last_round + 1 if late else 1
        if live.settings.format != "sprt":
            live.put_entrant(Entrant(number, f"p{number}", 1500.0 + number, joined=joined))

    def _leave(self, number: int) -> None:
        row = self.live.entrants[number]
        if row.left is None:
            self.live.put_entrant(replace(row, left=self.live.last_round + 1))

    def decide_for_who_left(self) -> None:
        entrants = self.live.entrants
        for one in self.live.open_pairings():
            assert one.black is not None
            white, black = (entrants[n].left is not None for n in (one.white, one.black))
            if white or black:
                score = "0-0" if white and black else ("0-1" if white else "1-0")
                self.live.put_pairings([replace(one, score=score, why="had left")])

    def free(self) -> dict[int, int]:
        busy = {n for one in self.live.open_pairings() for n in (one.white, one.black)}
        return {n: 1 for n, one in self.live.entrants.items() if n not in busy and not one.left}

    def rebuilt(self) -> Tournament:
        live = self.live
        rows = live.entrants.values(), live.pairings.values()
        return Tournament(live.settings, 1, *rows, self.results)

    def compare(self) -> PairingRequest | None:
        """What is due, by what has happened and by the rows."""
        again, free = self.rebuilt(), self.free()
        due = self.live.request(self.at, free)
        at_once = again.request(self.at, free)
        if self.live.pairs_here:
            self._compare_waits(again, at_once, due)
        else:
            assert at_once == due
        assert again.is_over(self.at) == self.live.is_over(self.at)
        assert again.open_pairings() == self.live.open_pairings()
        assert str(again.now()) == str(self.live.now()), "some figures are no numbers"
        if due is None:
            return None
        prepared = self.live.prepared(due)
        assert again.prepared(due) == prepared
        return prepared

    def _compare_waits(
        self, again: Tournament, at_once: PairingRequest | None, due: PairingRequest | None
    ) -> None:
        """How long two who met last have waited for others is in no row: they wait once more."""
        assert _pairs(at_once) <= _pairs(due)
        later = self.at + REMATCH
        assert again.request(later, self.free()) == self.live.request(later, self.free())

    def pair_all(self) -> Iterator[Pairing]:
        """Pair until nothing is due; each new pairing."""
        while not self.stuck and (due := self.compare()) is not None:
            due = json.decode(json.encode(due), type=PairingRequest)  # to the worker and back
            try:
                new = pair_swiss(due) if due.slow else pair(due)
            except PairingError:
                self.stuck = True
                return
            assert new
            self.live.put_pairings(new)
            yield from new
            self.decide_for_who_left()


def _pairs(request: PairingRequest | None) -> set[tuple[int, int | None]]:
    return set() if request is None else {(one.white, one.black) for one in request.new}


def check(evening: Evening, new: list[Pairing], before: int) -> None:
    """What holds in every format. before: the last number until then."""
    live = evening.live
    assert [one.number for one in new] == [*range(before + 1, before + 1 + len(new))]
    assert all(one.white != one.black for one in new)
    if not live.pairs_here:
        return
    assert all(live.entrants[n].left is None for one in new for n in (one.white, one.black or 0))
    pairs = {(n, one.key) for one in live.open_pairings() for n in (one.white, one.black)}
    busy = Counter(n for n, _ in pairs)
    assert {*busy.values()} <= {1}, "paired twice at once"


def step(evening: Evening) -> None:
    before = max(evening.live.pairings, default=0)
    check(evening, [*evening.pair_all()], before)


@pytest.mark.parametrize("name", FORMATS)
@given(entrants=st.integers(2, 7), told=events)
def test_rows_tell_all_that_is_decided_and_it_ends(
    name: str, entrants: int, told: list[Event]
) -> None:
    evening = Evening(name, max(entrants, 4) if name == "swiss" else max(entrants, 3))
    for event in told:
        step(evening)
        evening.happen(event)
        evening.decide_for_who_left()
    for turn in range(600):
        step(evening)
        if evening.live.is_over(evening.at) or evening.stuck or name == "ladder":
            break
        here = [one for one in evening.live.entrants.values() if one.left is None]
        if not evening.live.open_pairings():
            assert name == "arena" or len(here) < 2, "nothing is due, and it is not over"
            if name != "arena":
                return
        evening.happen((SCORES[turn % 3], 0))
    else:
        raise AssertionError("it does not end")
    assert not (evening.live.is_over(evening.at) and evening.compare())
