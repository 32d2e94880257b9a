"""Men in pixels, for large squares: a sign of one cell would be lost there.

A cell holds two by two pixels, each twice as high as wide. The top row is free in all pictures, so
that men on neighbouring ranks do not grow into each other.
"""

from collections.abc import Iterable, Mapping

Picture = tuple[str, ...]

# (upper pixels, lower pixels) of one cell: in the man's colour on the square's
BLOCKS = dict(
    zip(
        [
            (upper, lower)
            for upper in ("..", "#.", ".#", "##")
            for lower in ("..", "#.", ".#", "##")
        ],
        " ▖▗▄▘▌▚▙▝▞▐▟▀▛▜█",
        strict=True,
    )
)

_SMALL: Mapping[str, Picture] = {
    "k": (
        "..............",
        "......##......",
        ".....####.....",
        "..###.##.###..",
        "..##########..",
        "...########...",
    ),
    "q": (
        "..............",
        "..#...##...#..",
        "..##.####.##..",
        "..##########..",
        "....######....",
        "...########...",
    ),
    "r": (
        "..............",
        "...##.##.##...",
        "...########...",
        "....######....",
        "....######....",
        "..##########..",
    ),
    "b": (
        "..............",
        "......##......",
        "....###.##....",
        "....##.###....",
        ".....####.....",
        "..##########..",
    ),
    "n": (
        "..............",
        "......##.#....",
        "....#######...",
        "..##########..",
        "..##...#####..",
        ".....#######..",
    ),
    "p": (
        "..............",
        "..............",
        ".....####.....",
        "....######....",
        ".....####.....",
        "...########...",
    ),
}

_LARGE: Mapping[str, Picture] = {
    "k": (
        "..................",
        "........##........",
        ".......####.......",
        "...####.##.####...",
        "...############...",
        "....##########....",
        "....##########....",
        "..................",
    ),
    "q": (
        "..................",
        "...#....##....#...",
        "...##..####..##...",
        "...############...",
        "....##########....",
        ".....########.....",
        "....##########....",
        "..................",
    ),
    "r": (
        "..................",
        "....##..##..##....",
        "....##########....",
        ".....########.....",
        ".....########.....",
        ".....########.....",
        "...############...",
        "..................",
    ),
    "b": (
        "..................",
        "........##........",
        "......####.#......",
        "......###.##......",
        "......######......",
        ".......####.......",
        "...############...",
        "..................",
    ),
    "n": (
        "..................",
        "........##.#......",
        ".....##.######....",
        "...############...",
        "...####...#####...",
        "........#######...",
        ".....##########...",
        "..................",
    ),
    "p": (
        "..................",
        "..................",
        ".......####.......",
        "......######......",
        ".......####.......",
        "......######......",
        "....##########....",
        "..................",
    ),
}


# Men that have no picture of their own are their letters, drawn large. Two of them, a cross and a
# ring, are the stones of m,n,k-games, too.
_LETTERS: Mapping[str, Picture] = {
    "a": (".###.", "#...#", "#####", "#...#", "#...#"),
    "c": (".####", "#....", "#....", "#....", ".####"),
    "e": ("#####", "#....", "####.", "#....", "#####"),
    "h": ("#...#", "#...#", "#####", "#...#", "#...#"),
    "i": (".###.", "..#..", "..#..", "..#..", ".###."),
    "l": ("#....", "#....", "#....", "#....", "#####"),
    "m": ("#...#", "##.##", "#.#.#", "#...#", "#...#"),
    "o": (".###.", "#...#", "#...#", "#...#", ".###."),
    "u": ("#...#", "#...#", "#...#", "#...#", ".###."),
    "w": ("#...#", "#...#", "#.#.#", "##.##", "#...#"),
    "x": ("#...#", ".#.#.", "..#..", ".#.#.", "#...#"),
    "z": ("#####", "...#.", "..#..", ".#...", "#####"),
}


def _lettered(letter: Picture, columns: int, below: int) -> Picture:
    """In the middle of so many pixels, with free rows above and below."""
    rows = ("." * columns, *("".join(2 * pixel for pixel in row) for row in letter))
    return tuple(
        row.center(columns, ".") for row in (*rows, *("." * columns for _ in range(below)))
    )


def _drawn(pixels: Picture) -> Picture:
    pairs = zip(pixels[::2], pixels[1::2], strict=True)
    return tuple(
        "".join(BLOCKS[cell] for cell in zip(_pairs(upper), _pairs(lower), strict=True))
        for upper, lower in pairs
    )


def _pairs(pixels: str) -> Iterable[str]:
    return (pixels[at : at + 2] for at in range(0, len(pixels), 2))


PICTURES: Mapping[tuple[int, int], Mapping[str, Picture]] = {
    (7, 3): {
        **{man: _drawn(pixels) for man, pixels in _SMALL.items()},
        **{man: _drawn(_lettered(letter, 14, 0)) for man, letter in _LETTERS.items()},
    },
    (9, 4): {
        **{man: _drawn(pixels) for man, pixels in _LARGE.items()},
        **{man: _drawn(_lettered(letter, 18, 2)) for man, letter in _LETTERS.items()},
    },
}
"""By the columns and rows of a square and the man's letter: a text for each row."""
