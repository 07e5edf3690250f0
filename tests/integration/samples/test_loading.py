"""Loading the samples: once, again, after a new release, and beside what people made of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from editor.language.errors import LanguageError
from editor.models import AuditEntry, Draft, Flow, FlowVersion
from editor.services import check_draft, publish_version, save_draft
from runner.catalog import CATALOG
from runner.samples.loading import FLOWS, copy_inputs, load_flows

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def inputs(tmp_path: Path, settings: Any) -> Path:
    settings.INPUTS_FOLDER = tmp_path / "inputs"
    return Path(settings.INPUTS_FOLDER)


SHIPPED = ["deep_research", "invoice_approval", "support_triage"]


def load(folder: Path) -> list[str]:
    return [loaded.how for loaded in load_flows(folder)]


def shipped(tmp_path: Path, **changes: Any) -> Path:
    """A folder with a release of one of the sample flows."""
    document = json.loads((FLOWS / "invoice_approval.json").read_text()) | changes
    folder = tmp_path / "flows"
    folder.mkdir(exist_ok=True)
    (folder / "invoice_approval.json").write_text(json.dumps(document))
    return folder


def test_the_command_publishes_the_flows_and_copies_their_files(
    inputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("load_samples")
    told = capsys.readouterr().out
    versions = FlowVersion.objects.order_by("flow_id")
    assert [(one.flow_id, one.number, one.created_by) for one in versions] == [(name, 1, None) for name in SHIPPED]
    for version in versions:
        assert f"{version.flow_id}: published version 1" in told
        assert CATALOG.flow_version(version.flow_id, 1) == version.definition()
        assert CATALOG.flow_version(version.flow_id, 2) is None
    assert (inputs / "invoices-example.csv").read_text().startswith("number,vendor,iban")
    assert list(AuditEntry.objects.values_list("actor_kind", "action")) == [
        ("engine", "flow-create"),
        ("engine", "flow-publish"),
    ] * len(SHIPPED)


def test_the_shipped_flows_have_no_problems_and_no_warnings() -> None:
    load(FLOWS)
    assert [flow.pk for flow in Flow.objects.order_by("pk")] == SHIPPED
    assert [check_draft(flow, CATALOG) for flow in Flow.objects.all()] == [()] * len(SHIPPED)


def test_loading_again_changes_nothing() -> None:
    assert load(FLOWS) == ["published version 1"] * len(SHIPPED)
    assert load(FLOWS) == load(FLOWS) == ["unchanged, version 1"] * len(SHIPPED)
    assert FlowVersion.objects.count() == len(SHIPPED)


def test_a_new_release_is_published_once(tmp_path: Path) -> None:
    load(shipped(tmp_path))
    newer = shipped(tmp_path, description="Newer.")
    assert load(newer) == ["published version 2"]
    assert load(newer) == ["unchanged, version 2"]


def test_what_a_person_made_of_the_sample_is_left_alone(tmp_path: Path) -> None:
    load(shipped(tmp_path))
    flow, ada = Flow.objects.get(), User.objects.create(username="ada")
    own = json.loads(Draft.objects.get().document) | {"description": "Mine."}
    save_draft(flow, own, revision=1, by=ada)
    assert load(shipped(tmp_path, description="Newer.")) == ["left alone: somebody has changed its draft"]
    publish_version(flow, by=ada, catalog=CATALOG)
    assert load(shipped(tmp_path)) == ["unchanged, version 1"]
    assert json.loads(Draft.objects.get().document)["description"] == "Mine."


def test_a_broken_document_publishes_nothing(tmp_path: Path) -> None:
    with pytest.raises(LanguageError, match="cannot be read"):
        load(shipped(tmp_path, nodes="none"))
    assert not Flow.objects.exists()


def test_a_file_that_is_there_stays_as_it_is(inputs: Path) -> None:
    inputs.mkdir()
    (inputs / "invoices-example.csv").write_text("mine")
    assert [loaded.how for loaded in copy_inputs()] == ["is there"]
    assert (inputs / "invoices-example.csv").read_text() == "mine"
    assert [path.name for path in inputs.iterdir()] == ["invoices-example.csv"]
