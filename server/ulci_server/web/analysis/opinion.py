"""The evaluation of a position by an engine of the server.

The server starts an engine for each question and ends it with the answer, so that no engine
outlives its question, even if the client leaves. One engine searches at a time, and few questions
may wait; the newest answers are cached. Games are played by other processes of the engines: they
are not interrupted, but share the processors, unless the configuration gives them their own.
"""

from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import structlog
import trio
from starlette.exceptions import HTTPException

from ulci.engines.errors import EngineError
from ulci.engines.process import EngineProcess, open_engine
from ulci.engines.settings import EngineListener
from ulci.net import Limits
from ulci.protocol import Unread, read_info_untrusted
from ulci.protocol.messages import BestMove, Go, Info, NewGame, Position, SetOption
from ulci.rules import GAMES, Illegal, Side
from ulci_server.engines import EngineOffer
from ulci_server.engines.profile import profile_of
from ulci_server.hall.sharing import Sharing
from ulci_server.lobby.profile import Profile, spelled
from ulci_server.web.answers import SiteContext
from ulci_server.web.documents import Document
from ulci_server.web.quotas import TooOften

from .positions import UnknownPositionError, begun
from .questions import Questions

LOG = structlog.get_logger("ulci_server.web")

THINKS = 2.0
"""Seconds of a search."""

LATE = 3.0
"""Seconds after the search within which the engine must have answered."""

WAITING = 3
"""Questions that wait while the engine searches: six seconds of searches."""

KEPT = 256
"""Opinions in the cache."""

LONGEST_LINE = 12
"""Plies of the principal variation in an answer."""

MAX_LINE = 64 * 1024
"""Bytes of a line of an engine's output."""

ONLY_ONE = "multipv"
VARIANT = "uci_variant"


class Asked(NamedTuple):
    """A position: a game, its start, and the moves from there."""

    rules: str
    start: str | None
    moves: tuple[str, ...]


class NoEngineError(Exception):
    """No engine here plays that game."""


class Opinions:
    """The opinions of one site. offers: the engines of the server; empty if nobody may ask."""

    def __init__(
        self, context: SiteContext, offers: Sequence[EngineOffer], questions: Questions
    ) -> None:
        self._offers = offers
        self._limits: Limits = context.config.limits.of_net()
        self._questions = questions
        self._sharing = Sharing(context.turns)
        self._place = trio.CapacityLimiter(1)
        self._kept: OrderedDict[Asked, Document] = OrderedDict()

    async def of(self, asked: Asked) -> Document:
        """An engine's score of the position, from White's side, and its principal variation. Raises
        `HTTPException` and `UnknownPositionError`."""
        if (known := self._kept.get(asked)) is not None:
            self._kept.move_to_end(asked)
            return known
        turn = await self._questions.answer(partial(turn_at, asked))
        found = await self._sharing.share(asked, partial(self._found, asked, turn))
        self._kept[asked] = found
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found

    @property
    def waiting(self) -> int:
        """Positions that wait for the engine."""
        return self._place.statistics().tasks_waiting

    async def _found(self, asked: Asked, turn: Side) -> Document:
        if (known := self._kept.get(asked)) is not None:
            return known
        if self.waiting >= WAITING:
            raise TooOften("too many ask for an engine's opinion", THINKS * WAITING, status=503)
        async with self._place:
            for offer in self._offers:
                try:
                    name, info = await self._thought(offer, asked)
                except NoEngineError:
                    continue
                except EngineError as failure:
                    LOG.warning("no opinion of an engine", engine=offer.title, why=str(failure))
                    continue
                line = await self._questions.answer(partial(line_in_words, asked, info.pv))
                return _document(name, info, turn, line)
        raise HTTPException(404, f"no engine here has an opinion of {asked.rules}")

    async def _thought(self, offer: EngineOffer, asked: Asked) -> tuple[str, Info]:
        """The engine's name and its last info. Raises `EngineError`, and `NoEngineError` if the
        engine does not play that game."""
        program = offer.program
        if program.games and asked.rules not in program.games:
            raise NoEngineError
        listener = EngineListener()
        async with open_engine(
            offer.engine, listener, limits=self._limits, max_line=MAX_LINE
        ) as engine:
            await engine.prepare()
            profile = profile_of(engine, name=offer.name, plays=offer.plays, program=program)
            if profile.lacks(GAMES[asked.rules].needs(asked.start)) is not None:
                raise NoEngineError
            await engine.prepare([*_settings(profile, asked), NewGame()])
            engine.put(Position(asked.start, asked.moves), Go(movetime=round(THINKS * 1000)))
            with trio.move_on_after(THINKS + LATE):
                return profile.name, await _last_info(engine)
            raise EngineError(f"{profile.name} did not answer within {THINKS + LATE:g} s")


def turn_at(asked: Asked) -> Side:
    """The side to move. For a worker thread. Raises `UnknownPositionError`, also if the game is
    over."""
    rules = GAMES[asked.rules]
    position = begun(rules, asked.start)
    if asked.start is not None:
        try:
            rules.to_play(asked.start)
        except ValueError as fault:
            raise UnknownPositionError(str(fault)) from None
    for ply, move in enumerate(asked.moves, 1):
        if isinstance(verdict := position.play_untrusted(move), Illegal):
            raise UnknownPositionError(f"ply {ply}: {verdict.why}")
    if position.outcome() is not None or not position.legal_moves():
        raise UnknownPositionError("the game is over")
    return position.turn


def line_in_words(asked: Asked, line: Sequence[str]) -> list[Document]:
    """The moves of an engine's principal variation, up to the first illegal one. For a worker
    thread."""
    position, words = begun(GAMES[asked.rules], asked.start), list[Document]()
    for move in asked.moves:
        position.play_untrusted(move)
    for move in line[:LONGEST_LINE]:
        side = position.turn.word
        try:
            san = position.san(move)
        except ValueError:
            break
        if isinstance(position.play_untrusted(move), Illegal):
            break
        words.append({"side": side, "move": position.moves[-1], "san": san})
    return words


def _settings(profile: Profile, asked: Asked) -> list[SetOption]:
    """The options for this game, as for one that the engine plays, and for a single principal
    variation."""
    wanted = {VARIANT: asked.rules, ONLY_ONE: "1"}
    wanted |= {
        name.lower(): value for name, value in GAMES[asked.rules].needs(asked.start).options.items()
    }
    return [
        SetOption(offered.name, known)
        for name, value in wanted.items()
        if (offered := profile.options.get(name)) is not None
        and (known := spelled(offered, value)) is not None
    ]


async def _last_info(engine: EngineProcess) -> Info:
    """Read the engine's output up to its move. Returns the last info with an exact score of the
    first line. Raises `EngineError` if the engine ends before its move."""
    last = Info()
    while (heard := await engine.receive()) is not None:
        match heard.message:
            case BestMove(move):
                return last if last.pv else Info(score=last.score, depth=last.depth, pv=(move,))
            case Unread(line):
                last = _newer(last, read_info_untrusted(line))
            case Info() as info:
                last = _newer(last, info)
    raise EngineError(f"{engine.name} ended before it had an opinion: {engine.last_words()}")


def _newer(last: Info, info: Info) -> Info:
    whole = info.score is not None and info.score.bound is None and info.multipv in (None, 1)
    return info if whole else last


def _document(name: str, info: Info, turn: Side, line: list[Document]) -> Document:
    sign = 1 if turn is Side.WHITE else -1
    score = info.score
    cp, mate = (None, None) if score is None else (score.cp, score.mate)
    return {
        "engine": name,
        "score_cp": None if cp is None else sign * cp,
        "score_mate": None if mate is None else sign * mate,
        "depth": info.depth,
        "nodes": info.nodes,
        "line": line,
    }
