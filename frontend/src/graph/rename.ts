// Giving a node another id, with everything that names it: edges, children, start, synthesis, and `steps.<id>` in
// expressions and placeholders. What is no such place, such as a text that merely holds the word, stays.
import { type FlowDocument, type FlowNode, findNode, type Json, type JsonObject } from "./document";
import type { Edit } from "./edits";
import { mapTexts } from "./values";

const ID = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/** Which config fields hold bare expressions, by node type: there names stand without `{{}}`. */
export type ExpressionFields = (type: string) => readonly string[];

/** Why a node cannot get this id, or null where it can. */
export function renameRefusal(document: FlowDocument, from: string, to: string): string | null {
  if (to === from) return null;
  if (!ID.test(to)) return "Use letters, digits and _, begin with a letter or _, 63 characters at most.";
  return findNode(document, to) ? `There is a node ${to} already.` : null;
}

/** Give a node another id; a refused one changes nothing. */
export function renameNode(from: string, to: string, expressionFields: ExpressionFields): Edit {
  return (document) => {
    if (from === to || renameRefusal(document, from, to) || !findNode(document, from)) return document;
    return {
      ...document,
      ...(document.start === from ? { start: to } : {}),
      nodes: document.nodes.map((node) => renamedIn(node, from, to, expressionFields(node.type))),
      edges: document.edges.map((edge) => ({
        ...edge,
        source: edge.source === from ? to : edge.source,
        target: edge.target === from ? to : edge.target,
        ...(edge.when === undefined ? {} : { when: inExpression(edge.when, from, to) }),
      })),
    };
  };
}

function renamedIn(node: FlowNode, from: string, to: string, bare: readonly string[]): FlowNode {
  const config = Object.fromEntries(
    Object.entries((node.config ?? {}) as JsonObject).map(([key, value]): [string, Json] => [
      key,
      bare.includes(key) ? inBare(value, from, to) : inTexts(value, from, to),
    ]),
  );
  return {
    ...node,
    id: node.id === from ? to : node.id,
    ...(node.parent === from ? { parent: to } : {}),
    ...(node.synthesis === from ? { synthesis: to } : {}),
    ...(node.config === undefined ? {} : { config }),
  };
}

function inTexts(value: Json, from: string, to: string): Json {
  return mapTexts(value, (text, isExpression) =>
    isExpression ? inExpression(text, from, to) : inPlaceholders(text, from, to),
  );
}

/** Fields of expressions hold one, or an object of named ones. A list there is a value like any other. */
function inBare(value: Json, from: string, to: string): Json {
  if (Array.isArray(value)) return inTexts(value, from, to);
  return mapTexts(value, (text) => inExpression(text, from, to));
}

function inPlaceholders(text: string, from: string, to: string): string {
  return text.replaceAll(/\{\{(.*?)\}\}/gs, (whole, inner: string) => {
    const changed = inPath(inner, from, to);
    return changed === inner ? whole : `{{${changed}}}`;
  });
}

/** In an expression, texts in quotes are left alone but for the placeholders in them. */
export function inExpression(text: string, from: string, to: string): string {
  const pieces = text.split(/('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/);
  return pieces
    .map((piece, place) => {
      if (place % 2 === 0) return inPath(piece, from, to);
      // `steps['a']` names a node, too.
      const isKey = /(^|[^\w.])steps\s*\[\s*$/.test(pieces[place - 1] ?? "") && piece.slice(1, -1) === from;
      return isKey ? `${piece[0]}${to}${piece[0]}` : inPlaceholders(piece, from, to);
    })
    .join("");
}

function inPath(text: string, from: string, to: string): string {
  return text
    .replaceAll(/(^|[^\w.$])steps\s*\.\s*([A-Za-z_]\w*)/g, (whole, before: string, id: string) =>
      id === from ? `${before}steps.${to}` : whole,
    )
    .replaceAll(
      /(^|[^\w.$])steps\s*\[\s*(['"])([A-Za-z_]\w*)\2\s*\]/g,
      (whole, before: string, quote: string, id: string) =>
        id === from ? `${before}steps[${quote}${to}${quote}]` : whole,
    );
}
