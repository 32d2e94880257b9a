"""Pieces as pixel pictures, for squares in which a sign of one cell would look lost.

A cell holds two by two pixels, each twice as high as wide. The top row of every picture is empty,
so that pieces on neighbouring ranks do not touch.
"""

from collections.abc import Iterable, Mapping

Picture = tuple[str, ...]

# By (upper, lower) pixels of a cell
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


# Pieces without a picture are large letters; x and o are also the stones of m,n,k-games.
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
    """Centred in so many columns of pixels, with empty rows above and below."""
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
"""By a square's (columns, rows) and the piece's letter: a text for each row."""
