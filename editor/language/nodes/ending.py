"""The node types that end a path or a run: `return`, `end` and `throw`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, field_validator

from editor.language.definition import NodeConfig
from editor.language.document import TemplateText
from editor.language.nodes.base import NodeType
from editor.language.outcomes import ERROR_CODES

DEFAULT_CODE = "flow_error"
DEFAULT_MESSAGE = "Flow error"


class EndingConfig(NodeConfig):
    """The value to end with."""

    value: Any = None
    """The value; left out: none."""

    @property
    def has_value(self) -> bool:
        """Whether the document gives a value at all (it may be null)."""
        return "value" in self.model_fields_set


class Return(NodeType):
    name = "return"
    category = "control"
    title = "Return"
    description = "Ends the run at once with a result."
    Config = EndingConfig
    template_fields = ("value",)
    ends_path = True


class End(NodeType):
    name = "end"
    category = "control"
    title = "End"
    description = "Ends its path; others go on."
    Config = EndingConfig
    template_fields = ("value",)
    ends_path = True


class ThrowConfig(NodeConfig):
    """The error to fail with."""

    message: TemplateText = DEFAULT_MESSAGE
    """What people read."""
    code: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$")] = DEFAULT_CODE
    """What edges and retries can ask for: a code of the author's own."""
    details: Any = None
    """More about the error."""

    @field_validator("code")
    @classmethod
    def _is_the_authors_own(cls, code: str) -> str:
        if code in ERROR_CODES and code != DEFAULT_CODE:
            raise ValueError(f"{code} is a code of the product; choose one of your own")
        return code


class Throw(NodeType):
    name = "throw"
    category = "control"
    title = "Throw"
    description = "Fails with an error of the author's."
    Config = ThrowConfig
    template_fields = ("message", "details")
    text_fields = frozenset({"message"})
    ends_path = True
