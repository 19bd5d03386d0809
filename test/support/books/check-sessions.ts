/** Compares session trees with the books: every span once, every cost included in its parents. */
import { expect } from 'vitest';
import { isoOf } from './book-instant.ts';
import { askGraph } from './check-graph.ts';
import { printAmount } from './exact-amount.ts';
import type { Books } from './keep-books.ts';
import { type Priced, priced, totalOf } from './plain-books.ts';

const FIELDS = 'spanId parentSpanId startedAt modelSlugs ownCost totalCost eventCount';
const DEPTH = 4;

interface Node {
  readonly events: readonly Priced[];
  readonly children: Node[];
}

export async function checkSessions(books: Books): Promise<void> {
  const bySession = Map.groupBy(
    priced(books.live()).filter(({ session }) => session !== null),
    ({ session }) => session!,
  );
  for (const [sessionId, events] of bySession) {
    const { session } = await askGraph(
      books,
      `query ($id: String!) { session(sessionId: $id) {
      sessionId sessionType totalCost eventCount truncated roots { ${FIELDS} ${nested(DEPTH)} }
    } }`,
      { id: sessionId },
    );
    const typed = inTime(events).filter(({ dimensions }) => dimensions['session_type'] !== undefined);
    const first = typed
      .filter(({ at }) => at === typed[0]?.at)
      .map(({ dimensions }) => dimensions['session_type']!)
      .sort();
    expect(session).toEqual({
      sessionId,
      sessionType: first[0] ?? null,
      totalCost: printAmount(totalOf(events)),
      eventCount: events.length,
      truncated: false,
      roots: tree(events).map((node) => toTree(node, DEPTH)),
    });
  }
}

function nested(depth: number): string {
  return depth === 0 ? '' : `children { ${FIELDS} ${nested(depth - 1)} }`;
}

function tree(events: readonly Priced[]): Node[] {
  const nodes = [...Map.groupBy(events, ({ span, id }) => span ?? `lone ${id}`).values()].map((members): Node => ({
    events: inTime(members),
    children: [],
  }));
  const ordered = nodes.sort((one, other) => compare(one.events[0]!.at, other.events[0]!.at) || byName(one, other));
  const bySpan = new Map(
    ordered.flatMap((node) => (node.events[0]!.span === null ? [] : [[node.events[0]!.span, node]])),
  );
  return ordered.filter((node) => {
    const parent = bySpan.get(node.events[0]!.parent ?? '');
    parent?.children.push(node);
    return parent === undefined;
  });
}

/** Spans by id, then events without a span by event id. */
function byName(one: Node, other: Node): number {
  const name = ({ events: [event] }: Node) => (event!.span === null ? `1 ${event!.id}` : `0 ${event!.span}`);
  return Buffer.compare(Buffer.from(name(one)), Buffer.from(name(other)));
}

function toTree(node: Node, depth: number): unknown {
  const [first] = node.events;
  return {
    spanId: first!.span,
    parentSpanId: first!.parent,
    startedAt: isoOf(first!.at),
    modelSlugs: slugsOf(node.events),
    ownCost: printAmount(totalOf(node.events)),
    totalCost: printAmount(totalOf(below(node))),
    eventCount: node.events.length,
    ...(depth === 0 ? {} : { children: node.children.map((child) => toTree(child, depth - 1)) }),
  };
}

/** Slugs of models, in order of first use. */
function slugsOf(events: readonly Priced[]): string[] {
  return [...Map.groupBy(events, ({ modelSlug }) => modelSlug)]
    .sort(
      ([one, ofOne], [other, ofOther]) =>
        compare(ofOne[0]!.at, ofOther[0]!.at) || Buffer.compare(Buffer.from(one), Buffer.from(other)),
    )
    .map(([slug]) => slug);
}

function below({ events, children }: Node): Priced[] {
  return [...events, ...children.flatMap(below)];
}

function inTime(events: readonly Priced[]): Priced[] {
  return [...events].sort((one, other) => compare(one.at, other.at));
}

const compare = (one: bigint, other: bigint): number => (one < other ? -1 : Number(one > other));
