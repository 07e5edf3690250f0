"""All guards of the protocol, in one table."""

from __future__ import annotations

from tests.mutation.engine_guards import ENGINE_GUARDS
from tests.mutation.store_guards import STORE_GUARDS

GUARDS = (*ENGINE_GUARDS, *STORE_GUARDS)
