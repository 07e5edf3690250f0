"""The folders that may be searched: named in the settings, asked for by name, never by path."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runner.tools.errors import ToolError

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,49}")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of documents. `only`: files and folders inside it that belong to it, if not all do."""

    name: str
    root: Path
    only: tuple[str, ...] = ()

    def holds(self, source: str) -> bool:
        """Whether a relative path belongs to the folder."""
        return not self.only or any(source == one or source.startswith(one + "/") for one in self.only)


@dataclass(frozen=True, slots=True)
class Places:
    """All folders of a site, the name of the default one, and where their indexes are kept."""

    folders: Mapping[str, Folder] = field(default_factory=dict)
    default: str = ""
    indexes: Path = Path()


def read_places(folders: Mapping[str, Any], default: str, indexes: Path) -> Places:
    """Read what the settings say: `{name: path}`, or `{name: {"path": …, "only": [relative paths]}}`.

    Raises ValueError.
    """
    read = {}
    for name, given in folders.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name for a folder: use small letters, digits, _ and -")
        about = given if isinstance(given, Mapping) else {"path": given}
        path, only = about.get("path"), about.get("only", ())
        if not isinstance(path, (str, Path)) or not str(path) or set(about) - {"path", "only"}:
            raise ValueError(f"{name!r} needs a path, or an object with `path` and `only`")
        if isinstance(only, str) or not all(isinstance(one, str) and inner_path(one) == one for one in only):
            raise ValueError(f"`only` of {name!r} is a list of paths inside the folder")
        read[name] = Folder(name, Path(path).expanduser().resolve(), tuple(only))
    if read and default not in read:
        raise ValueError(f"the default folder {default!r} is none of {', '.join(read)}")
    return Places(read, default, indexes)


def inner_path(text: str) -> str | None:
    """A path inside a folder as it is written in one way, or None for one that leads out, is hidden or is odd."""
    if "\0" in text or "\\" in text or text.startswith("/") or len(text) > 1_000:
        return None
    parts = [part for part in text.split("/") if part not in ("", ".")]
    return None if not parts or any(part.startswith(".") for part in parts) else "/".join(parts)


class FolderRegistry:
    """Answers what a name means, out of what the site gives."""

    def __init__(self) -> None:
        self._given: Callable[[], Places] = Places

    def use(self, given: Callable[[], Places]) -> None:
        """Take the folders from here; asked at every call, so that changed settings count at once."""
        self._given = given

    @property
    def places(self) -> Places:
        """What there is."""
        return self._given()

    def find(self, named: str | None) -> tuple[Folder, str]:
        """The folder that is named, and the path inside it that is meant (empty: all of it).

        Raises ToolError `unknown_folder`.
        """
        places = self.places
        name, _, rest = (named or places.default).partition("/")
        folder = places.folders.get(name)
        if folder is None:
            known = ", ".join(sorted(places.folders)) or "none"
            asked = (named or name)[:100]
            raise ToolError(
                f"There is no folder {asked!r}. Folders of this site: {known}. Only the settings can add one.",
                "unknown_folder",
            )
        inner = inner_path(rest) if rest.strip("/") else ""
        if inner is None:
            raise ToolError(f"{rest[:200]!r} is no path inside the folder {name!r}.", "unknown_folder")
        if not folder.root.is_dir():
            raise ToolError(
                f"The folder {name!r} is missing on the machine that looked for it. Ask an admin.", "unknown_folder"
            )
        return folder, inner


FOLDERS = FolderRegistry()
"""The folders of this installation."""
