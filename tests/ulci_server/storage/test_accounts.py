"""Accounts, tokens and bans: one suite for memory, SQLite and PostgreSQL."""

from datetime import timedelta

import pytest

from tests.support.databases import remove_player
from tests.support.facts import NOON
from ulci_server.storage import Account, Ban, Database, Player, RefusedError, ban_value

HASH, OTHER = "0" * 64, "1" * 64
LATER = NOON + timedelta(hours=1)


def test_an_account_is_found_however_its_letters_are_cased(database: Database) -> None:
    ada = database.accounts.add_player("Ada", "human", at=NOON)
    eszett = database.accounts.add_player("Stra\u00dfe", "engine", at=NOON)

    assert ada == Player(ada.id, "Ada", "human", NOON)
    assert database.accounts.players() == [ada, eszett]
    assert database.accounts.find_player("aDA") == database.accounts.find_player("\uff21da") == ada
    assert database.accounts.find_player("STRASSE") == eszett
    assert database.accounts.find_player("Bob") is None
    assert database.accounts.account_names() == {"ada", "strasse"}
    assert database.accounts.account_names(after=ada.id) == {"strasse"}


@pytest.mark.parametrize("name", ["Ada", "ADA", "\uff41da"])
def test_two_accounts_cannot_have_one_name(database: Database, name: str) -> None:
    database.accounts.add_player("Ada", "human")

    with pytest.raises(RefusedError, match="there is an account Ada already"):
        database.accounts.add_player(name, "engine")


def test_a_token_says_whose_it_is_and_for_what(database: Database) -> None:
    ada = database.accounts.add_player("Ada", "human")
    play = database.accounts.add_token(ada.id, HASH, "play", "laptop", at=NOON)
    admin = database.accounts.add_token(ada.id, OTHER, "admin", at=LATER)

    assert database.accounts.find_token(HASH) == Account(ada.id, "Ada", "human", "play", play.id)
    assert database.accounts.find_token(OTHER) == Account(ada.id, "Ada", "human", "admin", admin.id)
    assert database.accounts.tokens(ada.id) == [play, admin]
    assert (play.label, play.created_at, play.revoked_at) == ("laptop", NOON, None)


@pytest.mark.parametrize("hash_", ["", "2" * 64, "\u00e9" * 64, "\0", "%", "' OR ''='"])
def test_what_is_no_token_is_nobodys(database: Database, hash_: str) -> None:
    database.accounts.add_token(database.accounts.add_player("Ada", "human").id, HASH, "play")

    assert database.accounts.find_token(hash_) is None


def test_a_revoked_token_is_nobodys(database: Database) -> None:
    ada = database.accounts.add_player("Ada", "human")
    token = database.accounts.add_token(ada.id, HASH, "play")

    assert database.accounts.revoke(token.id, at=NOON)
    assert not database.accounts.revoke(token.id, at=LATER)
    assert not database.accounts.revoke(99)

    assert database.accounts.find_token(HASH) is None
    assert database.accounts.tokens(ada.id)[0].revoked_at == NOON


def test_all_tokens_of_an_account_are_revoked_and_nobody_elses(database: Database) -> None:
    ada, bob = (database.accounts.add_player(name, "human").id for name in ("Ada", "Bob"))
    tokens = [database.accounts.add_token(ada, str(n) * 64, "play") for n in range(3)]
    database.accounts.add_token(bob, "9" * 64, "play")
    database.accounts.revoke(tokens[0].id)

    assert database.accounts.revoke_all(ada) == 2
    assert database.accounts.revoke_all(ada) == 0

    assert all(token.revoked_at for token in database.accounts.tokens(ada))
    assert {token.player for token in database.accounts.tokens()} == {ada, bob}
    assert database.accounts.find_token("9" * 64) is not None


def test_a_token_remembers_when_it_was_used_last(database: Database) -> None:
    ada = database.accounts.add_player("Ada", "human")
    token = database.accounts.add_token(ada.id, HASH, "play")

    other = database.accounts.add_token(ada.id, OTHER, "play")
    database.accounts.tokens_used({token.id: NOON, other.id: NOON})
    database.accounts.tokens_used({token.id: LATER, 99: LATER})

    assert [one.last_used_at for one in database.accounts.tokens(ada.id)] == [LATER, NOON]


def test_no_token_is_anybody_elses_too_or_of_nobody(database: Database) -> None:
    ada = database.accounts.add_player("Ada", "human")
    database.accounts.add_token(ada.id, HASH, "play")

    for player, hash_ in ((ada.id, HASH), (99, OTHER)):
        with pytest.raises(RefusedError):
            database.accounts.add_token(player, hash_, "play")


def test_whoever_knows_the_accounts_learns_that_there_are_others(database: Database) -> None:
    stamps = [database.accounts.accounts_stamp()]
    for day in (NOON, LATER):
        player = database.accounts.add_player("Ada", "human", at=day)
        stamps.append(database.accounts.accounts_stamp())
        remove_player(database, player.id)

    assert len(set(stamps)) == 3
    assert database.accounts.accounts_stamp() == stamps[0]


def test_a_removed_account_takes_its_tokens_with_it(database: Database) -> None:
    ada = database.accounts.add_player("Ada", "human")
    database.accounts.add_token(ada.id, HASH, "play")

    remove_player(database, ada.id)

    assert database.accounts.find_token(HASH) is None
    assert database.accounts.players() == []
    database.accounts.add_player("ada", "engine")


def test_a_ban_holds_until_its_time_is_over(database: Database) -> None:
    ban = database.accounts.add_ban("name", "EVE", by="root", why="rude", until=LATER, at=NOON)

    assert ban == Ban(ban.id, "name", "eve", LATER, "root", "rude", NOON)
    assert database.accounts.bans() == [ban]
    assert ban.holds(NOON)
    assert not ban.holds(LATER)


def test_a_lifted_ban_is_kept_and_holds_no_longer(database: Database) -> None:
    ban = database.accounts.add_ban("address", "192.0.2.7", by="root")

    assert ban.holds(NOON + timedelta(days=10_000))
    assert database.accounts.lift_ban(ban.id, at=LATER)
    assert not database.accounts.lift_ban(ban.id)
    assert not database.accounts.lift_ban(99)

    assert database.accounts.bans() == []
    (lifted,) = database.accounts.bans(lifted=True)
    assert lifted.lifted_at == LATER
    assert not lifted.holds(NOON)


def test_whoever_knows_the_bans_learns_only_what_changed(database: Database) -> None:
    assert database.accounts.bans_stamp() == (0, 0)
    first, second = (database.accounts.add_ban("name", name, by="root") for name in ("Eve", "Gus"))

    assert database.accounts.bans(after=first.id) == [second]
    assert database.accounts.bans_stamp() == (second.id, 0)
    database.accounts.lift_ban(first.id)
    assert database.accounts.bans_stamp() == (second.id, 1)
    assert database.accounts.ban_numbers() == {second.id}


@pytest.mark.parametrize(
    ("kind", "said", "kept"),
    [
        ("account", "Ada", "ada"),
        ("name", "EVE", "eve"),
        ("address", "192.0.2.7", "192.0.2.7/32"),
        ("address", "192.0.2.7/24", "192.0.2.0/24"),
        ("address", "2001:DB8::/32", "2001:db8::/32"),
    ],
)
def test_bans_are_spelled_in_one_way(kind: str, said: str, kept: str) -> None:
    assert ban_value(kind, said) == kept  # type: ignore[arg-type]


@pytest.mark.parametrize("address", ["", "example.org", "192.0.2.7:80", "192.0.2.0/33"])
def test_what_is_no_address_cannot_be_banned_as_one(database: Database, address: str) -> None:
    with pytest.raises(ValueError, match="is no address: write"):
        database.accounts.add_ban("address", address, by="root")

    assert database.accounts.bans() == []
