"""The tables of a hall: opened, resumed after a restart, and closed."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

import structlog
import trio
from msgspec import structs

from ulci.protocol.text import quote
from ulci.rules import Outcome, Position, Reason, Rules, Side, StartError
from ulci.rules.refereed import (
    ENDED,
    Judge,
    Question,
    RefereedRules,
    Ruling,
    Standing,
    agrees,
)
from ulci.rules.starts import opened, over_already
from ulci_server.game import (
    OF_THE_MOVER,
    Away,
    Conduct,
    ConductError,
    ContradictionError,
    ControlError,
    Controls,
    EncounterBegun,
    Fact,
    Game,
    GameFinished,
    GameStarted,
    Happened,
    MovePlayed,
    Reported,
    Seat,
)
from ulci_server.game.context import Setup
from ulci_server.hall.timers import Alarms
from ulci_server.lobby import Agreement, PoolRules
from ulci_server.storage import Journal, Unfinished

from .engine_options import engine_options
from .interfaces import Entrant
from .recovery import Downtime, UnplayableError, thinking
from .settings import TableSettings
from .spectators import SpectatorBroadcaster
from .table import Table

LOG = structlog.get_logger("ulci_server.hall")

Entrants = tuple[Entrant, Entrant]

FEW = 8
"""Games of which moves hardly ever share a commit."""


class Tables:
    """games: all games that can be played. referees: judges of the
    games that are not in `ulci.rules`.
    """

    def __init__(
        self,
        journal: Journal,
        alarms: Alarms,
        settings: TableSettings,
        *,
        games: Mapping[str, Rules],
        referees: Iterable[Judge],
    ) -> None:
        self.running: dict[int, Table] = {}
        self.finished: Counter[tuple[str, str]] = Counter()
        """How many games ended, by pool and reason."""
        self.followers: list[Callable[[Table], None]] = []
        """Called with each table that begins, and again when it is closed."""
        self.holds_flag: Callable[[Table], bool] = lambda _: False
        """Asked before a flag of a later table falls: whether it may not fall yet."""
        self.broadcaster = SpectatorBroadcaster(settings.delay)
        self._journal = journal
        self._alarms = alarms
        self._settings = settings
        self._games = games
        self._referees = {referee.rules.name: referee for referee in referees}
        self._prove = None if settings.tablebases is None else settings.tablebases.prove
        self._emptied = trio.Event()
        self._begun = trio.Event()

    async def any_running(self) -> None:
        """Wait until a game is running."""
        while not self.running:
            await self._begun.wait()

    async def empty(self) -> None:
        """Wait until no game is running."""
        while self.running:
            await self._emptied.wait()

    # Opening

    def open(
        self, number: int, agreement: Agreement, sessions: Entrants, failed: Callable[[str], object]
    ) -> None:
        """Begin a game of these two, at once or after a referee's ruling on its start position.
        `failed` is called with the reason if it does not begin."""
        if (
            isinstance(agreement.game, RefereedRules)
            and agreement.start not in agreement.game.known
        ):
            referee, question = self._referees[agreement.game.name], Question(agreement.start)
            if (known := referee.recall(question)) is not None:
                failed(known.why)
            else:
                ruled = partial(self._ruled, number, agreement, agreement.game, sessions, failed)
                referee.ask(question, ruled)
            return
        white, black = (session.profile for session in sessions)
        assert white is not None
        assert black is not None
        seats = (_seated(sessions[0], agreement), _seated(sessions[1], agreement))
        conduct = agreement.pool_rules.conduct
        claims = self._settings.claims if conduct.claims is None else conduct.claims
        try:
            position = opened(agreement.game, agreement.start, agreement.opening, claims=claims)
        except StartError as error:
            failed(str(error))
            return
        started = GameStarted(
            number,
            agreement.game.name,
            position.start,
            str(agreement.control),
            seats,
            agreement.rated,
            agreement.pool,
            agreement.pool_rules.lag.value,
            claims,
            conduct=str(conduct),
            opening=(*position.moves,),
        )
        told = (
            engine_options(white, seats[1], agreement),
            engine_options(black, seats[0], agreement),
        )
        game = self._game(started, position, agreement, told)
        table = self._seat_players(game, sessions, agreement)
        table.begin()
        if agreement.encounter is not None:
            self._journal.note(EncounterBegun(number, *agreement.encounter))
        for session, side in zip(sessions, Side, strict=True):
            if session.gone:
                table.handle(Away(side, trio.current_time()))

    def _ruled(
        self,
        number: int,
        agreement: Agreement,
        game: RefereedRules,
        sessions: Entrants,
        failed: Callable[[str], object],
        ruling: Ruling,
    ) -> None:
        """The referee's ruling on a start position chosen by a player has come."""
        if any(session.gone for session in sessions):
            failed("the opponent has left")
        elif isinstance(ruling, Standing) and ruling.outcome is not None:
            failed(over_already(ruling.outcome))
        elif isinstance(ruling, Standing):
            game.learn(agreement.start, ruling)
            self.open(number, agreement, sessions, failed)
        else:
            failed(ruling.why)

    def _game(
        self,
        started: GameStarted,
        position: Position,
        agreement: Agreement,
        setup: Setup = ((), ()),
    ) -> Game:
        return Game(
            started,
            position,
            timeouts=self._settings.game,
            setup=setup,
            adjudication=agreement.pool_rules.adjudication,
            most_plies=self._settings.most_plies,
            prove=self._prove,
        )

    def _seat_players(self, game: Game, sessions: Entrants, agreement: Agreement) -> Table:
        table = Table(
            game,
            sessions,
            self._journal,
            self._alarms,
            self._close,
            self.broadcaster.open(),
            agreement,
            self._referees.get(game.started.rules),
            holds_flag=self.holds_flag,
        )
        self.running[game.id] = table
        self._journal.few = len(self.running) <= FEW
        self._begun.set()
        for note in self.followers:
            note(table)
        for session, side in zip(sessions, Side, strict=True):
            session.sit(table, side)
        return table

    # Resuming

    def agreement_again(self, started: GameStarted, pool_rules: PoolRules) -> Agreement:
        """What the players of a game agreed to, which was begun by another server.

        Raises:
            UnplayableError: it cannot be played here.
        """
        rules = self._games.get(started.rules)
        if rules is None:
            raise UnplayableError(f"the game {started.rules} is no longer configured")
        try:
            control = Controls.parse(started.control)
        except ControlError as error:
            raise UnplayableError(
                f"its time control {started.control!r} cannot be read here"
            ) from error
        try:
            pool_rules = replace(pool_rules, conduct=Conduct.parse(started.conduct))
        except ConductError as error:
            raise UnplayableError(f"its conduct cannot be read here: {error}") from error
        return Agreement(
            rules,
            control,
            started.start,
            started.rated,
            started.pool,
            pool_rules,
            started.opening,
            next((seat.level for seat in started.seats if seat.level is not None), None),
        )

    def give_up(self, number: int, why: str) -> None:
        """End an earlier server's game without a result."""
        LOG.warning("game not resumed", game=number, why=why)
        self._journal.note(GameFinished(number, Outcome(None, Reason.SERVER), why))

    def go_on(self, unfinished: Unfinished) -> None:
        """The times of an earlier server's game go on, whatever its clock was."""
        last = unfinished.history[-1].at if unfinished.history else unfinished.at
        self._journal.go_on(unfinished.started.game, last)

    def resume(
        self, unfinished: Unfinished, agreement: Agreement, sessions: Entrants, down: Downtime
    ) -> None:
        """Resume a stored game; its players are absent.

        Raises:
            UnplayableError: it cannot be resumed.
        """
        started, history = unfinished.started, unfinished.history
        steps = [fact for fact, _ in history if isinstance(fact, MovePlayed | Happened)]
        claims = self._settings.claims if started.claims is None else started.claims
        _remember_start(agreement.game, started.start, steps)
        try:
            position = opened(agreement.game, started.start, started.opening, claims=claims)
        except StartError as error:
            raise UnplayableError(f"its start or opening is no longer playable: {error}") from error
        game = self._game(started, position, agreement)
        table = self._seat_players(game, sessions, agreement)
        try:
            table.resume(steps, down.ms, thinking(history, down))
        except ContradictionError as error:
            LOG.error("stored game contradicts itself", game=started.game, why=str(error))  # noqa: TRY400
            raise UnplayableError(
                f"the stored facts of this game contradict each other: {error}"
            ) from error

    def discard(self, number: int) -> None:
        """The game was not resumed, or only half."""
        if (table := self.running.get(number)) is not None:
            self._remove(table)

    # Closing

    def leave(self, table: Table, at: float) -> list[Fact]:
        """The game goes on at another server; see `Table.leave`."""
        facts = table.leave(at)
        self._remove(table)
        return facts

    def _close(self, table: Table) -> None:
        """Called before the players are dismissed."""
        self._remove(table)
        if table.game.outcome is not None:
            self.finished[table.agreement.pool, table.game.outcome.reason.value] += 1
        self._ask_for_second_opinions(table)

    def _remove(self, table: Table) -> None:
        del self.running[table.id]
        self._journal.few = len(self.running) <= FEW
        table.spectators.close()
        for note in self.followers:
            note(table)
        if not self.running:
            self._emptied.set()
            self._emptied, self._begun = trio.Event(), trio.Event()

    def _ask_for_second_opinions(self, table: Table) -> None:
        """Ask both engines about the final position, the last that they got."""
        game = table.game
        referee = self._referees.get(game.started.rules)
        if referee is None or not referee.second_opinion or game.outcome is None:
            return
        if game.outcome.reason is Reason.GAME_RULE:
            for side, player in zip(Side, table.seats, strict=True):
                if player is not None:
                    player.ask(ENDED, partial(self._compare, game, side))

    def _compare(self, game: Game, side: Side, answers: tuple[str, ...]) -> None:
        """Report a difference: one of the two programs has the rules wrong."""
        assert game.outcome is not None
        if agrees(answers, game.outcome):
            return
        said = " ".join(quote(answer) for answer in answers)
        text = f"second opinion: gameover and result are {said}, of a game that ended"
        text = f"{text} {game.outcome.score} by the referee"
        LOG.warning("second opinion differs", game=game.id, player=game.seats[side].name, said=said)
        self._journal.note(Reported(game.id, len(game.moves), side, "player", text))


def _seated(session: Entrant, agreement: Agreement) -> Seat:
    """The player as recorded: with its rating in the pool, and a program of our servers with the
    level that was agreed on."""
    profile = session.profile
    assert profile is not None
    known = profile.ratings.get(agreement.pool)
    return structs.replace(
        session.seat,
        level=agreement.level if profile.of_server else None,
        rating=None if known is None else known.rating,
    )


def _remember_start(
    rules: Rules, start: str | None, steps: Iterable[MovePlayed | Happened]
) -> None:
    """Restore a referee's ruling on a start chosen by a player, as far as the facts tell."""
    if isinstance(rules, RefereedRules) and start not in rules.known:
        known = (s.side for s in steps if isinstance(s, MovePlayed) or s.what in OF_THE_MOVER)
        if (first := next(known, None)) is not None:
            rules.learn(start, Standing(first))
