from pathlib import Path

import pytest

from ulci.engines.options import OptionError, Options
from ulci.protocol.messages import Option, OptionType, SetOption
from ulci_client.bridge.server_rights import RIGHTS, ServerRights, shown_to_server

CHECK, SPIN, COMBO = OptionType.CHECK, OptionType.SPIN, OptionType.COMBO
STRING, BUTTON = OptionType.STRING, OptionType.BUTTON

GIGA = 2**25
GOOD = "none none human Ada"

# Of each row: the option as engines declare it, what passes and how, and what does not.
ROWS: dict[str, tuple[Option, dict[str | None, str | None], list[str | None]]] = {
    "hash": (
        Option("Hash", SPIN, "16", 1, GIGA),
        {"1": "1", "256": "256", " 0064 ": "64"},
        ["257", "33554432", "0", "-1", "9" * 30, "much", "", None, "1 2", "0x10"],
    ),
    "clear hash": (Option("Clear Hash", BUTTON), {None: None, "": None}, ["now", "/tmp/x"]),
    "ponder": (
        Option("Ponder", CHECK, "false"),
        {"true": "true", "False": "false"},
        ["yes", "1", "", None],
    ),
    "multipv": (
        Option("MultiPV", SPIN, "1", 1, 500),
        {"1": "1", "8": "8"},
        ["9", "500", "0", "-1", None],
    ),
    "uci_analysemode": (Option("UCI_AnalyseMode", CHECK, "false"), {"true": "true"}, ["on", None]),
    "uci_chess960": (Option("UCI_Chess960", CHECK, "false"), {"true": "true"}, ["960", None]),
    "uci_elo": (
        Option("UCI_Elo", SPIN, "1320", 1320, 3190),
        {"1320": "1320", "3190": "3190"},
        ["1319", "3191", "strong", None],
    ),
    "uci_limitstrength": (
        Option("UCI_LimitStrength", CHECK, "false"),
        {"true": "true"},
        ["maybe", None],
    ),
    "uci_opponent": (
        Option("UCI_Opponent", STRING, ""),
        {
            GOOD: GOOD,
            "GM 2800 human Gary K.": "GM 2800 human Gary K.",
            "none none computer ../../.profile": "none none computer .._.._.profile",
            "none none computer C:\\x": "none none computer C:_x",
        },
        [
            "/etc/passwd",
            "Ada",
            "",
            None,
            "none none human",
            "none none human A\nquit",
            "none none human A\x1b[2J",
            "none none human " + "A" * 200,
            "gm 2800 human Ada",
            "none strong human Ada",
        ],
    ),
    "uci_showwdl": (Option("UCI_ShowWDL", CHECK, "false"), {"true": "true"}, ["all", None]),
    "uci_variant": (
        Option("UCI_Variant", COMBO, "chess", vars=("chess", "3check", "king of the hill")),
        {"chess": "chess", "3CHECK": "3check"},
        ["atomic", "/etc/passwd", "", None],
    ),
}


def rights(*options: Option, **settings: object) -> ServerRights:
    return ServerRights(Options(options), **settings)  # type: ignore[arg-type]


def test_every_row_of_the_table_is_tested():
    assert ROWS.keys() == RIGHTS.keys()


PASSES = [(name, *pair) for name, (_, passes, _) in ROWS.items() for pair in passes.items()]
FAILS = [(name, value) for name, (_, _, fails) in ROWS.items() for value in fails]


@pytest.mark.parametrize(("name", "said", "sent"), PASSES)
def test_what_the_table_lists_is_set_in_the_spelling_of_the_engine(name, said, sent):
    option = ROWS[name][0]
    for spelled in (name, name.upper()):
        assert rights(option).setting(SetOption(spelled, said)) == SetOption(option.name, sent)


@pytest.mark.parametrize(("name", "said"), FAILS)
def test_a_value_that_the_row_does_not_allow_is_refused(name, said):
    with pytest.raises(OptionError):
        rights(ROWS[name][0]).setting(SetOption(name, said))


@pytest.mark.parametrize("name", ROWS)
def test_a_row_holds_only_for_an_option_of_its_type(name):
    option = ROWS[name][0]
    for kind in {*OptionType} - {option.type}:
        other = replace_type(option, kind)
        for said in ROWS[name][1]:
            with pytest.raises(OptionError, match="may not set"):
                rights(other).setting(SetOption(name, said))


def replace_type(option: Option, kind: OptionType) -> Option:
    return Option(option.name, kind, option.default, option.min, option.max, option.vars)


@pytest.mark.parametrize("name", ROWS)
def test_what_the_owner_sets_or_the_engine_lacks_is_not_for_a_server(name):
    option, passes, fails = ROWS[name]
    for said in (*passes, *fails):
        assert rights(option, owned={name}).setting(SetOption(name, said)) is None
        assert rights().setting(SetOption(name, said)) is None


# As Stockfish, Lc0, Fairy-Stockfish, Ethereal, Rybka, Komodo and others declare them.
DANGEROUS = [
    Option("Debug Log File", STRING, ""),
    Option("LogFile", STRING, ""),
    Option("Log File", STRING, "<empty>"),
    Option("EvalFile", STRING, "nn.nnue"),
    Option("SyzygyPath", STRING, ""),
    Option("VariantPath", STRING, ""),
    Option("Book File", STRING, ""),
    Option("OwnBook", CHECK, "false"),
    Option("WeightsFile", STRING, ""),
    Option("NalimovPath", STRING, ""),
    Option("NalimovCache", SPIN, "1", 1, 32),
    Option("Threads", SPIN, "1", 1, 1024),
    Option("Skill Level", SPIN, "20", 0, 20),
    Option("Backend", COMBO, "cuda", vars=("cuda", "blas")),
    Option("Save Hash to File", BUTTON),
    Option("Benchmark", BUTTON),
    Option("Clear Learning", BUTTON),
    Option("UCI_SetPositionValue", STRING, ""),
    Option("UCI_EngineAbout", STRING, ""),
    Option("Hash File", STRING, ""),
    Option("HashX", SPIN, "1", 1, 9),
]
VALUES = (None, "", "true", "1", "cuda", "/tmp/x", "x")


@pytest.mark.parametrize("option", DANGEROUS, ids=lambda option: option.name)
def test_what_the_table_does_not_list_is_never_set_nor_pressed(option):
    for said in VALUES:
        with pytest.raises(OptionError, match="--allow-option"):
            rights(option).setting(SetOption(option.name, said))


def test_the_owner_allows_more_by_name_within_what_the_engine_declares():
    contempt, button = Option("Contempt", SPIN, "0", -100, 100), Option("Learn", BUTTON)
    style = Option("Style", STRING, "")
    allowed = rights(contempt, button, style, allowed=("contempt", "LEARN", "style"))
    assert allowed.setting(SetOption("contempt", "-20")) == SetOption("Contempt", "-20")
    assert allowed.setting(SetOption("learn")) == SetOption("Learn")
    assert allowed.setting(SetOption("style", "wild")) == SetOption("Style", "wild")
    for name, value in (("contempt", "101"), ("style", "a\nquit"), ("style", "x" * 201)):
        with pytest.raises(OptionError):
            allowed.setting(SetOption(name, value))


@pytest.mark.parametrize("option", DANGEROUS, ids=lambda option: option.name)
def test_whatever_the_owner_allows_may_be_set_a_file_too(option):
    value = {STRING: "x", SPIN: "1", BUTTON: None, CHECK: "true"}.get(option.type, option.default)
    said = SetOption(option.name, value)
    assert rights(option, allowed=(option.name,)).setting(said) == said


def test_what_the_owner_sets_stays_the_owners_even_if_allowed():
    contempt = Option("Contempt", SPIN, "0", -100, 100)
    both = rights(contempt, allowed=("Contempt",), owned=("contempt",))
    assert both.setting(SetOption("Contempt", "3")) is None


def test_the_owner_bounds_the_memory():
    option = ROWS["hash"][0]
    assert rights(option, max_hash=4096).setting(SetOption("hash", "4096")) is not None
    assert rights(option, max_hash=8).setting(SetOption("hash", "8")) is not None
    with pytest.raises(OptionError, match="1 to 8 MB"):
        rights(option, max_hash=8).setting(SetOption("hash", "9"))


def test_an_engine_that_declares_no_bounds_gets_those_of_the_table():
    for name, most in (("Hash", 256), ("MultiPV", 8), ("UCI_Elo", 5000)):
        open_ended = rights(Option(name, SPIN))
        assert open_ended.setting(SetOption(name, str(most))) is not None
        with pytest.raises(OptionError):
            open_ended.setting(SetOption(name, str(most + 1)))
    variant = rights(Option("UCI_Variant", COMBO, "chess"))
    assert variant.setting(SetOption("UCI_Variant", "3check")) is not None
    for wrong in ("../x", "a b", "x" * 41, ""):
        with pytest.raises(OptionError):
            variant.setting(SetOption("UCI_Variant", wrong))


def test_a_server_is_told_only_of_options_that_it_may_set():
    listed = [option for option, _, _ in ROWS.values()]
    assert shown_to_server([*DANGEROUS, *listed], ()) == listed
    assert shown_to_server(DANGEROUS, ("logfile",)) == [DANGEROUS[1]]


def test_the_table_for_people_lists_every_row():
    text = (Path(__file__).parents[3] / "client" / "README.md").read_text("utf-8")
    assert [right.name for right in RIGHTS.values() if f"`{right.name}`" not in text] == []
