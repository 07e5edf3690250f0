"""When a process that ended is started again, and when the supervisor gives up."""

from __future__ import annotations

LONG_LIFE_S = 10.0
FIRST_DELAY_S = 0.2
LONGEST_DELAY_S = 10.0
MOST_QUICK_DEATHS = 5


class RestartPolicy:
    """Counts the deaths of one process that came soon after its start."""

    def __init__(self) -> None:
        self.quick_deaths = 0

    def delay_after_death(self, lived_s: float) -> float | None:
        """Seconds to wait before the next start, or None: it keeps dying at once."""
        if lived_s >= LONG_LIFE_S:
            self.quick_deaths = 0
        self.quick_deaths += 1
        if self.quick_deaths > MOST_QUICK_DEATHS:
            return None
        return min(FIRST_DELAY_S * 3.0 ** (self.quick_deaths - 1), LONGEST_DELAY_S)
