"""Start positions that between them have every rule of Liberty Chess, and random ones."""

import random

from ulci.rules.liberty import NAMED

STARTS = [
    *(lfen for name, lfen in NAMED.items() if name not in ("liberty", "double-chess")),
    "4k3/8/8/2BpB3/8/8/P7/4K3 w - - 0 1",  # El Vaticano
    "4k2r/3b4/3N4/3b4/8/1B6/1q6/1B2K2R w - - 0 1",
    "4k3/8/8/2BNB3/8/8/8/4K3 w - - 0 1 - qrbn ff",
    "2n1k3/8/8/8/8/b1b5/8/bRb1K3 b Q - 0 1 2,2,1,2",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1 2,2,1,2,7",  # castling
    "8/r3k2r/8/8/8/8/8/R3K2R/8 w KQkq - 0 1 2,3,2",
    "4k3/8/8/8/8/8/8/R1K4R w KQ - 0 1 - qrbn ff",
    "4k3/8/8/8/7r/8/8/R3K2K w Q - 0 1",
    "4k3/8/8/8/8/8/7K/R3K2R w KQ - 0 1",
    "4k3/p7/8/8/8/8/P7/4K3 w KQ - 0 1",
    "4k3/1p4p1/8/P6P/2P5/8/1P4P1/4K3 b - - 0 1 4,2",  # pawns
    "4k3/8/8/PPP5/8/P7/1p6/4K3 w - b3-6 0 2 5",
    "3k2/1p4/6/2P3/5K b - - 0 1 3,4 qe",
    "3k4/p6p/8/1p6/P7/8/7P/3K4 w - - 0 1 0",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    "4k3/P6P/8/8/8/8/p6p/4K3 b - - 0 1 - kmqcaehuriwbznxlop",
    "4k3/P7/8/8/8/8/7p/4K3 w - - 0 1 - qqr",
    "4k3/4r3/8/8/8/4N3/8/4K3 w - - 0 1 - qrbn ff",  # pins, friendly fire, walls, many kings
    "1k1k4/8/8/8/8/8/1R6/1K1K4 w - - 0 1",
    "2k2/5/2o1w/5/W1O2/2K1R w - - 0 1",
    "8/2k5/8/4p3/8/3I4/1p6/4K2i w - - 0 1",
    "k5i1/8/2N5/8/4K3/8/6I1/8 w - - 0 1",
    "k28r/30/30/K28R w Q - 0 1",  # files beyond z
]

_LETTERS = "pppppnnbbbbrqaclzxihumeow"


def random_lfen(rng: random.Random) -> str:
    """A small board with anything anywhere, both kings' sides of it crowded."""
    width, height = rng.randint(2, 9), rng.randint(2, 9)
    fill = rng.choice((0.15, 0.3, 0.5))
    squares = [
        rng.choice((str.upper, str.lower))(rng.choice(_LETTERS)) if rng.random() < fill else ""
        for _ in range(width * height)
    ]
    castle_row = rng.choice((1, 1, rng.randint(1, height)))
    for king, row in (("K", castle_row), ("k", height + 1 - castle_row)):
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2))):
            file = rng.randrange(width)
            rank = rng.choice((row - 1, rng.randrange(height)))
            squares[(height - 1 - rank) * width + file] = king
    ranks = (
        "".join(squares[n : n + width][i] or "1" for i in range(width))
        for n in range(0, width * height, width)
    )
    board = "/".join(_counted(rank) for rank in ranks)
    columns = rng.choice(("", f",{rng.randint(1, width)},{rng.randint(1, width)}"))
    rules = f"{rng.choice((1, 2, 2, 3, 5))},{rng.choice((1, 2, 4))},{castle_row}{columns}"
    promotions = "".join(rng.sample("kmqcaehuriwbznxlop", rng.randint(1, 5)))
    fire = rng.choice(("", "", " ff"))
    rights = "".join(letter for letter in "KQkq" if rng.random() < 0.8) or "-"
    return f"{board} {rng.choice('wb')} {rights} - 0 1 {rules} {promotions}{fire}"


def _counted(rank: str) -> str:
    """Runs of single blanks as numbers."""
    text, blanks = "", 0
    for letter in [*rank, ""]:
        if letter == "1":
            blanks += 1
        else:
            text += (str(blanks) if blanks else "") + letter
            blanks = 0
    return text
