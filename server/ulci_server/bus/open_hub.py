"""Opens the hub that a URL names."""

from .hub import Hub, HubError
from .hub_url import redis_address


def open_hub(url: str) -> Hub:
    """The hub that a URL names. Nothing is connected yet.

    Raises:
        HubError: the URL is wrong, or what it needs is not installed.
    """
    address = redis_address(url)
    try:
        from .redis_hub import RedisHub
    except ModuleNotFoundError as error:
        raise HubError(
            f"{error.name} is not installed; in the clone of this program run:"
            " .venv/bin/pip install -c constraints.txt '.[cluster]'"
        ) from error
    return RedisHub(address)
