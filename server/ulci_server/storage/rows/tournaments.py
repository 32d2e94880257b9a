"""The rows of tournaments: themselves, their entrants, pairings and games."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ulci_server.storage.records import (
    EntrantRecord,
    PairingRecord,
    TournamentGame,
    TournamentRecord,
    TournamentState,
)
from ulci_server.storage.untrusted import text


def tournament_record(row: Mapping[str, Any]) -> TournamentRecord:
    return TournamentRecord(
        row["id"],
        row["settings"],
        row["seed"],
        json.loads(row["files"]),
        row["started_at"],
        row["book"],
        row["word"],
        TournamentState(row["state"]),
        row["by"],
        row["begun_at"],
        row["changes"],
        row["allowed_round"],
        row["why_paused"],
    )


def entrant_row(tournament: int, one: EntrantRecord, at: datetime) -> dict[str, object]:
    return {
        "tournament_id": tournament,
        "number": one.number,
        "name": text(one.name),
        "player_id": one.account,
        "engine": text(one.engine),
        "remote": text(one.remote),
        "rating": one.rating,
        "boards": one.boards,
        "joined": one.joined,
        "left": one.left,
        "why": text(one.why),
        "at": at,
    }


def entrant_record(row: Mapping[str, Any]) -> EntrantRecord:
    return EntrantRecord(
        row["number"],
        row["name"],
        row["player_id"],
        row["engine"],
        row["remote"],
        row["rating"],
        row["boards"],
        row["joined"],
        row["left"],
        row["why"],
    )


def pairing_row(tournament: int, one: PairingRecord, at: datetime) -> dict[str, object]:
    row = one._asdict()
    row.update(tournament_id=tournament, at=at, why=text(one.why), by=text(one.by))
    return row


def pairing_record(row: Mapping[str, Any]) -> PairingRecord:
    return PairingRecord(*(row[name] for name in PairingRecord._fields))


def game_of_tournament(row: Mapping[str, Any]) -> TournamentGame:
    """Of a row of `ENCOUNTERS` joined with its game."""
    return TournamentGame(
        row["number"],
        row["game_id"],
        row["result"],
        row["reason"] or "",
        row["fault"] or "",
        (row["white_moves"], row["black_moves"]),
        (bool(row["white_berserk"]), bool(row["black_berserk"])),
        row["finished_at"],
    )
