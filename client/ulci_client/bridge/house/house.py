"""One player of a bot: its answers to challenges, and its acts when a game begins and ends."""

from collections.abc import Callable, Sequence
from typing import Any

from ulci.conduct import permits
from ulci.protocol.lobby.lines import (
    ChallengeDecline,
    ErrorLine,
    GameStart,
    Gone,
    IncomingChallenge,
    Line,
    ListedPlayer,
    MatchGame,
    MatchOver,
    Offer,
    OutgoingChallenge,
    PlayerList,
    Welcome,
)
from ulci.protocol.messages import (
    Abort,
    Accept,
    BestMove,
    Decline,
    FromClient,
    Go,
    Option,
    Position,
    Say,
    SetOption,
    Unseek,
)
from ulci_client.bot.decline_queue import DeclineQueue
from ulci_client.bot.engines import Met
from ulci_client.bridge.console import Console
from ulci_client.bridge.seeking import CycleStage, SeekCycle

from .game_search import GameSearch
from .manners import Manners
from .seat import Bot, Seat

# After a game that was aborted because of who came, before the next seek: the same opponent may
# wait for it.
PAUSE = 30.0

# Refusals of `accept`, and of `challenge`; any other refusal is about something else.
NOT_ACCEPTED = frozenset({"no-such-seek", "cannot-play", "busy", "closed", "moving", "too-fast"})
NOT_ASKED = frozenset(
    {
        *("no-such-player", "cannot-play", "busy", "closed", "moving", "too-fast"),
        *("too-many-challenges", "ignored", "too-many-strangers"),
    }
)

# Refusals of what needs no answer: a `decline` or an `unseek` that came too late, a greeting that
# nobody reads.
HARMLESS = frozenset(
    {
        *("no-such-challenge", "no-such-seek", "no-such-player"),
        *("not-heard", "ignored", "too-many-strangers"),
    }
)

Answer = tuple[list[FromClient], bool]
"""The messages that answer a line of the lobby, and whether the line is done with."""


class House:
    """The lobby side of one player. number: identifies the player."""

    def __init__(self, bot: Bot, number: int, seeking: SeekCycle, console: Console) -> None:
        self._bot = bot
        self._seeking = seeking
        self._console = console
        self._seat = Seat(bot, number, seeking, console)
        self._agreement = self._seat.agreement
        self._search = GameSearch(self._seat)
        self._manners = Manners(bot.config)
        self._declines = DeclineQueue()
        self._stranger = False  # whether the game that is on is with somebody whom we do not play

    def listen(self, on_engine: Callable[[], None], on_due: Callable[[], None]) -> None:
        """Call `on_engine` when another engine is wanted, and `on_due` when `due` has changed
        unasked."""
        self._seat.on_engine, self._search.on_due = on_engine, on_due

    # For the bridge

    @property
    def engine(self) -> int:
        """The number of the engine that plays next."""
        return self._seat.engine

    @property
    def due(self) -> float:
        """When to call `alarm`; inf: never."""
        return min(self._declines.due, self._search.due)

    @property
    def waits(self) -> bool:
        """Whether the player has agreed to no game, so that the engine may be replaced."""
        busy = self._agreement.challenge is not None or self._search.asked is not None
        return not busy and not self._seeking.in_game

    def own_move(self, position: Position, go: Go) -> BestMove | Go:
        """The move from a book or a tablebase; else the `go` for the engine."""
        met = self._manners.met
        return self._bot.own_moves.find("" if met is None else met.game, position, go)

    # Events

    def alarm(self, at: float) -> list[FromClient]:
        """`due` has come: the messages to send."""
        for line in self._bot.log.flush(at):
            self._console.note(line)
        return [*self._declines.take(at), *self._search.alarm(at)]

    def line_lost(self) -> None:
        """All challenges end with the connection; a game does not."""
        self._declines.clear()
        self._bot.ledger.left(self._seat.number)
        self._search.line_lost()
        self._agreement.line_lost()
        self._seeking.agreed = False
        if not self._seeking.in_game:
            self._seat.leave_game()

    def engine_up(self, number: int, offered: Sequence[Option]) -> list[FromClient]:
        """The engine of that number is ready: the messages for the server."""
        self._seat.running = number
        missing = self._manners.engine_up(self._bot.engines[number].settings.options, offered)
        if len(self._bot.engines) == 1:  # of several each may have its own
            for name in missing:
                self._console.warn(f"the engine has no option {name!r}, which [[options]] sets")
        return self._accept_now()

    def engine_down(self) -> None:
        self._seat.running = None

    def hear(self, line: Line, at: float) -> Answer:
        """A line of the lobby."""
        handler = _HANDLERS.get(type(line))
        return ([], False) if handler is None else handler(self, line, at)

    # A game

    def started(self, line: GameStart, opponent: str, at: float) -> list[FromClient]:
        """A new game begins."""
        agreed, asked = self._agreement.with_player(opponent), self._search.asked
        if asked is not None and asked.player.casefold() != opponent.casefold():
            asked = None
        kind = next((one.kind for one in (agreed, asked) if one is not None), self._sought_kind)
        may_refuse = agreed is None and asked is None and permits(line.conduct, "abort")
        self._forget_challenges()
        self._manners.met = Met(opponent, kind, line.game, line.time)
        now, ledger = self._bot.now(), self._bot.ledger
        found = Offer(line.id, opponent, kind, line.game, line.time, rated=line.rated)
        objection = self._bot.rules.meets(found, self._seat.state(), now) if may_refuse else None
        self._stranger = objection is not None
        if objection is not None:
            self._console.note(f"aborting game {line.id} with {opponent}: {objection.reason}")
            return [Say(objection.reason), Abort()]
        ledger.agreed(self._seat.number, opponent, kind)
        ledger.begun(self._seat.number, opponent, now)
        self._bot.changed(at)
        return self._manners.greet(self._bot.config.greeting.begin)

    @property
    def _sought_kind(self) -> str:
        """The kind of an opponent from a seek: known if the seek names one."""
        against = self._seeking.sought.against
        return "" if against == "any" else against

    def options(self) -> list[SetOption]:
        """The options for the engine in the game that begins."""
        return self._manners.options()

    def over(self, result: str, at: float) -> list[FromClient]:
        """The game is over."""
        if self._stranger:
            self._seeking.do_not_count()
        said = [] if self._stranger else self._manners.greet(self._bot.config.greeting.end, result)
        match = self._agreement.match
        if match is not None and (why := self._bot.rules.rests(self._bot.now())):
            self._console.note(f"ending the match against {match.player}: {why}")
            said += [Say(why), Unseek(match.id)]
        self.freed(at + PAUSE if self._stranger else at)
        return said

    def freed(self, at: float) -> None:
        """The player has no game any more; the next one of a match begins by itself."""
        self._manners.met, self._stranger = None, False
        self._seat.leave_game()
        if not self._await_match():
            self._search.idle(at)

    def _await_match(self) -> bool:
        match = self._agreement.await_next()
        if match is None:
            return False
        self._seat.agreed(match)
        self._seeking.agreed = True
        return True

    # Challenges to us

    def _welcomed(self, line: Welcome, at: float) -> Answer:
        self._manners.name = line.name
        self._bot.ledger.arrived(self._seat.number, line.name)
        self._search.welcomed(at)
        if not self._seeking.in_game:
            self._search.idle(at)
        return [], False

    def _challenged(self, line: IncomingChallenge, at: float) -> Answer:
        what = f"challenge {line.id} of {line.player} ({_terms(line)})"
        objection = self._bot.rules.decide(line, self._seat.state(), self._bot.now())
        if objection is not None:
            said = f"declined {what}: {objection.reason} [{objection.rule}]"
            late = self._bot.log.floods(line.player)
            for text in self._bot.log.line(line.player, said, at):
                self._console.note(text)
            self._declines.put(Decline(line.id, objection.reason), late=late)
            return [*self._declines.take(at)], True
        self._console.note(f"accepted {what}")
        self._seat.agreed(self._agreement.agree(line))
        self._bot.changed(at)
        self._seat.want_engine(line.game)
        return self._accept_now(), True

    def _accept_now(self) -> list[FromClient]:
        """Accept, now that the engine that will play is ready: the server does not wait long for a
        player."""
        challenge = self._agreement.challenge
        if challenge is None or self._agreement.accepted or not self._seat.has_engine:
            return []
        if not self._seat.free_stage:  # asked to leave meanwhile
            self._forget_challenges()
            self._seat.leave_game()
            return []
        self._agreement.accept()
        self._seeking.agreed = True
        return [Accept(challenge.id)]

    def _gone(self, line: Gone, at: float) -> Answer:
        self._declines.gone(line.id)
        challenge = self._agreement.challenge
        if challenge is not None and challenge.id == line.id and not self._agreement.accepted:
            self._disagreed("it was withdrawn", at)
        return [], False

    def _refused(self, line: ErrorLine, at: float) -> Answer:
        if self._seeking.stage is CycleStage.RETURNING:
            return [], False
        if self._agreement.accepted and line.code in NOT_ACCEPTED:
            self._disagreed(line.text, at)
            return [], True
        if (asked := self._search.asked) is not None and line.code in NOT_ASKED:
            return self._search.give_up(f"no game with {asked.player}: {line.text}", at), True
        return [], line.code in HARMLESS

    def _disagreed(self, why: str, at: float) -> None:
        """The challenge that we accepted leads to no game."""
        assert self._agreement.challenge is not None
        self._console.note(f"no game with {self._agreement.challenge.player}: {why}")
        self._agreement.withdraw()
        self._forget_challenges()
        self._seat.leave_game()
        self._search.idle(at)

    def _forget_challenges(self) -> None:
        """Forget all challenges: a game has begun, or none will. A match goes on."""
        self._agreement.clear()
        self._search.busy()
        self._seeking.agreed = False

    # Matches

    def _match_goes_on(self, line: MatchGame, _: float) -> Answer:
        self._agreement.match_goes_on(line)
        if not self._seeking.in_game:
            self._await_match()
        return [], False

    def _match_over(self, _: MatchOver, at: float) -> Answer:
        if self._agreement.match_over() and not self._seeking.in_game:
            self._forget_challenges()
            self._seat.leave_game()
            self._search.idle(at)
        return [], False


def _terms(line: IncomingChallenge) -> str:
    """``human, chess 300+3, rated``."""
    what = " ".join(filter(None, (line.game, line.time)))
    games = f"{line.games} games" if line.games > 1 else ""
    rated, start = "rated" if line.rated else "", "own start" if line.start else ""
    parts = (line.kind, what, games, rated, start)
    return ", ".join(filter(None, parts))


_HANDLERS: dict[type, Callable[[House, Any, float], Answer]] = {
    Welcome: House._welcomed,
    IncomingChallenge: House._challenged,
    Gone: House._gone,
    ErrorLine: House._refused,
    PlayerList: lambda house, line, at: house._search.list_begins(line, at),
    ListedPlayer: lambda house, line, at: house._search.listed(line, at),
    OutgoingChallenge: lambda house, line, at: house._search.challenging(line, at),
    ChallengeDecline: lambda house, line, at: house._search.declined(line, at),
    MatchGame: House._match_goes_on,
    MatchOver: House._match_over,
}
