"""One tournament: what has happened, what is due, and who leads."""

from collections.abc import Iterable, Mapping, Sequence

from ulci_server.statistics import Estimate, Tally, estimate

from .formats import FORMATS, PairingRequest, prepared
from .formats.format import ranked
from .records import Entrant, GameResult, Pairing
from .schedule import Encounter
from .settings import TournamentSettings
from .standings import RunningTest, Standings, StandingsEntry
from .state import State
from .trf import report_until_now

MOST_IN_CROSSTABLE = 120
"""Entrants in a cross table of what each two have played: more do not fit anywhere."""


class Tournament:
    """Built from what is stored, at any moment: it decides then as it would have without an end,
    except that two who met last begin to wait for others again (`formats.ladder.Neighbours`).
    seed: of all its chance."""

    def __init__(
        self,
        settings: TournamentSettings,
        seed: int,
        entrants: Iterable[Entrant] = (),
        pairings: Iterable[Pairing] = (),
        results: Iterable[GameResult] = (),
    ) -> None:
        self.settings = settings
        self._state = State(settings, seed)
        self._format = FORMATS[settings.format](self._state)
        self._estimates: dict[int, tuple[Tally, Estimate]] = {}
        self._closed = False
        for entrant in entrants:
            self._state.put_entrant(entrant)
        for pairing in sorted(pairings, key=lambda one: one.number):
            self._state.put_pairing(pairing)
        for result in results:
            self._state.put_result(result)
        self.now()  # all figures are made here, where it may take long, and kept

    @property
    def entrants(self) -> Mapping[int, Entrant]:
        """By their numbers."""
        return self._state.entrants

    @property
    def pairings(self) -> Mapping[int, Pairing]:
        """By their numbers, void ones and byes included."""
        return self._state.pairings

    @property
    def last_round(self) -> int:
        """The last round that is paired; 0: none."""
        return self._state.last_round

    @property
    def takes_late(self) -> bool:
        """Whether one may enter after the first round has been paired."""
        return self._format.late_entry

    @property
    def pairs_here(self) -> bool:
        """Whether only those who are here and free are paired."""
        return self._format.pairs_here

    @property
    def state(self) -> State:
        """For reports."""
        return self._state

    # What happened

    def put_entrant(self, entrant: Entrant) -> None:
        """A new one, or a change of one."""
        self._state.put_entrant(entrant)

    def put_pairings(self, pairings: Iterable[Pairing]) -> None:
        """New ones, or changes of those that are known."""
        for pairing in pairings:
            self._state.put_pairing(pairing)

    def finish(self, result: GameResult) -> None:
        """The game of a pairing is over."""
        self._state.put_result(result)

    def close(self) -> None:
        """It is over, or was stopped."""
        self._closed = True
        self._state.version += 1

    # What is due

    def request(self, at: float, free: Mapping[int, int]) -> PairingRequest | None:
        """What is to be paired now; None: nothing. at: s since the tournament began. free: for how
        many games entrants are here and free, by their numbers."""
        return None if self._format.is_over(at) else self._format.pair(at, free)

    def prepared(self, request: PairingRequest) -> PairingRequest:
        """A slow request with its description. For a worker thread, while nothing changes here."""
        return prepared(self._state, request.round) if request.slow else request

    def open_pairings(self) -> Sequence[Pairing]:
        """To be played: neither decided nor void, in order."""
        return [*self._state.open.values()]

    def replay_of(self, number: int) -> tuple[Pairing, ...]:
        """What becomes void when the game of that pairing has no result: all games of the pair, as
        their results depend on each other. A new pair follows (`request`)."""
        pairing = self._state.pairings[number]
        if pairing.void or pairing.score is not None:
            return ()
        return tuple(self._state.pairings[one] for one in self._state.pairs[pairing.key])

    def is_over(self, at: float) -> bool:
        """Whether no more is paired. at: as in `request`."""
        return self._format.is_over(at)

    def wakes_at(self) -> float | None:
        """When something may be due without an event, in s since it began; None: never."""
        return self._format.wakes_at()

    # Who leads

    @property
    def version(self) -> int:
        """Changes whenever the standings do."""
        return self._state.version

    def now(self) -> Standings:
        """The standings. 1,000 entrants are a sort and some milliseconds."""
        state, settings = self._state, self.settings
        entries = []
        for number, ties, rank in ranked(self._format.ties()):
            entrant, tally = state.entrants[number], state.tally(number)
            entries.append(
                StandingsEntry(
                    rank,
                    number - 1,
                    entrant.name,
                    ties.points,
                    tally,
                    self._estimate(number, tally),
                    (*zip(self._format.names, ties.figures, strict=True),),
                    ties.note or ("left" if entrant.left is not None else ""),
                )
            )
        return Standings(
            finished=state.counted.finished,
            total=self._format.most_games,
            is_over=self._closed,
            by_pairs=settings.by_pairs,
            entries=entries,
            encounters=self._encounters(),
            test=self._test(),
            course=self._format.course,
            rounds=state.last_round,
        )

    def report(self) -> str:
        """FIDE's report TRF16 of all rounds that are decided, with the ranks of the standings."""
        return report_until_now(self._state, [n for n, _, _ in ranked(self._format.ties())])

    def _estimate(self, number: int, tally: Tally) -> Estimate:
        known = self._estimates.get(number)
        if known is None or known[0] is not tally:
            found = estimate(tally.counted(by_pairs=self.settings.by_pairs))
            known = self._estimates[number] = tally, found
        return known[1]

    def _encounters(self) -> Mapping[Encounter, Tally]:
        state = self._state
        if len(state.entrants) > MOST_IN_CROSSTABLE:
            return {}
        return {
            (first - 1, second - 1): state.tally_against(first, second)
            for first, second, _, _ in sorted(state.counted.met())
        }

    def _test(self) -> RunningTest | None:
        test = self.settings.test
        if test is None or len(self._state.entrants) < 2:
            return None
        return RunningTest(test, self._format.llr, self._format.accepted)


def pair(request: PairingRequest) -> list[Pairing]:
    """The new pairings of a request that is not slow."""
    assert not request.slow
    return [*request.new]
