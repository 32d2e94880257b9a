"""The ``setoption`` lines that a player gets before a game."""

from ulci.protocol.messages import SetOption
from ulci_server.game.facts import Seat
from ulci_server.lobby import VARIANT, Agreement, Profile, levels, spelled

# Options that mean the same in every client (UCI 2006), and their value in a game here unless the
# game needs another.
ALWAYS = {"UCI_AnalyseMode": "false", "UCI_Chess960": "false", "UCI_Variant": "chess"}


def engine_options(who: Profile, opponent: Seat, agreement: Agreement) -> tuple[SetOption, ...]:
    """Only options that the client offered, and only values that they accept."""
    wanted = {
        **ALWAYS,
        **_by_name(who, agreement),
        **_strength(who, agreement),
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


def _strength(who: Profile, agreement: Agreement) -> dict[str, str]:
    """Of a program of our servers by the level that was agreed on, of others by the Elo of the
    pool; without one of these, the strength that the engine has by itself."""
    elo = agreement.pool_rules.elo
    if agreement.level is not None and who.of_server:
        return levels.at_level(who.options, agreement.level)
    if elo is not None:
        return levels.at_elo(who.options, elo)
    return levels.usual(who.options, has_levels=who.levels > 0)


def _opponent(seat: Seat) -> str:
    """``[GM|IM|FM|WGM|WIM|none] [<elo>|none] [computer|human] <name>`` (UCI, UCI_Opponent)."""
    kind = "human" if seat.kind == "human" else "computer"
    return f"none {'none' if seat.rating is None else seat.rating} {kind} {seat.name}"
