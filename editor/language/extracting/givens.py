"""What the nodes of a cut read from outside of it: the inputs of the sub-flow, and how its texts then read them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from editor.language.definition import Input
from editor.language.expressions.paths import Path
from editor.language.extracting.cutting import Cut
from editor.language.extracting.mentions import JsonObject, Said, items_around
from editor.language.extracting.refusing import Reasons
from editor.language.extracting.rewriting import Mention
from editor.language.validation.certain import Certainty
from editor.language.validation.texts import Site
from editor.language.validation.variables import ROOTS
from editor.language.validation.writes import writes_of

_TYPES = {
    "string": "long_text",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "object": "object",
    "array": "list",
}
RUN_KEYS_PASSED = ("id", "started_at")
"""Keys of `run` that mean the caller's run in the sub-flow, too."""


@dataclass
class Givens:
    """What comes in. `bundle`: the name of the one input for all that has no type of its own."""

    cut: Cut
    certainty: Certainty
    reasons: Reasons
    bundle: str = "given"
    typed: dict[str, JsonObject] = field(default_factory=dict)
    loose: dict[str, Any] = field(default_factory=dict)
    unpacked: list[str] = field(default_factory=list)
    steps: set[str] = field(default_factory=set)
    inputs: set[str] = field(default_factory=set)
    optional: set[str] = field(default_factory=set)
    run: set[str] = field(default_factory=set)
    policy: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        subject = self.cut.subject
        self._entry = Site("before", self.cut.entry, "")
        self._declared: dict[str, Input] = {one.name: one for one in subject.definition.inputs}
        self._written_inside = {
            write.key for one in self.cut.inside for write in writes_of(subject, subject.node(one)) if write.key
        }
        self._items = items_around(subject, self._entry)
        taken = {*self._declared, *self._written_inside, *self.cut.suppliers.keys, *self._items}
        taken |= set(((subject.definition.state or {}).get("properties") or {}).keys())
        while self.bundle in taken:
            self.bundle += "_"

    # --- what is read -----------------------------------------------------------------------------------

    def note(self, said: Said) -> None:
        """Take in one mention of the nodes that go."""
        mention = said.mention
        if mention.root not in ROOTS:
            self._note_key(said)
        elif mention.root == "steps":
            self._note_step(said)
        elif mention.root == "inputs":
            self._note_input(said)
        elif mention.root == "run":
            self._note_run(said)
        elif self.cut.subject.definition.presets:
            self._note_policy(said)

    def _note_key(self, said: Said) -> None:
        key = said.mention.root
        holder = items_around(self.cut.subject, said.site).get(key)
        if holder is not None and holder in self.cut.inside:
            return
        if holder is None and not self.comes_from_outside(key, said.site):
            return
        self.take(key, said.site, is_strict=said.mention.is_strict and not said.mention.keys, by_name=said.by_name)

    def comes_from_outside(self, key: str, site: Site) -> bool:
        """Whether a value that others have set can be read at a site within."""
        cut = self.cut
        writers = [*cut.suppliers.writers(key), *cut.suppliers.writers(None)]
        if key in self._declared or any(writer not in cut.inside for writer in writers):
            own = [writer for writer in cut.suppliers.writers(key) if writer in cut.inside]
            return not any(self.certainty.surely_succeeded(writer, site) for writer in own)
        if not cut.is_repeated or not writers:
            return False
        return not any(self.certainty.surely_succeeded(writer, site) for writer in writers if writer in cut.inside)

    def take(self, key: str, site: Site, *, is_strict: bool, by_name: bool = False) -> None:
        """Make a state key or an item an input."""
        is_item = key in self._items
        is_sure = is_item or self.certainty.is_set(key, self._entry)
        is_input = not is_item and key in self._declared and not self.cut.suppliers.writers(key)
        if is_input and not is_sure and not by_name:
            self.inputs.add(key)
            self.optional.add(key)
            return
        if not is_sure and (is_strict or by_name):
            told = f"{key!r} may have no value where {site.node!r} reads it, and a sub-flow's input needs one."
            self.reasons.add(f"{told} Set it before, or leave the node out.", site.node)
            return
        declaration = None if is_item or not is_sure else self._declaration(key)
        if declaration is not None:
            self.typed[key] = declaration
            return
        self.loose[key] = value_at(Path(key), is_sure=is_sure)
        if (by_name or key in self._written_inside) and key not in self.unpacked:
            self.unpacked.append(key)

    def _declaration(self, key: str) -> JsonObject | None:
        """The declared input for a state key whose type is sure; None where it is not."""
        if key in self._declared and not self.cut.suppliers.writers(key):
            kept = self._declared[key].model_dump(mode="json", exclude_unset=True, exclude={"default"})
            return {**kept, "required": True}
        part = ((self.cut.subject.definition.state or {}).get("properties") or {}).get(key)
        if not isinstance(part, dict) or not isinstance(kind := part.get("type"), str) or kind not in _TYPES:
            return None
        sensitive = {"sensitive": True} if part.get("x-sensitive") is True else {}
        return {"name": key, "type": _TYPES[kind], "required": True, **sensitive}

    def _note_step(self, said: Said) -> None:
        keys = said.mention.keys
        if not keys or not isinstance(keys[0], str):
            self._refuse(said, "reads “steps” as a whole. Name the step that it reads.")
        elif keys[0] not in self.cut.inside:
            self.steps.add(keys[0])
        elif self.cut.is_repeated and not self.certainty.surely_succeeded(keys[0], said.site):
            self._refuse(said, f"may read what {keys[0]!r} gave in an earlier pass. Choose the whole loop.")

    def _note_input(self, said: Said) -> None:
        keys = said.mention.keys
        if not keys or not isinstance(keys[0], str):
            self._refuse(said, "reads “inputs” as a whole. Name the input that it reads.")
        elif self.certainty.is_set(keys[0], self._entry) and not self.cut.suppliers.writers(keys[0]):
            self.take(keys[0], said.site, is_strict=True)
        else:
            self.inputs.add(keys[0])

    def _note_run(self, said: Said) -> None:
        key = said.mention.keys[0] if said.mention.keys else None
        if key in RUN_KEYS_PASSED:
            self.run.add(str(key))
        elif key is None or (key == "visit" and self.cut.is_repeated):
            self._refuse(said, "reads the visits of this run, and a sub-flow is a run of its own.")

    def _note_policy(self, said: Said) -> None:
        """With presets the policy differs from run to run, and a sub-flow has no preset: its keys are handed over."""
        keys = said.mention.keys
        if not keys or not isinstance(keys[0], str):
            self._refuse(said, "reads “policy” as a whole. Name the key that it reads.")
        else:
            self.policy.add(keys[0])

    def _refuse(self, said: Said, told: str) -> None:
        self.reasons.add(f"{said.site.node!r} {told}", said.site.node)

    # --- what is made of it -----------------------------------------------------------------------------

    @property
    def has_bundle(self) -> bool:
        """Whether anything comes in that has no declared input of its own."""
        return bool(self.loose or self.steps or self.inputs or self.run or self.policy)

    def declarations(self) -> list[JsonObject]:
        """The declared inputs of the sub-flow."""
        made = list(self.typed.values())
        if self.has_bundle:
            told = "Values of the calling flow that have no type of their own."
            sensitive = {"sensitive": True} if self._is_sensitive() else {}
            made.append({"name": self.bundle, "type": "object", "required": True, "description": told, **sensitive})
        return made

    def _is_sensitive(self) -> bool:
        state = self.cut.subject.definition.state
        return any(one.sensitive for one in self._declared.values()) or "x-sensitive" in str(state)

    def handed_over(self) -> JsonObject:
        """The `inputs` of the sub-flow node."""
        made: JsonObject = {key: f"{{{{{Path(key)}}}}}" for key in self.typed}
        if not self.has_bundle:
            return made
        bundle: JsonObject = dict(self.loose)
        for root, keys in (("steps", self.steps), ("inputs", self.inputs), ("policy", self.policy)):
            if keys:
                bundle[root] = {"$expr": f"pick({root}, '{','.join(sorted(keys))}'.split(','))"}
        if self.run:
            bundle["run"] = {key: f"{{{{run.{key}}}}}" for key in sorted(self.run)}
        return {**made, self.bundle: bundle}

    def change(self, site: Site, mention: Mention) -> tuple[int, Path] | None:
        """How a text within reads a place once it stands in the sub-flow."""
        root, key = mention.root, mention.keys[0] if mention.keys else None
        if root in ROOTS:
            passed = {"steps": self.steps, "inputs": self.inputs, "run": self.run, "policy": self.policy}[root]
            return (1, Path(self.bundle, (root, key))) if key is not None and key in passed else None
        holder = items_around(self.cut.subject, site).get(root)
        if holder is not None and holder in self.cut.inside:
            return None
        if root in self.loose and root not in self.unpacked:
            return 0, Path(self.bundle, (root,))
        if root in self.optional:
            return 0, Path(self.bundle, ("inputs", root))
        return None


def value_at(path: Path, *, is_sure: bool) -> Any:
    """A config value that gives what is at a path, and null where nothing is."""
    written = str(path)
    return f"{{{{{written}}}}}" if is_sure or written.startswith("[") else {"$expr": f"default({written}, null)"}
