"""Which engine plays, and with which options."""

from ulci_client.bot.engines import (
    EngineLine,
    GameOptions,
    Met,
    engine_for,
    engine_settings,
    games_of,
)
from ulci_client.bot.sections import Config, Engine
from ulci_client.engine_settings import ClientEngineSettings

CHESS = EngineLine(ClientEngineSettings(("fish",)), ("chess", "chess960"))
OTHER = EngineLine(ClientEngineSettings(("house",)))
MNK = EngineLine(ClientEngineSettings(("house",)), ("mnk",))


def test_a_table_of_the_file_becomes_what_the_bridge_starts() -> None:
    table = Engine.model_validate(
        {"command": ["fish", "-x"], "options": {"Hash": 16, "Skill": 0.5, "Own Book": True}}
    )
    assert engine_settings(table) == ClientEngineSettings(
        ("fish", "-x"), options=("Hash=16", "Skill=0.5", "Own Book=true")
    )


def test_each_game_has_the_engine_that_is_named_for_it_or_the_one_for_all_others() -> None:
    assert engine_for("chess960", [OTHER, CHESS]) == 1
    assert engine_for("mnk", [CHESS, OTHER]) == 1
    assert engine_for("liberty", [CHESS, MNK]) == 0
    assert games_of([CHESS, MNK]) == ("chess", "chess960", "mnk")
    assert games_of([CHESS, OTHER]) == ()


OPTIONS = GameOptions(
    Config.model_validate(
        {
            "options": [
                {"set": {"Skill": 5, "Contempt": 10}, "kinds": ["human"]},
                {"set": {"skill": 1}, "opponents": ["Ada"], "games": ["chess"]},
                {"set": {"Threads": 1}, "base": [0, 60]},
            ]
        }
    )
)


def test_the_last_table_that_holds_decides_and_the_others_are_taken_back() -> None:
    assert OPTIONS.names == ["Skill", "Contempt", "skill", "Threads"]
    assert OPTIONS.of(Met("Bob", "human", "chess", "300+3")) == {
        "Skill": "5", "Contempt": "10", "Threads": None
    }  # fmt: skip
    assert OPTIONS.of(Met("Ada-2", "human", "chess", "60")) == {
        "Skill": "1", "Contempt": "10", "Threads": "1"
    }  # fmt: skip
    assert OPTIONS.of(Met("Deep", "engine", "mnk", "60|90")) == {
        "Skill": None, "Contempt": None, "Threads": None
    }  # fmt: skip
