import pytest

from ulci.protocol.messages import Terms
from ulci_client.terminal.commands.terms import TermsError, checked, parse

ENDGAME = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


@pytest.mark.parametrize(
    ("words", "terms"),
    [
        ("", Terms()),
        ("300+3", Terms(time="300+3")),
        ("time 300+3 color white rated yes", Terms(time="300+3", color="white", rated=True)),
        ("60+0 black human", Terms(time="60+0", color="black", against="human")),
        ("chess960 inf casual", Terms(game="chess960", time="inf", rated=False)),
        ("RATED 5m+0 White", Terms(time="300+0", color="white", rated=True)),
        ("game liberty against Engine", Terms(game="liberty", against="engine")),
        ("liberty start mini", Terms(game="liberty", start="mini")),
        (
            "liberty start mini against engine",
            Terms(game="liberty", start="mini", against="engine"),
        ),
        ("liberty start mini 60+0 white", Terms("liberty", "60+0", "white", start="mini")),
        (f"start {ENDGAME} time 5 min human", Terms(time="300", start=ENDGAME, against="human")),
        ("mnk start 3/3/3 x 3 engine", Terms("mnk", start="3/3/3 x 3", against="engine")),
        ("40/5400+30:20/3600+30", Terms(time="40/5400+30:20/3600+30")),
        ("5 min white", Terms(time="300", color="white")),
        ("5 min + 3 sec rated", Terms(time="300+3", rated=True)),
        ("3check 5m", Terms(game="3check", time="300")),
        ("5m 3check", Terms(game="3check", time="300")),
        ("5m games 3", Terms(time="300", games=3)),
        ("level 3", Terms(level=3)),
        ("5m range 1500-1800 rated", Terms(time="300", rated=True, range=(1500, 1800))),
        ("5m black level 8", Terms(time="300", color="black", level=8)),
        (f"5s+0 start {ENDGAME}", Terms(time="5+0", start=ENDGAME)),
    ],
)
def test_terms_are_read_in_full_or_in_short(words: str, terms: Terms) -> None:
    assert parse(words.split()) == terms


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("time", "time needs a value"),
        ("start", "start needs a value"),
        ("10", "10 may mean minutes or seconds: write 10m or 10s"),
        ("time 5+3 white", r"5\+3 may mean minutes or seconds: write 5m\+3s or 5s\+3s"),
        ("15 10", r"write 15m\+10s for 15 minutes and 10 seconds a move, not 15 10"),
        ("5|3", r"write 5m\+3s for 5 minutes and 3 seconds a move, or 5m|3m if White has"),
        ("level strong", "level is the strength of an engine of the server, from 1 on, not strong"),
        ("level", "level needs a value"),
        ("color pink", "color is white, black, random or later, not pink"),
        ("against dog", "against is any, human or engine, not dog"),
        ("humna", "humna is not a term of a game; did you mean human?"),
        ("xyzzy", r"xyzzy is not a term of a game: \[game G\]"),
        ("start mini", "liberty has it: game liberty start mini"),
        ("game liberty start maxi", "there is no start named"),
        ("start 8/8", "invalid start position"),
    ],
)
def test_a_wrong_word_is_named_with_what_is_expected(words: str, fault: str) -> None:
    with pytest.raises(TermsError, match=fault):
        parse(words.split())


def test_the_start_of_a_game_that_we_do_not_know_is_the_servers_to_judge() -> None:
    assert checked(Terms(game="nim", start="1,3,5")) == Terms(game="nim", start="1,3,5")
