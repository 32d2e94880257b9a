"""The types and tables themselves."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import postgresql, sqlite

from ulci_server.storage.schema import METADATA, UtcTime, utc_text

ZONES = st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(datetime(1970, 1, 2), datetime(2999, 1, 1), timezones=ZONES)  # noqa: DTZ001


@given(TIMES, TIMES)
def test_times_as_text_sort_as_times(one: datetime, other: datetime) -> None:
    assert (utc_text(one) < utc_text(other)) is (one < other)
    assert len(utc_text(one)) == 32


@given(TIMES)
def test_times_come_back_from_every_database_in_utc(at: datetime) -> None:
    for dialect in (sqlite.dialect(), postgresql.dialect()):
        read = UtcTime().process_result_value(UtcTime().process_bind_param(at, dialect), dialect)

        assert read == at
        assert read is not None
        assert read.tzinfo is UTC


def test_no_time_is_no_time() -> None:
    for dialect in (sqlite.dialect(), postgresql.dialect()):
        assert UtcTime().process_bind_param(None, dialect) is None
        assert UtcTime().process_result_value(None, dialect) is None


def test_every_rule_has_a_name_by_which_a_migration_can_change_it() -> None:
    nameless = [
        constraint
        for table in METADATA.tables.values()
        for constraint in table.constraints
        if constraint.name is None
    ]

    assert nameless == []
