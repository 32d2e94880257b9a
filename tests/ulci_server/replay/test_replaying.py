"""Whatever happened at once in a recorded hall happens in the same order when it is held again."""

import io
import math
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count

import outcome
import pytest
import trio
import trio.testing

from tests.support.clients import Client, memory_client
from ulci.net import Limits, Peer
from ulci.protocol import ULCI, Connection, RemoteProtocolError, Role, TextCodec
from ulci.protocol.messages import (
    Admin,
    BestMove,
    Draw,
    Games,
    Go,
    Id,
    Info,
    IsReady,
    LobbyWord,
    Position,
    Quit,
    ReadyOk,
    Rematch,
    Resign,
    Score,
    Seek,
    Seeks,
    Takeback,
    TellPlayer,
    Terms,
    Unknown,
    Unseek,
    Watch,
    Who,
)
from ulci.rules import GAMES
from ulci_server.game import Controls, Timeouts
from ulci_server.hall import (
    Authenticator,
    ClientTimeouts,
    Hall,
    LobbyHost,
    Settings,
    announcements,
    gradual_work,
    lists,
)
from ulci_server.lobby import Lobby, Pool
from ulci_server.replay.recording import Recorder, Services
from ulci_server.replay.replay_diff import Difference
from ulci_server.replay.replaying import Replay
from ulci_server.replay.stand_ins import VirtualClock
from ulci_server.replay.tape import Tape, read
from ulci_server.storage import Accounts, MemoryRepository, secret_hash

POOL = Pool("chess", GAMES["chess"], Controls.parse("2+0.25"), (None,))
NAPS = (0.0, 0.0, 0.25, 0.5, 1.0)
"""So few that much happens in one moment: flags fall while somebody moves."""

STORM = 30.0
"""Seconds on a clock that jumps."""


async def jump(clock: VirtualClock) -> None:
    """To whatever comes next, when there is nothing to do; in whole µs, as a recording has it."""
    while True:
        await trio.testing.wait_all_tasks_blocked()
        wait = trio.lowlevel.current_statistics().seconds_to_next_deadline
        then = math.ceil((clock.now + wait) * 1e6) / 1e6
        # A deadline may be later by less than a number of this size can say.
        clock.now = then if then > clock.now else round(clock.now + 1e-6, 6)


def calendar() -> datetime:
    return datetime(2026, 11, 22, tzinfo=UTC) + timedelta(seconds=trio.current_time())


def make_hall(services: Services, accounts: Accounts, chance: random.Random) -> Hall:
    read, secrets = services.inputs.read, count(1)

    def statistics() -> dict[str, int]:
        return {"up": chance.randrange(100), "news": 7}

    return Hall(
        services.journal,
        partial(
            LobbyHost,
            lobby=Lobby((POOL,), lambda among: read("choose", partial(chance.randrange, among))),
            authenticator=Authenticator(accounts, now=calendar, inputs=services.inputs),
            number=count(1).__next__,
            secret=partial(read, "secret", lambda: f"secret{next(secrets)}"),
        ),
        settings=Settings(
            ClientTimeouts(handshake=2, drain=5), Timeouts(ready=3, away=4), delay=1, listed=3
        ),
        statistics=partial(read, "statistics", statistics),
        task_order=services.task_order,
    )


class Storm:
    """A hall full of people and engines who all speak at once."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.file = io.StringIO()
        self.recorder = Recorder(Tape(self.file, {}, 1))
        self.clock = VirtualClock()

    async def record(self, talk: Callable[[], Awaitable[None]]) -> None:
        """A hall for as long as they talk."""
        repository = MemoryRepository()
        for name, scope in (("Ada", "play"), ("Root", "admin")):
            player = repository.add_player(name, "human")
            repository.add_token(player.id, secret_hash(name), scope)
        self.services = self.recorder.services(repository, calendar)
        self.hall = make_hall(self.services, repository, self.chance)
        async with trio.open_nursery() as self.nursery:
            self.nursery.start_soon(jump, self.clock)
            self.nursery.start_soon(self.services.journal.run)
            self.nursery.start_soon(self.hall.run)
            await talk()
            await trio.testing.wait_all_tasks_blocked()
            self.nursery.cancel_scope.cancel()

    async def blow(self) -> None:
        async with trio.open_nursery() as living:
            for number in range(4):
                living.start_soon(self.live, (Id("name", f"E{number}"),))
                living.start_soon(self.live, self.person(f"P{number}"))
            for name in ("Ada", "Ada", "Root"):
                living.start_soon(self.live, (*self.person(name), Id("token", name)))
            living.start_soon(self.live, (*self.person("Eve"), Id("token", "a guess")))
            living.start_soon(self.stumble)
            await trio.sleep(STORM)
            self.recorder.stop()
            living.cancel_scope.cancel()

    async def come_back_banned(self) -> None:
        """Bob leaves his game, is banned, and shows the secret of his seat."""
        root, ada, bob, again = (self.connect() for _ in range(4))
        await root.introduce(*self.person("Root"), Id("token", "Root"))
        await root.hear_line("welcome")
        await ada.introduce_person("Eve")
        secret = await bob.introduce_person("Bob")
        for client in (ada, bob):
            client.say(Seek(Terms()))
        for client in (ada, bob):
            await client.get_ready()
        await bob.peer.aclose()
        await ada.hear_line("game 1 opponent away")
        root.say(Admin(("ban", "Bob", "forever", "rude")))
        await root.hear_line("admin done")
        await again.introduce(*self.person("Bob"), Id("resume", secret))
        assert "you are banned here: rude" in str(await again.hear_the_end())
        self.recorder.stop()

    async def stumble(self) -> None:
        """The database and the machine fail now and then."""
        hindered = self.services.inputs.handler("hindered", self.hall.hindered)
        trouble = self.services.inputs.handler("trouble", self.hall.trouble)
        while True:
            await trio.sleep(self.chance.choice((2, 5)))
            hindered(1.5)
            trouble("disk full")
            await trio.sleep(0.25)
            trouble(None)

    def person(self, name: str) -> tuple[Id, ...]:
        return (Id("username", name), Id("feature", "lobby"))

    async def live(self, said: tuple[Id, ...]) -> None:
        """Connect again and again, back to the same seat if there is one."""
        resume: list[Id] = []
        while True:
            client = self.connect()
            await client.introduce(*said, *resume)
            with trio.move_on_after(self.chance.choice((1, 8, 20))):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self.talk, client, len(said) > 1)
                    resume = await self.listen(client)
                    nursery.cancel_scope.cancel()
            if self.chance.random() < 0.3:
                client.say(Quit())
            await client.peer.aclose()
            await trio.sleep(self.chance.choice((0.25, 1, 6)))

    def connect(self) -> Client:
        near, client = memory_client()
        self.nursery.start_soon(self.welcome, near)
        return client

    async def welcome(self, near: Peer) -> None:
        near.limits = Limits(outbox=3000)
        peer = self.recorder.peer(near, "chess", "uci")
        await self.hall.welcome(peer, "chess")
        await peer.aclose()

    async def listen(self, client: Client) -> list[Id]:
        """Until it is over; what takes the seat back."""
        resume, position = [], Position(None, ())
        while True:
            if self.chance.random() < 0.01:
                await trio.sleep(10)  # and is cut off, if it is told too much meanwhile
            try:
                heard = await client.peer.receive()
            except RemoteProtocolError:
                continue  # the board of another game, while it searches
            if heard is None:
                return resume
            match heard.message:
                case IsReady() if self.chance.random() < 0.95:
                    client.say(ReadyOk())
                case Position() as position:
                    pass
                case Go():
                    client.say(*self.search(position))
                case message if "resume" in str(message):
                    resume = [Id("resume", message.words[-1])]

    def search(self, position: Position) -> list[Info | BestMove]:
        """Nothing at all, an answer that is none, or a move after some thought."""
        dice = self.chance.random()
        if dice < 0.1:
            return []
        if dice < 0.15:
            return [BestMove("e1e1")]
        game = GAMES["chess"].new(position.start)
        for move in position.moves:
            game.play_untrusted(move)
        thoughts = [Info(depth=depth, score=Score(cp=depth)) for depth in range(1, 70, 7)]
        return [*thoughts, BestMove(self.chance.choice(game.legal_moves()))]

    async def talk(self, client: Client, person: bool) -> None:
        while person:
            await trio.sleep(self.chance.choice(NAPS))
            client.say(*(self.word() for _ in range(self.chance.randrange(4))))

    def word(self) -> LobbyWord:
        games = [*self.hall.tables] or [1]
        return self.chance.choice((
            Seek(Terms()), Seek(Terms(color="white")), Seeks(), Seeks(), Who(), Games(), Unseek(),
            Resign(), Draw(), Takeback(), Rematch(), Unknown("dance"),
            TellPlayer(f"P{self.chance.randrange(4)}", "hello"), TellPlayer("Ada", "hello"),
            Watch(self.chance.choice(games)), Watch(self.chance.choice(games)),
            Admin(("status",)), Admin(("who",)), Admin(("tell", "all", "hello")),
            Admin(("kick", f"P{self.chance.randrange(4)}", "why")),
            Admin(("ban", f"P{self.chance.randrange(4)}", "5s", "why")),
            Admin(("unban", f"P{self.chance.randrange(4)}")),
        ))  # fmt: skip


@pytest.fixture
def _at_once(monkeypatch) -> None:
    async def at_once(function, *args, **_options):
        await trio.lowlevel.checkpoint()
        return function(*args)

    def answer_at_once(work, deliver):
        deliver(outcome.capture(work))

    # A dozen people are many.
    monkeypatch.setattr(lists, "MAX_UNDER_WAY", 2)
    monkeypatch.setattr(announcements, "AT_A_TIME", 2)
    monkeypatch.setattr(announcements, "BATCH", 4)
    monkeypatch.setattr(gradual_work, "AT_A_TIME", 1)
    monkeypatch.setattr(trio.to_thread, "run_sync", at_once)
    monkeypatch.setattr(trio.lowlevel, "start_thread_soon", answer_at_once)


def recorded(storm: Storm, talk: Callable[[], Awaitable[None]]) -> list[str]:
    trio.run(storm.record, talk, clock=storm.clock)
    return storm.file.getvalue().splitlines(keepends=True)


def held_again(lines: list[str]) -> Difference | None:
    def connection(dialect: str, codec: str) -> Connection:
        return Connection(Role.SERVER, TextCodec(), ULCI, defer_info=True)

    def hall(services: Services) -> Hall:
        return make_hall(services, MemoryRepository(), random.Random(0))

    again = Replay(read(lines), hall, connection, lambda pool, dialect: "")
    return trio.run(again.run, clock=again.clock)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.usefixtures("_at_once")
def test_a_storm_is_held_again(seed: int) -> None:
    storm = Storm(seed)
    lines = recorded(storm, storm.blow)
    assert sum(" > " in line for line in lines) > 500
    assert any("your token is not valid" in line for line in lines)
    assert held_again(lines) is None


@pytest.mark.usefixtures("_at_once")
def test_who_is_banned_does_not_come_back_to_the_game_in_a_replay_either() -> None:
    storm = Storm(1)
    assert held_again(recorded(storm, storm.come_back_banned)) is None
