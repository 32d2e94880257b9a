from ipaddress import ip_network

import pytest
from pydantic import ValidationError

from ulci.net import GateLimits, Limits, RateLimit
from ulci_server.config import Config
from ulci_server.config.sections import RATE, LimitsTable, TournamentsTable, Web
from ulci_server.lobby import BoardLimits


def test_the_limits_of_connections_are_those_of_the_net_unless_said_otherwise() -> None:
    assert LimitsTable().of_net() == Limits(rate_limit=RateLimit(rate=RATE))
    assert LimitsTable().of_gate() == GateLimits()


def test_every_limit_reaches_the_net() -> None:
    table = LimitsTable(
        line=40_000,
        outbox=99_999,
        connections=7,
        opening=1,
        ping_interval=2,
        ping_timeout=3,
        rate=5000,
        burst=70_000,
        line_cost=9,
        search=2000,
        patience=11,
        retry_after=12,
    )
    assert table.of_net() == Limits(
        opening=1,
        outbox=99_999,
        max_frame=80_000,
        connections=7,
        ping_interval=2,
        ping_timeout=3,
        rate_limit=RateLimit(
            rate=5000, burst=70_000, line=9, search=2000, patience=11, retry_after=12
        ),
    )


def test_every_limit_of_an_address_reaches_the_gate() -> None:
    table = LimitsTable(
        address_connections=1,
        address_rate=2,
        address_burst=3,
        address_openings=4,
        openings=5,
        exempt=("192.0.2.7/24", "2001:db8::1"),  # type: ignore[arg-type]
    )
    assert table.of_gate() == GateLimits(
        connections=1,
        openings=4,
        all_openings=5,
        rate=2,
        burst=3,
        exempt=(ip_network("192.0.2.0/24"), ip_network("2001:db8::1/128")),
    )


def test_the_limits_of_boards_are_those_of_the_lobby_unless_said_otherwise() -> None:
    assert LimitsTable().of_boards() == BoardLimits()
    assert LimitsTable(board_area=100, board_kings=3).of_boards() == BoardLimits(100, 3)


@pytest.mark.parametrize("said", ["here", "10.0.0.0/99", 7])
def test_what_is_no_network_is_told(said: object) -> None:
    with pytest.raises(ValidationError, match=r"a network such as 192\.0\.2\.0/24"):
        LimitsTable(exempt=(said,))  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match=r"a network such as 192\.0\.2\.0/24"):
        Web(proxies=(said,))  # type: ignore[arg-type]


def test_exempt_addresses_and_proxies_are_two_settings() -> None:
    mine, proxy = ip_network("192.0.2.0/24"), ip_network("203.0.113.9/32")
    config = Config(limits=LimitsTable(exempt=(mine,)), web=Web(proxies=(proxy,)))
    assert (config.of_gate().exempt, config.of_gate().proxies) == ((mine, proxy), (proxy,))
    assert Config().of_gate() == GateLimits()


def test_this_machine_is_counted_where_it_is_not_exempt_proxy_or_not() -> None:
    assert Config(limits=LimitsTable(exempt=())).of_gate().exempt == ()


def test_a_configuration_does_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Config().log.level = "debug"  # type: ignore[misc]


def test_directors_are_accounts_and_named_once() -> None:
    table = TournamentsTable(directors=("Ada", "Ирина"))
    assert table.allows("ADA")
    assert not table.allows("Bob")
    assert not TournamentsTable().allows("Ada")
    for wrong in (("",), (" ",), ("a\nb",), ("Ada", "ada")):
        with pytest.raises(ValidationError):
            TournamentsTable(directors=wrong)
