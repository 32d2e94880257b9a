"""What follows when this server, or another one, is cut off from the bus but lives."""

import structlog
import trio

from ulci_server.game import Hindered
from ulci_server.hall import Hall

from .election import NOT_REACHED, WITHDRAW, Election
from .gaps import Gaps
from .owner import Owner
from .post_office import CUT_OFF, PostOffice
from .releases import Releases

LOG = structlog.get_logger("ulci_server.cluster")


class Cuts:
    """Checked with every beat, as no message announces a silence."""

    def __init__(
        self,
        hall: Hall,
        post: PostOffice,
        owner: Owner,
        election: Election,
        gaps: Gaps,
        releases: Releases,
    ) -> None:
        self._hall = hall
        self._post = post
        self._owner = owner
        self._election = election
        self._gaps = gaps
        self._releases = releases
        self._silent: set[int] = set()  # servers that live and are silent
        self._reached_until = 0.0  # until when (s) players elsewhere could reach this server
        self._cut = False

    def begin_again(self) -> None:
        """A new run of this server begins."""
        self._silent.clear()
        self._reached_until, self._cut = trio.current_time(), False

    def lose(self, run: int) -> None:
        """That server has died."""
        self._silent.discard(run)

    def notice(self) -> None:
        """Tell the tables here for how long this server has been cut off, or was until now: players
        who are away could not come back."""
        now, silence = trio.current_time(), self._post.silence
        cut = silence >= NOT_REACHED
        until = now if cut else now - silence
        late = until - self._reached_until
        if cut or self._cut or late >= NOT_REACHED:
            for table in self._hall.tables.values():
                table.hindered(Hindered(until, late))
        self._cut, self._reached_until = cut, until

    async def see_to(self) -> None:
        """Act on a long silence. If this server is cut off and others are not, release its games to
        them. If another server is, its players in games here count as away until it is heard
        again."""
        membership = self._post.membership
        if self._post.silence > WITHDRAW:
            if membership.has_successor:
                await self._releases.withdraw()
            return
        for run in [run for run in membership.living if run != self._post.run]:
            silence = self._post.silence_of(run)
            if silence > WITHDRAW and run not in self._silent and not self._post.is_cut_off:
                LOG.warning("server not heard", run=run)
                self._silent.add(run)
                self._election.give_up_on(run)
                self._hall.begin_gradually(self._owner.part(run))
            elif silence < CUT_OFF and run in self._silent:
                self._silent.discard(run)
                self._gaps.lose_track(run)
