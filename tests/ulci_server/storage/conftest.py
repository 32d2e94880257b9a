"""What every module of these tests may ask for."""

from tests.support.databases import (
    database_url,
    postgres_url,
    repository,
    sql_repository,
    sqlite_url,
    start,
)

__all__ = ["database_url", "postgres_url", "repository", "sql_repository", "sqlite_url", "start"]
