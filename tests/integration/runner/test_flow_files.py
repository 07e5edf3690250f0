"""Flows as files: what `import_flow` takes in and says, what `export_flow` gives back."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from editor.language.schema import document_text, parse_document
from editor.models import AuditEntry, Draft, Flow, FlowVersion

pytestmark = pytest.mark.django_db
TESTS = Path(__file__).parents[2]
OURS = sorted((TESTS / "conformance" / "flows").glob("*.json"))
FOREIGN = sorted((TESTS / "unit" / "language" / "formats" / "examples").glob("*.json"))

NODE = {"id": "a", "type": "set_variable", "config": {"variable": "n", "value": 1}}
GOOD = {"format": 1, "id": "demo", "name": "Demo", "nodes": [NODE], "edges": []}
BROKEN = {**GOOD, "nodes": [{**NODE, "type": "nonsense"}]}
STEPS = {
    "stateSchema": {"type": "object", "required": ["topic"], "properties": {"topic": {"type": "string"}}},
    "startStep": "fetch",
    "steps": {"fetch": {"workerBackend": "inline", "inputs": ["topic"], "run": "research", "color": "red"}},
}


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """A function that writes a document to a file and gives its path."""

    def write(document: Any, name: str = "flow.json") -> Path:
        path = tmp_path / name
        path.write_text(document if isinstance(document, str) else json.dumps(document, ensure_ascii=False))
        return path

    return write


def told(command: str, *arguments: Any, **options: Any) -> str:
    """What a command writes."""
    out = StringIO()
    call_command(command, *map(str, arguments), stdout=out, **options)
    return out.getvalue()


def refusal(command: str, *arguments: Any, **options: Any) -> CommandError:
    """The error with which a command ends."""
    with pytest.raises(CommandError) as caught:
        told(command, *arguments, **options)
    return caught.value


# --- importing ------------------------------------------------------------------------------------------


def test_a_document_becomes_a_draft(write: Any) -> None:
    assert told("import_flow", write(GOOD)) == "demo: the draft holds the document of flow.json\n"
    assert json.loads(Draft.objects.get(flow_id="demo").document) == GOOD
    assert not FlowVersion.objects.exists()


def test_a_document_with_errors_becomes_a_draft_and_is_not_published(write: Any) -> None:
    assert "  error: unknown_type at /nodes/0/type: " in told("import_flow", write(BROKEN))
    assert "mend its errors" in str(refusal("import_flow", write(BROKEN), replace=True, publish=True))
    assert not FlowVersion.objects.exists()


def test_a_document_is_published_if_that_is_asked_for(write: Any) -> None:
    assert told("import_flow", write(GOOD), publish=True, note="First").endswith("demo: published version 1\n")
    assert FlowVersion.objects.get().note == "First"


def test_a_flow_is_replaced_only_if_that_is_asked_for(write: Any) -> None:
    told("import_flow", write(GOOD))
    later = write({**GOOD, "name": "Later"})
    assert "--replace" in str(refusal("import_flow", later))
    assert Flow.objects.get().name == "Demo"
    told("import_flow", later, replace=True)
    assert Flow.objects.get().name == "Later"
    assert AuditEntry.objects.get(action="flow-import").after == {"revision": 2}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "Broken JSON"),
        ("[]", "JSON object"),
        ("{}", "steps form"),
        ('{"format": 2, "id": "a"}', '"format": 1'),
        ('{"format": 1}', "no id"),
        ('{"format": 1, "id": "A"}', "no id for this flow"),
        ('{"a": 1, "a": 2}', "twice"),
    ],
)
def test_what_is_no_flow_is_refused_with_a_reason(write: Any, text: str, says: str) -> None:
    error = refusal("import_flow", write(text))
    assert says in str(error)
    assert error.returncode == 1
    assert not Flow.objects.exists()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert refusal("import_flow", tmp_path / "none.json").returncode == 2


# --- foreign formats ------------------------------------------------------------------------------------


def test_a_foreign_document_says_how_it_was_read_and_what_differs(write: Any) -> None:
    lines = told("import_flow", write(STEPS, "My research.json")).splitlines()
    assert lines[:3] == [
        "my_research: the draft holds the document of My research.json",
        "  read in the steps form: 1 said differently",
        "  differs: at /steps/fetch/color: 'color' means nothing here. It is kept as 'x-color' and has no effect.",
    ]
    document = json.loads(Draft.objects.get(flow_id="my_research").document)
    assert document["nodes"][0]["config"] == {"handler": "research"}


def test_a_document_without_losses_says_so(write: Any) -> None:
    tree = {"code": "triage", "flow": {"type": "llmCall", "prompt": "Hello"}}
    assert "  read in the node-tree form: nothing is said differently\n" in told("import_flow", write(tree))


def test_the_id_of_a_document_without_one_can_be_given(write: Any) -> None:
    told("import_flow", write(STEPS), id="research")
    assert Flow.objects.get().pk == "research"


def test_the_audit_keeps_the_format_and_the_losses(write: Any) -> None:
    losses = [
        {
            "place": "/steps/fetch/color",
            "what": "'color' means nothing here.",
            "instead": "It is kept as 'x-color' and has no effect.",
        }
    ]
    told("import_flow", write(STEPS))
    assert AuditEntry.objects.get(action="flow-import").after == {"revision": 1, "format": "steps", "losses": losses}
    told("import_flow", write(STEPS), replace=True)
    entry = AuditEntry.objects.filter(action="flow-import").latest("id")
    assert (entry.before, entry.after) == ({"revision": 1}, {"revision": 2, "format": "steps", "losses": losses})


def test_the_audit_keeps_no_more_losses_than_anybody_reads(write: Any) -> None:
    many = {f"odd{number}": number for number in range(130)}
    assert told("import_flow", write({**STEPS, **many})).count("  differs: ") == 131
    after = AuditEntry.objects.get(action="flow-import").after
    assert (len(after["losses"]), after["more_losses"]) == (100, 31)


@pytest.mark.parametrize("path", FOREIGN, ids=lambda path: path.stem)
def test_every_foreign_example_becomes_a_draft(write: Any, path: Path) -> None:
    example = json.loads(path.read_text())
    flow_id = example["ours"]["id"]
    told("import_flow", write(example["document"], f"{flow_id}.json"))
    assert json.loads(Draft.objects.get(flow_id=flow_id).document) == example["ours"]


# --- exporting ------------------------------------------------------------------------------------------


def test_a_draft_and_a_version_are_exported(write: Any, tmp_path: Path) -> None:
    told("import_flow", write(GOOD), publish=True)
    told("import_flow", write({**GOOD, "name": "Später"}), replace=True)
    assert json.loads(told("export_flow", "demo"))["name"] == "Später"
    assert json.loads(told("export_flow", "demo", version_number=1))["name"] == "Demo"
    written = tmp_path / "out.json"
    assert told("export_flow", "demo", output=written) == f"demo: written to {written}\n"
    assert written.read_text(encoding="utf-8") == told("export_flow", "demo")
    assert "Später" in written.read_text(encoding="utf-8")


def test_what_is_not_there_is_not_exported(write: Any) -> None:
    assert refusal("export_flow", "none").returncode == 2
    told("import_flow", write(GOOD))
    assert "no version 3" in str(refusal("export_flow", "demo", version_number=3))


def test_a_place_that_cannot_be_written_is_said(write: Any, tmp_path: Path) -> None:
    told("import_flow", write(GOOD))
    refused = refusal("export_flow", "demo", output=tmp_path / "none" / "out.json")
    assert "out.json cannot be written: No such file or directory." in str(refused)
    assert refused.returncode == 2


def test_a_published_flow_comes_back_byte_for_byte(write: Any) -> None:
    told("import_flow", write({**GOOD, "edges": [], "x-note": [1.0, {"b": 1, "a": -0.0}]}), publish=True)
    first = told("export_flow", "demo", version_number=1)
    told("import_flow", write(first), replace=True, publish=True)
    assert told("export_flow", "demo", version_number=2) == first
    assert told("export_flow", "demo") == first
    assert FlowVersion.objects.values("content_hash").distinct().count() == 1


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_every_document_of_ours_comes_back_as_it_was(write: Any, path: Path) -> None:
    document = json.loads(path.read_text())["flow"]
    told("import_flow", write(document))
    exported = told("export_flow", document["id"])
    assert json.loads(exported) == document
    told("import_flow", write(exported), replace=True)
    assert told("export_flow", document["id"]) == exported
    before, after = parse_document(document).definition, parse_document(exported).definition
    assert (before is None) == (after is None)
    assert before is None or after is None or document_text(before) == document_text(after)
