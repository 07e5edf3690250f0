import { expect, it } from "vitest";
import { choicesOf, matching } from "./choices";

it("finds kinds of node by other words, titles first", () => {
  const type = (name: string, title: string, category: "work" | "control") => ({
    name,
    title,
    category,
    description: `${title} does it.`,
    default_backend: "inline",
    is_container: false,
    ends_path: false,
    template_fields: [],
    text_fields: [],
    expression_fields: [],
    config_schema: {},
  });
  const choices = choicesOf({
    nodeTypes: [type("tool_call", "Tool call", "work"), type("one_of", "Branch", "control")],
    tools: [{ name: "branch_office", description: "Asks.", schema: {} } as never],
  });
  expect(matching(choices, "if else").map((one) => one.key)).toEqual(["one_of"]);
  expect(matching(choices, "branch").map((one) => one.key)).toEqual(["one_of", "tool:branch_office"]);
  expect(choices.at(-1)?.title).toBe("Branch office");
});
