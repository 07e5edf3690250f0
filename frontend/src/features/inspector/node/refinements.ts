// Where a field is more helpful than what its schema alone gives. A type that is not named here needs nothing.
import type { ComponentType } from "react";
import type { Refine } from "../form/SchemaForm";
import type { ControlProps } from "../form/scope";
import { HandlerOptions, RoleArguments, SubflowInputs, ToolArguments } from "./argumentForms";
import {
  ArtifactChooser,
  HandlerChooser,
  ModelChooser,
  NodeChooser,
  RoleChooser,
  SkillChooser,
  StateKeyChooser,
  ToolChooser,
  ToolNames,
} from "./choosers";
import { FlowChooser, VersionChooser } from "./flowChoosers";
import { JoinField } from "./JoinField";
import { OutputMode } from "./OutputMode";
import { SchemaTable } from "./SchemaTable";

type Refinements = { [pointer: string]: ComponentType<ControlProps> };

const OF_ALL: Refinements = {
  "/output_variable": StateKeyChooser,
  "/output_mode": OutputMode,
  "/join": JoinField,
  "/synthesis": NodeChooser,
  "/config/output_schema": SchemaTable,
};

const OF_TYPES: { [type: string]: Refinements } = {
  tool_call: { "/config/tool": ToolChooser, "/config/arguments": ToolArguments },
  tool_group: { "/config/role": RoleChooser, "/config/arguments": RoleArguments },
  handler: { "/config/handler": HandlerChooser, "/config/options": HandlerOptions },
  llm_call: { "/config/model": ModelChooser },
  agent: { "/config/skill": SkillChooser, "/config/tools": ToolNames },
  set_variable: { "/config/variable": StateKeyChooser },
  artifact: { "/config/artifact": ArtifactChooser },
  approval: { "/config/form": SchemaTable },
  subflow: {
    "/config/flow": FlowChooser,
    "/config/version": VersionChooser,
    "/config/inputs": SubflowInputs,
  },
};

const made = new Map<string, Refine>();

/** The refinements of a node type; the same function each time, so that forms are not drawn anew. */
export function refinementOf(type: string): Refine {
  let found = made.get(type);
  if (!found) {
    const all = { ...OF_ALL, ...OF_TYPES[type] };
    found = (pointer) => all[pointer];
    made.set(type, found);
  }
  return found;
}
