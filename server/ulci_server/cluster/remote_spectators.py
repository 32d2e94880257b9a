"""Those who watch a game of this server at another one, as its table here knows them."""

from collections.abc import Callable, Sequence

from ulci.protocol.messages import FromServer, Info
from ulci_server.hall import Table
from ulci_server.hall.table.spectators import WatchedTable

from . import messages as said
from .post import Post


class RemoteSpectators:
    """What the watchers of one game at one other server are told."""

    def __init__(self, post: Post, run: int, table: Table, ended: Callable[[], None]) -> None:
        self._post = post
        self._run = run
        self._table = table
        self._ended = ended

    def begin(self) -> None:
        """Tell new watchers of the game as it is."""
        self._tell(self._table.snapshot(), whole=True)

    def tell(self, *messages: FromServer) -> None:
        if messages:
            self._tell(messages, whole=False)

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
        """The other server asks the new owner by itself."""
        self.stop_watching()
