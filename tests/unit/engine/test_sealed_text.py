"""The text that is hashed of an event is the canonical text of its envelope, though it is put together of parts."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from editor.language.canonical import canonical_text
from runner.engine.events import ENGINE, Event, envelope, event_hash, seal

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)
_NUMBER = st.integers(min_value=0, max_value=2**53)


@given(
    type_=st.sampled_from(["flow-start", "step-start", "step-complete", "step-scheduled", "edge-taken"]),
    seq=_NUMBER, ts=_NUMBER, prev=_TEXT, run_id=_TEXT,
    actor=st.just(ENGINE) | st.dictionaries(_TEXT, _JSON, max_size=3),
    step=st.none() | _TEXT, path=st.none() | _TEXT, visit=st.none() | _NUMBER, attempt=st.none() | _NUMBER,
    data=st.dictionaries(_TEXT, _JSON, max_size=4),
)  # fmt: skip
def test_the_sealed_text_is_the_canonical_text_of_the_envelope(
    type_: str, seq: int, ts: int, prev: str, run_id: str, actor: dict[str, Any],
    step: str | None, path: str | None, visit: int | None, attempt: int | None, data: dict[str, Any],
) -> None:  # fmt: skip
    event = seal(Event(type_, seq, ts, actor, step, path, visit, attempt, data), run_id, prev)
    assert event.text == canonical_text(envelope(event, run_id))
    assert event.hash == event_hash(event.text)
