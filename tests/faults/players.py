"""Players that answer within milliseconds, whatever becomes of their line.

Each speaks with the lobby in plain lines, by nothing but the standard library: what the server's
own code reads and writes is what is examined. Whatever one does follows from the seed and its name,
the game and the ply; so the answer to a question that is asked again is the same again.
"""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import chess
import trio

from .record import Wire, now, plain

SILENCE = 1.5
"""s of silence until a player asks whether anybody is there; after as many more it calls anew."""

DOUBTS = 2
"""How often it is silent on a new line until a player believes that its game is gone."""

REGRET = 0.05
"""s in which the opponent may let a player take back its last move."""

DARKNESS = 30.0
"""s without a word about the game that one plays: longer than any clock or grace here."""


@dataclass
class Plan:
    """What all players of a run have in common."""

    seed: int
    ports: list[int] = field(default_factory=list)
    """Where players call: at one of them, by chance."""
    time: str = "10+0.1"
    plies: tuple[int, int] = (8, 80)
    """After how many plies somebody resigns: from, below."""
    think: float = 0.003
    """The longest time for an answer, s."""
    quirks: bool = True
    """Whether they also offer draws, take back, give time and watch others. None says a move twice:
    on a line that delays the second, that would be an illegal answer to the next ``go``."""
    tokens: dict[str, str] = field(default_factory=dict)
    """Of those who have an account, by name."""
    enough: Callable[[], bool] = lambda: False
    """Whether no more games are wanted."""
    started: dict[int, tuple[str, str]] = field(default_factory=dict)
    """The names of White and Black of every game that somebody was told of."""
    over: dict[int, str] = field(default_factory=dict)
    """The results that somebody was told of."""
    lost: set[int] = field(default_factory=set)
    """Games of which a player heard nothing more when it came back."""
    given_up: list[tuple[str, int, float]] = field(default_factory=list)
    """Who came back and heard nothing more of which game, and when it believed that."""
    dark: list[tuple[str, int, float]] = field(default_factory=list)
    """Who heard nothing of which game for `DARKNESS` s, and until when."""


class Player:
    """One player, over as many lines as it takes. `wires` is filled only if it dials by itself."""

    def __init__(self, name: str, plan: Plan, *, human: bool = False) -> None:
        self.name = name
        self.plan = plan
        self.secret = ""
        self.game = 0
        self.calls = 0
        self.back: list[float] = []
        self.wires: list[Wire] = []
        self._human = human
        self._chance = random.Random(f"{plan.seed} {name}")
        self._stream: trio.SocketStream | None = None
        self._forget()

    async def run(self) -> None:
        """Play until there are enough games, over one line after the other."""
        while not (self.plan.enough() and not self.game):
            try:
                port = self._chance.choice(self.plan.ports)
                stream = await trio.open_tcp_stream("127.0.0.1", port)
            except OSError:
                await trio.sleep(0.02 + 0.1 * self._chance.random())
                continue
            self.calls += 1
            try:
                async with stream:
                    await self._converse(stream)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                pass
            await trio.sleep(0.05 * self._chance.random())

    # One line

    async def _converse(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._doubts = 0
        self._confirmed = self._pinged = self._watching = False
        wire = Wire()
        self.wires.append(wire)
        self._hear, rest = wire.player_said, b""
        while True:
            data = b""
            with trio.move_on_after(SILENCE) as quiet:
                data = await stream.receive_some(1 << 16)
            if quiet.cancelled_caught:
                if not await self._ask_for_life():
                    return
                continue
            if not data:
                return
            self._pinged = False
            wire.server_said(data)
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                await self._take(line.decode().split())
            if self.plan.enough() and not self.game:
                await self._say("quit")
                return

    async def _say(self, *lines: str) -> None:
        data = "".join(f"{line}\n" for line in lines).encode()
        await self._stream.send_all(data)
        self._hear(data)

    async def _ask_for_life(self) -> bool:
        """Nothing was said for a while: is the line dead, or only the others slow?"""
        if self._pinged or (self.plan.enough() and not self.game):
            return False
        self._pinged = True
        if self.game and now() - self._news > DARKNESS:
            self.plan.dark.append((self.name, self.game, now()))
            self._give_up()
        if self.game and not self._confirmed:
            self._doubts += 1
            if self._doubts > DOUBTS:
                self._give_up()
        await (self._say("seeks") if self.game else self._seek())
        return True

    def _give_up(self) -> None:
        """The game that it was in before it called anew is not there any more."""
        self.plan.lost.add(self.game)
        self.plan.given_up.append((self.name, self.game, now()))
        self._forget()

    def _forget(self) -> None:
        self.game = 0
        self._regretted = False
        self._news = now()
        self._moves: list[str] = []
        self._board = chess.Board()

    async def _take(self, words: list[str]) -> None:
        match words:
            case ["uci"]:
                await self._introduce()
            case ["isready"]:
                self._confirmed = True
                await self._say("readyok")
            case ["position", "startpos", *moves] if self.game or not self._watching:
                self._news = now()
                self._follow(moves[1:])
            case ["go", *_]:
                await self._answer()
            case ["lobby", "welcome", "name", _, *rest]:
                await self._be_welcome(rest[rest.index("resume") + 1])
            case ["lobby", "game", number, "start", "white", white, "black", black, *_]:
                self._confirmed = True
                self._begin(int(number), white, black)
            case ["lobby", "game", number, "over", "result", *result]:
                await self._end(int(number), " ".join(result))
            case ["lobby", "watch", number, *_]:
                self._watching = int(number) != self.game
            case ["lobby", "unwatch", *_]:
                self._watching = False
            case ["lobby", "game", _, "offer", "takeback", _, "from", who] if (
                plain(who) != self.name
            ):
                if self._by_chance("forgives").random() < 0.7:
                    await self._say("takeback")
            case ["lobby", "game", _, "offer", "draw", *_]:
                if self._by_chance("accepts").random() < 0.2:
                    await self._say("draw")
            case ["lobby", "game", _, "opponent", "away", "claim-in", "0", *_]:
                await self._say("claim win")

    async def _introduce(self) -> None:
        who = f"id {'username' if self._human else 'name'} {self.name}"
        seat = [f"id resume {self.secret}"] if self.secret else []
        token = self.plan.tokens.get(self.name)
        proof = [f"id token {token}"] if token else []
        await self._say("id version 1", who, "id feature lobby", *proof, *seat, "uciok")

    async def _be_welcome(self, secret: str) -> None:
        if self.secret and secret == self.secret and self.game:
            return  # it has its seat back, and will be asked whether it is ready
        if self.game:
            self._give_up()
        self.secret = secret
        await self._seek()

    async def _seek(self) -> None:
        if not self.plan.enough():
            await self._say(*self._look_elsewhere(), "unseek", f"seek time {self.plan.time}")

    def _look_elsewhere(self) -> list[str]:
        """Now and then it watches somebody else until its own game begins."""
        running = sorted(self.plan.started.keys() - self.plan.over.keys() - self.plan.lost)
        if not (self.plan.quirks and running and self._chance.random() < 0.1):
            return []
        return [f"watch {self._chance.choice(running)}"]

    # A game

    def _begin(self, game: int, white: str, black: str) -> None:
        self.plan.started[game] = (white, black)
        if game != self.game:
            self._forget()
            self.game = game
        elif self.calls > 1:
            self.back.append(now())
        self._watching = False

    async def _end(self, game: int, result: str) -> None:
        self.plan.over[game] = result
        if game == self.game or not self._watching:
            self._forget()
            await self._seek()

    def _follow(self, moves: list[str]) -> None:
        known = len(self._moves)
        if moves[:known] != self._moves:
            self._board, known = chess.Board(), 0
        self._moves = moves
        with suppress(ValueError):  # whoever reads what it was told finds that
            for move in moves[known:]:
                self._board.push_uci(move)

    def _by_chance(self, what: str) -> random.Random:
        return random.Random(f"{self.plan.seed} {self.name} {self.game} {len(self._moves)} {what}")

    async def _answer(self) -> None:
        chance = self._by_chance("answers")
        await self._have_second_thoughts()
        await trio.sleep(chance.random() * self.plan.think)
        limit = random.Random(f"{self.plan.seed} {self.game}").randrange(*self.plan.plies)
        if len(self._moves) >= limit:
            await self._say("resign")
            return
        move = chance.choice([*self._board.legal_moves]).uci()
        said = [f"bestmove {move}"]
        if self.plan.quirks:
            said = ["givetime 5"] * (chance.random() < 0.003) + said
            said = ["draw"] * (chance.random() < 0.02) + said
        await self._say(*said)

    async def _have_second_thoughts(self) -> None:
        """Once in a game at most, and with time for the opponent to agree."""
        regrets = self._by_chance("regrets").random() < 0.01
        if self.plan.quirks and regrets and not self._regretted and len(self._moves) > 1:
            self._regretted = True
            await self._say("takeback")
            await trio.sleep(REGRET)


class Watcher(Player):
    """Watches one game after the other to its end, and never plays."""

    async def _seek(self) -> None:
        running = sorted(self.plan.started.keys() - self.plan.over.keys() - self.plan.lost)
        idle = self._watching or not running
        await self._say("seeks" if idle else f"watch {self._chance.choice(running)}")

    async def _take(self, words: list[str]) -> None:
        await super()._take(words)
        if words[:2] == ["lobby", "game"] and words[3:4] == ["over"]:
            self._watching = False
            await self._seek()

    async def _end(self, game: int, result: str) -> None:
        """It is for those who play to say that it is over."""
