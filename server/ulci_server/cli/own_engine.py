"""Our own small engine, which is in the same package as the server. It is run, never imported."""

import sys
from importlib.util import find_spec
from typing import Any

HOUSE = (sys.executable, "-m", "ulci_client.house_engine")
"""Its command."""

BOARDS = 4
"""It takes a tenth of a second for a move, and no more memory than a page in a browser."""


def own_engine() -> list[dict[str, Any]]:
    """As a configuration has it; empty where only the server is installed."""
    if find_spec("ulci_client") is None:
        return []
    command = [*HOUSE, "--dialect", "ulci"]
    return [{"name": "House", "command": command, "boards": BOARDS}]
