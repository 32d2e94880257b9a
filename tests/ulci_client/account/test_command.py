"""``ulci token``, and what the commands that play make of what it keeps."""

import pytest
from click.testing import CliRunner, Result

from ulci.net import TOKEN_VARIABLE, Address
from ulci_client.account import kept
from ulci_client.account.command import command
from ulci_client.server_options import server_from, token_from

URL = "tls://chess.example"
ADDRESS = Address.parse(URL)


@pytest.fixture(autouse=True)
def _home(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)


def run(*argv: str, typed: str = "") -> Result:
    return CliRunner().invoke(command, argv, input=typed, prog_name="ulci token")


def asked(url: str, *, in_clear: bool = False) -> dict[str, object]:
    """What the options of a command that plays say."""
    flags = {"cafile": None, "insecure": False, "msgpack": False, "token_file": None}
    return {"server": Address.parse(url), "token_in_clear": in_clear, **flags}


def test_a_token_is_saved_listed_used_and_forgotten():
    done = run("save", "--server", URL, typed="s3cret\n")
    assert done.exit_code == 0
    assert "s3cret" not in done.output
    assert kept(ADDRESS) == "s3cret"
    assert run("list").output == "chess.example:25565\n"
    assert token_from(asked(URL)) == server_from(asked(URL)).token == "s3cret"
    assert "deleted here" in run("forget", "--server", URL).output
    assert token_from(asked(URL)) == ""


def test_the_environment_comes_before_what_is_kept(monkeypatch):
    run("save", "--server", URL, typed="s3cret\n")
    monkeypatch.setenv(TOKEN_VARIABLE, "other")
    assert token_from(asked(URL)) == "other"


@pytest.mark.parametrize(
    ("argv", "typed", "why"),
    [
        (["save", "--server", URL], "", "a token is one word"),
        (["save", "--server", URL], "two words\n", "a token is one word"),
        (["forget", "--server", URL], "", "there is no token for chess.example:25565"),
    ],
)
def test_what_cannot_be_done_says_why(argv, typed, why):
    done = run(*argv, typed=typed)
    assert done.exit_code == 1
    assert why in done.output


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("tcp://chess.example", False),
        ("ws://chess.example", False),
        ("tls://chess.example", True),
        ("wss://chess.example", True),
        ("tcp://localhost", True),
        ("ws://127.0.0.1", True),
    ],
)
def test_a_token_never_goes_where_others_could_read_it_unasked(monkeypatch, url, said):
    monkeypatch.setenv(TOKEN_VARIABLE, "s3cret")
    if said:
        assert token_from(asked(url)) == "s3cret"
    else:
        with pytest.raises(Exception, match="--token-in-clear") as caught:
            token_from(asked(url))
        assert "s3cret" not in str(caught.value)
    assert token_from(asked(url, in_clear=True)) == "s3cret"
