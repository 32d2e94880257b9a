"""How people write moves, whatever the game: what of their writing does not matter."""

TEXT_MAX = 40  # longer than any move
SIGNS = "+#!?"
_IGNORED = str.maketrans("", "", SIGNS + "-=:. ")


def squeezed(text: str) -> str:
    """A move without case, signs and dashes: two that are still the same may be the same move."""
    return text.casefold().removesuffix("e.p.").removesuffix("ep").translate(_IGNORED)
