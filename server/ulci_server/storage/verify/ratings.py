"""Checks the ratings: they are rebuilt from the games, in the order in which these changed them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from ulci.rules import Side
from ulci_server.rating import MOST_A_DAY, Rating
from ulci_server.storage.database import Database
from ulci_server.storage.errors import DisagreementError
from ulci_server.storage.records import GameRecord, RatingChange, RatingRecord

from .glicko import BEGINNER, Numbers, after_game, idle

EXACT = 0.001
"""Elo by which two ways to compute a rating may differ."""

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}

PAGE = 500
"""Changes that are read at once, with their games."""

Key = tuple[str, int]
"""A pool, and an account."""


def check_ratings(database: Database) -> int:
    """Rebuild all ratings. Returns how many changes there are.

    A server that ends games meanwhile may be seen between two of its writes: what is wrong is
    looked at once more.

    Raises:
        DisagreementError: a rating is not what its games make it, or a game has not changed it.
        StorageError: the record cannot be read.
    """
    try:
        return _Rebuilding(database).run()
    except DisagreementError:
        return _Rebuilding(database).run()


@dataclass(slots=True)
class _Rebuilt:
    """As the last change left it."""

    numbers: Numbers = BEGINNER
    seq: int = 0
    games: int = 0
    anchored: bool = False
    at: datetime | None = None

    def days(self, at: datetime) -> float:
        """From the last change until then."""
        if self.at is None or at < self.at:
            return 0.0
        return (at - self.at).total_seconds() / 86_400

    def at_that_time(self, at: datetime) -> Numbers:
        return self.numbers if self.anchored else idle(self.numbers, self.days(at))


class _Rebuilding:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._rebuilt: dict[Key, _Rebuilt] = {}
        self._half: dict[int, RatingChange] = {}  # of a game, until that of the other side comes
        self._kept: dict[Key, RatingRecord] = {}  # that the rebuilt ones have not reached
        self._of_day = Counter[tuple[int, int, date]]()
        self._first: datetime | None = None

    def run(self) -> int:
        """In this order nothing that a server writes meanwhile looks wrong."""
        self._kept = self._read()
        missed = self._database.ratings.missed()
        count = 0
        for change, game in self._changes():
            count += 1
            self._take(change, game)
        for number in self._half:
            raise DisagreementError(f"game {number} changed the rating of one side only")
        for key, record in self._kept.items():
            self._compare(key, record, self._rebuilt.get(key, _Rebuilt()))
        for key in self._rebuilt.keys() - self._read().keys():
            raise DisagreementError(f"{_whose(*key)} is gone, and its changes are there")
        self._check_missed(missed)
        return count

    def _read(self) -> dict[Key, RatingRecord]:
        return {(one.pool, one.account): one for one in self._database.ratings.all()}

    def _changes(self) -> Iterator[tuple[RatingChange, GameRecord | None]]:
        after = 0
        while page := self._database.ratings.changes(after=after, limit=PAGE):
            after = page[-1][0]
            wanted = {change.game for _, change in page if change.game is not None}
            found = self._database.games.find(ids=wanted) if wanted else []
            games = {game.id: game for game in found}
            for _, change in page:
                yield change, None if change.game is None else games.get(change.game)

    def _take(self, change: RatingChange, game: GameRecord | None) -> None:
        self._first = self._first or change.at
        if change.account is None:
            return  # the account was removed
        key = change.pool, change.account
        mine = self._rebuilt.setdefault(key, _Rebuilt())
        _check_chain(key, mine, change)
        if game is None or change.side is None:
            self._enter(key, mine, change)
            return
        _check_game(change, game)
        if change.opponent is None:
            self._enter(key, mine, change)  # how sure the removed one's rating was is not known
        elif (other := self._half.pop(game.id, None)) is None:
            self._half[game.id] = change
        else:
            self._take_both(game, *sorted((other, change), key=lambda one: one.side or Side.WHITE))

    def _take_both(self, game: GameRecord, *changes: RatingChange) -> None:
        """White's change and Black's: each is rated by what the other one was before."""
        accounts = [change.account for change in changes if change.account is not None]
        if [change.side for change in changes] != [*Side] or len(accounts) != len(Side):
            raise DisagreementError(f"game {game.id} changed the rating of one side twice")
        keys = [(change.pool, account) for change, account in zip(changes, accounts, strict=True)]
        had = [self._rebuilt[key] for key in keys]
        now = [one.at_that_time(changes[0].at) for one in had]
        for side, key, change in zip(Side, keys, changes, strict=True):
            expected, mine = had[side].numbers, had[side]
            if not mine.anchored:
                points = POINTS[game.result] if side is Side.WHITE else 1 - POINTS[game.result]
                expected = after_game(expected, now[side.other], points, mine.days(change.at))
            where = f"game {game.id}, {_whose(*key)}"
            _check_same(where, _numbers(change.after), expected)
            if change.anchored != mine.anchored:
                raise DisagreementError(f"{where}: a game has anchored it, or freed it")
        first, second = sorted(accounts)
        self._of_day[first, second, changes[0].at.date()] += 1
        for key, mine, change in zip(keys, had, changes, strict=True):
            self._enter(key, mine, change)

    def _enter(self, key: Key, mine: _Rebuilt, change: RatingChange) -> None:
        mine.numbers, mine.seq, mine.anchored = _numbers(change.after), change.seq, change.anchored
        mine.at = change.at if mine.at is None else max(mine.at, change.at)
        mine.games += change.game is not None
        record = self._kept.get(key)
        if record is not None and record.changes == mine.seq:
            self._compare(key, record, mine)
            del self._kept[key]

    def _compare(self, key: Key, record: RatingRecord, mine: _Rebuilt) -> None:
        kept = (record.changes, record.games, record.anchored)
        if kept != (mine.seq, mine.games, mine.anchored):
            raise DisagreementError(
                f"{_whose(*key)}: it has {kept[0]} changes by {kept[1]} games, and"
                f" {mine.seq} by {mine.games} are recorded"
            )
        if _numbers(record.rating) != mine.numbers:
            raise DisagreementError(
                f"{_whose(*key)}: it is {_spelled(_numbers(record.rating))}, and its changes make"
                f" {_spelled(mine.numbers)}"
            )
        if mine.at not in (None, record.updated_at):
            raise DisagreementError(f"{_whose(*key)}: its last change was at another time")

    def _check_missed(self, missed: Iterable[tuple[int, datetime]]) -> None:
        """Games that should have changed ratings. From before the first change there are others:
        there were no ratings yet."""
        since = [(number, at) for number, at in missed if self._first and at >= self._first]
        for game in self._database.games.find(ids=[number for number, _ in since]) if since else ():
            accounts = [account for account in game.players if account is not None]
            assert game.finished_at is not None
            first, second = sorted(accounts)
            if self._of_day[first, second, game.finished_at.date()] < MOST_A_DAY:
                raise DisagreementError(f"game {game.id} is rated, and has changed no rating")


def _check_chain(key: Key, mine: _Rebuilt, change: RatingChange) -> None:
    """That it goes on from the change before."""
    where = f"{_whose(*key)}, change {change.seq}"
    if change.seq != mine.seq + 1:
        raise DisagreementError(f"{where}: it comes after change {mine.seq}")
    if _numbers(change.before) != mine.numbers:
        raise DisagreementError(
            f"{where}: it begins with {_spelled(_numbers(change.before))}, and the one before ends"
            f" with {_spelled(mine.numbers)}"
        )


def _check_game(change: RatingChange, game: GameRecord) -> None:
    """That the game changes this rating."""
    assert change.side is not None
    where = f"game {game.id}"
    if not game.rated or game.outcome is None or game.result not in POINTS:
        raise DisagreementError(f"{where} has changed ratings, and is not rated or has no result")
    if game.pool != change.pool or game.finished_at != change.at:
        raise DisagreementError(f"{where} has changed ratings in another pool, or at another time")
    sides = (game.players[change.side], game.players[change.side.other])
    if sides != (change.account, change.opponent):
        raise DisagreementError(f"{where} has changed the rating of somebody else")


def _check_same(where: str, kept: Numbers, expected: Numbers) -> None:
    same_volatility = abs(kept.volatility - expected.volatility) < EXACT / 100
    if not same_volatility or any(
        abs(one - other) > EXACT for one, other in zip(kept[:2], expected[:2], strict=True)
    ):
        raise DisagreementError(
            f"{where}: it became {_spelled(kept)}, and by Glicko-2 it is {_spelled(expected)}"
        )


def _numbers(rating: Rating) -> Numbers:
    return Numbers(rating.rating, rating.deviation, rating.volatility)


def _spelled(numbers: Numbers) -> str:
    return f"{numbers.rating:.2f}±{numbers.deviation:.2f} ({numbers.volatility:.5f})"


def _whose(pool: str, account: int) -> str:
    return f"the rating of account {account} in the pool {pool}"
