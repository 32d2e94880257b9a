"""Entrants are found by who they are."""

from ulci_server.hall.tournament.entrants import Entrants
from ulci_server.lobby import Profile
from ulci_server.lobby.programs import ServerProgram
from ulci_server.storage import EntrantRecord

ADA = EntrantRecord(1, "Ada", account=7)
FISH = EntrantRecord(2, "Fish", engine="Fish")
TOGA = EntrantRecord(3, "Toga II", remote="Toga II")


def entrants() -> Entrants:
    found = Entrants("cup")
    found.replace_all([ADA, FISH, TOGA])
    return found


def test_an_account_plays_once_its_client_has_entered() -> None:
    assert entrants().played_by(Profile("Ada", "Ada", account=7)) is None
    assert entrants().played_by(Profile("Ada", "Ada", account=7, enters=("cup",))) == ADA
    assert entrants().played_by(Profile("Ada", "Ada", account=8, enters=("cup",))) is None


def test_a_name_alone_plays_at_the_listener_of_the_tournament_only() -> None:
    assert entrants().played_by(Profile("Toga II", "T", tournament="cup")) == TOGA
    assert entrants().played_by(Profile("Toga II", "T", tournament="other")) is None
    assert entrants().played_by(Profile("Fish", "Fish", tournament="cup")) is None


def test_an_engine_of_the_server_plays_by_its_name() -> None:
    assert entrants().played_by(Profile("Fish", "Fish-2", program=ServerProgram())) == FISH
    assert entrants().played_by(Profile("Fish", "Fish")) is None


def test_nobody_plays_for_one_that_has_left() -> None:
    found = entrants()
    found.put(ADA._replace(left=1))
    assert found.played_by(Profile("Ada", "Ada", account=7, enters=("cup",))) is None
    assert found.same(ADA) == ADA._replace(left=1)


def test_another_entrant_of_a_name_is_found_whatever_its_letters() -> None:
    found = entrants()
    assert found.namesake(EntrantRecord(0, "ADA", remote="ADA")) == ADA
    assert found.namesake(EntrantRecord(0, "Ada", account=7)) is None
    assert found.namesake(EntrantRecord(0, "Bob", account=9)) is None


def test_those_who_have_not_left_are_counted_whatever_changes() -> None:
    found = entrants()
    assert found.present == 3
    for row, present in ((ADA._replace(left=1), 2), (ADA._replace(left=2), 2), (ADA, 3)):
        found.put(row)
        assert found.present == present
    found.replace_all([TOGA])
    assert found.present == 1


def test_one_plays_on_when_no_withdrawal_of_it_waits_to_be_stored() -> None:
    found = entrants()
    found.begin_withdrawal(1)
    found.begin_withdrawal(1)  # having come back meanwhile
    found.end_withdrawal(1)
    assert not found.plays_on(ADA)
    found.end_withdrawal(1)
    assert found.plays_on(ADA)
    assert not found.plays_on(ADA._replace(left=1))
