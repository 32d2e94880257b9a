"""Names of opponents."""

from ulci_client.bot import opponent_names


def test_who_is_refused_is_refused_under_a_number_too_and_who_is_allowed_is_not() -> None:
    assert opponent_names.refused("rude-12", ["Rude"])
    assert opponent_names.refused("Rudolf", ["Rud*"])
    assert not opponent_names.refused("Prude", ["Rude"])
    assert opponent_names.allowed("ADA", ["Ada"])
    assert not opponent_names.allowed("Ada-2", ["Ada"])


def test_games_of_a_name_and_its_numbers_count_together() -> None:
    assert opponent_names.key("Ada-2") == opponent_names.key("ada") == "ada"
    assert opponent_names.key("Stockfish-15.1") == "stockfish-15.1"
