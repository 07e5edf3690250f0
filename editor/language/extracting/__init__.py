"""Cutting nodes out of a flow into a flow of their own, which one sub-flow node then runs."""

from editor.language.extracting.extraction import Extraction, extract
from editor.language.extracting.refusing import ExtractionRefusedError, Reason

__all__ = ["Extraction", "ExtractionRefusedError", "Reason", "extract"]
