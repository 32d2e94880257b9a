"""How a friend is invited from the terminal."""

from tests.support.terminal import lobby, sent, told, welcomed
from ulci.protocol.messages import Invite, Join, Terms
from ulci_client.terminal.shell.client import Client

GAME = "game 42 start white Ada black Bob game chess time 300+3 rated no lag none"


def invited(client: Client, text: str = "invite 5m+3s white") -> Invite:
    [command] = sent(client.typed(text, 0.0))
    assert isinstance(command, Invite)
    return command


def test_each_invitation_has_a_token_of_its_own():
    client = welcomed()
    client.state.chance = "drawn by the shell"
    first, second = invited(client), invited(client)
    assert first.terms == Terms(time="300+3", color="white")
    assert first.token != second.token
    other = welcomed()
    assert invited(other).token != first.token


def test_the_person_is_told_what_to_send_to_the_friend():
    client = welcomed()
    token = invited(client).token
    effects = lobby(client, f"inviting 7 token {token} within 86400000")
    assert told(effects) == [f"inviting 7 {token}"]
    assert f"/play#join={token}" in repr(effects)
    assert told(lobby(client, "gone 7")) == ["gone 7"]


def test_a_token_and_the_link_of_a_page_both_join():
    client = welcomed()
    token = "Q3vXb0kPZlJ7mTn2RyEwsA"
    assert sent(client.typed(f"join {token}", 0.0)) == [Join(token)]
    link = f"join http://games.example:25566/play#join={token}"
    assert sent(client.typed(link, 0.0)) == [Join(token)]
    assert "needs the token" in told(client.typed("join", 0.0))[0]


def test_an_invitation_is_said_again_on_a_new_line_until_a_game_begins():
    client = welcomed()
    invitation = invited(client)
    welcome = "welcome name Ada account no resume other"
    assert sent(lobby(client, welcome)) == [invitation]
    lobby(client, GAME, "game 42 over result 1-0 reason resignation")
    assert invitation not in sent(lobby(client, welcome))


def test_an_invitation_that_is_withdrawn_is_not_said_again():
    client = welcomed()
    invitation = invited(client)
    client.typed("unseek", 0.0)
    assert invitation not in sent(lobby(client, "welcome name Ada account no resume other"))
