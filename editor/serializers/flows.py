"""Flows, drafts, versions and problems as programs see them, and what may be sent about them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from editor.language.document import SLUG_PATTERN
from editor.serializers.fields import END, AnyJson, Given, JsonObject, Matching, Query, QueryBoolean, Text, Whole
from editor.visibility import RIGHTS, SHARE, usable_rights

SLUG = SLUG_PATTERN.removesuffix("$") + END
VERSION = r"^(draft|[1-9][0-9]{0,8})" + END


class Username(serializers.CharField):
    """A person by name; null for somebody who is not there any more."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_null=True, read_only=True, **kwargs)

    def to_representation(self, value: Any) -> str:
        return str(value.get_username())


class FlowSummary(serializers.Serializer[Any]):
    """A flow in a list."""

    id = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    owner = Username()
    restricted = serializers.BooleanField(
        source="is_restricted", help_text="Only for its owner, admins and those it is shared with."
    )
    rights = serializers.SerializerMethodField(help_text="What you may do to it now.")
    newest_version = serializers.IntegerField(source="last_number", help_text="0: nothing is published yet.")
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(choices=[*RIGHTS, SHARE])))
    def get_rights(self, flow: Any) -> list[str]:
        """The rights of whoever asks (the context's request), less what an archived flow refuses."""
        usable = usable_rights(self.context["request"].user, flow)
        return [right for right in (*RIGHTS, SHARE) if right in usable]


class FlowCreate(Given):
    """A new flow: with a document of that id, or empty."""

    id = Matching(SLUG)
    name = Text(required=False, max_length=200)
    description = Text(required=False, max_length=10_000)
    document = JsonObject(required=False)


class FlowChange(Given):
    """What a flow is called; what is left out stays."""

    name = Text(required=False, max_length=200)
    description = Text(required=False, max_length=10_000)


class FlowDuplicate(Given):
    """A copy: of the draft, or of a version."""

    id = Matching(SLUG)
    name = Text(required=False, max_length=200)
    version = Whole(required=False, min_value=1, max_value=999_999_999)


class Reason(Given):
    """Why, for the audit."""

    reason = Text(required=False, max_length=2_000)


class DraftShape(serializers.Serializer[Any]):
    """The editable copy of a flow's document."""

    flow = serializers.CharField()
    revision = serializers.IntegerField()
    document = JsonObject()
    updated_by = Username()
    updated_at = serializers.DateTimeField()


class DraftSave(Given):
    """A document to save over the revision it began from."""

    revision = Whole(max_value=2**31 - 1)
    document = JsonObject()


class CheckGiven(Given):
    """A document to check."""

    document = JsonObject()


class CheckOfFlow(Given):
    """A document to check as this flow's; left out: its draft."""

    document = JsonObject(required=False)


class ProblemShape(serializers.Serializer[Any]):
    """One finding about a document. `path` is a JSON pointer into it."""

    code = serializers.CharField()
    severity = serializers.ChoiceField(choices=["error", "warning"])
    path = serializers.CharField(allow_blank=True)
    message = serializers.CharField()
    node = serializers.CharField(required=False)
    edge = serializers.CharField(required=False)
    hint = serializers.CharField(required=False)


class Findings(serializers.Serializer[Any]):
    """Every problem of a document. `valid`: no error among them, so it can be published."""

    valid = serializers.BooleanField()
    problems = ProblemShape(many=True)


class NamesGiven(Given):
    """Where something is to be written: at a node, on an edge, or in a permission rule. One of the three."""

    document = JsonObject(required=False)
    node = Text(required=False, max_length=63)
    edge = Text(required=False, max_length=200)
    rule = Whole(required=False, max_value=100_000)
    field = Text(required=False, max_length=1_000)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if sum(key in attrs for key in ("node", "edge", "rule")) != 1:
            raise serializers.ValidationError("Give one of node, edge and rule.")
        return attrs


class NameShape(serializers.Serializer[Any]):
    """A name that can be read there. `name` is the path to write, `schema` the JSON Schema of its value.

    `certain`: it surely has a value there. `sources`: the nodes that give it.
    """

    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=["input", "state", "item", "output", "step", "reserved"])
    type = serializers.CharField(help_text="In words: `text or null`; `any` where nothing is known.")
    certain = serializers.BooleanField()
    schema = AnyJson()
    sources = serializers.ListField(child=serializers.CharField())
    description = serializers.CharField(allow_blank=True)


class NamesShape(serializers.Serializer[Any]):
    """What can be read at a place. `functions`: what value expressions may call, as one writes it."""

    names = NameShape(many=True)
    functions = serializers.ListField(child=serializers.CharField())


class Publish(Given):
    """A new version out of the draft; `revision` and `newest` (the newest version's number, 0 for none) are what was
    looked at, if that matters.
    """

    note = Text(required=False, max_length=10_000)
    revision = Whole(required=False, max_value=2**31 - 1)
    newest = Whole(required=False, max_value=2**31 - 1)


class VersionSummary(serializers.Serializer[Any]):
    """A published version in a list."""

    number = serializers.IntegerField()
    note = serializers.CharField()
    content_hash = serializers.CharField()
    logic_hash = serializers.CharField()
    structure_hash = serializers.CharField()
    created_by = Username()
    created_at = serializers.DateTimeField()


class VersionShape(VersionSummary):
    """A published version with its document, and what each skill that it names stood for."""

    flow = serializers.CharField()
    document = JsonObject()
    skills = JsonObject(help_text="`{reference: {name, version, content_hash}}`")


class DifferenceQuery(Query):
    """Which two to compare: numbers of versions, or `draft`."""

    before = Matching(VERSION, help_text="Number of the older one, or `draft`.")
    after = Matching(VERSION, default="draft", help_text="Number of the newer one, or `draft`.")


class ChangeShape(serializers.Serializer[Any]):
    """One value that differs; `path` is a JSON pointer within the part. A side that is absent is left out."""

    path = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(choices=["added", "removed", "changed"])
    before = AnyJson(required=False)
    after = AnyJson(required=False)


class WholePart(serializers.Serializer[Any]):
    """A part that was added or removed, whole; `path` is its place in the document that has it."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=["added", "removed"])
    path = serializers.CharField()
    part = AnyJson()


class ChangedPart(serializers.Serializer[Any]):
    """A part that is in both; `path` is its place in the newer document, `before_path` that in the older."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=["changed"])
    path = serializers.CharField()
    before_path = serializers.CharField()
    changes = ChangeShape(many=True)


class PartsShape(serializers.Serializer[Any]):
    """What changed in one list. `order_changed`: those that are in both stand in another order."""

    added = WholePart(many=True)
    removed = WholePart(many=True)
    changed = ChangedPart(many=True)
    order_changed = serializers.BooleanField()


class DifferenceShape(serializers.Serializer[Any]):
    """What differs between two documents of a flow. `same`: nothing but, perhaps, the layout."""

    same = serializers.BooleanField()
    top = ChangeShape(many=True)
    inputs = PartsShape()
    presets = PartsShape()
    artifacts = PartsShape()
    nodes = PartsShape()
    edges = PartsShape()
    layout = ChangedPart(many=True)


class DocumentOfAnyForm(Given):
    """A document in our own form or a foreign one. `id`: that of the flow where the document has none."""

    document = JsonObject()
    id = Matching(SLUG, required=False)


class LossShape(serializers.Serializer[Any]):
    """What a foreign document says and ours does not say in the same way. `place` is a JSON pointer into it."""

    place = serializers.CharField(allow_blank=True)
    what = serializers.CharField()
    instead = serializers.CharField()


class ConversionShape(serializers.Serializer[Any]):
    """The document in our form, the form it came in, and what was lost."""

    document = JsonObject()
    format = serializers.CharField()
    title = serializers.CharField(help_text="Of the form, for people.")
    losses = LossShape(many=True)


class FlowImportShape(FlowSummary):
    """The flow that was made, the form its document came in, and what was lost."""

    format = serializers.CharField()
    losses = LossShape(many=True)


class FlowFilter(Query):
    """Which flows."""

    archived = QueryBoolean(default=False, help_text="`true`: those that were put away, and only those.")
