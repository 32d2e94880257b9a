"""Checks the variations that engines print: legal to their end, and a mate where one is claimed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ulci.protocol import UCI, read_info_untrusted
from ulci.protocol.messages import Info
from ulci.rules import GAMES, Illegal, Over, Position, Reason, StartError
from ulci.rules.starts import opened
from ulci_server.storage import GameRecord, MoveRecord

from .analyses import Said

_AFTER: Mapping[Reason, str] = {
    Reason.REPETITION: "threefold repetition",
    Reason.FIFTY_MOVES: "fifty-move rule",
    Reason.CHECKMATE: "checkmate",
    Reason.STALEMATE: "stalemate",
}
"""Ends of a game after which a variation must not go on. Engines need not know others, such as by
insufficient material."""


def doubts(
    game: GameRecord, moves: Sequence[MoveRecord], said: Mapping[int, Said], names: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """What is wrong with the variations of a game: the warning, the analysis, and the position. The
    last variation of each move is checked, and whether the move is its first; and all that claim a
    mate, where they are known. names: White's and Black's. Replays the game, if it has a start."""
    if game.rules not in GAMES:
        return
    try:
        position = opened(GAMES[game.rules], game.start, game.opening)
    except StartError:
        return
    for move in moves:
        for wrong, line in _faults(position, move, said.get(move.ply)):
            yield (
                f"Warning; {wrong} from {names[move.side]}",
                f"Info; {line}",
                f"Position; {'startpos' if game.start is None else f'fen {game.start}'}",
                f"Moves; {' '.join(position.moves)}",
            )
        position.play_untrusted(move.move)


def _faults(position: Position, move: MoveRecord, said: Said | None) -> Iterator[tuple[str, str]]:
    """What is wrong with the analyses of a move, each with its line."""
    known = set[Sequence[str]]()
    for line in () if said is None else said.mates:
        info = read_info_untrusted(line)
        known.add(info.pv)
        if info.pv and (wrong := _no_mate(info, _play(position, info.pv))):
            yield wrong, line
    info = move.info or Info()
    if not info.pv:
        return
    line, played = UCI.show(info), _play(position, info.pv)
    if played.wrong:
        if info.pv not in known:
            yield played.wrong, line
    elif played.first != move.move and not _is_bound(info):
        yield f"Bestmove does not match beginning of last PV - move {move.move}", line


class _Played(NamedTuple):
    """How the moves of a variation could be made. wrong: why not, empty if they could. first: the
    first one, as a position spells it. ended: how the game ended with the last."""

    wrong: str
    first: str
    ended: Reason | None


def _play(position: Position, variation: Sequence[str]) -> _Played:
    """Make the moves, and take them back."""
    made: list[str] = []
    ended, wrong = None, ""
    for move in variation:
        if ended is not None:
            wrong = f"PV continues after {_AFTER[ended]} - move {move}" if ended in _AFTER else ""
            break
        verdict = position.play_untrusted(move)
        if isinstance(verdict, Illegal):
            wrong = f"Illegal PV move - move {move}"
            break
        made.append(verdict.move)
        if isinstance(verdict, Over):
            ended = verdict.outcome.reason
    if made:
        position.take_back(len(made))
    return _Played(wrong, made[0] if made else "", ended)


def _no_mate(info: Info, played: _Played) -> str:
    """What is wrong with a variation to a mate in so many moves; empty if nothing is."""
    if played.wrong or info.score is None or info.score.mate is None or _is_bound(info):
        return played.wrong
    mate = info.score.mate
    plies = 2 * mate - 1 if mate > 0 else -2 * mate
    if len(info.pv) < plies:
        return "Incomplete mating PV -"
    if len(info.pv) > plies:
        return "Too long mating PV -"
    return "" if played.ended is Reason.CHECKMATE else "Mating PV does not end with checkmate -"


def _is_bound(info: Info) -> bool:
    return info.score is not None and info.score.bound is not None
