"""The table of players' commands, and who answers each of them."""

from ulci.protocol.messages import GAME_COMMANDS, PLAYER_COMMANDS, Ping
from ulci_server.game import in_progress
from ulci_server.hall.lobby_host import HOSTED_COMMANDS
from ulci_server.hall.session.hall_commands import HALL_COMMANDS
from ulci_server.lobby import LOBBY_COMMANDS


def test_every_command_is_answered_in_one_place():
    answered = [*in_progress.COMMANDS, *HALL_COMMANDS, *HOSTED_COMMANDS, Ping]
    assert sorted(map(repr, answered)) == sorted(map(repr, PLAYER_COMMANDS))


def test_the_commands_to_a_game_are_those_that_it_answers():
    assert {*in_progress.COMMANDS} == {*GAME_COMMANDS}


def test_what_the_lobby_answers_is_carried_to_its_server():
    assert {*LOBBY_COMMANDS} < {*HOSTED_COMMANDS}
