import pytest

from ulci_client.terminal.view.theme import (
    ASCII,
    COLOR,
    FEW_COLORS,
    LETTERS,
    MONO,
    SLATE,
    Theme,
    theme_for,
)


@pytest.mark.parametrize(
    ("environment", "theme"),
    [
        ({"TERM": "xterm-256color"}, COLOR),
        ({"TERM": "xterm"}, COLOR),
        ({"TERM": "linux"}, LETTERS),
        ({"TERM": "screen"}, FEW_COLORS),
        ({"TERM": "screen", "COLORTERM": "truecolor"}, COLOR),
        ({"TERM": "dumb"}, MONO),
        ({}, MONO),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, MONO),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, COLOR),
    ],
)
def test_the_theme_suits_the_terminal(environment: dict[str, str], theme: Theme) -> None:
    assert theme_for(environment) is theme
    assert theme_for(environment, ascii_only=True) is ASCII


def test_ascii_is_ascii_and_has_no_style() -> None:
    signs = (ASCII.dark, ASCII.rule, ASCII.active, ASCII.dot, ASCII.man("k"))
    assert all(sign.isascii() for sign in signs)
    assert ASCII.style == {}


def test_without_colors_no_style_names_one() -> None:
    words = {word for style in MONO.style.values() for word in style.split()}
    assert words <= {"bold", "reverse", "underline"}


def test_men_without_a_sign_are_letters() -> None:
    assert (COLOR.man("N"), COLOR.man("n")) == ("♞", "♞")
    assert (COLOR.man("Z"), MONO.man("N")) == ("Z", "N")


def luminance(color: str) -> float:
    """Relative luminance (WCAG 2.1) of ``#rrggbb``."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("square", [*SLATE.plain, *SLATE.last, SLATE.check[1]])
def test_white_and_black_men_stand_out_on_every_square(square: str) -> None:
    light = (1.05) / (luminance(square) + 0.05)
    dark = (luminance(square) + 0.05) / 0.05
    assert light >= 3
    assert dark >= 2.5
