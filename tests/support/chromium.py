"""Finds the system's Chromium and says how the tests start it. Pages are driven elsewhere."""

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# No request of its own leaves the browser: only what the pages ask for.
ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MISSING = "No Chromium is installed. On Debian: apt-get install chromium"


def find_chromium() -> Path | None:
    """The path of an installed Chromium, or None."""
    for name in NAMES:
        if path := shutil.which(name):
            return Path(path)
    return None


def launch_arguments() -> list[str]:
    """The command-line arguments: as root the browser's own sandbox cannot be used."""
    return [*ARGUMENTS, "--no-sandbox"] if os.geteuid() == 0 else list(ARGUMENTS)
