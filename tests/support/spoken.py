"""What peers say and hear, as the log of the wire gets it."""

from ulci.net import Peer
from ulci.protocol.masking import masked
from ulci.wire_log.wire_log import LoggedCodec, split_lines

SIGNS = {"said": ">", "heard": "<"}


class Spoken:
    """Lines such as ``engine > go wtime 1000``."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def follow(self, peer: Peer, name: str) -> None:
        def note(event: str, text: str | bytes = "", game: int = 0) -> None:
            raw = text if isinstance(text, str) else text.decode()
            sign = SIGNS.get(event, f"- {event}")
            self.lines += [f"{name} {sign} {masked(line)}" for line in split_lines(raw)]

        note("opened", peer.label)
        peer.connection.codec = LoggedCodec(peer.connection.codec, note)
        peer.remark = note
