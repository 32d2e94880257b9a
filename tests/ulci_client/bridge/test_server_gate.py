import pytest

from ulci.engines.options import Options
from ulci.protocol.messages import (
    Bench,
    Clock,
    Debug,
    Eval,
    FromServer,
    Go,
    Hello,
    Info,
    IsReady,
    Lobby,
    NewGame,
    Option,
    OptionType,
    Perft,
    PonderHit,
    Position,
    Query,
    Quit,
    Register,
    Report,
    SetOption,
    Stop,
    Unknown,
    kinds_of,
)
from ulci_client.bridge.position_check import MOST_DEPTH, MOST_MS
from ulci_client.bridge.server_gate import MOST_TOLD, ServerGate, UnplayableError
from ulci_client.bridge.server_rights import ServerRights

VARIANT = Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "atomic", "mnk"))
LOG = Option("Debug Log File", OptionType.STRING, "")
RIGHTS = ServerRights(Options([Option("Hash", OptionType.SPIN, "16", 1, 1024), VARIANT, LOG]))
NO_KINGS = Position("8/8/8/8/8/8/8/8 w - - 0 1")


class Gate(ServerGate):
    """With what was told."""

    def __init__(self, game: str | None = "chess") -> None:
        self.shown: list[str] = []
        super().__init__(self.shown.append)
        self.engine_up(RIGHTS, game)


# What the engine hears of each word of a server, beside `go`: True: as it was said.
WORDS: dict[type, tuple[FromServer, bool]] = {
    IsReady: (IsReady(), True),
    NewGame: (NewGame(), True),
    Stop: (Stop(), True),
    PonderHit: (PonderHit(), True),
    Position: (Position(None, ("e2e4",)), True),
    SetOption: (SetOption("Hash", "32"), True),
    Debug: (Debug(on=True), False),
    Register: (Register("Eve", "123"), False),
    Eval: (Eval(), False),
    Bench: (Bench(), False),
    Perft: (Perft(12), False),
    Query: (Query("result"), False),
    # The bridge's own business.
    Hello: (Hello(), False),
    Clock: (Clock(1), False),
    Lobby: (Lobby(None), False),  # type: ignore[arg-type]
    Quit: (Quit(), False),
    Info: (Info(string="x"), False),
    Report: (Report("error", "x"), False),  # type: ignore[arg-type]
    Unknown: (Unknown("savelearning /etc/x"), False),
}


def test_every_word_of_a_server_is_tested():
    assert {*WORDS, Go} == {*kinds_of(FromServer)}


@pytest.mark.parametrize(
    ("message", "passes"), WORDS.values(), ids=lambda each: type(each).__name__
)
def test_a_word_passes_or_does_not(message, passes):
    assert Gate().passed(message) == (message if passes else None)


def test_what_a_server_may_not_do_is_shown_once():
    gate = Gate()
    for _ in range(3):
        gate.passed(Bench())
        gate.passed(SetOption("debug log file", "/home/ada/.profile"))
        gate.passed(SetOption("Hash", "33554432"))
    bench, log, memory = gate.shown
    assert "the server says 'bench', which a server may not" in bench
    assert "a server may not set 'Debug Log File' (--allow-option 'Debug Log File' lets it)" in log
    assert "a server may ask for 1 to 256 MB (--max-hash), not" in memory or "cannot be" in memory


def test_a_server_that_thinks_of_many_names_fills_no_screen():
    gate = Gate()
    options = [Option(f"File{number}", OptionType.STRING) for number in range(3 * MOST_TOLD)]
    gate.engine_up(ServerRights(Options(options)), "chess")
    for option in options:
        assert gate.passed(SetOption(option.name, "x")) is None
    assert len(gate.shown) == MOST_TOLD


def test_a_search_of_what_the_engine_did_not_get_is_refused_until_the_next_position():
    gate = Gate()
    assert gate.search(Go(depth=1)) == Go(depth=1)
    assert gate.passed(NO_KINGS) is None
    for _ in range(2):
        with pytest.raises(UnplayableError, match="White has 0 kings"):
            gate.search(Go(depth=1))
    gate.passed(Position())
    assert gate.search(Go(depth=1)) == Go(depth=1)


def test_a_search_among_words_that_are_no_moves_is_refused():
    with pytest.raises(UnplayableError, match="is no move"):
        Gate().search(Go(searchmoves=("e2e4", "x" * 30)))


def test_the_numbers_of_a_search_are_those_that_every_engine_can_hold():
    huge = 2**63 - 1
    said = Go(huge, -5, huge, huge, huge, huge, huge, huge, huge)
    bounded = Gate().search(said)
    assert bounded == Go(
        MOST_MS, 1, MOST_MS, MOST_MS, MOST_MS, MOST_DEPTH, huge, MOST_DEPTH, MOST_MS
    )


def test_what_a_uci_engine_plays_is_what_it_was_told_last():
    kings = Position("kk6/8/8/8/8/8/8/K7 w - - 0 1")
    gate = Gate()
    assert gate.passed(kings) is None
    gate.passed(SetOption("UCI_Variant", "mnk"))
    assert gate.passed(kings) == kings  # unknown rules
    told = [SetOption("UCI_Variant", "mnk"), NewGame()]
    gate.engine_up(RIGHTS, "chess", told)  # another process, which is told the same
    assert gate.passed(kings) == kings
    gate.passed(SetOption("uci_variant", "chess"))
    assert gate.passed(kings) is None


def test_a_position_that_was_refused_is_searched_by_no_other_engine_either():
    gate = Gate()
    gate.passed(NO_KINGS)
    gate.engine_up(RIGHTS, "mnk")
    with pytest.raises(UnplayableError, match="White has 0 kings"):
        gate.search(Go(depth=1))


def test_what_one_engine_was_told_to_play_is_not_what_the_next_one_plays():
    gate = Gate()
    gate.passed(SetOption("UCI_Variant", "mnk"))
    gate.engine_up(RIGHTS, "chess")
    assert gate.passed(NO_KINGS) is None
    gate.passed(SetOption("UCI_Variant", "mnk"))
    assert gate.passed(NO_KINGS) == NO_KINGS


@pytest.mark.parametrize(
    "rights",
    [ServerRights(Options([LOG])), ServerRights(Options([VARIANT]), owned=("uci_variant",))],
    ids=["without the option", "with the owner's"],
)
def test_an_engine_that_cannot_be_told_what_to_play_plays_its_own_game(rights):
    gate = Gate()
    gate.passed(SetOption("UCI_Variant", "mnk"))
    gate.engine_up(rights, "chess", [SetOption("UCI_Variant", "mnk")])
    assert gate.passed(NO_KINGS) is None


def test_a_server_cannot_loosen_the_check_by_a_game_that_the_engine_does_not_offer():
    gate = Gate()
    gate.passed(SetOption("UCI_Variant", "shogi"))
    assert gate.passed(NO_KINGS) is None


def test_of_an_engine_of_another_dialect_only_shapes_and_sizes_are_known():
    gate = Gate(None)
    assert gate.passed(NO_KINGS) == NO_KINGS
    assert gate.passed(Position("x" * 5000)) is None
    assert gate.passed(Position("3x3 empty", ("a b",))) is None
