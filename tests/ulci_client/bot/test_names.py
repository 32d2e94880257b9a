"""Names of opponents."""

from ulci_client.bot import names


def test_who_is_refused_is_refused_under_a_number_too_and_who_is_allowed_is_not() -> None:
    assert names.refused("rude-12", ["Rude"])
    assert names.refused("Rudolf", ["Rud*"])
    assert not names.refused("Prude", ["Rude"])
    assert names.allowed("ADA", ["Ada"])
    assert not names.allowed("Ada-2", ["Ada"])


def test_games_of_a_name_and_its_numbers_count_together() -> None:
    assert names.key("Ada-2") == names.key("ada") == "ada"
    assert names.key("Stockfish-15.1") == "stockfish-15.1"
