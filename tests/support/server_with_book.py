"""``server_with_book.py serve …`` is ``ulci-server serve …`` whose players agree on an opening: the
moves that `BOOK` has in the environment."""

import os
from dataclasses import replace

from ulci_server.cli import main
from ulci_server.lobby import Agreement, pairing, seeks

BOOK = "ULCI_TEST_BOOK"


def agreed(a: seeks.StandingSeek, b: seeks.StandingSeek, start: str | None) -> Agreement:
    return replace(seeks.agreed(a, b, start), opening=(*os.environ[BOOK].split(),))


if __name__ == "__main__":
    pairing.agreed = agreed
    main()
