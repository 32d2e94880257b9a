"""What every module of these tests may ask for."""

from tests.support.databases import database_url, postgres_url, start
from tests.support.redis_servers import redis_url

__all__ = ["database_url", "postgres_url", "redis_url", "start"]
