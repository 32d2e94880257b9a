"""How one player of a bot keeps house: what it answers to challenges, and does when nobody comes.

Plain calls, no waiting; `bot` decides, this speaks with the lobby. All players of one bridge share
a `Bot`. Times in s, of the same clock as everywhere in the bridge; the rules need the local time.
"""

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from ulci.protocol import (
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
    Terms,
    Unseek,
)
from ulci.protocol.lobby.lines import (
    ChallengeDecline,
    ErrorLine,
    GameStart,
    Gone,
    IncomingChallenge,
    Line,
    ListedPlayer,
    MatchOver,
    OutgoingChallenge,
    PlayerList,
    Welcome,
)
from ulci_client.bot import rules
from ulci_client.bot.declines import DeclineQueue, LineLimit, Refusal
from ulci_client.bot.engines import EngineLine, Met, engine_for, games_of
from ulci_client.bot.ledger import Ledger
from ulci_client.bot.matchmaking import Candidate, Matchmaker
from ulci_client.bot.own_moves import OwnMoves
from ulci_client.bot.sections import Config

from .manners import Manners
from .own_challenges import OwnChallenges
from .seeking import SeekCycle, Stage
from .status import Console

# How often a free player looks at the hours, and whether it may seek.
TICK = 10.0

# After a game that was aborted because of who came, before the next seek: the same opponent may
# wait for it.
PAUSE = 30.0

# Refusals of `accept`, and of `challenge`; any other refusal is about something else.
NOT_ACCEPTED = frozenset({"no-such-seek", "cannot-play", "busy", "closed", "too-fast"})
NOT_ASKED = frozenset(
    {"no-such-player", "cannot-play", "busy", "closed", "too-fast", "too-many-challenges"}
)

# Refusals of what needs no answer: a `decline` or an `unseek` that came too late, a greeting that
# nobody reads.
HARMLESS = frozenset({"no-such-challenge", "no-such-seek", "no-such-player", "not-heard"})


class Bot:
    """What all players of a bot share. choose(n): a random number below n. now: the local time."""

    def __init__(
        self,
        config: Config,
        engines: Sequence[EngineLine],
        own_moves: OwnMoves,
        choose: Callable[[int], int],
        now: Callable[[], datetime],
    ) -> None:
        self.config = config
        self.engines = engines
        self.own_moves = own_moves
        self.choose = choose
        self.now = now
        self.rules = rules.Rules(config)
        self.ledger = Ledger()
        self.log = LineLimit()
        self.houses: list[House] = []

    def changed(self, at: float) -> None:
        """One of the players has begun a game, or is about to."""
        for house in self.houses:
            house.look_again(at)


class House:
    """One player's. `number` identifies it. `on_engine`: called when another engine is wanted;
    `on_due`: when `due` has changed unasked."""

    def __init__(self, bot: Bot, number: int, seeking: SeekCycle, console: Console) -> None:
        self.on_engine: Callable[[], None] = lambda: None
        self.on_due: Callable[[], None] = lambda: None
        self.engine = 0
        """The number of the engine that plays next."""
        self._bot = bot
        self._number = number
        self._seeking = seeking
        self._console = console
        self._name = ""
        self._declines = DeclineQueue()
        self._matchmaker = Matchmaker(bot.config, bot.choose)
        self._running: int | None = None  # the number of the engine that runs
        self._manners = Manners(bot.config)
        self._agreed: IncomingChallenge | None = None
        self._accepted = False  # whether `accept` was said for it
        self._match: IncomingChallenge | None = None  # accepted, and more games of it may come
        self._ours = OwnChallenges(self._matchmaker)
        self._tick = math.inf
        self._stranger = False  # whether that game is with somebody whom we do not play
        bot.houses.append(self)

    # What the bridge asks

    @property
    def due(self) -> float:
        """When to call `alarm`; inf: never."""
        return min(self._declines.due, self._tick, self._ours.due)

    @property
    def waits(self) -> bool:
        """Whether nothing is agreed to, so that the engine may be replaced."""
        return self._agreed is None and self._ours.asked is None and not self._seeking.in_game

    def own_move(self, position: Position, go: Go) -> BestMove | Go:
        """The move of a book or a table; else what to ask the engine."""
        met = self._manners.met
        return self._bot.own_moves.find("" if met is None else met.game, position, go)

    # What happens

    def alarm(self, at: float) -> list[FromClient]:
        """`due` has come: what to say."""
        said: list[FromClient] = [Decline(each.id, each.reason) for each in self._declines.take(at)]
        for line in self._bot.log.flush(at):
            self._console.note(line)
        if (asked := self._ours.asked) is not None and asked.until <= at:
            said += self._give_up(f"{asked.player} does not answer our challenge", at)
        if self._tick <= at:
            said += self._look(at)
            # What could not be done now is tried again, but not at once.
            next_look = self._matchmaker.due
            self._tick = next_look if at < next_look < at + TICK else at + TICK
        return said

    def line_lost(self) -> None:
        """All challenges end with the connection; a game does not."""
        self._declines.clear()
        self._bot.ledger.left(self._number)
        self._matchmaker.busy()
        self._clear_agreed()
        self._ours.forget_list()
        self._match, self._tick = None, math.inf
        if not self._seeking.in_game:
            self._bot.ledger.free(self._number)

    def engine_up(self, number: int, offered: Sequence[Option]) -> list[FromClient]:
        """The engine of that number is ready; what to say to the server."""
        self._running = number
        missing = self._manners.engine_up(self._bot.engines[number].settings.options, offered)
        if len(self._bot.engines) == 1:  # of several each may have its own
            for name in missing:
                self._console.warn(f"the engine has no option {name!r}, which [[options]] sets")
        return self._accept_now()

    def engine_down(self) -> None:
        self._running = None

    def hear(self, line: Line, at: float) -> tuple[list[FromClient], bool]:
        """What to answer, and whether nobody else needs to hear this line."""
        handler = _HANDLERS.get(type(line))
        return ([], False) if handler is None else handler(self, line, at)

    def started(self, line: GameStart, opponent: str, at: float) -> list[FromClient]:
        """A new game begins."""
        agreed, asked = self._agreed, self._ours.asked
        kind = next(
            (
                one.kind
                for one in (agreed, asked)
                if one is not None and one.player.casefold() == opponent.casefold()
            ),
            self._sought_kind,
        )
        by_chance = not any(
            one is not None and one.player.casefold() == opponent.casefold()
            for one in (agreed, asked)
        )
        self._clear_agreed()
        self._matchmaker.busy()
        self._manners.met = Met(opponent, kind, line.game, line.time)
        now, ledger = self._bot.now(), self._bot.ledger
        found = rules.Challenge(line.id, opponent, kind, line.game, line.time, line.rated)
        verdict = self._bot.rules.meets(found, self._state(), now) if by_chance else rules.ACCEPT
        self._stranger = isinstance(verdict, rules.Decline)
        if isinstance(verdict, rules.Decline):
            self._console.note(f"aborting game {line.id} with {opponent}: {verdict.reason}")
            return [Say(verdict.reason), Abort()]
        ledger.agreed(self._number, opponent, kind)
        ledger.begun(self._number, opponent, now)
        self._bot.changed(at)
        return self._manners.greet(self._bot.config.greeting.begin)

    def options(self) -> list[SetOption]:
        """What the engine is told for the game that begins."""
        return self._manners.options()

    def over(self, result: str, at: float) -> list[FromClient]:
        """The game is over."""
        if self._stranger:
            self._seeking.do_not_count()
        said = [] if self._stranger else self._manners.greet(self._bot.config.greeting.end, result)
        if self._match is not None and (why := self._bot.rules.rests(self._bot.now())):
            self._console.note(f"ending the match against {self._match.player}: {why}")
            said += [Say(why), Unseek(self._match.id)]
        self.freed(at + PAUSE if self._stranger else at)
        return said

    def freed(self, at: float) -> None:
        """There is no game any more."""
        self._manners.met, self._stranger = None, False
        self._bot.ledger.free(self._number)
        if self._match is None:
            self._idle(at)
        else:  # the next game of it comes by itself
            self._agree(self._match)
            self._accepted = self._seeking.agreed = True

    # Challenges to us

    def _welcomed(self, line: Welcome, at: float) -> tuple[list[FromClient], bool]:
        self._name = self._manners.name = line.name
        self._bot.ledger.arrived(self._number, line.name)
        self._tick = at
        if not self._seeking.in_game:
            self._idle(at)
        return [], False

    def _challenged(self, line: IncomingChallenge, at: float) -> tuple[list[FromClient], bool]:
        asked = rules.Challenge(
            line.id, line.player, line.kind, line.game, line.time, line.rated, line.start,
            line.games, line.color == "later",
        )  # fmt: skip
        what = f"challenge {line.id} of {line.player} ({_terms(line)})"
        verdict = self._bot.rules.decide(asked, self._state(), self._bot.now())
        if isinstance(verdict, rules.Decline):
            said = f"declined {what}: {verdict.reason} [{verdict.rule}]"
            late = self._bot.log.floods(line.player)
            for text in self._bot.log.line(line.player, said, at):
                self._console.note(text)
            self._declines.put(Refusal(line.id, verdict.reason), late=late)
            return [Decline(each.id, each.reason) for each in self._declines.take(at)], True
        self._console.note(f"accepted {what}")
        self._agree(line)
        self._bot.changed(at)
        self.engine = engine_for(line.game, self._bot.engines)
        if self._running != self.engine:
            self.on_engine()
        return self._accept_now(), True

    def _agree(self, line: IncomingChallenge) -> None:
        self._agreed, self._accepted = line, False
        self._bot.ledger.agreed(self._number, line.player, line.kind)

    def _accept_now(self) -> list[FromClient]:
        """Once the engine that is to play is ready: the server waits for nobody long."""
        if self._agreed is None or self._accepted or self._running != self.engine:
            return []
        if not self._free_stage:  # asked to leave meanwhile
            self._clear_agreed()
            self._bot.ledger.free(self._number)
            return []
        self._accepted = self._seeking.agreed = True
        if self._agreed.games > 1 or self._agreed.color == "later":
            self._match = self._agreed
        return [Accept(self._agreed.id)]

    def _match_over(self, _: MatchOver, at: float) -> tuple[list[FromClient], bool]:
        waiting, self._match = self._agreed is not None and self._agreed is self._match, None
        if waiting and not self._seeking.in_game:
            self._clear_agreed()
            self._bot.ledger.free(self._number)
            self._idle(at)
        return [], False

    def _gone(self, line: Gone, at: float) -> tuple[list[FromClient], bool]:
        self._declines.gone(line.id)
        if self._agreed is not None and self._agreed.id == line.id and not self._accepted:
            self._disagreed("it was withdrawn", at)
        return [], False

    def _refused(self, line: ErrorLine, at: float) -> tuple[list[FromClient], bool]:
        if self._seeking.stage is Stage.RETURNING:
            return [], False
        if self._accepted and line.code in NOT_ACCEPTED:
            self._disagreed(line.text, at)
            return [], True
        if (asked := self._ours.asked) is not None and line.code in NOT_ASKED:
            return self._give_up(f"no game with {asked.player}: {line.text}", at), True
        return [], line.code in HARMLESS

    def _disagreed(self, why: str, at: float) -> None:
        """No game comes of the challenge that we accepted."""
        assert self._agreed is not None
        self._match = None
        self._console.note(f"no game with {self._agreed.player}: {why}")
        self._clear_agreed()
        self._bot.ledger.free(self._number)
        self._idle(at)

    def _clear_agreed(self) -> None:
        self._agreed, self._accepted, self._ours.asked = None, False, None
        self._seeking.agreed = False

    def _state(self) -> rules.State:
        ledger, number = self._bot.ledger, self._number
        busy = self._agreed is not None or self._seeking.in_game or not self._free_stage
        return rules.State(
            games=games_of(self._bot.engines),
            seats=self._bot.config.concurrency,
            running=ledger.running(),
            busy=busy,
            free=next(ledger.free_names(number), ""),
            played=ledger.played(self._bot.now()),
            leaving=self._seeking.leaving,
            left=self._seeking.left,
        )

    # When nobody comes

    @property
    def _free_stage(self) -> bool:
        return self._seeking.stage in (Stage.WAITING, Stage.SEEKING)

    @property
    def _free(self) -> bool:
        """Whether it may look for a game: it waits, and its engine is ready."""
        return (
            self._seeking.stage is Stage.WAITING
            and self._agreed is None
            and self._ours.asked is None
            and not self._ours.lists
            and self._running is not None
        )

    def _look(self, at: float) -> list[FromClient]:
        """Seek, ask who is here, or rest."""
        if self._agreed is not None:
            return []
        self._ours.forget_list()
        state, only_people = self._state(), False
        if self._bot.rules.may_look(state, self._bot.now()):
            only_people = self._bot.rules.only_people(state)
            stays = self._seeking.sought.against == "human" or not only_people
        else:
            stays = False
        if self._seeking.stage is Stage.SEEKING and not stays:
            return self._seeking.rest()
        if not self._free or not (stays or only_people):
            return []
        if self._matchmaker.challenge_due <= at:
            return self._ours.look_around(at)
        if self._matchmaker.seek_due <= at:
            return self._seek(only_people=only_people)
        return []

    def _seek(self, *, only_people: bool) -> list[FromClient]:
        against = self._bot.config.seek.against
        if only_people and against == "engine":
            return []
        self.engine = engine_for(self._bot.config.seek.game or "", self._bot.engines)
        if self._running != self.engine:
            self.on_engine()
            return []  # at the next tick
        return self._seeking.seek("human" if only_people else against)

    @property
    def _sought_kind(self) -> str:
        """Of an opponent whom a seek brought: known if it named one."""
        against = self._seeking.sought.against
        return "" if against == "any" else against

    def _list(self, line: PlayerList, _: float) -> tuple[list[FromClient], bool]:
        self._ours.list_begins(line.count)
        return [], False

    def _listed(self, line: ListedPlayer, at: float) -> tuple[list[FromClient], bool]:
        return (self._challenge(at) if self._ours.list_goes_on(line) else []), False

    def _challenge(self, at: float) -> list[FromClient]:
        """All who are here are known."""
        if not self._free:
            return []
        state, now, bot = self._state(), self._bot.now(), self._bot

        def plays(one: Candidate, terms: Terms) -> bool:
            if one.name == self._name or bot.ledger.is_ours(one.name):
                return False
            found = rules.Challenge(0, one.name, one.kind, terms.game or "", terms.time or "")
            return bot.rules.meets(found, state, now) is rules.ACCEPT

        said = self._ours.challenge(plays, self._seeking.sought, at)
        for challenge in said:
            self._console.note(f"nobody came: challenging {challenge.name}")
            self._seeking.agreed = True
        return [*said]

    def _challenging(self, line: OutgoingChallenge, _: float) -> tuple[list[FromClient], bool]:
        self._ours.numbered(line.id)
        return [], False

    def _declined(self, line: ChallengeDecline, at: float) -> tuple[list[FromClient], bool]:
        if not self._ours.declined(line.id):
            return [], False
        why = f": {line.text}" if line.text else ""
        return self._give_up(f"{line.by} declines our challenge{why}", at), True

    def _give_up(self, why: str, at: float) -> list[FromClient]:
        """No game comes of our challenge."""
        self._console.note(why)
        said = self._ours.give_up()
        self._clear_agreed()
        self._idle(at)
        return said

    # Steps

    def look_again(self, at: float) -> None:
        """Another player of the bot has begun a game: seeks may have to change."""
        if self._tick < math.inf:
            self._tick = at
            self.on_due()

    def _idle(self, at: float) -> None:
        self._matchmaker.idle(at)
        self._tick = at


def _terms(line: IncomingChallenge) -> str:
    """``human, chess 300+3, rated``."""
    what = " ".join(filter(None, (line.game, line.time)))
    games = f"{line.games} games" if line.games > 1 else ""
    rated, start = "rated" if line.rated else "", "own start" if line.start else ""
    parts = (line.kind, what, games, rated, start)
    return ", ".join(filter(None, parts))


_Handler = Callable[[House, Any, float], tuple[list[FromClient], bool]]

_HANDLERS: dict[type, _Handler] = {
    Welcome: House._welcomed,
    IncomingChallenge: House._challenged,
    Gone: House._gone,
    ErrorLine: House._refused,
    PlayerList: House._list,
    ListedPlayer: House._listed,
    OutgoingChallenge: House._challenging,
    ChallengeDecline: House._declined,
    MatchOver: House._match_over,
}
