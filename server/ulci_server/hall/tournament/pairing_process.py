"""Pairs in a process of its own what would hold the loop: a Swiss of a thousand takes seconds."""

import subprocess
import sys
from collections.abc import Sequence

import msgspec
import trio

from ulci_server.tournament import Pairing, PairingRequest, pair

WORKER = "ulci_server.hall.tournament.pairing_worker"

LONGEST = 300.0
"""s for one round."""


class PairingFailedError(Exception):
    """The round cannot be paired; the text says why."""


async def paired(request: PairingRequest) -> Sequence[Pairing]:
    """The new pairings. Raises `PairingFailedError`."""
    if not request.slow:
        return pair(request)
    try:
        with trio.fail_after(LONGEST):
            done = await trio.run_process(
                [sys.executable, "-m", WORKER],
                stdin=msgspec.json.encode(request),
                capture_stdout=True,
                capture_stderr=True,
            )
        return msgspec.json.decode(done.stdout, type=list[Pairing])
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise PairingFailedError(" ".join(last) or f"exit code {error.returncode}") from error
    except trio.TooSlowError as error:
        raise PairingFailedError(f"it took more than {LONGEST:g} s") from error
    except (OSError, msgspec.DecodeError) as error:
        raise PairingFailedError(str(error)) from error
