"""Turning somebody away costs next to nothing."""

import pytest

from tests.support.wires import tcp_pair
from ulci.net import Address, sockets
from ulci.net.gate import Refusal
from ulci.net.refuse import refuse
from ulci.protocol.messages import Blame


async def test_a_refused_client_that_is_gone_is_no_error() -> None:
    near, far = tcp_pair()
    sockets.reset(far)
    refuse(near, Address("tcp", "127.0.0.1", 1), Refusal("no"))
    assert near.fileno() == -1


@pytest.mark.parametrize(
    ("scheme", "refusal", "said"),
    [
        ("tcp", Refusal("full"), b"info servererror full\n"),
        ("tcp", Refusal("no", Blame.CLIENT, 7), b"info clienterror no; retry-after 7\n"),
        ("tls", Refusal("no", Blame.CLIENT, 7), b""),
        (
            "ws",
            Refusal("no", Blame.CLIENT, 7),
            b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain; charset=utf-8\r\n"
            b"Content-Length: 18\r\nConnection: close\r\nRetry-After: 7\r\n\r\n"
            b"no; retry-after 7\n",
        ),
    ],
)
def test_a_refusal_is_said_in_what_is_spoken_there(
    scheme: str, refusal: Refusal, said: bytes
) -> None:
    near, far = tcp_pair()
    with far:
        refuse(near, Address(scheme, "127.0.0.1", 1), refusal)
        far.setblocking(True)
        assert far.recv(1000) == said
