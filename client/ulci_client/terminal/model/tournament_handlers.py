"""Handlers for the lines of tournaments, one function a line. Pure."""

from collections.abc import Iterator, Mapping

from ulci.protocol.lobby.lines import (
    Entered,
    ListedTournament,
    NextPairing,
    StandingsLine,
    StandingsList,
    TournamentList,
    TournamentOver,
    Withdrawn,
)

from . import lobby_lists
from .lobby_lists import Reader, entry
from .state import ClientState, Effect, News, NewsKind


def _tournament(state: ClientState, line: ListedTournament, _: float) -> Iterator[Effect]:
    players = "1 entrant" if line.entrants == 1 else f"{line.entrants} entrants"
    may_enter = ", open" if line.open else ""
    told = f"{line.name}: {line.format} {line.game} {line.time}, {line.state}, {players}{may_enter}"
    yield from entry(state, "tournaments", told)


def _standing(state: ClientState, line: StandingsLine, _: float) -> Iterator[Effect]:
    games = "1 game" if line.games == 1 else f"{line.games} games"
    told = f"{line.rank:>4}  {line.player:<24} {line.points:>6}  {games}"
    yield from entry(state, "standings", told)


def _entered(_: ClientState, line: Entered, __: float) -> Iterator[Effect]:
    since = "" if line.round == 1 else f" from round {line.round} on"
    text = f"You play in {line.name} as {line.player}{since}; withdraw {line.name} ends that."
    yield News(NewsKind.OK, text, f"ok entered {line.name} {line.round}")


def _withdrawn(_: ClientState, line: Withdrawn, __: float) -> Iterator[Effect]:
    why = f": {line.text}" if line.text else ""
    text = f"{line.player} plays no further game of {line.name}{why}."
    yield News(NewsKind.GONE, text, f"withdrawn {line.name} {line.text}".rstrip())


def _pairing(_: ClientState, line: NextPairing, __: float) -> Iterator[Effect]:
    late = f"; a player absent for {line.late / 1000:g} s loses" if line.late else ""
    text = f"{line.name}, round {line.round}: {line.white} against {line.black}{late}."
    plain = f"pairing {line.name} {line.round} {line.white} {line.black}"
    yield News(NewsKind.CHALLENGE, text, plain)


def _over(_: ClientState, line: TournamentOver, __: float) -> Iterator[Effect]:
    first = f": {line.first} is first" if line.first else ""
    text = f"The tournament {line.name} is over{first}."
    yield News(NewsKind.GONE, text, f"tournament-over {line.name} {line.first}".rstrip())


HANDLERS: Mapping[type, Reader] = {
    TournamentList: lobby_lists.tournaments,
    ListedTournament: _tournament,
    StandingsList: lobby_lists.standings,
    StandingsLine: _standing,
    Entered: _entered,
    Withdrawn: _withdrawn,
    NextPairing: _pairing,
    TournamentOver: _over,
}
