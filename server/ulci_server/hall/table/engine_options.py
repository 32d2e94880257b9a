"""The ``setoption`` lines that a player gets before a game."""

from ulci.protocol.messages import SetOption
from ulci_server.game.facts import Seat
from ulci_server.lobby import VARIANT, Agreement, Profile, spelled

# Options that mean the same in every client (UCI 2006), and their value in a game here unless the
# game needs another.
ALWAYS = {"UCI_AnalyseMode": "false", "UCI_Chess960": "false", "UCI_Variant": "chess"}


def engine_options(who: Profile, opponent: Seat, agreement: Agreement) -> tuple[SetOption, ...]:
    """Only options that the client offered, and only values that they accept."""
    wanted = {
        **ALWAYS,
        **_by_name(who, agreement),
        **_strength(who, agreement.pool_rules.elo),
        **agreement.game.needs(agreement.start).options,
        "UCI_Opponent": _opponent(opponent),
    }
    return tuple(
        SetOption(offered.name, known)
        for name, value in wanted.items()
        if (offered := who.options.get(name.lower())) is not None
        and (known := spelled(offered, value)) is not None
    )


def _by_name(who: Profile, agreement: Agreement) -> dict[str, str]:
    """The variant by name, for clients that list it."""
    option, game = who.options.get(VARIANT.lower()), agreement.game.name
    known = option is not None and option.vars and spelled(option, game) is not None
    return {VARIANT: game} if known else {}


def _strength(who: Profile, elo: int | None) -> dict[str, str]:
    """The pool's Elo within the engine's range; without one, the engine's default."""
    limit, strength = (who.options.get(name) for name in ("uci_limitstrength", "uci_elo"))
    if limit is None or strength is None:
        return {}
    if elo is None:
        return {limit.name: limit.default or "false"}
    least, most = strength.min or elo, strength.max or elo
    return {limit.name: "true", strength.name: str(max(least, min(elo, most)))}


def _opponent(seat: Seat) -> str:
    """``[GM|IM|FM|WGM|WIM|none] [<elo>|none] [computer|human] <name>`` (UCI, UCI_Opponent)."""
    kind = "human" if seat.kind == "human" else "computer"
    return f"none none {kind} {seat.name}"
