"""Random flows from a seed: sequences, branches, loops, joins, fan-outs, containers, failures and retries.

What they leave out on purpose is everything in which the document asks who comes first: `any` and numbered
joins, `stop_when`, `return` beside other paths, and failures that reach a parallel scope. Running them is
random_runs.py's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from editor.language.canonical import canonical_text
from runner.simulation.flow_test_file import Reply
from runner.simulation.standins import Identity

#: Nodes of a flow, roughly: small flows find most faults and can be read.
MOST_NODES = 24

SHARED = ("k", "x", "y")

#: A reader of all that flows write, so that a wrong merge is seen.
EVERYTHING = {key: f"${key}" for key in (*SHARED, "log", "total", "object")}

#: The same in short: what is written with it must not grow with each pass of a loop.
SUMMARY = {
    **{key: f"{{{{{key}.n}}}}" for key in SHARED},
    "n": "{{k.n}}",
    "log": "{{log.length}}",
    "total": "$total",
    "object": "$object",
}

Exits = list[tuple[str, str]]


@dataclass
class RandomFlow:
    """A generated document, the document of its sub-flow, and which tools fail, up to which attempt."""

    seed: int
    document: dict[str, Any]
    child: dict[str, Any]
    fails: dict[str, int]

    @property
    def tools(self) -> list[str]:
        """The tools that either document calls."""
        nodes = [*self.document["nodes"], *self.child["nodes"]]
        return [node["config"]["tool"] for node in nodes if node["type"] == "tool_call"]

    def reply(self, identity: Identity, queue: str, given: Any, schedule: int) -> Reply:
        """What a call gives: made of the call alone, so that no order of calls matters; when, of the schedule."""
        path, visit, attempt = identity
        after = _draw(schedule, path, visit, attempt) % 40
        if attempt <= self.fails.get(queue, 0):
            failed = {"error": f"{queue} fails", "after_ms": after, "usage": {"output_tokens": attempt}}
            return Reply.model_validate(failed)
        drawn = _draw(self.seed, path, visit, canonical_text(given))
        usage = {"input_tokens": drawn % 5, "cost_usd": drawn % 3 / 1000}
        result = {"n": drawn % 10, "ok": drawn % 3 > 0, "list": [drawn % 7, drawn % 4]}
        return Reply.model_validate({"result": result, "after_ms": after, "usage": usage})


def _draw(*parts: object) -> int:
    text = "|".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def random_flow(seed: int) -> RandomFlow:
    """The flow of a seed: always the same one."""
    builder = _Builder(Random(f"flow {seed}"), "t_")
    builder.series(None, depth=0, parallel=False, first=True)
    document = builder.document("random")
    if builder.random.random() < 0.2:
        document["policy"] = {"max_iterations": 6, "max_parallel": builder.random.randint(1, 3)}
    child = _Builder(Random(f"child {seed}"), "c_", has_child=False)
    child.series(None, depth=2, parallel=True)
    return RandomFlow(seed, document, child.document("child"), builder.fails | child.fails)


@dataclass
class _Builder:
    """Builds a flow block by block; a block has one entry node and exits that lead on from it."""

    random: Random
    tool_prefix: str
    has_child: bool = True
    nodes: list[dict[str, Any]] = field(default_factory=list)
    edges: list[dict[str, Any]] = field(default_factory=list)
    fails: dict[str, int] = field(default_factory=dict)

    def document(self, flow_id: str) -> dict[str, Any]:
        """The document of what was built."""
        return {
            "format": 1,
            "id": flow_id,
            "state": {"type": "object", "properties": {key: {} for key in EVERYTHING}},
            "policy": {"max_iterations": 6},
            "start": self.nodes[0]["id"],
            "nodes": self.nodes,
            "edges": self.edges,
        }

    def node(self, type_: str, parent: str | None, config: dict[str, Any] | None = None, **more: Any) -> str:
        node_id = f"n{len(self.nodes)}"
        node = {"id": node_id, "type": type_, **more}
        if config is not None:
            node["config"] = config
        if parent is not None:
            node["parent"] = parent
        self.nodes.append(node)
        return node_id

    def edge(self, source: str, target: str, on: str = "success", when: str | None = None) -> None:
        edge: dict[str, Any] = {"id": f"e{len(self.edges)}", "source": source, "target": target}
        if on != "success":
            edge["on"] = on
        if when is not None:
            edge["when"] = when
        self.edges.append(edge)

    def connect(self, exits: Exits, target: str) -> None:
        for source, on in exits:
            self.edge(source, target, on)

    def series(
        self, parent: str | None, *, depth: int, parallel: bool, first: bool = False, item: bool = False
    ) -> tuple[str, Exits]:
        """Blocks one after another, in one scope."""
        entry, exits = self.block(parent, depth, parallel, item)
        longest = 5 if first else 2
        for _ in range(self.random.randint(2 if first else 0, longest)):
            if len(self.nodes) > MOST_NODES:
                break
            following, after = self.block(parent, depth, parallel, item)
            self.connect(exits, following)
            exits = after
        return entry, exits

    def block(self, parent: str | None, depth: int, parallel: bool, item: bool) -> tuple[str, Exits]:
        simple: list[Callable[..., tuple[str, Exits]]] = [self.call, self.call, self.write, self.compute]
        if self.has_child and self.random.random() < 0.3:
            simple.append(self.subflow)
        nested: list[Callable[..., tuple[str, Exits]]] = [
            self.branch, self.parallel, self.parallel, self.for_each, self.retried, self.fan_out, self.loop,
        ]  # fmt: skip
        many = simple if depth > 2 or len(self.nodes) > MOST_NODES else simple + nested
        return self.random.choice(many)(parent, depth, parallel, item)

    def value(self, item: bool) -> Any:
        choices: list[Any] = [1, "text", [1, 2], f"${self.random.choice(SHARED)}", "{{k.n}}/{{x.n}}"]
        return self.random.choice([*choices, "$item", "{{index}}:{{item}}"] if item else choices)

    # Simple blocks

    def call(self, parent: str | None, depth: int, parallel: bool, item: bool) -> tuple[str, Exits]:
        node = self.node("tool_call", parent)
        made: dict[str, Any] = self.nodes[-1]
        tool = f"{self.tool_prefix}{node}"
        made["config"] = {"tool": tool, "arguments": {"a": self.value(item), "b": self.value(item)}}
        if self.random.random() < 0.7:
            made["output_variable"] = self.random.choice(SHARED)
        elif self.random.random() < 0.7:
            made |= {"output_variable": "log", "output_mode": "append"}
        if self.random.random() < (0.3 if parallel else 0.5):
            return node, self._failing(node, made, tool, parent, parallel)
        return node, [(node, "success")]

    def _failing(self, node: str, made: dict[str, Any], tool: str, parent: str | None, parallel: bool) -> Exits:
        """A call that fails at first: a retry saves it, or an edge takes the error, or (alone) the scope fails."""
        attempts = self.random.randint(1, 3)
        made["retry"] = {"max_attempts": attempts, "backoff_ms": self.random.choice([0, 5, 50])}
        self.fails[tool] = attempts - 1
        if self.random.random() < 0.4:
            self.fails[tool] = 1_000_000
            if parallel or self.random.random() < 0.4:
                rescue = self.write(parent, 0, parallel, False)[0]
                self.edge(node, rescue, "error")
                return [(node, "success"), (rescue, "success")]
        return [(node, "success")]

    def write(self, parent: str | None, depth: int, parallel: bool, item: bool) -> tuple[str, Exits]:
        mode = self.random.choice(["set", "append", "add", "merge", "extend"])
        operand = {"add": 2, "merge": {self.random.choice("pqr"): len(self.nodes)}, "extend": ["e"]}
        variable = {"append": "log", "add": "total", "merge": "object", "extend": "log"}
        config = {
            "variable": variable.get(mode, self.random.choice(SHARED)),
            "value": operand.get(mode, self.value(item)),
        }
        node = self.node("set_variable", parent, config, output_mode=mode)
        return node, [(node, "success")]

    def compute(self, parent: str | None, depth: int, parallel: bool, item: bool) -> tuple[str, Exits]:
        seen = SUMMARY if self.random.random() < 0.5 else {"n": f"{{{{{self.random.choice(SHARED)}.n}}}}"}
        config = {"fields": dict(seen)}
        node = self.node("transform", parent, config, output_variable=self.random.choice(SHARED))
        return node, [(node, "success")]

    def subflow(self, parent: str | None, depth: int, parallel: bool, item: bool) -> tuple[str, Exits]:
        """A run of its own: nothing that fails in it stays without help."""
        more = {"output_variable": self.random.choice(SHARED)} if self.random.random() < 0.7 else {}
        node = self.node("subflow", parent, {"flow": "child", "version": 1}, **more)
        return node, [(node, "success")]

    # Blocks that hold others

    def branch(self, parent: str | None, depth: int, parallel: bool, item: bool) -> tuple[str, Exits]:
        """One of some ways; sometimes none, and the path ends there."""
        node = self.node("one_of", parent)
        exits: Exits = []
        ways = self.random.randint(2, 3)
        for way in range(ways):
            entry, after = self.series(parent, depth=depth + 1, parallel=parallel, item=item)
            last = way == ways - 1 and self.random.random() < 0.8
            when = self.random.choice(["k.ok", "x.n > 4", "log.length > 2", "total > 3", "y.list.includes(3)"])
            self.edge(node, entry, when=None if last else when)
            exits += after
        return node, exits

    def parallel(self, parent: str | None, depth: int, parallel: bool, item: bool) -> tuple[str, Exits]:
        """Paths at once; two of them may join."""
        config = {"concurrency": 2} if self.random.random() < 0.3 else None
        more = {"output_variable": self.random.choice(SHARED)} if self.random.random() < 0.5 else {}
        node = self.node("parallel", parent, config, **more)
        ends = [
            self.series(node, depth=depth + 1, parallel=True, item=item)[1] for _ in range(self.random.randint(2, 3))
        ]
        if self.random.random() < 0.6:
            joined = ends[:2] if self.random.random() < 0.5 else ends
            join = self.call(node, depth, True, item)[0]
            place = next(made for made in self.nodes if made["id"] == join)
            place |= {"join": "active", "config": {"tool": f"{self.tool_prefix}{join}", "arguments": dict(EVERYTHING)}}
            for exits in joined:
                self.connect(exits, join)
        return node, [(node, "success")]

    def for_each(self, parent: str | None, depth: int, parallel: bool, item: bool) -> tuple[str, Exits]:
        """The same for each item, one after another or at once."""
        at_once = self.random.choice([1, 1, 2, 3])
        items = self.random.choice([["a", "b", "c"], 2, 3, [], [{"n": 1}, {"n": 2}]])
        config: dict[str, Any] = {"items": items, "concurrency": at_once}
        if self.random.random() < 0.3:
            config["on_item_error"] = "collect"
        more = {"output_variable": self.random.choice(SHARED)} if self.random.random() < 0.5 else {}
        node = self.node("for_each", parent, config, **more)
        risky = "on_item_error" not in config and (parallel or at_once > 1)
        self.series(node, depth=depth + 1, parallel=risky, item=True)
        return node, [(node, "success")]

    def retried(self, parent: str | None, depth: int, parallel: bool, item: bool) -> tuple[str, Exits]:
        """A sequence that is tried again as a whole until what fails inside has stopped to fail."""
        retry = {"max_attempts": 4, "backoff_ms": self.random.choice([0, 10])}
        node = self.node("sequence", parent, retry=retry)
        _, exits = self.series(node, depth=depth + 1, parallel=True, item=item)
        tool = f"{self.tool_prefix}n{len(self.nodes)}"
        last = self.node("tool_call", node, {"tool": tool, "arguments": {}})
        self.fails[tool] = self.random.randint(0, 2)
        self.connect(exits, last)
        return node, [(node, "success")]

    def fan_out(self, parent: str | None, depth: int, parallel: bool, item: bool) -> tuple[str, Exits]:
        """Branches at once, as many as match, then the synthesis."""
        node = self.node("one_of", parent, read_only=True, fan_out=True)
        place = self.nodes[-1]
        ends = []
        for _ in range(self.random.randint(2, 3)):
            entry, after = self.series(parent, depth=depth + 1, parallel=True, item=item)
            self.edge(node, entry, when=self.random.choice([None, None, "k.ok", "x.n > 2"]))
            ends += after
        synthesis = self.compute(parent, depth, parallel, item)[0]
        place["synthesis"] = synthesis
        self.connect(ends, synthesis)
        return node, [(synthesis, "success")]

    def loop(self, parent: str | None, depth: int, parallel: bool, item: bool) -> tuple[str, Exits]:
        """Some passes of the same blocks; seldom more than the bound allows."""
        counter = f"c{len(self.nodes)}"
        start = self.node("set_variable", parent, {"variable": counter, "value": 0})
        entry, exits = self.series(parent, depth=depth + 1, parallel=parallel, item=item)
        count = self.node("set_variable", parent, {"variable": counter, "value": 1}, output_mode="add")
        check = self.node("one_of", parent)
        after = self.node("set_variable", parent, {"variable": "y", "value": f"${counter}"})
        self.edge(start, entry)
        self.connect(exits, count)
        self.edge(count, check)
        passes = self.random.choice([1, 2, 3]) if parallel else self.random.choice([1, 2, 3, 9])
        self.edge(check, entry, when=f"{counter} < {passes}")
        self.edge(check, after)
        self.edge(check, after, "limit")
        return start, [(after, "success")]
