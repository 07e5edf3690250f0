"""Statuses in honest words."""

import pytest

from runner.models import Approval, Run, StepRun
from runner.serializers import words
from runner.serializers.words import (
    actor_words,
    duration_words,
    money_words,
    run_words,
    size_words,
    step_words,
    who_decides,
)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (Run(status="succeeded"), ("Succeeded", "succeeded")),
        (Run(status="succeeded", failed_steps=1), ("Succeeded with 1 failed step", "warned")),
        (Run(status="succeeded", failed_steps=3), ("Succeeded with 3 failed steps", "warned")),
        (Run(status="failed", failed_steps=3), ("Failed", "failed")),
        (Run(status="awaiting_approval"), ("Waiting for approval", "approval")),
        (Run(status="active", live=2, running=1, waiting_other=1), ("Running", "running")),
        (Run(status="active", live=1, waiting_other=1), ("Waiting", "waiting")),
        (Run(status="active", live=2, waiting_person=1), ("Queued", "queued")),
        (Run(status="paused"), ("Paused", "paused")),
    ],
)
def test_a_run_says_where_it_stands(run: Run, expected: tuple[str, str]) -> None:
    told = run_words(run)
    assert (told.text, told.mark) == expected


@pytest.mark.parametrize(
    ("step", "due", "expected"),
    [
        (StepRun(status="pending", attempt=1), None, "Queued"),
        (StepRun(status="pending", attempt=2), 9_000, "Retrying later"),
        (StepRun(status="pending", attempt=2), 4_000, "Queued"),
        (StepRun(status="running", cancel_requested=True), None, "Cancelling"),
        (StepRun(status="waiting", waits_for="person"), None, "Waiting for approval"),
        (StepRun(status="waiting", waits_for="signal"), None, "Waiting for a signal"),
        (StepRun(status="failed", error={"code": "approval_expired"}), None, "Expired, no decision"),
        (StepRun(status="failed", error={"code": "tool_failed"}), None, "Failed"),
    ],
)
def test_an_attempt_says_where_it_stands(step: StepRun, due: int | None, expected: str) -> None:
    assert step_words(step, now_ms=5_000, due_ms=due).text == expected


def test_people_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words.pseudonyms, "shown", lambda actor: actor)  # nobody was erased
    assert actor_words({"kind": "user", "id": "7", "name": "Bo"}) == "Bo"
    assert actor_words({"kind": "engine"}) == "the engine"
    assert actor_words({"kind": "token", "name": "nightly"}) == "token nightly"
    assert who_decides("finance", []) == "the group finance"
    assert who_decides(None, ["Bo", "finance"]) == "Bo, finance"
    assert who_decides(None, []) == "a reviewer"
    assert str(Approval(tool="pay", title="")) == "pay"


@pytest.mark.parametrize(
    ("ms", "expected"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (18_200, "18.2 s"),
        (185_000, "3 min 5 s"),
        (7_800_000, "2 h 10 min"),
        (273_600_000, "3 d 4 h"),
    ],
)
def test_times_are_told_in_two_units(ms: int, expected: str) -> None:
    assert duration_words(ms) == expected


def test_sizes_and_money_are_told_shortly() -> None:
    assert [size_words(size) for size in (1, 700, 2048, 5 * 1024 * 1024)] == [
        "1 byte",
        "700 bytes",
        "2.0 KiB",
        "5.0 MiB",
    ]
    assert [money_words(micros) for micros in (0, 1_000, 1_500_000)] == ["$0", "$0.001", "$1.5"]
