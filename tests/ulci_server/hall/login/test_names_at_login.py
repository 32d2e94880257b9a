"""Who may come in: names, tokens and bans, as accounts and bans stand in a database."""

from datetime import UTC, datetime

import pytest

from ulci_server.hall import Authenticator
from ulci_server.hall.login.authenticator import BannedError, LoginRefusedError
from ulci_server.lobby import Profile
from ulci_server.storage import open_database, secret_hash

HOST = "192.0.2.7"


@pytest.fixture
def accounts():
    database = open_database("memory:")
    ada = database.accounts.add_player("Ada", "human")
    database.accounts.add_player("Ilya", "human")
    database.accounts.add_token(ada.id, secret_hash("play"), "play")
    database.accounts.add_token(ada.id, secret_hash("admin"), "admin")
    yield database.accounts
    database.close()


@pytest.fixture
def authenticator(accounts):
    return Authenticator(accounts, now=lambda: datetime.now(UTC))


def guest(name: str, **said) -> Profile:
    return Profile(name, "", "human", **said)


@pytest.mark.parametrize(
    "name",
    [
        *("Ada", "ada", "\uff21da", "\u0410da", "A\u0501\u0430", "Ada-2", "\u24b6da", "\u0410da-3"),
        *("\uff21\uff44\uff41\uff0d\uff12", "Ada\u20102", "\u13aada", "\ua4ee\ua4d3\ua4ee"),
        *("llya", "1lya", "\u04c0LYA"),
    ],
)
async def test_a_guest_passes_for_no_account_whatever_letters_it_is_written_in(
    mock_clock, authenticator, name
):
    assert (await authenticator.authenticate(guest(name), HOST)).name == f"{name} (guest)"


@pytest.mark.parametrize("name", ["Adam", "Ad a", "\u00c4da", "2-Ada"])
async def test_a_guest_whose_name_is_another_one_has_it(mock_clock, authenticator, name):
    assert (await authenticator.authenticate(guest(name), HOST)).name == name


async def test_an_account_that_is_made_while_the_server_runs_is_protected_at_once(
    mock_clock, authenticator, accounts
):
    assert (await authenticator.authenticate(guest("Bi1l"), HOST)).name == "Bi1l"
    accounts.add_player("Bill", "human")
    assert (await authenticator.authenticate(guest("Bi1l"), HOST)).name == "Bi1l (guest)"


async def test_a_secret_makes_nobody_an_administrator_and_a_token_does(mock_clock, authenticator):
    ada = (await authenticator.authenticate(guest("x", token="admin"), HOST)).account
    assert not await authenticator.recheck_admin(guest("Ada", account=ada), HOST)
    assert not await authenticator.recheck_admin(guest("Ada", account=ada, token="play"), HOST)
    assert not await authenticator.recheck_admin(guest("Bob", account=None, token="admin"), HOST)
    assert await authenticator.recheck_admin(guest("Ada", account=ada, token="admin"), HOST)


async def test_who_comes_back_by_a_secret_guesses_no_more_tokens_than_others(
    authenticator, mock_clock
):
    for number in range(5):
        assert not await authenticator.recheck_admin(
            guest("Ada", account=1, token=f"guess{number}"), HOST
        )
    with pytest.raises(LoginRefusedError, match="retry-after"):
        await authenticator.authenticate(guest("Ada", token="admin"), HOST)
    assert not await authenticator.recheck_admin(guest("Ada", account=1, token="admin"), HOST)


async def test_a_ban_holds_for_those_who_come_back_too_with_wrong_tokens_or_without(
    mock_clock, authenticator, accounts
):
    accounts.add_ban("name", "Gus", by="Ada", why="cheating")
    for number in range(7):
        with pytest.raises(BannedError, match="cheating"):
            await authenticator.recheck_admin(guest("Gus", token=f"guess{number}"), HOST)
