"""A browser in words, out of what it calls itself: enough to tell one's own sessions apart."""

from __future__ import annotations

_BROWSERS = (("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
"""What gives a browser away; the first that fits, since later ones are claimed by others too."""
_SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)
LONGEST = 60


def browser_words(agent: str) -> str:
    """Such as `Firefox on Windows`; what cannot be read stays as it is, cut."""
    browser = next((name for mark, name in _BROWSERS if mark in agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    return f"{browser} on {system}" if browser and system else agent[:LONGEST] or "unknown"
