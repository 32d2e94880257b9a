"""What two servers repeat after messages between them were lost."""

import structlog

from ulci_server.hall import Hall

from . import messages as said
from .election import Election
from .games_elsewhere import GamesElsewhere
from .owner import Owner
from .post_office import PostOffice

LOG = structlog.get_logger("ulci_server.cluster")


class Gaps:
    """Only one end of a gap may notice it. That end sends again which games it owns and what its
    connections last sent, and by `Rejoin` has the other end do the same."""

    def __init__(
        self, hall: Hall, post: PostOffice, owner: Owner, games: GamesElsewhere, election: Election
    ) -> None:
        self._hall = hall
        self._post = post
        self._owner = owner
        self._games = games
        self._election = election

    def lose_track(self, run: int) -> None:
        """Messages from or to that server were lost."""
        (LOG.debug if self._post.is_new(run) else LOG.warning)("messages were lost", run=run)
        self._hall.begin_gradually(self._owner.greet(run))
        self._post.send(run, said.Rejoin())
        self._rejoin(run)

    def hear_rejoin(self, run: int, _: said.Rejoin) -> None:
        self._hall.begin_gradually(self._owner.greet(run))
        self._rejoin(run)

    def _rejoin(self, run: int) -> None:
        """Messages between connections here and that server may be lost: repeat what counts."""
        self._hall.begin_gradually(self._games.rejoin(run))
        self._election.rejoin(run)
