"""Named start positions, as ULCI programs offer them in their menus."""

from collections.abc import Mapping
from types import MappingProxyType

STANDARD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LIBERTY = (
    "ruabhqkhbcur/wlzenxxnezlw/pppppppppppp/12/12/12/12/12/12/PPPPPPPPPPPP/WLZENXXNEZLW/RUABHQKHBCUR"
    " w KQkq - 0 1 3,3 qcaehurwbznxl"
)

NAMED: Mapping[str, str] = MappingProxyType(
    {
        "standard": STANDARD,
        "liberty": LIBERTY,
        "mini": "qkbnr/ppppp/5/5/PPPPP/QKBNR w Kk - 0 1 1",
        "capablanca-rectangle": (
            "rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNABQKBCNR w KQkq - 0 1 - qcarbn"
        ),
        "capablanca": (
            "rnabqkbcnr/pppppppppp/10/10/10/10/10/10/PPPPPPPPPP/RNABQKBCNR w KQkq - 0 1 3 qcarbn"
        ),
        "mongol": "nnnnknnn/pppppppp/8/8/8/8/PPPPPPPP/NNNNKNNN w - - 0 1 - iznl",
        "african": "lnzekznl/pppppppp/8/8/8/8/PPPPPPPP/LNZEKZNL w - - 0 1 - enzl",
        "narnia": "uuqkkquu/pppppppp/8/8/8/8/PPPPPPPP/UUQKKQUU w - - 0 1 - u",
        "trump": "rwwwkwwr/pppppppp/8/8/8/8/PPPPPPPP/RWWWKWWR w KQkq - 0 1 - mrw",
        "loaded-board": (
            "rrrqkrrr/bbbbbbbb/nnnnnnnn/pppppppp/PPPPPPPP/NNNNNNNN/BBBBBBBB/RRRQKRRR w KQkq - 0 1"
        ),
        "double-chess": (
            "rnbqkbnrrnbqkbnr/pppppppppppppppp/16/16/16/16/PPPPPPPPPPPPPPPP/RNBQKBNRRNBQKBNR"
            " w KQkq - 0 1"
        ),
        "horde": "rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1",
        "elimination": "rnbqxbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQXBNR w - - 0 1 - qrbnx",
        "pawns": "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    }
)
"""By name, in lower case."""

_OTHERWISE = {
    "startpos": "standard",
    "chess": "standard",
    "double": "double-chess",
    "loaded": "loaded-board",
}


def named(text: str) -> str | None:
    """The L-FEN of that name, in any spelling (``Mini chess``, ``LOADED_BOARD``); None if there is
    none."""
    name = "-".join(text.replace("_", " ").replace("-", " ").casefold().split())
    name = _OTHERWISE.get(name, name)
    return NAMED.get(name) or NAMED.get(name.removesuffix("-chess"))
