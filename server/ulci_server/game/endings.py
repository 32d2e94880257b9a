"""Every way to end a game, with the sentence for the record: one function each."""

from dataclasses import dataclass

from ulci.rules import Outcome, Reason, Side

from .facts import Seat

LONGEST_QUOTE = 80
"""Characters of a player's text in the record: enough for any move."""

LONGEST_REASON = 200
"""Characters of a program's own text in the record of an ending."""

FLAG = "the flag of "
"""Begins the evidence of a loss, a draw or an abort by time."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A result, one sentence of evidence, and the sides that caused an abort."""

    outcome: Outcome
    detail: str = ""
    fault: frozenset[Side] = frozenset()


@dataclass(frozen=True, slots=True)
class Endings:
    """The endings of one game, by its players."""

    seats: tuple[Seat, Seat]

    def who(self, side: Side) -> str:
        """The side and its player, such as ``White (Ada)``."""
        return f"{side.name.title()} ({self.seats[side].name})"

    def by_rules(self, outcome: Outcome) -> Ending:
        return Ending(outcome)

    def resigned(self, side: Side) -> Ending:
        return Ending(Outcome(side.other, Reason.RESIGNATION), f"{self.who(side)} resigned")

    def agreed(self, offered: Side) -> Ending:
        return Ending(
            Outcome(None, Reason.AGREEMENT),
            f"{self.who(offered)} offered a draw and {self.who(offered.other)} accepted",
        )

    def claimed(self, side: Side, reason: Reason) -> Ending:
        return Ending(Outcome(None, reason), f"{self.who(side)} claimed the draw")

    def flag(self, side: Side, ply: int, had: tuple[int, int], *, can_win: bool = True) -> Ending:
        """The side's flag fell: a loss, unless the opponent could never have won (not `can_win`,
        FIDE 6.9). had: ms that the side had for the move, and ms for the network."""
        detail = self._fell(side, ply, had)
        if can_win:
            return Ending(Outcome(side.other, Reason.TIME), detail)
        return Ending(
            Outcome(None, Reason.TIME_INSUFFICIENT),
            f"{detail}, and {self.who(side.other)} cannot win",
        )

    def never_moved(self, side: Side, ply: int, had: tuple[int, int]) -> Ending:
        """The side's flag fell before its first move: the game is aborted, as nobody loses by time
        or by leaving until both have moved. That includes engines: one that never answers is
        misconfigured, and a result would say nothing about its play."""
        return self.aborted(f"{self._fell(side, ply, had)}, and it had made no move", side)

    def _fell(self, side: Side, ply: int, had: tuple[int, int]) -> str:
        left, lag = had
        credit = f" and {_seconds(lag)} for the network" if lag else ""
        return f"{FLAG}{self.who(side)} fell at ply {ply}, after {_seconds(left)}{credit}"

    def drawn_for_absence(self, side: Side, why: str) -> Ending:
        """The side was absent, and its opponent claimed a draw instead of the win."""
        detail = f"{self.who(side)} {why}, and {self.who(side.other)} claimed a draw"
        return Ending(Outcome(None, Reason.DISCONNECT), detail)

    def ruled(self, outcome: Outcome, why: str) -> Ending:
        return Ending(outcome, why)

    def illegal(self, side: Side, move: str, fen: str, why: str) -> Ending:
        return Ending(
            Outcome(side.other, Reason.ILLEGAL_MOVE),
            f"{self.who(side)} played {quote(move)} in {fen}: {why}",
        )

    def gone(self, side: Side, why: str) -> Ending:
        return Ending(Outcome(side.other, Reason.DISCONNECT), f"{self.who(side)} {why}")

    def adjudicated(self, winner: Side | None, why: str) -> Ending:
        """A rule of the pool, or an administrator, decided; `why` names the rule or the person."""
        if winner is None:
            return Ending(Outcome(None, Reason.ADJUDICATION), f"a draw by adjudication: {why}")
        return Ending(
            Outcome(winner, Reason.ADJUDICATION),
            f"{self.who(winner)} won by adjudication: {why}",
        )

    def aborted(self, why: str, *fault: Side) -> Ending:
        return Ending(Outcome(None, Reason.ABORTED), why, frozenset(fault))

    def server(self, why: str) -> Ending:
        return Ending(Outcome(None, Reason.SERVER), why)


def quote(move: str) -> str:
    """A player's text for one line: short, printable, in quotes."""
    text = "".join(letter if letter.isprintable() else "?" for letter in move[: LONGEST_QUOTE + 1])
    return f"'{text[:LONGEST_QUOTE]}{'…' if len(text) > LONGEST_QUOTE else ''}'"


def quote_reason(text: str) -> str:
    """A program's own reason, shortened for the record."""
    return text if len(text) <= LONGEST_REASON else f"{text[: LONGEST_REASON - 1]}…"


def _seconds(ms: int) -> str:
    """Seconds for people, who read them at the end of their game."""
    return f"{ms / 1000:.3f} s"
