"""Everything that a filled database (crowd.py) is looked at through: each page, list, filter and admin list."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import md5
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from runner.models import Approval, Artifact, Run, StepRun
from tests.support.crowd import SMALL_GROUP
from tests.support.flows import make_people, make_person

ROLES = ("admin", "analyst", "reviewer", "treasurer", "clerk-03", "newcomer")
"""An admin, somebody of each role, a member of a group of few approvals, who started some runs, and who sees none."""
NO_PAGES = frozenset(
    {
        "api-nowhere", "healthz", "readyz", "sign-in", "join", "api-schema",  # not for people, or without lists
        "api-run-state", "api-run-fork-plan",  # rebuilt from the history, and that of the crowd is none
        "edit-flow",  # the editor's page reads one draft
    }
)  # fmt: skip
"""Names of the URL configuration that no list stands behind."""


def make_crowds_people() -> dict[str, User]:
    """Those of ROLES who are not made with the crowd."""
    found = make_people()
    found["treasurer"] = make_person("treasurer", SMALL_GROUP)
    found["newcomer"] = make_person("newcomer", "reviewer")
    found["newcomer"].groups.set([Group.objects.get_or_create(name="nobody-asks")[0]])
    return found


def run_of(place: int) -> str:
    """The id of a run of the crowd, by its number."""
    return md5(f"run-{place}".encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class Pages:
    """Addresses, by kind."""

    site: list[str]
    api: list[str]
    admin: list[str]


def pages_of(crowd_runs: int) -> Pages:
    """All addresses for a crowd of so many runs."""
    values = _values(crowd_runs)
    plain = [(name, _address(name, names, values)) for name, names in _patterns(get_resolver().url_patterns)]
    return Pages(
        [path for name, path in plain if not name.startswith("api-")] + _site_lists(values),
        [path for name, path in plain if name.startswith("api-") and name != "api-docs"] + _api_lists(values),
        _admin_lists(values),
    )


def _patterns(patterns: list[Any]) -> list[tuple[str, list[str]]]:
    """Name and arguments of each address that may answer GET."""
    found = []
    for one in patterns:
        if isinstance(one, URLResolver):
            if one.namespace is None:
                found += _patterns(one.url_patterns)
        elif isinstance(one, URLPattern) and one.name and one.name not in NO_PAGES and _answers_get(one):
            if "seq" in one.pattern.converters:
                continue  # the state at an event is rebuilt from the history, and that of the crowd is none
            found.append((one.name, list(one.pattern.converters)))
    return found


def _answers_get(pattern: URLPattern) -> bool:
    view = getattr(pattern.callback, "cls", None) or getattr(pattern.callback, "view_class", None)
    if view is not None:
        return hasattr(view, "get") and "get" in view.http_method_names
    return True  # `require_POST` leaves no mark: a deed answers 405


def _values(crowd_runs: int) -> dict[str, str]:
    asked = run_of(3)
    approval = Approval.objects.filter(run=asked).first() or Approval.objects.filter(status="approved").first()
    assert approval is not None
    return {
        "flow_id": "crowd-1",
        "number": "1",
        "run_id": approval.run_id,
        "long_run": run_of(0),
        "other_id": run_of(crowd_runs // 2),
        "middle_run": run_of(crowd_runs // 2),
        "step_id": StepRun.objects.filter(run=approval.run_id).values_list("pk", flat=True)[0],
        "approval_id": approval.pk,
        "middle_approval": Approval.objects.filter(run=run_of(crowd_runs // 4 * 2 + 1)).values_list("pk", flat=True)[0],
        "artifact_id": Artifact.objects.filter(run=approval.run_id).values_list("pk", flat=True)[0],
        "person_id": str(User.objects.get(username="analyst").pk),
        "name": "output",
        "seq": "5",
    }


def _address(name: str, names: list[str], values: dict[str, str]) -> str:
    given = {one: values.get(one, "1") for one in names}
    if name.startswith("run-value"):
        given["name"] = "inputs"
    path = reverse(name, kwargs=given)
    return f"{path}?before=1" if name == "api-flow-difference" else path


_SUBJECT = md5(b"77", usedforsecurity=False).hexdigest()
_RUN_FILTERS = (
    "status=with_failed_step", "status=problem", "status=canceled", "flow=crowd-1&version=1", "preset=deep",
    "preset=standard", "flow=crowd-1&preset=deep", "since=2025-06-17", "since=2025-06-17&until=2025-06-18",
    f"input=subject&value={_SUBJECT}", "input=subject&value=nothing", "input=country&value=li",
    "input=country&value=fr", "input=country&value=fr&status=failed", "flow=crowd-1&input=country&value=li",
    "error=tool_failed", "error=timeout+tool_failed", "error=step_failed&status=with_failed_step", "error=unheard",
    "input=country&value=li&error=timeout", "error=timeout&since=2025-06-17",
)  # fmt: skip
"""What the list of runs can be asked for."""


def _site_lists(values: dict[str, str]) -> list[str]:
    """What the lists of the site can be asked for beside their first page."""
    middle, asked, long_run = values["middle_run"], values["middle_approval"], values["long_run"]
    return [
        f"/runs/?after={middle}",
        "/runs/?status=failed",
        "/runs/?status=active",
        f"/runs/?status=succeeded&after={middle}",
        "/runs/?flow=crowd-1",
        f"/runs/?flow=crowd-1&after={middle}",
        "/runs/?flow=crowd-1&status=failed",
        "/runs/?flow=crowd-2&status=paused",
        "/runs/?started_by=clerk-03",
        "/runs/?started_by=clerk-03&status=failed",
        "/runs/?started_by=analyst",
        f"/runs/?started_by=analyst&after={middle}",
        "/runs/?started_by=nobody",
        *(f"/runs/?{query}" for query in _RUN_FILTERS),
        f"/runs/?input=country&value=fr&after={middle}",
        f"/runs/?error=timeout&status=failed&after={middle}",
        f"/runs/news/?first={middle}&rows={middle}.{long_run}",
        f"/runs/news/?first={middle}&rows={middle}&error=timeout",
        f"/inbox/?after={asked}",
        f"/inbox/team/?after={asked}",
        f"/inbox/decided/?after={asked}",
        f"/runs/{long_run}/",
        f"/runs/{long_run}/?steps=failed",
        f"/runs/{long_run}/?steps=latest",
        f"/runs/{long_run}/parts/",
        f"/runs/{long_run}/events/?before=50",
        f"/search/?q={middle[:8]}",
        "/search/?q=department",
        "/search/?q=clerk-03",
        "/search/?q=pay",
        "/search/?q=nothing+like+this",
    ]


def _api_lists(values: dict[str, str]) -> list[str]:
    long_run = values["long_run"]
    return [
        "/api/runs/?status=failed",
        "/api/runs/?status=active",
        "/api/runs/?flow=crowd-1",
        "/api/runs/?flow=crowd-1&input=country&value=li",
        "/api/runs/?status=problem&error=tool_failed",
        "/api/runs/counts/?input=country&value=fr",
        "/api/runs/?flow=crowd-1&status=failed",
        "/api/runs/?started_by=clerk-03",
        "/api/runs/?started_by=clerk-03&status=failed",
        f"/api/runs/?parent_run={long_run}",
        "/api/approvals/?status=approved",
        "/api/approvals/?status=expired",
        f"/api/approvals/?run={long_run}",
        f"/api/runs/{long_run}/steps/?limit=200",
        f"/api/runs/{long_run}/steps/?status=failed",
        f"/api/runs/{long_run}/steps/?status=canceled",
        f"/api/runs/{long_run}/events/?limit=200",
        f"/api/runs/{long_run}/events/?after=500&level=public",
    ]


def _admin_lists(values: dict[str, str]) -> list[str]:
    """Each list of the admin: as it opens, far behind, searched, by each filter, and of one run."""
    found = ["/admin/"]
    for model, options in admin.site._registry.items():
        path = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        found += [path, f"{path}?p=30", f"{path}?q={values['middle_run'][:6]}"]
        for column in options.list_filter:
            if isinstance(column, str):
                found += [f"{path}?{column}__exact={value}" for value in _choices(model, column)]
        if any(field.name == "run" for field in model._meta.fields):
            found.append(f"{path}?run__id__exact={values['run_id']}")
    found.append(reverse("admin:runner_run_change", args=[values["long_run"]]))
    return found


def _choices(model: Any, column: str) -> list[Any]:
    field = model._meta.get_field(column)
    if field.choices:
        return [value for value, _ in field.choices]
    if field.get_internal_type() == "BooleanField":
        return [0, 1]
    return list(model._default_manager.order_by().values_list(column, flat=True).distinct()[:4])


__all__ = ["ROLES", "Pages", "Run", "make_crowds_people", "pages_of", "run_of"]
