"""How an administrator lets one server of the cluster end."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Protocol

from ulci.protocol.text import quote
from ulci_server.hall.member import HostedMember
from ulci_server.lobby.terms import Refusal
from ulci_server.storage import RunState
from ulci_server.storage.membership import Membership

from . import messages as said
from .remote_member import RemoteMember


class Servers(Protocol):
    """The servers that live, and the way to them."""

    membership: Membership

    def send(self, run: int, message: said.AnyMessage) -> None: ...


def drain(
    servers: Servers, name: str, by: HostedMember
) -> tuple[Sequence[str], Callable[[], object]]:
    """As `Drain` of a hall, for a server of the cluster.

    Raises:
        Refusal: no server of that name lives.
    """
    living = servers.membership.living
    assert isinstance(by, RemoteMember)
    run = _newest(living.values(), name) if name else by.run
    if run not in living:
        names = " ".join(dict.fromkeys(state.node for state in living.values()))
        text = f"no server {quote(name)} lives; there are: {names}"
        raise Refusal("no-such-server", text)
    others = sum(other != run and not state.draining for other, state in living.items())
    send = partial(servers.send, run, said.Drain(by.handle))
    return ("others", str(others), "server", *living[run].node.split()), send


def _newest(living: Iterable[RunState], name: str) -> int:
    """The newest run of that name; 0: there is none."""
    return max((state.id for state in living if state.node == name), default=0)
