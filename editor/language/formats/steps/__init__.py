"""The steps form: `stateSchema`, `startStep`, and named steps with `run`, `router`, `budget`, `waitFor`, `fanOut`.

Code cannot stand in a document: `run` names a registered handler (left out: one with the name of the step), and a
router is written as data, which routers.py reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editor.language.catalog import StaticCatalog
from editor.language.formats.base import Draft, Imported, Losses, Part, shown
from editor.language.formats.ids import Names, flow_id
from editor.language.formats.steps.routers import TERMINAL, Row, UnreadableRouterError, read_router
from editor.language.formats.steps.state import first_inputs
from editor.language.schema import parse_document
from editor.language.validation import check

_JOINS = {"all": "all", "and": "all", "any": "any", "or": "any"}


class StepsFormat:
    """Documents such as `{"stateSchema": {…}, "startStep": "fetch", "steps": {"fetch": {…}}}`."""

    name = "steps"
    title = "steps form"

    def recognises(self, raw: Mapping[str, Any]) -> bool:
        """Whether its steps are an object by name."""
        return isinstance(raw.get("steps"), dict)

    def read(self, raw: Mapping[str, Any], default_id: str | None) -> Imported:
        """Turn every step into a handler node and every router into edges."""
        return _Reading(raw, default_id).imported()


class _Reading:
    """One pass over one document."""

    def __init__(self, raw: Mapping[str, Any], default_id: str | None) -> None:
        self.losses = Losses()
        self.head = Part(raw, (), self.losses)
        self.default_id = default_id
        self.draft = Draft()
        self.steps = self._steps()
        self.names = Names()
        self.ids = {name: self.names.fit(name) for name in self.steps}
        schema = self.head.get("stateSchema")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        self.variables = frozenset(properties) if isinstance(properties, dict) else frozenset()

    def _steps(self) -> dict[str, Part]:
        """The steps by name; what `handlers` gives for a step counts as written in it, as the format has it."""
        handlers = self.head.get("handlers")
        extra = handlers if isinstance(handlers, dict) else {}
        found: dict[str, Part] = {}
        for name, step in self.head.get("steps").items():
            if isinstance(step, dict):
                more = extra.get(name)
                more = {"run": more} if isinstance(more, str) else more
                merged = {**step, **more} if isinstance(more, dict) else step
                found[name] = Part(merged, self.head.at("steps", name), self.losses)
            else:
                self.losses.add(self.head.at("steps", name), f"{shown(step)} is no step.", "It is left out.")
        for name in extra.keys() - found.keys():
            self.losses.add(self.head.at("handlers", name), f"There is no step {shown(name)}.", "It is left out.")
        if handlers is not None and not isinstance(handlers, dict):
            self.head.lose("handlers", f"{shown(handlers)} names no handlers.", "It is left out.")
        return found

    def imported(self) -> Imported:
        """Give the document and its losses."""
        top: dict[str, Any] = {"id": flow_id(self.head, ("id",), self.default_id)}
        top |= self.head.copy({"name": "name", "description": "description", "stateSchema": "state"})
        start = self.head.get("startStep")
        if start is not None:
            top["start"] = self.ids.get(start, start) if isinstance(start, str) else start
        first = self.steps.get(start) if isinstance(start, str) else None
        inputs = first_inputs(self.head, first.raw.get("inputs") if first is not None else None)
        if inputs:
            top["inputs"] = inputs
        self._find_fan_outs()
        nodes = {name: self._node(name, part) for name, part in self.steps.items()}
        for name, part in self.steps.items():
            self.draft.node(nodes[name])
            self._draw(name, part, nodes[name])
        self._drawn: dict[str, set[str]] = {}
        for _, edge in self.draft.edges:
            self._drawn.setdefault(edge["target"], set()).add(edge["source"])
        for name, part in self.steps.items():
            self._join(name, part, nodes[name])
            nodes[name].update(part.rest())
        self.draft.top = {**top, **self.head.rest()}
        self._meet_once()
        return Imported(self.draft.document(), self.losses.found)

    def _find_fan_outs(self) -> None:
        """Note each synthesis, and where the branches of each fan-out lead if they do not say it."""
        self.syntheses: set[str] = set()
        self.implied: dict[str, str] = {}
        for part in self.steps.values():
            synthesis = part.raw.get("synthesis")
            if isinstance(synthesis, str):
                self.syntheses.add(synthesis)
                if part.raw.get("fanOut"):
                    self.implied |= {row.target: synthesis for row in self._rows(part) or [] if row.target is not None}

    def _rows(self, part: Part) -> list[Row] | None:
        """The rows of a step's router; None if it cannot be read."""
        try:
            return read_router(part.get("router"), self.steps.keys(), self.variables)
        except UnreadableRouterError as problem:
            told = f"No edge is drawn for it, and it is kept as x-router. {problem}"
            part.lose("router", "The router cannot be read.", told)
            return None

    def _meet_once(self) -> None:
        """Where several paths of a fan-out lead to a step, the format runs it once: with the first that comes."""
        if self.implied:
            found = check(parse_document(self.draft.document()), StaticCatalog())
            often = {problem.node for problem in found if problem.code == "runs_more_than_once"}
            for node in self.draft.nodes:
                if node["id"] in often:
                    node["join"] = "any"

    # --- nodes ----------------------------------------------------------------------------------------

    def _node(self, name: str, part: Part) -> dict[str, Any]:
        node: dict[str, Any] = {"id": self.ids[name], "type": "handler"}
        if node["id"] != name:
            self.losses.add(part.place, f"{shown(name)} cannot be the id of a node.", f"The node is {node['id']}.")
            node["name"] = name
        node |= part.copy({
            "name": "name", "description": "description", "inputs": "inputs", "workerBackend": "backend",
            "budget": "budget", "readOnly": "read_only", "fanOut": "fan_out",
        })  # fmt: skip
        synthesis = part.get("synthesis")
        if synthesis is not None:
            node["synthesis"] = self.ids.get(synthesis, synthesis) if isinstance(synthesis, str) else synthesis
        return {**node, "config": self._config(name, part)}

    def _config(self, name: str, part: Part) -> dict[str, Any]:
        run = part.get("run")
        if isinstance(run, str) and run:
            return {"handler": run}
        if isinstance(run, dict) and isinstance(run.get("handler"), str) and not run.keys() - {"handler", "options"}:
            return dict(run)
        if run is not None:
            part.lose("run", f"{shown(run)} names no handler.", f"The handler {shown(name)} stands in its place.")
            return {"handler": name, "x-run": run}
        return {"handler": name}

    # --- edges ----------------------------------------------------------------------------------------

    def _draw(self, name: str, part: Part, node: dict[str, Any]) -> None:
        rows = self._rows(part)
        if "router" not in part.raw and name in self.implied:
            rows = [Row(None, self.implied[name])]
        if rows is None:
            node["x-router"] = part.raw["router"]
        else:
            self._edges(part, node, rows)

    def _edges(self, part: Part, node: dict[str, Any], rows: list[Row]) -> None:
        plain = {row.target for row in rows if row.when is None and row.target is not None}
        if len(plain) > 1 and not node.get("fan_out"):
            node["fan_out"] = True
            told = "It is a fan-out now, which must be readOnly and name its synthesis."
            part.lose("router", "It leads to several steps at once without fanOut.", told)
        rows = rows if node.get("fan_out") else _until_sure(rows)
        if node.get("fan_out") or all(row.when is None for row in rows):
            rows = [row for row in rows if row.target is not None]
        end: str | None = None
        for rank, row in enumerate(rows):
            if row.target is None and end is None:
                end = self.names.fit(f"{node['id']}_end")
            target = end if row.target is None else self.ids.get(row.target, row.target)
            self.draft.edge(node["id"], str(target), row.when, rank)
        if end is not None:
            self.draft.node({"id": end, "type": "end", "name": TERMINAL})

    # --- joins ----------------------------------------------------------------------------------------

    def _join(self, name: str, part: Part, node: dict[str, Any]) -> None:
        mode, sources, key = self._wait(part, node)
        if mode is None:
            return
        drawn = self._drawn.setdefault(node["id"], set())
        wanted = {self.ids.get(source, source) for source in sources}
        for source in sources:
            step = self.steps.get(source)
            if step is not None and "router" not in step.raw and self.ids[source] not in drawn:
                self.draft.edge(self.ids[source], node["id"])
                drawn.add(self.ids[source])
                told = f"The edge from {self.ids[source]} is drawn, since this step waits for it."
                part.lose(key, f"The step {shown(source)} has no router that leads here.", told)
        if name in self.syntheses:
            if mode == "any":
                told = "It waits for every branch of its fan-out, as a synthesis does."
                part.lose(key, "A synthesis cannot start with the first of its branches.", told)
            return
        if len(drawn) > 1:
            node["join"] = mode
        if wanted and wanted != drawn:
            told = "It waits for the steps from which an edge leads to it."
            part.lose(key, "It waits for other steps than those that lead to it.", told)

    def _wait(self, part: Part, node: dict[str, Any]) -> tuple[str | None, list[str], str]:
        """How a step waits, for which steps, and the key that says so."""
        for key, mode in (("andJoin", "all"), ("anyJoin", "any")):
            if part.has(key):
                return mode, self._names(part, key, part.get(key)), key
        given = part.get("waitFor")
        if given is None:
            return None, [], "waitFor"
        inner = Part(given if isinstance(given, dict) else {"mode": given}, part.at("waitFor"), self.losses)
        word, steps = inner.get("mode"), inner.get("steps", [])
        node.update(inner.rest())
        found = _JOINS.get(word) if isinstance(word, str) else None
        if found is None:
            part.lose("waitFor", f"{shown(given)} is no join.", "It starts with every path that arrives.")
            return None, [], "waitFor"
        return found, self._names(part, "waitFor", steps), "waitFor"

    @staticmethod
    def _names(part: Part, key: str, given: object) -> list[str]:
        names = [name for name in given if isinstance(name, str)] if isinstance(given, list) else []
        if not isinstance(given, list) or len(names) < len(given):
            part.lose(key, f"{shown(given)} is no list of steps.", "It waits for the steps that lead to it.")
        return names


def _until_sure(rows: list[Row]) -> list[Row]:
    """The rows up to the first without a condition: those after it are never reached."""
    for number, row in enumerate(rows):
        if row.when is None:
            return rows[: number + 1]
    return rows
