"""A process in the surroundings of a site that starts and reads runs for a test: one JSON line in, one out.

It is a program like any other of the site: what it starts is worked on by the site's own workers.
"""

from __future__ import annotations

import json
import sys
import traceback
from typing import Any


def start(flow: dict[str, Any], test: dict[str, Any], options: dict[str, Any]) -> str:
    """Start a run of a flow test; gives its id."""
    from editor.services import freeze_trial
    from runner.services.programs import flow_test_setup
    from runner.services.runs import start_run
    from runner.simulation.catalog import catalog_of
    from runner.simulation.flow_test_file import FlowTest

    given = FlowTest.model_validate({"name": "real", "flow": flow, "expect": {}} | test)
    version = freeze_trial(flow, by=None, catalog=catalog_of(given))
    actor = {"kind": "user", "id": "1", "name": "test"}
    setup = flow_test_setup(given)
    return start_run(version, inputs=dict(given.inputs), actor=actor, flow_test=setup, **options).run_id


def look(run_id: str) -> dict[str, Any]:
    """Status, result and error of a run."""
    from runner.models import Run

    run = Run.objects.get(pk=run_id)
    return {"status": run.status, "result": run.value_of("result"), "error": run.error, "seq": run.seq}


def history(run_id: str) -> dict[str, Any]:
    """Events and step runs of a run, and what is wrong with its history."""
    from runner.models import Event, StepRun
    from runner.services.history import verify_history

    events = Event.objects.filter(run_id=run_id).order_by("seq")
    steps = StepRun.objects.filter(run_id=run_id)
    fault = verify_history(run_id).fault
    return {
        "events": [[row.seq, row.type, row.path, row.attempt] for row in events],
        "steps": [[row.path, row.visit, row.attempt, row.status, row.lost] for row in steps],
        "fault": str(fault) if fault else None,
    }


def artifacts(run_id: str) -> dict[str, Any]:
    """What a run has written, by the artifact's id."""
    from runner.models import Artifact

    return {one.artifact: one.value_of("content") for one in Artifact.objects.filter(run_id=run_id)}


def cancel(run_id: str) -> None:
    """Cancel a run."""
    from runner.services.runs import cancel_run

    cancel_run(run_id, actor={"kind": "user", "id": "1", "name": "test"})


def start_with_own_tools(flow: dict[str, Any]) -> str:
    """Start a run that calls the tools of the site; gives its id."""
    from editor.services import freeze_trial
    from runner.catalog import CATALOG
    from runner.services.runs import start_run

    version = freeze_trial(flow, by=None, catalog=CATALOG)
    return start_run(version, inputs={}, actor={"kind": "user", "id": "1", "name": "test"}).run_id


def stop(scope: str, target: str, reason: str) -> int:
    """Turn the incident switch as an admin; gives the stop's id."""
    from django.contrib.auth.models import User

    from runner.services.stops import stop

    admin, _ = User.objects.get_or_create(username="ada", defaults={"is_superuser": True})
    return stop(scope, target, reason=reason, user=admin).pk


def release(stop_id: int) -> None:
    """Release a stop."""
    from django.contrib.auth.models import User

    from runner.services.stops import release

    release(stop_id, note="a test is over", user=User.objects.get(username="ada"))


def main() -> None:
    """Answer calls until the input ends."""
    import django
    from django.db import connections

    django.setup()
    known = (start, start_with_own_tools, look, history, artifacts, cancel, stop, release)
    verbs = {verb.__name__: verb for verb in known}
    for line in sys.stdin:
        verb, arguments = json.loads(line)
        try:
            answer = {"value": verbs[verb](*arguments)}
        except Exception:
            answer = {"error": traceback.format_exc()}
        connections.close_all()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
