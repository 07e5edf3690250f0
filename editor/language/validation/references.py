"""Checks of what a document only names: tools, handlers, roles, skills, flows, artifacts, people."""

from __future__ import annotations

from editor.language.definition import Node
from editor.language.nodes.agent import AgentConfig
from editor.language.nodes.approval import ApprovalConfig
from editor.language.nodes.artifact import ArtifactConfig
from editor.language.nodes.handler import HandlerConfig
from editor.language.nodes.subflow import SubflowConfig
from editor.language.nodes.tool_call import ToolCallConfig
from editor.language.nodes.tool_group import ToolGroupConfig
from editor.language.validation.subject import Subject


def tools_of(subject: Subject, node: Node) -> list[tuple[str, str]]:
    """Tools that a node names, each with the place of the name."""
    config = node.config
    if isinstance(config, ToolCallConfig):
        return [("/config/tool", config.tool)]
    if isinstance(config, AgentConfig):
        return [(f"/config/tools/{place}", name) for place, name in enumerate(config.tools or ())]
    if isinstance(config, ToolGroupConfig):
        return [("/config/role", name) for name in subject.catalog.role(config.role) or ()]
    return []


def check_references(subject: Subject) -> None:
    """`unknown_tool`, `unknown_handler`, `unknown_role`, `unknown_skill`, `unknown_flow_version`."""
    for node in subject.nodes:
        for path, name in tools_of(subject, node):
            if subject.catalog.tool(name) is None:
                told = f"There is no tool {name!r} on this site. Install it, or name another."
                subject.report_node("unknown_tool", node.id, told, path)
        config = node.config
        if isinstance(config, HandlerConfig) and subject.catalog.handler(config.handler) is None:
            told = f"There is no handler {config.handler!r} on this site. Install its app, or name another."
            subject.report_node("unknown_handler", node.id, told, "/config/handler")
        if isinstance(config, ToolGroupConfig) and not subject.catalog.role(config.role):
            told = f"No tool is bound to the role {config.role!r}. Ask an admin to bind one, or name another role."
            subject.report_node("unknown_role", node.id, told, "/config/role")
        skill = config.skill if isinstance(config, AgentConfig) else None
        if skill is not None and subject.catalog.skill(skill) is None:
            told = f"There is no skill {skill!r} on this site. Install it, or write instructions instead."
            subject.report_node("unknown_skill", node.id, told, "/config/skill")
        if isinstance(config, SubflowConfig):
            _check_subflow(subject, node.id, config)


def _check_subflow(subject: Subject, node_id: str, config: SubflowConfig) -> None:
    if config.version == "self":
        if config.flow != subject.definition.id:
            told = f"The version self means this flow, {subject.definition.id!r}. Name a number for {config.flow!r}."
            subject.report_node("unknown_flow_version", node_id, told, "/config/version")
    elif subject.catalog.flow_version(config.flow, config.version) is None:
        told = f"The flow {config.flow!r} has no published version {config.version}. Choose one that is published."
        subject.report_node("unknown_flow_version", node_id, told, "/config/version")


def check_assignees(subject: Subject) -> None:
    """`empty_assignees`: an approval that nobody could decide."""
    for node in subject.nodes:
        given = node.config.assignees if isinstance(node.config, ApprovalConfig) else None
        if given is not None and (not given or any(name == "" or str(name).isspace() for name in given)):
            told = f"{node.id!r} names nobody who could decide. Name a group or a person, or leave assignees out."
            subject.report_node("empty_assignees", node.id, told, "/config/assignees")


def check_artifacts(subject: Subject) -> None:
    """`artifact_never_produced`: a promise that no node keeps."""
    produced = {node.config.artifact for node in subject.nodes if isinstance(node.config, ArtifactConfig)}
    for place, declared in enumerate(subject.definition.artifacts):
        if declared.id not in produced:
            told = f"No node produces the artifact {declared.id!r}. Add an artifact node, or remove the promise."
            subject.report("artifact_never_produced", f"/artifacts/{place}", told)
