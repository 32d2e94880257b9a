"""Passwords, sessions, tickets, invitations, attempts: one suite for memory, SQLite, PostgreSQL."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from random import Random
from threading import Barrier

import pytest

from tests.support.databases import remove_player
from tests.support.facts import NOON
from ulci_server.storage import (
    Database,
    InviteError,
    Limit,
    RefusedError,
    StorageError,
    migrate,
)
from ulci_server.storage.accounts import REVOKED_KEPT
from ulci_server.storage.sign_ins import MOST_SESSIONS, MOST_TICKETS

HASH = "$argon2id$..."
LATER = NOON + timedelta(minutes=1)
DAY = timedelta(days=1)


def code(number: int) -> str:
    return f"{number:064}"


def sign_up(database: Database, name: str = "Ada", invite: str | None = None) -> int:
    return database.sign_ins.sign_up(name, HASH, invite, NOON).id


def test_an_account_that_signs_up_has_a_password(database: Database) -> None:
    ada = sign_up(database)

    known = database.sign_ins.credentials("aDA")
    assert known is not None
    assert (known.player.id, known.player.name, known.player.kind) == (ada, "Ada", "human")
    assert known.hash == HASH
    assert database.sign_ins.credentials("Bob") is None
    with pytest.raises(RefusedError, match="there is an account Ada already"):
        sign_up(database, "ADA")


def test_an_account_of_an_operator_has_none_until_an_invitation_gives_it_one(
    database: Database,
) -> None:
    bob = database.accounts.add_player("Bob", "human").id
    assert database.sign_ins.credentials("Bob").hash is None
    database.sign_ins.add_invite(code(1), NOON, NOON + DAY, bob)

    with pytest.raises(InviteError, match="another name"):
        sign_up(database, "Ada", code(1))
    assert sign_up(database, "bob", code(1)) == bob

    assert database.sign_ins.credentials("Bob").hash == HASH
    assert database.sign_ins.credentials("Ada") is None


def test_an_invitation_is_used_once_and_only_in_time(database: Database) -> None:
    invites = database.sign_ins
    invites.add_invite(code(1), NOON, NOON + DAY)
    invites.add_invite(code(2), NOON - DAY, NOON)
    assert [invites.is_invite(code(n), NOON) for n in (1, 2, 3)] == [True, False, False]

    sign_up(database, "Ada", code(1))

    for number in (1, 2, 3):
        with pytest.raises(InviteError, match="not valid"):
            sign_up(database, "Bob", code(number))
    assert invites.credentials("Bob") is None


def test_an_invitation_is_not_used_up_by_a_name_that_is_taken(database: Database) -> None:
    sign_up(database)
    database.sign_ins.add_invite(code(1), NOON, NOON + DAY)

    with pytest.raises(RefusedError, match="already"):
        sign_up(database, "Ada", code(1))

    assert database.sign_ins.is_invite(code(1), NOON)


def test_a_session_lasts_until_it_expires_or_ends(database: Database) -> None:
    ada, kept = sign_up(database), database.sign_ins
    for number in (1, 2, 3):
        kept.begin(ada, code(number), "192.0.2.1", NOON, NOON + DAY, password=HASH)

    assert kept.session(code(1), LATER).player.name == "Ada"
    assert kept.session(code(1), NOON + DAY) is None
    assert kept.sessions(ada, LATER) == 3
    assert kept.end(code(1))
    assert not kept.end(code(1))
    assert kept.session(code(1), LATER) is None
    assert kept.end_all(ada) == 2
    assert kept.session(code(2), LATER) is None


def test_a_new_password_ends_all_sessions(database: Database) -> None:
    ada, kept = sign_up(database), database.sign_ins
    kept.begin(ada, code(1), "", NOON, NOON + DAY, password=HASH)

    kept.set_password(ada, "another", LATER, instead_of=HASH)

    assert kept.session(code(1), LATER) is None
    assert kept.credentials("Ada").hash == "another"


def test_by_a_password_that_was_changed_nobody_is_signed_in_or_changes_it_again(
    database: Database,
) -> None:
    ada, kept = sign_up(database), database.sign_ins
    kept.set_password(ada, "another", LATER, instead_of=HASH)

    with pytest.raises(RefusedError, match="was changed"):
        kept.begin(ada, code(1), "", NOON, NOON + DAY, password=HASH)
    with pytest.raises(RefusedError, match="was changed"):
        kept.set_password(ada, "a third one", LATER, instead_of=HASH)

    assert kept.sessions(ada, NOON) == 0
    assert kept.credentials("Ada").hash == "another"


def test_the_oldest_session_of_too_many_ends_and_expired_ones_are_removed(
    database: Database,
) -> None:
    ada, bob, kept = sign_up(database), sign_up(database, "Bob"), database.sign_ins
    kept.begin(bob, code(0), "", NOON, LATER, password=HASH)
    for number in range(1, MOST_SESSIONS + 2):
        kept.begin(ada, code(number), "", LATER, NOON + DAY, password=HASH)

    assert kept.sessions(ada, LATER) == MOST_SESSIONS
    assert kept.session(code(1), LATER) is None
    assert kept.session(code(2), LATER) is not None
    assert kept.session(code(0), NOON) is None  # it was removed, not only expired


def test_a_ticket_lets_its_account_in_once(database: Database) -> None:
    ada, kept = sign_up(database), database.sign_ins
    kept.begin(ada, code(1), "", NOON, NOON + DAY, password=HASH)
    session = kept.session(code(1), NOON)
    for number in (2, 3, 4):
        kept.add_ticket(session.id, code(number), NOON, LATER)

    account = database.accounts.use_ticket(code(2), NOON)
    assert (account.player, account.name, account.scope, account.token) == (
        ada,
        "Ada",
        "play",
        None,
    )
    assert database.accounts.use_ticket(code(2), NOON) is None
    assert database.accounts.use_ticket(code(3), LATER) is None
    assert database.accounts.find_token(code(4)) is None
    kept.end(code(1))
    assert database.accounts.use_ticket(code(4), NOON) is None
    with pytest.raises(RefusedError):
        kept.add_ticket(session.id, code(5), NOON, LATER)


def test_a_session_has_no_more_tickets_than_tabs(database: Database) -> None:
    ada, kept = sign_up(database), database.sign_ins
    kept.begin(ada, code(1), "", NOON, NOON + DAY, password=HASH)
    session = kept.session(code(1), NOON).id
    for number in range(MOST_TICKETS + 1):
        at = NOON + timedelta(milliseconds=number)
        kept.add_ticket(session, code(100 + number), at, at + DAY)

    assert database.accounts.use_ticket(code(100), LATER) is None
    assert database.accounts.use_ticket(code(101), LATER) is not None


# Attempts

LIMIT = Limit(free=3, first=10.0, longest=40.0, forget=900.0)


def test_free_attempts_are_followed_by_waits_that_double(database: Database) -> None:
    attempt, at = database.sign_ins.attempt, NOON
    assert [attempt({"a": LIMIT}, at) for _ in range(5)] == [0, 0, 0, 10, 10]
    waits = []
    for _ in range(4):
        wait = attempt({"a": LIMIT}, at)
        waits.append(wait)
        at += timedelta(seconds=wait)
        assert attempt({"a": LIMIT}, at) == 0
    assert waits == [10, 20, 40, 40]
    assert attempt({"b": LIMIT}, at) == 0
    at += timedelta(seconds=901)
    assert [attempt({"a": LIMIT}, at) for _ in range(4)] == [0, 0, 0, 10]


def test_what_has_to_wait_by_one_key_is_counted_by_none(database: Database) -> None:
    attempt = database.sign_ins.attempt
    for _ in range(3):
        attempt({"a": LIMIT}, NOON)
    assert [attempt({"a": LIMIT, "b": LIMIT}, NOON) for _ in range(9)] == [10] * 9
    assert attempt({"b": LIMIT}, NOON) == 0


def test_a_success_is_no_attempt(database: Database) -> None:
    kept = database.sign_ins
    for _ in range(3):
        kept.attempt({"a": LIMIT, "b": LIMIT, "c": LIMIT}, NOON)
    kept.attempt({"d": LIMIT}, NOON)

    kept.succeeded(["a", "d"], ["b"])

    assert [kept.attempt({key: LIMIT}, NOON) for key in "abcd"] == [0, 0, 10, 0]
    assert [kept.attempt({"a": LIMIT}, NOON), kept.attempt({"b": LIMIT}, NOON)] == [10, 0]


def test_nobody_elsewhere_locks_out_who_is_signed_in(database: Database) -> None:
    ada, kept = sign_up(database), database.sign_ins
    kept.begin(ada, code(1), "192.0.2.1", NOON, NOON + DAY, password=HASH)
    for _ in range(3):
        kept.attempt({"ada": LIMIT}, NOON)

    def tried(network: str, name: str = "ADA") -> float:
        return kept.attempt({"ada": LIMIT}, NOON, friends=["ada"], name=name, network=network)

    assert tried("192.0.2.2") == 10
    assert tried("192.0.2.1", "Bob") == 10
    assert tried("192.0.2.1") == 0


def test_a_removed_account_takes_all_with_it(database: Database) -> None:
    ada, kept = sign_up(database), database.sign_ins
    kept.begin(ada, code(1), "", NOON, NOON + DAY, password=HASH)
    kept.add_ticket(kept.session(code(1), NOON).id, code(2), NOON, LATER)
    kept.add_invite(code(3), NOON, NOON + DAY, ada)

    remove_player(database, ada)

    assert kept.session(code(1), NOON) is None
    assert database.accounts.use_ticket(code(2), NOON) is None
    assert not kept.is_invite(code(3), NOON)
    assert kept.credentials("Ada") is None


def test_of_a_token_only_its_owner_gets_rid(database: Database) -> None:
    ada, bob = sign_up(database), sign_up(database, "Bob")
    token = database.accounts.add_token(ada, code(9), "play").id

    assert not database.accounts.revoke(token, player=bob)
    assert database.accounts.find_token(code(9)) is not None
    assert database.accounts.revoke(token, player=ada)
    assert database.accounts.find_token(code(9)) is None


def test_an_account_that_makes_its_tokens_itself_has_a_bounded_number_of_all_kinds(
    database: Database,
) -> None:
    ada, bob, accounts = sign_up(database), sign_up(database, "Bob"), database.accounts
    accounts.revoke(accounts.add_token(bob, code(0), "play").id)
    for number in range(1, REVOKED_KEPT + 4):
        accounts.revoke(accounts.add_token(ada, code(number), "play", most=2).id)
    newest = [accounts.add_token(ada, code(1000 + n), "play", most=2).id for n in (0, 1)]
    with pytest.raises(RefusedError, match="at most 2 tokens"):
        accounts.add_token(ada, code(2000), "play", most=2)

    kept = accounts.tokens(ada)
    assert [token.id for token in kept if token.revoked_at is None] == newest
    assert len(kept) == REVOKED_KEPT + 2
    assert len(accounts.tokens(bob)) == 1


# Several servers of one database


def at_once(*works: Callable[[], object]) -> list[object]:
    """What each of them returns or raises; all begin together, in threads."""
    gate = Barrier(len(works))

    def run(work: Callable[[], object]) -> object:
        gate.wait()
        try:
            return work()
        except StorageError as error:
            return error

    with ThreadPoolExecutor(len(works)) as pool:
        return [*pool.map(run, works)]


@pytest.fixture
def servers(postgres_url: str) -> Iterator[list[Database]]:
    migrate(postgres_url)
    databases = [Database(postgres_url) for _ in range(3)]
    yield databases
    for database in databases:
        database.close()


def test_servers_that_count_the_same_keys_in_any_order_do_not_stand_in_each_others_way(
    servers: list[Database],
) -> None:
    """Each counts and takes back, with keys that come and go."""
    endless = Limit(free=10_000, first=1.0, longest=1.0, forget=900.0)

    def work(database: Database, seed: int) -> None:
        random = Random(seed)
        for _ in range(60):
            keys = random.sample("abcdef", 3)
            assert database.sign_ins.attempt(dict.fromkeys(keys, endless), NOON) == 0
            database.sign_ins.succeeded(keys[:2], keys[2:])

    assert at_once(*(partial(work, one, seed) for seed, one in enumerate(servers))) == [None] * 3


def test_the_first_tries_of_a_key_at_several_servers_are_counted_together(
    servers: list[Database],
) -> None:
    once = Limit(free=1, first=10.0, longest=10.0, forget=900.0)
    for number in range(20):
        waits = at_once(
            *(partial(one.sign_ins.attempt, {f"{number}": once}, NOON) for one in servers)
        )
        assert sorted(waits) == [0.0, 10.0, 10.0]


def test_of_several_servers_one_takes_an_invitation_and_one_a_ticket(
    servers: list[Database],
) -> None:
    kept = servers[0].sign_ins
    for number in range(20):
        kept.add_invite(code(number), NOON, NOON + DAY)
        made = at_once(
            *(
                partial(one.sign_ins.sign_up, f"Ada{number}-{n}", HASH, code(number), NOON)
                for n, one in enumerate(servers)
            )
        )
        [ada] = [one for one in made if not isinstance(one, StorageError)]
        assert {type(one) for one in made} == {type(ada), InviteError}
        kept.begin(ada.id, code(number), "", NOON, NOON + DAY, password=HASH)
        session = kept.session(code(number), NOON).id
        kept.add_ticket(session, code(100 + number), NOON, LATER)
        used = at_once(
            *(partial(one.accounts.use_ticket, code(100 + number), NOON) for one in servers)
        )
        assert sorted(account is None for account in used) == [False, True, True]


def test_a_name_is_given_by_one_of_several_servers(servers: list[Database]) -> None:
    for number in range(20):
        made = at_once(
            *(partial(one.sign_ins.sign_up, f"Ada{number}", HASH, None, NOON) for one in servers)
        )
        assert sorted(isinstance(one, RefusedError) for one in made) == [False, True, True]


def test_servers_that_make_tokens_at_once_make_no_more_than_an_account_may_have(
    servers: list[Database],
) -> None:
    ada = sign_up(servers[0])
    for number in range(10):
        at_once(
            *(
                partial(one.accounts.add_token, ada, code(10 * number + n), "play", most=4)
                for n, one in enumerate(servers)
            )
        )
    assert len(servers[0].accounts.tokens(ada)) == 4
