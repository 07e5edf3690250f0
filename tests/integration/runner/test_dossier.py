"""A run's dossier: the same bytes each time, verified offline by the script that lies in it, refused once tampered."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.core.management import call_command
from django.db import connection

from editor.models import AuditEntry
from runner import dossier_key
from runner.engine.errors import RunError
from runner.models import Run
from runner.services.dossier.making import make_dossier
from runner.services.retention import STATUSES, Rule
from runner.store.old_runs import OldRun, old_runs
from runner.triggers import drop_triggers
from tests.support.whole_run import run_through_everything

pytestmark = pytest.mark.django_db(transaction=True)

Files = dict[str, bytes]


@pytest.fixture
def run() -> Run:
    return run_through_everything()


def dossier(run: Run, **options: Any) -> bytes:
    with make_dossier(run.pk, by=None, **options) as file:
        return file.read()


def unpacked(data: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def packed(place: Path, files: Files) -> Path:
    with zipfile.ZipFile(place, "w") as zipped:
        for name, data in files.items():
            zipped.writestr(name, data)
    return place


def verified(script: bytes, place: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Let the script run alone: without packages, without this folder, without the environment."""
    own = place.parent / "alone.py"
    own.write_bytes(script)
    argv = [sys.executable, "-I", "-S", str(own), str(place), *options]
    return subprocess.run(argv, capture_output=True, text=True, cwd=place.parent, env={}, timeout=120)


def signed_anew(files: Files) -> Files:
    """What somebody without the site's key can do: mend the manifest, and sign with a key of their own."""
    manifest = json.loads(files["manifest.json"])
    inside = {name: data for name, data in files.items() if name not in ("manifest.json", "signature.json")}
    manifest["files"] = [
        {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in inside.items()
    ]
    text = json.dumps(manifest).encode()
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
    signature = {"algorithm": "Ed25519", "key_id": "mine", "public_key": public, "signature": key.sign(text).hex()}
    return inside | {"manifest.json": text, "signature.json": json.dumps(signature).encode()}


def test_a_dossier_is_verified_offline_as_a_zip_and_unpacked(run: Run, tmp_path: Path) -> None:
    data = dossier(run)
    files = unpacked(data)
    place = tmp_path / "run.zip"
    place.write_bytes(data)
    found = verified(files["verify.py"], place, "--public-key", dossier_key.public_key())
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"{run.seq} events are chained" in found.stdout and "which you trust" in found.stdout
    assert "2 calls had exactly the approved arguments" in found.stdout
    with zipfile.ZipFile(place) as zipped:
        zipped.extractall(tmp_path / "folder")
    again = verified(files["verify.py"], tmp_path / "folder")
    assert again.returncode == 0 and "compare it with the one that the site shows" in again.stdout, again.stdout
    page = files["dossier.html"].decode()
    assert run.pk in page and "Dear you." not in page and "<script" not in page
    assert b"Dear you." in files["artifacts/1-letter.txt"]


def test_the_same_run_gives_the_same_bytes_and_shows_nothing_sensitive(run: Run) -> None:
    data = dossier(run)
    assert data == dossier(run)
    assert b"secret word" not in data and run.salt.encode() not in data
    entry = AuditEntry.objects.filter(action="run-dossier").latest("pk")
    assert (entry.object_id, entry.after["head_hash"]) == (run.pk, run.head_hash)


def test_sealed_values_come_along_only_with_a_reason_and_that_is_audited(run: Run, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="Say why"):
        make_dossier(run.pk, by=None, reveal=True)
    data = dossier(run, reveal=True, reason="a court asks")
    assert b"secret word" in data
    entry = AuditEntry.objects.get(action="secret-see")
    assert (entry.object_id, entry.reason, entry.after) == (
        run.pk,
        "a court asks",
        {"where": "dossier", "inputs": ["word"]},
    )
    place = tmp_path / "run.zip"
    place.write_bytes(data)
    assert verified(unpacked(data)["verify.py"], place).returncode == 0


def change(name: str, before: str, after: str) -> Callable[[Files], Files]:
    def tamper(files: Files) -> Files:
        assert before.encode() in files[name], (name, before)
        return files | {name: files[name].replace(before.encode(), after.encode(), 1)}

    return tamper


TAMPERED: dict[str, Callable[[Files], Files]] = {
    "an event": change("events.jsonl", '"verdict":"approved"', '"verdict":"rejected"'),
    "the order of events": lambda files: files | {"events.jsonl": b"\n".join(files["events.jsonl"].split(b"\n")[::-1])},
    "the last event": lambda files: files | {"events.jsonl": b"\n".join(files["events.jsonl"].split(b"\n")[:-2])},
    "the document": change("document-1.json", "pay_for_proof", "pay_for_fraud"),
    "an artifact": change("artifacts/1-letter.txt", "Dear you.", "Dear me."),
    "what was shown": change("approvals.json", '"amount": 5', '"amount": 6'),
    "what was called": lambda files: files | {"approvals.json": _executed(files["approvals.json"])},
    "who decided": change("approvals.json", '"name": "test"', '"name": "else"'),
    "an input": change("run.json", '"amount": 5', '"amount": 7'),
    "how it ended": change("run.json", '"status": "succeeded"', '"status": "failed"'),
    "an approval that was left out": lambda files: files | {"approvals.json": b"[]"},
}


def _executed(text: bytes) -> bytes:
    rows = json.loads(text)
    rows[0]["executed"] = {"value": {"amount": 1_000_000}}
    return json.dumps(rows).encode()


def test_what_was_tampered_with_is_refused(run: Run, tmp_path: Path) -> None:
    """By the signature, and where somebody signs anew, by the trusted key, and by the parts that do not fit."""
    files = unpacked(dossier(run))
    value = next(name for name in files if name.startswith("values/"))
    tampered = TAMPERED | {"a large value": change(value, "rrrr", "rrrs")}
    script, trusted = files["verify.py"], ("--public-key", dossier_key.public_key())
    for what, tamper in tampered.items():
        plain = verified(script, packed(tmp_path / "one.zip", tamper(files)))
        assert plain.returncode == 1 and "NOT AS IT WAS SIGNED" in plain.stdout, (what, plain.stdout)
        anew = packed(tmp_path / "two.zip", signed_anew(tamper(files)))
        deep = verified(script, anew)
        assert deep.returncode == 1 and "signed with the key" not in deep.stdout, (what, deep.stdout)
        assert "not the file that was signed" not in deep.stdout, (what, deep.stdout)
    forged = verified(script, packed(tmp_path / "three.zip", signed_anew(files)), *trusted)
    assert forged.returncode == 1 and "another key than the one you trust" in forged.stdout
    more = verified(script, packed(tmp_path / "four.zip", files | {"more.txt": b"more"}))
    assert more.returncode == 1 and "more.txt" in more.stdout
    signature = json.loads(files["signature.json"])
    signature["signature"] = signature["signature"][:-2] + ("00" if signature["signature"][-2:] != "00" else "01")
    wrong = files | {"signature.json": json.dumps(signature).encode()}
    assert verified(script, packed(tmp_path / "five.zip", wrong)).returncode == 1
    assert verified(script, tmp_path / "nothing.zip").returncode == 2


def test_an_altered_run_gets_no_dossier(run: Run) -> None:
    drop_triggers()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE runner_decision SET comment = 'never said' WHERE run_id = %s", [run.pk])
    with pytest.raises(RunError, match=r"runner_decision\.comment"):
        make_dossier(run.pk, by=None)


def test_the_command_writes_a_dossier_and_shows_the_keys(
    run: Run, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DOSSIER_OLD_PUBLIC_KEYS = ["11" * 32]
    out = tmp_path / "run.zip"
    call_command("run_dossier", run.pk, "--out", str(out))
    assert out.stat().st_mode & 0o777 == 0o600
    assert verified(unpacked(out.read_bytes())["verify.py"], out).returncode == 0
    call_command("dossier_keys")
    told = capsys.readouterr().out
    assert f"{dossier_key.public_key()}  signs today" in told and f"{'11' * 32}  of the past" in told
    with pytest.raises(SystemExit) as ended:
        call_command("run_dossier", "0" * 32, "--out", str(out))
    assert ended.value.code == 2


def test_all_that_would_be_deleted_is_archived_once(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE runner_run SET ended_at = ended_at - %s", [3 * 24 * 3_600_000])
    before = call_archive(tmp_path, "--older-than", "30")
    assert before == 0 and list(tmp_path.iterdir()) == []
    # The end of the run is no part of its hashed history, but of what is proven: moved by hand, it gets none.
    assert call_archive(tmp_path, "--older-than", "2") == 1
    assert "state_invalid" in capsys.readouterr().err


def test_an_archived_run_is_verified_and_not_written_again(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Rule, "find", lambda rule, limit, after=None: [] if after else ended_runs(limit))
    assert call_archive(tmp_path, "--older-than", "1") == 0
    kept = next(tmp_path.glob(f"*/{run.pk}.zip"))
    assert len(list(tmp_path.glob("*/*"))) == Run.objects.count() and kept.stat().st_mode & 0o777 == 0o600
    assert verified(unpacked(kept.read_bytes())["verify.py"], kept).returncode == 0
    assert call_archive(tmp_path, "--older-than", "1") == 0
    told = capsys.readouterr().out
    assert f"0 dossiers written, {Run.objects.count()} were there, 0 refused." in told


def test_a_folder_that_cannot_be_written_is_told_though_there_is_nothing_to_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    Path(tmp_path / "none").symlink_to(tmp_path / "gone" / "away")
    for folder in (tmp_path / "file", tmp_path / "file" / "in", tmp_path / "none" / "in", Path("/proc/none")):
        assert call_archive(folder, "--older-than", "1") == 2
        assert f"{folder} cannot be written" in capsys.readouterr().err
    new = tmp_path / "new" / "one"
    assert call_archive(new, "--older-than", "1") == 0
    assert list(new.iterdir()) == [], "nothing of the trial is left"


def ended_runs(limit: int) -> list[OldRun]:
    return old_runs(older_than_ms=-1_000, statuses=STATUSES, limit=limit)


def call_archive(folder: Path, *words: str) -> int:
    """The exit code of the command."""
    try:
        call_command("archive_runs", str(folder), *words)
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0
