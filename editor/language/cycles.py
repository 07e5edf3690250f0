"""Strongly connected components of any directed graph, without recursion. Nothing about flows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def components(targets: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Split a graph, given as node → targets, into its strongly connected components (Tarjan).

    A component comes after every component that it leads to. Targets that are no keys are left out.
    """
    search = _Search(targets)
    for root in targets:
        if root not in search.number:
            search.from_root(root)
    return search.found


class _Search:
    """One depth-first search; what Tarjan's algorithm keeps."""

    def __init__(self, targets: Mapping[str, Sequence[str]]) -> None:
        self.targets = targets
        self.number: dict[str, int] = {}
        self.low: dict[str, int] = {}
        self.open: list[str] = []
        self.is_open: set[str] = set()
        self.found: list[tuple[str, ...]] = []

    def from_root(self, root: str) -> None:
        trail: list[tuple[str, Iterator[str]]] = [self.enter(root)]
        while trail:
            node, ahead = trail[-1]
            step = next((target for target in ahead if target in self.targets), None)
            if step is None:
                trail.pop()
                self.leave(node)
                if trail:
                    before = trail[-1][0]
                    self.low[before] = min(self.low[before], self.low[node])
            elif step not in self.number:
                trail.append(self.enter(step))
            elif step in self.is_open:
                self.low[node] = min(self.low[node], self.number[step])

    def enter(self, node: str) -> tuple[str, Iterator[str]]:
        self.number[node] = self.low[node] = len(self.number)
        self.open.append(node)
        self.is_open.add(node)
        return node, iter(self.targets[node])

    def leave(self, node: str) -> None:
        if self.low[node] != self.number[node]:
            return
        component: list[str] = []
        while not component or component[-1] != node:
            component.append(self.open.pop())
            self.is_open.discard(component[-1])
        self.found.append(tuple(reversed(component)))
