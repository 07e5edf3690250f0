"""Writing a dossier: its files, the manifest that lists them, the signature. The same run gives the same bytes."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from django.db import transaction
from django.template.loader import render_to_string

from editor import audit
from editor.language.canonical import canonical_text
from runner import dossier_key
from runner.engine.errors import RunError
from runner.models import Run, to_instant
from runner.services.dossier import content, verify
from runner.services.dossier.content import Followed
from runner.services.history import verify_history
from runner.services.sensitive import sensitive_inputs

SHOWN_EVENTS = 2_000
"""So many public events are in the page that people read; all of them are in events.jsonl."""
SHOWN_CHARACTERS = 4_000
#: No clock, no owner, no compression: what differs between machines is in none of the bytes.
_NO_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass
class _Writer:
    """A zip under way, and what the manifest says of its files."""

    zip: zipfile.ZipFile
    files: list[dict[str, Any]] = field(default_factory=list)

    def add(self, name: str, text: str | bytes) -> None:
        """Add one file."""
        data = text.encode() if isinstance(text, str) else text
        self.zip.writestr(_info(name), data)
        self.files.append({"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})

    def add_lines(self, name: str, lines: Iterator[str]) -> None:
        """Add one file line by line: it may be long."""
        hashed, size = hashlib.sha256(), 0
        with self.zip.open(_info(name), "w") as file:
            for line in lines:
                data = f"{line}\n".encode()
                hashed.update(data)
                size += len(data)
                file.write(data)
        self.files.append({"name": name, "bytes": size, "sha256": hashed.hexdigest()})


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _NO_TIME)
    info.external_attr = 0o644 << 16
    info.create_system = 3
    return info


def _readable(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def make_dossier(run_id: str, *, by: Any, reveal: bool = False, reason: str = "") -> IO[bytes]:
    """Write the dossier of a run into a file without a name, at its beginning; `by`: who asks (audited).

    `reveal`: with values that are sealed otherwise, which needs a reason. Raises RunError: `not_found`,
    `validation_failed`, and `state_invalid` for a run that was altered: a dossier of it would bear our signature.
    """
    if reveal and not reason.strip():
        raise RunError("validation_failed", "Say why sealed values are shown: the audit keeps it.")
    fault = verify_history(run_id).fault
    if fault is not None:
        raise RunError("state_invalid", f"The run was altered, and is not signed as if it were whole: {fault}")
    run = Run.objects.select_related("version", "flow").get(pk=run_id)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - whoever asked closes it
    try:
        head = _write(file, run, reveal=reveal)
    except BaseException:
        file.close()
        raise
    _note(run, by, head, reveal, reason)
    file.seek(0)
    return file


@transaction.atomic
def _note(run: Run, by: Any, head: str, reveal: bool, reason: str) -> None:
    told = {"events": run.seq, "head_hash": head, "key_id": dossier_key.key_id()}
    audit.record(by, "run-dossier", ("run", run.pk), after=told, reason=reason)
    if reveal:
        names = sorted(sensitive_inputs(run))
        audit.record(by, "secret-see", ("run", run.pk), after={"where": "dossier", "inputs": names}, reason=reason)


def _write(file: IO[bytes], run: Run, *, reveal: bool) -> str:
    followed = Followed()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as zipped:
        writer = _Writer(zipped)
        writer.add_lines("events.jsonl", _lines(run, followed))
        facts = content.facts_of(run, reveal=reveal)
        approvals = list(content.approvals_of(run, followed, reveal=reveal))
        documents = _documents(writer, run, followed)
        artifacts = _artifacts(writer, run, followed)
        values = _values(writer, run, followed)
        writer.add("run.json", _readable(facts))
        writer.add("approvals.json", _readable(approvals))
        if reveal:
            writer.add("revealed.json", _readable({"salt": run.salt}))
        page = _page(run, facts, approvals, artifacts, followed)
        writer.add("dossier.html", page)
        writer.add("verify.py", Path(verify.__file__).read_bytes())
        manifest = {
            "format": verify.FORMAT,
            "run": run.pk,
            "events": run.seq,
            "head_hash": run.head_hash,
            "documents": documents,
            "artifacts": artifacts,
            "values": values,
            "files": sorted(writer.files, key=lambda one: str(one["name"])),
        }
        text = _readable(manifest).encode()
        zipped.writestr(_info(verify.MANIFEST), text)
        zipped.writestr(_info(verify.SIGNATURE), _readable(dossier_key.sign(text)))
    return run.head_hash


def _lines(run: Run, followed: Followed) -> Iterator[str]:
    for event in content.events_of(run):
        followed.take(event, SHOWN_EVENTS)
        yield event.text


def _documents(writer: _Writer, run: Run, followed: Followed) -> list[dict[str, Any]]:
    listed = []
    for place, (content_hash, text) in enumerate(content.documents_of(run, followed), start=1):
        name = f"document-{place}.json"
        writer.add(name, text)
        listed.append({"name": name, "content_hash": content_hash})
    return listed


def _artifacts(writer: _Writer, run: Run, followed: Followed) -> list[dict[str, Any]]:
    listed = []
    for place, (row, is_own) in enumerate(content.artifacts_of(run, followed), start=1):
        value = row.value_of("content")
        form = "text" if isinstance(value, str) else "json"
        name = f"artifacts/{place}-{_file_name(row.filename or row.artifact, form)}"
        writer.add(name, value if form == "text" else canonical_text(value))
        listed.append(
            {
                "id": row.pk,
                "artifact": row.artifact,
                "type": row.type,
                "name": name,
                "form": form,
                "of_this_run": is_own,
            }
        )
    return listed


def _file_name(given: str, form: str) -> str:
    """A name that is one file on every system, whatever a flow called it."""
    kept = "".join(one if one.isascii() and (one.isalnum() or one in "-_.") else "_" for one in given).strip("._")
    return (kept or "artifact")[:80] + ("" if form == "text" and "." in kept else ".txt" if form == "text" else ".json")


def _values(writer: _Writer, run: Run, followed: Followed) -> list[dict[str, Any]]:
    listed = []
    for digest, text in content.large_values(run, followed):
        name = f"values/{digest.removeprefix('v1:')}.json"
        writer.add(name, text)
        listed.append({"name": name, "digest": digest})
    return listed


def _page(
    run: Run,
    facts: dict[str, Any],
    approvals: list[dict[str, Any]],
    artifacts: list[dict[str, Any]],
    followed: Followed,
) -> str:
    context = {
        "run": run,
        "facts": facts,
        "started": _moment(facts["started_ts"]),
        "ended": _moment(facts["ended_ts"]),
        "inputs": [(name, _short(value)) for name, value in facts["inputs"].items()],
        "result": _result(run, facts),
        "error": _short(facts["error"]) if facts["error"] else "",
        "approvals": [_shown_approval(one) for one in approvals],
        "artifacts": artifacts,
        "events": [
            {"seq": one.seq, "at": _moment(one.ts), "type": one.type, "who": _who(one.actor), "path": one.path or ""}
            for one in followed.public
        ],
        "more_events": run.seq > SHOWN_EVENTS,
        "key_id": dossier_key.key_id(),
        "public_key": dossier_key.public_key(),
    }
    return render_to_string("runs/dossier.html", context)


def _result(run: Run, facts: dict[str, Any]) -> str:
    if run.ended_at is None:
        return ""
    return _short(facts["result"]) if "result" in facts else "sealed"


def _shown_approval(row: dict[str, Any]) -> dict[str, Any]:
    return {
        **row,
        "asked": _moment(row["asked_ts"]),
        "shown": _sealed_or(row["shown"]),
        "executed": _sealed_or(row["executed"]) if "executed" in row else "",
        "decisions": [
            {
                **one,
                "at": _moment(one["ts"]),
                "who": _who(one["actor"]),
                "changed": _sealed_or(one["changed"]) if "changed" in one else "",
                "form": _sealed_or(one["form"]) if "form" in one else "",
            }
            for one in row["decisions"]
        ],
    }


def _sealed_or(held: dict[str, Any]) -> str:
    return _short(held["value"]) if "value" in held else "sealed"


def _short(value: Any) -> str:
    if value == content.SEALED:
        return "sealed"
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def _moment(ms: int | None) -> str:
    return to_instant(ms).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3] + " UTC" if ms is not None else ""


def _who(actor: dict[str, Any]) -> str:
    return str(actor.get("name") or actor.get("id") or actor.get("kind") or "")
