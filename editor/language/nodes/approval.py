"""The node type `approval`: asks a person. Who may decide is the runner's part."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from editor.language.definition import NodeConfig
from editor.language.document import Items, Opt, Positive, TemplateText
from editor.language.nodes.base import NodeType


class ApprovalConfig(NodeConfig):
    """What the reviewer sees and fills in."""

    title: TemplateText
    """The question in a line."""
    instructions: Opt[TemplateText] = None
    """What to look at before deciding."""
    form: Opt[dict[str, Any]] = None
    """JSON Schema of what the reviewer fills in; its data is the output."""
    assignees: Opt[Items[TemplateText]] = None
    """Groups or people who decide; left out: every reviewer with access to the flow."""
    approvals: Positive = 1
    """How many people have to approve; one rejection ends it."""

    @model_validator(mode="after")
    def _one_form_has_one_writer(self) -> ApprovalConfig:
        if self.form is not None and self.approvals > 1:
            raise ValueError("a form is filled in by one person: leave out form, or approvals")
        return self


class ApprovalNode(NodeType):
    name = "approval"
    category = "people"
    title = "Approval"
    description = "Waits until a person has approved or rejected."
    Config = ApprovalConfig
    template_fields = ("title", "instructions", "form", "assignees")
    text_fields = frozenset({"title", "instructions"})
    structure_fields = ("form",)
    holds_worker = False
