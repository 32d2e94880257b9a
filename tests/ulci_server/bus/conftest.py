"""What every module of these tests may ask for."""

from tests.support.redis_servers import redis_server, redis_url

__all__ = ["redis_server", "redis_url"]
