"""Which tables stand: how one is opened, goes on after the server's end, and is closed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import structlog
import trio

from ulci.protocol.text import quote
from ulci.rules import Rules, StartError
from ulci.rules.outcome import Outcome, Reason, Side
from ulci.rules.refereed import (
    ENDED,
    Judge,
    Question,
    RefereedRules,
    Ruling,
    Standing,
    agrees,
)
from ulci_server.game import (
    OF_THE_MOVER,
    ContradictionError,
    Controls,
    Game,
    GameFinished,
    GameStarted,
    Happened,
    MovePlayed,
    Reported,
)
from ulci_server.lobby import HouseRules, Offer
from ulci_server.storage import Journal, Unfinished

from .alarms import Alarms
from .audience import Gallery
from .returning import Downtime, cannot_return, thinking
from .session import Session
from .settings import Settings
from .setup import setup
from .table import Table
from .turns import Turns

LOG = structlog.get_logger("ulci_server.hall")

Sessions = tuple[Session, Session]


class Tables:
    """ids: numbers for new games. games: all that can be played. referees: who judges those that
    are not in `ulci.rules`. left: told of a table that is closed, before its players are dismissed.
    """

    def __init__(
        self,
        journal: Journal,
        alarms: Alarms,
        settings: Settings,
        *,
        ids: Iterator[int],
        games: Mapping[str, Rules],
        referees: Iterable[Judge],
        turns: Turns,
    ) -> None:
        self.standing: dict[int, Table] = {}
        self.gallery = Gallery(settings.delay, turns)
        self._journal = journal
        self._alarms = alarms
        self._settings = settings
        self._ids = ids
        self._games = games
        self._referees = {referee.rules.name: referee for referee in referees}
        self._emptied = trio.Event()

    async def empty(self) -> None:
        """Return when none stands."""
        while self.standing:
            await self._emptied.wait()

    # Opening

    def open(self, offer: Offer, sessions: Sessions, failed: Callable[[str], object]) -> None:
        """These two begin a game, at once or when a referee has looked at its start; `failed` is
        told why it does not begin after all."""
        if isinstance(offer.game, RefereedRules) and offer.start not in offer.game.known:
            referee, question = self._referees[offer.game.name], Question(offer.start)
            if (known := referee.recall(question)) is not None:
                failed(known.why)
            else:
                ruled = partial(self._ruled, offer, offer.game, sessions, failed)
                referee.ask(question, ruled)
            return
        white, black = (session.profile for session in sessions)
        assert white is not None
        assert black is not None
        claims = self._settings.claims
        position = offer.game.new(offer.start, claims=claims)
        started = GameStarted(
            next(self._ids),
            offer.game.name,
            position.start,
            str(offer.control),
            (sessions[0].seat, sessions[1].seat),
            offer.rated,
            offer.pool,
            offer.house.lag.value,
            claims,
        )
        told = (setup(white, black.seat, offer), setup(black, white.seat, offer))
        game = Game(
            started,
            position,
            patience=self._settings.game,
            setup=told,
            quota=self._settings.quota,
            adjudication=offer.house.adjudication,
            most_plies=self._settings.most_plies,
        )
        self._place(game, sessions, offer).begin()

    def _ruled(
        self,
        offer: Offer,
        game: RefereedRules,
        sessions: Sessions,
        failed: Callable[[str], object],
        ruling: Ruling,
    ) -> None:
        """The referee has looked at a start position that a player chose; one may have left."""
        if any(session.gone for session in sessions):
            failed("the opponent has left")
        elif isinstance(ruling, Standing):
            game.learn(offer.start, ruling)
            self.open(offer, sessions, failed)
        else:
            failed(ruling.why)

    def _place(self, game: Game, sessions: Sessions, offer: Offer) -> Table:
        table = Table(
            game,
            sessions,
            self._journal,
            self._alarms,
            self._close,
            self.gallery.open(),
            offer,
            self._referees.get(game.started.rules),
            self._settings.tablebases if offer.house.adjudication.tablebases else None,
        )
        self.standing[game.id] = table
        for session, side in zip(sessions, Side, strict=True):
            session.front = False
            session.sit(table, side)
        return table

    # Going on after the server's end

    def offer_again(self, started: GameStarted, house: HouseRules) -> Offer | None:
        """What an earlier server's game was played by. None: nobody can go on with it."""
        rules = self._games.get(started.rules)
        why = cannot_return(started)
        if rules is None:
            why = f"there is no game {started.rules} here any more"
        if rules is None or why:
            self._give_up(started.game, f"the server ended during the game, and {why}")
            return None
        control = Controls.parse(started.control)
        return Offer(rules, control, started.start, started.rated, started.pool, house)

    def resume(
        self, unfinished: Unfinished, offer: Offer, sessions: Sessions, down: Downtime
    ) -> bool:
        """Go on with a game that the record has; nobody is there yet. False: it cannot be."""
        started, history = unfinished.started, unfinished.history
        steps = [fact for fact, _ in history if isinstance(fact, MovePlayed | Happened)]
        claims = self._settings.claims if started.claims is None else started.claims
        _remember_start(offer.game, started.start, steps)
        try:
            position = offer.game.new(started.start, claims=claims)
        except StartError as error:
            self._give_up(started.game, f"its start cannot be played any more: {error}")
            return False
        game = Game(
            started,
            position,
            patience=self._settings.game,
            quota=self._settings.quota,
            adjudication=offer.house.adjudication,
            most_plies=self._settings.most_plies,
        )
        table = self._place(game, sessions, offer)
        try:
            table.resume(steps, down.ms, thinking(history, down))
        except ContradictionError as error:
            LOG.error("record contradicts itself", game=started.game, why=str(error))  # noqa: TRY400
            del self.standing[started.game]
            self._give_up(started.game, f"the record of this game contradicts itself: {error}")
            return False
        return True

    def _give_up(self, number: int, why: str) -> None:
        """A game of an earlier server that nobody can go on with: no result."""
        LOG.warning("game not resumed", game=number, why=why)
        self._journal.note(GameFinished(number, Outcome(None, Reason.SERVER), why))

    # Closing

    def _close(self, table: Table) -> None:
        """Called before the players are dismissed."""
        del self.standing[table.game.id]
        ending = table.game.ending
        aborted = ending is not None and ending.outcome.reason is Reason.ABORTED
        for side, session in zip(Side, table.seats, strict=True):
            if isinstance(session, Session):
                session.front = aborted and ending is not None and side not in ending.by
                session.missed = table.over
        table.audience.close()
        self._ask_for_second_opinions(table)
        if not self.standing:
            self._emptied.set()
            self._emptied = trio.Event()

    def _ask_for_second_opinions(self, table: Table) -> None:
        """Both engines have been told the last position, and nothing else since."""
        game = table.game
        referee = self._referees.get(game.started.rules)
        if referee is None or not referee.second_opinion or game.outcome is None:
            return
        if game.outcome.reason is Reason.GAME_RULE:
            for side, session in zip(Side, table.seats, strict=True):
                if isinstance(session, Session):
                    session.ask(ENDED, partial(self._compare, game, side))

    def _compare(self, game: Game, side: Side, answers: tuple[str, ...]) -> None:
        """Evidence for the operator: one of the two programs has the rules wrong."""
        assert game.outcome is not None
        if agrees(answers, game.outcome):
            return
        said = " ".join(quote(answer) for answer in answers)
        text = f"second opinion: gameover and result are {said}, of a game that ended"
        text = f"{text} {game.outcome.score} by the referee"
        LOG.warning("second opinion differs", game=game.id, player=game.seats[side].name, said=said)
        self._journal.note(Reported(game.id, len(game.moves), side, "player", text))


def _remember_start(
    rules: Rules, start: str | None, steps: Iterable[MovePlayed | Happened]
) -> None:
    """What a referee said of a start that a player chose, as far as the record tells."""
    if isinstance(rules, RefereedRules) and start not in rules.known:
        known = (s.side for s in steps if isinstance(s, MovePlayed) or s.what in OF_THE_MOVER)
        if (first := next(known, None)) is not None:
            rules.learn(start, Standing(first))
