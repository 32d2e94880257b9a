"""Accounts, tokens and bans: one suite for memory, SQLite and PostgreSQL."""

from datetime import timedelta

import pytest

from tests.support.databases import remove_player
from tests.support.facts import NOON
from ulci_server.storage import Account, Ban, Player, RefusedError, Repository, ban_value

HASH, OTHER = "0" * 64, "1" * 64
LATER = NOON + timedelta(hours=1)


def test_an_account_is_found_however_its_letters_are_cased(repository: Repository) -> None:
    ada = repository.add_player("Ada", "human", at=NOON)
    eszett = repository.add_player("Stra\u00dfe", "engine", at=NOON)

    assert ada == Player(ada.id, "Ada", "human", NOON)
    assert repository.players() == [ada, eszett]
    assert repository.find_player("aDA") == repository.find_player("\uff21da") == ada
    assert repository.find_player("STRASSE") == eszett
    assert repository.find_player("Bob") is None
    assert repository.account_names() == {"ada", "strasse"}
    assert repository.account_names(after=ada.id) == {"strasse"}


@pytest.mark.parametrize("name", ["Ada", "ADA", "\uff41da"])
def test_two_accounts_cannot_have_one_name(repository: Repository, name: str) -> None:
    repository.add_player("Ada", "human")

    with pytest.raises(RefusedError, match="there is an account Ada already"):
        repository.add_player(name, "engine")


def test_a_token_says_whose_it_is_and_for_what(repository: Repository) -> None:
    ada = repository.add_player("Ada", "human")
    play = repository.add_token(ada.id, HASH, "play", "laptop", at=NOON)
    admin = repository.add_token(ada.id, OTHER, "admin", at=LATER)

    assert repository.find_token(HASH) == Account(ada.id, "Ada", "human", "play", play.id)
    assert repository.find_token(OTHER) == Account(ada.id, "Ada", "human", "admin", admin.id)
    assert repository.tokens(ada.id) == [play, admin]
    assert (play.label, play.created_at, play.revoked_at) == ("laptop", NOON, None)


@pytest.mark.parametrize("hash_", ["", "2" * 64, "\u00e9" * 64, "\0", "%", "' OR ''='"])
def test_what_is_no_token_is_nobodys(repository: Repository, hash_: str) -> None:
    repository.add_token(repository.add_player("Ada", "human").id, HASH, "play")

    assert repository.find_token(hash_) is None


def test_a_revoked_token_is_nobodys(repository: Repository) -> None:
    ada = repository.add_player("Ada", "human")
    token = repository.add_token(ada.id, HASH, "play")

    assert repository.revoke(token.id, at=NOON)
    assert not repository.revoke(token.id, at=LATER)
    assert not repository.revoke(99)

    assert repository.find_token(HASH) is None
    assert repository.tokens(ada.id)[0].revoked_at == NOON


def test_all_tokens_of_an_account_are_revoked_and_nobody_elses(repository: Repository) -> None:
    ada, bob = (repository.add_player(name, "human").id for name in ("Ada", "Bob"))
    tokens = [repository.add_token(ada, str(n) * 64, "play") for n in range(3)]
    repository.add_token(bob, "9" * 64, "play")
    repository.revoke(tokens[0].id)

    assert repository.revoke_all(ada) == 2
    assert repository.revoke_all(ada) == 0

    assert all(token.revoked_at for token in repository.tokens(ada))
    assert {token.player for token in repository.tokens()} == {ada, bob}
    assert repository.find_token("9" * 64) is not None


def test_a_token_remembers_when_it_was_used_last(repository: Repository) -> None:
    ada = repository.add_player("Ada", "human")
    token = repository.add_token(ada.id, HASH, "play")

    other = repository.add_token(ada.id, OTHER, "play")
    repository.tokens_used({token.id: NOON, other.id: NOON})
    repository.tokens_used({token.id: LATER, 99: LATER})

    assert [one.last_used_at for one in repository.tokens(ada.id)] == [LATER, NOON]


def test_no_token_is_anybody_elses_too_or_of_nobody(repository: Repository) -> None:
    ada = repository.add_player("Ada", "human")
    repository.add_token(ada.id, HASH, "play")

    for player, hash_ in ((ada.id, HASH), (99, OTHER)):
        with pytest.raises(RefusedError):
            repository.add_token(player, hash_, "play")


def test_whoever_knows_the_accounts_learns_that_there_are_others(repository: Repository) -> None:
    stamps = [repository.accounts_stamp()]
    for day in (NOON, LATER):
        player = repository.add_player("Ada", "human", at=day)
        stamps.append(repository.accounts_stamp())
        remove_player(repository, player.id)

    assert len(set(stamps)) == 3
    assert repository.accounts_stamp() == stamps[0]


def test_a_removed_account_takes_its_tokens_with_it(repository: Repository) -> None:
    ada = repository.add_player("Ada", "human")
    repository.add_token(ada.id, HASH, "play")

    remove_player(repository, ada.id)

    assert repository.find_token(HASH) is None
    assert repository.players() == []
    repository.add_player("ada", "engine")


def test_a_ban_holds_until_its_time_is_over(repository: Repository) -> None:
    ban = repository.add_ban("name", "EVE", by="root", why="rude", until=LATER, at=NOON)

    assert ban == Ban(ban.id, "name", "eve", LATER, "root", "rude", NOON)
    assert repository.bans() == [ban]
    assert ban.holds(NOON)
    assert not ban.holds(LATER)


def test_a_lifted_ban_is_kept_and_holds_no_longer(repository: Repository) -> None:
    ban = repository.add_ban("address", "192.0.2.7", by="root")

    assert ban.holds(NOON + timedelta(days=10_000))
    assert repository.lift_ban(ban.id, at=LATER)
    assert not repository.lift_ban(ban.id)
    assert not repository.lift_ban(99)

    assert repository.bans() == []
    (lifted,) = repository.bans(lifted=True)
    assert lifted.lifted_at == LATER
    assert not lifted.holds(NOON)


def test_whoever_knows_the_bans_learns_only_what_changed(repository: Repository) -> None:
    assert repository.bans_stamp() == (0, 0)
    first, second = (repository.add_ban("name", name, by="root") for name in ("Eve", "Gus"))

    assert repository.bans(after=first.id) == [second]
    assert repository.bans_stamp() == (second.id, 0)
    repository.lift_ban(first.id)
    assert repository.bans_stamp() == (second.id, 1)
    assert repository.ban_numbers() == {second.id}


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
def test_what_is_no_address_cannot_be_banned_as_one(repository: Repository, address: str) -> None:
    with pytest.raises(ValueError, match="is no address: write"):
        repository.add_ban("address", address, by="root")

    assert repository.bans() == []
