"""``ulci-server ban``: what an operator sees who keeps somebody out."""

import pytest

from ulci_server.storage import Database, migrate


@pytest.fixture
def url(sqlite_url: str) -> str:
    migrate(sqlite_url)
    return sqlite_url


def test_somebody_is_banned_listed_and_let_in_again(shell, url: str) -> None:
    assert shell.run("ban", "list", "--database", url).stdout == "nobody is banned\n"
    why = ("--why", "rude\x1b[2J")
    made = shell.run("ban", "add", "--name", "EVE", *why, "--database", url)
    assert made.stdout == "ban 1: name eve, for good\n"

    _, row = shell.run("ban", "list", "--database", url).stdout.splitlines()
    assert row.split()[:6] == ["1", "name", "eve", "for", "good", "rude?[2J"]

    assert shell.run("ban", "lift", "1", "--database", url).stdout == "ban 1 is lifted\n"
    assert shell.run("ban", "list", "--database", url).stdout == "nobody is banned\n"
    assert "eve" in shell.run("ban", "list", "--all", "--database", url).stdout
    assert "there is no ban 1 in force" in shell.refused("ban", "lift", "1", "--database", url)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--address", "192.0.2.9/24"], "address 192.0.2.0/24, for good"),
        (["--address", "0.0.0.0/0", "--wide"], "address 0.0.0.0/0, for good"),
        (["--account", "ADA"], "account ada, for good"),
        (["--name", "x", "--until", "2099-01-01"], "name x, until 2099-01-01 00:00 UTC"),
        (["--name", "x", "--for", "2h"], "name x, until "),
    ],
)
def test_a_ban_is_repeated_as_it_was_understood(
    shell, url: str, options: list[str], said: str
) -> None:
    shell.run("player", "add", "Ada", "--database", url)

    assert said in shell.run("ban", "add", *options, "--database", url).stdout


def test_a_ban_says_who_decided_and_until_when(shell, url: str) -> None:
    shell.run("ban", "add", "--name", "x", "--for", "90m", "--database", url)

    database = Database(url)
    (ban,) = database.accounts.bans()
    database.close()

    assert ban.by
    assert ban.until is not None
    assert round((ban.until - ban.at).total_seconds() / 60) == 90


def test_a_ban_whose_time_is_over_is_not_listed(shell, url: str) -> None:
    shell.run("ban", "add", "--name", "x", "--until", "2020-01-01", "--database", url)

    assert shell.run("ban", "list", "--database", url).stdout == "nobody is banned\n"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            ["--address", "0.0.0.0/0"],
            "is every IPv4 address; if you mean it, say --wide",
        ),
        (["--address", "127.0.0.1"], "which the limits exempt"),
        (["--name", "0.0.0.0/0"], "nobody is called '0.0.0.0/0': it is an address; say --address"),
        ([], "say one of --account, --name and --address"),
        (["--name", "x", "--account", "y"], "say one of"),
        (["--address", "example.org"], "is no address: write 192.0.2.7"),
        (["--name", "x", "--for", "soon"], "is not a span of time: write 30m"),
        (["--name", "x", "--for", "7x"], "'7x' is not a span of time: write 30m, 12h, 7d or 4w"),
        (["--name", "x", "--for", "99999w"], "is not a span of time"),
        (["--name", "x", "--for", "1h", "--until", "2099-01-01"], "--for or --until, not both"),
    ],
)
def test_a_wrong_option_is_one_line(shell, url: str, options: list[str], why: str) -> None:
    assert why in shell.refused("ban", "add", *options, "--database", url, code=2)


def test_only_an_account_that_is_there_can_be_banned_as_one(shell, url: str) -> None:
    said = shell.refused("ban", "add", "--account", "Ada", "--database", url)

    assert said == "there is no account 'Ada'; see: ulci-server player list"


@pytest.mark.parametrize("until", ["2020-01-01", "2020-01-01T00:00+05:00"])
def test_a_ban_that_would_be_over_is_refused(shell, url: str, until: str) -> None:
    asked = ["ban", "add", "--name", "Rude", "--database", url]
    said = shell.refused(*asked, "--until", until, code=2)
    assert said.endswith(" UTC is over: the ban would bar nobody")
    assert "is not a span of time" in shell.refused(*asked, "--for", "0d", code=2)
    assert shell.run("ban", "list", "--all", "--database", url).stdout == "nobody is banned\n"
