"""Delays between servers cost players no clock time: one protocol, and its two sides.

The *owner* of a game keeps its clocks; the *edge* is the server that has the player's connection.
For each player at another server, `TurnAtOwner` and `TurnAtEdge` keep what each of the two knows of
the turn. They read no clock: times (s) are arguments, and messages carry only durations. They send
nothing but a `Ping`. `Servers` tells when other servers were silent.

*Thinking is measured at the edge*, from handing the ``go`` to the player's connection until the
answer arrives there. The owner's clock runs from its own asking; when the `Answer` says how long
the player thought, the owner gives the excess back. An `Ask` carries what the player has thought
about this move so far by the owner's clock, on another connection or for another owner, and the
edge adds to it. If the ``go`` has not reached this connection before, the edge first subtracts the
time since the player came to the table: the player was not thinking then.

*A lost message* is sent again when the bus reports the gap; *a repeated one* changes nothing. The
edge keeps its answer until the next ``go``, and repeats it after an `Ask` or a `Look` with the same
`number`. The owner accepts an answer only if `number` is that of this turn, and `attempt` the
number of answers that it refused in this turn: so an answer counts once, and a person whose move
was illegal can send another one. The edge ignores an `Ask` that it knows, and the player thinks on.
The edge also repeats that a player is away, with what had held the player up by then; the owner
counts it once.

*A late message* costs nobody time: a flag does not fall by the owner's clock alone. When it is due,
the owner asks the edge (`Look`) again and again, until it receives how long the player has thought,
that the player is not ready, or the answer. Messages of an edge arrive in order, so an answer that
reached the edge before the `Look` comes first. A player gains at most the delays of messages: the
owner dates a message by its arrival, so its delay may be given back in addition to that of an
answer.

*A player who returns* has been asked nothing on the new connection: it `returns` until its `Back`.
With `Back` and `Away` the edge reports what held the player up: the time from when it was ready
until it was asked. The owner adds what it knows itself: how long the ``go`` took to this
connection, counted once a turn, and when the edge was silent in this turn. Both events name the
connection (`link`): its `Expect` may be lost, and then the owner knows nothing of it. If a
connection breaks unnoticed, or with its server, nobody can say when its ``go`` arrived: the player
pays for that transit, which is shorter than what counts as silence. Silence counts only since the
edge last reported what held the player up (`_told_until`): a player who was asked before and thinks
while its edge is silent pays for that. A return at another server differs in one point from one at
the same: if the last edge has not reported that the player left, that edge may have died. Only
silence without an end can show that, so the owner pings the last edge, and counts its silence if it
is still silent when the player is `Back`.

*A silent server* may be alive. If a player returns elsewhere, or the game is released, after more
than `NOT_HEARD` s of silence, or if the silence exceeds `election.WITHDRAW`, the player's clock
stops at the last message of its server, as it does if that server is declared dead. This holds for
players who were there or about to be `Back`; one who had left on its own pays. When the server is
heard again its players are back, and it reports what held them up.

*A new owner* knows what is stored: for it all players are away, and no answer was refused. The edge
reports that its players are back, except those who are not ready yet. They think on; an answer
costs what was stored and what they think from then on, but never more than they have thought here.
An answer that the last owner may not have stored is repeated to the new one, with its epoch. *A
change of the lobby's host* delays only returns: the player's server knows how long a connection has
waited for its seat, and counts that as held up.

Delays are reported as spans of time. The clock takes their union, and nothing from before it was
started: a delay is given back once, however often it is reported.
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
"""Seconds of silence after which a server counts as cut off when one of its players returns
elsewhere, or a game of theirs is released: they pay nothing since its last message."""


class Unheard:
    """When the servers of a player who is not `Back` yet were silent in its turn."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._silent = Spans()
        self._doubted: dict[int, tuple[float, float]] = {}

    def was_silent(self, spans: Iterable[Span]) -> None:
        """One of the servers was silent in these spans, and was heard again or has died."""
        for begin, end in spans:
            self._silent.add(begin, end)

    def may_have_died(self, run: int, at: float, silence: float) -> None:
        """At `at` (s) that server had been silent for `silence` s. If nothing has come since, it
        has died."""
        self._doubted.setdefault(run, (at, silence))

    def spans(self) -> tuple[Span, ...]:
        """All silences as known now. Call it when the player is `Back`."""
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
    """When in its turn the player could not come back at server `run`, because that server was
    silent: spans since `heard_at` (s), when the player's connection to this server last sent
    something. It may have been broken from then on."""
    since = game.running_since
    if game.mover is not side or since is None:
        return ()
    return servers.silent(run, max(since, heard_at), now)


class TurnAtOwner:
    """What the owner of a game knows of the turn of a player at server `run` with the connection
    `link`. Call `join` before all else that needs the table."""

    def __init__(self, servers: Servers, run: int, link: int) -> None:
        self.returns = False
        """Whether the player has its seat, and is not `Back` yet."""
        self.unheard = Unheard(servers)
        self._servers = servers
        self._run, self._link = run, link
        self._told_until = -inf  # up to when (s) its server reported what held it up
        self._taken = (0, 0)  # a turn's number, and how many answers of this turn were judged
        # A turn's number, and when (s) this connection was first asked in it.
        self._asked: tuple[int, float] | None = None
        self._table: Table
        self._side: Side

    def join(self, table: Table, side: Side) -> None:
        """The player is at this table."""
        self._table, self._side = table, side

    def follow(self, before: "TurnAtOwner") -> None:
        """The player had its seat by the connection `before`, which may be this one: refused
        answers stay refused."""
        self._taken, self._told_until = before._taken, before._told_until
        if (before._run, before._link) == (self._run, self._link):
            self._asked = before._asked

    @property
    def is_there(self) -> bool:
        """Whether the player is at its server, or has its seat there and is about to be `Back`."""
        return self._side not in self._table.game.absent or self.returns

    # Asking

    def ask(self, now: float) -> tuple[int, int, float]:
        """Note that the player is asked to move. Returns the turn's number, the attempt and what
        the player has thought so far (s), as in `Ask`."""
        game = self._table.game
        number = game.turn_number
        if self._asked_at(number) is None:
            self._asked = number, now
        return number, self._attempt(number), game.thought(now)

    def ask_still(self) -> None:
        """The answer repeated an older move: the next answer has its attempt."""
        number, attempts = self._taken
        self._taken = number, attempts - 1

    def _asked_at(self, number: int) -> float | None:
        """When (s) this connection was first asked the `number`-th ``go``; None: it was not."""
        return self._asked[1] if self._asked is not None and self._asked[0] == number else None

    def _attempt(self, number: int) -> int:
        turn, attempts = self._taken
        return attempts if turn == number else 0

    # From its server

    def answer(self, message: said.Answer, now: float) -> Answered | None:
        """The answer to be judged. None: it was judged before, here or by the last owner; or the
        player is away, and is asked again when it is back."""
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
        """The event of the player, in the owner's time. None: it is a repeated one."""
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
        """When servers held the player up before `at` (s), as far as it is known here."""
        number = self._table.game.turn_number
        if message.number is None:
            return self._silent(at)
        asked_at, unheard = self._asked_at(number), self.unheard.spans()
        if asked_at is None or message.link not in (0, self._link):
            return unheard  # it was not asked, or by a connection whose `Expect` was lost
        # Its own server asked it later, or not at all. Once asked it thinks, even if its server is
        # silent.
        reached_at = at - message.asked_before if message.number == number else at
        return (*((begin, min(end, reached_at)) for begin, end in unheard), (asked_at, reached_at))

    def looked(self, message: said.Looked, now: float) -> float | None:
        """Seconds until the player's flag may fall; 0 or less: it has thought for as long as it
        may, or is not ready. None: the message is about another turn."""
        game = self._table.game
        if message.number != game.turn_number or not self._table.awaits_mover:
            return None
        return game.left_to_think(now, message.thought)

    # Its server is silent

    def heard_until(self, now: float) -> float:
        """When (s) its server was heard last: `now`, unless it is silent. Only that server knows
        what the player has thought since."""
        silence = self._servers.silence_of(self._run)
        return now - silence if silence > NOT_HEARD else now

    def cut_off(self, heard_at: float, now: float) -> None:
        """The player's server is silent since `heard_at` (s): the player's clock stops, unless the
        player had left that server on its own and is not about to be back there."""
        if self.is_there:
            before = self.unheard.spans() if self.returns else ()
            delays = (*before, *self._silent(heard_at))
            self._table.handle(Away(self._side, now, heard_at, delays))

    def goes_to(self, run: int, now: float) -> Unheard:
        """The player comes back at server `run`. Returns when the server where it was was silent,
        or may not have asked it; and the same of those before, if it was not `Back` yet."""
        silence, was_there = self._servers.silence_of(self._run), self.is_there
        if silence > NOT_HEARD:
            self.cut_off(now - silence, now)
        if self._table.game.mover is not self._side:
            return Unheard(self._servers)
        unheard = self.unheard if self.returns else Unheard(self._servers)
        unheard.was_silent(self._silent(now))
        if was_there and run != self._run:
            # It did not report that the player left. If it stays silent until the player is asked
            # here, it has died, though nobody knows that yet.
            self._servers.send(self._run, said.Ping())
            unheard.may_have_died(self._run, now, silence)
        return unheard

    def _silent(self, until: float) -> tuple[Span, ...]:
        """When in the player's turn before `until` (s) its server was silent, and has not reported
        since what that held up."""
        since = self._table.game.running_since
        if self._table.game.mover is not self._side or since is None:
            return ()
        return (*self._servers.silent(self._run, max(since, self._told_until), until),)


@dataclass(slots=True)
class _OpenGo:
    """The last ``go`` of a player, from the owner with that epoch. reached_at: when (s) this
    connection was first asked for the move. attempt: as in `Ask`. thought: what the player had
    thought about the move before (s). answer: kept until the next ``go``, as the owner may have
    died before it was stored."""

    number: int
    asked_at: float
    reached_at: float
    epoch: int
    attempt: int = 0
    thought: float = 0.0
    answer: said.Answer | None = None

    def thinking(self, at: float) -> float:
        """What the player has thought about this move by `at` (s), in s."""
        return self.thought + max(0.0, at - self.asked_at)


class TurnAtEdge:
    """What the server of a player's connection knows of the player's turn in a game elsewhere."""

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
        self._since = inf  # when (s) the player came to the table by its connection
        self._go: _OpenGo | None = None  # None: it was not asked, or was stopped
        self._gone: Away | Left | None = None  # kept to be repeated
        self._held_up = Spans()  # when servers held the player up in this turn, as known here
        self._unasked: float | None = None  # since when (s) it has been back without being asked
        self.returns = False
        """Whether the player has its seat, and is not `Back` yet."""

    @property
    def waits_for_go(self) -> bool:
        """Whether the player is back and has not been asked since."""
        return self._go is None and self._unasked is not None

    @property
    def was_sent_away(self) -> bool:
        """Whether its server disconnected the player, as it was cut off."""
        return isinstance(self._gone, Away) and self._gone.cut_off_at is not None

    @property
    def answer(self) -> said.Answer | None:
        """To the last ``go``; its owner may not have it."""
        return None if self._go is None else self._go.answer

    # The player

    def seated(
        self, line: int, since: float, now: float, *, is_new: bool, returns: bool = False
    ) -> None:
        """The player is at its table since `since` (s) by the connection `line`. is_new: it had
        another one before. returns: it will report when it is `Back`."""
        if is_new:
            self._hold_up_until(now)
        self._line, self._gone, self.returns, self._since = line, None, returns, since
        if returns:
            self._go = None

    def answers(
        self, answered: Answered, epoch: int, trip: float | None, *, may_repeat: bool
    ) -> said.Answer | None:
        """The message to the owner. None: no ``go`` is open."""
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
        """The message to the owner. `Away` and `Back` carry all that held the player up, as earlier
        reports of it may be lost."""
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
        """The message to an owner that may have missed others: the player is at its table."""
        back = Back(self._side, now, setup, key)
        if self._unasked is None:
            return self._happening(back, epoch, now)
        return self._is_back(back, epoch, now)

    def is_gone(self, epoch: int, now: float) -> list[said.Answer | said.Happening]:
        """The messages to an owner that may have missed them: the last answer of a player who is
        gone, and that it is gone. Empty if it is here."""
        if self._gone is None:
            return []
        gone, answer = self._happening(self._gone, epoch, now), self.answer_again(epoch)
        return [gone] if answer is None else [answer, gone]

    def answer_again(self, epoch: int) -> said.Answer | None:
        """The last answer, for an owner that may have missed it. Send it first, or the flag may
        fall. None: there is none."""
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
        """Note that the player was not asked between its return and `at` (s)."""
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
        """Whether to ask the player. Otherwise it was asked this before, by this owner or the last
        one, and thinks on or has given its `answer`."""
        go = self._go
        known = go if go is not None and go.number == message.number else None
        if known is not None:
            refused = message.epoch == known.epoch and message.attempt > known.attempt
            if not refused:
                self._think_on(known, message)
                return False
            # It was not asked since its answer: the refusal of that may be lost.
            answered = inf if known.answer is None else known.answer.thought
            thought, reached_at = min(message.thought, answered), known.reached_at
        else:  # an earlier copy of the ``go`` may be lost: nobody thought about it here
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
        """A table of this server asked the player, who has thought for `thought` s. The game goes
        on at another server."""
        self._go = _OpenGo(number, now - thought, now - thought, epoch)

    def stop(self) -> None:
        """The player no longer owes an answer."""
        self._go = None

    def ask_still(self) -> None:
        """The answer repeated an older move: the ``go`` is open again."""
        if self._go is not None:
            self._go.answer = None

    def look(self, number: int, epoch: int, now: float) -> said.Looked | said.Answer | None:
        """The message to the owner, by whose clock the player's flag is about to fall in that turn.
        None: the player was asked something else."""
        go = self._go
        if self.returns:
            return said.Looked(self._game, epoch, self._side, number, inf)
        if go is None or go.number != number:
            return None
        return go.answer or said.Looked(self._game, epoch, self._side, number, go.thinking(now))
