"""What people do to flows, against a real database: nothing half-saved, nothing frozen ever changes."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, connection, connections, transaction

from editor import services
from editor.language.catalog import SkillSpec, StaticCatalog, ToolSpec
from editor.language.errors import LanguageError
from editor.models import AppendOnlyError, AuditEntry, Draft, Flow, FlowVersion
from editor.permissions import may_archive, may_write_flows
from editor.refusals import RevisionConflictError, VersionConflictError
from editor.visibility import PUBLISH, may

CATALOG = StaticCatalog(
    tool_specs={"fetch": ToolSpec("fetch", "", {})}, skill_specs={"research": SkillSpec("research", 1, "v1:0")}
)


def document(**changes: Any) -> dict[str, Any]:
    node = {"id": "a", "type": "tool_call", "config": {"tool": "fetch"}}
    return {"format": 1, "id": "demo", "name": "Demo", "nodes": [node], "edges": [], **changes}


BROKEN = document(nodes=[{"id": "a", "type": "nonsense"}])


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def flow(ada: User) -> Flow:
    return services.create_flow("demo", by=ada, document=document())


def revision(flow: Flow) -> int:
    return Draft.objects.get(flow=flow).revision


# --- drafts ---------------------------------------------------------------------------------------------


def test_a_new_flow_has_an_empty_draft_of_its_own(ada: User):
    flow = services.create_flow("fresh", by=ada, name="Fresh", description="New")
    assert (flow.name, flow.description, flow.owner) == ("Fresh", "New", ada)
    assert json.loads(flow.draft.document)["nodes"] == []
    assert flow.created_at.tzinfo is not None
    assert [found.code for found in services.check_draft(flow, CATALOG)] == ["no_start"]


@pytest.mark.parametrize("flow_id", ["Demo", "", "a b", "1a", "x" * 64, "a\n"])
def test_an_id_is_a_slug(ada: User, flow_id: str):
    with pytest.raises(LanguageError) as caught:
        services.create_flow(flow_id, by=ada)
    assert caught.value.code == "validation_failed"
    assert not Flow.objects.exists() and not AuditEntry.objects.exists()


def test_an_id_is_given_once(flow: Flow, ada: User):
    with pytest.raises(LanguageError, match="already"):
        services.create_flow("demo", by=ada)
    assert Flow.objects.count() == Draft.objects.count() == 1


def test_saving_raises_the_revision_and_follows_the_name(flow: Flow, ada: User):
    draft = services.save_draft(flow, document(name="Better", description="D"), revision=1, by=ada)
    flow.refresh_from_db()
    assert (draft.revision, draft.updated_by, flow.name, flow.description) == (2, ada, "Better", "D")


def test_saving_over_a_newer_draft_is_refused_and_both_are_shown(flow: Flow, ada: User):
    bob = User.objects.create_user("bob")
    services.save_draft(flow, document(name="Bob's"), revision=1, by=bob)
    with pytest.raises(RevisionConflictError) as caught:
        services.save_draft(flow, document(name="Ada's"), revision=1, by=ada)
    details = caught.value.details
    assert caught.value.code == "revision_conflict"
    assert details is not None and details["revision"] == 2 and details["updated_by"] == "bob"
    assert (details["document"], details["yours"]) == (document(name="Bob's"), document(name="Ada's"))
    assert "Bob's" in Draft.objects.get().document


def test_a_draft_with_problems_is_saved(flow: Flow, ada: User):
    services.save_draft(flow, BROKEN, revision=1, by=ada)
    assert "unknown_type" in {found.code for found in services.check_draft(flow, CATALOG)}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "validation_failed"),
        ("[]", "validation_failed"),
        ('{"a": NaN}', "validation_failed"),
        ('{"a": "\\u0000"}', "validation_failed"),
        ('{"a": "\\ud800"}', "validation_failed"),
        ('{"a": 1, "a": 2}', "validation_failed"),
        ('{"a":' + "[" * 100_000, "limit_exceeded"),
        ('{"a": "' + "x" * (2 * 1024 * 1024) + '"}', "value_too_large"),
    ],
)
def test_what_is_no_json_is_refused_and_nothing_is_saved(flow: Flow, ada: User, text: str, code: str):
    before = Draft.objects.values().get()
    with pytest.raises(LanguageError) as caught:
        services.save_draft(flow, text, revision=1, by=ada)
    assert caught.value.code == code
    assert Draft.objects.values().get() == before


def test_a_draft_keeps_the_order_of_its_keys(flow: Flow, ada: User):
    text = '{"nodes":[],"format":1,"id":"demo","edges":[]}'
    assert services.save_draft(flow, text, revision=1, by=ada).document == text


def test_the_document_has_the_id_of_its_flow(flow: Flow, ada: User):
    services.save_draft(flow, document(id="other"), revision=1, by=ada)
    assert [found.path for found in services.check_draft(flow, CATALOG)] == ["/id"]
    with pytest.raises(services.FlowInvalidError):
        services.publish_version(flow, by=ada, catalog=CATALOG)


# --- versions -------------------------------------------------------------------------------------------


def test_publishing_freezes_the_draft_under_the_next_number(flow: Flow, ada: User):
    first = services.publish_version(flow, by=ada, catalog=CATALOG, note="first")
    services.save_draft(flow, document(name="Better"), revision=1, by=ada)
    second = services.publish_version(flow, by=ada, catalog=CATALOG)
    assert (first.number, second.number) == (1, 2)
    assert (first.note, first.created_by, first.kind) == ("first", ada, "published")
    assert first.content_hash != second.content_hash
    assert first.logic_hash == second.logic_hash
    assert first.structure_hash == second.structure_hash
    assert first.definition().name == "Demo"
    assert [version.number for version in services.versions(flow)] == [2, 1]


def test_publishing_is_written_into_the_audit(flow: Flow, ada: User):
    services.publish_version(flow, by=ada, catalog=CATALOG, note="go")
    entry = AuditEntry.objects.order_by("-id")[0]
    assert (entry.action, entry.object_type, entry.object_id) == ("flow-publish", "flow", "demo")
    assert (entry.actor_kind, entry.actor_id, entry.actor_name) == ("user", str(ada.pk), "ada")
    assert entry.after["number"] == 1 and entry.reason == "go"


def test_errors_block_publication_and_all_are_told(flow: Flow, ada: User):
    many = document(nodes=[{"id": "a", "type": "nonsense"}, {"id": "b", "type": "one_of", "timeout_ms": 0}])
    services.save_draft(flow, many, revision=1, by=ada)
    with pytest.raises(services.FlowInvalidError) as caught:
        services.publish_version(flow, by=ada, catalog=CATALOG)
    assert {found.code for found in caught.value.problems} >= {"unknown_type", "timeout_invalid"}
    assert caught.value.details is not None and len(caught.value.details["problems"]) == len(caught.value.problems)
    flow.refresh_from_db()
    assert not FlowVersion.objects.exists() and flow.last_number == 0


def test_warnings_do_not(flow: Flow, ada: User):
    gone = document(nodes=[{"id": "a", "type": "tool_call", "config": {"tool": "gone"}}])
    services.save_draft(flow, gone, revision=1, by=ada)
    assert services.publish_version(flow, by=ada, catalog=CATALOG).number == 1


def test_publishing_a_draft_that_somebody_changed_is_refused(flow: Flow, ada: User):
    services.save_draft(flow, document(name="Newer"), revision=1, by=ada)
    with pytest.raises(RevisionConflictError):
        services.publish_version(flow, by=ada, catalog=CATALOG, revision=1)
    assert services.publish_version(flow, by=ada, catalog=CATALOG, revision=2).number == 1


def test_a_version_is_never_changed_or_deleted_from_python(flow: Flow, ada: User):
    version = services.publish_version(flow, by=ada, catalog=CATALOG)
    version.note = "changed"
    with pytest.raises(AppendOnlyError):
        version.save()
    with pytest.raises(AppendOnlyError):
        version.delete()
    for change in (
        lambda: FlowVersion.objects.update(note="x"),
        lambda: FlowVersion.objects.all().delete(),
        lambda: FlowVersion.objects.bulk_update([version], ["note"]),
        lambda: AuditEntry.objects.update(reason="x"),
        lambda: AuditEntry.objects.all().delete(),
    ):
        with pytest.raises(AppendOnlyError):
            change()
    assert FlowVersion.objects.get().note == ""


def test_the_frozen_text_reads_back_to_the_same_hashes(flow: Flow, ada: User):
    version = services.publish_version(flow, by=ada, catalog=CATALOG)
    again = services.freeze_trial(version.document, by=ada, catalog=CATALOG)
    assert (again.content_hash, again.document) == (version.content_hash, version.document)


# --- trials ---------------------------------------------------------------------------------------------


def test_a_trial_has_no_number_and_is_one_for_one_content(ada: User):
    first = services.freeze_trial(document(), by=ada, catalog=CATALOG)
    again = services.freeze_trial(json.dumps(document(), indent=3).encode(), by=ada, catalog=CATALOG)
    other = services.freeze_trial(document(name="Other"), by=ada, catalog=CATALOG)
    assert first.pk == again.pk != other.pk
    assert (first.number, first.kind, first.flow) == (None, "trial", None)


def test_a_trial_of_a_draft_belongs_to_its_flow(flow: Flow, ada: User):
    of_flow = services.freeze_trial(document(), by=ada, catalog=CATALOG, flow=flow)
    of_file = services.freeze_trial(document(), by=ada, catalog=CATALOG)
    assert of_flow.flow == flow and of_file.flow is None
    assert services.freeze_trial(document(), by=ada, catalog=CATALOG, flow=flow).pk == of_flow.pk
    assert not services.versions(flow).exists()


@pytest.mark.parametrize("broken", [BROKEN, "{", b"\xff\xfe", {"format": 2}])
def test_a_broken_document_is_no_trial(ada: User, broken: Any):
    with pytest.raises(services.FlowInvalidError):
        services.freeze_trial(broken, by=ada, catalog=CATALOG)
    assert not FlowVersion.objects.exists()


# --- files ----------------------------------------------------------------------------------------------


def test_what_is_exported_imports_as_the_same_flow(flow: Flow, ada: User):
    text = services.export_flow(flow)
    assert json.loads(text) == document()
    other = services.import_flow(text.replace('"demo"', '"copy"'), by=ada)
    assert (other.pk, other.name) == ("copy", "Demo")
    assert services.check_draft(other, CATALOG) == ()


def test_a_version_is_exported_by_its_number(flow: Flow, ada: User):
    services.publish_version(flow, by=ada, catalog=CATALOG)
    services.save_draft(flow, document(name="Later"), revision=1, by=ada)
    assert json.loads(services.export_flow(flow, 1))["name"] == "Demo"
    assert json.loads(services.export_flow(flow))["name"] == "Later"
    with pytest.raises(LanguageError) as caught:
        services.export_flow(flow, 7)
    assert caught.value.code == "not_found"


def test_importing_over_a_flow_must_be_asked_for(flow: Flow, ada: User):
    with pytest.raises(LanguageError):
        services.import_flow(document(name="New"), by=ada)
    assert revision(flow) == 1
    services.import_flow(document(name="New"), by=ada, replace=True)
    assert revision(flow) == 2
    assert AuditEntry.objects.filter(action="flow-import").count() == 1


@pytest.mark.parametrize(
    "source", ["", "[]", '{"format": 1}', '{"format": 2, "id": "x"}', b"\xff", '{"format":1,"id":"A"}']
)
def test_what_is_no_flow_document_is_not_imported(ada: User, source: str | bytes):
    with pytest.raises(LanguageError):
        services.import_flow(source, by=ada)
    assert not Flow.objects.exists()


def test_an_archived_flow_stays_and_comes_back(flow: Flow, ada: User):
    services.archive_flow(flow, by=ada, reason="old")
    services.archive_flow(flow, by=ada, reason="old")
    assert flow.archived_at is not None and not Flow.objects.in_use().exists()
    services.restore_flow(flow, by=ada)
    assert flow.archived_at is None and Flow.objects.in_use().exists()
    actions = AuditEntry.objects.values_list("action", flat=True).order_by("id")
    assert list(actions) == ["flow-create", "flow-archive", "flow-restore"]


# --- who ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("groups", "sees", "writes", "archives"),
    [
        ((), False, False, False),
        (("reviewer",), True, False, False),
        (("analyst",), True, True, False),
        (("admin",), True, True, True),
    ],
)
def test_who_sees_and_changes_flows(flow: Flow, groups: tuple[str, ...], sees: bool, writes: bool, archives: bool):
    eve = User.objects.create_user("eve")
    eve.groups.set([Group.objects.get_or_create(name=name)[0] for name in groups])
    trial = services.freeze_trial(document(), by=flow.owner, catalog=CATALOG)
    published = services.publish_version(flow, by=flow.owner, catalog=CATALOG)
    assert Flow.objects.visible_to(eve).exists() is sees
    assert FlowVersion.objects.visible_to(eve).filter(pk=published.pk).exists() is sees
    assert FlowVersion.objects.visible_to(eve).filter(pk=trial.pk).exists() is writes
    assert (may_write_flows(eve), may(eve, PUBLISH, flow), may_archive(eve)) == (writes, writes, archives)


def test_a_person_who_left_sees_nothing(flow: Flow):
    gone = User.objects.create_user("gone", is_active=False)
    gone.groups.add(Group.objects.get_or_create(name="admin")[0])
    assert not Flow.objects.visible_to(gone).exists()


# --- at the same moment ---------------------------------------------------------------------------------


def at_once(deed: Any, times: int = 6) -> list[Any]:
    """Do something in several threads with connections of their own; give results or errors."""

    def one(_: int) -> Any:
        try:
            return deed()
        except LanguageError as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))


def test_of_two_who_save_at_once_one_wins(transactional_db: None):
    ada = User.objects.create_user("ada")
    flow = services.create_flow("demo", by=ada, document=document())
    results = at_once(lambda: services.save_draft(flow, document(), revision=1, by=ada))
    conflicts = [result for result in results if isinstance(result, RevisionConflictError)]
    assert len(conflicts) == len(results) - 1
    assert revision(flow) == 2


def test_those_who_publish_at_once_get_numbers_of_their_own(transactional_db: None):
    ada = User.objects.create_user("ada")
    services.create_flow("demo", by=ada, document=document())
    results = at_once(lambda: services.publish_version(Flow.objects.get(), by=ada, catalog=CATALOG).number)
    assert sorted(results) == [1, 2, 3, 4, 5, 6]


def test_of_two_who_publish_what_they_looked_at_one_wins(transactional_db: None):
    ada = User.objects.create_user("ada")
    flow = services.create_flow("demo", by=ada, document=document())
    looked = {"revision": 1, "newest": 0}
    results = at_once(lambda: services.publish_version(Flow.objects.get(), by=ada, catalog=CATALOG, **looked).number)
    told = [result for result in results if isinstance(result, VersionConflictError)]
    assert len(told) == len(results) - 1 and results.count(1) == 1
    flow.refresh_from_db()
    assert flow.last_number == FlowVersion.objects.count() == 1


def test_who_comes_second_is_told_what_was_published_and_by_whom(flow: Flow, ada: User):
    bo = User.objects.create_user("bo")
    services.publish_version(flow, by=bo, catalog=CATALOG, note="mine", revision=1, newest=0)
    with pytest.raises(VersionConflictError) as caught:
        services.publish_version(flow, by=ada, catalog=CATALOG, revision=1, newest=0)
    assert caught.value.code == "revision_conflict"
    assert "Version 1 was published from this very draft by bo" in caught.value.message
    details = caught.value.details or {}
    assert (details["number"], details["published_by"], details["note"], details["same"]) == (1, "bo", "mine", True)
    services.save_draft(flow, document(name="Better"), revision=1, by=ada)
    with pytest.raises(VersionConflictError) as caught:
        services.publish_version(flow, by=ada, catalog=CATALOG, revision=2, newest=0)
    assert (caught.value.details or {})["same"] is False
    assert services.publish_version(flow, by=ada, catalog=CATALOG, revision=2, newest=1).number == 2


def test_those_who_freeze_at_once_get_one_trial(transactional_db: None):
    ada = User.objects.create_user("ada")
    results = at_once(lambda: services.freeze_trial(document(), by=ada, catalog=CATALOG).pk)
    assert len(set(results)) == 1
    assert FlowVersion.objects.count() == 1


def test_the_database_itself_keeps_numbers_apart(flow: Flow, ada: User):
    services.publish_version(flow, by=ada, catalog=CATALOG)
    frozen = dict.fromkeys(("document", "content_hash", "logic_hash", "structure_hash"), "x")
    for wrong in (
        {"flow": flow, "number": 1, "kind": "published"},
        {"flow": flow, "number": None, "kind": "published"},
        {"flow": flow, "number": 2, "kind": "trial"},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            FlowVersion.objects.create(**wrong, **frozen)
    assert connection.is_usable()
