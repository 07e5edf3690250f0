"""The folder whose files flows may read: one flat folder, nothing outside it, nothing but plain files."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from runner.tools import ToolError

MAX_BYTES = 2 * 1024 * 1024


def inputs_folder() -> Path:
    """The folder that the site's settings name."""
    return Path(settings.INPUTS_FOLDER)


def read_input_file(name: str) -> str:
    """Read a UTF-8 text file of the folder by its bare name. Raises ToolError (`file_not_found`, `tool_failed`)."""
    folder = inputs_folder().resolve()
    if not name or name in (".", "..") or any(letter in name for letter in "/\\\0:"):
        raise ToolError(f"{name!r} is no file name. Give the bare name of a file in the input folder.")
    path = (folder / name).resolve()
    if path.parent != folder:
        raise ToolError(f"{name!r} leads out of the input folder. Put the file itself into the folder.")
    if not path.is_file():
        raise ToolError(f"There is no file {name!r} in the input folder. Put it there.", "file_not_found")
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ToolError(f"The file {name!r} is larger than {MAX_BYTES:,} bytes. Split it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ToolError(f"The file {name!r} is not UTF-8 at byte {error.start}. Save it as UTF-8.") from None
