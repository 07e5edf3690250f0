"""What people do to flows: make, save, check, publish, import, export. Each deed is one transaction.

Who may do it is asked before, by pages and endpoints; runs are the runner's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now

from editor.audit import record
from editor.beside import copy_what_stands_beside
from editor.language.canonical import digest
from editor.language.catalog import Catalog
from editor.language.definition import Definition
from editor.language.describing import Description, describe
from editor.language.errors import LanguageError
from editor.language.formats import FORMATS, OWN, Loss, Recognised, read_any
from editor.language.json_gate import DOCUMENT_LIMITS, clean_json, load_json
from editor.language.nodes.agent import AgentConfig
from editor.language.nodes.subflow import SubflowConfig
from editor.language.problems import Problem, errors_of, problem
from editor.language.schema import content_hash, document_text, logic_hash, parse_document, structure_hash
from editor.language.validation import Spot, VisibleName, check, visible_names
from editor.models import Draft, Flow, FlowVersion, FlowVersionQuerySet
from editor.refusals import RevisionConflictError, VersionConflictError
from editor.reviews import close_reviews, demand_review
from editor.signals import tell_draft_saved
from editor.visibility import RUN, may

SHOWN_PROBLEMS = 5
KEPT_LOSSES = 100


class FlowArchivedError(LanguageError):
    """An archived flow was to be changed, published or started."""

    def __init__(self, flow_id: str) -> None:
        super().__init__(
            "validation_failed",
            f"The flow {flow_id!r} is archived: it can be read and copied, but not changed, published or started. "
            "An admin can bring it back.",
            {"flow": flow_id},
        )


class FlowInvalidError(LanguageError):
    """A document with errors was to be published or run; `problems` lists all of them, warnings too."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        errors = errors_of(problems)
        told = " ".join(found.message for found in errors[:SHOWN_PROBLEMS])
        more = f" And {len(errors) - SHOWN_PROBLEMS} more." if len(errors) > SHOWN_PROBLEMS else ""
        super().__init__(
            "flow_invalid",
            f"The flow has {len(errors)} problem(s) that must be mended first. {told}{more}",
            {"problems": [found.as_json() for found in problems]},
        )


# --- drafts ---------------------------------------------------------------------------------------------


@transaction.atomic
def create_flow(
    flow_id: str, *, by: Any, name: str = "", description: str = "", document: str | Mapping[str, Any] | None = None
) -> Flow:
    """Make a flow with a draft: the given document, or an empty one.

    Raises LanguageError: `validation_failed` for an id that is no slug or is taken, or an unreadable document.
    """
    empty = {"format": 1, "id": flow_id, "name": name, "description": description, "nodes": [], "edges": []}
    loaded = _loaded(empty if document is None else document)
    if loaded.get("id") != flow_id or not _is_slug(flow_id):
        raise LanguageError(
            "validation_failed",
            f"{flow_id!r} is no id for this flow. Use small letters, digits, - and _, begin with a letter, and give "
            "the document the same id.",
        )
    try:
        with transaction.atomic():
            flow = Flow.objects.create(id=flow_id, owner=by, **_for_people(loaded, name, description))
    except IntegrityError:
        told = f"There is a flow {flow_id!r} already. Choose another id, or save its draft."
        raise LanguageError("validation_failed", told, {"flow": flow_id}) from None
    Draft.objects.create(flow=flow, document=_text(loaded), updated_by=by)
    record(by, "flow-create", flow, after={"name": flow.name})
    return flow


@transaction.atomic
def save_draft(flow: Flow, document: str | Mapping[str, Any], *, revision: int, by: Any) -> Draft:
    """Save a draft over the revision it began from. A draft with problems can be saved, broken JSON cannot.

    Raises RevisionConflictError if a newer draft has been saved, FlowArchivedError, LanguageError
    (`validation_failed`, `value_too_large`, `limit_exceeded`) for text that is no JSON object; then nothing is changed.
    """
    demand_in_use(flow.pk)
    loaded = _loaded(document)
    text = _text(loaded)
    changed = Draft.objects.filter(flow=flow, revision=revision).update(
        revision=F("revision") + 1, document=text, updated_by=by, updated_at=Now()
    )
    draft = Draft.objects.select_related("updated_by").get(flow=flow)
    if not changed:
        raise RevisionConflictError(draft, text, revision)
    Flow.objects.filter(pk=flow.pk).update(**_for_people(loaded, flow.name, flow.description))
    tell_draft_saved(flow.pk)
    return draft


@transaction.atomic
def rename_flow(flow: Flow, *, by: Any, name: str | None = None, description: str | None = None) -> None:
    """Say in the draft what a flow is called and what it is for; None: as it is. Versions keep what they say.

    Raises RevisionConflictError if somebody saved the draft in this moment.
    """
    draft = Draft.objects.get(flow=flow)
    given = {"name": None if name is None else name[:200], "description": description}
    said = {key: text for key, text in given.items() if text is not None}
    if not said:
        return
    before = {"name": flow.name, "description": flow.description}
    save_draft(flow, {**_loaded(draft.document), **said}, revision=draft.revision, by=by)
    # An empty text leaves a list's text as it was when a draft is saved; here it was asked for.
    Flow.objects.filter(pk=flow.pk).update(**said)
    flow.refresh_from_db(fields=["name", "description"])
    record(by, "flow-rename", flow, before=before, after={"name": flow.name, "description": flow.description})


@transaction.atomic
def duplicate_flow(flow: Flow, new_id: str, *, by: Any, name: str | None = None, number: int | None = None) -> Flow:
    """Make a flow of its own out of the draft, or out of a version, with its tests and pinned outputs.

    It has no versions and no runs.

    Raises LanguageError: `not_found` for a version that does not exist, `validation_failed` for an id that is no
    slug or is taken.
    """
    copied = _loaded(export_flow(flow, number))
    copied |= {"id": new_id, "name": f"Copy of {flow.name or flow.pk}"[:200] if name is None else name}
    made = create_flow(new_id, by=by, document=copied)
    copy_what_stands_beside(flow, made, by)
    record(by, "flow-duplicate", made, after={"from": flow.pk, "version": number})
    return made


def check_draft(flow: Flow, catalog: Catalog) -> tuple[Problem, ...]:
    """List every problem of a flow's draft."""
    return _check(Draft.objects.get(flow=flow).document, catalog, flow)[1]


def check_document(document: Mapping[str, Any], catalog: Catalog, flow: Flow | None = None) -> tuple[Problem, ...]:
    """List every problem of a document, as that of a flow if one is given.

    Raises LanguageError (`validation_failed` and the limits' codes) for what is no JSON object.
    """
    return _check(_loaded(document), catalog, flow)[1]


def describe_flow(flow: Flow, document: Mapping[str, Any] | None = None) -> Description:
    """Say in plain words what a document does, or the flow's draft. Raises LanguageError as `check_document` does."""
    given = Draft.objects.get(flow=flow).document if document is None else _loaded(document)
    return describe(parse_document(given))


def names_at(
    flow: Flow, spot: Spot, catalog: Catalog, document: Mapping[str, Any] | None = None
) -> tuple[VisibleName, ...]:
    """List what can be read at a place of a document, or of the flow's draft.

    Raises LanguageError: `not_found` where it has no such place, and as `check_document` does.
    """
    given = Draft.objects.get(flow=flow).document if document is None else _loaded(document)
    found = visible_names(parse_document(given), catalog, spot)
    if found is None:
        raise LanguageError("not_found", "The document has no such node, edge or rule. Send the newest one.")
    return found


def _check(
    document: str | Mapping[str, Any], catalog: Catalog, flow: Flow | None
) -> tuple[Definition | None, tuple[Problem, ...]]:
    parsed = parse_document(document)
    found = check(parsed, catalog)
    if flow is not None and parsed.partial is not None and parsed.partial.id != flow.pk:
        told = f"The document has the id {parsed.partial.id!r}, but its flow is {flow.pk!r}. Write the id of the flow."
        found = (*found, problem("config_invalid", "/id", told))
    return parsed.definition, found


def _valid(document: str | Mapping[str, Any], catalog: Catalog, flow: Flow | None) -> Definition:
    definition, found = _check(document, catalog, flow)
    if definition is None or errors_of(found):
        raise FlowInvalidError(found)
    return definition


# --- versions -------------------------------------------------------------------------------------------


def publish_version(
    flow: Flow,
    *,
    by: Any,
    catalog: Catalog,
    note: str = "",
    revision: int | None = None,
    gate: Callable[[Flow, str, Any], None] | None = None,
    newest: int | None = None,
) -> FlowVersion:
    """Make the next version out of the draft; `revision` is the one the person looked at, and `newest` the number of
    the newest version then (0: none), if that matters.

    `gate` is asked with the draft's text once it is valid, and may refuse with a LanguageError.

    Raises FlowInvalidError with every problem if there are errors, RevisionConflictError if the draft is newer,
    VersionConflictError if somebody published since, FlowArchivedError, LanguageError `permission_denied` for a
    sub-flow that `by` may not run, and `review_required` where somebody has to approve this content first.
    """
    draft, definition = _looked_at(flow, catalog, revision)
    _demand_used_flows(definition, by)
    if gate is not None:
        gate(flow, draft.document, by)
    frozen = _frozen(definition, catalog)
    with transaction.atomic():
        # Raising the number first takes the flow's row: two who publish at once get two numbers.
        if not Flow.objects.in_use().filter(pk=flow.pk).update(last_number=F("last_number") + 1):
            raise FlowArchivedError(flow.pk)
        now = Draft.objects.select_related("updated_by").get(flow=flow)
        if now.revision != draft.revision:
            raise RevisionConflictError(now, draft.document, draft.revision)
        flow.refresh_from_db(fields=["last_number"])
        if newest is not None and flow.last_number != newest + 1:
            _refuse_second(flow, frozen["content_hash"])
        demand_review(flow, frozen["content_hash"], frozen["skills_hash"])
        version = FlowVersion.objects.create(
            flow=flow,
            number=flow.last_number,
            kind=FlowVersion.Kind.PUBLISHED,
            note=note,
            created_by=by,
            **frozen,
        )
        shown = {"number": version.number, "content_hash": version.content_hash, "revision": draft.revision}
        record(by, "flow-publish", flow, after=shown, reason=note)
        close_reviews(flow)
    return version


def _looked_at(flow: Flow, catalog: Catalog, revision: int | None) -> tuple[Draft, Definition]:
    """The draft that somebody looked at, if it is that still and has no errors."""
    draft = Draft.objects.select_related("updated_by").get(flow=flow)
    if revision is not None and draft.revision != revision:
        raise RevisionConflictError(draft, draft.document, revision)
    return draft, _valid(draft.document, catalog, flow)


def hashes_of_draft(flow: Flow, catalog: Catalog, revision: int | None = None) -> dict[str, str]:
    """`content_hash` and `skills_hash` that a version made of the draft now would have.

    Raises FlowInvalidError if there are errors, RevisionConflictError if the draft is newer than `revision`.
    """
    _, definition = _looked_at(flow, catalog, revision)
    frozen = _frozen(definition, catalog)
    return {key: frozen[key] for key in ("content_hash", "skills_hash")}


def _refuse_second(flow: Flow, content: str) -> NoReturn:
    """The number raised for this publication is taken back with its transaction. Raises VersionConflictError."""
    latest = versions(flow).select_related("created_by")[0]
    raise VersionConflictError(latest, same=latest.content_hash == content)


def freeze_trial(
    document: str | bytes | Mapping[str, Any], *, by: Any, catalog: Catalog, flow: Flow | None = None
) -> FlowVersion:
    """Freeze what is to run without being published: the same document gives the same trial version.

    `flow` is the flow whose draft it is; left out for a file. Raises FlowInvalidError if there are errors,
    FlowArchivedError, LanguageError `permission_denied` for a sub-flow that `by` may not run.
    """
    if flow is not None:
        demand_in_use(flow.pk)
    text = document.decode("utf-8", "replace") if isinstance(document, bytes) else document
    definition = _valid(text, catalog, flow)
    _demand_used_flows(definition, by)
    frozen = _frozen(definition, catalog)
    same = {key: frozen[key] for key in ("content_hash", "skills_hash")}
    trials = FlowVersion.objects.filter(kind=FlowVersion.Kind.TRIAL, flow=flow, **same)
    known = trials.first()
    if known is None:
        try:
            with transaction.atomic():
                return FlowVersion.objects.create(flow=flow, kind=FlowVersion.Kind.TRIAL, created_by=by, **frozen)
        except IntegrityError:
            known = trials.get()
    return known


def versions(flow: Flow) -> FlowVersionQuerySet:
    """Published versions of a flow, the newest first, without their documents."""
    return FlowVersion.objects.filter(flow=flow).published().order_by("-number").defer("document")


def _demand_used_flows(definition: Definition, by: Any) -> None:
    """Whoever freezes a flow must be allowed to run those that it runs; `by` None is the site itself."""
    named = {node.config.flow for node in definition.nodes if isinstance(node.config, SubflowConfig)}
    if by is None or not named:
        return
    refused = [flow.pk for flow in Flow.objects.filter(pk__in=named).order_by("pk") if not may(by, RUN, flow)]
    if refused:
        told = f"The flow runs {', '.join(refused)}, which you may not run. Ask the owner or an admin to share it."
        raise LanguageError("permission_denied", told, {"flows": refused})


def _frozen(definition: Definition, catalog: Catalog) -> dict[str, Any]:
    pins = pinned_skills(definition, catalog)
    return {
        "document": document_text(definition),
        "content_hash": content_hash(definition),
        "logic_hash": logic_hash(definition),
        "structure_hash": structure_hash(definition),
        "skills": pins,
        "skills_hash": hash_of_skills(pins),
    }


def pinned_skills(definition: Definition, catalog: Catalog) -> dict[str, dict[str, str]]:
    """What each skill that a document names stands for now: `{reference: {name, version, content_hash}}`."""
    named = [node.config.skill for node in definition.nodes if isinstance(node.config, AgentConfig)]
    found = {ref: catalog.skill(ref) for ref in sorted({ref for ref in named if ref is not None})}
    return {ref: skill.pin for ref, skill in found.items() if skill is not None}


def hash_of_skills(pins: Mapping[str, Mapping[str, str]]) -> str:
    """The digest of pinned skills; empty for none."""
    return digest(pins) if pins else ""


# --- files ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FlowImport:
    """A flow that was taken in, the format its document came in, and what that said that ours does not say alike."""

    flow: Flow
    format: str
    losses: tuple[Loss, ...]


def import_flow(source: str | bytes | Mapping[str, Any], *, by: Any, replace: bool = False) -> Flow:
    """Make a flow out of a document of any known format. As `import_document`, for those who do not ask for losses."""
    return import_document(source, by=by, replace=replace).flow


def convert_document(source: str | bytes | Mapping[str, Any], default_id: str | None = None) -> Recognised:
    """Turn a document of any known format into ours. Nothing is saved.

    Raises LanguageError (`validation_failed` and the limits' codes) for what is no flow document.
    """
    found = read_any(_loaded(source), default_id)
    document = found.imported.document
    known = [problem for problem in parse_document(document).problems if problem.code == "format_unsupported"]
    if known:
        others = ", ".join(foreign.title for foreign in FORMATS)
        raise LanguageError("validation_failed", f"{known[0].message} It is in none of these forms either: {others}.")
    return found


@transaction.atomic
def import_document(
    source: str | bytes | Mapping[str, Any], *, by: Any, replace: bool = False, default_id: str | None = None
) -> FlowImport:
    """Make a flow out of a document, under the document's id; `replace`: or save it as the draft of that flow.

    The format is found out; `default_id` is for a foreign document without an id. Raises LanguageError
    (`validation_failed` and the limits' codes) for text that is no flow document, and for an id that is taken. A
    document with problems is imported; publishing shows them.
    """
    found = convert_document(source, default_id)
    return import_converted(found.imported.document, found, by=by, replace=replace)


@transaction.atomic
def import_converted(document: Mapping[str, Any], found: Recognised, *, by: Any, replace: bool = False) -> FlowImport:
    """As `import_document`, of what `convert_document` gave, perhaps under another id or name."""
    losses = found.imported.losses
    flow_id = document.get("id")
    if not isinstance(flow_id, str):
        raise LanguageError("validation_failed", 'The document has no id. Give it one, such as "id": "my_flow".')
    about = {} if found.format == OWN else {"format": found.format, **_kept(losses)}
    flow = Flow.objects.filter(pk=flow_id).first() if replace else None
    if flow is None:
        flow = create_flow(flow_id, by=by, document=document)
        if about:
            record(by, "flow-import", flow, after={"revision": 1, **about})
    else:
        revision = Draft.objects.get(flow=flow).revision
        save_draft(flow, document, revision=revision, by=by)
        record(by, "flow-import", flow, before={"revision": revision}, after={"revision": revision + 1, **about})
    return FlowImport(flow, found.format, losses)


def _kept(losses: tuple[Loss, ...]) -> dict[str, Any]:
    """The losses as the audit keeps them: a large document may have more than anybody reads."""
    more = {"more_losses": len(losses) - KEPT_LOSSES} if len(losses) > KEPT_LOSSES else {}
    return {"losses": [loss.as_json() for loss in losses[:KEPT_LOSSES]], **more}


def export_flow(flow: Flow, number: int | None = None) -> str:
    """Give the draft, or a version by its number, as JSON text for a file.

    Raises LanguageError (`not_found`) for a version that does not exist.
    """
    if number is None:
        text = Draft.objects.get(flow=flow).document
    else:
        version = FlowVersion.objects.filter(flow=flow, number=number).first()
        if version is None:
            raise LanguageError("not_found", f"The flow {flow.pk!r} has no version {number}.")
        text = version.document
    return json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"


# --- archive --------------------------------------------------------------------------------------------


def demand_in_use(flow_id: str) -> None:
    """Raise FlowArchivedError if a flow is put away."""
    if Flow.objects.filter(pk=flow_id, archived_at__isnull=False).exists():
        raise FlowArchivedError(flow_id)


@transaction.atomic
def archive_flow(flow: Flow, *, by: Any, reason: str = "") -> None:
    """Put a flow away: it stays readable, with its versions and runs. Doing it twice does nothing."""
    if Flow.objects.filter(pk=flow.pk, archived_at__isnull=True).update(archived_at=Now()):
        record(by, "flow-archive", flow, reason=reason)
    flow.refresh_from_db(fields=["archived_at"])


@transaction.atomic
def restore_flow(flow: Flow, *, by: Any, reason: str = "") -> None:
    """Bring an archived flow back. Doing it twice does nothing."""
    if Flow.objects.filter(pk=flow.pk, archived_at__isnull=False).update(archived_at=None):
        record(by, "flow-restore", flow, reason=reason)
    flow.refresh_from_db(fields=["archived_at"])


# --- documents ------------------------------------------------------------------------------------------


def _loaded(document: str | bytes | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(document, (str, bytes)):
        loaded = load_json(document, DOCUMENT_LIMITS, what="the document")
    else:
        loaded = clean_json(document, limits=DOCUMENT_LIMITS)
    if not isinstance(loaded, dict):
        raise LanguageError("validation_failed", 'A flow document is a JSON object. Begin it with {"format": 1, …}.')
    return loaded


def _text(document: Mapping[str, Any]) -> str:
    """Keep the author's order of keys: a draft is theirs."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _for_people(document: Mapping[str, Any], name: str, description: str) -> dict[str, str]:
    """Give the name and description that the document carries, for lists."""
    found = {"name": document.get("name"), "description": document.get("description")}
    texts = {"name": name, "description": description} | {
        key: value for key, value in found.items() if isinstance(value, str) and value
    }
    return {"name": texts["name"][:200], "description": texts["description"]}


def _is_slug(flow_id: str) -> bool:
    return not any(found.path == "/id" for found in parse_document({"format": 1, "id": flow_id}).problems)
