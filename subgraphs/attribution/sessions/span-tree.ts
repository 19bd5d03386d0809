/** Builds a tree of spans, even if their parents are missing or form a cycle, and rolls every cost up to the roots. */
import { type Amount, amount } from '#kernel/money.ts';
import type { SpanNode } from '../resolvers.generated.ts';
import type { SessionSpanRow } from './session-spans.query.ts';

interface Growing extends SpanNode {
  depth: number;
  ownCost: Amount;
  totalCost: Amount;
  children: Growing[];
}

/**
 * Returns the roots. Roots and children are in the order of the rows. A span is a root if its parent is not among the
 * rows, or if it is the first span of a cycle. Each span is in the tree exactly once.
 */
export function spanTree(rows: readonly SessionSpanRow[]): SpanNode[] {
  const nodes = rows.map(nodeOf);
  const bySpanId = new Map(
    nodes.flatMap((node) => (typeof node.spanId === 'string' ? [[node.spanId, node] as const] : [])),
  );
  const parents = new Map<Growing, Growing | null>();
  for (const node of nodes) parents.set(node, bySpanId.get(node.parentSpanId ?? '') ?? null);
  cutCircles(nodes, parents);

  const roots: Growing[] = [];
  for (const node of nodes) (parents.get(node)?.children ?? roots).push(node);
  rollUp(roots);
  return roots;
}

function nodeOf(row: SessionSpanRow): Growing {
  const ownCost = amount(row.totalCost);
  return {
    spanId: row.spanId,
    parentSpanId: row.parentSpanId,
    depth: 0,
    startedAt: row.startedAt,
    modelSlugs: [...row.modelSlugs],
    ownCost,
    totalCost: ownCost,
    eventCount: Number(row.eventCount),
    children: [],
  };
}

/**
 * Walks up from every span. A walk that returns to one of its own spans has found a cycle; the cycle's first span then
 * loses its parent.
 */
function cutCircles(nodes: readonly Growing[], parents: Map<Growing, Growing | null>): void {
  const places = new Map(nodes.map((node, place) => [node, place]));
  const walkOf = new Map<Growing, Growing>();
  for (const start of nodes) {
    let node: Growing | null = start;
    while (node && !walkOf.has(node)) {
      walkOf.set(node, start);
      node = parents.get(node) ?? null;
    }
    if (!node || walkOf.get(node) !== start) continue;
    let first = node;
    for (let other = parents.get(node); other && other !== node; other = parents.get(other)) {
      if ((places.get(other) ?? 0) < (places.get(first) ?? 0)) first = other;
    }
    parents.set(first, null);
  }
}

/** Not recursive: a chain may be as long as a session has spans. */
function rollUp(roots: readonly Growing[]): void {
  const order = [...roots];
  for (let index = 0; index < order.length; index++) {
    for (const child of order[index]?.children ?? []) {
      child.depth = (order[index]?.depth ?? 0) + 1;
      order.push(child);
    }
  }
  for (const node of order.reverse()) {
    node.totalCost = node.children.reduce((total, child) => total + child.totalCost, node.ownCost);
  }
}

/**
 * Flattens a tree of spans to a list. Each span follows its parent and precedes its next sibling, however deep the
 * tree is.
 */
export function flatSpans(roots: readonly SpanNode[]): SpanNode[] {
  const flat: SpanNode[] = [];
  const open = roots.toReversed();
  for (let node = open.pop(); node; node = open.pop()) {
    flat.push(node);
    open.push(...node.children.toReversed());
  }
  return flat;
}
