"""The tools `folder_search` and `folder_read`, and bringing an index up to date for a command."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from typing import Annotated, Any, TypeVar

from pydantic import Field

from runner.tools.context import ToolContext
from runner.tools.errors import ToolError
from runner.tools.folder.documents import as_document, kind_of, read_bytes
from runner.tools.folder.extract import NotReadableError
from runner.tools.folder.index import Index
from runner.tools.folder.places import FOLDERS, Folder, inner_path
from runner.tools.folder.query import MAX_LETTERS, Query, read_query
from runner.tools.folder.refreshing import Counts, is_fresh, refresh
from runner.tools.folder.scanning import scan
from runner.tools.folder.searching import Bounds, Found, count_documents, search
from runner.tools.registry import tool

Answer = TypeVar("Answer")

logger = logging.getLogger("runner.tools.folder")

_ATTEMPTS = 3
_BROKEN = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""Errors that a new index may mend; others (disk full, no permission) would only come again."""


class _IndexGoneError(Exception):
    """Another threw the index away between bringing it up to date and searching it."""


@tool(effect="pure", read_only=True)
def folder_search(
    query: Annotated[str, Field(max_length=MAX_LETTERS, description="What is looked for, in words.")],
    limit: Annotated[int, Field(ge=1, le=50, description="Passages at most.")] = 10,
    folder: Annotated[str | None, Field(max_length=1_000)] = None,
    since: date | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Search a folder of documents for passages, best first, each with its source and position.

    Args:
        folder: Name of a folder of this site, or name/folder inside it. Left out: the default folder.
        since: Only documents dated this day (YYYY-MM-DD) or later.
    """
    place, inner = FOLDERS.find(folder)
    if inner and not (place.root / inner).is_dir():
        raise ToolError(f"There is no folder {inner!r} in the folder {place.name!r}.", "unknown_folder")
    asked = read_query(query)
    bounds = Bounds(inner, since.isoformat() if since else "")
    found, documents = _with_index(place, lambda index: _search(index, asked, bounds, limit, ctx))
    return {"results": [asdict(one) for one in found], "folder": place.name, "documents": documents}


@tool(effect="pure", read_only=True)
def folder_read(
    source: Annotated[str, Field(min_length=1, max_length=1_000)],
    folder: Annotated[str | None, Field(max_length=1_000)] = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Read one document of a folder as text.

    Args:
        source: The document, as a search names it.
        folder: Name of its folder, as given to the search. Left out: the default folder.
    """
    place, inner = FOLDERS.find(folder)
    path = inner_path(source)
    if path != source or not place.holds(source) or (inner and not source.startswith(inner + "/")):
        raise ToolError(f"{source[:200]!r} is no document of the folder {place.name!r}.", "not_found")
    if kind_of(source.rpartition("/")[2]) is None:
        raise ToolError(f"{source!r} is of a kind that is not read as text.", "document_refused")
    try:
        data, about = read_bytes(place.root, source)
        document = as_document(source, data, about.st_mtime_ns, ctx.abort.raise_if_aborted)
    except NotReadableError as error:
        raise ToolError(f"{source!r} cannot be read. {error.message}", "document_refused") from None
    except FileNotFoundError:
        raise ToolError(f"There is no document {source!r} in the folder {place.name!r}.", "not_found") from None
    except OSError as error:
        raise ToolError(f"{source!r} cannot be read ({error.strerror}); links are not.", "document_refused") from None
    return {
        "source": source,
        "title": document.title,
        "text": document.extract.text,
        "modified": document.modified,
        "modified_from": document.modified_from,
        "digest": document.digest,
        "characters": document.characters,
        "truncated": document.truncated,
    }


def refresh_folder(name: str | None, ctx: ToolContext | None = None) -> tuple[str, Counts]:
    """Bring the index of a folder up to date, for whoever wants it done before the first search. Raises ToolError."""
    place, _ = FOLDERS.find(name)
    go_on = (ctx or ToolContext()).abort.raise_if_aborted
    return place.name, _with_index(place, lambda index: refresh(index, go_on))


def _search(index: Index, asked: Query, bounds: Bounds, limit: int, ctx: ToolContext) -> tuple[list[Found], int]:
    go_on = ctx.abort.raise_if_aborted
    with index.reading(go_on) as connection:
        if connection is not None and is_fresh(connection, scan(index.folder, go_on)):
            return _answer(connection, asked, bounds, limit)
    counts = refresh(index, go_on)
    changes = {"added": counts.added, "changed": counts.changed, "removed": counts.removed}
    if any(changes.values()):
        ctx.log("indexed", folder=index.folder.name, documents=counts.documents, skipped=counts.skipped, **changes)
    with index.reading(go_on) as connection:
        if connection is None:
            raise _IndexGoneError
        return _answer(connection, asked, bounds, limit)


def _answer(connection: sqlite3.Connection, asked: Query, bounds: Bounds, limit: int) -> tuple[list[Found], int]:
    connection.execute("BEGIN")  # one state of the index, whoever changes it meanwhile
    return search(connection, asked, bounds, limit), count_documents(connection, bounds.inner)


def _with_index(place: Folder, work: Callable[[Index], Answer]) -> Answer:
    """Work with the index of a folder. One that turns out broken is thrown away and built anew."""
    index = Index(place, FOLDERS.places.indexes)
    told = "it went while it was used"
    for _ in range(_ATTEMPTS):
        try:
            return work(index)
        except _IndexGoneError:  # another found it broken
            continue
        except sqlite3.DatabaseError as error:
            told = str(error)
            if not _is_broken(error):
                break
            logger.warning("The index of the folder %s is broken (%s); it is built anew.", place.name, error)
            index.throw_away(lambda: None)
        except OSError as error:
            told = str(error.strerror)
            break
    raise ToolError(f"The index of the folder {place.name!r} cannot be used: {told}.", "index_failed")


def _is_broken(error: sqlite3.DatabaseError) -> bool:
    return (error.sqlite_errorcode & 0xFF) in _BROKEN or "no such table" in str(error)
