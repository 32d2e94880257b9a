"""TLS over a stream of ours."""

import ssl
from contextlib import suppress

import trio

from ulci.net.tcpstream import TcpStream


def encrypted(
    bottom: TcpStream, context: ssl.SSLContext, *, websocket: bool
) -> "trio.SSLStream[TcpStream]":
    """A server's end, whose handshake is still to be made."""
    return trio.SSLStream(bottom, context, server_side=True, https_compatible=websocket)


def forget_handshake(stream: "trio.SSLStream[TcpStream]") -> None:
    """Once it was made, or has failed. Trio 0.35 keeps it as a method of the stream in the stream:
    a cycle, which would outlive the connection with all that OpenSSL keeps for it, 50 kB. Under a
    Trio that has another name for it, it does."""
    with suppress(AttributeError):
        del stream._handshook._afn
