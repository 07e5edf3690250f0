"""Flows and versions by name, and the definition of a version for pages. Nothing is compiled or checked here."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from editor.language.definition import Definition
from editor.language.schema import parse_document
from editor.models import FlowVersion
from runner.models import Run

#: So many other versions of the same structure are offered.
MOST_VERSIONS = 20
_EMPTY = Definition(format=1, id="unreadable")


def flow_title(run: Run) -> str:
    """What a run's flow is called: its name; without one its id; a trial of a file has no flow of its own."""
    if run.flow is not None:
        return run.flow.name or str(run.flow.pk)
    return "Trial flow"


def version_title(version: FlowVersion) -> str:
    """`v3`, or `trial` for a version without a number."""
    return f"v{version.number}" if version.number is not None else "trial"


def run_title(run: Run) -> str:
    """The version of a run; of a try of single steps which ones: such a run is none of a version."""
    if run.trial is None:
        return version_title(run.version)
    more = f" and {len(run.trial) - 2} more" if len(run.trial) > 2 else ""
    return f"try of {', '.join(run.trial[:2])}{more}"


def definition_of(version: FlowVersion) -> Definition:
    """The definition of a version; an empty one if this installation cannot read the document."""
    return _definition(version.content_hash, version)


def fitting_versions(run: Run) -> list[FlowVersion]:
    """Other published versions of the run's flow with the same structure, the newest first."""
    if run.flow_id is None:
        return []
    rows = FlowVersion.objects.filter(flow=run.flow_id, structure_hash=run.version.structure_hash).published()
    return list(rows.exclude(pk=run.version_id).defer("document").order_by("-number")[:MOST_VERSIONS])


class _Keyed:
    """A version under its content hash: equal documents are read once."""

    __slots__ = ("key", "version")

    def __init__(self, key: str, version: FlowVersion) -> None:
        self.key, self.version = key, version

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and other.key == self.key


def _definition(content_hash: str, version: FlowVersion) -> Definition:
    return _read(_Keyed(content_hash, version))


@lru_cache(maxsize=64)
def _read(keyed: _Keyed) -> Definition:
    document: Any = keyed.version.document
    parsed = parse_document(document)
    return parsed.definition or parsed.partial or _EMPTY
