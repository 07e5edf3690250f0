"""Compiled flows, kept by version and content: nothing about a run is kept here."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import Any

from django.conf import settings

from editor.language.catalog import Catalog
from editor.language.definition import Definition
from editor.language.errors import LanguageError
from editor.models import FlowVersion
from runner.catalog import PinnedCatalog
from runner.engine.cutting import cut_off
from runner.engine.errors import RunError
from runner.engine.given import GivenEnd, GivenEnds
from runner.engine.program import Limits, Program, compile_program
from runner.handlers import Dispatcher, dispatcher_for
from runner.models import Run
from runner.simulation.catalog import catalog_of
from runner.simulation.flow_test import read_flows
from runner.simulation.flow_test_file import FlowTest
from runner.store.claims import VersionPlace, version_place
from runner.store.codec.stored import to_text

_KEPT = 64
_programs: OrderedDict[tuple[int, str, str | None, str | None], Program] = OrderedDict()


def limits() -> Limits:
    """The bounds that the engine holds, from the settings."""
    given = settings.FLOWSITE
    return Limits(
        value_bytes=given["VALUE_BYTES"],
        state_bytes=given["STATE_BYTES"],
        steps=given["RUN_STEPS"],
        items=given["FOR_EACH_ITEMS"],
        fan_out=given["FAN_OUT_WIDTH"],
        lost_attempts=given["LOST_ATTEMPTS"],
        settle_ms=given["SETTLE_MS"],
    )


def program_of(place: VersionPlace) -> Program:
    """The compiled flow of a version.

    Raises RunError `flow_invalid` if its document cannot be read here, such as one with a node type of an app
    that is not installed: the run is left as it is, for a process that can.
    """
    key = (place.version_id, place.content_hash, to_text(place.flow_test), to_text(place.trial))
    program = _programs.get(key)
    if program is None:
        version = FlowVersion.objects.get(pk=place.version_id)
        program = compile_version(version, place.flow_test, place.trial)
        _programs[key] = program
        while len(_programs) > _KEPT:
            _programs.popitem(last=False)
    return program


def program_to_start(
    version: FlowVersion, flow_test: dict[str, Any] | None = None, trial: dict[str, Any] | None = None
) -> Program:
    """The compiled flow of a version that a run is to be started of, with every skill as it was published.

    Raises RunError `flow_invalid` or `flow_changed`: nothing is done then.
    """
    program = program_of(VersionPlace(version.pk, version.content_hash, flow_test, trial))
    if isinstance(program.catalog, PinnedCatalog):
        program.catalog.check_skills()
    return program


def compile_version(
    version: FlowVersion, flow_test: dict[str, Any] | None = None, trial: dict[str, Any] | None = None
) -> Program:
    """Compile a version for this installation, for the stand-ins of a flow test, or cut off for a trial."""
    try:
        definition = version.definition()
    except LanguageError as error:
        raise RunError(error.code, error.message, details=error.details) from None
    catalog: Catalog = PinnedCatalog(version.skills) if flow_test is None else stand_in_catalog(flow_test)
    if trial is not None:
        try:
            return trial_program(definition, catalog, trial)
        except LanguageError as error:
            raise RunError("flow_invalid", error.message, details=error.details) from None
    return compile_program(definition, catalog, limits())


def trial_program(definition: Definition, catalog: Catalog, trial: Mapping[str, Any]) -> Program:
    """A flow cut off behind the steps that are tried, with the ends that are given. Raises LanguageError."""
    ends = {node: tuple(GivenEnd(**one) for one in listed) for node, listed in trial["given"].items()}
    sealed = sensitive_nodes(compile_program(definition, catalog, limits()))
    cut = cut_off(definition, trial["targets"], ends)
    return compile_program(cut, catalog, limits(), GivenEnds(ends, sealed))


def sensitive_nodes(program: Program) -> frozenset[str]:
    """Nodes that may have or give something sensitive. Rather one too many: those that cannot be compiled, too."""
    if not program.sensitive_keys:
        return frozenset()

    def is_sensitive(node: str) -> bool:
        try:
            return program.node(node).sensitive
        except (LanguageError, KeyError):
            return True

    return frozenset(filter(is_sensitive, program.order))


def stand_in_catalog(flow_test: dict[str, Any]) -> Catalog:
    """The stand-ins and sub-flows that a flow test brought along."""
    test = FlowTest.model_validate(flow_test)
    return catalog_of(test, read_flows(test))


def program_of_run(run_id: str) -> tuple[VersionPlace, Program]:
    """The version that a run is bound to, and its compiled flow. Raises RunError `not_found`."""
    place = version_place(run_id)
    if place is None:
        raise no_such_run(run_id)
    return place, program_of(place)


def programs_of_history(
    run: Run, hashes: Collection[str | None], place: VersionPlace, program: Program
) -> dict[str | None, Program]:
    """The compiled flows of all versions that a run has been, by content hash; None: the one it is bound to.

    Raises RunError `flow_changed` where one of them is not there any more.
    """
    found: dict[str | None, Program] = {None: program, place.content_hash: program}
    for content_hash in set(hashes) - found.keys():
        version = FlowVersion.objects.filter(flow_id=run.flow_id, content_hash=content_hash).first()
        if version is None:
            raise RunError("flow_changed", "A version that the run was bound to before is not there any more.")
        found[content_hash] = program_of(VersionPlace(version.pk, version.content_hash, run.flow_test, run.whole_trial))
    return found


def no_such_run(run_id: str) -> RunError:
    """The error for a run that does not exist, or that somebody may not see."""
    return RunError("not_found", f"There is no run {run_id!r}. Look for it in the list of runs.")


def dispatcher_of(place: VersionPlace) -> Dispatcher:
    """Who performs the effects of a run: this installation, or the stand-in server of a flow test."""
    return dispatcher_for(
        is_flow_test=place.flow_test is not None, stand_in_url=getattr(settings, "STAND_IN_URL", None)
    )


def flow_test_setup(test: FlowTest) -> dict[str, Any]:
    """What a run keeps of its flow test: the catalog of stand-ins, without replies and expectations."""
    whole = test.model_dump(mode="json", by_alias=True, include={"name", "tools", "skills", "roles", "flows"})
    return {**whole, "flow": {}, "replies": {name: [{}] for name in test.replies}, "expect": {}}
