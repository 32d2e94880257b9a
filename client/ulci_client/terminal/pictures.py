"""Men in pixels, for squares of seven columns and three rows: a sign would be lost there.

Each pixel is half a row high, which makes it about square. The top row is free in all of them, so
that men on neighbouring ranks do not grow into each other.
"""

from collections.abc import Mapping

COLUMNS, ROWS = 7, 3

# (upper pixel, lower pixel): in the man's colour on the square's
BLOCKS = {"..": " ", "#.": "▀", ".#": "▄", "##": "█"}

_PIXELS: Mapping[str, tuple[str, ...]] = {
    "k": (
        ".......",
        "...#...",
        "..###..",
        "...#...",
        ".#####.",
        ".#####.",
    ),
    "q": (
        ".......",
        "#..#..#",
        "#.###.#",
        "#######",
        ".#####.",
        ".#####.",
    ),
    "r": (
        ".......",
        ".#.#.#.",
        ".#####.",
        "..###..",
        "..###..",
        ".#####.",
    ),
    "b": (
        ".......",
        "...#...",
        "..##...",
        "..###..",
        "...#...",
        ".#####.",
    ),
    "n": (
        ".......",
        "...#...",
        "..####.",
        ".##.##.",
        "...###.",
        ".#####.",
    ),
    "p": (
        ".......",
        ".......",
        "...#...",
        "..###..",
        "..###..",
        ".#####.",
    ),
}


def _drawn(pixels: tuple[str, ...]) -> tuple[str, ...]:
    pairs = zip(pixels[::2], pixels[1::2], strict=True)
    return tuple(
        "".join(BLOCKS[upper + lower] for upper, lower in zip(*pair, strict=True)) for pair in pairs
    )


PICTURES: Mapping[str, tuple[str, ...]] = {man: _drawn(pixels) for man, pixels in _PIXELS.items()}
