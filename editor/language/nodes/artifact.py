"""The node type `artifact`: produces an artifact from a template. Storing it is the runner's part."""

from __future__ import annotations

from editor.language.definition import NodeConfig
from editor.language.document import Opt, Slug, TemplateText
from editor.language.nodes.base import NodeType


class ArtifactConfig(NodeConfig):
    """Which artifact, with which content."""

    artifact: Slug
    """Id of the artifact."""
    content: TemplateText
    """Its text."""
    filename: Opt[TemplateText] = None
    """Name under which it is downloaded."""


class ArtifactNode(NodeType):
    name = "artifact"
    category = "work"
    title = "Artifact"
    description = "Writes a document that the run hands over."
    Config = ArtifactConfig
    template_fields = ("content", "filename")
    text_fields = frozenset({"content", "filename"})
    structure_fields = ("artifact",)
