"""The lobby's lines, made from players, seeks and games."""

from collections.abc import Callable, Mapping

from ulci.protocol.lobby.lines import (
    ChallengeDecline,
    Chat,
    Entered,
    ErrorLine,
    GameList,
    Gone,
    IgnoreEnd,
    IgnoreList,
    IgnoreStart,
    IncomingChallenge,
    Line,
    ListedGame,
    ListedPlayer,
    ListedTournament,
    MatchGame,
    MatchOver,
    NextPairing,
    NoteLine,
    OpenSeek,
    OutgoingChallenge,
    OutgoingInvitation,
    PlayerList,
    Pong,
    PrivateChat,
    SeekList,
    StandingsLine,
    StandingsList,
    TournamentList,
    TournamentOver,
    WatchEnd,
    WatchStart,
    Welcome,
    Withdrawn,
)
from ulci.protocol.messages import Lobby
from ulci_server.game import GameStarted
from ulci_server.game.notices import called, one_word, strengths

from .pools import Pool
from .profile import KnownRating, Profile
from .seeks import StandingSeek

PONG = Lobby(Pong())


def word(text: str) -> str:
    """A value that may hold blanks, as one word."""
    return "_".join(text.split()) or "-"


def welcome(who: Profile, resume: str) -> Lobby:
    return Lobby(Welcome(who.handle, who.account is not None, resume))


LONGEST_START = 120
"""Characters of a start in lines sent to everybody: the longest FEN of chess has fewer."""


def short(start: str) -> str:
    """A start; a long one is cut and ends with an ellipsis."""
    return start if len(start) <= LONGEST_START else f"{start[:LONGEST_START]}…"


def seek(offered: StandingSeek) -> Lobby:
    """Sent to everybody, with a long start cut short. Those who play it get the whole."""
    start = offered.starts[0] if len(offered.starts) == 1 else None
    start = short(start) if start else None
    return Lobby(OpenSeek(*_offered(offered), start, *_wanted(offered)))


def challenge(offered: StandingSeek) -> Lobby:
    start = offered.starts[0] if len(offered.starts) == 1 else None
    return Lobby(IncomingChallenge(*_offered(offered), start or None, *_wanted(offered)))


def _wanted(offered: StandingSeek) -> tuple[str, int | None, str, tuple[int, int] | None]:
    """The fields of both after the start."""
    rating = _spelled(offered.who.ratings.get(offered.pool))
    return str(offered.pool_rules.conduct), offered.level, rating, offered.range


def _spelled(known: KnownRating | None) -> str:
    return "" if known is None else str(known)


def _offered(offered: StandingSeek) -> tuple[int, str, str, str, str, str, bool, str, int]:
    """The fields of both before the start."""
    who, lag = offered.who, offered.pool_rules.lag.value
    game, control = offered.game.name, str(offered.control)
    color, rated = offered.color, offered.rated
    return offered.id, who.handle, who.kind, game, control, color, rated, lag, offered.games


def challenging(number: int, to: Profile) -> Lobby:
    return Lobby(OutgoingChallenge(number, to.handle))


def inviting(number: int, token: str, seconds: float) -> Lobby:
    return Lobby(OutgoingInvitation(number, token, round(seconds * 1000)))


def gone(number: int) -> Lobby:
    return Lobby(Gone(number))


def match_game(
    number: int,
    game: int,
    games: int,
    player: str,
    *,
    chooser: str = "",
    seconds: float | None = None,
) -> Lobby:
    """The next game begins now, or when `chooser` has chosen its colour. seconds: how long is left
    for that; None: left out, as for a player who has reconnected."""
    within = None if seconds is None else round(seconds * 1000)
    return Lobby(MatchGame(number, game, games, player, chooser, within))


def match_over(number: int, played: int, reason: str) -> Lobby:
    return Lobby(MatchOver(number, played, reason))


def declined(number: int, who: Profile, why: str) -> Lobby:
    return Lobby(ChallengeDecline(number, who.handle, why))


def error(code: str, text: str) -> Lobby:
    return Lobby(ErrorLine(code, text))


def note(code: str, text: str) -> Lobby:
    return Lobby(NoteLine(code, text))


def namesake(who: Profile) -> Lobby:
    """Why two seeks of one name do not begin a game."""
    text = f"{who.handle} seeks such a game too, but an engine's name does not meet itself"
    return note("same-name", text)


def unmatched(why: str) -> Lobby:
    """Another player waits for the same game, and the two cannot play it together."""
    return note("cannot-play", why)


def elsewhere(handle: str, game: int | None = None) -> Lobby:
    """For a second connection: the account is online already under that handle, in that game."""
    if game is None:
        return note("here-already", f"your other connection is {handle}")
    text = f"your other connection, {handle}, is in game {game} and goes on with it"
    return note("plays-elsewhere", text)


_LISTS: Mapping[str, Callable[[int], Line]] = {
    "seeks": SeekList,
    "who": PlayerList,
    "games": GameList,
    "ignored": IgnoreList,
    "tournaments": TournamentList,
}


def count(what: str, number: int) -> Lobby:
    """Sent before a list, so that a program knows how many lines follow."""
    what, _, of = what.partition(" ")
    return Lobby(StandingsList(of, number) if what == "standings" else _LISTS[what](number))


def player(who: Profile, state: str) -> Lobby:
    rating = _spelled(who.best_known)
    return Lobby(ListedPlayer(who.handle, who.kind, state, who.levels or None, rating))


def playing(started: GameStarted, plies: int) -> Lobby:
    return Lobby(ListedGame(*_played(started), plies, *strengths(started)))


def watching(started: GameStarted, plies: int) -> Lobby:
    rated, book = started.rated, len(started.opening)
    return Lobby(WatchStart(*_played(started), rated, plies, book, *strengths(started)))


def _played(started: GameStarted) -> tuple[int, str, str, str, str]:
    white, black = (called(seat) for seat in started.seats)
    return started.game, white, black, one_word(started.rules), started.control


def unwatched(number: int) -> Lobby:
    return Lobby(WatchEnd(number))


def said(who: str, text: str) -> Lobby:
    return Lobby(Chat(who, text))


def told(who: str, text: str) -> Lobby:
    return Lobby(PrivateChat(who, text))


def ignoring(name: str) -> Lobby:
    return Lobby(IgnoreStart(name))


def not_ignoring(name: str) -> Lobby:
    return Lobby(IgnoreEnd(name))


# Tournaments


def tournament(
    name: str, format_: str, state: str, pool: Pool | None, *, entrants: int, is_open: bool
) -> Lobby:
    game = "" if pool is None else pool.game.name
    control = "" if pool is None else str(pool.control)
    return Lobby(ListedTournament(name, format_, state, game, control, entrants, is_open))


def entered(name: str, player: str, round_: int) -> Lobby:
    return Lobby(Entered(name, word(player), round_))


def withdrawn(name: str, player: str, why: str) -> Lobby:
    return Lobby(Withdrawn(name, word(player), why))


def next_pairing(name: str, round_: int, white: str, black: str, late: int) -> Lobby:
    """late: ms."""
    return Lobby(NextPairing(name, round_, word(white), word(black), late))


def standing(name: str, rank: int, player: str, points: float, games: int) -> Lobby:
    return Lobby(StandingsLine(name, rank, word(player), f"{points:g}", games))


def tournament_over(name: str, first: str) -> Lobby:
    return Lobby(TournamentOver(name, word(first) if first else ""))
