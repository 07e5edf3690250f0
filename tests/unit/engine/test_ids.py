"""Ids of runs and of what belongs to them: near each other where they are young, and as before where they are old."""

from runner.engine.retry import step_run_id
from runner.engine.rows import derived_id, id_beside, id_in_order
from runner.engine.subflows import child_id

NOW = 1_790_000_000_000
CHANCE, OTHER = "0123456789abcdef01234567", "fedcba9876543210fedcba98"


def test_an_id_has_32_digits_and_grows_with_the_minute():
    ids = [id_in_order(NOW + minutes * 65_536, OTHER if minutes % 2 else CHANCE) for minutes in range(20)]
    assert ids == sorted(ids)
    assert all(len(one) == 32 and int(one, 16) for one in ids)


def test_ids_of_the_same_moment_differ_by_all_their_chance():
    assert id_in_order(NOW, CHANCE) != id_in_order(NOW, OTHER)
    differing = {id_in_order(NOW, CHANCE[:place] + "f" + CHANCE[place + 1 :]) for place in range(15)}
    assert len(differing) == 15


def test_step_runs_of_a_run_stand_beside_it_and_so_do_its_child_runs():
    run = id_in_order(NOW, CHANCE)
    steps = [step_run_id(run, f"n{place}", 1, 1) for place in range(100)]
    assert len(set(steps)) == 100
    assert {step[:16] for step in steps} == {run[:16]}
    assert child_id(steps[0])[:16] == run[:16]
    assert step_run_id(child_id(steps[0]), "n0", 1, 1) not in steps


def test_step_runs_of_runs_that_are_alike_at_first_differ():
    one, other = id_in_order(NOW, CHANCE), id_in_order(NOW, CHANCE[:8] + OTHER[8:])
    assert one[:16] == other[:16]
    assert step_run_id(one, "n0", 1, 1) != step_run_id(other, "n0", 1, 1)


def test_step_runs_of_a_run_from_before_keep_their_ids():
    old = "00112233445566778899aabbccddeeff"
    assert step_run_id(old, "n0", 1, 1) == derived_id("step", old, "n0", 1, 1) == "5b365f2ad6c0a7ea04bb7e50eaf10f86"
    assert id_beside("a flow test", "x") == derived_id("x")
