"""A ledger of both clocks, kept by the facts alone: it shares no code with the clock that ran.

A clock is an account. The control pays in, moves pay out; what a clock shows after a move must be
the balance. Amounts are ms.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, Protocol

from ulci.rules import Side
from ulci_server.game import EventKind, Happened, MovePlayed
from ulci_server.storage.errors import DisagreementError


class Account(Protocol):
    """The clock of one side."""

    def shown(self) -> int | None:
        """What the clock shows; None: there is none."""
        ...

    def allowed(self) -> int | None:
        """What the side may spend before its flag falls; None: it has no flag."""
        ...

    def pay(self, spent: int) -> None:
        """A move cost so much."""

    def gain(self, spent: int) -> None:
        """The opponent's move cost so much."""

    def give(self, gift: int) -> bool:
        """A gift is paid in; False: there is no account for it."""
        ...

    def halve(self, lost: int) -> bool:
        """So much is given up, at most half, and all bonuses; False: it cannot be."""
        ...

    def undo(self, moves: int) -> None:
        """The side's last so many moves are taken back."""


class Session(NamedTuple):
    """moves: None for the rest of the game. bonus: ms, of the kind that `sign` says."""

    moves: int | None
    base: int
    sign: str
    bonus: int


class Before(NamedTuple):
    """What there was before a move; and until then, also by moves that were taken back, what had
    been given, used, and left by takebacks beyond what there was."""

    bank: int
    gifts: int
    used: int
    spared: int


class Sessions:
    """A bank of time that is filled at the beginning of each session."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        self._plan = sessions
        self._bank = sessions[0].base
        self._gifts = self._used = self._spared = 0
        self._moves: list[Before] = []
        self._of_session, self._number = 0, 0  # moves in this session; sessions before it

    @property
    def _session(self) -> Session:
        return self._plan[min(self._number, len(self._plan) - 1)]

    def shown(self) -> int:
        return self._bank + (self._session.bonus if self._session.sign == "d" else 0)

    allowed = shown

    def pay(self, spent: int) -> None:
        now = self._session
        used = spent if now.sign == "+" else max(0, spent - now.bonus)
        self._moves.append(Before(self._bank, self._gifts, self._used, self._spared))
        self._used += used
        self._bank += (now.bonus if now.sign == "+" else 0) - used
        if self._count():
            self._bank += self._session.base

    def _count(self) -> bool:
        """One more move; whether a session begins."""
        self._of_session += 1
        if self._of_session != self._session.moves:
            return False
        self._of_session, self._number = 0, self._number + 1
        return True

    def gain(self, spent: int) -> None:
        pass

    def give(self, gift: int) -> bool:
        self._bank += gift
        self._gifts += gift
        return True

    def halve(self, lost: int) -> bool:
        shown = self.shown()
        if self._moves or not 0 <= 2 * lost <= shown:
            return False
        self._bank = shown - lost
        self._plan = [Session(one.moves, -(-one.base // 2), "+", 0) for one in self._plan]
        return True

    def undo(self, moves: int) -> None:
        """What there was before them, less what was used since, and what was given meanwhile, or
        left by other takebacks beyond what there was: what a takeback left stays."""
        kept = len(self._moves) - moves
        undone = self._moves[kept:]
        if not undone:
            return
        had, gifts, used, spared = undone[0]
        less = had - (self._used - used) + (self._gifts - gifts) + (self._spared - spared)
        self._bank = max(less, min(had, self._bank, UNDONE_LEAST))
        self._spared += self._bank - less
        del self._moves[kept:]
        self._of_session = self._number = 0
        for _ in range(kept):
            self._count()


@dataclass
class ByoYomiAccount:
    """A bank, then periods, of which those are lost that were used up."""

    bank: int
    periods: int
    period: int

    def shown(self) -> int:
        return self.bank + self.periods * self.period

    allowed = shown

    def pay(self, spent: int) -> None:
        beyond = max(0, spent - self.bank)
        self.bank = max(0, self.bank - spent)
        self.periods -= max(0, -(-beyond // self.period) - 1)

    def gain(self, spent: int) -> None:
        pass

    def undo(self, moves: int) -> None:
        pass

    def give(self, gift: int) -> bool:
        self.bank += gift
        return True

    def halve(self, lost: int) -> bool:  # noqa: ARG002 - it is no bank of time alone
        return False


@dataclass
class HourglassAccount:
    """An hourglass: what one side spends the other gains."""

    sand: int

    def shown(self) -> int:
        return self.sand

    allowed = shown

    def pay(self, spent: int) -> None:
        self.sand -= spent

    def gain(self, spent: int) -> None:
        self.sand += spent

    def undo(self, moves: int) -> None:
        pass

    def give(self, gift: int) -> bool:
        self.sand += gift
        return True

    def halve(self, lost: int) -> bool:  # noqa: ARG002 - it is no bank of time alone
        return False


@dataclass
class PerMoveAccount:
    """The same for every move: days, of which a clock shows what is left; or a limit of the search,
    for which there is no clock."""

    time: int | None
    is_shown: bool

    def shown(self) -> int | None:
        return self.time if self.is_shown else None

    def allowed(self) -> int | None:
        return self.time

    def pay(self, spent: int) -> None:
        pass

    def gain(self, spent: int) -> None:
        pass

    def undo(self, moves: int) -> None:
        pass

    def give(self, gift: int) -> bool:  # noqa: ARG002 - nothing is saved from move to move
        return False

    def halve(self, lost: int) -> bool:  # noqa: ARG002 - it is no bank of time alone
        return False


UNDONE_LEAST = 10_000
"""ms that moves which are taken back leave at least, if there was as much before and after them."""

DAY = 24 * 60 * 60 * 1000
_TIME = r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+"
_SESSION = re.compile(rf"(?:([0-9]+)/)?({_TIME})(?:([+db])({_TIME}))?")


def _ms(seconds: str) -> int:
    return int(Decimal(seconds) * 1000)


def _sessions(found: re.Match[str]) -> Account:
    parts = [_SESSION.fullmatch(part) for part in found[0].split(":")]
    return Sessions(
        [
            Session(int(one[1]) if one[1] else None, _ms(one[2]), one[3] or "+", _ms(one[4] or "0"))
            for one in parts
            if one is not None
        ]
    )


_KINDS: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], Account]]] = (
    (
        re.compile(rf"({_TIME})/([0-9]+)x({_TIME})"),
        lambda found: ByoYomiAccount(_ms(found[1]), int(found[2]), _ms(found[3])),
    ),
    (re.compile(rf"({_TIME})h"), lambda found: HourglassAccount(_ms(found[1]))),
    (
        re.compile(r"([0-9]+)days?"),
        lambda found: PerMoveAccount(int(found[1]) * DAY, is_shown=True),
    ),
    (re.compile(r"movetime=([0-9]+)"), lambda found: PerMoveAccount(int(found[1]), is_shown=False)),
    (
        re.compile(r"(?:depth|nodes|mate)=[0-9]+|inf"),
        lambda _: PerMoveAccount(None, is_shown=False),
    ),
    (re.compile(rf"{_SESSION.pattern}(?::{_SESSION.pattern})*"), _sessions),
)
"""The notation of time controls, as the record has it."""


def _account(control: str) -> Account:
    for pattern, make in _KINDS:
        if (found := pattern.fullmatch(control)) is not None:
            return make(found)
    raise DisagreementError(f"{control} is no time control")


class Ledger:
    """Both accounts of a game. `control`: as recorded, White's and Black's if they differ;
    `undoes`: whether a takeback undoes what the moves had added; `conduct`: by how much the clocks
    may be overstepped."""

    def __init__(self, control: str, *, undoes: bool, conduct: str = "") -> None:
        self._undoes = undoes
        self._margins = {side: margin_of(side, conduct) for side in Side}
        self._movers: list[Side] = []
        white, _, black = control.partition("|")
        self._accounts = (_account(white), _account(black or white))

    def allowed(self, side: Side) -> int | None:
        """ms until the side's flag falls; None: it has no flag."""
        had = self._accounts[side].allowed()
        return None if had is None else had + self._margins[side]

    def has_flag(self, side: Side) -> bool:
        return self.allowed(side) is not None

    def enter(self, step: MovePlayed | Happened) -> None:
        """Raises `DisagreementError` if the clock recorded with the fact is not the balance."""
        if isinstance(step, MovePlayed):
            self._move(step)
        elif step.what is EventKind.TIME_GIVEN:
            self._give(step)
        elif step.what is EventKind.BERSERK:
            self._halve(step)
        elif step.what is EventKind.TAKEN_BACK:
            self._take_back(step.amount)

    def _take_back(self, plies: int) -> None:
        kept = len(self._movers) - plies
        undone = self._movers[kept:]
        del self._movers[kept:]
        if self._undoes:
            for side in Side:
                self._accounts[side].undo(undone.count(side))

    def _give(self, step: Happened) -> None:
        if step.side is None or not self._accounts[step.side].give(step.amount):
            raise DisagreementError(f"after ply {step.ply}: there is no clock to give time on")

    def _halve(self, step: Happened) -> None:
        if step.side is None or not self._accounts[step.side].halve(step.amount):
            raise DisagreementError(
                f"after ply {step.ply}: {step.amount} ms are given up, and the clock is none that"
                " can be halved, or had less than twice that"
            )

    def _move(self, step: MovePlayed) -> None:
        self._movers.append(step.side)
        mine, other = self._accounts[step.side], self._accounts[step.side.other]
        paid = step.spent - step.lag - step.stall
        had, margin = mine.allowed(), self._margins[step.side]
        oversteps = had is not None and margin > 0 and paid >= had
        mine.pay(max(0, (had or 0) - 1) if oversteps else paid)
        other.gain(paid)
        where = f"ply {step.ply}, {step.move}"
        if mine.shown() != step.left:
            raise DisagreementError(
                f"{where}: by its control and all that was spent the clock shows {mine.shown()} ms,"
                f" and {step.left} ms are recorded"
            )
        if had is not None and (margin or mine.shown() is not None) and paid > had + margin:
            raise DisagreementError(
                f"{where}: it took {paid} ms, and the clock had {had + margin} ms left"
            )


def margin_of(side: Side, conduct: str) -> int:
    """ms by which the side may overstep its clock."""
    found = re.search(rf"\b{side.word}-margin=([0-9]+)", conduct)
    return 0 if found is None else int(found[1])


def ledger_of(
    control: str, steps: Sequence[MovePlayed | Happened], *, undoes: bool, conduct: str = ""
) -> Ledger:
    """The accounts after all these facts.

    Raises:
        DisagreementError: a clock shows another time than it must.
    """
    ledger = Ledger(control, undoes=undoes, conduct=conduct)
    for step in steps:
        ledger.enter(step)
    return ledger
