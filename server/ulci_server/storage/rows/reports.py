"""Reports of errors. They have no key."""

from collections.abc import Mapping
from typing import Any

from ulci.rules import Side
from ulci_server.game import Reported
from ulci_server.storage.records import ReportRecord
from ulci_server.storage.schema import REPORTS
from ulci_server.storage.statements import Kind, RowsOfFact, Saving, insert_unkeyed
from ulci_server.storage.untrusted import LONGEST_REPORT, text

ADD_REPORT = insert_unkeyed(REPORTS, ("game_id", "ply", "side", "source", "text", "at"))


def _reported(fact: Reported, at: object, _: Saving) -> RowsOfFact:
    said = text(fact.text[:LONGEST_REPORT])
    return ((ADD_REPORT, (fact.game, fact.ply, int(fact.side), fact.source, said, at) * 2),)


REPORTED = Kind(Reported, _reported, ADD_REPORT)


def report_record(row: Mapping[str, Any]) -> ReportRecord:
    return ReportRecord(
        game=row["game_id"],
        ply=row["ply"],
        side=Side(row["side"]),
        source=row["source"],
        text=row["text"],
        at=row["at"],
    )
