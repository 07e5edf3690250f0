"""Secret keys kept in files outside the database: made once, readable by their owner only.

Standard library only. What the keys are used for is decided in settings.
"""

import os
import secrets
from pathlib import Path


def load_or_create_key(path: Path) -> str:
    """Return the key stored in `path`; make a new random one (64 hex digits, mode 0600) if there is none.

    Two processes that start at the same moment get the same key: the file appears whole or not at all.
    Raises OSError when the folder cannot be written, and ValueError when the file is empty.
    """
    if not path.exists():
        for folder in (path.parent.parent, path.parent):  # both hold what is nobody else's business
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass  # another process was first: its key is the one
        finally:
            draft.unlink()
    key = path.read_text().strip()
    if not key:
        raise ValueError(f"The key file {path} is empty. Restore it from a backup, or delete it to get a new key.")
    return key
