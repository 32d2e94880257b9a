"""Which of two logins began later, by the word of two servers."""

from math import inf

import pytest

from ulci_server.cluster.post import TOLD_LATE, began_later


@pytest.mark.parametrize(
    ("one", "other", "later"),
    [
        (10.0 + 2 * TOLD_LATE, 10.0, True),
        (10.0, 10.0 + 2 * TOLD_LATE, False),
        (10.0 + TOLD_LATE / 2, 10.0, False),  # the word of it may have taken as long
        (10.0, -inf, True),
        (-inf, 10.0, False),
        (-inf, -inf, False),
    ],
)
def test_a_login_is_the_newer_one_if_that_is_certain(one, other, later) -> None:
    assert began_later(one, other) is later
