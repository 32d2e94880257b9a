"""``ulci token``, and what the commands that play make of what it keeps."""

import pytest
from click.testing import CliRunner, Result

from ulci.net import TOKEN_VARIABLE, Address
from ulci_client.account.command import command
from ulci_client.account.tokens import kept
from ulci_client.server_options import servers_from

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
    return {"servers": (Address.parse(url),), "token_in_clear": in_clear, **flags}


def tokens(said: dict[str, object]) -> list[str]:
    return [server.token for server in servers_from(said)]


def test_a_token_is_saved_listed_used_and_forgotten():
    done = run("save", "--server", URL, typed="s3cret\n")
    assert done.exit_code == 0
    assert "s3cret" not in done.output
    assert kept(ADDRESS) == "s3cret"
    assert run("list").output == "chess.example:25565\n"
    assert tokens(asked(URL)) == ["s3cret"]
    assert "deleted here" in run("forget", "--server", URL).output
    assert tokens(asked(URL)) == [""]


def test_the_environment_comes_before_what_is_kept(monkeypatch):
    run("save", "--server", URL, typed="s3cret\n")
    monkeypatch.setenv(TOKEN_VARIABLE, "other")
    assert tokens(asked(URL)) == ["other"]


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
        assert tokens(asked(url)) == ["s3cret"]
    else:
        with pytest.raises(Exception, match="--token-in-clear") as caught:
            tokens(asked(url))
        assert "s3cret" not in str(caught.value)
    assert tokens(asked(url, in_clear=True)) == ["s3cret"]


def test_one_token_is_stored_for_all_servers_of_a_cluster():
    others = "tls://a.example", "tls://b.example:1"
    several = [word for url in others for word in ("--server", url)]
    assert run("save", *several, typed="s3cret\n").exit_code == 0
    all_asked = asked(URL) | {"servers": tuple(map(Address.parse, others))}
    assert tokens(all_asked) == ["s3cret"] * 2


def test_a_token_is_not_sent_to_a_server_for_which_it_was_not_stored():
    run("save", "--server", URL, typed="s3cret\n")
    both = asked(URL) | {"servers": (ADDRESS, Address.parse("tls://b.example"))}
    with pytest.raises(Exception, match=r"no token is stored for tls://b\.example:25565") as caught:
        tokens(both)
    assert "s3cret" not in str(caught.value)
    run("save", "--server", "tls://b.example", typed="other\n")
    with pytest.raises(Exception, match="they have different tokens"):
        tokens(both)
