"""A session: what a client is told, and that it costs nobody else anything."""

from ulci.protocol import UCI
from ulci.protocol.messages import (
    Id,
    Info,
    IsReady,
    NewGame,
    Option,
    OptionType,
    Position,
    Quit,
    SetOption,
    Unknown,
)
from ulci_server.game import GameFinished


async def test_a_plain_uci_engine_is_never_sent_a_word_that_uci_does_not_have(
    autojump_clock, server
):
    async with server() as h:
        white, black = await h.engines()
        for player, _other, move in (
            (white, black, "f2f3"), (black, white, "e7e5"),
            (white, black, "g2g4"), (black, white, "d8h4"),
        ):  # fmt: skip
            await player.move(move)
            player.say(Unknown("bestmove 0000"))  # unasked: ignored without a word
        await white.get_ready()
        await black.get_ready()
        await white.hear(NewGame)
        assert [type(m) for m in black.heard + white.heard if not UCI.can_say(m)] == []
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome.score == "0-1"


async def test_a_game_begins_with_the_options_that_were_offered(autojump_clock, server):
    options = (
        Option("UCI_Opponent", OptionType.STRING, ""),
        Option("UCI_Chess960", OptionType.CHECK, "false"),
        Option("UCI_AnalyseMode", OptionType.CHECK, "false"),
        Option("UCI_Variant", OptionType.COMBO, "chess"),
    )
    async with server() as h:
        white = await h.engine("A", *options)
        await h.engine("Deep Thought")
        await white.hear(IsReady)
        assert [m for m in white.heard if isinstance(m, SetOption)] == [
            SetOption("UCI_AnalyseMode", "false"),
            SetOption("UCI_Chess960", "false"),
            SetOption("UCI_Opponent", "none none computer Deep Thought"),
        ]


async def test_it_is_known_from_whose_table_a_player_was_dismissed(autojump_clock, server):
    async with server() as h:
        white, black = await h.engines()
        [game] = {session.table.id for session in h.hall.present}
        assert {session.player.last_game for session in h.hall.present} == {0}
        white.say(Quit())
        await black.hear(IsReady)
        [left] = [session for session in h.hall.present if not session.gone]
        assert left.player.last_game == game


async def test_a_client_that_never_gets_ready_costs_its_opponent_nothing(autojump_clock, server):
    async with server() as h:
        await h.engine("A")
        ready = await h.engine("B")
        await ready.get_ready()
        third = await h.engine("C")
        await ready.get_ready()  # the barrier after the game that never was
        await third.hear(NewGame)
        await ready.hear(NewGame)
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome.reason == "aborted"
        assert "A" in end.detail


async def test_an_ulci_client_follows_the_game_and_hears_the_result(autojump_clock, server):
    async with server() as h:
        ulci = await h.engine("A", Id("version", "1"))
        uci = await h.engine("B")
        await ulci.get_ready()
        await uci.get_ready()
        await ulci.move("e2e4")
        assert await ulci.hear(Position) == Position(None, ("e2e4",))
        await uci.be_asked()
        uci.say(Quit())
        info = await ulci.hear(Info)
        assert info.string == "result 1/2-1/2 reason aborted" or info.string.startswith("result")
