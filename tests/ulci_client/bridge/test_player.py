"""What a player makes of what it hears; both ends are lists of what was said to them."""

import io
from collections.abc import Iterable, Sequence

import pytest
import trio

from tests.support.lobby import lobby_line
from tests.support.memory_peers import memory_peers
from tests.support.wires import HANG
from ulci.engines.options import Options
from ulci.net import Heard, RemoteServer
from ulci.protocol import ULCI, Connection, Role, TextCodec, Unread
from ulci.protocol.messages import (
    Accept,
    BestMove,
    Blame,
    Claim,
    Clock,
    Decline,
    Draw,
    FromClient,
    FromServer,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    Message,
    NewGame,
    Option,
    OptionType,
    PonderHit,
    Position,
    Query,
    Quit,
    ReadyOk,
    Report,
    Resign,
    Response,
    Say,
    Score,
    Seek,
    SetOption,
    Terms,
    Unknown,
)
from ulci.rules import Side
from ulci_client.bot.sections import Config
from ulci_client.bridge.console import Console, Level
from ulci_client.bridge.lobby_handler import NO_DRAW, NO_TAKEBACKS
from ulci_client.bridge.player import MOST_COMPLAINTS, MOST_HELD, BridgePlayer, PoolContext
from ulci_client.bridge.seeking import CycleStage, GameBudget, SeekRefused
from ulci_client.bridge.settings import BridgeSettings
from ulci_client.engine_settings import ClientEngineSettings

HASH = Option("Hash", OptionType.SPIN, "16", 1, 1024)
BLACK_TO_MOVE = "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1"
HORDE = Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "horde"))
HORDE_START = Position("4k3/8/8/8/8/8/PPPPPPPP/PPPPPPPP w - - 0 1")


class FakeEngine:
    """What a player sees of its engine."""

    name = "Scripted 1.0"
    dialect = "UCI"

    def __init__(self, *options: Option, ids: Iterable[Id] = (), can_ponder: bool = False) -> None:
        self.ids = [Id("name", self.name), *ids]
        self.options = Options((HASH, *options))
        self.can_ponder = can_ponder
        self.told: list[FromServer] = []

    @property
    def offered(self) -> list[Option]:
        return [*self.options]

    def put(self, *messages: FromServer) -> None:
        self.told += messages

    def remark(self, event: str, game: int) -> None:
        """It is no process."""

    @property
    def fixed(self) -> dict[str, SetOption]:
        return {}


class FakeLine:
    """What a player sees of its line to the server."""

    label = "tcp://chess.example:25565"

    def __init__(self) -> None:
        self.why = ""
        self.told: list[FromClient | Unread] = []

    def put(self, *messages: FromClient | Unread) -> None:
        self.told += messages

    def remark(self, event: str, game: int) -> None:
        """It is no connection."""

    @property
    def waiting(self) -> int:
        return 0

    def cut(self, why: str) -> None:
        self.why = why

    def take(self) -> list[FromClient | Unread]:
        """What was said since the last time."""
        told, self.told = self.told, []
        return told


class Game:
    """A player between its two ends, and what a person sees of it."""

    def __init__(
        self,
        engine: FakeEngine | None = None,
        *,
        ponder: bool = False,
        level: Level = Level.DETAIL,
        games: int | None = None,
        dialect: str = "uci",
        terms: Terms | None = None,
        token: str = "",
        allowed: tuple[str, ...] = (),
        **asked: object,
    ) -> None:
        settings = BridgeSettings(
            (RemoteServer(None, token=token),),  # type: ignore[arg-type]
            ClientEngineSettings(
                ("engine",), ponder=ponder, dialect=dialect, allow_options=allowed
            ),
            terms or Terms(),
            **asked,  # type: ignore[arg-type]
        )
        self.screen = io.StringIO()
        self.console = Console(self.screen, live=False, level=level)
        self.engine = engine or FakeEngine()
        self.line = FakeLine()
        self.player = BridgePlayer(settings, PoolContext(self.console, GameBudget(games)))
        self.player.engine_up(self.engine, 0.0)  # type: ignore[arg-type]
        self.connect()

    @property
    def shown(self) -> list[str]:
        return self.screen.getvalue().splitlines()

    def connect(self) -> None:
        self.line = FakeLine()
        self.player.line_up(self.line)  # type: ignore[arg-type]

    def replace_engine(self, engine: FakeEngine, *said: FromServer) -> None:
        """By one that is told nothing of what the last one was; `said` by the server meanwhile."""
        self.player.engine_down()
        self.player.relay.other_engine()
        self.hear(*said)
        self.engine = engine
        self.player.engine_up(engine, 1.0)  # type: ignore[arg-type]

    def hear(self, *messages: FromServer, at: float = 0.0) -> None:
        for message in messages:
            self.player.server_said(Heard(message, at))

    def lobby(self, line: str) -> None:
        self.hear(lobby_line(line))

    def engine_says(self, *messages: Message | Unread, at: float = 0.0) -> None:
        for message in messages:
            self.player.engine_said(Heard(message, at))

    def join(self, name: str = "Fish") -> None:
        """From ``uci`` to the seek."""
        self.hear(Hello())
        self.lobby(f"welcome name {name} account no resume s3cret")
        self.line.take()

    def start(self, white: str = "Fish", black: str = "Ada", number: int = 1) -> None:
        """As a server does that announces a game once both players are ready for it."""
        self.hear(NewGame(), IsReady())
        self.engine_says(ReadyOk())
        self.lobby(f"game {number} start white {white} black {black} game chess time 60+1 rated no")
        self.line.take()

    def ask(self, *moves: str, start: str | None = None, at: float = 0.0) -> None:
        self.hear(Position(start, moves), Go(60_000, 50_000, 1_000, 1_000), at=at)

    def over(self, result: str = "1-0", number: int = 1) -> None:
        """As a server does: for those without a lobby, and for those with one."""
        self.hear(Info(string=f"result {result} reason checkmate"))
        self.lobby(f"game {number} over result {result} reason checkmate")


# Introductions


def test_it_says_what_its_engine_says_of_itself_but_never_who_its_user_is():
    engine = FakeEngine(ids=[Id("author", "Nobody"), Id("username", "Eve"), Id("token", "x")])
    game = Game(engine)
    game.hear(Hello())
    assert game.line.told == [
        Id("name", "Scripted 1.0"),
        Id("author", "Nobody"),
        Id("feature", "lobby"),
        HASH,
        HelloOk(),
    ]


def test_another_name_and_a_token_are_its_own_to_say():
    game = Game(FakeEngine(ids=[Id("author", "Nobody")]), name="Nimzo", token="s3cret")
    game.hear(Hello())
    assert game.line.take()[:4] == [
        Id("name", "Nimzo"),
        Id("author", "Nobody"),
        Id("feature", "lobby"),
        Id("token", "s3cret"),
    ]
    assert game.player.progress.name == "Nimzo"


def test_half_a_line_at_the_end_of_a_broken_one_is_not_believed():
    game = Game()
    game.join()
    half = lobby_line("welcome name Fish account no resume s3c")
    game.player.server_said(Heard(half, 1.0, cut=True))
    game.player.line_down(2.0)
    game.connect()
    game.hear(Hello())
    assert Id("resume", "s3cret") in game.line.told


def test_why_a_server_hangs_up_is_shown_even_if_it_ends_without_a_newline():
    game = Game()
    game.player.server_said(Heard(Report(Blame.SERVER, "no room"), 1.0, cut=True))
    assert "the server says: no room" in game.shown


def test_what_a_ulci_engine_knows_is_told():
    ids = [Id("version", "1"), Id("pieces", "kqm"), Id("feature", "boardsize")]
    game = Game(FakeEngine(ids=ids))
    game.hear(Hello())
    assert game.line.told[1:4] == ids


def test_the_game_of_an_engine_without_words_for_it_is_told_in_its_place():
    game = Game(dialect="ugi", terms=Terms("atomic"))
    game.hear(Hello())
    variant = Option("UCI_Variant", OptionType.COMBO, "atomic", vars=("atomic",))
    assert game.line.told[-3:] == [HASH, variant, HelloOk()]
    game.hear(SetOption("UCI_Variant", "atomic"))
    assert game.engine.told == []  # it was never offered by the engine


def test_it_introduces_itself_once():
    game = Game()
    game.hear(Hello())
    game.line.take()
    game.hear(Hello())
    assert game.line.told == []


def test_it_sends_nothing_before_the_servers_greeting():
    game = Game()
    game.player.depart("I must go")
    assert game.line.told == []


def test_an_engine_that_starts_again_does_not_change_what_the_player_is():
    game = Game()
    game.player.engine_down()
    game.player.engine_up(FakeEngine(ids=[Id("author", "Other")]), 1.0)  # type: ignore[arg-type]
    game.hear(Hello())
    assert Id("author", "Other") not in game.line.told


# Whose side it plays


@pytest.mark.parametrize(
    ("white", "black", "opponent"), [("Fish", "Ada", "Ada"), ("Ada", "Fish", "Ada")]
)
def test_its_side_is_known_by_its_name(white, black, opponent):
    game = Game()
    game.join()
    game.start(white, black)
    assert game.player.progress.opponent == opponent
    game.over("1-0")
    assert str(game.console.tally).startswith(
        "won 1" if white == "Fish" else "won 0, drawn 0, lost 1"
    )


@pytest.mark.parametrize(
    ("moves", "start", "side"),
    [
        ((), None, Side.WHITE),
        (("e2e4",), None, Side.BLACK),
        ((), BLACK_TO_MOVE, Side.BLACK),
        (("e5d4",), BLACK_TO_MOVE, Side.WHITE),
    ],
)
def test_where_both_have_one_name_its_side_is_known_by_who_is_asked_to_move(moves, start, side):
    game = Game()
    game.join("Fish-2")
    game.start("Fish", "Fish")
    assert game.player.relay.side is None
    game.ask(*moves, start=start)
    assert game.player.relay.side is side
    game.over("1-0")
    assert str(game.console.tally).startswith("won 1" if side is Side.WHITE else "won 0")


def test_the_opponents_name_is_known_once_the_side_is():
    game = Game()
    game.join("Fish-2")
    game.start("Fish", "Ada")
    game.ask()
    assert (game.player.progress.side, game.player.progress.opponent) == (Side.WHITE, "Ada")


def test_a_start_that_does_not_tell_who_moves_leaves_the_side_open():
    game = Game()
    game.join("Fish-2")
    game.start("Fish", "Fish")
    game.ask(start="somewhere")
    assert game.player.relay.side is None


def test_the_side_of_one_game_is_not_that_of_the_next():
    game = Game()
    game.join()
    game.start("Fish", "Ada")
    game.over()
    game.start("Ada", "Eve", 2)
    assert game.player.relay.side is None


# Games


def test_a_game_is_shown_when_it_begins_and_when_it_ends():
    game = Game()
    game.join()
    game.start()
    game.over()
    assert game.shown[-2:] == [
        "game 1 begins: Fish - Ada (chess 60+1)",
        "game 1 is over: 1-0 (checkmate); won 1, drawn 0, lost 0",
    ]
    assert game.line.take() == [Seek()]
    assert game.player.progress.doing == "seeking a game"


def test_a_game_is_counted_once_however_often_its_beginning_and_end_are_told():
    game = Game()
    game.join()
    game.start()
    game.start()
    game.over()
    game.over()
    assert game.console.tally.games == game.console.tally.wins == 1
    assert sum("begins" in line for line in game.shown) == 1


def test_the_last_game_is_followed_by_a_goodbye():
    game = Game(games=1)
    game.join()
    game.start()
    game.over()
    assert game.line.take() == [Quit()]
    assert game.player.seeking.stage is CycleStage.DONE


def test_the_end_of_somebody_elses_game_is_not_ours():
    game = Game()
    game.join()
    game.start(number=1)
    game.lobby("game 2 over result 0-1 reason time")
    assert game.player.seeking.in_game


def test_the_clocks_are_shown_as_they_were_told_and_whose_is_running():
    game = Game()
    game.join()
    game.start()
    game.ask(at=5.0)
    progress = game.player.progress
    assert (progress.clocks, progress.ticking, progress.at) == ((60_000, 50_000), Side.WHITE, 5.0)
    game.hear(Clock(59_000, 65_000), at=5.5)  # time was given
    assert (progress.clocks, progress.ticking) == ((59_000, 65_000), Side.WHITE)
    game.engine_says(BestMove("e2e4"), at=6.0)
    game.hear(Clock(59_000, 50_000), at=6.0)
    assert (progress.clocks, progress.ticking, progress.at) == ((59_000, 50_000), Side.BLACK, 6.0)


def test_analysis_with_a_score_are_shown():
    game = Game()
    thought = Unread("info depth 3 score cp 20")
    game.engine_says(thought, Unread("info currmove e2e4"))
    assert game.player.progress.analysis == thought


def test_of_several_analysis_the_best_is_shown():
    game = Game()
    best = Unread("info depth 3 multipv 1 score cp 20 pv e2e4")
    game.engine_says(best, Unread("info depth 3 multipv 2 score cp 10 pv d2d4"))
    assert game.player.progress.analysis == best
    game.engine_says(Info(depth=4, score=Score(cp=9), multipv=2))
    assert game.player.progress.analysis == best
    game.engine_says(Info(depth=4, score=Score(cp=8)))
    assert game.player.progress.analysis == Info(depth=4, score=Score(cp=8))


def test_questions_of_ugi_and_their_answers_are_for_neither_end():
    game = Game(dialect="ugi")
    game.join()
    game.hear(Query("gameover"))
    game.engine_says(Response("true"))
    assert game.engine.told == game.line.told == []


# Setting options, pondering


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "atomic")),
            SetOption("UCI_Variant", "atomic"),
        ),
        (
            Option("UCI_Chess960", OptionType.CHECK, "false"),
            SetOption("UCI_Chess960", "true"),
        ),
        (
            Option("UCI_Opponent", OptionType.STRING, ""),
            SetOption("UCI_Opponent", "GM 2800 human A"),
        ),
        (
            Option("UCI_AnalyseMode", OptionType.CHECK, "false"),
            SetOption("UCI_AnalyseMode", "false"),
        ),
    ],
)
def test_what_a_game_needs_is_set_in_the_engine_before_it_and_again_in_a_new_one(option, message):
    game = Game(FakeEngine(option))
    game.join()
    game.hear(message)
    assert game.engine.told == [message]
    assert message in game.player.relay.settings


def test_what_an_engine_does_not_take_is_not_kept_for_it_while_it_is_down():
    game = Game()
    game.join()
    game.player.engine_down()
    game.hear(SetOption("UCI_Opponent", "none none human Ada"), SetOption("hash", "32"))
    game.player.engine_up(game.engine, 1.0)  # type: ignore[arg-type]
    assert game.engine.told == [SetOption("Hash", "32")]


def test_a_setting_reaches_the_engine_as_it_spells_it_or_not_at_all():
    game = Game()
    game.join()
    game.hear(SetOption("hash", "32"), SetOption("UCI_Opponent", "none none human Ada"))
    assert game.engine.told == [SetOption("Hash", "32")]


def test_a_server_that_never_stops_talking_to_a_busy_engine_is_hung_up_on():
    game = Game()
    game.join()
    game.start()
    game.ask()
    game.hear(*[SetOption("Hash", "32")] * MOST_HELD)
    assert not game.line.why
    game.hear(SetOption("Hash", "32"))
    assert "things to a busy engine" in game.line.why


def test_a_position_that_engines_choke_on_is_answered_without_the_engine():
    game = Game()
    game.join()
    game.start()
    game.ask(start="8/8/8/8/8/8/8/8 w - - 0 1")
    report, *answer = game.line.take()
    assert isinstance(report, Report)
    assert "the engine was not given this position: White has 0 kings" in report.text
    assert answer == [Resign(), BestMove("0000")]
    assert told_to(game.engine.told) == ["NewGame", "IsReady"]
    game.ask()
    assert told_to(game.engine.told)[-2:] == ["Position", "Go"]


@pytest.mark.parametrize("options", [(), (HORDE,)], ids=["chess only", "chess unless told"])
def test_a_game_that_the_last_engine_played_is_not_that_of_another_one(options):
    game = Game(FakeEngine(HORDE))
    game.join()
    game.hear(SetOption("UCI_Variant", "horde"))
    game.replace_engine(FakeEngine(*options))
    game.start()
    game.ask(start=BLACK_TO_MOVE)
    assert told_to(game.engine.told)[-2:] == ["Position", "Go"]


def test_an_engine_that_is_started_again_still_plays_the_game_that_it_was_told_to():
    game = Game(FakeEngine(HORDE))
    game.join()
    game.hear(SetOption("UCI_Variant", "horde"))
    game.player.engine_down()
    game.player.engine_up(game.engine, 1.0)  # type: ignore[arg-type]
    game.hear(HORDE_START, Go(depth=1))
    assert told_to(game.engine.told)[-2:] == ["Position", "Go"]


def test_an_option_that_the_bots_file_sets_for_some_games_is_not_the_servers():
    bot = Config.model_validate({"options": [{"set": {"hash": 8}, "games": ["chess"]}]})
    game = Game(bot=bot)
    game.join()
    game.hear(SetOption("Hash", "32"))
    assert game.engine.told == []


@pytest.mark.parametrize(("can", "warnings"), [(True, 0), (False, 1)])
def test_a_warning_is_shown_if_the_engine_cannot_ponder(can, warnings):
    game = Game(FakeEngine(can_ponder=can), ponder=True)
    assert sum("so it will not ponder" in line for line in game.shown) == warnings


def test_one_who_was_not_asked_to_ponder_does_not():
    game = Game(FakeEngine(can_ponder=True))
    game.join()
    game.start()
    game.ask()
    game.engine_says(BestMove("e2e4", "e7e5"))
    assert isinstance(game.engine.told[-1], Go)
    assert not game.engine.told[-1].ponder


def test_the_increment_is_in_the_clock_it_ponders_with_though_only_the_position_told_its_side():
    game = Game(FakeEngine(can_ponder=True), ponder=True)
    game.join("Fish-2")
    game.start("Fish", "Fish")
    game.ask("e2e4", at=1.0)
    game.engine_says(BestMove("e7e5", "g1f3"), at=3.0)
    assert game.engine.told[-2:] == [
        Position(None, ("e2e4", "e7e5", "g1f3")),
        Go(60_000, 49_000, 1_000, 1_000, ponder=True),
    ]
    game.ask("e2e4", "e7e5", "g1f3", at=4.0)
    assert game.engine.told[-1] == PonderHit()


# Lines that break, servers that refuse


def test_back_after_a_break_it_proves_who_it_is_and_asks_whether_its_game_is_still_on():
    game = Game()
    game.join()
    game.start()
    game.player.line_down(1.0)
    assert game.player.progress.doing == "not connected"
    game.connect()
    game.hear(Hello())
    assert Id("resume", "s3cret") in game.line.take()
    game.lobby("welcome name Fish account no resume s3cret")
    assert game.line.take() == [Accept(0)]
    game.lobby("error busy you are playing")
    game.lobby("game 1 start white Fish black Ada game chess time 60+1 rated no")
    assert game.player.seeking.stage is CycleStage.PLAYING
    assert sum("begins" in line for line in game.shown) == 1


def test_back_too_late_it_takes_the_game_for_over_and_seeks_the_next():
    game = Game()
    game.join()
    game.start()
    game.player.line_down(1.0)
    game.connect()
    game.hear(Hello())
    game.lobby("welcome name Fish account no resume other")
    game.line.take()
    game.lobby("error no-such-seek there is no seek 0")
    assert game.line.take() == [Seek()]
    assert not game.player.progress.playing
    assert game.shown[-1] == "the game that was interrupted is over"


def test_a_server_that_says_goodbye_ends_the_line_and_not_the_player():
    game = Game()
    game.join()
    game.hear(Quit())
    assert game.line.why == "the server says goodbye"
    assert game.player.seeking.stage is CycleStage.SEEKING


def test_a_permanent_refusal_of_the_seek_ends_it():
    game = Game()
    game.join()
    with pytest.raises(SeekRefused, match="there is no game go"):
        game.lobby("error no-such-game there is no game go")


def test_a_seek_refused_for_now_is_said_again_when_it_is_time():
    game = Game()
    game.join()
    game.lobby("error closed the database cannot be written")
    assert game.line.take() == []
    game.player.alarm(game.player.due)
    assert game.line.take() == [Seek()]


def test_a_challenge_to_a_game_that_is_not_sought_is_declined():
    game = Game()
    game.join()
    game.lobby("challenge 7 player Ada kind human game chess time 30 color white rated no")
    assert game.line.take() == [Decline(7)]


def test_an_opponent_who_stays_away_is_claimed_against():
    game = Game()
    game.join()
    game.start()
    game.lobby("game 1 opponent away claim-in 30000")
    game.lobby("game 1 opponent back")
    game.lobby("game 2 opponent away claim-in 0")
    game.lobby("game 1 opponent away")
    assert game.line.take() == []
    game.lobby("game 1 opponent away claim-in 0")
    assert game.line.take() == [Claim("win")]
    game.lobby("error too-late the opponent is back")
    assert game.line.take() == []
    game.over()
    assert game.line.take() == [Seek(Terms())]
    game.lobby("game 1 opponent away claim-in 0")
    assert game.line.take() == []


def test_a_takeback_is_declined_politely_and_once_in_a_game():
    game = Game()
    game.join()
    for number in (1, 2):
        game.start(number=number)
        game.ask()
        game.lobby(f"game {number} offer takeback 2 from Ada")
        game.lobby(f"game {number} offer takeback 1 from Ada")
        game.lobby(f"game {number} offer takeback 1 from Fish")
        assert game.line.take() == [Say(NO_TAKEBACKS)]
        game.engine_says(BestMove("e2e4"))
        assert game.line.take() == [BestMove("e2e4")]
        game.over(number=number)
        game.line.take()


def test_a_draw_is_declined_politely_and_once_in_a_game():
    game = Game()
    game.join()
    for number in (1, 2):
        game.start(number=number)
        game.ask()
        game.lobby(f"game {number} offer draw from Ada")
        game.lobby(f"game {number} offer draw from Ada")
        game.lobby(f"game {number} offer draw from Fish")
        game.lobby("game 99 offer draw from Ada")
        assert game.line.take() == [Say(NO_DRAW)]
        game.engine_says(BestMove("e2e4"))
        game.over(number=number)
        game.line.take()


@pytest.mark.parametrize(
    ("moves", "score", "agrees"), [(40, 5, True), (40, 30, False), (8, -150, True)]
)
def test_a_draw_is_accepted_when_the_engine_hopes_for_no_more(moves, score, agrees):
    game = Game()
    game.join()
    game.start()
    for _ in range(moves):
        game.ask()
        game.engine_says(Unread(f"info depth 1 score cp {score} pv e2e4"), BestMove("e2e4"))
    game.line.take()
    game.lobby("game 1 offer draw from Ada")
    assert game.line.take() == ([Draw()] if agrees else [Say(NO_DRAW)])
    game.over()
    game.start(number=2)
    game.lobby("game 2 offer draw from Ada")
    assert game.line.take() == [Say(NO_DRAW)]  # another game, another judgement


def test_what_an_engine_thought_of_another_position_is_no_judgement_of_its_move():
    game = Game()
    game.join()
    game.start()
    for number in range(8):
        game.ask()
        thought = [Unread("info depth 1 score cp -500 pv e2e4")] if number < 7 else []
        game.engine_says(*thought, BestMove("e2e4"))
    game.line.take()
    game.lobby("game 1 offer draw from Ada")
    assert game.line.take() == [Say(NO_DRAW)]


async def test_an_engine_that_floods_does_not_cut_its_own_line():
    game = Game()
    line, server = memory_peers(
        Connection(Role.CLIENT, TextCodec(), ULCI.with_lobby()),
        Connection(Role.SERVER, TextCodec(), defer_info=True),
    )
    game.player.line_up(line)
    server.put(Hello())
    game.player.server_said(await line.receive())
    while not isinstance((await server.receive()).message, HelloOk):
        pass
    server.put(Position(), Go(60_000, 60_000))
    for _ in range(2):
        game.player.server_said(await line.receive())
    for number in range(10_000):  # and nobody reads
        game.engine_says(Unread(f"info depth {number} score cp 1 pv e2e4"))
    game.engine_says(BestMove("e2e4"))
    assert line.why == ""
    said = []
    with trio.fail_after(HANG):
        while BestMove("e2e4") not in said:
            said.append((await server.receive()).message)
    assert "writes more than a server accepts; some analysis is dropped" in game.screen.getvalue()


def test_a_downtime_of_the_server_is_shown():
    game = Game()
    game.join()
    game.start()
    game.lobby("game 1 resumed downtime 12300")
    assert game.shown[-1].endswith(
        "game 1 continues: the server was down for 12.3 s, not charged to any clock"
    )


def test_a_downtime_of_unknown_length_is_shown_without_one():
    game = Game()
    game.join()
    game.start()
    game.lobby("game 1 resumed")
    assert game.shown[-1].endswith(
        "game 1 continues: the server was down, not charged to any clock"
    )


def test_what_the_lobby_notes_is_shown_once_to_everybody_and_then_to_the_curious():
    game = Game(level=Level.NOTE)
    game.join()
    shown = len(game.shown)
    game.lobby("note same-name Fish-2 seeks it too")
    game.lobby("note same-name Fish-3 seeks it too")
    assert game.shown[shown:] == ["the lobby says: Fish-2 seeks it too (same-name)"]


def test_why_an_engine_plays_no_move_is_told_to_the_server_and_once_to_the_person():
    game = Game()
    game.join()
    game.start()
    why = Report(Blame.CLIENT, "CommandNotKnowError SetboardIncorrect: the board is incorrect")
    for _ in range(2):
        game.ask()
        game.line.take()
        game.engine_says(why, BestMove("0000"))
        assert game.line.take() == [why, BestMove("0000")]
    assert game.shown.count(f"Scripted 1.0 complains: {why.text}") == 1


def test_of_an_engine_that_always_complains_otherwise_a_person_reads_no_more_than_enough():
    game = Game()
    game.join()
    shown = len(game.shown)
    for number in range(100):
        game.engine_says(Report(Blame.ERROR, f"what is {number}?"))
    assert len(game.shown) - shown == MOST_COMPLAINTS


def test_what_a_person_should_know_is_shown_and_what_nobody_understands_is_not():
    game = Game()
    game.join()
    shown = len(game.shown)
    game.hear(Report(Blame.SERVER, "the disk is full"), Unknown("joho"))
    game.lobby("weather fine")
    assert game.shown[shown:] == ["the server says: the disk is full"]


def told_to(ends: Sequence[FromServer]) -> list[str]:
    return [type(message).__name__ for message in ends]


def test_what_the_server_says_while_the_engine_is_down_waits_for_it():
    game = Game()
    game.join()
    game.player.engine_down()
    game.hear(SetOption("Hash", "32"), NewGame(), IsReady())
    assert game.engine.told == []
    game.player.engine_up(game.engine, 1.0)  # type: ignore[arg-type]
    assert told_to(game.engine.told) == ["SetOption", "NewGame", "IsReady"]


def test_what_is_said_while_engines_change_is_judged_by_the_rights_of_the_one_that_hears_it():
    log, skill = Option("Log", OptionType.STRING, ""), Option("Skill", OptionType.SPIN, "9", 0, 9)
    game = Game(FakeEngine(log), allowed=("Log", "Skill"))
    game.join()
    settings = [SetOption("Log", "x"), SetOption("skill", "3"), SetOption("UCI_Variant", "horde")]
    game.replace_engine(FakeEngine(skill, HORDE), *settings, HORDE_START, Go(depth=1))
    told = [SetOption("Skill", "3"), SetOption("UCI_Variant", "horde")]
    assert game.engine.told == [*told, HORDE_START, Go(depth=1)]


def test_a_position_that_only_the_last_engine_could_play_is_not_given_to_the_next_one():
    game = Game(FakeEngine(HORDE))
    game.join()
    game.hear(SetOption("UCI_Variant", "horde"))
    game.replace_engine(FakeEngine(), HORDE_START, Go(depth=1))
    report, *answer = game.line.take()
    assert isinstance(report, Report)
    assert answer == [Resign(), BestMove("0000")]
    assert game.engine.told == []


def test_what_waits_for_one_engine_is_not_told_to_another_one_but_isready():
    game = Game(FakeEngine(HORDE))
    game.join()
    game.start()
    game.ask()
    game.hear(SetOption("UCI_Variant", "horde"), IsReady())
    game.replace_engine(FakeEngine(HORDE))
    game.engine_says(BestMove("e2e4"))
    assert SetOption("UCI_Variant", "horde") not in game.engine.told
    assert IsReady() in game.engine.told


def test_what_a_server_said_to_an_engine_that_is_down_is_forgotten_with_the_connection():
    game = Game()
    game.join()
    game.player.engine_down()
    game.hear(SetOption("Hash", "32"), Position(), Go(depth=1))
    game.player.line_down(1.0)
    game.player.engine_up(game.engine, 1.0)  # type: ignore[arg-type]
    assert game.engine.told == []


def test_a_server_that_never_stops_talking_to_an_engine_that_is_down_is_hung_up_on():
    game = Game()
    game.join()
    game.player.engine_down()
    game.hear(*[SetOption("Hash", "32")] * MOST_HELD)
    assert not game.line.why
    game.hear(SetOption("Hash", "32"))
    assert "things to a busy engine" in game.line.why


# Resigning


def test_it_resigns_when_its_file_says_so_and_still_answers():
    game = Game(bot=Config.model_validate({"resign": {"moves": 2, "score": 500}}))
    game.join()
    game.start()
    for moves in ((), ("e2e4", "e7e5")):
        assert game.line.take() in ([], [Info(score=Score(cp=-600)), BestMove("e2e4")])
        game.ask(*moves)
        game.engine_says(Info(score=Score(cp=-600)), BestMove("e2e4"))
    assert game.line.take() == [Info(score=Score(cp=-600)), Resign(), BestMove("e2e4")]
    assert "Scripted 1.0 sees no hope and resigns" in game.shown


@pytest.mark.parametrize("dialect", ["ugi", "uti"])
def test_a_port_that_greets_engines_of_another_dialect_is_left_with_a_hint(dialect):
    game = Game()
    game.hear(Unknown(dialect))
    assert game.line.why.startswith(
        f"it speaks {dialect.upper()} there, and the bridge speaks ULCI"
    )
    assert "--dialect is the engine's language" in game.line.why


def test_a_word_of_another_dialect_in_a_conversation_is_ignored():
    game = Game()
    game.join()
    game.hear(Unknown("uti"))
    assert not game.line.why
