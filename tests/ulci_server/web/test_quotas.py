"""Who may have how many event streams."""

from contextlib import ExitStack

import pytest
from starlette.exceptions import HTTPException

from ulci_server.web import quotas as module
from ulci_server.web.quotas import (
    KEPT_STREAMS,
    MOST_STREAMS,
    MOST_STREAMS_OF_NETWORK,
    MOST_STREAMS_OF_ONE,
    Quotas,
)

KNOWN, EXEMPT = "203.0.113.5", "127.0.0.1"


@pytest.fixture
async def quotas() -> Quotas:
    return Quotas(lambda host: host == EXEMPT, lambda host, _: host in (KNOWN, EXEMPT))


def taken(quotas: Quotas, stack: ExitStack, host: str, number: int) -> int:
    """How many streams it gets of so many that it asks for."""
    for got in range(number):
        try:
            quotas.check_stream(host)
        except HTTPException:
            return got
        stack.enter_context(quotas.stream(host))
    return number


async def test_strangers_leave_a_quarter_of_all_streams_to_known_addresses(quotas: Quotas) -> None:
    with ExitStack() as stack:
        got = sum(taken(quotas, stack, f"198.18.{n}.1", MOST_STREAMS_OF_ONE) for n in range(200))
        assert got == MOST_STREAMS - MOST_STREAMS // KEPT_STREAMS
        assert taken(quotas, stack, KNOWN, MOST_STREAMS_OF_ONE + 1) == MOST_STREAMS_OF_ONE
        assert taken(quotas, stack, EXEMPT, 200) == 200
    assert (quotas.streams, quotas._streams, quotas._of_networks) == (0, {}, {})


async def test_a_network_has_only_so_many(quotas: Quotas) -> None:
    with ExitStack() as stack:
        got = sum(taken(quotas, stack, f"198.51.100.{n}", MOST_STREAMS_OF_ONE) for n in range(99))
        assert got == MOST_STREAMS_OF_NETWORK
        with pytest.raises(HTTPException, match=r"198\.51\.100\.0/24 already has"):
            quotas.check_stream("198.51.100.250")
        assert taken(quotas, stack, "198.51.101.1", 1) == 1


async def test_all_together_have_only_so_many(
    quotas: Quotas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_STREAMS", 8)
    with ExitStack() as stack:
        assert taken(quotas, stack, EXEMPT, 20) == 8
