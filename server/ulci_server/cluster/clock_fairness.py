"""What servers hold up costs no player time: one protocol, and its two sides.

The *owner* of a game keeps its clocks; the *edge* is the server of a player's line. For each turn
of a player elsewhere, `TurnAtOwner` and `TurnAtEdge` say what each of the two may assume. They know
no clock and send nothing: times (s) are arguments, and only durations are in messages. `Servers`
tells when others were not heard.

*Thinking is measured at the edge*, from the moment when the ``go`` was handed to the player's line
until the answer arrived there. The owner's clock runs from its own asking; the excess is given back
when the `Answer` says how long the player has thought. An `Ask` carries what the player has thought
before by the owner's clock, on another line or for another owner, and the edge adds to it. But of a
``go`` that never came here nobody has thought since the player came to the table: so much is taken
off again.

*A message that was lost* is said again by its sender when the bus tells of a gap; *one that is
doubled or said again* changes nothing. The edge keeps its answer until the next ``go``, and repeats
it when asked the same `number`, or looked after. The owner takes an answer only if `number` is that
of this turn, and `attempt` the number of answers to it that were refused: so an answer counts once,
and a person whose move was illegal can send another one. An `Ask` that the edge knows is swallowed,
and the player thinks on. That a player is away, with what held it up by then, is said again until
it is back; the owner hears it once.

*A message that is late* costs nobody: a flag does not fall by the owner's clock alone. When it is
due the owner asks (`Look`), and again and again until it hears how long the player has thought,
that it is not ready, or its answer. All that an edge says arrives in its order, so an answer that
came before the edge was asked is heard first. A player gains at most what messages were late: the
owner takes a word for said when it comes, so that its delay may be given back beside that of an
answer.

*A player who returns* has been asked nothing on its new line: it `returns` until it is `Back`. With
that, and when it is `Away`, its edge says what held it up: from when it was ready until it was
asked. The owner adds what it knows itself: for how long the line's ``go`` was under way, the first
time it was asked in this turn (a second asking gives nobody time), and when the edge was silent in
this turn. `Back` names its `link`: the `Expect` before it may be lost, and of that line the owner
then knows nothing. A line that breaks unnoticed, or with its server, leaves nobody who says when
its ``go`` came: the player pays for that way, which is shorter than what counts as silence. Of
silences those count that its edge has not explained since (`told_until`): who was asked before and
thinks while its edge is not heard pays for that. A return on the same server and one elsewhere
differ in one thing: if it comes elsewhere, and its last edge has not said that it left, that edge
may have died. Only silence until the end can show that, so the last edge is pinged, and its silence
counts if it is still silent when the player is `Back`.

*A server that is not heard* may live. After `NOT_HEARD` s its players' clocks stand since it was
heard last, as after its death, for players who were there or about to be: one who had left by
itself pays. When it is heard again its players are back, with what held them up.

*A new owner* knows what is stored: for it all are away, no answer was refused, and what it did not
say nobody needs to repeat. The edge says that its players are back, but for those who are not ready
yet; they think on, and an answer costs what was stored and what they think from then on, but never
more than they have thought here. An answer that the last owner may not have stored is repeated to
the new one, with its epoch. *A change of the lobby* delays returns alone: the player's server knows
since when a connection has waited for its seat, which counts as held up.

What servers held up is said as stretches of time, of which the clock takes the union, and none from
before it was started: so it is given back once, however often it is said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from msgspec.structs import replace

from ulci.protocol.messages import SetOption
from ulci.rules import Side
from ulci_server.game import Answered, Away, Back, Event, Game, Left, Span, Spans
from ulci_server.hall import Table

from . import messages as said
from .post import Servers

NOT_HEARD = 1.0
"""Seconds after which a server that says nothing is cut off: its players pay nothing since then."""


class Unheard:
    """When the servers where a player was were not heard in its turn, until it is `Back`."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._silent = Spans()
        self._doubted: dict[int, tuple[float, float]] = {}

    def was_silent(self, spans: Iterable[Span]) -> None:
        """One of the servers was not heard then, and was heard again or has died."""
        for begin, end in spans:
            self._silent.add(begin, end)

    def may_have_died(self, run: int, at: float, silence: float) -> None:
        """That server had said nothing for `silence` s at `at` (s). It has died if nothing has come
        since."""
        self._doubted.setdefault(run, (at, silence))

    def spans(self) -> tuple[Span, ...]:
        """All of it, to be asked when the player is `Back`."""
        doubted = self._doubted.items()
        died = (
            (at - silence, at)
            for run, (at, silence) in doubted
            if not self._servers.heard_since(run, at)
        )
        return (*self._silent, *died)


def unreachable(
    servers: Servers, game: Game, side: Side, heard_at: float, run: int, now: float
) -> Sequence[Span]:
    """When the player could not come back at server `run` in its turn, because that server was not
    heard: since its connection to this one said something last, at `heard_at` (s). That connection
    may have been broken from then on."""
    since = game.running_since
    if game.mover is not side or since is None:
        return ()
    return servers.silent(run, max(since, heard_at), now)


class TurnAtOwner:
    """What the owner of a game knows of the turn of a player at server `run`, by the line `link`. A
    player who has a table `joins` it before anything else is asked."""

    def __init__(self, servers: Servers, run: int, link: int) -> None:
        self.returns = False
        """Whether the player has its seat, and is not `Back` yet."""
        self.unheard = Unheard(servers)
        self._servers = servers
        self._run, self._link = run, link
        self._told_until = -inf  # until when (s) its server has said what held it up
        self._taken = (0, 0)  # a turn's number, and how many answers of this turn were judged
        # A turn's number, and when (s) this line was asked first in this turn.
        self._asked: tuple[int, float] | None = None
        self._table: Table
        self._side: Side

    def join(self, table: Table, side: Side) -> None:
        """The player is at this table."""
        self._table, self._side = table, side

    def follow(self, before: "TurnAtOwner") -> None:
        """The player had its seat by another line, or by this one: answers that were refused stay
        refused."""
        self._taken, self._told_until = before._taken, before._told_until
        if (before._run, before._link) == (self._run, self._link):
            self._asked = before._asked

    @property
    def is_there(self) -> bool:
        """Whether the player is at its server, or has its seat there and is about to be `Back`."""
        return self._side not in self._table.game.absent or self.returns

    # Asking

    def ask(self, now: float) -> tuple[int, int, float]:
        """The player is asked to move. Returns the turn's number, the attempt and what it has
        thought (s), as in `Ask`."""
        game = self._table.game
        number = game.turn_number
        if self._asked_at(number) is None:
            self._asked = number, now
        return number, self._attempt(number), game.thought(now)

    def ask_still(self) -> None:
        """The answer was an older one, said again: the next one has its number."""
        number, attempts = self._taken
        self._taken = number, attempts - 1

    def _asked_at(self, number: int) -> float | None:
        """When (s) this line was asked the `number`-th ``go`` first; None: it was not."""
        return self._asked[1] if self._asked is not None and self._asked[0] == number else None

    def _attempt(self, number: int) -> int:
        turn, attempts = self._taken
        return attempts if turn == number else 0

    # From its server

    def answer(self, message: said.Answer, now: float) -> Answered | None:
        """The answer to be judged. None: it was judged before, or by the last owner; or the player
        will be asked for it when it is back."""
        game, number = self._table.game, message.number
        if number != game.turn_number or game.searching is not self._side:
            return None
        if message.attempt != self._attempt(number):
            return None
        self._taken = number, message.attempt + 1
        late, earlier = game.read_late(now, message.thought)
        side, move = self._side, message.move
        return Answered(side, move, now, message.info, late, message.said, earlier)

    def happens(self, message: said.Happening, now: float) -> Event | None:
        """What has happened to the player, by the owner's time. None: it is known, and said again
        lest it be lost."""
        at, event = now - message.age, message.event
        cut_off = isinstance(event, Away) and event.cut_off_at is not None
        if isinstance(event, Away | Left) and not self.is_there and not cut_off:
            return None
        if isinstance(event, Away | Back):
            there = ((at + begin, at + end) for begin, end in event.delays)
            event = replace(event, delays=(*there, *self._delays(message, at)))
            self.returns = False
            self._told_until = self._told_until if message.number is None else at
        if cut_off:
            event = replace(event, cut_off_at=at)
        return replace(event, at=at)

    def _delays(self, message: said.Happening, at: float) -> Sequence[Span]:
        """When servers held the player up before `at` (s), by what is known here."""
        number = self._table.game.turn_number
        if message.number is None:
            return self._silent(at)
        asked_at, unheard = self._asked_at(number), self.unheard.spans()
        if asked_at is None or message.link not in (0, self._link):
            return unheard  # of this line, or of one whose `Expect` was lost, nothing is known
        # Its own server asked it later, or not at all; from then on it thought, unheard or not.
        reached_at = at - message.asked_before if message.number == number else at
        return (*((begin, min(end, reached_at)) for begin, end in unheard), (asked_at, reached_at))

    def looked(self, message: said.Looked, now: float) -> float | None:
        """For how many s the player's flag may not fall yet: not above 0 if it has thought for as
        long as it may, or is not ready. None: that is about another turn."""
        game = self._table.game
        if message.number != game.turn_number or not self._table.awaits_mover:
            return None
        return game.left_to_think(now, message.thought)

    # Its server is not heard

    def heard_until(self, now: float) -> float:
        """When (s) its server was heard last: `now`, unless it is silent. What the player thought
        since then only that server knows."""
        silence = self._servers.silence_of(self._run)
        return now - silence if silence > NOT_HEARD else now

    def cut_off(self, heard_at: float, now: float) -> None:
        """Nothing comes from the player's server since then (s): its clock stands, unless it had
        left that server by itself and is not about to be back there."""
        if self.is_there:
            before = self.unheard.spans() if self.returns else ()
            delays = (*before, *self._silent(heard_at))
            self._table.handle(Away(self._side, now, heard_at, delays))

    def goes_to(self, run: int, now: float) -> Unheard:
        """The player comes back at server `run`. Returns when it may not have been asked at the
        server where it was, or not have been heard; also where it was before, if it was not `Back`
        there yet."""
        silence, was_there = self._servers.silence_of(self._run), self.is_there
        if silence > NOT_HEARD:
            self.cut_off(now - silence, now)
        if self._table.game.mover is not self._side:
            return Unheard(self._servers)
        unheard = self.unheard if self.returns else Unheard(self._servers)
        unheard.was_silent(self._silent(now))
        if was_there and run != self._run:
            # It did not say that the player left it. If it says nothing before the player is asked
            # here, it has died, though nobody knows that yet.
            self._servers.send(self._run, said.Ping())
            unheard.may_have_died(self._run, now, silence)
        return unheard

    def _silent(self, until: float) -> tuple[Span, ...]:
        """When in the player's turn before `until` (s) its server was not heard, and has not said
        since what that held up."""
        since = self._table.game.running_since
        if self._table.game.mover is not self._side or since is None:
            return ()
        return (*self._servers.silent(self._run, max(since, self._told_until), until),)


@dataclass(slots=True)
class _OpenGo:
    """The last ``go`` of a player, from the owner with that epoch. reached_at: when (s) this line
    was asked for the move first. attempt: as in `Ask`. thought: s for which the player had thought
    about the move before. answer: kept until the next ``go``, as the owner may have died before it
    was stored."""

    number: int
    asked_at: float
    reached_at: float
    epoch: int
    attempt: int = 0
    thought: float = 0.0
    answer: said.Answer | None = None

    def thinking(self, at: float) -> float:
        """Seconds that the player has thought about this move at `at`."""
        return self.thought + max(0.0, at - self.asked_at)


class TurnAtEdge:
    """What the server of a player's line knows of the player's turn in a game elsewhere."""

    __slots__ = (
        "_game",
        "_go",
        "_gone",
        "_held_up",
        "_line",
        "_side",
        "_since",
        "_unasked",
        "returns",
    )

    def __init__(self, game: int, side: Side) -> None:
        self._game, self._side = game, side
        self._line = 0
        self._since = inf  # when (s) the player came to the table by its present line
        self._go: _OpenGo | None = None  # unless the player was not asked, or was told to stop
        self._gone: Away | Left | None = None  # said again to a new owner
        self._held_up = Spans()  # when servers held the player up in this turn, as known here
        self._unasked: float | None = None  # since when (s) it is back, and was not asked
        self.returns = False
        """Whether the player has its seat, and is not `Back` yet."""

    @property
    def waits_for_go(self) -> bool:
        """Whether the player is back, and was not asked since."""
        return self._go is None and self._unasked is not None

    @property
    def was_sent_away(self) -> bool:
        """Whether its server sent the player away."""
        return isinstance(self._gone, Away) and self._gone.cut_off_at is not None

    @property
    def answer(self) -> said.Answer | None:
        """To the last ``go``; its owner may not have it."""
        return None if self._go is None else self._go.answer

    # The player

    def seated(
        self, line: int, since: float, now: float, *, is_new: bool, returns: bool = False
    ) -> None:
        """The player is at its table since then (s) by that line, which is another one if `is_new`.
        returns: it will say when it is `Back`."""
        if is_new:
            self._hold_up_until(now)
        self._line, self._gone, self.returns, self._since = line, None, returns, since
        if returns:
            self._go = None

    def answers(
        self, answered: Answered, epoch: int, trip: float | None, *, may_repeat: bool
    ) -> said.Answer | None:
        """What the owner is told. None: it did not ask."""
        go = self._go
        if go is None:
            return None
        thought = go.thinking(answered.at - answered.late)
        go.answer = said.Answer(
            self._game,
            epoch,
            self._side,
            go.number,
            answered.move,
            thought,
            answered.info,
            answered.said,
            may_repeat,
            trip,
            go.attempt,
        )
        return go.answer

    def happens(self, event: said.FromElsewhere, epoch: int, now: float) -> said.Happening:
        """What the owner is told: with `Away` and `Back`, what held the player up, for whatever was
        said of it before may be lost."""
        if isinstance(event, Back):
            return self._is_back(event, epoch, now)
        if isinstance(event, Away):
            self._hold_up_until(event.at)
            event = replace(event, delays=(*self._held_up, *event.delays))
        if isinstance(event, Away | Left):
            self._gone = event
        return self._happening(event, epoch, now)

    def is_here(
        self, setup: tuple[SetOption, ...], key: str, epoch: int, now: float
    ) -> said.Happening:
        """What an owner is told that may have lost what was said: the player is at its table."""
        back = Back(self._side, now, setup, key)
        if self._unasked is None:
            return self._happening(back, epoch, now)
        return self._is_back(back, epoch, now)

    def is_gone(self, epoch: int, now: float) -> list[said.Answer | said.Happening]:
        """What an owner is told that may have lost it: the last answer of a player who is gone, and
        that it is. Nothing, if it is here."""
        if self._gone is None:
            return []
        gone, answer = self._happening(self._gone, epoch, now), self.answer_again(epoch)
        return [gone] if answer is None else [answer, gone]

    def answer_again(self, epoch: int) -> said.Answer | None:
        """The last answer, for an owner that may have lost it: said before all else, or its flag
        may fall. None: there is none."""
        go = self._go
        if go is None or go.answer is None:
            return None
        return replace(go.answer, epoch=epoch, attempt=go.attempt if go.epoch == epoch else 0)

    def _is_back(self, event: Back, epoch: int, now: float) -> said.Happening:
        self._hold_up_until(event.at)
        for begin, end in event.delays:
            self._held_up.add(begin, end)
        if self._go is None:
            self._unasked = event.at
        self._since, self.returns = event.at, False
        return self._happening(replace(event, delays=(*self._held_up,)), epoch, now)

    def _hold_up_until(self, at: float) -> None:
        """The player was not asked between its return and `at` (s)."""
        if self._unasked is not None:
            self._held_up.add(self._unasked, at)
            self._unasked = None

    def _happening(self, event: said.FromElsewhere, epoch: int, now: float) -> said.Happening:
        at, go = event.at, self._go
        number, asked_before = None, 0.0
        if isinstance(event, Away | Back):
            number = said.NO_GO if go is None else go.number
            asked_before = 0.0 if go is None else at - go.reached_at
            delays = tuple((begin - at, end - at) for begin, end in event.delays)
            event = replace(event, delays=delays)
        age = max(0.0, now - at)
        words = event, age, number, asked_before, self._line
        return said.Happening(self._game, epoch, self._side, *words)

    # Its owner

    def ask(self, message: said.Ask, now: float) -> bool:
        """Whether the player is to be asked. Otherwise it was asked that before, by this owner or
        the last one, and thinks on, or has given its `answer`."""
        go = self._go
        known = go if go is not None and go.number == message.number else None
        if known is not None:
            refused = message.epoch == known.epoch and message.attempt > known.attempt
            if not refused:
                self._think_on(known, message)
                return False
            # Since its answer it was not asked: the word of that may have been lost.
            answered = inf if known.answer is None else known.answer.thought
            thought, reached_at = min(message.thought, answered), known.reached_at
        else:  # the ``go`` may be one that was lost: then nobody thought about it here
            thought = max(0.0, message.thought - (now - min(self._since, now)))
            reached_at = now
            self._unasked, self._held_up = None, Spans()
        epoch, attempt = message.epoch, message.attempt
        self._go = _OpenGo(message.number, now, reached_at, epoch, attempt, thought)
        return True

    def _think_on(self, go: _OpenGo, message: said.Ask) -> None:
        go.epoch, go.attempt = message.epoch, message.attempt
        if go.answer is not None:
            go.answer = replace(go.answer, epoch=go.epoch, attempt=go.attempt)

    def adopt(self, number: int, epoch: int, thought: float, now: float) -> None:
        """A table of this server asked the player, who has thought for `thought` s; the game goes
        on elsewhere."""
        self._go = _OpenGo(number, now - thought, now - thought, epoch)

    def stop(self) -> None:
        """The player no longer owes an answer."""
        self._go = None

    def ask_still(self) -> None:
        """The answer was an older one, said again: the ``go`` is open."""
        if self._go is not None:
            self._go.answer = None

    def look(self, number: int, epoch: int, now: float) -> said.Looked | said.Answer | None:
        """What the owner is told, for whom the player's flag is about to fall in that turn. None:
        the player was asked something else."""
        go = self._go
        if self.returns:
            return said.Looked(self._game, epoch, self._side, number, inf)
        if go is None or go.number != number:
            return None
        return go.answer or said.Looked(self._game, epoch, self._side, number, go.thinking(now))
