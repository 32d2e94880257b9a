"""The games of a tournament are those that were paired."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from tests.support.facts import ADA, BOB, NOON, finished, line, noted
from ulci_server.game import EncounterBegun
from ulci_server.storage import EntrantRecord, MemoryDatabase, PairingRecord, TournamentState
from ulci_server.storage.verify import DisagreementError, check_tournaments

SETTINGS = """
name = "Cup"
format = "roundrobin"
pool = "chess"
[[entrant]]
engine = "Ada"
[[entrant]]
engine = "Bob"
"""


@dataclass
class Cup:
    """A finished tournament of one pair of games."""

    pairings: list[PairingRecord] = field(
        default_factory=lambda: [PairingRecord(1, 1, 1, 2, 0), PairingRecord(2, 1, 2, 1, 0)]
    )
    encounters: tuple[int, ...] = (1, 2)
    openings: tuple[tuple[str, ...], ...] = ((), ())
    ended: tuple[int, ...] = (1, 2)
    seats: tuple[tuple[int, int], ...] = ((0, 1), (1, 0))

    def database(self) -> MemoryDatabase:
        database = MemoryDatabase()
        entrants = [EntrantRecord(1, "Ada", engine="Ada"), EntrantRecord(2, "Bob", engine="Bob")]
        made = database.tournaments.create(SETTINGS, 7, "cup", NOON, entrants=entrants)
        both = replace(ADA, account=None), replace(BOB, account=None)
        for game, number, seats, opening in zip(
            (1, 2), self.encounters, self.seats, self.openings, strict=True
        ):
            seated = tuple(both[one] for one in seats)
            moves = " ".join(opening) if opening else "e2e4"
            facts = line(game, moves, seats=seated, opening=opening)
            database.save(
                noted([*facts[: 1 if opening else 2], EncounterBegun(game, made.id, number)])
            )
        database.save(noted([finished(game) for game in self.ended]))
        database.tournaments.save(
            made.id, 0, NOON, pairings=self.pairings, state=TournamentState.FINISHED
        )
        return database


def test_a_tournament_that_was_played_agrees() -> None:
    check_tournaments(Cup().database())


WRONG: dict[str, Callable[[], Cup]] = {
    "pairing 1 of tournament cup is missing": lambda: Cup(
        pairings=[PairingRecord(2, 1, 2, 1, 0), PairingRecord(3, 1, 1, 2, 0)], encounters=(2, 3)
    ),
    "which paired nobody for it": lambda: Cup(encounters=(1, 7)),
    "game 2 of tournament cup was played by Ada as white, and Bob was paired": lambda: Cup(
        seats=((0, 1), (0, 1))
    ),
    "begins otherwise than another game of opening 0": lambda: Cup(openings=(("e2e4",), ("d2d4",))),
    "is finished, and its game 2 has no result": lambda: Cup(ended=(1,)),
    "counts as 1-0, and nobody says why": lambda: Cup(
        pairings=[PairingRecord(1, 1, 1, 2, 0, "1-0"), PairingRecord(2, 1, 2, 1, 0)]
    ),
}


@pytest.mark.parametrize("why", WRONG)
def test_what_was_falsified_is_found(why: str) -> None:
    with pytest.raises(DisagreementError, match=why):
        check_tournaments(WRONG[why]().database())


def test_a_pairing_that_was_decided_without_a_game_needs_none() -> None:
    late = PairingRecord(2, 1, 2, 1, 0, "1-0", "Ada did not come within 300 s")
    cup = Cup(pairings=[PairingRecord(1, 1, 1, 2, 0), late], ended=(1,))
    check_tournaments(cup.database())
