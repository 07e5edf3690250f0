"""Measures by hand how long safe replay takes: 100 recorded runs of a flow of 20 nodes against a changed draft.

    python -m tests.bench.replay

makes a private SQLite database, runs the flow really, and prints a line. The goal is under 10 s on two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from typing import Any

NODES, GOAL_S = 20, 10.0


def document(nodes: int, limit: int) -> dict[str, Any]:
    """Tool calls and branches in turn; which way is taken depends on the number that goes in, and on `limit`."""
    steps: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    for number in range(nodes - 1):
        if number % 4 == 3:
            steps.append(
                {"id": f"s{number}", "type": "set_variable", "config": {"variable": "n", "value": {"$expr": "n + 1"}}}
            )
        else:
            steps.append(
                {
                    "id": f"s{number}",
                    "type": "tool_call",
                    "output_variable": "found",
                    "config": {"tool": "sort_by_keywords", "arguments": {"message": f"bill {number} {{{{n}}}}"}},
                }
            )
        edges.append({"source": f"s{number}", "target": f"s{number + 1}"})
    steps.append({"id": f"s{nodes - 1}", "type": "return", "config": {"value": "{{n}}"}})
    edges.insert(10, {"source": "s10", "target": f"s{nodes - 1}", "when": f"n > {limit}"})
    return {
        "format": 1, "id": "bench", "name": "Bench", "nodes": steps, "edges": edges,
        "inputs": [{"name": "n", "type": "integer", "required": True}],
    }  # fmt: skip


def main() -> None:
    """Prepare, run, replay, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DATABASE_URL", f"sqlite:///{folder}/bench.sqlite3")
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        _measure(asked.runs)


def _measure(number: int) -> None:
    from collections import Counter

    from editor.models import Flow
    from runner.catalog import CATALOG
    from runner.models import Run
    from runner.services.replays import changed_program, replay_runs, runs_to_replay
    from tests.support.flows import begin, make_person, publish

    person = make_person("bench", "admin")
    version = publish(document(NODES, 1_000), person)
    began = time.perf_counter()
    for n in range(number):
        begin(version, person, inputs={"n": n})
    ran = time.perf_counter() - began
    flow = Flow.objects.get(pk="bench")
    began = time.perf_counter()
    _, runs = runs_to_replay(flow, person, number)
    changed = changed_program(flow, document(NODES, number // 2), CATALOG)
    found = Counter(replayed.verdict for _, replayed in replay_runs(list(runs), changed))
    took = time.perf_counter() - began
    steps = Run.objects.values_list("steps", flat=True).first()
    told = {"runs": number, "nodes": NODES, "steps of a run": steps, "running them took s": round(ran, 1),
            "replaying them took s": round(took, 2), "goal s": GOAL_S, "found": dict(found)}  # fmt: skip
    print(json.dumps(told))


if __name__ == "__main__":
    main()
