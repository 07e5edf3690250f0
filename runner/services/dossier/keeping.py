"""Dossiers as files: of one run, and of all that a rule of retention is about to delete."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from runner.engine.errors import RunError
from runner.services.dossier.making import make_dossier
from runner.services.retention import Rule
from runner.store.old_runs import OldRun, family_of

BATCH = 100


def write_dossier(run_id: str, out: Path, *, by: Any, reveal: bool = False, reason: str = "") -> None:
    """Write the dossier of a run into a file that only its owner reads, whole or not at all.

    Raises RunError as `make_dossier` does, and OSError.
    """
    made = make_dossier(run_id, by=by, reveal=reveal, reason=reason)
    draft = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        with made, open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            shutil.copyfileobj(made, file)
        draft.replace(out)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


@dataclass(slots=True)
class Archived:
    """How many dossiers were written, and how many lay there already."""

    written: int = 0
    there: int = 0


def archive_old_runs(
    rule: Rule, folder: Path, *, by: Any, limit: int, refused: Callable[[str, RunError], None]
) -> Archived:
    """Write the dossier of each run that a rule would delete, and of its sub-runs: FOLDER/DAY OF ITS END/ID.zip.

    At most `limit` runs, sub-runs not counted, the oldest first. One that lies there is not written again, so that a
    broken round is gone on with. `refused` is told of each run that gets none. Raises RunError for a rule that makes
    no sense, and OSError.
    """
    rule.check()
    _demand_writable(folder)
    done, seen, last = Archived(), 0, None
    while seen < limit and (found := rule.find(min(BATCH, limit - seen), last)):
        for old in found:
            last = old
            _archive_family(old, folder, by, done, refused)
        seen += len(found)
    return done


def _demand_writable(folder: Path) -> None:
    """Raise OSError unless files can be written into a folder, which is made if need be: said also while there is
    nothing to write, not in the night in which there is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None


def _archive_family(
    old: OldRun, folder: Path, by: Any, done: Archived, refused: Callable[[str, RunError], None]
) -> None:
    day = folder / datetime.fromtimestamp(old.ended_at / 1000, UTC).strftime("%Y-%m-%d")
    day.mkdir(parents=True, exist_ok=True)
    for run_id, _ in family_of(old.id):
        out = day / f"{run_id}.zip"
        if out.exists():
            done.there += 1
            continue
        try:
            write_dossier(run_id, out, by=by)
        except RunError as error:
            refused(run_id, error)
        else:
            done.written += 1
