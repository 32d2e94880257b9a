"""A client's profile: what it declared about itself, and what it can therefore play."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ulci.protocol.messages import Id, Option, OptionType
from ulci.protocol.text import plain
from ulci.rules import Needs
from ulci_server.game.facts import Kind, Seat

from . import levels
from .names import looks, taken_for, visible
from .programs import ServerProgram

# A client that declares no pieces plays with those of standard chess (ULCI, "id pieces").
STANDARD_PIECES = frozenset("pnbrqk")

# The newer ULCI text and its program spell two features in two ways each.
FEATURE_SPELLINGS = {"pawnconfig": "pawnmoves", "multplekings": "multiplekings"}

# The option whose combo lists the games other than chess that an engine knows (UCI 2006).
VARIANT = "UCI_Variant"

# What engines call a variant beside the name that we have for it (UCI_Variant lists no names).
OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "chess": ("standard", "normal", "orthodox"),
    "3check": ("threecheck", "three-check"),
    "antichess": ("anti-chess",),
    "kingofthehill": ("king-of-the-hill", "koth"),
    "racingkings": ("racing-kings",),
}

# Longer names would make every list unreadable.
MAX_NAME = 64

# Maximum size of an introduction, in bytes as `_size` counts them: the engine with the most options
# (hundreds, and a list of a hundred games) needs a tenth.
MAX_INTRODUCTION = 512 * 1024
LINE_COST = 256


@dataclass(frozen=True, slots=True)
class KnownRating:
    """Of an account in a pool, as it was when the database was last asked. is_provisional: it is
    not sure yet. games: rated ones."""

    rating: int
    is_provisional: bool = False
    games: int = 0

    def __str__(self) -> str:
        return f"{self.rating}{'?' if self.is_provisional else ''}"


@dataclass(frozen=True, slots=True)
class Profile:
    """One client after ``uciok``. `handle` is its unique name in the lobby, one word; `plays` a
    game that it knows but cannot declare in its dialect; `pool` that of its listener, empty for the
    first one. `account` is the number of its token's account, `admin` whether that token has the
    scope ``admin``. `ignores` are the players whom it does not want to hear, by name. `program`:
    that it is one of our own servers', which need not prove anything, and whom it meets.
    `tournament` is that of its listener, where it is known by its name alone; `enters` are those
    that it plays in beside that, by their names. `ratings`: those
    of its account, by pool."""

    name: str
    handle: str
    kind: Kind = "engine"
    author: str = ""
    version: int | None = None
    features: frozenset[str] = frozenset()
    pieces: frozenset[str] = STANDARD_PIECES
    options: Mapping[str, Option] = field(default_factory=dict)
    resume: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    plays: str = ""
    pool: str = ""
    account: int | None = None
    admin: bool = False
    ignores: tuple[str, ...] = ()
    program: ServerProgram | None = None
    tournament: str = ""
    enters: tuple[str, ...] = ()
    ratings: Mapping[str, KnownRating] = field(default_factory=dict)

    @property
    def of_server(self) -> bool:
        """Whether it is a program of one of our servers."""
        return self.program is not None

    @property
    def best_known(self) -> KnownRating | None:
        """Its rating in the pool of its listener, or else where it has played most."""
        most = max(self.ratings.values(), key=lambda known: known.games, default=None)
        return self.ratings.get(self.pool, most)

    @property
    def levels(self) -> int:
        """How many levels of strength it may be asked for; 0: none. A player's own program has
        none: its owner has set its strength."""
        has = self.program is not None and self.program.levels
        return levels.count(self.options) if has else 0

    @property
    def is_ulci(self) -> bool:
        """Whether it may be sent what ULCI adds to UCI."""
        return self.version is not None or bool(self.features)

    @property
    def lobby(self) -> bool:
        return "lobby" in self.features

    @property
    def administers(self) -> bool:
        """Whether it only sends admin commands and is no player of the lobby."""
        return "admin" in self.features

    @property
    def follows(self) -> bool:
        """Whether it wants to see the board and clocks while it is not to move."""
        return self.kind == "human" or self.version is not None or self.lobby

    @property
    def pauses(self) -> bool:
        """Whether its next game starts after a pause: for a person whose program has no lobby, and
        for a program that sends ``id feature pause``."""
        return not self.lobby and (self.kind == "human" or "pause" in self.features)

    @property
    def seat(self) -> Seat:
        """The player as recorded, except the key of its connection."""
        return Seat(self.name, self.kind, self.author, handle=self.handle, account=self.account)

    def hears(self, handle: str) -> bool:
        """Whether this player gets that player's chat and challenges. A player who ignores Ada
        ignores Ada-2, too."""
        return taken_for(handle).isdisjoint(map(looks, self.ignores))

    def lacks(self, needs: Needs) -> str | None:
        """Why the client cannot play such a position, as a sentence; None if it can."""
        if pieces := needs.pieces - self.pieces:
            return f"{self.name} does not know the pieces {''.join(sorted(pieces))}"
        if self.version is None and (features := needs.features - self.features):
            return f"{self.name} does not have the features {' '.join(sorted(features))}"
        for name, value in needs.options.items():
            if name == VARIANT and (value == self.plays or self._asks_for_itself):
                continue
            option = self.options.get(name.lower())
            if option is None:
                return f"{self.name} does not offer the option {name}"
            if spelled(option, value) is None:
                return f"{self.name} does not offer {value} as {name}"
        return self._lacks_variant(needs.variant)

    def _lacks_variant(self, variant: str) -> str | None:
        """An engine that gets no option may play something else."""
        option = self.options.get(VARIANT.lower())
        if not variant or option is None or self._asks_for_itself or not option.default:
            return None
        if option.default.casefold() in _names(variant) or spelled(option, variant) is not None:
            return None
        return f"{self.name} plays {option.default} and does not offer {variant} as {VARIANT}"

    @property
    def _asks_for_itself(self) -> bool:
        """People in the lobby play any game that they seek or accept: they can judge themselves
        whether their program shows it."""
        return self.kind == "human" and self.lobby


def spelled(option: Option, value: str) -> str | None:
    """The value as the option has it: a combo only has those that it lists, and of a variant's
    names one. None: it cannot have it."""
    if option.type is not OptionType.COMBO or value in option.vars:
        return value
    names = _names(value) if option.name.casefold() == VARIANT.casefold() else (value.casefold(),)
    listed = {var.casefold(): var for var in option.vars}
    return next((listed[name] for name in names if name in listed), None)


def _names(variant: str) -> tuple[str, ...]:
    return (variant.casefold(), *OTHER_NAMES.get(variant, ()))


class Introduction:
    """Gathers a client's lines between ``uci`` and ``uciok``, up to `MAX_INTRODUCTION`. `plays`
    and `pool` as in `Profile`; `token` counts if the client names none."""

    def __init__(self, *, plays: str = "", pool: str = "", token: str = "") -> None:
        self._plays = plays
        self._pool = pool
        self._token = token
        self._id: dict[str, str] = {}
        self._features: set[str] = set()
        self._options: dict[str, Option] = {}
        self._room = MAX_INTRODUCTION

    def hear(self, message: Id | Option) -> bool:
        """Keep a message; False if that exceeds `MAX_INTRODUCTION`."""
        self._room -= _size(message)
        if self._room < 0:
            return False
        self._keep(message)
        return True

    def _keep(self, message: Id | Option) -> None:
        match message:
            case Option(name):
                self._options[name.lower()] = message
            case Id("feature", value):
                self._features |= {FEATURE_SPELLINGS.get(f, f) for f in value.lower().split()}
            case Id(key, value):
                self._id[key] = value

    def profile(self) -> Profile:
        """The profile of the gathered lines, without a handle, which the lobby gives."""
        kind: Kind = "human" if "username" in self._id else "engine"
        name = self._id.get("username" if kind == "human" else "name", "")
        return Profile(
            name=plain(plain(visible(plain(name)))[:MAX_NAME]) or "anonymous",
            handle="",
            kind=kind,
            author=plain(visible(plain(self._id.get("author", ""))))[:MAX_NAME],
            version=_version_untrusted(self._id.get("version")),
            features=frozenset(self._features),
            pieces=frozenset(self._id["pieces"].lower()) & frozenset("abcdefghijklmnopqrstuvwxyz")
            if "pieces" in self._id
            else STANDARD_PIECES,
            options=dict(self._options),
            resume=self._id.get("resume", ""),
            token=self._id.get("token") or self._token,
            plays=self._plays,
            pool=self._pool,
        )


def _size(message: Id | Option) -> int:
    """The approximate memory of a message, in bytes."""
    match message:
        case Id(key, value):
            return LINE_COST + len(key) + len(value)
        case Option(name, default=default, vars=values):
            texts = (name, default or "", *values)
            return LINE_COST * len(texts) + sum(map(len, texts))


def _version_untrusted(text: str | None) -> int | None:
    """``id version N`` makes a client ULCI, whatever N is."""
    if text is None:
        return None
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 1
