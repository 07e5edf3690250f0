"""A flow as boxes and straight wires, for where nothing can be moved: a printed sheet. Places are the document's."""

from __future__ import annotations

from dataclasses import dataclass

from editor.language.definition import Definition, Node

WIDTH, HEIGHT, MARGIN = 208, 56, 24


@dataclass(frozen=True)
class Box:
    """A node: its place on the whole picture. A frame is a container around others."""

    node: str
    name: str
    type: str
    x: float
    y: float
    width: float
    height: float
    frame: bool

    @property
    def text_x(self) -> float:
        """Where its words begin."""
        return self.x + 12

    @property
    def text_y(self) -> float:
        """The line of its name."""
        return self.y + 24

    @property
    def type_y(self) -> float:
        """The line of its type."""
        return self.y + 42


@dataclass(frozen=True)
class Wire:
    """An edge, from the right side of one box to the left side of another."""

    x1: float
    y1: float
    x2: float
    y2: float
    label: str
    on: str

    @property
    def middle(self) -> tuple[float, float]:
        """Where its label stands."""
        return (self.x1 + self.x2) / 2, (self.y1 + self.y2) / 2 - 4


@dataclass(frozen=True)
class Picture:
    """All boxes, frames first, and all wires; `width` and `height` hold them with a margin."""

    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    width: float
    height: float


def picture_of(flow: Definition) -> Picture | None:
    """Draw a flow; None where a node has no place, so that nothing sensible could be drawn."""
    if not flow.nodes or any(node.layout is None for node in flow.nodes):
        return None
    places = {node.id: _place(node, flow) for node in flow.nodes}
    inner: dict[str, list[str]] = {}
    for node in flow.nodes:
        if node.parent in flow.nodes_by_id:
            inner.setdefault(str(node.parent), []).append(node.id)
    boxes: dict[str, Box] = {}
    for node in sorted(flow.nodes, key=lambda one: -_depth(one, flow)):
        boxes[node.id] = _box(node, places[node.id], [boxes[child] for child in inner.get(node.id, [])])
    left = min(box.x for box in boxes.values()) - MARGIN
    top = min(box.y for box in boxes.values()) - MARGIN
    moved = {key: _moved(box, left, top) for key, box in boxes.items()}
    ordered = sorted(moved.values(), key=lambda box: (not box.frame, _depth(flow.node(box.node), flow)))
    wires = tuple(
        _wire(moved[edge.source], moved[edge.target], edge.label or edge.when or "", edge.on)
        for edge in flow.edges
        if edge.source in moved and edge.target in moved
    )
    right = max(box.x + box.width for box in moved.values()) + MARGIN
    bottom = max(box.y + box.height for box in moved.values()) + MARGIN
    return Picture(tuple(ordered), wires, right, bottom)


def _around(node: Node, flow: Definition) -> list[Node]:
    found: list[Node] = []
    at = flow.nodes_by_id.get(node.parent or "")
    while at is not None and at not in found:
        found.append(at)
        at = flow.nodes_by_id.get(at.parent or "")
    return found


def _depth(node: Node, flow: Definition) -> int:
    return len(_around(node, flow))


def _place(node: Node, flow: Definition) -> tuple[float, float]:
    layouts = [one.layout for one in (node, *_around(node, flow)) if one.layout is not None]
    return sum(one.x for one in layouts), sum(one.y for one in layouts)


def _box(node: Node, place: tuple[float, float], children: list[Box]) -> Box:
    x, y = place
    layout = node.layout
    width = max([WIDTH, *(one.x + one.width + MARGIN - x for one in children)])
    height = max([HEIGHT, *(one.y + one.height + MARGIN - y for one in children)])
    if layout is not None and children:
        width, height = max(width, layout.width or 0), max(height, layout.height or 0)
    return Box(node.id, node.label, node.type, x, y, width, height, bool(children))


def _moved(box: Box, left: float, top: float) -> Box:
    return Box(box.node, box.name, box.type, box.x - left, box.y - top, box.width, box.height, box.frame)


def _wire(source: Box, target: Box, label: str, on: str) -> Wire:
    return Wire(
        source.x + source.width, source.y + source.height / 2, target.x, target.y + target.height / 2,
        label if len(label) <= 40 else f"{label[:39]}…", on,
    )  # fmt: skip
