"""Whatever is played, the record of it agrees with itself: games as the server plays them."""

import random
from datetime import timedelta

import pytest

from tests.support.facts import ADA, BOB, NOON
from ulci.rules import GAMES, Side
from ulci.rules.position import Position
from ulci_server.game import (
    Alarm,
    Away,
    Back,
    ClockStarted,
    DrawSaid,
    Event,
    Game,
    GameStarted,
    Happened,
    LagRule,
    Moved,
    MovePlayed,
    Note,
    Paused,
    Ready,
    StartClock,
    TakebackSaid,
    TimeGiven,
)
from ulci_server.storage import MemoryRepository, Noted
from ulci_server.storage.verify import verify_game

CONTROLS = [
    *("300+3", "40/300+2", "3/20+1:10+0", "60d2", "60b2", "20/5x3", "60h", "3days"),
    *("movetime=3000", "depth=8", "inf", "300+3|60+1"),
]
RULES = ["chess", "atomic", "tictactoe", "liberty"]

STEPS = 60
"""Of each game: enough for every session of the controls."""


class Player:
    """Plays both sides at random, and keeps what the game notes."""

    def __init__(self, seed: int, rules: str, control: str) -> None:
        self.chance = random.Random(seed)
        self.repository = MemoryRepository()
        self.at = 0.0
        lag = self.chance.choice(list(LagRule))
        self.started = GameStarted(1, rules, None, control, (ADA, BOB), lag=lag.value)
        self.rules = rules
        self.game = self.new()
        self.perform(self.game.begin(0.0))
        self.happen(Ready(Side.WHITE, 0.0))
        self.happen(Ready(Side.BLACK, 0.0))

    def new(self) -> Game:
        return Game(self.started, lambda: GAMES[self.rules].new())

    def perform(self, effects: list[object]) -> None:
        for effect in effects:
            if isinstance(effect, Note):
                at = NOON + timedelta(seconds=self.at)
                self.repository.save([Noted(effect.fact, at)])
            elif isinstance(effect, StartClock):
                self.at += self.chance.random() / 10
                trips = (self.chance.random() / 3, self.chance.random() / 3)
                self.happen(ClockStarted(effect.side, self.at, trips))

    def happen(self, event: Event) -> None:
        self.perform([*self.game.handle(event)])

    def step(self) -> None:
        """Something happens, most often a move."""
        self.at += self.chance.choice((0.2, 0.9, 2.5))
        if self.at > self.game.deadline:
            self.happen(Alarm(self.game.deadline))
            return
        deed = self.chance.choices(DEEDS, [30, *[1] * (len(DEEDS) - 1)])[0]
        deed(self)

    def move(self) -> None:
        side = self.game.searching
        if side is None:
            return
        position: Position = self.game.position
        verdict = position.play_untrusted(self.chance.choice(position.legal_moves()))
        can_win = (position.can_win(Side.WHITE), position.can_win(Side.BLACK))
        late = self.chance.choice((0.0, 0.0, 0.05))
        claim = position.claim()
        self.happen(Moved(side, "", verdict, self.at, None, claim, can_win, late))

    def offer(self) -> None:
        self.happen(DrawSaid(self.chance.choice(list(Side)), self.at))

    def take_back(self) -> None:
        side = self.chance.choice(list(Side))
        self.happen(TakebackSaid(side, self.at, self.chance.choice((None, 1, 3))))
        self.happen(TakebackSaid(side.other, self.at))

    def give(self) -> None:
        self.happen(TimeGiven(self.chance.choice(list(Side)), self.at, 1500))

    def lose_the_line(self) -> None:
        side = self.chance.choice(list(Side))
        self.happen(Away(side, self.at))
        self.at += 0.5
        self.happen(Back(side, self.at))

    def restart(self) -> None:
        self.happen(Paused(self.at))
        self.game = self.new()
        known = [fact for fact, _ in self.repository.history(1)]
        steps = [fact for fact in known if isinstance(fact, MovePlayed | Happened)]
        self.at += 10
        self.perform([*self.game.resume(steps, self.at, 10_000)])
        for side in Side:
            self.happen(Back(side, self.at))


DEEDS = (
    Player.move,
    Player.offer,
    Player.take_back,
    Player.give,
    Player.lose_the_line,
    Player.restart,
)


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("rules", RULES)
def test_what_was_played_agrees_at_every_step(rules: str, control: str) -> None:
    player = Player(CONTROLS.index(control), rules, control)
    for step in range(STEPS):
        player.step()
        (game,) = player.repository.games()
        if step % 10 == 0 or not game.running:
            verify_game(player.repository, game)
        if not game.running:
            return
