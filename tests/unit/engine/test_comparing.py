"""Two runs side by side: what is aligned, what differs first, and what is true of any two histories."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from runner.engine.comparing import Comparison, Side, compare, visits_of
from runner.engine.events import ENGINE, Event
from runner.engine.rows import Usage


def history(*told: tuple[str, str, dict[str, Any]], run: str = "a") -> list[tuple[str, Event]]:
    """Events of type, path and data; each a second after the one before."""
    return [
        (
            run,
            Event(
                kind, seq, seq * 1000, ENGINE, step=path.rpartition(".")[2], path=path, visit=1, attempt=1, data=data
            ),
        )
        for seq, (kind, path, data) in enumerate(told, 1)
    ]


def step(path: str, *, given: Any = 1, gives: Any = 1, writes: Any = None, goes: str = "") -> list[Any]:
    """A step that succeeds."""
    end: dict[str, Any] = {"output": {"v": gives}}
    if writes is not None:
        end["delta"] = {"v": writes}
    found = [("step-start", path, {"input": {"v": given}}), ("step-complete", path, end)]
    return [*found, ("edge-taken", path, {"target": goes, "on": "success"})] if goes else found


def side(*steps: list[Any], over: bool = True) -> Side:
    return Side(visits_of(history(*(event for one in steps for event in one))), over)


def first(comparison: Comparison) -> tuple[str, tuple[str, ...]] | None:
    return (comparison.first.one.path, comparison.first.differs) if comparison.first else None


def test_the_step_that_went_another_way_comes_before_those_that_are_there_because_of_it():
    left = side(step("check", goes="pay"), step("pay"))
    right = side(step("check", goes="ask"), step("ask"))
    found = compare(left, right)
    assert first(found) == ("check", ("route",))
    assert [(row.one.path, row.differs) for row in found.rows] == [
        ("check", ("route",)),
        ("pay", ("missing",)),
        ("ask", ("missing",)),
    ]


def test_a_step_inside_differs_before_the_container_around_it():
    def run(gives: int) -> Side:
        inner = step("each[0].n", gives=gives)
        return side([("step-start", "each", {})], inner, [("step-complete", "each", {"output": {"v": [gives]}})])

    assert first(compare(run(1), run(2))) == ("each[0].n", ("output",))


def test_input_writes_and_errors_are_told_apart():
    assert first(compare(side(step("n", given=1)), side(step("n", given=2)))) == ("n", ("input",))
    assert first(compare(side(step("n", writes=[["x", "set", 1]])), side(step("n")))) == ("n", ("writes",))
    failed = [("step-start", "n", {"input": {"v": 1}}), ("step-error", "n", {"error": {"code": "timeout"}})]
    other = [failed[0], ("step-error", "n", {"error": {"code": "tool_failed"}})]
    assert first(compare(side(failed), side(other))) == ("n", ("status",))
    assert first(compare(side(failed), side(step("n")))) == ("n", ("status", "output"))


def test_the_order_of_keys_and_the_way_a_number_is_written_count_for_nothing():
    one, other = {"a": 1, "b": 2.0}, {"b": 2, "a": 1}
    assert compare(side(step("n", gives=one)), side(step("n", gives=other))).first is None
    assert first(compare(side(step("n", gives=1)), side(step("n", gives=True)))) == ("n", ("output",))


def test_what_is_sealed_is_not_compared_but_said():
    def run(seal: str) -> Side:
        sealed = {"sealed": seal, "size": 3}
        return side([("step-start", "n", {"input": sealed}), ("step-complete", "n", {"output": sealed})])

    found = compare(run("x"), run("y"))
    assert found.first is None
    assert found.rows[0].is_covered


def test_what_a_run_has_not_come_to_yet_is_no_difference():
    done, begun = side(step("a"), step("b")), side(step("a"), [("step-start", "b", {"input": {"v": 1}})], over=False)
    found = compare(done, begun)
    assert (found.first, [row.is_open for row in found.rows]) == (None, [False, True])
    assert first(compare(done, side(step("a"), over=True))) == ("b", ("missing",))


def test_a_step_that_is_tried_again_counts_as_it_ended():
    again = [
        ("step-start", "n", {"input": {"v": 1}}),
        (
            "step-retry",
            "n",
            {"attempt": 1, "usage": Usage(cost_micros=7).as_json()},
        ),
        ("attempt-start", "n", {"input": {"v": 1}}),
        ("step-complete", "n", {"output": {"v": 1}}),
    ]
    found = compare(side(again), side(step("n")))
    assert found.first is None
    before = found.rows[0].before
    assert before is not None
    assert (before.attempts, before.usage.cost_micros, before.at.seq) == (2, 7, 4)


PATHS = st.sampled_from(["a", "b", "c", "each[0].d", "each[1].d", "each"])
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("step-start"), PATHS, st.builds(lambda v: {"input": {"v": v}}, st.integers(0, 2))),
        st.tuples(st.just("step-complete"), PATHS, st.builds(lambda v: {"output": {"v": v}}, st.integers(0, 2))),
        st.tuples(st.just("step-error"), PATHS, st.builds(lambda c: {"error": {"code": c}}, st.sampled_from("xy"))),
        st.tuples(st.just("edge-taken"), PATHS, st.builds(lambda t: {"target": t, "on": "success"}, PATHS)),
        st.tuples(st.just("step-waiting"), PATHS, st.just({})),
    ),
    max_size=20,
)
SIDES = st.builds(lambda told, over: Side(visits_of(history(*told)), over), EVENTS, st.booleans())


@settings(deadline=None)
@given(SIDES)
def test_a_run_does_not_differ_from_itself(one: Side):
    found = compare(one, one)
    assert found.first is None
    assert [row.key for row in found.rows] == list(one.visits)


@settings(deadline=None)
@given(SIDES, SIDES)
def test_it_finds_the_same_the_other_way_round(one: Side, other: Side):
    there, back = compare(one, other), compare(other, one)
    assert {row.key: (row.differs, row.is_open) for row in there.rows} == {
        row.key: (row.differs, row.is_open) for row in back.rows
    }
    assert (there.first and there.first.key) == (back.first and back.first.key)
    assert {row.key for row in there.rows} == {*one.visits, *other.visits}


@settings(deadline=None)
@given(EVENTS, EVENTS)
def test_what_is_the_same_up_to_a_place_differs_behind_it(start: list[Any], rest: list[Any]):
    one, other = Side(visits_of(history(*start))), Side(visits_of(history(*start, *rest)))
    found = compare(one, other).first
    if found is not None and found.after is not None:
        assert found.after.order[1] >= len(start)
