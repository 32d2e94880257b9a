import pytest
from pydantic import ValidationError

from ulci.net import Limits
from ulci_server.config import Config, LimitsTable


def test_the_limits_of_connections_are_those_of_the_net_unless_said_otherwise() -> None:
    assert LimitsTable().of_net() == Limits()


def test_every_limit_reaches_the_net() -> None:
    table = LimitsTable(
        line=40_000, outbox=99_999, connections=7, opening=1, ping_interval=2, ping_timeout=3
    )
    assert table.of_net() == Limits(
        handshake=1,
        outbox=99_999,
        max_frame=80_000,
        connections=7,
        ping_interval=2,
        ping_timeout=3,
    )


def test_a_configuration_does_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Config().log.level = "debug"  # type: ignore[misc]
