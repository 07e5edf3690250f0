"""The outbox holds each message once: under repetition, and under calls at one moment; and which model is there."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from runner.engine.errors import RunError
from runner.samples.models import OutboxMessage
from runner.samples.outbox import MessageKeyTakenError, put_into_outbox
from runner.tools import TOOLS, ToolContext
from runner.tools.calling import call_tool
from runner.tools.llm import PROVIDERS, Completion
from runner.tools.llm.offline import OfflineProvider

pytestmark = pytest.mark.django_db

MESSAGE: dict[str, Any] = {"recipient": "Ada", "subject": "S", "text": "Hello,\nAda.", "category": "billing"}


def call(name: str, arguments: dict[str, Any], key: str = "") -> Any:
    tool = TOOLS.get(name)
    assert tool is not None
    return call_tool(tool, arguments, ToolContext(effect_key=key))


def send(key: str, **changes: Any) -> Any:
    return call("send_answer", MESSAGE | changes, key)


def test_a_message_is_kept_as_it_was_written() -> None:
    assert send("k1") == {"message": OutboxMessage.objects.get().pk, "recipient": "Ada"}
    written = OutboxMessage.objects.get()
    assert (written.subject, written.text, written.category) == ("S", "Hello,\nAda.", "billing")
    assert written.written_at is not None and str(written) == "S, to Ada"


def test_the_same_call_again_gives_the_first_message() -> None:
    assert send("k1") == send("k1") == send("k1") != send("k2")
    assert OutboxMessage.objects.count() == 2


def test_one_key_cannot_stand_for_two_messages() -> None:
    send("k1")
    with pytest.raises(RunError) as caught:
        send("k1", text="Other words.")
    assert caught.value.code == "outbox_conflict"
    with pytest.raises(MessageKeyTakenError):
        put_into_outbox("k1", recipient="Eve")
    assert OutboxMessage.objects.get().text == "Hello,\nAda."


def test_a_message_without_a_key_is_refused() -> None:
    with pytest.raises(RunError):
        send("")
    assert not OutboxMessage.objects.exists()


@pytest.mark.parametrize("changes", [{"recipient": ""}, {"text": ""}, {"subject": "s" * 201}, {"category": "spam"}])
def test_arguments_that_make_no_message_send_nothing(changes: dict[str, Any]) -> None:
    with pytest.raises(RunError) as caught:
        send("k1", **changes)
    assert caught.value.code == "tool_args_invalid"
    assert not OutboxMessage.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_calls_at_the_same_moment_write_one_message_for_each_key() -> None:
    keys = [f"k{number % 3}" for number in range(12)]
    together = threading.Barrier(len(keys))

    def at_once(key: str) -> Any:
        try:
            together.wait(20)
            return send(key)["message"]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(keys)) as pool:
        given = list(pool.map(at_once, keys))
    written = dict(OutboxMessage.objects.values_list("effect_key", "pk"))
    assert len(written) == 3 and given == [written[key] for key in keys]


class Other:
    """A provider without a list of models."""

    name = "other"

    def models(self) -> tuple[str, ...]:
        return ()

    def complete(self, request: Any, ctx: ToolContext) -> Completion:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("provider", "default", "wanted", "chosen"),
    [
        (OfflineProvider(), "offline", True, {"use": False, "name": "", "why": "no model is set up on this site"}),
        (Other(), "other:big", True, {"use": True, "name": "other:big", "why": ""}),
        (Other(), "other", True, {"use": True, "name": "other", "why": ""}),
        (Other(), "other", False, {"use": False, "name": "", "why": "this run was to ask none"}),
    ],
)
def test_the_flow_is_told_honestly_which_model_there_is(
    monkeypatch: pytest.MonkeyPatch, provider: Any, default: str, wanted: bool, chosen: dict[str, Any]
) -> None:
    monkeypatch.setattr(PROVIDERS, "_providers", {provider.name: provider})
    monkeypatch.setattr(PROVIDERS, "default_model", default)
    assert call("choose_model", {"wanted": wanted}) == chosen
