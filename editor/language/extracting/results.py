"""What others read of the nodes of a cut: the result of the sub-flow, and how the flow around it then reads it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from editor.language.expressions.paths import Path
from editor.language.extracting.cutting import Cut
from editor.language.extracting.givens import Givens, value_at
from editor.language.extracting.mentions import Said
from editor.language.extracting.refusing import Reasons
from editor.language.extracting.rewriting import Mention
from editor.language.validation.certain import Certainty
from editor.language.validation.texts import Site
from editor.language.validation.writes import Write, writes_of

WAY = "way"


@dataclass
class Results:
    """What goes out. `keys`: state keys; `steps`: (node, part of its record) -> name in the result."""

    cut: Cut
    certainty: Certainty
    reasons: Reasons
    node: str
    """Id of the sub-flow node."""
    keys: dict[str, bool] = field(default_factory=dict)
    """State key -> whether somebody tells a missing value from null."""
    steps: dict[tuple[str, str], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        subject = self.cut.subject
        self.sure: set[tuple[str, str]] = set()
        self.writes: dict[str, list[Write]] = {}
        for one in sorted(self.cut.inside, key=subject.graph.order.__getitem__):
            for write in writes_of(subject, subject.node(one)):
                if write.key is not None:
                    self.writes.setdefault(write.key, []).append(write)
        last = [Site("after", link.source, "", link.on) for link in self.cut.leaving]
        self.exits = last + [Site("after", one, "") for one in self.cut.ends]

    # --- what is read -----------------------------------------------------------------------------------

    def note(self, said: Said) -> None:
        """Take in one mention of the flow around."""
        mention, keys = said.mention, said.mention.keys
        if mention.root == "steps":
            self._note_step(said)
        elif mention.root in self.writes and self._is_seen(mention.root, said.site):
            self.keys[mention.root] = self.keys.get(mention.root, False) or (mention.is_strict and not keys)

    def _note_step(self, said: Said) -> None:
        keys = said.mention.keys
        if not keys or (keys[0] in self.cut.inside and len(keys) < 2):
            told = f"{said.site.node!r} reads whole records of steps. Name what it reads, such as steps.a.output."
            self.reasons.add(told, said.site.node)
        elif keys[0] in self.cut.inside:
            part = str(keys[0]), str(keys[1])
            self.steps[part] = self.steps.get(part, False) or (said.mention.is_strict and len(keys) == 2)

    def _is_seen(self, key: str, site: Site) -> bool:
        return any(self.cut.suppliers.can_write_before(write.node, site) for write in self.writes[key])

    def note_rewritten(self, write: Write) -> None:
        """A node of the flow around adds to a state key: it reads what was there."""
        if write.key in self.writes and self._is_seen(write.key, Site("before", write.node, "")):
            self.keys[write.key] = True

    # --- whether it can go out --------------------------------------------------------------------------

    def settle(self, givens: Givens) -> None:
        """Note why something cannot go out; what is handed back unchanged on some way comes in before."""
        for key, is_strict in self.keys.items():
            self._settle_key(key, is_strict, givens)
        for (node, part), is_strict in self.steps.items():
            sure = part == "output" and all(self.certainty.surely_succeeded(node, site) for site in self.exits)
            if sure:
                self.sure.add((node, part))
            elif is_strict or self.cut.is_repeated or self.cut.is_beside_others:
                told = f"What {node!r} gave is read after them, but it may not have run. Choose the reader too."
                self.reasons.add(told, node)
        is_read_on = self.cut.is_beside_others or self.cut.parent is not None
        if self.count and self.cut.path_may_end and is_read_on and not self.is_last:
            last = (*self.cut.may_end, *self.cut.ends)[0]
            told = f"A path may end at {last!r}, and what was set up to there is read later. Choose other nodes."
            self.reasons.add(told, last)

    def _settle_key(self, key: str, is_strict: bool, givens: Givens) -> None:
        writes = self.writes[key]
        if self.cut.is_beside_others and any(write.mode != "set" for write in writes):
            told = f"{writes[0].node!r} adds to {key!r} beside other paths that may add to it, too. Leave it out."
            self.reasons.add(told, writes[0].node)
        sure = all(any(self.certainty.surely_succeeded(one.node, site) for one in writes) for site in self.exits)
        if sure:
            self.sure.add(("", key))
        elif self.cut.is_beside_others:
            told = f"{key!r} may be left as it was, while other paths set it. Choose nodes that surely set it."
            self.reasons.add(told, writes[0].node)
        elif any(givens.comes_from_outside(key, site) for site in self.exits) or self.cut.is_repeated:
            givens.take(key, self.exits[0], is_strict=is_strict)
        elif is_strict:
            told = f"{key!r} may not be set by them, but is read after them. Set it before, or choose the reader too."
            self.reasons.add(told, writes[0].node)

    # --- what is made of it -----------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many values go out."""
        return len(self.keys) + len(self.steps)

    @property
    def is_last(self) -> bool:
        """Whether the one value that goes out is what the one node gave with which the path ends."""
        if self.cut.leaving or self.cut.may_end or len(self.cut.ends) != 1 or self.count != 1:
            return False
        last = self.cut.node(self.cut.ends[0])
        is_kept = last.output_mode == "set" and last.output_variable in self.keys
        return is_kept or (last.id, "output") in self.steps

    def is_plain(self, ways: int) -> bool:
        """Whether the result is the one value itself."""
        return self.is_last or (self.count == 1 and ways == 1 and not self.cut.path_may_end)

    def names(self) -> dict[tuple[str, str], str]:
        """The name of each value that goes out; a state key stands as ("", key)."""
        found: dict[tuple[str, str], str] = {}
        taken = {WAY}
        for node, part in (*(("", key) for key in self.keys), *self.steps):
            name = part if not node else node if part == "output" else f"{node}_{part}"
            while name in taken:
                name += "_"
            taken.add(name)
            found[node, part] = name
        return found

    def result(self, ways: int, way: str, givens: Givens) -> tuple[bool, Any]:
        """The value of an `end` of the sub-flow: whether there is one, and which."""
        values: dict[str, Any] = {}
        for (node, part), name in self.names().items():
            path = Path("steps", (node, part)) if node else Path(part)
            changed = None if node else givens.change(self.exits[0], Mention(part, (), True))
            values[name] = value_at(path if changed is None else changed[1], is_sure=(node, part) in self.sure)
        if self.is_plain(ways):
            return True, next(iter(values.values()))
        if ways > 1 or self.cut.path_may_end:
            values[WAY] = way
        return bool(values), values

    def change(self, ways: int, mention: Mention) -> tuple[int, Path] | None:
        """How a text of the flow around reads what a node that went gave."""
        if mention.root != "steps" or len(mention.keys) < 2:
            return None
        name = self.names().get((str(mention.keys[0]), str(mention.keys[1])))
        if name is None or mention.keys[0] not in self.cut.inside:
            return None
        whole: tuple[str | int, ...] = (self.node, "output")
        return 2, Path("steps", whole if self.is_plain(ways) else (*whole, name))
