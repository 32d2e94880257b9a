"""What every module of these tests may ask for."""

from tests.support.databases import (
    database,
    database_url,
    postgres_url,
    sql_database,
    sqlite_url,
    start,
)

__all__ = ["database", "database_url", "postgres_url", "sql_database", "sqlite_url", "start"]
