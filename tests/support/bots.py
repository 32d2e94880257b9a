"""Scripted players who challenge a bot: polite ones, and rude ones."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from ulci.net import Address, Peer, dial
from ulci.protocol import (
    ULCI,
    BestMove,
    Challenge,
    Connection,
    Decline,
    Hello,
    HelloOk,
    Id,
    IsReady,
    Lobby,
    Message,
    Option,
    OptionType,
    Position,
    ReadyOk,
    Resign,
    Role,
    Stop,
    Terms,
    TextCodec,
    Unseek,
)
from ulci.protocol.lobby.lines import (
    ChallengeDecline,
    ErrorLine,
    GameOver,
    GameStart,
    Gone,
    Line,
    OutgoingChallenge,
    Welcome,
)

from .servers import PATIENCE

OPTIONS = (
    Option("UCI_Chess960", OptionType.CHECK, "false"),
    Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "atomic", "tictactoe")),
)


NOBODYS = 10**9
"""The number of no challenge."""


class Challenger:
    """A person, or an engine, who reads the lobby. `told`: what others told him, in order."""

    def __init__(self, peer: Peer, name: str) -> None:
        self.peer = peer
        self.name = name
        self.told: list[str] = []
        self._fences = 0  # refusals of `decline` that are still to come

    def say(self, *messages: Message) -> None:
        self.peer.put(*messages)

    async def line(self, *kinds: type) -> Line:
        """The next lobby line of one of these kinds; ready whenever the server asks."""
        with trio.fail_after(PATIENCE):
            while (heard := await self.peer.receive()) is not None:
                message = heard.message
                if isinstance(message, IsReady):
                    self.say(ReadyOk())
                if isinstance(message, Stop):  # who resigned owes a move
                    self.say(BestMove("0000"))
                if not isinstance(message, Lobby):
                    continue
                if message.words[0] in ("say", "tell"):
                    self.told.append(" ".join(message.words[1:]))
                if self._fences and isinstance(message.line, ErrorLine):
                    self._fences -= 1
                elif isinstance(message.line, kinds):
                    return message.line
        raise AssertionError(f"{self.name} was cut off: {self.peer.why}")

    async def position(self, plies: int) -> Position:
        """The one after so many half-moves."""
        while len((found := await self._position()).moves) != plies:
            pass
        return found

    async def _position(self) -> Position:
        with trio.fail_after(PATIENCE):
            while (heard := await self.peer.receive()) is not None:
                if isinstance(heard.message, IsReady):
                    self.say(ReadyOk())
                if isinstance(heard.message, Position):
                    return heard.message
        raise AssertionError(f"{self.name} was cut off: {self.peer.why}")

    async def challenge(self, bot: str, terms: Terms | None = None) -> ChallengeDecline | GameStart:
        """The bot's answer; an error line of the server's is an AssertionError. A server withdraws
        all challenges to a player whose game begins: then it is made again."""
        while True:
            self.say(Challenge(bot, terms or Terms()))
            made = await self.line(OutgoingChallenge, ErrorLine)
            assert isinstance(made, OutgoingChallenge), made
            answer = await self.line(ChallengeDecline, GameStart, Gone)
            if isinstance(answer, Gone):
                # Accepted or withdrawn: a game begins before the answer to this, if it does.
                self.say(Decline(NOBODYS))
                answer = await self.line(GameStart, ErrorLine)
            if isinstance(answer, GameStart):
                self._fences += 1
            if isinstance(answer, ChallengeDecline | GameStart):
                return answer

    async def declined(self, bot: str, terms: Terms | None = None) -> str:
        """The reason for which the bot declines."""
        answer = await self.challenge(bot, terms)
        assert isinstance(answer, ChallengeDecline), answer
        return answer.text

    async def plays(self, bot: str, terms: Terms | None = None) -> GameStart:
        """The game that the bot accepts."""
        answer = await self.challenge(bot, terms)
        assert isinstance(answer, GameStart), answer
        return answer

    async def resign(self) -> None:
        """And wait for the end of the game."""
        self.say(Resign())
        await self.line(GameOver)

    async def challenge_and_withdraw(self, bot: str, terms: Terms | None = None) -> None:
        """At once: the server hears both together."""
        self.say(Challenge(bot, terms or Terms()), Unseek())
        await self.line(OutgoingChallenge)
        await self.line(Gone, ChallengeDecline, GameStart)


@asynccontextmanager
async def challenger(port: int, name: str, kind: str = "human") -> AsyncIterator[Challenger]:
    """In the lobby, under his name."""
    connection = Connection(Role.CLIENT, TextCodec(), ULCI.with_lobby())
    async with dial(Address.parse(f"tcp://127.0.0.1:{port}"), lambda _: connection) as peer:
        one = Challenger(peer, name)
        with trio.fail_after(PATIENCE):
            hello = await peer.receive()
        assert hello is not None
        assert isinstance(hello.message, Hello)
        who = Id("username" if kind == "human" else "name", name)
        one.say(who, Id("feature", "lobby"), *OPTIONS, HelloOk())
        welcome = await one.line(Welcome)
        assert isinstance(welcome, Welcome)
        one.name = welcome.name
        yield one
