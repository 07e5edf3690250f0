"""A process that ended is started again, later and later, and not for ever."""

from flowsite.supervisor.restarts import LONG_LIFE_S, LONGEST_DELAY_S, MOST_QUICK_DEATHS, RestartPolicy


def test_the_first_restart_comes_at_once_and_later_ones_wait_longer() -> None:
    policy = RestartPolicy()
    delays = [policy.delay_after_death(0.1) for _ in range(MOST_QUICK_DEATHS)]
    assert all(delay is not None for delay in delays)
    known = [delay for delay in delays if delay is not None]
    assert known == sorted(known)
    assert known[0] <= 0.5
    assert known[-1] <= LONGEST_DELAY_S


def test_a_process_that_keeps_dying_at_once_is_given_up() -> None:
    policy = RestartPolicy()
    for _ in range(MOST_QUICK_DEATHS):
        policy.delay_after_death(0.1)
    assert policy.delay_after_death(0.1) is None


def test_a_long_life_wipes_out_earlier_deaths() -> None:
    policy = RestartPolicy()
    first = policy.delay_after_death(0.1)
    for _ in range(20):
        policy.delay_after_death(0.1)
        assert policy.delay_after_death(LONG_LIFE_S) == first
