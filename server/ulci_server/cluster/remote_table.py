"""A table at another server, as its players and watchers here know it."""

from collections.abc import Callable
from dataclasses import replace as changed
from functools import partial
from math import inf
from typing import Literal, cast

import trio
from msgspec.structs import replace

from ulci.protocol import Unread, read_info_untrusted
from ulci.protocol.lobby.lines import GameOver
from ulci.protocol.messages import FromServer, Info, Lobby, Position, Resign
from ulci.rules import Needs, Side
from ulci_server.game import Answered, Away, Commanded, Event, Game, GameStarted, Left, Seat
from ulci_server.hall import LocalSeat
from ulci_server.hall.table.engine_options import engine_options
from ulci_server.hall.table.interfaces import AdminRuling, SeatedPlayer, snapshot
from ulci_server.hall.table.spectators import Spectators, Watcher
from ulci_server.hall.table.state import LatestMove, TableState
from ulci_server.lobby import Agreement, lobby_lines

from . import messages as said
from .clock_fairness import TurnAtEdge
from .post import Post
from .questions import Questions

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
        self.turns = TurnAtEdge(self.id, Side.WHITE), TurnAtEdge(self.id, Side.BLACK)
        self._introduced: set[Side] = set()  # their programs were told of the game's options here
        self._resigned: dict[Side, Commanded] = {}  # said again to a new owner
        self._info_sent_at = [-inf, -inf]
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
        self._players_ahead: int | None = None  # plies that a player here knows, and no watcher
        self._rulings = Questions[int | None]()

    # From players

    def answered(self, answered: Answered, *, may_repeat: bool) -> None:
        player = self.here.get(answered.side)
        trip = None if player is None else player.round_trip()
        turn = self.turns[answered.side]
        answer = turn.answers(answered, self.epoch, trip, may_repeat=may_repeat)
        if answer is not None:
            self._send(answer)

    def answered_late(self, side: Side, move: str) -> None:
        self._send(said.LateAnswer(self.id, self.epoch, side, move))

    def report(self, side: Side, source: Literal["player", "server"], text: str) -> None:
        self._send(said.Complaint(self.id, self.epoch, side, source, text))

    def add_info(self, side: Side, analysis: Unread | Info) -> None:
        """Newest wins; not oftener than every `PACE` s."""
        now = self._now()
        if now < self._info_sent_at[side] + PACE:
            return
        self._info_sent_at[side] = now
        info = read_info_untrusted(analysis.line) if isinstance(analysis, Unread) else analysis
        if info is not None:
            self._send(said.Thought(self.id, self.epoch, side, info))

    def tell_state(self, side: Side, state: Literal["hung", "thinking"]) -> None:
        self._send(said.State(self.id, self.epoch, side, state))

    def say(self, side: Side, line: Lobby) -> bool:
        self._send(said.Chat(self.id, self.epoch, side, line))
        return True  # otherwise the owner says so

    def handle(self, event: Event) -> None:
        if isinstance(event, Commanded) and isinstance(event.command, Resign):
            self._resigned[event.side] = event
        happened = cast("said.FromElsewhere", event)
        turn = self.turns[happened.side]
        if isinstance(event, Away | Left):  # an answer that was lost would not count after it
            self._answer_again(happened.side)
        self._send(turn.happens(happened, self.epoch, self._now()))

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
        self.seated(side, seat, self._now(), returns=True)
        self._send(said.Expect(self.id, self.epoch, side, self._post.link(seat)))

    def show_thoughts(self, side: Side, *, wanted: bool) -> None:
        self._send(said.ShowThoughts(self.id, self.epoch, side, wanted))

    # From watchers

    def watch(self, watcher: Watcher) -> None:
        if not len(self.spectators) or self.spectators.over:
            self.spectators.over = self._over is not None
            self._send(said.Follow(self.id, wanted=True))
        elif self._players_ahead is not None:  # what watchers are to know may be lost
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
        others may have been told more than watchers here: there is no owner, or a player is ahead.
        """
        state = self.state() if self.owner and self._players_ahead is None else None
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

    def seated(self, side: Side, player: LocalSeat, since: float, *, returns: bool = False) -> None:
        """The player is at its table by this connection, since then (s). returns: it will say when
        it is `Back`."""
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
        """A player here knows this position; its watchers are told after the players."""
        self.plies = len(position.moves)
        self._players_ahead = self.plies
        self._compare_with_players(self.spectators.position)

    def _compare_with_players(self, watched: Position | None) -> None:
        if watched is not None and len(watched.moves) == self._players_ahead:
            self._players_ahead = None

    def ask(self, side: Side, message: said.Ask) -> None:
        """The player is asked to move, unless it was asked that before, by this owner or the last
        one: then it thinks on, or its answer is sent again."""
        turn = self.turns[side]
        if turn.ask(message, self._now()):
            player = self.here[side]
            player.stop_search()
            player.ask_move(message.position, message.go)
        elif turn.answer is not None:
            self._send(turn.answer)

    def adopt(self, side: Side, game: Game) -> None:
        """The player thinks since it was asked by a table of this server."""
        now = self._now()
        self.turns[side].adopt(game.turn_number, self.epoch, game.thought(now), now)

    def introduced(self, side: Side) -> None:
        """The player's program was told that a game begins, and with which options."""
        self._introduced.add(side)

    def look(self, side: Side, number: int) -> None:
        """Tell the owner that the player has not answered, or is not ready to be asked; or its
        answer, or that it is back, once more."""
        turn, player = self.turns[side], self.here.get(side)
        if turn.waits_for_go and player is not None:
            self.rejoin(side, player)
        elif (message := turn.look(number, self.epoch, self._now())) is not None:
            self._send(message)

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
            elif self.turns[side].was_sent_away:
                self._take_seat_again(side, player)
                self.say_gone_again(side)
            elif not is_new:
                self.say_gone_again(side)
        if len(self.spectators):
            self._send(said.Follow(self.id, wanted=True))

    def say_gone_again(self, side: Side) -> bool:
        """The player's last answer, and that it is gone, may be lost. False: it is not gone."""
        gone = self.turns[side].is_gone(self.epoch, self._now())
        for message in gone:
            self._send(message)
        return bool(gone)

    def rejoin(self, side: Side, player: LocalSeat) -> None:
        """The player is at its table, whatever its owner said that was lost."""
        assert player.profile is not None
        self._answer_again(side)
        self._take_seat_again(side, player)
        if self.turns[side].returns:
            return  # it says so itself, when it is ready
        # It may be thinking about its first move, and be told nothing but to stop.
        setup = (
            ()
            if side in self._introduced
            else engine_options(player.profile, self.seat(side.other), self.agreement)
        )
        self._send(self.turns[side].is_here(setup, player.key, self.epoch, self._now()))
        if side in self._resigned:
            self.handle(self._resigned[side])

    def _answer_again(self, side: Side) -> None:
        if (answer := self.turns[side].answer_again(self.epoch)) is not None:
            self._send(answer)

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
        if fed.whole:
            self._players_ahead = None
        self._compare_with_players(position)

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
