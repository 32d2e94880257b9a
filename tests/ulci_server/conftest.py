"""What every module of these tests may ask for."""

from tests.support.databases import sqlite_url

__all__ = ["sqlite_url"]
