"""What flows can be made of, as programs see it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import JsonObject


class NodeTypeShape(serializers.Serializer[Any]):
    """A node type. Texts in `template_fields` are templates; `text_fields` of them must give a text;
    `expression_fields` hold expressions."""

    name = serializers.CharField()
    category = serializers.ChoiceField(choices=["work", "people", "control", "container"])
    title = serializers.CharField()
    description = serializers.CharField()
    default_backend = serializers.ChoiceField(choices=["inline", "provider", "host"])
    is_container = serializers.BooleanField()
    ends_path = serializers.BooleanField(help_text="No edge for `success` can leave it.")
    template_fields = serializers.ListField(child=serializers.CharField())
    text_fields = serializers.ListField(child=serializers.CharField())
    expression_fields = serializers.ListField(child=serializers.CharField())
    config_schema = JsonObject(help_text="JSON Schema (2020-12) of its `config`.")


class NodeTypes(serializers.Serializer[Any]):
    """All node types of this site."""

    items = NodeTypeShape(many=True)


class ToolShape(serializers.Serializer[Any]):
    """A tool. `schema`: JSON Schema of its arguments. `needs_approval`: `always`, `never`, or `by_arguments`."""

    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    schema = JsonObject()
    read_only = serializers.BooleanField()  # type: ignore[assignment]  # the base has an attribute of that name
    effect = serializers.ChoiceField(choices=["pure", "idempotent", "at_most_once"])
    needs_approval = serializers.ChoiceField(choices=["always", "never", "by_arguments"])
    group = serializers.CharField(allow_null=True, help_text="The group that is asked.")
    editable = serializers.BooleanField(help_text="A reviewer may change the arguments.")
    backend = serializers.ChoiceField(choices=["inline", "provider", "host"])
    cost_micros = serializers.IntegerField(help_text="Of one call, in micro-dollars.")


class Tools(serializers.Serializer[Any]):
    """All tools of this site."""

    items = ToolShape(many=True)


class SkillShape(serializers.Serializer[Any]):
    """A version of a skill. `ref` names this version, `name` alone the newest. `output_schema`: JSON Schema of the
    answer; null: a text. `tools`: those that an agent may call through it."""

    name = serializers.CharField()
    version = serializers.CharField()
    ref = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    instructions = serializers.CharField()
    output_schema = JsonObject(allow_null=True)
    tools = serializers.ListField(child=serializers.CharField())
    content_hash = serializers.CharField(help_text="What publishing pins.")
    works_offline = serializers.BooleanField(help_text="It does its work without a model, too.")


class Skills(serializers.Serializer[Any]):
    """All skills of this site."""

    items = SkillShape(many=True)


class HandlerShape(serializers.Serializer[Any]):
    """A handler. `writes`: the state keys it may set; null: nobody knows."""

    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    writes = serializers.ListField(child=serializers.CharField(), allow_null=True)
    options_schema = JsonObject(allow_null=True)


class Handlers(serializers.Serializer[Any]):
    """All handlers of this site."""

    items = HandlerShape(many=True)


class Models(serializers.Serializer[Any]):
    """The models that a node can name, the default first."""

    items = serializers.ListField(child=serializers.CharField())


class RoleShape(serializers.Serializer[Any]):
    """A role, and the tools bound to it, in order."""

    name = serializers.CharField()
    tools = serializers.ListField(child=serializers.CharField())


class Roles(serializers.Serializer[Any]):
    """All roles of this site."""

    items = RoleShape(many=True)
