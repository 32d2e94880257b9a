"""The watchers of a game at one other server, as the table here knows them."""

from collections.abc import Callable, Sequence

from ulci.protocol.messages import FromServer, Info, Lobby
from ulci_server.hall import Table
from ulci_server.hall.table.spectators import WatchedTable

from . import messages as said
from .post import Post


class RemoteSpectators:
    """Sends them a `Feed`. ended: called when the server stops watching."""

    def __init__(self, post: Post, run: int, table: Table, ended: Callable[[], None]) -> None:
        self._post = post
        self._run = run
        self._table = table
        self._ended = ended

    def begin(self) -> None:
        """Send the state of the game for new watchers."""
        self._tell(self._table.snapshot(), whole=True)

    def tell(self, *messages: FromServer) -> None:
        if messages:
            self._tell(messages, whole=False)

    def hear_chat(self, line: Lobby) -> None:
        self._tell((line,), whole=False)

    def _tell(self, messages: Sequence[FromServer], *, whole: bool) -> None:
        table = self._table
        thinkers = [table.spectators.thinker(message) for message in messages]
        others = tuple(m for m, side in zip(messages, thinkers, strict=True) if side is None)
        thoughts = tuple(
            (side, m)
            for m, side in zip(messages, thinkers, strict=True)
            if side is not None and isinstance(m, Info)
        )
        epoch = self._post.epoch(table.id)
        feed = said.Feed(table.id, epoch, others, thoughts, table.state(), whole)
        self._post.send(self._run, feed)

    def stop_watching(self) -> None:
        self._table.unwatch(self)
        self._ended()

    def watch(self, _: WatchedTable) -> None:
        """The table has moved. The other server asks the new owner on its own."""
        self.stop_watching()
