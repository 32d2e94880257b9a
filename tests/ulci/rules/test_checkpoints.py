from ulci.rules.checkpoints import INTERVAL, Checkpoints


def played(plies: int) -> Checkpoints[int]:
    """Of each ply its number is kept."""
    copies = Checkpoints(0)
    for ply in range(1, plies + 1):
        copies.passed(ply, lambda ply=ply: ply)  # type: ignore[misc]
    return copies


def test_the_last_copy_before_a_ply_is_never_far():
    for ply in range(3 * INTERVAL):
        kept, copy = played(3 * INTERVAL).before(ply)
        assert kept == copy <= ply < kept + INTERVAL


def test_the_start_is_always_kept():
    assert played(0).before(0) == (0, 0)


def test_copies_of_plies_that_are_taken_back_are_made_anew():
    copies = played(3 * INTERVAL)
    assert copies.before(INTERVAL + 5) == (INTERVAL, INTERVAL)
    for ply in range(INTERVAL + 6, 2 * INTERVAL + 2):
        copies.passed(ply, lambda: -1)
    assert copies.before(2 * INTERVAL + 1) == (2 * INTERVAL, -1)
