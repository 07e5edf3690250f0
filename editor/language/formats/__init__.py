"""Importers: one for each foreign format, and finding out which one a document needs. Files and rows are others'."""

from editor.language.formats.base import Imported, Loss
from editor.language.formats.registry import FORMATS, OWN, Recognised, detect, read_any

__all__ = ["FORMATS", "OWN", "Imported", "Loss", "Recognised", "detect", "read_any"]
