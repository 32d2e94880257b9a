"""A Swiss is paired in a process of its own."""

import pytest

from tests.ulci_server.tournament.play import field, made
from ulci_server.hall.tournament import pairing_process
from ulci_server.hall.tournament.pairing_process import PairingFailedError, paired
from ulci_server.tournament import PairingRequest


async def test_a_round_of_a_swiss_is_paired() -> None:
    tournament = made('format = "swiss"\nrounds = 2', field(5))
    request = tournament.request(0, {})
    assert request is not None
    assert request.slow
    assert not request.swiss, "the report is made in a thread"
    new = await paired(tournament.prepared(request))
    assert [(row.white, row.black) for row in new if row.black is None] == [(5, None)]
    assert len(new) == 5
    assert {row.number for row in new} == set(range(1, 6))


async def test_what_cannot_be_paired_is_explained() -> None:
    with pytest.raises(PairingFailedError, match="py4swiss cannot pair round 3"):
        await paired(PairingRequest(slow=True, swiss="012 nothing\n", round=3))


async def test_a_process_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing_process, "WORKER", "tests.support.sleeping_worker")
    monkeypatch.setattr(pairing_process, "LONGEST", 0.5)
    with pytest.raises(PairingFailedError, match=r"it took more than 0\.5 s"):
        await paired(PairingRequest(slow=True, swiss="012 nothing\n", round=1))
