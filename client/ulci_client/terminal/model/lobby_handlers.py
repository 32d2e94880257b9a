"""Handlers for the lobby's lines, one function a line. Pure."""

from collections.abc import Iterator, Mapping

from ulci.conduct import conduct_in_words
from ulci.protocol.lobby.lines import (
    AdminAnswer,
    AdminDone,
    ChallengeDecline,
    Chat,
    ErrorLine,
    GameList,
    Gone,
    IgnoreEnd,
    IgnoreList,
    IgnoreStart,
    IncomingChallenge,
    Line,
    ListedPlayer,
    MatchGame,
    MatchOver,
    NoteLine,
    Offer,
    OpenSeek,
    OutgoingChallenge,
    OutgoingInvitation,
    PlayerList,
    PrivateChat,
    SeekList,
    WatchEnd,
    WatchStart,
    Welcome,
)
from ulci.protocol.messages import Accept, Ignore, Seek, Seeks, Watch, Who
from ulci_client.recent import MOST_LISTED
from ulci_client.reconnect import with_hint_in_words
from ulci_client.server_list import stranger

from . import confirm, lobby_game_handlers, lobby_lists, tournament_handlers, watching
from .lobby_lists import Reader, entry, is_open, unknown
from .move_entry import finish_game
from .phrases import UNHEARD, Result, lag_in_words, start_name
from .state import FRIEND, ClientState, Effect, News, NewsKind, Send

# Permanent refusals of a seek.
HOPELESS = frozenset(
    {
        *("no-such-game", "bad-time", "bad-start", "bad-range", "too-large", "cannot-play"),
        *("too-many-seeks", "too-many-games"),
    }
)

_COLORS_FOR_US = {"white": "you as Black", "black": "you as White"}


def hear(state: ClientState, line: Line, at: float) -> Iterator[Effect]:
    """Handle a line of the lobby."""
    yield from _HANDLERS.get(type(line), unknown)(state, line, at)


# Coming in


def _welcome(state: ClientState, line: Welcome, _: float) -> Iterator[Effect]:
    before, known = state.seated_at, state.secret == line.resume
    state.me, state.secret, state.seated_at = line.name, line.resume, state.server
    state.welcomed = True
    if state.playing and before != state.server and not known:
        text = stranger(before, state.server)
        yield News(NewsKind.ERROR, f"{text}.", f"error {text}")
    # What was open before a reconnection is announced again, or gone.
    for open_then in (state.seeks, state.challenges, state.challenging):
        open_then.clear()
    wished = "_".join(state.name.split())
    why = ""
    if state.me != wished:
        why = ", by your token" if line.account else f": {wished} is taken"
    yield News(NewsKind.WELCOME, f"You are {state.me} here{why}.", f"welcome {state.me}")
    if not known:  # the server does not know us, or no more
        yield from (Send(Ignore(name)) for name in sorted(state.ignored))
    if state.shows_lists:
        yield from (Send(Who()), Send(Seeks()))
    if state.playing:
        # No seek has the number 0; the answer is `busy` if our game is still on.
        state.returning = True
        yield Send(Accept(0))
    elif state.watching and state.game is not None and state.game.id is not None:
        yield Send(Watch(state.game.id))
    else:
        if state.wanted is not None:
            yield Send(Seek(state.wanted))
        if state.invited is not None:
            yield Send(state.invited)


def _error(state: ClientState, line: ErrorLine, at: float) -> Iterator[Effect]:
    if (news := confirm.answered(state, line)) is not None:
        yield from news
        return
    code, text = line.code, with_hint_in_words(line.text)
    if state.returning:
        state.returning = False
        # With `moving` nobody has heard the question; what became of the game is told without.
        answered = code not in ("busy", "moving")
        if answered and state.game is not None and state.game.unsure:
            yield from finish_game(state, Result("*", UNHEARD), at)
        return
    if code in HOPELESS:
        state.wanted = state.invited = None
    text = text or code
    yield News(NewsKind.ERROR, f"{text[:1].upper()}{text[1:]}.", f"error {text}")


def _note(_: ClientState, line: NoteLine, __: float) -> Iterator[Effect]:
    if text := line.text:
        yield News(NewsKind.SERVER, f"{text[:1].upper()}{text[1:]}.", f"server {text}")


# Seeks and challenges


def seek_in_words(one: Offer) -> str:
    """``chess 300+3, rated``."""
    words = f"{one.game} {one.time}".strip() or "a game"
    start = (start_name(one.game, one.start) or "own start") if one.start else ""
    lag = lag_in_words(one.lag) if one.lag else ""
    games = f"{one.games} games" if one.games > 1 else ""
    color = "color said later" if one.color == "later" else ""
    level = f"engine of level {one.level}" if one.level else ""
    rated = "rated" if one.rated else ""
    wanted = "" if one.range is None else f"rating {one.range[0]}-{one.range[1]}"
    conduct = conduct_in_words(one.conduct)
    said = (words, rated, wanted, level, games, color, start, lag, conduct)
    return ", ".join(filter(None, said))


def _seek(state: ClientState, one: OpenSeek, _: float) -> Iterator[Effect]:
    state.seeks[one.id] = one
    _is_here(state, one, "waiting")
    line = f"seek {one.id} {one.player} {one.kind} {seek_in_words(one)} {one.color}"
    if is_open(state, "seeks"):
        yield from entry(state, "seeks", line.removeprefix("seek "))
    elif one.player == state.me:
        yield News(NewsKind.OK, f"Your seek {one.id} is open: {seek_in_words(one)}.", line)
    elif not state.playing:
        kind = f" ({one.kind})" if one.kind else ""
        text = f"{one.player}{kind} seeks {seek_in_words(one)}: accept {one.id}"
        yield News(NewsKind.SEEK, text, line)


def _is_here(state: ClientState, one: Offer, doing: str) -> None:
    """Note that a player is here: the lobby announces no arrivals, but a player who seeks a game is
    connected."""
    if one.player not in state.players:
        state.players[one.player] = ListedPlayer(one.player, one.kind, doing)


def _gone(state: ClientState, line: Gone, _: float) -> Iterator[Effect]:
    number = line.id
    seek = state.seeks.pop(number, None)
    if (challenge := state.challenges.pop(number, None)) is not None:
        text = f"{challenge.player}'s challenge {number} is gone."
    elif (name := state.challenging.pop(number, None)) is not None:
        what = "challenge to" if name != FRIEND else "invitation of"
        text = f"Your {what} {name} is gone."
    elif seek is not None and seek.player == state.me:
        text = f"Your seek {number} is closed."
    elif seek is not None and not state.playing:
        text = f"{seek.player}'s seek {number} is gone."
    else:
        return
    yield News(NewsKind.GONE, text, f"gone {number}")


def _challenge(state: ClientState, one: IncomingChallenge, _: float) -> Iterator[Effect]:
    state.challenges[one.id] = one
    _is_here(state, one, "idle")
    if state.game is not None and state.game.over and one.player == state.last_rival:
        text = f"{one.player} wants a rematch: rematch, or decline {one.id}"
    else:
        color = _COLORS_FOR_US.get(one.color)
        what = seek_in_words(one) + (f", {color}" if color else "")
        text = f"{one.player} challenges you to {what}: accept {one.id}, or decline {one.id}"
    yield News(
        NewsKind.CHALLENGE, text, f"challenge {one.id} {one.player} {one.kind} {seek_in_words(one)}"
    )


def _challenging(state: ClientState, line: OutgoingChallenge, _: float) -> Iterator[Effect]:
    number, name = line.id, line.player
    state.challenging[number] = name
    text = f"You challenge {name}; unseek {number} takes it back."
    yield News(NewsKind.CHALLENGE, text, f"challenging {number} {name}")


def _inviting(state: ClientState, line: OutgoingInvitation, _: float) -> Iterator[Effect]:
    number, token = line.id, line.token
    state.challenging[number] = FRIEND
    text = (
        f"Your friend types join {token} here, or opens /play#join={token} at the server's page;"
        f" unseek {number} takes it back."
    )
    yield News(NewsKind.CHALLENGE, text, f"inviting {number} {token}")


def _declined(state: ClientState, line: ChallengeDecline, _: float) -> Iterator[Effect]:
    number, name = line.id, line.by
    state.challenging.pop(number, None)
    why = f": {line.text.rstrip('.')}." if line.text else "."
    plain = f"declined {number} {name} {line.text}".rstrip()
    yield News(NewsKind.GONE, f"{name} declines your challenge{why}", plain)


def _match_game(state: ClientState, line: MatchGame, _: float) -> Iterator[Effect]:
    what = f"Game {line.number} of {line.games} against {line.player}"
    if not line.chooser:
        how = "goes on" if state.playing else "begins"  # we are back in it
    elif line.chooser == state.me:
        how = "begins when you have said color white, or color black"
    else:
        seconds = "" if line.within is None else f", {line.within / 1000:g} s at most"
        how = f"begins when {line.chooser} has said the color{seconds}; unseek ends the match"
    by = f" {line.chooser}" if line.chooser else ""
    said = f"match {line.id} game {line.number} of {line.games} {line.player}{by}"
    yield News(NewsKind.CHALLENGE, f"{what} {how}.", said)


_WHY_OVER = {
    "complete": "all games are played",
    "ended": "one of you ended it",
    "left": "one of you left",
    "late": "the color was not said in time",
    "closed": "the server begins no more games",
}


def _match_over(_: ClientState, line: MatchOver, __: float) -> Iterator[Effect]:
    why = _WHY_OVER.get(line.reason, line.reason)
    number = "1 game" if line.played == 1 else f"{line.played} games"
    yield News(
        NewsKind.GONE,
        f"The match is over after {number}: {why}.",
        f"match {line.id} over {line.played} {line.reason}",
    )


# Who is here


def _player(state: ClientState, player: ListedPlayer, _: float) -> Iterator[Effect]:
    state.players[player.name] = player
    levels = f" levels 1 to {player.levels}" if player.levels else ""
    rating = f" {player.rating}" if player.rating else ""
    yield from entry(state, "who", f"{player.name}{rating} {player.kind} {player.state}{levels}")


# Talk


def _say(_: ClientState, line: Chat, __: float) -> Iterator[Effect]:
    yield News(NewsKind.SAY, f"{line.by}: {line.text}", f"say {line.by} {line.text}")


def _tell(_: ClientState, line: PrivateChat, __: float) -> Iterator[Effect]:
    yield News(NewsKind.SAY, f"{line.by} tells you: {line.text}", f"tell {line.by} {line.text}")


def _ignore(state: ClientState, line: IgnoreStart, _: float) -> Iterator[Effect]:
    is_new = line.name not in state.ignored
    if len(state.ignored) < MOST_LISTED:
        state.ignored.add(line.name)
    if is_open(state, "ignored"):
        yield from entry(state, "ignored", line.name)
    elif is_new:
        text = f"You hear nothing more from {line.name}; unignore {line.name} ends that."
        yield News(NewsKind.OK, text, f"ok ignored {line.name}")


def _unignore(state: ClientState, line: IgnoreEnd, _: float) -> Iterator[Effect]:
    state.ignored.discard(line.name)
    yield News(NewsKind.OK, f"You hear {line.name} again.", f"ok unignored {line.name}")


def _admin(_: ClientState, line: AdminAnswer | AdminDone, __: float) -> Iterator[Effect]:
    text = "done" if isinstance(line, AdminDone) else " ".join(line.words)
    yield News(NewsKind.ADMIN, f"admin: {text}", f"admin {text}")


_HANDLERS: Mapping[type, Reader] = {
    Welcome: _welcome,
    ErrorLine: _error,
    NoteLine: _note,
    OpenSeek: _seek,
    Gone: _gone,
    IncomingChallenge: _challenge,
    OutgoingChallenge: _challenging,
    OutgoingInvitation: _inviting,
    ChallengeDecline: _declined,
    MatchGame: _match_game,
    MatchOver: _match_over,
    SeekList: lobby_lists.seeks,
    PlayerList: lobby_lists.players,
    GameList: lobby_lists.games,
    ListedPlayer: _player,
    Chat: _say,
    PrivateChat: _tell,
    IgnoreStart: _ignore,
    IgnoreEnd: _unignore,
    IgnoreList: lobby_lists.ignored,
    WatchStart: watching.watch,
    WatchEnd: watching.unwatch,
    AdminAnswer: _admin,
    AdminDone: _admin,
    **lobby_game_handlers.HANDLERS,
    **tournament_handlers.HANDLERS,
}
"""Other lines are shown as they came."""
