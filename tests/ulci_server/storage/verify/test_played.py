"""Whatever is played, the record of it agrees with itself: games as the server plays them."""

import math
import random
from collections.abc import Callable, Iterable
from datetime import timedelta

import pytest
from msgspec.structs import replace

from tests.support.driver import unfolded
from tests.support.facts import ADA, BOB, NOON
from ulci.protocol.messages import Abort, Berserk, Claim, Draw, GiveTime, Resign, Takeback
from ulci.rules import GAMES, Outcome, Reason, Side
from ulci.rules.starts import opened
from ulci_server.game import (
    Answered,
    Away,
    Back,
    Commanded,
    Event,
    Game,
    GameStarted,
    Happened,
    LagRule,
    Left,
    MovePlayed,
    Ready,
    Ruled,
    Seat,
)
from ulci_server.game.events import Alarm, Effect, Note, Paused, ServerFailed, StartClock, Turn
from ulci_server.storage import MemoryDatabase, Noted
from ulci_server.storage.explain import explained
from ulci_server.storage.verify import verify_game

CONTROLS = [
    *("300+3", "40/300+2", "3/20+1:10+0", "60d2", "60b2", "20/5x3", "60h", "3days"),
    *("movetime=3000", "depth=8", "inf", "300+3|60+1"),
]
RULES = ["chess", "atomic", "tictactoe", "liberty"]

SEATS = (replace(ADA, key="a" * 64), BOB)
"""A person who may decide what becomes of an opponent's absence."""

STEPS = 60
"""Of each game: enough for every session of the controls."""

BEFORE = (0, 1, 4, 7)
"""Steps until a game ends by what somebody does; also its seed."""


class Player:
    """Plays both sides at random, and keeps what the game notes."""

    def __init__(
        self,
        seed: int,
        rules: str,
        control: str,
        seats: tuple[Seat, Seat] = (ADA, BOB),
        most_plies: int | None = None,
        book: int = 0,
    ) -> None:
        """`book`: the plies of its opening."""
        self.most_plies = most_plies
        self.chance = random.Random(seed)
        self.database = MemoryDatabase()
        self.at = 0.0
        lag = self.chance.choice(list(LagRule))
        self.rules = rules
        opening = self.opening(book)
        terms = {"lag": lag.value, "conduct": "berserk"}
        self.started = GameStarted(1, rules, None, control, seats, opening=opening, **terms)
        self.game = self.new()
        self.perform(self.game.begin(0.0))
        self.happen(Ready(Side.WHITE, 0.0))
        self.happen(Ready(Side.BLACK, 0.0))
        if seed % 3 == 0:
            self.happen(Commanded(self.one(), self.at, Berserk()))

    def opening(self, plies: int) -> tuple[str, ...]:
        position = GAMES[self.rules].new()
        for _ in range(plies):
            position.play_untrusted(self.chance.choice(position.legal_moves()))
        return (*position.moves,)

    def new(self) -> Game:
        position = opened(GAMES[self.rules], None, self.started.opening)
        return Game(self.started, position, most_plies=self.most_plies)

    def perform(self, effects: Iterable[Effect]) -> None:
        for effect in unfolded(effects):
            if isinstance(effect, Note):
                at = NOON + timedelta(seconds=self.at)
                self.database.save([Noted(effect.fact, at)])
            elif isinstance(effect, StartClock):
                self.at += self.chance.random() / 10
                trips = (self.chance.random() / 3, self.chance.random() / 3)
                self.game.handed_over(self.at, trips)

    def happen(self, event: Event) -> None:
        self.perform(self.game.handle(event))

    def answer(self, move: str, late: float = 0.0) -> None:
        side = self.game.searching
        assert side is not None
        after = self.game.move(Answered(side, move, self.at, None, late))
        self.perform([after] if isinstance(after, Turn) else after)

    def one(self) -> Side:
        return self.chance.choice(list(Side))

    def step(self) -> None:
        """Something happens, most often a move."""
        self.at += self.chance.choice((0.2, 0.9, 2.5))
        if self.at > self.game.deadline:
            self.happen(Alarm(self.game.deadline))
            return
        deed = self.chance.choices(DEEDS, [30, *[1] * (len(DEEDS) - 1)])[0]
        deed(self)

    def move(self) -> None:
        if self.game.searching is None:
            return
        move = self.chance.choice(self.game.position.legal_moves())
        self.answer(move, self.chance.choice((0.0, 0.0, 0.05)))

    def offer(self) -> None:
        self.happen(Commanded(self.chance.choice(list(Side)), self.at, Draw()))

    def take_back(self) -> None:
        side = self.chance.choice(list(Side))
        self.happen(Commanded(side, self.at, Takeback(self.chance.choice((None, 1, 3)))))
        self.happen(Commanded(side.other, self.at, Takeback()))

    def give(self) -> None:
        self.happen(Commanded(self.chance.choice(list(Side)), self.at, GiveTime(1500)))

    def lose_the_line(self) -> None:
        side = self.chance.choice(list(Side))
        self.happen(Away(side, self.at))
        self.at += 0.5
        self.happen(Back(side, self.at))

    def restart(self, back: Iterable[Side] = Side) -> None:
        self.happen(Paused(self.at))
        self.game = self.new()
        known = [fact for fact, _ in self.database.games.history(1)]
        steps = [fact for fact in known if isinstance(fact, MovePlayed | Happened)]
        self.at += 10
        self.perform(self.game.resume(steps, self.at, 10_000))
        for side in back:
            self.happen(Back(side, self.at))


DEEDS = (
    Player.move,
    Player.offer,
    Player.take_back,
    Player.give,
    Player.lose_the_line,
    Player.restart,
)


def resign(player: Player) -> None:
    player.happen(Commanded(player.one(), player.at, Resign()))


def abort(player: Player) -> None:
    player.happen(Commanded(player.one(), player.at, Abort()))


def leave(player: Player) -> None:
    player.happen(Left(player.one(), player.at, "quit"))


def lose_it_for_good(player: Player) -> None:
    player.happen(Away(player.one(), player.at))


def both_lose_it(player: Player) -> None:
    for side in Side:
        player.happen(Away(side, player.at))


def claim(player: Player) -> None:
    gone = player.one()
    player.happen(Left(gone, player.at, "quit"))
    player.happen(Commanded(gone.other, player.at, Claim(player.chance.choice(("win", "draw")))))


def claim_for_long(player: Player) -> None:
    gone = Side.BLACK  # whose opponent is a person
    player.happen(Away(gone, player.at))
    player.at += 100
    player.happen(Alarm(player.at))
    player.happen(Commanded(gone.other, player.at, Claim(player.chance.choice(("win", "draw")))))


def agree(player: Player) -> None:
    side = player.one()
    player.happen(Commanded(side, player.at, Draw()))
    player.happen(Commanded(side.other, player.at, Draw()))


def adjudicate(player: Player) -> None:
    winner = player.chance.choice((None, *Side))
    outcome = Outcome(winner, Reason.ADJUDICATION)
    player.happen(Ruled(player.at, outcome, "root adjudicated it: enough"))


def rule_an_abort(player: Player) -> None:
    player.happen(Ruled(player.at, Outcome(None, Reason.ABORTED), "root aborted it: enough"))


def fail(player: Player) -> None:
    player.happen(ServerFailed(player.at, "KeyError in the server"))


def play_nonsense(player: Player) -> None:
    if player.game.searching is not None:
        player.answer("a1a9")


def restart_and_nobody_comes(player: Player) -> None:
    player.restart(back=())


def wait(player: Player) -> None:
    """For whatever is due."""


ENDS = (
    *(resign, abort, leave, lose_it_for_good, both_lose_it, claim, claim_for_long, agree),
    *(adjudicate, rule_an_abort, fail, play_nonsense, restart_and_nobody_comes, wait),
)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("control", CONTROLS)
def test_however_a_game_ends_its_record_agrees(end: Callable[[Player], None], control: str) -> None:
    for steps in BEFORE:
        player = Player(steps, "chess", control, SEATS)
        for _ in range(steps):
            player.step()
        end(player)
        while player.game.ending is None and player.game.deadline < math.inf:
            player.at = player.game.deadline + player.chance.choice((0.0, 0.7))
            player.happen(Alarm(player.at))

        (game,) = player.database.games.find()
        verify_game(player.database, game)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("end", ENDS)
def test_however_a_game_with_an_opening_ends_its_record_agrees(
    end: Callable[[Player], None], rules: str
) -> None:
    for steps in BEFORE:
        player = Player(steps, rules, "40/300+2", SEATS, book=1 + steps % 4)
        for _ in range(steps):
            if player.game.ending is None:
                player.step()
        if player.game.ending is None:
            end(player)
        while player.game.ending is None and player.game.deadline < math.inf:
            player.at = player.game.deadline
            player.happen(Alarm(player.at))

        (game,) = player.database.games.find()
        assert game.opening == player.started.opening != ()
        verify_game(player.database, game)


@pytest.mark.parametrize("rules", ["chess", "liberty"])
def test_a_game_of_as_many_plies_as_the_server_allows_is_a_draw_and_agrees(rules: str) -> None:
    player = Player(3, rules, "300+3", most_plies=12)
    while player.game.ending is None:
        player.at += 0.5
        player.move()
    (game,) = player.database.games.find()
    assert (game.result, len(player.database.games.moves(1))) == ("1/2-1/2", 12)
    verify_game(player.database, game)
    assert "the game has 12 plies, as many as this server allows" in explained(
        game, player.database.games.history(1)
    )


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("rules", RULES)
def test_what_was_played_agrees_at_every_step(rules: str, control: str) -> None:
    player = Player(CONTROLS.index(control), rules, control)
    for step in range(STEPS):
        player.step()
        (game,) = player.database.games.find()
        if step % 10 == 0 or not game.running:
            verify_game(player.database, game)
        if not game.running:
            return
