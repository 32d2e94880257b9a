"""Which games of a match or tournament the games are."""

from collections.abc import Mapping
from typing import Any

from ulci_server.game import EncounterBegun
from ulci_server.storage.records import EncounterRecord
from ulci_server.storage.schema import ENCOUNTERS
from ulci_server.storage.statements import Kind, RowsOfFact, Saving, insert

from .games import game_record

ADD_ENCOUNTER = insert(ENCOUNTERS, ("game_id", "tournament_id", "number"))


def _begun(fact: EncounterBegun, _: object, __: Saving) -> RowsOfFact:
    return ((ADD_ENCOUNTER, (fact.game, fact.tournament, fact.number)),)


ENCOUNTER = Kind(EncounterBegun, _begun, ADD_ENCOUNTER)


def encounter_record(row: Mapping[str, Any]) -> EncounterRecord:
    """Of a row of `ENCOUNTERS` joined with its game."""
    return EncounterRecord(row["number"], game_record(row))
