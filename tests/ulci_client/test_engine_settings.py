"""An engine of a client's user, by a real process."""

import pytest
import trio

from tests.support.engines import scripted
from tests.support.wires import HANG
from ulci.engines.errors import EngineError, OptionRejectedError
from ulci.engines.process import open_engine
from ulci_client.engine_settings import check_allowed


async def test_an_option_that_a_server_may_set_must_be_one_of_the_engine():
    settings = scripted(allow_options=("Hsah",))
    with trio.fail_after(HANG):
        async with open_engine(settings) as engine:
            with pytest.raises(OptionRejectedError, match="no option 'Hsah'; did you mean 'Hash'"):
                check_allowed(engine, settings)


async def test_its_user_is_told_how_to_give_it_more_time():
    with pytest.raises(EngineError, match=r"--start-timeout SECONDS \(bot.toml: start_timeout\)"):
        async with open_engine(scripted("--no-uciok", start=0.1)):
            pass
