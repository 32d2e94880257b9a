"""``ulci-server player``: what an operator sees who gives out accounts."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ulci_server.storage import MEMORY, Database, downgrade, migrate, secret_hash


@pytest.fixture
def url(sqlite_url: str) -> str:
    migrate(sqlite_url)
    return sqlite_url


def test_a_token_is_shown_once_alone_and_kept_as_its_hash(shell, url: str, tmp_path: Path) -> None:
    result = shell.run("player", "add", "Ada", "--database", url)

    assert result.exit_code == 0
    assert re.fullmatch(r"ulci_[\w-]{43}\n", result.stdout)
    assert "Ada has an account now (human)" in result.stderr
    token = result.stdout.strip()
    assert token not in result.stderr
    assert all(token.encode() not in path.read_bytes() for path in tmp_path.iterdir())
    database = Database(url)
    account = database.accounts.find_token(secret_hash(token))
    database.close()
    assert account is not None
    assert (account.name, account.kind, account.scope) == ("Ada", "human", "play")


def test_accounts_and_tokens_are_listed(shell, url: str) -> None:
    assert shell.run("player", "list", "--database", url).stdout == "no accounts\n"
    shell.run("player", "add", "Ada", "--admin", "--label", "desk\x1b[2J", "--database", url)
    shell.run("player", "add", "Babbage", "--kind", "engine", "--database", url)
    shell.run("player", "token", "ada", "--label", "laptop", "--database", url)

    accounts = shell.run("player", "list", "--database", url).stdout.splitlines()
    tokens = shell.run("player", "list", "ADA", "--database", url).stdout.splitlines()

    assert [row.split()[:2] for row in accounts[1:]] == [["Ada", "human"], ["Babbage", "engine"]]
    assert accounts[1].rstrip().endswith("2")
    assert [row.split()[:3] for row in tokens[1:]] == [
        ["1", "admin", "desk?[2J"],
        ["3", "play", "laptop"],
    ]


@pytest.mark.parametrize(("options", "left"), [([], 0), (["--token", "1"], 1)])
def test_tokens_are_revoked(shell, url: str, options: list[str], left: int) -> None:
    for words in (["add", "Ada"], ["token", "Ada"], ["add", "Bob"]):
        shell.run("player", *words, "--database", url)

    said = shell.run("player", "revoke", "ada", *options, "--database", url).stdout

    assert said == f"revoked {2 - left} token{'' if left else 's'} of Ada\n"
    database = Database(url)
    good = [
        t
        for p in database.accounts.players()
        for t in database.accounts.tokens(p.id)
        if not t.revoked_at
    ]
    database.close()
    assert len(good) == left + 1


def test_nobody_revokes_a_token_of_somebody_else(shell, url: str) -> None:
    for name in ("Ada", "Bob"):
        shell.run("player", "add", name, "--database", url)

    said = shell.refused("player", "revoke", "Ada", "--token", "2", "--database", url)

    assert said.startswith("Ada has no token 2")


def test_a_name_is_given_once(shell, url: str) -> None:
    shell.run("player", "add", "Ada", "--database", url)

    said = shell.refused("player", "add", "ADA", "--database", url)

    assert said == "there is an account Ada already"


@pytest.mark.parametrize(
    "name", ["", "two words", "a\x1b[2Jb", "x" * 65, "_", "a\u202eb", "\u200b"]
)
def test_a_name_is_one_plain_word(shell, url: str, name: str) -> None:
    said = shell.refused("player", "add", name, "--database", url, code=2)

    assert "must be one word of at most 64 letters" in said


@pytest.mark.parametrize("command", ["token", "revoke", "list"])
def test_an_account_that_is_not_there_is_said(shell, url: str, command: str) -> None:
    said = shell.refused("player", command, "No\x1b[2Jbody", "--database", url)

    assert said == "there is no account 'No?[2Jbody'; see: ulci-server player list"


def test_what_is_revoked_already_is_said(shell, url: str) -> None:
    shell.run("player", "add", "Ada", "--database", url)
    assert shell.run("player", "revoke", "Ada", "--database", url).stdout.startswith("revoked 1")
    again = shell.run("player", "revoke", "Ada", "--database", url)
    assert again.stdout == "nothing to do: Ada has no such token that is still good\n"


def test_the_first_account_makes_the_file(shell, sqlite_url: str) -> None:
    assert shell.run("player", "add", "Ada", "--database", sqlite_url).exit_code == 0


def test_tables_of_an_older_version_are_left_alone(shell, url: str) -> None:
    downgrade(url, "0001")

    assert "run: ulci-server migrate" in shell.refused("player", "add", "Ada", "--database", url)


def test_what_ends_with_the_server_holds_no_accounts(shell) -> None:
    assert "name a database" in shell.refused("player", "add", "A", "--database", MEMORY, code=2)


def test_accounts_are_made_while_a_server_writes(shell, url: str) -> None:
    server = Database(url)
    server.save([])

    assert shell.run("player", "add", "Ada", "--database", url).exit_code == 0

    assert server.accounts.account_names() == {"ada"}
    server.close()


@pytest.mark.parametrize("name", ["192.0.2.7", "all", "A11"])
def test_nobody_is_called_like_an_address_or_everybody(shell, url: str, name: str) -> None:
    said = shell.refused("player", "add", name, "--database", url, code=2)
    assert f"{name!r} is an address, or means everybody: nobody is called so" in said


def test_the_code_of_an_invitation_is_shown_once_alone_and_kept_as_its_hash(
    shell, url: str
) -> None:
    shell.run("player", "add", "Ada", "--database", url)
    for argv, whom in (((), "somebody may sign up"), (("ada",), "Ada gets a password")):
        result = shell.run("player", "invite", *argv, "--database", url)
        assert result.exit_code == 0
        assert re.fullmatch(r"[\w-]{24}\n", result.stdout)
        assert whom in result.stderr
        code = result.stdout.strip()
        assert code not in result.stderr
        database = Database(url)
        try:
            now = datetime.now(UTC)
            assert database.sign_ins.is_invite(secret_hash(code), now)
            assert not database.sign_ins.is_invite(secret_hash(code), now + timedelta(days=15))
            assert not database.sign_ins.is_invite(code, now)
        finally:
            database.close()


def test_nobody_is_invited_to_an_account_that_is_not_there(shell, url: str) -> None:
    result = shell.run("player", "invite", "Nobody", "--database", url)
    assert result.exit_code != 0
    assert result.stdout == ""
