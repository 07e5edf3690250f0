"""Who loses a right loses the open socket within moments, not at the next look: news of it come over Redis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.test import Client

from editor.models import Flow
from editor.people import change_groups, disable, enable, sign_out_everywhere
from editor.sharing import Grant, share_flow
from editor.signals import rights_changed
from runner.consumers.socket import ReadingSocket
from runner.models import Run
from tests.integration.live.conftest import Opens, in_database
from tests.integration.live.test_socket import close_code, frame, path_of
from tests.support.flows import make_person

pytestmark = pytest.mark.django_db(transaction=True)

SOON_S = 8.0


@pytest.fixture(autouse=True)
def _no_look_but_on_news(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReadingSocket, "recheck_s", 3_600.0)


async def watching(opens: Opens, run: Run, name: str) -> WebsocketCommunicator:
    socket = await opens(path_of(run, run.seq), name)
    assert (await frame(socket))["type"] == "hello"
    return socket


Deed = Callable[[dict[str, User], Run], object]


def _restrict(people: dict[str, User], run: Run) -> None:
    share_flow(Flow.objects.get(pk=run.flow_id), restricted=True, grants=[], by=people["admin"])


def _share(people: dict[str, User], run: Run) -> None:
    grants = [Grant("outsider", False, ())]
    share_flow(Flow.objects.get(pk=run.flow_id), restricted=False, grants=grants, by=people["admin"])


def _sign_out(people: dict[str, User], run: Run) -> None:
    sign_out_everywhere(people["second"], by=people["second"])


DEEDS: dict[str, tuple[Deed, int]] = {
    "disabled": (lambda people, run: disable(people["second"], by=people["admin"]), 4401),
    "signed out everywhere": (_sign_out, 4401),
    "without a role": (lambda people, run: change_groups(people["second"], [], by=people["admin"]), 4404),
    "restricted": (_restrict, 4404),
}


@pytest.mark.parametrize("name", DEEDS)
async def test_who_loses_the_right_loses_the_socket(
    name: str, run: Run, people: dict[str, User], sessions: dict[str, str], opens: Opens
) -> None:
    people["second"] = await in_database(_second_analyst)(sessions)
    mine, admins = await watching(opens, run, "second"), await watching(opens, run, "admin")
    deed, code = DEEDS[name]
    await in_database(deed)(people, run)
    assert await close_code(mine, SOON_S) == code
    assert await admins.receive_nothing(timeout=0.5)  # asked too, and goes on


def _second_analyst(sessions: dict[str, str]) -> User:
    person = make_person("second", "analyst")
    client = Client()
    client.force_login(person)
    sessions["second"] = str(client.session.session_key)
    return person


async def test_a_session_from_before_opens_nothing_after_enabling(
    run: Run, people: dict[str, User], sessions: dict[str, str], opens: Opens
) -> None:
    second = await in_database(_second_analyst)(sessions)
    await in_database(disable)(second, by=people["admin"])
    await in_database(enable)(second, by=people["admin"])
    assert await close_code(await opens(path_of(run), "second")) == 4401


async def test_whom_a_flow_is_shared_with_may_watch_its_runs(run: Run, people: dict[str, User], opens: Opens) -> None:
    assert await close_code(await opens(path_of(run), "outsider")) == 4404
    await in_database(_share)(people, run)
    await watching(opens, run, "outsider")


def test_signing_out_tells_open_pages(people: dict[str, User], monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []

    def listen(**news: Any) -> None:
        told.append(news)

    rights_changed.connect(listen)
    client = Client()
    client.force_login(people["analyst"])
    client.post("/sign-out/")
    rights_changed.disconnect(listen)
    assert len(told) == 1
