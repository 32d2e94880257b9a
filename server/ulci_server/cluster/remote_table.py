"""A table at another server, as its players and watchers here know it."""

import math
from collections.abc import Callable
from dataclasses import replace as changed
from functools import partial
from typing import Literal, cast

import trio
from msgspec.structs import replace

from ulci.protocol import Unread, read_info_untrusted
from ulci.protocol.lobby.lines import GameOver
from ulci.protocol.messages import FromServer, Info, Lobby, Position, Resign
from ulci.rules import Needs, Side
from ulci_server.game import (
    Answered,
    Away,
    Back,
    Commanded,
    Event,
    Game,
    GameStarted,
    Left,
    Seat,
)
from ulci_server.hall import LocalSeat
from ulci_server.hall.table.engine_options import engine_options
from ulci_server.hall.table.interfaces import AdminRuling, SeatedPlayer, snapshot
from ulci_server.hall.table.spectators import Spectators, Watcher
from ulci_server.hall.table.state import LatestMove, TableState
from ulci_server.lobby import Agreement, lobby_lines

from . import messages as said
from .post import Post
from .questions import Questions
from .remote_seat import OpenGo, RemoteSeat

ANSWERED = 2.0
"""Seconds within which the owner answers a ruling."""

PACE = 0.5
"""Seconds between two analyses of one player that the owner of the game is sent."""


class RemoteTable:
    """The game `started`, played at `owner` (a run). `owner` is 0 while nobody owns it: what
    players say then is lost, except the answer to the last ``go`` and that they resign, and their
    lines wait."""

    def __init__(
        self,
        post: Post,
        owner: int,
        epoch: int,
        started: GameStarted,
        agreement: Agreement,
        spectators: Spectators,
        now: Callable[[], float] = trio.current_time,
    ) -> None:
        self.id = started.game
        self.started = started
        self.agreement = agreement
        self.owner, self.epoch = owner, epoch
        self.spectators = spectators
        """Those who watch it here."""
        self.here: dict[Side, LocalSeat] = {}
        """The players whose connections are here."""
        self._seats = RemoteSeat(), RemoteSeat()
        self._post = post
        self._now = now
        self.plies = 0
        """Moves made, as far as it is known here."""
        self.players = (0, 0)
        """The servers where White and Black are, or were last; 0 where it is not known here."""
        self._over: Lobby | None = None
        self._told_over = False  # whether the watchers here were
        self._latest: LatestMove | None = None
        self._state: TableState | None = None  # as the owner said last, while it is followed
        self._state_at = 0.0
        self._rulings = Questions[int | None]()

    # From players

    def answered(self, answered: Answered, *, may_repeat: bool) -> None:
        question = self._seats[answered.side].question
        if question is None:
            return  # no ``go`` came from the present owner
        arrived = answered.at - answered.late
        player = self.here.get(answered.side)
        question.answer = said.Answer(
            self.id,
            self.epoch,
            answered.side,
            question.number,
            answered.move,
            question.thinking(arrived),
            answered.info,
            answered.said,
            may_repeat,
            None if player is None else player.round_trip(),
            question.attempt,
        )
        self._send(question.answer)

    def answered_late(self, side: Side, move: str) -> None:
        self._send(said.LateAnswer(self.id, self.epoch, side, move))

    def report(self, side: Side, source: Literal["player", "server"], text: str) -> None:
        self._send(said.Complaint(self.id, self.epoch, side, source, text))

    def add_info(self, side: Side, analysis: Unread | Info) -> None:
        """Newest wins; not oftener than every `PACE` s."""
        now, seat = self._now(), self._seats[side]
        if now < seat.info_sent_at + PACE:
            return
        seat.info_sent_at = now
        info = read_info_untrusted(analysis.line) if isinstance(analysis, Unread) else analysis
        if info is not None:
            self._send(said.Thought(self.id, self.epoch, side, info))

    def tell_state(self, side: Side, state: Literal["hung", "thinking"]) -> None:
        self._send(said.State(self.id, self.epoch, side, state))

    def say(self, side: Side, line: Lobby) -> bool:
        self._send(said.Chat(self.id, self.epoch, side, line))
        return True  # otherwise the owner says so

    def handle(self, event: Event) -> None:
        if isinstance(event, Back):
            self._is_back(event)
            return
        if isinstance(event, Commanded) and isinstance(event.command, Resign):
            self._seats[event.side].resigned = event
        elif isinstance(event, Away):
            held_up = self._seats[event.side].held_up_until(event.at)
            event = replace(event, delays=(*held_up, *event.delays))
        if isinstance(event, Away | Left):
            self._seats[event.side].gone = event
        self._happens(cast("said.FromElsewhere", event))

    def _is_back(self, event: Back) -> None:
        """The player is at its table. It says with that what held it up, for whatever was said of
        it before may be lost."""
        seat = self._seats[event.side]
        seat.is_back(event)
        self._happens(replace(event, delays=(*seat.held_up,)))

    def _happens(self, event: said.FromElsewhere) -> None:
        at, age = event.at, max(0.0, self._now() - event.at)
        number, asked_before = None, 0.0
        if isinstance(event, Away | Back):
            question = self._seats[event.side].question
            number = said.NO_GO if question is None else question.number
            asked_before = 0.0 if question is None else at - question.reached_at
            delays = tuple((begin - at, end - at) for begin, end in event.delays)
            event = replace(event, delays=delays)
        self._send(
            said.Happening(self.id, self.epoch, event.side, event, age, number, asked_before)
        )

    async def rule(self, ruling: AdminRuling) -> int | None:
        """None: no answer came within `ANSWERED` s."""
        send = partial(self._send_ruling, ruling)
        return await self._rulings.ask(send, ANSWERED)

    def _send_ruling(self, ruling: AdminRuling, number: int) -> None:
        self._send(said.Ruling(self.id, self.epoch, ruling, number))

    def ruling_heard(self, message: said.RulingHeard) -> None:
        """The owner answers."""
        self._rulings.hear(message.number, message.changed)

    def expect(self, side: Side, player: SeatedPlayer) -> None:
        seat = cast("LocalSeat", player)
        self.seated(side, seat, self._now())
        self._seats[side].returning, self._seats[side].question = True, None
        self._send(said.Expect(self.id, self.epoch, side, self._post.link(seat)))

    def show_thoughts(self, side: Side, *, wanted: bool) -> None:
        self._send(said.ShowThoughts(self.id, self.epoch, side, wanted))

    # From watchers

    def watch(self, watcher: Watcher) -> None:
        if not len(self.spectators) or self.spectators.over:
            self.spectators.over = self._over is not None
            self._send(said.Follow(self.id, wanted=True))
        self.spectators.join(watcher)

    def unwatch(self, watcher: Watcher) -> None:
        if watcher not in self.spectators:
            return
        self.spectators.leave(watcher)
        if not len(self.spectators):
            self._send(said.Follow(self.id, wanted=False))
            if self._over is None:
                self._state = self.spectators.position = None

    def refuse_watchers(self, why: str) -> None:
        """The owner cannot tell them of the game: let them go."""
        text = f"game {self.id} cannot be watched from here: {why}"
        self.spectators.send(lobby_lines.error("not-watching", text))
        self.spectators.close()

    def snapshot(self) -> tuple[FromServer, ...]:
        """Nothing, if the owner has been asked only now: it tells all who watch here. Nor while
        there is none: others may have been told more than is known here."""
        state = self.state() if self.owner else None
        return () if state is None else snapshot(self, state)

    # State

    def listed(self) -> Lobby:
        return lobby_lines.playing(self.started, self.plies)

    def heading(self) -> Lobby:
        return lobby_lines.watching(self.started, self.plies)

    def state(self) -> TableState | None:
        """What the owner told last, with the clock that has run since; while there is no owner,
        none runs. None unless somebody watches here, and for a moment then."""
        told = self._state
        if told is None or told.running is None or self._over is not None:
            return told
        if not self.owner:
            return changed(told, running=None)
        passed = round(1000 * (self._now() - self._state_at))
        clocks, white = told.clocks, told.running is Side.WHITE
        left = clocks.wtime if white else clocks.btime
        if left is None:
            return told
        left = max(0, left - passed)
        ticked = replace(clocks, wtime=left) if white else replace(clocks, btime=left)
        return changed(told, clocks=ticked)

    def latest(self) -> LatestMove | None:
        return self._latest

    @property
    def over(self) -> Lobby | None:
        return self._over

    def seated(self, side: Side, player: LocalSeat, since: float) -> None:
        """The player is at its table by this connection, since then (s)."""
        seat = self._seats[side]
        if self.here.get(side) is not player:
            seat.held_up_until(self._now())
            seat.introduced = False
        seat.gone, seat.returning, seat.since = None, False, since
        self.here[side] = player

    def seat(self, side: Side) -> Seat:
        return self.started.seats[side]

    def needs(self) -> Needs:
        return self.agreement.game.needs(self.agreement.start)

    # From the owner

    def ask(self, side: Side, message: said.Ask) -> None:
        """The player is asked to move, unless it was asked that before, by this owner or the last
        one: then it thinks on, or its answer is sent again."""
        seat = self._seats[side]
        question = seat.question
        asked_before = question is not None and question.number == message.number
        if question is not None and asked_before:
            refused = message.epoch == question.epoch and message.attempt > question.attempt
            if not refused:
                self._go_on(question, message)
                return
        player = self.here[side]
        player.stop_search()
        player.ask_move(message.position, message.go)
        now = self._now()
        if question is not None and asked_before:
            before, reached_at = message.thought, question.reached_at
        else:  # the ``go`` may be one that was lost: then nobody thought about it here
            before = max(0.0, message.thought - (now - min(seat.since, now)))
            reached_at = now
            seat.nothing_held_up()
        seat.question = OpenGo(
            message.number,
            message.position,
            now,
            reached_at,
            message.epoch,
            message.attempt,
            before,
        )

    def _go_on(self, question: OpenGo, message: said.Ask) -> None:
        question.epoch, question.attempt = message.epoch, message.attempt
        if question.answer is not None:
            question.answer = replace(question.answer, epoch=message.epoch, attempt=message.attempt)
            self._send(question.answer)

    def adopt(self, side: Side, game: Game) -> None:
        """The player thinks since it was asked by a table of this server."""
        asked_at = self._now() - game.thought(self._now())
        position = Position(self.started.start, tuple(game.moves))
        question = OpenGo(game.turn_number, position, asked_at, asked_at, self.epoch)
        self._seats[side].question = question

    def introduced(self, side: Side) -> None:
        """The player's program was told that a game begins, and with which options."""
        self._seats[side].introduced = True

    def stop(self, side: Side) -> None:
        """The player no longer owes an answer."""
        self._seats[side].question = None

    def still_asked(self, side: Side) -> None:
        """The answer was an older one, said again: the ``go`` is open."""
        if (question := self._seats[side].question) is not None:
            question.answer = None

    def look(self, side: Side, number: int) -> None:
        """Tell the owner that the player has not answered, or is not ready to be asked; or its
        answer, or that it is back, once more."""
        seat, player = self._seats[side], self.here.get(side)
        question = seat.question
        if question is None and player is not None and seat.unasked_since is not None:
            self.rejoin(side, player)
        elif seat.returning:
            self._send(said.Looked(self.id, self.epoch, side, number, math.inf))
        elif question is None or question.number != number:
            return
        elif question.answer is not None:
            self._send(question.answer)
        else:
            thought = question.thinking(self._now())
            self._send(said.Looked(self.id, self.epoch, side, number, thought))

    def move_to(self, owner: int, epoch: int) -> None:
        """The game has a new owner, or what was said to its owner may be lost: its players here are
        at their table again, and think on. For a new owner everybody is away: it is not told of who
        left by itself."""
        is_new = (owner, epoch) != (self.owner, self.epoch)
        self.owner, self.epoch = owner, epoch
        if is_new:
            self._state = None  # it may be older than what the owner knows
        for side, player in self.here.items():
            if player.profile is None:
                continue
            if not player.gone:
                self.rejoin(side, player)
            elif self._seats[side].was_sent_away:
                self._take_seat_again(side, player)
                self.say_gone_again(side)
            elif not is_new:
                self.say_gone_again(side)
        if len(self.spectators):
            self._send(said.Follow(self.id, wanted=True))

    def say_gone_again(self, side: Side) -> bool:
        """The player's last answer, and that it is gone, may be lost. False: it is not gone."""
        gone, question = self._seats[side].gone, self._seats[side].question
        if gone is None:
            return False
        if question is not None and question.answer is not None:
            attempt = question.attempt if question.epoch == self.epoch else 0
            self._send(replace(question.answer, epoch=self.epoch, attempt=attempt))
        self._happens(gone)
        return True

    def rejoin(self, side: Side, player: LocalSeat) -> None:
        """The player is at its table, whatever its owner said that was lost."""
        assert player.profile is not None
        self._take_seat_again(side, player)
        seat = self._seats[side]
        # It may be thinking about its first move, and be told nothing but to stop.
        setup = (
            ()
            if seat.introduced
            else engine_options(player.profile, self.seat(side.other), self.agreement)
        )
        back = Back(side, self._now(), setup, player.key)
        if seat.unasked_since is None:
            self._happens(back)
        else:
            self._is_back(back)
        if seat.resigned is not None:
            self.handle(seat.resigned)

    def _take_seat_again(self, side: Side, player: LocalSeat) -> None:
        link = self._post.link(player)
        self._send(said.Expect(self.id, self.epoch, side, link, again=True, gone=player.gone))

    def feed(self, fed: said.Feed) -> None:
        """Tell the watchers here what the owner tells watchers."""
        if not len(self.spectators):
            return  # the owner does not know yet that the last one has left
        if self._state is None and not fed.whole:
            return  # it was for that one
        self.know(fed.state)
        self._told_over = self._told_over or any(map(_is_over, fed.messages))
        self.spectators.send(*fed.messages)
        for side, info in fed.thoughts:
            self.spectators.show_thought(side, info)
        if (position := self.spectators.position) is not None:
            self.plies = len(position.moves)

    def know(self, state: TableState) -> None:
        """The state of the game is this one now."""
        self._state, self._state_at = state, self._now()

    def move(self, latest: LatestMove) -> None:
        """This is the newest move."""
        self._latest, self.plies = latest, latest.ply

    def end(self, over: Lobby) -> None:
        """The game is over: release its watchers, and tell them if the owner could not."""
        self._over = over
        if not self._told_over:
            self.spectators.send(over)
        self.spectators.close()

    def _send(self, message: said.AnyMessage) -> None:
        if self.owner:
            self._post.send(self.owner, message)


def _is_over(told: FromServer) -> bool:
    return isinstance(told, Lobby) and isinstance(told.line, GameOver)
