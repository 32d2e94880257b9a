"""Games from the database, read in worker threads and cached while they are requested."""

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
from ulci_server.storage.final_clocks import BETWEEN_MOVES, final_clocks

from .documents import (
    UNKNOWN_ANALYSIS,
    UNKNOWN_LEDGER,
    Document,
    clocks,
    encode,
    ledger,
    summary,
    without_recent_thoughts,
)
from .played_moves import PlayedMoves

THREADS = 2
"""Worker threads at once: they leave a processor to the journal's own thread."""

KEPT = 32 * 1024 * 1024
"""Bytes of the cache of finished games: some three hundred games of chess."""

KEPT_FOR = 60.0
"""Seconds for which the cache keeps a finished game after its last request: a reader requests the
game, its PGN and its picture within that time."""

ENTRY = 500
"""Bytes that each cached answer counts besides its text: many are short."""

AT_A_TIME = 500
"""Answers dropped from the cache before other tasks get a turn: 0.3 ms."""

LARGEST = 4 * 1024 * 1024
"""Bytes of the largest answer in the cache: larger ones would evict all others."""

Answer = TypeVar("Answer")


class Shown(NamedTuple):
    """A game as it stood after a ply. moves: all moves up to that ply. fen: None if the server does
    not know the rules. move, san: the last of the moves; both empty at the start."""

    moves: Sequence[str]
    board: Document
    fen: str | None
    move: str = ""
    san: str = ""

    @property
    def ply(self) -> int:
        return len(self.moves)


class _Kept(NamedTuple):
    body: bytes
    asked_at: float


class Archive:
    """The archive of one site. games: the rules of each game that can be played here, by name.
    delay: after how many seconds spectators see engines' analysis. turns: resumes the requests that
    waited for one result a few at a time. Each method raises `StorageError` if the database
    fails."""

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
        """At most `limit` ratings of a pool, the highest first, after the first `after` ranks."""
        work = partial(self._database.ratings.leaders, pool, limit, after)
        return await self._sharing.share(("leaders", pool, limit, after), partial(self.ask, work))

    async def player(self, name: str, make: Callable[[], Answer]) -> Answer:
        """What `make` returns for a player. A worker thread calls it once for all requests that
        wait for that player."""
        return await self._sharing.share(("player", name), partial(self.ask, make))

    # Tournaments

    async def tournaments(
        self, most: int, make: Callable[[TournamentOverview], Answer]
    ) -> list[Answer]:
        """What `make` returns for each of at most `most` tournaments: those that are not over
        first, then the newest. A worker thread calls it once for all requests that wait."""

        def work() -> list[Answer]:
            return [make(one) for one in self._database.tournaments.overview(most=most)]

        return await self._sharing.share(("tournaments", most, make), partial(self.ask, work))

    async def tournament(
        self, name: str, make: Callable[[StoredTournament], Answer]
    ) -> Answer | None:
        """What `make` returns for a tournament; None if there is none of that name. A worker thread
        calls it once for all requests that wait for `make` of that tournament."""

        def work() -> Answer | None:
            record = self._database.tournaments.named(name)
            stored = None if record is None else self._database.tournaments.stored(record.id)
            return None if stored is None else make(stored)

        return await self._sharing.share(("tournament", name, make), partial(self.ask, work))

    # One game

    async def game(self, game: GameRecord) -> bytes:
        """A game with its moves as JSON, without the time. A running one lacks clocks and
        players."""
        return await self._made(game, "game", self._game)

    async def pgn(self, game: GameRecord) -> bytes:
        """A game as PGN. Raises `ExportError` if PGN cannot express it."""
        return await self._made(game, "pgn", self._pgn)

    async def why(self, game: GameRecord) -> bytes:
        """How it ended, in one paragraph."""
        return await self._made(game, "why", self._why)

    async def at_ply(
        self, game: GameRecord, ply: int | None, kind: str, make: Callable[[Shown], bytes]
    ) -> bytes:
        """What `make` returns for the game after that ply. A game that has fewer plies is taken
        after its last one, and so is any game if `ply` is None. A worker thread calls `make`. kind:
        the key of the result among those of one game. Raises what `make` raises."""
        return await self._made(game, kind, lambda record: make(self._shown(record, ply)))

    async def _made(
        self, game: GameRecord, kind: str, make: Callable[[GameRecord], bytes]
    ) -> bytes:
        """What `make` returns for a game: computed once for all requests that arrive before it
        begins, and cached if the game is over."""
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
        """Bytes in the cache."""
        return self._size

    async def forget_unused(self) -> None:
        """Drop answers that nobody has requested for `KEPT_FOR` s, for ever."""
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
            document |= {"clocks": self._last_clocks(game, moves), "players": _NOBODY_AWAY}
        return encode(document)

    def _last_clocks(self, game: GameRecord, moves: Sequence[MoveRecord]) -> Document | None:
        """Both clocks of a finished game at its end; null: it had none, or no move was made."""
        if moves and game.outcome is not None and game.outcome.reason in BETWEEN_MOVES:
            shown = final_clocks(game, self._database.games.history(game.id))
            if shown is not None and (shown.wtime, shown.btime) != (None, None):
                return clocks(shown, None)
        return _clocks_after(moves)

    def _shown(self, game: GameRecord, ply: int | None) -> Shown:
        moves = [*game.opening, *(move.move for move in self._moves(game))]
        played = PlayedMoves(self._games.get(game.rules), game.start)
        played.extend(moves[:ply])
        position, last = played.position, played.plies[-1] if played.plies else None
        known = position is not None and played.board["ranks"]
        shown = Shown(moves[:ply], played.board, position.fen() if position and known else None)
        return shown if last is None else shown._replace(move=last.move, san=last.san)

    def _pgn(self, game: GameRecord) -> bytes:
        berserk = self._database.games.berserk(game)
        return f"{pgn(game, self._moves(game), berserk)}\n\n".encode()

    def _why(self, game: GameRecord) -> bytes:
        history, reports = (
            self._database.games.history(game.id),
            self._database.games.reports(game.id),
        )
        return explained(game, history, reports=reports).encode()

    def running_game(self, number: int, played: PlayedMoves) -> bytes:
        """The JSON of a running game whose moves are in `played`. For a worker thread."""
        (game,) = self._database.games.find(ids=[number])
        return encode(self._document(game, played, self._moves(game)))

    def _document(
        self, game: GameRecord, played: PlayedMoves, moves: Sequence[MoveRecord]
    ) -> Document:
        tournament = self._database.tournaments.of_game(game.id)
        return {**game_document(game, played, moves), "tournament": tournament}


def game_document(game: GameRecord, played: PlayedMoves, moves: Sequence[MoveRecord]) -> Document:
    """A game with the moves in `played`, without clocks and players."""
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
    """What the database recorded with the players' move of that number, from 1. Lower numbers are
    moves of the opening, which have no record. Without a record the values are null, also if the
    move was taken back between two reads."""
    if 0 < number <= len(moves) and moves[number - 1].move == move:
        return ledger(moves[number - 1])
    return {**UNKNOWN_LEDGER, **UNKNOWN_ANALYSIS, "at": None}


def _clocks_after(moves: Sequence[MoveRecord]) -> Document | None:
    left: dict[Side, int | None] = {move.side: move.left for move in moves}
    if all(ms is None for ms in left.values()):
        return None
    return {
        "white_ms": left.get(Side.WHITE),
        "black_ms": left.get(Side.BLACK),
        "running": None,
    }


__all__ = ["Archive", "ExportError", "Shown", "game_document"]
