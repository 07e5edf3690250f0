"""`manage.py run_flow ID|FILE`: starts a run and shows its events as they come."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from editor.language.errors import LanguageError
from editor.language.json_gate import load_json
from editor.models import FlowVersion
from editor.services import freeze_trial
from runner import dispatch
from runner.catalog import CATALOG
from runner.engine.errors import RunError
from runner.management.arguments import demand_utf8
from runner.management.printing import follow_to_the_end
from runner.services.runs import start_run

#: Inputs of these types are taken as they are written; all others are read as JSON.
_TEXTS = frozenset({"short_text", "long_text", "choice", "date"})
_NO_WORKER = (
    "No worker answers. The run waits for one: start the site (manage.py up), or stop here with Ctrl-C"
    " and do the work with: manage.py resume_run ID --work"
)
_REFUSED = 2


class Command(BaseCommand):
    help = (
        "Runs a flow: a published one by its id, or a document in a file, which is frozen as a trial version."
        " Exit code 0: it succeeded; 1: it failed or was canceled; 2: it could not start."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("flow", metavar="ID|FILE", help="id of a published flow, or the path of a document")
        parser.add_argument("--input", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
        parser.add_argument("--preset", default=None)
        parser.add_argument(
            "--number", type=int, default=None, metavar="N", help="of the version; the newest, if left out"
        )
        parser.add_argument("--key", default=None, help="idempotency key: the same key gives the same run")
        parser.add_argument("--detach", action="store_true", help="print the run's id and leave it to the workers")
        parser.add_argument("--work", action="store_true", help="do the run's work in this process, without a worker")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            demand_utf8(options["flow"], options["preset"], options["key"], *options["input"])
            version = _find_version(options["flow"], options["number"])
            started = start_run(
                version,
                inputs=_inputs(version, options["input"]),
                preset=options["preset"],
                actor={"kind": "user", "id": "command line", "name": getpass.getuser()},
                idempotency_key=options["key"],
            )
        except (LanguageError, RunError) as error:
            self._refuse(error)
        self.stdout.write(f"Run {started.run_id} {'started' if started.is_new else 'was started before'}.")
        if options["detach"]:
            dispatch.flush()
            return
        self._follow(started.run_id, work=options["work"])

    def _refuse(self, error: LanguageError | RunError) -> None:
        self.stderr.write(f"{error.code}: {error.message}")
        details: Any = error.details or {}
        for problem in details.get("problems", []):
            self.stderr.write(f"  {problem['message'] if isinstance(problem, dict) else problem}")
        raise SystemExit(_REFUSED)

    def _follow(self, run_id: str, *, work: bool) -> None:
        try:
            follow_to_the_end(self, run_id, work=work, no_worker=_NO_WORKER)
        except KeyboardInterrupt:
            self.stdout.write(f"\nThe run goes on. Look at it with: manage.py run_status {run_id}")
            raise SystemExit(130) from None


def _find_version(name: str, number: int | None) -> FlowVersion:
    """The version to run. Raises LanguageError or RunError where there is none."""
    path = Path(name)
    if path.suffix == ".json" or path.is_file():
        if not path.is_file():
            raise RunError("not_found", f"There is no file {name}.")
        return freeze_trial(path.read_bytes(), by=None, catalog=CATALOG)
    found = FlowVersion.objects.published().filter(flow_id=name)
    version = (found.filter(number=number) if number else found.order_by("-number")).first()
    if version is None:
        which = f"version {number}" if number else "published version"
        raise RunError("not_found", f"There is no {which} of a flow with the id {name!r}. Publish it first.")
    return version


def _inputs(version: FlowVersion, given: list[str]) -> dict[str, Any]:
    """Inputs as written on the command line. Raises RunError `validation_failed`."""
    types = {declared.name: declared.type for declared in version.definition().inputs}
    inputs: dict[str, Any] = {}
    for pair in given:
        name, equals, text = pair.partition("=")
        if not equals:
            raise RunError("validation_failed", f"Write an input as NAME=VALUE, not {pair!r}.")
        inputs[name] = text if types.get(name, "short_text") in _TEXTS else load_json(text, what=f"the input {name}")
    return inputs
