"""What a command imports is looked through for garbage neither at its start nor at its end."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.system

LOOKED_THROUGH = """
import atexit, gc
atexit.register(lambda: print(len(gc.get_objects())))  # called last
from ulci.command_group import LazyCommands, Place
before = gc.get_freeze_count()
LazyCommands({"engine": Place("ulci_client.house_engine.command", "")})["engine"]
print(gc.isenabled(), gc.get_freeze_count() - before > 10_000)
gc.unfreeze()  # as a server does when it ends
"""


def test_what_a_command_imports_is_set_aside_until_the_end():
    done = subprocess.run(
        [sys.executable, "-c", LOOKED_THROUGH], capture_output=True, text=True, check=True
    )
    enabled, at_end = done.stdout.splitlines()
    assert enabled == "True True"
    assert int(at_end) < 1000
