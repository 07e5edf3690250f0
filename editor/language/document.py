"""What all document classes share: their base and field types. The classes themselves are elsewhere."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    Strict,
    StrictFloat,
    StrictInt,
    model_serializer,
    model_validator,
)

T = TypeVar("T")


def _no_null(value: object) -> object:
    if value is None:
        raise ValueError("null is no value here; leave the key out")
    return value


Opt = Annotated[T | None, BeforeValidator(_no_null)]
"""A key that may be left out (None in Python), but not written as null."""

Items = Annotated[tuple[T, ...], Strict(False)]
"""A JSON list, kept as a tuple."""

SLUG_PATTERN = r"^[a-z][a-z0-9_-]{0,62}$"
NODE_ID_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]{0,62}$"
Slug = Annotated[str, Field(pattern=SLUG_PATTERN)]
NodeId = Annotated[str, Field(pattern=NODE_ID_PATTERN)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
StateKey = Annotated[str, Field(min_length=1, max_length=200)]
Number = StrictInt | StrictFloat
Amount = Annotated[StrictInt, Field(ge=0)] | Annotated[StrictFloat, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Milliseconds = Annotated[int, Field(ge=1)]
ExprObject = Annotated[dict[Literal["$expr"], str], Field(min_length=1, max_length=1)]
TemplateText = str | ExprObject
"""A text with placeholders, or a value expression in its place."""


class DocumentModel(BaseModel):
    """Base of every class of the document: immutable, typed strictly, refusing keys it does not know."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False
    )

    x_keys: dict[str, Any] = Field(default_factory=dict, alias="x-", repr=False)
    """Keys that begin with `x-`: kept, and meaningless to the engine."""

    @model_validator(mode="before")
    @classmethod
    def _set_x_keys_apart(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        marked = {key: value for key, value in given.items() if isinstance(key, str) and key.startswith("x-")}
        if not marked:
            return given
        return {key: value for key, value in given.items() if key not in marked} | {"x-": marked}

    @model_serializer(mode="wrap")
    def _put_x_keys_back(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        written.pop("x-", None)
        written.pop("x_keys", None)
        return {**written, **self.x_keys}
