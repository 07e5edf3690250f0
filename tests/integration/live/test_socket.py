"""The live stream: history first, then what comes, each event once, in order, over lost news and dropped sockets."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User

from editor.models import BrowserSession
from runner import streaming
from runner.consumers import feed
from runner.consumers.run_socket import LARGEST_FRAME_IN, RunConsumer
from runner.models import Event, Run
from runner.services.runs import actor_of, cancel_run, send_signal
from tests.integration.live.conftest import Opens, in_database
from tests.integration.pages.samples import CAUGHT
from tests.support.flows import append_events, begin, publish

pytestmark = pytest.mark.django_db(transaction=True)


async def frame(socket: WebsocketCommunicator, timeout: float = 8) -> dict[str, Any]:
    got: dict[str, Any] = json.loads(await socket.receive_from(timeout=timeout))
    return got


async def numbers(socket: WebsocketCommunicator, last: int, timeout: float = 8) -> list[int]:
    """The numbers of the events that come, until `last` has come."""
    found: list[int] = []
    while not found or found[-1] < last:
        got = await frame(socket, timeout)
        if got["type"] == "events":
            assert 0 < len(got["events"]) <= 200
            found += [event["seq"] for event in got["events"]]
    return found


async def close_code(socket: WebsocketCommunicator, timeout: float = 8) -> int:
    """The code that the server closes a socket with; frames before it are passed over."""
    while True:
        output = await socket.receive_output(timeout=timeout)
        if output["type"] == "websocket.close":
            return int(output["code"])


def path_of(run: Run, after: object = 0) -> str:
    return f"/ws/runs/{run.pk}/?after={after}"


@pytest.mark.parametrize(
    "origin",
    [
        None, "null", "", "http://evil.example", "http://127.0.0.1:8001", "http://127.0.0.1", "https://127.0.0.1:8000",
        "http://127.0.0.1:8000.evil.example", "http://evil.127.0.0.1:8000",
    ],
)  # fmt: skip
async def test_other_origins_are_refused(run: Run, opens: Opens, origin: str | None) -> None:
    assert not (await opens(path_of(run), origin=origin)).accepted  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "code"), [(None, 4401), ("outsider", 4404), ("reviewer", 4404), ("analyst", None), ("admin", None)]
)
async def test_only_who_sees_the_run_may_watch_it(run: Run, opens: Opens, name: str | None, code: int | None) -> None:
    socket = await opens(path_of(run), name)
    if code is None:
        assert (await frame(socket))["type"] == "hello"
    else:
        assert await close_code(socket) == code


async def test_paths_and_runs_that_are_not_there_close_with_4404(run: Run, opens: Opens) -> None:
    assert await close_code(await opens("/ws/other/")) == 4404
    assert await close_code(await opens(f"/ws/runs/{'0' * 32}/?after=0")) == 4404


@pytest.mark.parametrize("after", ["x", "-1", "1.5", "9" * 40, "%F0%9F%92%A9"])
async def test_a_number_that_is_none_closes_with_4400(run: Run, opens: Opens, after: str) -> None:
    assert await close_code(await opens(path_of(run, after))) == 4400


async def test_numbers_that_do_not_exist_yet_close_with_4409(run: Run, opens: Opens) -> None:
    assert await close_code(await opens(path_of(run, run.seq + 1))) == 4409


async def test_history_comes_first_and_then_what_happens(run: Run, people: dict[str, User], opens: Opens) -> None:
    socket = await opens(path_of(run))
    assert await frame(socket) == {"type": "hello", "run": run.pk, "seq": run.seq, "after": 0}
    assert await numbers(socket, run.seq) == list(range(1, run.seq + 1))
    await in_database(cancel_run)(run.pk, actor=actor_of(people["analyst"]), reason="enough")
    got = await frame(socket)
    last = got["events"][-1]
    assert last["type"] == "flow-canceled" and last["actor"]["name"] == "analyst"
    stored = await in_database(Event.objects.get)(run=run, seq=last["seq"])
    assert last == json.loads(stored.text), "the event as it was hashed"


async def test_a_long_history_comes_whole_and_in_order_over_killed_sockets(run: Run, opens: Opens) -> None:
    await in_database(append_events)(run.pk, 3_000)
    last = run.seq + 3_000
    found: list[int] = []
    for stop_at in (700, 1_900, last):
        socket = await opens(path_of(run, found[-1] if found else 0))
        found += await numbers(socket, stop_at)
        await socket.disconnect(timeout=5)
    assert found == list(range(1, last + 1))


async def test_lost_news_cost_time_only(run: Run, opens: Opens) -> None:
    socket = await opens(path_of(run, run.seq))
    await frame(socket)
    await in_database(append_events)(run.pk, 3)  # nobody is told
    assert await numbers(socket, run.seq + 3) == [run.seq + n for n in (1, 2, 3)]


async def test_news_bring_events_at_once(
    run: Run, people: dict[str, User], opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "POLL_S", 30.0)
    socket = await opens(path_of(run, run.seq))
    await frame(socket)
    await asyncio.sleep(0.3)  # until the reader hears of its run
    started = time.monotonic()
    await in_database(send_signal)(run.pk, "other", actor=actor_of(people["analyst"]))
    assert await numbers(socket, run.seq + 1) == [run.seq + 1]
    assert time.monotonic() - started < 3


async def test_wrong_doubled_and_early_news_do_no_harm(run: Run, opens: Opens) -> None:
    socket = await opens(path_of(run, run.seq))
    await frame(socket)
    layer = get_channel_layer()
    assert layer is not None
    group = streaming.group_of(run.pk)
    for news in ({"run": run.pk, "seq": 10**9}, {"run": "x", "seq": 1}, {"run": run.pk}, {"seq": "x"}):
        await layer.group_send(group, {"type": "run.event", **news})
    await in_database(append_events)(run.pk, 2)
    for _ in range(5):
        await layer.group_send(group, {"type": "run.event", "run": run.pk, "seq": run.seq + 2})
    assert await numbers(socket, run.seq + 2) == [run.seq + 1, run.seq + 2]
    assert await socket.receive_nothing(timeout=1)


async def test_one_reader_feeds_all_sockets_of_a_run_and_stops_with_the_last(run: Run, opens: Opens) -> None:
    sockets = [await opens(path_of(run, run.seq), name) for name in ("analyst", "admin", "analyst")]
    for socket in sockets:
        await frame(socket)
    readers = feed.feeds()._readers
    assert list(readers) == [run.pk]
    await in_database(append_events)(run.pk, 250)
    expected = [run.seq + n for n in range(1, 251)]
    assert await asyncio.gather(*(numbers(socket, run.seq + 250) for socket in sockets)) == [expected] * 3
    for socket in sockets:
        await socket.disconnect(timeout=5)
    assert not readers


async def test_runs_do_not_get_each_others_events(run: Run, people: dict[str, User], opens: Opens) -> None:
    other = await in_database(lambda: begin(publish(CAUGHT, people["analyst"]), people["analyst"]))()
    one, two = await opens(path_of(run)), await opens(path_of(other))
    assert await numbers(one, run.seq) == list(range(1, run.seq + 1))
    assert await numbers(two, other.seq) == list(range(1, other.seq + 1))
    await in_database(append_events)(other.pk, 1)
    assert await numbers(two, other.seq + 1) == [other.seq + 1]
    assert await one.receive_nothing(timeout=0.5)


async def test_without_redis_everything_still_arrives(run: Run, opens: Opens, settings: Any) -> None:
    nobody = {"address": "redis://127.0.0.1:1/0", "socket_connect_timeout": 1}
    settings.CHANNEL_LAYERS = {
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [nobody]}}
    }
    socket = await opens(path_of(run))
    assert await numbers(socket, run.seq) == list(range(1, run.seq + 1))
    await in_database(append_events)(run.pk, 2)
    assert await numbers(socket, run.seq + 2) == [run.seq + 1, run.seq + 2]


async def test_signing_out_closes_the_socket(
    run: Run, sessions: dict[str, str], opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunConsumer, "recheck_s", 0.2)
    socket = await opens(path_of(run, run.seq))
    await frame(socket)
    await asyncio.sleep(0.5)
    await in_database(BrowserSession.objects.filter(pk=sessions["analyst"]).delete)()
    assert await close_code(socket) == 4401


async def test_losing_the_right_to_see_a_run_closes_the_socket(
    run: Run, people: dict[str, User], opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunConsumer, "recheck_s", 0.2)
    await in_database(Run.objects.filter(pk=run.pk).update)(started_by=None)
    socket = await opens(path_of(run, run.seq))
    await frame(socket)
    await in_database(people["analyst"].groups.clear)()
    assert await close_code(socket) == 4404


async def test_nothing_is_sent_after_a_close(run: Run, opens: Opens, caplog: pytest.LogCaptureFixture) -> None:
    socket = await opens(path_of(run))
    await socket.send_to("nonsense")
    assert await close_code(socket) == 4400
    assert await socket.receive_nothing(0.5)
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


async def test_only_tiny_pings_are_taken(run: Run, opens: Opens) -> None:
    socket = await opens(path_of(run, run.seq))
    await frame(socket)
    await socket.send_to('{"type": "ping"}')
    assert await frame(socket) == {"type": "pong"}
    for text, code in (
        ("x" * (LARGEST_FRAME_IN + 1), 1009),
        ("{}", 4400),
        ('{"type": "cancel"}', 4400),
        ("[" * 10_000, 4400),
    ):
        socket = await opens(path_of(run, run.seq))
        await frame(socket)
        await socket.send_to(text)
        assert await close_code(socket) == code
    socket = await opens(path_of(run, run.seq))
    await frame(socket)
    await socket.send_to(bytes_data=b"x" * (LARGEST_FRAME_IN + 1))
    assert await close_code(socket) == 1009


async def test_a_quiet_socket_beats_while_the_database_answers(
    run: Run, opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunConsumer, "beat_s", 0.2)
    socket = await opens(path_of(run, run.seq))
    await frame(socket)
    assert await frame(socket) == {"type": "beat", "seq": run.seq}
    reader = feed.feeds()._readers[run.pk]
    monkeypatch.setattr(reader, "is_fresh", lambda: False)
    while not await socket.receive_nothing(timeout=0.6):
        await frame(socket)


async def test_whole_numbers_over_2_53_are_sent_as_text(run: Run, opens: Opens) -> None:
    await in_database(append_events)(run.pk, 1, big=2**60)
    socket = await opens(path_of(run, run.seq))
    await frame(socket)
    assert (await frame(socket))["events"][0]["data"]["big"] == str(2**60)
