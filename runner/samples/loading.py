"""Putting the samples into a site: their flows as published versions, their files into the input folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from editor.language.errors import LanguageError
from editor.language.schema import content_hash, parse_document
from editor.models import Draft, Flow
from editor.services import create_flow, hash_of_skills, pinned_skills, publish_version, save_draft
from runner.catalog import CATALOG
from runner.samples.input_files import inputs_folder

HERE = Path(__file__).parent
FLOWS = HERE / "flows"
INPUTS = HERE / "inputs"
NOTE = "The sample as shipped."


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of one sample: `what` it is, and in `how` a few words."""

    what: str
    how: str


def load_flows(folder: Path = FLOWS) -> Iterator[Loaded]:
    """Publish each shipped flow that no version of it holds yet.

    A sample whose draft a person has changed is theirs: it is left alone. Raises LanguageError for a shipped
    document that cannot be published.
    """
    for path in sorted(folder.glob("*.json")):
        yield Loaded(path.stem, _load_flow(path.read_text(encoding="utf-8")))


def _load_flow(document: str) -> str:
    parsed = parse_document(document)
    if parsed.definition is None:
        told = "; ".join(found.message for found in parsed.problems)
        raise LanguageError("flow_invalid", f"A shipped flow cannot be read: {told}")
    shipped = {
        "content_hash": content_hash(parsed.definition),
        "skills_hash": hash_of_skills(pinned_skills(parsed.definition, CATALOG)),
    }
    flow = Flow.objects.filter(pk=parsed.definition.id).first()
    if flow is None:
        flow = create_flow(parsed.definition.id, by=None, document=document)
    elif (known := flow.versions.filter(**shipped, number__isnull=False).first()) is not None:
        return f"unchanged, version {known.number}"
    else:
        draft = Draft.objects.get(flow=flow)
        if draft.updated_by_id is not None:
            return "left alone: somebody has changed its draft"
        save_draft(flow, document, revision=draft.revision, by=None)
    version = publish_version(flow, by=None, catalog=CATALOG, note=NOTE)
    return f"published version {version.number}"


def copy_inputs(folder: Path = INPUTS) -> Iterator[Loaded]:
    """Copy each shipped file that the input folder lacks; what is there stays as it is."""
    target = inputs_folder()
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.iterdir()):
        place = target / path.name
        if place.exists():
            yield Loaded(path.name, "is there")
            continue
        partial = target / f".{path.name}.{os.getpid()}"
        shutil.copyfile(path, partial)
        os.replace(partial, place)
        yield Loaded(path.name, f"copied to {target}")
