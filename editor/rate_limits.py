"""How often somebody may do something: counters that all processes share. How a refusal is told is the caller's.

Without the shared cache each process counts for itself: a limit is never a reason to fail.
"""

from __future__ import annotations

import logging
import math
import time
from hashlib import sha256

from django.conf import settings
from django.core.cache import caches

log = logging.getLogger(__name__)

#: After trouble with the shared cache it is left alone for so long.
REST_S = 5.0
_rest_until = 0.0


def seconds_to_wait(limit: str, who: str) -> int:
    """Count one attempt by `who`; 0 if it is within the limit of that name, else the seconds until the next may be.

    Limits are settings.RATE_LIMITS: name, then attempts and seconds. A name that is not listed has no limit.
    """
    given = settings.RATE_LIMITS.get(limit)
    if given is None:
        return 0
    attempts, period_s = given
    now = time.time()
    window = int(now // period_s)
    # Hashed: what people type as a name may be of any length and kind.
    key = f"rate:{limit}:{window}:{sha256(who.encode('utf-8', 'replace')).hexdigest()[:32]}"
    if _count(key, period_s) <= attempts:
        return 0
    return max(1, math.ceil((window + 1) * period_s - now))


def _count(key: str, period_s: int) -> int:
    """Raise a counter and give it: the shared one, else this process's own."""
    global _rest_until
    if time.monotonic() >= _rest_until:
        try:
            return _raise("default", key, period_s)
        except Exception as error:  # whatever its client raises
            _rest_until = time.monotonic() + REST_S
            log.warning("The shared cache does not answer, each process counts for itself: %r", error)
    return _raise("process", key, period_s)


def _raise(cache: str, key: str, period_s: int) -> int:
    counters = caches[cache]
    try:
        return int(counters.incr(key))
    except ValueError:  # the first of this window
        return 1 if counters.add(key, 1, timeout=2 * period_s) else int(counters.incr(key))
