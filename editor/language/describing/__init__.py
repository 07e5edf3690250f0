"""A flow in plain words, and as a picture of boxes: both worked out from the document alone."""

from editor.language.describing.description import Description, Paragraph, describe
from editor.language.describing.picture import Box, Picture, Wire, picture_of

__all__ = ["Box", "Description", "Paragraph", "Picture", "Wire", "describe", "picture_of"]
