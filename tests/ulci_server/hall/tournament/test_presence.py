"""Which clients play for which entrant."""

from ulci_server.hall.tournament.presence import Presence


def test_the_client_that_has_been_free_for_the_longest_time_plays_first() -> None:
    presence = Presence()
    for handle in ("Ada.1", "Ada.2"):
        presence.come(handle, 1)
        presence.free(handle)
    assert presence.first_free(1) == "Ada.1"
    presence.busy("Ada.1")
    assert presence.first_free(1) == "Ada.2"
    presence.free("Ada.1")
    assert presence.first_free(1) == "Ada.2"
    assert presence.boards == {1: 2}


def test_an_entrant_is_here_until_its_last_client_has_gone() -> None:
    presence = Presence()
    presence.come("Ada.1", 1)
    presence.come("Ada.2", 1)
    presence.come("Ada.2", 1)
    presence.go("Ada.2")
    assert presence.is_here(1)
    presence.go("Ada.1")
    presence.go("Ada.1")
    assert not presence.is_here(1)


def test_strangers_are_neither_free_nor_busy() -> None:
    presence = Presence()
    presence.free("Eve")
    presence.busy("Eve")
    presence.go("Eve")
    assert presence.boards == {}
    assert presence.entrant_of("Eve") is None


def test_who_leaves_is_not_free_any_more() -> None:
    presence = Presence()
    presence.come("Ada", 1)
    presence.free("Ada")
    presence.go("Ada")
    assert presence.first_free(1) is None
    assert presence.handles_of(1) == []
