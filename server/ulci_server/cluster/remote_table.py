"""A table at another server, as its players and watchers here know it."""

from collections.abc import Callable
from dataclasses import replace as changed
from functools import partial
from math import inf
from typing import TypeGuard, cast

import trio
from msgspec.structs import replace

from ulci.protocol import Unread, read_info_untrusted
from ulci.protocol.lobby.lines import Chat, GameOver
from ulci.protocol.messages import FromServer, Info, Lobby, Position, Resign
from ulci.rules import Needs, Side
from ulci_server.game import Answered, Away, Commanded, Event, Game, GameStarted, Left, Seat
from ulci_server.hall import LocalSeat
from ulci_server.hall.table.engine_options import engine_options
from ulci_server.hall.table.interfaces import AdminRuling, AnyTable, SeatedPlayer, snapshot
from ulci_server.hall.table.spectators import Spectators, Watcher
from ulci_server.hall.table.state import LatestMove, TableState
from ulci_server.lobby import Agreement, lobby_lines

from . import messages as said
from .clock_fairness import TurnAtEdge
from .mirrors import sends
from .post import Post
from .questions import Questions

ANSWERED = 2.0
"""Seconds to wait for the owner's answer to a ruling."""

PACE = 0.5
"""Minimum seconds between two analyses of one player that are sent to the owner."""


class RemoteTable:
    """The game `started`, played at `owner` (a run). `owner` is 0 while nobody owns it: then
    messages of players are lost, except the answer to the last ``go`` and a resignation, and their
    connections wait.

    A new watcher begins with no less than any player or watcher here was told. A player elsewhere
    may know more: the owner tells players first, some by their own sockets, and its message to this
    server may still be on the way, or be lost if the owner dies then. To know for sure would take a
    round trip for each watcher. The watchers here receive the rest when the owner, or the next one,
    is heard.
    """

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
        """The watchers here."""
        self.here: dict[Side, LocalSeat] = {}
        """The players whose connections are here."""
        self.turns = TurnAtEdge(self.id, Side.WHITE), TurnAtEdge(self.id, Side.BLACK)
        self._introduced: set[Side] = set()  # sides whose programs got the options
        self._resigned: dict[Side, Commanded] = {}  # repeated to a new owner
        self._info_sent_at = [-inf, -inf]
        self._post = post
        self._now = now
        self.plies = 0
        """Moves made, as far as is known here."""
        self.players = (0, 0)
        """The servers where White and Black are, or were last; 0 if not known here."""
        self._over: Lobby | None = None
        self._told_over = False  # whether the watchers here know
        self._latest: LatestMove | None = None
        self._state: TableState | None = None  # as the owner reported last, while it is followed
        self._state_at = 0.0
        self._players_ahead: int | None = None  # plies that a player here knows and no watcher
        self._rulings = Questions[int | None]()

    # From players

    def answered(self, answered: Answered, *, may_repeat: bool) -> None:
        player = self.here.get(answered.side)
        trip = None if player is None else player.round_trip()
        turn = self.turns[answered.side]
        answer = turn.answers(answered, self.epoch, trip, may_repeat=may_repeat)
        if answer is not None:
            self.send(answer)

    answered_late = sends(AnyTable.answered_late)
    report = sends(AnyTable.report)
    tell_state = sends(AnyTable.tell_state)
    say = sends(AnyTable.say)
    show_thoughts = sends(AnyTable.show_thoughts)

    def add_info(self, side: Side, analysis: Unread | Info) -> None:
        """Send an analysis at most every `PACE` s, and drop the others."""
        now = self._now()
        if now < self._info_sent_at[side] + PACE:
            return
        self._info_sent_at[side] = now
        info = read_info_untrusted(analysis.line) if isinstance(analysis, Unread) else analysis
        if info is not None:
            self.send(said.Thought(self.id, self.epoch, side, info))

    def handle(self, event: Event) -> None:
        if isinstance(event, Commanded) and isinstance(event.command, Resign):
            self._resigned[event.side] = event
        happened = cast("said.FromElsewhere", event)
        turn = self.turns[happened.side]
        if isinstance(event, Away | Left):  # a lost answer would not count after it
            self._answer_again(happened.side)
        self.send(turn.happens(happened, self.epoch, self._now()))

    def chat(self, line: Lobby) -> bool:
        self.send(said.Talk(self.id, line))
        return bool(self.owner)

    async def rule(self, ruling: AdminRuling) -> int | None:
        """As `AnyTable.rule`. None, too, if no answer came within `ANSWERED` s."""
        send = partial(self._send_ruling, ruling)
        return await self._rulings.ask(send, ANSWERED)

    def _send_ruling(self, ruling: AdminRuling, number: int) -> None:
        self.send(said.Ruling(self.id, self.epoch, ruling, number))

    def ruling_heard(self, message: said.RulingHeard) -> None:
        """The owner answers a ruling."""
        self._rulings.hear(message.number, message.changed)

    def expect(self, side: Side, player: SeatedPlayer) -> None:
        seat = cast("LocalSeat", player)
        self.seated(side, seat, self._now(), returns=True)
        self.send(said.Expect(self.id, self.epoch, side, self._post.link(seat)))

    # From watchers

    def watch(self, watcher: Watcher) -> None:
        if not len(self.spectators) or self.spectators.over:
            self.spectators.over = self._over is not None
            self.send(said.Follow(self.id, wanted=True))
        elif self._players_ahead is not None:  # the feed may be lost
            self.send(said.Follow(self.id, wanted=True))
        self.spectators.join(watcher, waits=not self.snapshot())

    def unwatch(self, watcher: Watcher) -> None:
        if watcher not in self.spectators:
            return
        self.spectators.leave(watcher)
        if not len(self.spectators):
            self.send(said.Follow(self.id, wanted=False))
            if self._over is None:
                self._state = self.spectators.position = None

    def refuse_watchers(self, why: str) -> None:
        """The owner cannot send its feed: release the watchers."""
        text = f"game {self.id} cannot be watched from here: {why}"
        self.spectators.send(lobby_lines.error("not-watching", text))
        self.spectators.close()

    def snapshot(self) -> tuple[FromServer, ...]:
        """Empty if the owner was asked only just now: its `Feed` is for all watchers here. Also
        empty while others may know more than watchers here: there is no owner, or a player is
        ahead."""
        state = self.state() if self.owner and self._players_ahead is None else None
        return () if state is None else snapshot(self, state)

    # State

    def listed(self) -> Lobby:
        return lobby_lines.playing(self.started, self.plies)

    def heading(self) -> Lobby:
        return lobby_lines.watching(self.started, self.plies)

    def state(self) -> TableState | None:
        """The state that the owner sent last, with the clock that has run since; while there is no
        owner, no clock runs. None if nobody watches here, or the first `Feed` has not come yet."""
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

    def seated(self, side: Side, player: LocalSeat, since: float, *, returns: bool = False) -> None:
        """The player is at its table by this connection, since `since` (s). returns: it will report
        when it is `Back`."""
        is_new = self.here.get(side) is not player
        if is_new:
            self._introduced.discard(side)
        line = 0 if player.profile is None else self._post.link(player).link
        self.turns[side].seated(line, since, self._now(), is_new=is_new, returns=returns)
        self.here[side] = player

    def seat(self, side: Side) -> Seat:
        return self.started.seats[side]

    def needs(self) -> Needs:
        return self.agreement.game.needs(self.agreement.start)

    # From the owner

    def player_told(self, position: Position) -> None:
        """A player here was sent this position; watchers receive it after the players."""
        self.plies = len(position.moves)
        self._players_ahead = self.plies
        self._compare_with_players(self.spectators.position)

    def _compare_with_players(self, watched: Position | None) -> None:
        if watched is not None and len(watched.moves) == self._players_ahead:
            self._players_ahead = None

    def ask(self, side: Side, message: said.Ask) -> None:
        """Ask the player to move, unless it was asked this before, by this owner or the last one:
        then it thinks on, or its answer is sent again."""
        turn = self.turns[side]
        if turn.ask(message, self._now()):
            player = self.here[side]
            player.stop_search()
            player.ask_move(message.position, message.go)
        elif turn.answer is not None:
            self.send(turn.answer)

    def adopt(self, side: Side, game: Game) -> None:
        """A table of this server has asked the player, who is thinking."""
        now = self._now()
        self.turns[side].adopt(game.turn_number, self.epoch, game.thought(now), now)

    def introduced(self, side: Side) -> None:
        """The player's program was told that the game begins, and got its options."""
        self._introduced.add(side)

    def look(self, side: Side, number: int) -> None:
        """Answer a `Look` of the owner: the player has not answered, or is not ready to be asked.
        Or repeat its answer, or that it is back."""
        turn, player = self.turns[side], self.here.get(side)
        if turn.waits_for_go and player is not None:
            self.rejoin(side, player)
        elif (message := turn.look(number, self.epoch, self._now())) is not None:
            self.send(message)

    def move_to(self, owner: int, epoch: int) -> None:
        """The game has a new owner, or messages to its owner may be lost: report that its players
        here are at their table, where they think on. For a new owner everybody is away: a player
        who left on its own is not reported."""
        is_new = (owner, epoch) != (self.owner, self.epoch)
        self.owner, self.epoch = owner, epoch
        if is_new:
            self._state = None  # it may be older than what the owner knows
        for side, player in self.here.items():
            if player.profile is None:
                continue
            if not player.gone:
                self.rejoin(side, player)
            elif self.turns[side].was_sent_away:
                self._take_seat_again(side, player)
                self.say_gone_again(side)
            elif not is_new:
                self.say_gone_again(side)
        if len(self.spectators):
            self.send(said.Follow(self.id, wanted=True))

    def say_gone_again(self, side: Side) -> bool:
        """Repeat the player's last answer, and that it is gone, as both may be lost. Returns False
        if it is not gone."""
        gone = self.turns[side].is_gone(self.epoch, self._now())
        for message in gone:
            self.send(message)
        return bool(gone)

    def rejoin(self, side: Side, player: LocalSeat) -> None:
        """Report that the player is at its table, to an owner that may have missed it."""
        assert player.profile is not None
        self._answer_again(side)
        self._take_seat_again(side, player)
        if self.turns[side].returns:
            return  # it reports that itself when it is ready
        # It may be thinking about its first move, and have received only a ``stop`` here.
        setup = (
            ()
            if side in self._introduced
            else engine_options(player.profile, self.seat(side.other), self.agreement)
        )
        self.send(self.turns[side].is_here(setup, player.key, self.epoch, self._now()))
        if side in self._resigned:
            self.handle(self._resigned[side])

    def _answer_again(self, side: Side) -> None:
        if (answer := self.turns[side].answer_again(self.epoch)) is not None:
            self.send(answer)

    def _take_seat_again(self, side: Side, player: LocalSeat) -> None:
        link = self._post.link(player)
        self.send(said.Expect(self.id, self.epoch, side, link, again=True, gone=player.gone))

    def feed(self, fed: said.Feed) -> None:
        """Pass the owner's messages for watchers on to the watchers here."""
        if not len(self.spectators):
            return  # the owner does not know yet that the last one has left
        if self._state is None and not fed.whole:
            return  # it was for that one
        self.know(fed.state)
        self._told_over = self._told_over or any(map(_is_over, fed.messages))
        self.spectators.send(*(one for one in fed.messages if not _is_talk(one)))
        for line in filter(_is_talk, fed.messages):
            self.spectators.chat(line)
        for side, info in fed.thoughts:
            self.spectators.show_thought(side, info)
        if (position := self.spectators.position) is not None:
            self.plies = len(position.moves)
        if fed.whole:
            self._players_ahead = None
        self._compare_with_players(position)

    def know(self, state: TableState) -> None:
        """Keep the newest state of the game."""
        self._state, self._state_at = state, self._now()

    def move(self, latest: LatestMove) -> None:
        """Keep the newest move."""
        self._latest, self.plies = latest, latest.ply

    def end(self, over: Lobby) -> None:
        """The game is over: release its watchers, and tell them so if the owner has not."""
        self._over = over
        if not self._told_over:
            self.spectators.send(over)
        self.spectators.close()

    @property
    def address(self) -> tuple[int, int]:
        return self.id, self.epoch

    def send(self, message: said.AnyMessage) -> None:
        """Send it to the owner, if there is one."""
        if self.owner:
            self._post.send(self.owner, message)


def _is_talk(told: FromServer) -> TypeGuard[Lobby]:
    return isinstance(told, Lobby) and isinstance(told.line, Chat)


def _is_over(told: FromServer) -> bool:
    return isinstance(told, Lobby) and isinstance(told.line, GameOver)
