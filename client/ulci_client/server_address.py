"""The command-line option for the server's address."""

from collections.abc import Iterable, Sequence

import click

from ulci.net import DEFAULT_SERVER, Address


def addresses(urls: Iterable[str]) -> tuple[Address, ...]:
    """The servers' addresses, each once. Raises ValueError, which names the mistake."""
    return tuple(dict.fromkeys(map(Address.parse, urls)))


def _addresses(_: click.Context, __: click.Parameter, urls: Sequence[str]) -> tuple[Address, ...]:
    try:
        return addresses(urls)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


server_option = click.option(
    "--server",
    "servers",
    multiple=True,
    default=[DEFAULT_SERVER],
    show_default=True,
    callback=_addresses,
    metavar="URL",
    help="The server: tcp://, tls://, ws:// or wss://host[:port]. Repeat it for the other servers"
    " of its cluster: when one cannot be reached or is lost, the next is tried.",
)
