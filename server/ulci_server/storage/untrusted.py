"""Makes data from people and programs fit into columns.

Their scores, node counts, names and reports are never trusted to fit: a number that no column holds
is left out, a character that no database accepts is replaced, and long text is truncated. A move
must not be lost because of the analysis sent with it.
"""

from ulci.protocol.messages import Info

LONGEST_PV = 200
"""Characters that are kept of a main variation: forty plies of chess. Some engines send as many
with every move as fit in a line."""

LONGEST_REPORT = 500
"""Characters that are kept of an error report; a game may have a hundred."""

INT32 = 2**31 - 1
INT64 = 2**63 - 1


Analysis = tuple[int | None, int | None, str | None, int | None, int | None, int | None, str | None]
"""Score in centipawns, in moves to mate, its bound; depth, nodes, time in ms, main variation."""


def text(said: str) -> str:
    """The text as a database accepts it: PostgreSQL no NUL, and none a lone surrogate."""
    if said.isascii() and "\0" not in said:
        return said
    return said.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def analysis_untrusted(info: Info, longest_pv: int) -> Analysis:
    """The part of it that fits. Runs for every move, so it avoids function calls."""
    cp = mate = bound = None
    if (score := info.score) is not None:
        cp, mate = score.cp, score.mate
        if mate is not None and abs(mate) > INT32:
            mate = None
        if cp is not None and (mate is not None or abs(cp) > INT32):
            cp = None
        if score.bound is not None and (cp is not None or mate is not None):
            bound = score.bound.value
    depth, nodes, time = info.depth, info.nodes, info.time
    if depth is not None and abs(depth) > INT32:
        depth = None
    if nodes is not None and abs(nodes) > INT64:
        nodes = None
    if time is not None and abs(time) > INT64:
        time = None
    pv = " ".join(info.pv)
    if len(pv) > longest_pv:
        pv, _, _ = pv[: longest_pv + 1].rpartition(" ")  # whole moves only
    return cp, mate, bound, depth, nodes, time, text(pv) or None
