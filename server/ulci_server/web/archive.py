"""Games from the database, made in worker threads and kept while they are asked for."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import trio

from ulci.net import Steps, Turns
from ulci.rules import Rules, Side
from ulci_server.hall.sharing import Sharing
from ulci_server.storage import (
    Askers,
    Database,
    Filters,
    GameRecord,
    MoveRecord,
    RatingRecord,
    StoredTournament,
    TournamentOverview,
)
from ulci_server.storage.explain import explained
from ulci_server.storage.export import ExportError, pgn

from .documents import (
    UNKNOWN_ANALYSIS,
    UNKNOWN_LEDGER,
    Document,
    encode,
    ledger,
    summary,
    without_recent_thoughts,
)
from .played_moves import PlayedMoves

THREADS = 2
"""Worker threads at once: the journal's own thread must find a processor, too."""

KEPT = 32 * 1024 * 1024
"""Bytes of finished games that are kept: some three hundred games of chess."""

KEPT_FOR = 60.0
"""Seconds for which a finished game is kept that nobody asks for: who reads one asks within that
time for all that there is of it."""

ENTRY = 500
"""Bytes that a kept answer counts besides its text: many are short."""

AT_A_TIME = 500
"""Answers that are dropped between two turns of other tasks: 0.3 ms."""

LARGEST = 4 * 1024 * 1024
"""Bytes of the largest answer that is kept: larger ones would drive out all others."""

Answer = TypeVar("Answer")


class _Kept(NamedTuple):
    body: bytes
    asked_at: float


class Archive:
    """Of one site. games: all that can be played here. delay: s by which spectators learn later
    what engines think. turns: in which those go on who asked for the same. Failures of the database
    raise `StorageError`."""

    def __init__(
        self, database: Database, games: Mapping[str, Rules], delay: float, turns: Turns
    ) -> None:
        self._database = database
        self._games = games
        self._delay = delay
        self._askers = Askers(THREADS)
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()  # least recently asked for first
        self._size = 0
        self._sharing = Sharing(turns)

    async def ask(self, work: Callable[[], Answer]) -> Answer:
        """Run `work` in one of the worker threads."""
        return await self._askers.ask(work)

    # Records

    async def record(self, number: int) -> GameRecord | None:
        """A game without its moves; None if there is none of that number."""
        games = partial(self._database.games.find, ids=[number])
        found = await self._sharing.share(("record", number), partial(self.ask, games))
        return found[0] if found else None

    async def page(self, filters: Filters) -> list[Document]:
        """The summaries of all games that pass; `filters` has a limit."""
        return await self.ask(partial(self._page, filters))

    def _page(self, filters: Filters) -> list[Document]:
        games = self._database.games.find(**filters)
        plies = self._database.games.plies([game.id for game in games]) if games else {}
        return [summary(game, len(game.opening) + plies[game.id]) for game in games]

    async def selection(self, filters: Filters) -> list[GameRecord]:
        """The games that pass; `filters` has a limit."""
        return await self.ask(lambda: self._database.games.find(**filters))

    async def sides(self, number: int) -> list[Side]:
        """Who made each move of a game."""
        return await self.ask(lambda: [move.side for move in self._database.games.moves(number)])

    # Ratings

    async def rated_pools(self) -> dict[str, int]:
        """How many accounts have a rating, by pool."""
        ask = partial(self.ask, self._database.ratings.pools)
        return await self._sharing.share("rated pools", ask)

    async def leaders(self, pool: str, limit: int, after: int) -> list[RatingRecord]:
        """So many ratings of a pool, from that rank on."""
        work = partial(self._database.ratings.leaders, pool, limit, after)
        return await self._sharing.share(("leaders", pool, limit, after), partial(self.ask, work))

    # Tournaments

    async def tournaments(self, most: int) -> list[TournamentOverview]:
        """The newest ones."""
        work = partial(self._database.tournaments.overview, most=most)
        return await self._sharing.share(("tournaments", most), partial(self.ask, work))

    async def tournament(
        self, name: str, make: Callable[[StoredTournament], Answer]
    ) -> Answer | None:
        """What is made of a tournament; None: there is none of that name. `make` is called in the
        worker thread, once for all who wait for what it makes of that tournament."""

        def work() -> Answer | None:
            record = self._database.tournaments.named(name)
            stored = None if record is None else self._database.tournaments.stored(record.id)
            return None if stored is None else make(stored)

        return await self._sharing.share(("tournament", name, make), partial(self.ask, work))

    # One game

    async def game(self, game: GameRecord) -> bytes:
        """All of it as JSON, without the time, and of a running one without clocks and players."""
        return await self._made(game, "game", self._game)

    async def pgn(self, game: GameRecord) -> bytes:
        """Raises `ExportError` if it cannot be written."""
        return await self._made(game, "pgn", self._pgn)

    async def why(self, game: GameRecord) -> bytes:
        """How it ended, in one paragraph."""
        return await self._made(game, "why", self._why)

    async def _made(
        self, game: GameRecord, kind: str, make: Callable[[GameRecord], bytes]
    ) -> bytes:
        """Made once for all who ask for it before that begins; kept if the game is over."""
        key = (kind, game.id, game.running)

        async def made() -> bytes:
            if (kept := self._kept.pop(key, None)) is not None:
                self._kept[key] = _Kept(kept.body, trio.current_time())
                return kept.body
            body = await self.ask(partial(make, game))
            if not game.running:
                self._keep(key, body)
            return body

        return await self._sharing.share(key, made)

    def _keep(self, key: Hashable, body: bytes) -> None:
        if len(body) > LARGEST:
            return
        self._kept[key] = _Kept(body, trio.current_time())
        self._size += len(body) + ENTRY
        while self._size > KEPT:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        _, dropped = self._kept.popitem(last=False)
        self._size -= len(dropped.body) + ENTRY

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return self._size

    async def forget_unused(self) -> None:
        """Drop what nobody has asked for within `KEPT_FOR`, for ever."""
        while True:
            await trio.sleep(KEPT_FOR)
            until = trio.current_time() - KEPT_FOR
            steps = Steps(AT_A_TIME)
            while self._kept and next(iter(self._kept.values())).asked_at <= until:
                self._drop_oldest()
                await steps.done()

    # In a worker thread

    def _moves(self, game: GameRecord) -> Sequence[MoveRecord]:
        moves = self._database.games.moves(game.id)
        return without_recent_thoughts(moves, self._delay) if game.running else moves

    def _game(self, game: GameRecord) -> bytes:
        moves = self._moves(game)
        played = PlayedMoves(self._games.get(game.rules), game.start, game.opening)
        played.extend([move.move for move in moves], [move.side for move in moves])
        document = self._document(game, played, moves)
        if not game.running:
            document |= {"clocks": _last_clocks(moves), "players": _NOBODY_AWAY}
        return encode(document)

    def _pgn(self, game: GameRecord) -> bytes:
        return f"{pgn(game, self._moves(game))}\n\n".encode()

    def _why(self, game: GameRecord) -> bytes:
        history, reports = (
            self._database.games.history(game.id),
            self._database.games.reports(game.id),
        )
        return explained(game, history, reports=reports).encode()

    def running_game(self, number: int, played: PlayedMoves) -> bytes:
        """The JSON of a running game whose moves are played already. In a worker thread."""
        (game,) = self._database.games.find(ids=[number])
        return encode(self._document(game, played, self._moves(game)))

    def _document(
        self, game: GameRecord, played: PlayedMoves, moves: Sequence[MoveRecord]
    ) -> Document:
        tournament = self._database.tournaments.of_game(game.id)
        return {**game_document(game, played, moves), "tournament": tournament}


def game_document(game: GameRecord, played: PlayedMoves, moves: Sequence[MoveRecord]) -> Document:
    """A game with all its moves, as far as they are played; without clocks and players."""
    document, book = summary(game, len(played.plies)), len(game.opening)
    document |= {
        "board": played.board,
        "start_board": played.start_board,
        "moves": [
            {"ply": number, **ply.document(), **_recorded(number - book, ply.move, moves)}
            for number, ply in enumerate(played.plies, 1)
        ],
    }
    return document


_NOBODY_AWAY: Mapping[str, str] = {"white": "here", "black": "here"}


def _recorded(number: int, move: str, moves: Sequence[MoveRecord]) -> Mapping[str, object]:
    """What is recorded of the players' move of that number, from 1; of a lower one, of the opening,
    nothing is. Between two readings, moves may have been taken back."""
    if 0 < number <= len(moves) and moves[number - 1].move == move:
        return ledger(moves[number - 1])
    return {**UNKNOWN_LEDGER, **UNKNOWN_ANALYSIS, "at": None}


def _last_clocks(moves: Sequence[MoveRecord]) -> Document | None:
    left: dict[Side, int | None] = {move.side: move.left for move in moves}
    if all(ms is None for ms in left.values()):
        return None
    return {
        "white_ms": left.get(Side.WHITE),
        "black_ms": left.get(Side.BLACK),
        "running": None,
    }


__all__ = ["Archive", "ExportError", "game_document"]
