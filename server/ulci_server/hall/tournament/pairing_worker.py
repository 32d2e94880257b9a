"""Pairs a round of a Swiss by py4swiss: a request as JSON on stdin, new pairings on stdout."""

import sys
import tempfile
from pathlib import Path

import msgspec

from ulci_server.tournament import Pairing, PairingRequest

BYE = "nobody was left to play"


def pair_swiss(request: PairingRequest) -> list[Pairing]:
    """The byes of those who enter late, and all encounters of the round.

    Raises:
        ImportError: py4swiss is not installed.
        ValueError: the round cannot be paired.
    """
    from py4swiss.engines import DutchEngine
    from py4swiss.trf import TrfParser

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "round.trf"
        file.write_text(request.swiss, encoding="utf-8")
        found = DutchEngine.generate_pairings(TrfParser.parse(file))
    return pairings_of(request, [(one.white, one.black) for one in found])


def pairings_of(request: PairingRequest, found: list[tuple[int, int]]) -> list[Pairing]:
    """The pairings of a round. found: the numbers in the report of White and Black, from the first
    board on; 0 is a bye of the other one."""
    new = [*request.new]
    number, round_ = request.first_number, request.round
    for white, black in found:
        first = request.entrants[(white or black) - 1]
        if not (white and black):
            new.append(Pairing(number, round_, first, None, 0, "1-0", BYE))
            number += 1
            continue
        both = first, request.entrants[black - 1]
        for game in range(request.games):
            white_, black_ = both[::-1] if game % 2 and request.swap else both
            new.append(Pairing(number, round_, white_, black_, round_ - 1))
            number += 1
    return new


def main() -> None:
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=PairingRequest)
    try:
        new = pair_swiss(request)
    except ImportError:
        sys.exit("a Swiss is paired by py4swiss, which is not installed here: pip install py4swiss")
    except Exception as error:  # noqa: BLE001 - whatever the library raises is told in a line
        sys.exit(f"py4swiss cannot pair round {request.round}: {error}")
    sys.stdout.buffer.write(msgspec.json.encode(new))


if __name__ == "__main__":
    main()
