import { describe, expect, it } from "vitest";
import { drawn, edgesOf, flowOf, isContainer } from "~/testing/flows";
import { aligned, distributed } from "./align";
import { findNode, placeOf } from "./document";
import { moveNodes, updateEdge } from "./edits";
import { HEAD, overlap, PADDING } from "./geometry";
import { withRoom } from "./growing";
import { group, moveInto, moveWithin, ungroup } from "./moving";
import { routesOf } from "./route";
import { deletion, splice, spliceRefusal } from "./splicing";
import { tidied } from "./tidy";

describe("splicing", () => {
  it("keeps the edge's condition on the way in", () => {
    const flow = updateEdge("a-b", { when: "x", label: "yes" })(flowOf("a > b", "n"));
    const next = splice("a-b", "n")(flow);
    expect(edgesOf(next)).toEqual(["a > n", "n > b"]);
    expect(next.edges[0]).toMatchObject({ id: "a-b", when: "x", label: "yes" });
    expect(next.edges[1]?.when).toBeUndefined();
  });

  it("is refused for what ends a path, what is connected, what is around it", () => {
    const flow = flowOf("a > b", "n:end", "c > d", "box:sequence", "box/x > box/y");
    expect(spliceRefusal(flow, "a-b", "n")).toMatch(/ends its path/);
    expect(spliceRefusal(flow, "a-b", "c")).toMatch(/without edges/);
    expect(spliceRefusal(flow, "x-y", "box")).toMatch(/hold itself/);
  });
});

describe("deleting", () => {
  it("leads what came before on to what comes after, also over several nodes", () => {
    const flow = flowOf("a > b > c > d", "x error> b");
    const { edit, healed } = deletion(flow, ["b", "c"]);
    expect(edgesOf(edit(flow))).toEqual(["a > d", "x error> d"]);
    expect(healed).toBe(2);
  });

  it("leaves a gap where it cannot know: branches, loops, edges that are there already", () => {
    const branch = flowOf("a > b:one_of > c", "b > d");
    expect(edgesOf(deletion(branch, ["b"]).edit(branch))).toEqual([]);
    const loop = flowOf("a > b > a");
    expect(edgesOf(deletion(loop, ["b"]).edit(loop))).toEqual([]);
    const twice = flowOf("a > b > c", "a > c");
    expect(edgesOf(deletion(twice, ["b"]).edit(twice))).toEqual(["a > c"]);
  });
});

describe("containers", () => {
  it("take a node out of a row, which holds without it", () => {
    const flow = flowOf("a > b > c", "box:sequence");
    const { edit, lost } = moveInto(flow, drawn(flow), "box", new Map([["b", { x: 40, y: 100 }]]));
    expect(edgesOf(edit(flow))).toEqual(["a > c"]);
    expect(findNode(edit(flow), "b")?.parent).toBe("box");
    expect(lost).toEqual([]);
  });

  it("name the edges that would cross their border", () => {
    const flow = flowOf("a > b:one_of > c", "b > d", "box:sequence");
    const { edit, lost } = moveInto(flow, drawn(flow), "box", new Map([["b", { x: 40, y: 100 }]]));
    expect(lost.map((edge) => edge.id)).toEqual(["a-b", "b-c", "b-d"]);
    expect(edgesOf(edit(flow))).toEqual([]);
  });

  it("make room to the left and above without anything moving on screen", () => {
    const flow = moveNodes(new Map([["box", { x: 500, y: 300 }]]))(flowOf("box:sequence", "box/x", "box/y"));
    const at = (id: string) => drawn(next).boxes.get(id);
    const next = moveWithin(flow, new Map([["x", { x: -100, y: -60 }]]))(flow);
    expect(at("x")).toMatchObject({ x: 400, y: 240 });
    expect(at("y")).toMatchObject({ x: 500, y: 300 });
    expect(at("x")?.place.x).toBe(PADDING);
    expect(at("x")?.place.y).toBeGreaterThanOrEqual(HEAD);
  });

  it("push on what they would cover when they grow, and only that", () => {
    const flow = moveNodes(
      new Map([
        ["box", { x: 0, y: 0 }],
        ["x", { x: 24, y: 64 }],
        ["right", { x: 300, y: 0 }],
        ["below", { x: 0, y: 200 }],
        ["far", { x: 0, y: 2000 }],
      ]),
    )(flowOf("box:sequence", "box/x", "right", "below", "far"));
    const wide = moveNodes(new Map([["x", { x: 200, y: 64 }]]))(flow);
    const next = drawn(withRoom(drawn(flow), wide, { isContainer })).boxes;
    expect(next.get("right")?.x).toBe(200 + 208 + PADDING + 28);
    expect(next.get("below")).toMatchObject({ x: 0, y: 200 });
    const tall = moveNodes(new Map([["x", { x: 24, y: 300 }]]))(flow);
    const after = drawn(withRoom(drawn(flow), tall, { isContainer })).boxes;
    expect(after.get("below")?.y).toBeGreaterThan(300 + 56);
    expect(after.get("right")).toMatchObject({ x: 300, y: 0 });
  });

  it("are put around nodes and taken away again", () => {
    const flow = moveNodes(tidied(flowOf("a > b > c > d"), isContainer))(flowOf("a > b > c > d"));
    const box = { id: "g", type: "sequence", config: {} };
    const grouped = group(flow, drawn(flow), ["b", "c"], box);
    const next = grouped.edit(flow);
    expect(edgesOf(next)).toEqual(["a > g", "b > c", "g > d"]);
    expect(grouped.lost).toEqual([]);
    expect(drawn(next).boxes.get("b")).toMatchObject({ x: placeOf(flow.nodes[1] as never).x });
    const back = ungroup(next, drawn(next), "g");
    expect(edgesOf(back.edit(next))).toEqual(["a > b", "b > c", "c > d"]);
    expect(placeOf(findNode(back.edit(next), "b") as never)).toEqual(placeOf(findNode(flow, "b") as never));
  });

  it("lose what cannot mean the same around them", () => {
    const flow = flowOf("a > b > c", "x > c");
    expect(group(flow, drawn(flow), ["b", "c"], { id: "g", type: "sequence", config: {} }).lost).toHaveLength(1);
  });
});

describe("laying out", () => {
  const flow = flowOf("a > b:one_of > box:for_each > z", "b > c > z", "z > b", "box/x > box/y", "box/x error> box/e");
  const next = moveNodes(tidied(flow, isContainer))(flow);
  const boxes = [...drawn(next).boxes.values()];

  it("puts nothing over anything else, and containers around what they hold", () => {
    for (const one of boxes)
      for (const other of boxes)
        if (one !== other && one.parent === other.parent)
          expect(overlap(one, other), `${one.id} ${other.id}`).toBe(false);
    for (const inner of boxes.filter((box) => box.parent === "box")) {
      const around = boxes.find((box) => box.id === "box");
      expect(inner.place.y).toBeGreaterThanOrEqual(HEAD);
      expect(inner.place.x + inner.width + PADDING).toBeLessThanOrEqual(around?.width ?? 0);
    }
  });

  it("goes from left to right, branches as their ports stand", () => {
    const at = (id: string) => boxes.find((box) => box.id === id) ?? { x: 0, y: 0 };
    expect(at("a").x).toBeLessThan(at("b").x);
    expect(at("b").x).toBeLessThan(at("z").x);
    expect(at("y").y).toBeLessThan(at("e").y);
  });

  it("finds a way for every edge, along right angles", () => {
    const ways = routesOf(drawn(next), next.edges);
    expect(ways.size).toBe(next.edges.length);
    for (const way of ways.values())
      way.slice(1).forEach((point, index) => {
        const before = way[index];
        expect(point.x === before?.x || Math.abs(point.y - (before?.y ?? 0)) < 2).toBe(true);
      });
  });

  it("keeps other nodes where they are when only some are laid out", () => {
    const some = tidied(next, isContainer, new Set(["a", "c"]));
    expect([...some.keys()].sort()).toEqual(["a", "c"]);
  });
});

it("lines up and spreads", () => {
  const flow = moveNodes(
    new Map([
      ["a", { x: 0, y: 0 }],
      ["b", { x: 100, y: 500 }],
      ["c", { x: 250, y: 90 }],
    ]),
  )(flowOf("a", "b", "c"));
  const boxes = [...drawn(flow).boxes.values()];
  expect([...aligned(boxes, "right").values()].map((one) => one.x)).toEqual([250, 250, 250]);
  expect(distributed(boxes, "y").get("c")).toEqual({ x: 250, y: 250 });
});
