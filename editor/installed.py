"""The catalog of this installation, for endpoints of flows. The runner registers it when the site starts.

A flow does not know its runs, and so not the runner's registries either: what exists is handed in from above.
Services take the catalog as an argument; they do not ask here.
"""

from __future__ import annotations

from editor.language.catalog import Catalog, StaticCatalog

_registered: list[Catalog] = [StaticCatalog()]


def register_catalog(catalog: Catalog) -> None:
    """Make this the catalog of the installation."""
    _registered[0] = catalog


def installed_catalog() -> Catalog:
    """The catalog of the installation; an empty one where nobody has registered any."""
    return _registered[0]
