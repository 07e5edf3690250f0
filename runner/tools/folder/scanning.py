"""Walking a folder: which files there are to read, and how many are left out for which reason."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from runner.tools.folder.documents import MAX_BYTES, kind_of
from runner.tools.folder.places import Folder

MAX_FILES = 100_000
MAX_DEPTH = 32


FileState = tuple[int, int, int]
"""By what a file is known to be unchanged without reading it: bytes, and when it and what is known of it was changed
last, in nanoseconds since the epoch."""


@dataclass(slots=True)
class Scan:
    """The files of a folder by source, and the number of those left out by reason."""

    files: dict[str, FileState] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)


def scan(folder: Folder, go_on: Callable[[], None] = lambda: None) -> Scan:
    """Look through a folder. `go_on` is called for each folder inside and may raise. Raises OSError for the root."""
    found = Scan()
    waiting = [("", 0)]
    while waiting:
        go_on()
        inner, depth = waiting.pop()
        try:
            entries = os.scandir(folder.root / inner if inner else folder.root)
        except OSError:
            if not inner:
                raise
            found.skipped["unreadable"] += 1
            continue
        with entries:
            deeper = _look(folder, inner, entries, found)
        if depth < MAX_DEPTH:
            waiting.extend((one, depth + 1) for one in deeper)
        else:
            found.skipped["too_deep"] += len(deeper)
    return found


def _look(folder: Folder, inner: str, entries: Iterator[os.DirEntry[str]], found: Scan) -> list[str]:
    deeper: list[str] = []
    start = inner + "/" if inner else ""
    for entry in sorted(entries, key=lambda one: one.name):  # the same files if there are too many
        source = start + entry.name
        try:
            if entry.is_dir(follow_symlinks=False):
                reason = _unfit_name(entry.name)
                if not _leads_on(folder, source):
                    continue
                if not reason:
                    deeper.append(source)
            else:
                reason = _file(folder, entry, source, found)
        except OSError:  # it went while we looked
            reason = "unreadable"
        if reason:
            found.skipped[reason] += 1
    return deeper


def _leads_on(folder: Folder, source: str) -> bool:
    return folder.holds(source) or any(one.startswith(source + "/") for one in folder.only)


def _unfit_name(name: str) -> str:
    if name[0] == ".":
        return "hidden"
    if "\\" in name or not (name.isascii() or _is_text(name)):
        return "name"
    return ""


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # bytes that are no UTF-8
        return False
    return True


def _file(folder: Folder, entry: os.DirEntry[str], source: str, found: Scan) -> str:
    """Note a file, or give the reason why it is left out."""
    if folder.only and not folder.holds(source):
        return ""
    if reason := _unfit_name(entry.name):
        return reason
    kind = kind_of(entry.name)
    if kind is None:
        return "other"
    about = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(about.st_mode):
        return "link" if stat.S_ISLNK(about.st_mode) else "other"
    if about.st_size > MAX_BYTES[kind]:
        return "too_large"
    if len(found.files) >= MAX_FILES:
        return "too_many"
    found.files[source] = (about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    return ""
