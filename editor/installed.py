"""The catalog of this installation, for endpoints of flows. The runner registers it when the site starts.

A flow does not know its runs, and so not the runner's registries either: what exists is handed in from above.
Services take the catalog as an argument; they do not ask here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from editor.language.catalog import Catalog, StaticCatalog

Gate = Callable[[Any, str, Any], None]
"""Called with a flow, the text of the draft that is about to be published, and who does it. Raises LanguageError to
refuse."""

_registered: list[Catalog] = [StaticCatalog()]
_gates: list[Gate] = []


def register_catalog(catalog: Catalog) -> None:
    """Make this the catalog of the installation."""
    _registered[0] = catalog


def installed_catalog() -> Catalog:
    """The catalog of the installation; an empty one where nobody has registered any."""
    return _registered[0]


def register_gate(gate: Gate) -> None:
    """Let this be asked before a person publishes a draft."""
    _gates[:] = [gate]


def installed_gate() -> Gate | None:
    """What is asked before a person publishes a draft; None: nothing."""
    return _gates[0] if _gates else None
