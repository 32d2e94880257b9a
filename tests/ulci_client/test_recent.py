from msgspec import Struct

from tests.support.lobby import lobby_line
from tests.support.terminal import welcomed
from ulci.protocol.lobby.lines import IncomingChallenge, ListedPlayer, Offer, OpenSeek
from ulci.protocol.messages import Lobby
from ulci_client.recent import MOST_LISTED, Recent


def test_the_newest_entries_are_kept():
    kept = Recent[int, str](2)
    for number in (1, 2, 3):
        kept[number] = str(number)
    kept[2] = "again"
    assert kept == {2: "again", 3: "3"}


def test_a_server_that_lists_without_end_fills_no_memory_of_a_terminal():
    client = welcomed(shows_lists=True)
    listing, many = lobby_line(f"seeks {10**9}"), MOST_LISTED + 200
    client.hear(listing, 0.0)
    for number in range(1, many):
        offer = Offer(number, f"P{number}", "engine", "chess", "60+1")
        client.hear(Lobby(OpenSeek(*fields(offer))), 0.0)
        client.hear(Lobby(IncomingChallenge(*fields(offer))), 0.0)
        client.hear(Lobby(ListedPlayer(f"Q{number}", "engine", "free")), 0.0)
    state = client.state
    assert len(state.seeks) == len(state.challenges) == len(state.players) == MOST_LISTED
    assert state.listing is None


def fields(message: Struct) -> list[object]:
    return [getattr(message, name) for name in message.__struct_fields__]
