/** Which spans of a request are calls that cost something: leaves alone, each call once (decision 41). */
import { callKind, type CallKind } from './call-kind.ts';
import { type CallUsage, callUsage, isUsed } from './call-usage.ts';
import { responseId } from './call-event.ts';
import type { TelemetryRecord } from './telemetry-record.ts';

/** Why a record is no event; `sources` shows it. */
export type IgnoredReason =
  | 'not_a_call'
  | 'contains_calls'
  | 'calls_below'
  | 'no_usage'
  | 'cache_hit'
  | 'unknown_without_parent_rule'
  | 'failed';

export interface SelectedCall {
  readonly record: TelemetryRecord;
  readonly usage: CallUsage;
  /** Nearest first: attributes that a call does not have itself are looked for there. */
  readonly ancestors: readonly TelemetryRecord[];
}

export interface Selection {
  readonly calls: readonly SelectedCall[];
  readonly ignored: readonly { readonly record: TelemetryRecord; readonly reason: IgnoredReason }[];
  /** Ids of all spans above a call: whichever of them comes later adds nothing. */
  readonly parents: readonly string[];
}

interface Node {
  readonly record: TelemetryRecord;
  readonly kind: CallKind;
  readonly usage: CallUsage | null;
  readonly parent: string | null;
}

const ANCESTORS_MAX = 64;

/**
 * `knownParents` are spans of which a call is already stored, by `spanKey`. A span of unknown kind with usage is a call unless one lies
 * below it, here or there.
 */
export function selectCalls(records: readonly TelemetryRecord[], knownParents: ReadonlySet<string>): Selection {
  const nodes = records.map((record): Node => {
    const usage = callUsage(record);
    return { record, kind: callKind(record), usage: usage && isUsed(usage) ? usage : null, parent: parentKey(record) };
  });
  const byKey = new Map(nodes.map((node) => [spanKey(node.record), node]));
  const above = new Map(nodes.map((node) => [node, ancestorsOf(node, byKey)]));
  const covered = coveredBy(nodes, above);
  const calls: SelectedCall[] = [];
  const ignored: { record: TelemetryRecord; reason: IgnoredReason }[] = [];
  const parents = new Set<string>();
  for (const node of nodes) {
    const { record, usage } = node;
    const reason = reasonAgainst(node, covered, knownParents);
    const ancestors = above.get(node) ?? [];
    if (reason === null && usage !== null) {
      calls.push({ record, usage, ancestors: ancestors.map((one) => one.record) });
      for (const { parent } of [node, ...ancestors]) if (parent !== null) parents.add(parent);
    } else {
      // The chain from a stored call goes on upwards through what is no call itself.
      if (knownParents.has(spanKey(record)) && node.parent !== null) parents.add(node.parent);
      ignored.push({ record, reason: reason ?? 'no_usage' });
    }
  }
  return { calls, ignored, parents: [...parents] };
}

function reasonAgainst(
  node: Node,
  covered: ReadonlySet<Node>,
  knownParents: ReadonlySet<string>,
): IgnoredReason | null {
  const { kind, usage, record } = node;
  if (kind === 'container') return 'contains_calls';
  if (usage === null) return kind === 'call' ? 'no_usage' : 'not_a_call';
  if (covered.has(node)) return 'calls_below';
  // Of a call that says so itself nothing that came before is a part, unless it repeats the call's own id.
  if (kind === 'unknown' && knownParents.has(spanKey(record)) && responseId(record) === null) return 'calls_below';
  return null;
}

/** Spans with usage above a call, as far as no tool and no agent lies between: what those call is work of its own. */
function coveredBy(nodes: readonly Node[], above: ReadonlyMap<Node, readonly Node[]>): Set<Node> {
  const covered = new Set<Node>();
  for (const node of nodes) {
    if (node.usage === null || node.kind === 'container') continue;
    for (const ancestor of above.get(node) ?? []) {
      if (ancestor.kind === 'container') {
        if (isWorkOfItsOwn(ancestor)) break;
      } else if (ancestor.usage !== null) covered.add(ancestor);
    }
  }
  return covered;
}

function isWorkOfItsOwn({ record: { name, attributes } }: Node): boolean {
  const says = [
    attributes['gen_ai.operation.name'],
    attributes['openinference.span.kind'],
    attributes['traceloop.span.kind'],
    attributes['ai.operationId'],
    name,
  ];
  return says.some(
    (word) => typeof word === 'string' && /^(?:execute_tool|tool|invoke_agent|agent|ai\.toolCall)/i.test(word),
  );
}

function ancestorsOf(node: Node, byKey: ReadonlyMap<string, Node>): Node[] {
  const found: Node[] = [];
  let next = node.parent === null ? undefined : byKey.get(node.parent);
  // Bounded: what was sent may be a circle.
  while (next !== undefined && found.length < ANCESTORS_MAX) {
    found.push(next);
    next = next.parent === null ? undefined : byKey.get(next.parent);
  }
  return found;
}

/** A span among all of an organization. */
export function spanKey({ traceId, spanId }: Pick<TelemetryRecord, 'traceId' | 'spanId'>): string {
  return `${traceId}:${spanId}`;
}

function parentKey({ traceId, parentSpanId }: TelemetryRecord): string | null {
  return parentSpanId === '' ? null : `${traceId}:${parentSpanId}`;
}
