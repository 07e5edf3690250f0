"""All checks of a document at publication, and what they know of names. Each file holds the checks of one idea."""

from editor.language.validation.checks import check
from editor.language.validation.visible import Spot, VisibleName, visible_names

__all__ = ["Spot", "VisibleName", "check", "visible_names"]
