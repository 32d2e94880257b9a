import pytest

from tests.support.engines import scripted
from ulci.net import Address
from ulci.protocol import Terms
from ulci_client.bridge.settings import HELLO, Settings
from ulci_client.dial import Server

SERVER = Server(Address.parse("tcp://127.0.0.1:1"))


def settings(**asked: object) -> Settings:
    return Settings(SERVER, scripted(), **asked)  # type: ignore[arg-type]


def test_by_default_one_engine_plays_for_ever_whatever_the_server_offers():
    default = settings()
    assert (default.games, default.concurrency, default.terms) == (None, 1, Terms())
    assert (default.name, default.token, default.hello) == ("", "", HELLO)


def test_a_pool_is_sought_by_its_name_and_what_is_asked_for_beside_it_stays():
    asked = settings(pool="mini", terms=Terms(game="liberty", time="60+1", start="mini"))
    assert asked.sought == Terms(game="mini", time="60+1", start="mini")
    assert asked.terms.game == "liberty"
    assert settings(terms=Terms(game="liberty")).sought == Terms(game="liberty")


def test_any_name_of_one_line_will_do():
    assert settings(name="Élan the 2nd ♟").name == "Élan the 2nd ♟"


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"name": "a\nb"}, "the name must be one line"),
        ({"name": "a\x1b[2J"}, "the name must be one line"),
        ({"terms": Terms(game="a b")}, "the game must be one word, not 'a b'"),
        ({"terms": Terms(game="")}, "the game must be one word, not ''"),
        ({"terms": Terms(time="60 +1")}, "the time control must be one word, not '60 \\+1'"),
        ({"pool": "my pool"}, "the pool must be one word, not 'my pool'"),
        ({"terms": Terms(start="8/8\n")}, "the start must be one line"),
        ({"terms": Terms(time="60\x00")}, "the time control must be one word"),
    ],
)
def test_what_cannot_be_said_in_a_line_is_refused_before_anything_is_started(asked, complaint):
    with pytest.raises(ValueError, match=complaint):
        settings(**asked)


def test_a_refused_token_is_not_shown():
    with pytest.raises(ValueError, match="the token must be one line") as refusal:
        settings(token="s3c\nret")
    assert "s3c" not in str(refusal.value)
