/** Which spans of a request are calls that cost something: leaves alone, each call once (decision 41). */
import { callKind, type CallKind } from './call-kind.ts';
import { type CallUsage, callUsage, isUsed } from './call-usage.ts';
import type { TelemetryRecord } from './telemetry-record.ts';

/** Why a record is no event; `sources` shows it. */
export type IgnoredReason =
  | 'not_a_call'
  | 'contains_calls'
  | 'calls_below'
  | 'counted_above'
  | 'usage_without_calls'
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
  /** Marks to keep for later requests. */
  readonly marks: readonly string[];
}

interface Node {
  readonly record: TelemetryRecord;
  readonly kind: CallKind;
  readonly usage: CallUsage | null;
  readonly parent: string | null;
}

const ANCESTORS_MAX = 64;

/**
 * What earlier requests tell of a span, by `spanKey`. A plain key: a stored call lies below it, whose usage it repeats. `below`: calls lie
 * below it that are work of their own. `counted`: an agent that was counted itself, so that what arrives below it adds nothing.
 */
const below = (key: string) => `below:${key}`;
const counted = (key: string) => `counted:${key}`;

/** The marks that `selectCalls` asks for. */
export function marksOf(records: readonly TelemetryRecord[]): string[] {
  return records.flatMap((record) => {
    const [key, parent] = [spanKey(record), parentKey(record)];
    return [key, below(key), ...(parent === null ? [] : [counted(parent)])];
  });
}

/**
 * A span of unknown kind with usage is a call unless one lies below it, here or there; so is an agent, which is counted if it alone
 * reports its work. `known` are the marks of earlier requests.
 */
export function selectCalls(records: readonly TelemetryRecord[], known: ReadonlySet<string>): Selection {
  const nodes = records.map((record): Node => {
    const usage = callUsage(record);
    return { record, kind: callKind(record), usage: usage && isUsed(usage) ? usage : null, parent: parentKey(record) };
  });
  const byKey = new Map(nodes.map((node) => [spanKey(node.record), node]));
  const above = new Map(nodes.map((node) => [node, ancestorsOf(node, byKey)]));
  const covered = coveredBy(nodes, above, known);
  const calls: SelectedCall[] = [];
  const ignored: { record: TelemetryRecord; reason: IgnoredReason }[] = [];
  const marks = new Set<string>();
  for (const node of nodes) {
    const { record, usage } = node;
    const ancestors = above.get(node) ?? [];
    const reason = reasonAgainst(node, ancestors, covered, known);
    if (reason === null && usage !== null) {
      calls.push({ record, usage, ancestors: ancestors.map((one) => one.record) });
      if (isAgent(node)) marks.add(counted(spanKey(record)));
      markAncestors(marks, [node, ...ancestors], isAgent(node));
    } else {
      // The chain from a stored call goes on upwards through what is no call itself.
      const [isRepeated, isAbove] = [known.has(spanKey(record)), known.has(below(spanKey(record)))];
      if (isRepeated || isAbove) markAncestors(marks, [node, ...ancestors], !isRepeated || isWorkOfItsOwn(node));
      ignored.push({ record, reason: reason ?? 'no_usage' });
    }
  }
  return { calls, ignored, marks: [...marks] };
}

/** `isApart`: whether what lies above repeats nothing of the call, since a tool or an agent lies between. */
function markAncestors(marks: Set<string>, chain: readonly Node[], isApart: boolean): void {
  let isBeyond = isApart;
  for (const [index, node] of chain.entries()) {
    isBeyond ||= index > 0 && node.kind === 'container' && isWorkOfItsOwn(node);
    if (node.parent !== null) marks.add(isBeyond ? below(node.parent) : node.parent);
  }
}

function reasonAgainst(
  node: Node,
  ancestors: readonly Node[],
  covered: Covered,
  known: ReadonlySet<string>,
): IgnoredReason | null {
  const { kind, usage, record } = node;
  if (kind === 'container') {
    if (usage === null || covered.containers.has(node)) return 'contains_calls';
    return isAgent(node) ? null : 'usage_without_calls';
  }
  if (usage === null) return kind === 'call' ? 'no_usage' : 'not_a_call';
  if (covered.calls.has(node) || known.has(spanKey(record))) return 'calls_below';
  const isCounted = [node, ...ancestors].some(({ parent }) => parent !== null && known.has(counted(parent)));
  return isCounted ? 'counted_above' : null;
}

interface Covered {
  /** Calls whose usage repeats that of a call below them: no tool and no agent lies between, for what those call is work of its own. */
  readonly calls: ReadonlySet<Node>;
  /** Containers below which a call lies. */
  readonly containers: ReadonlySet<Node>;
}

function coveredBy(
  nodes: readonly Node[],
  above: ReadonlyMap<Node, readonly Node[]>,
  known: ReadonlySet<string>,
): Covered {
  const [calls, containers] = [new Set<Node>(), new Set<Node>()];
  for (const node of nodes) {
    const ancestors = above.get(node) ?? [];
    const hasCallsBelow = known.has(spanKey(node.record)) || known.has(below(spanKey(node.record)));
    if (hasCallsBelow && node.kind === 'container') containers.add(node);
    if (hasCallsBelow || (node.usage !== null && (node.kind !== 'container' || isAgent(node))))
      for (const ancestor of ancestors) if (ancestor.kind === 'container') containers.add(ancestor);
    if (node.kind === 'container' ? !known.has(spanKey(node.record)) || isWorkOfItsOwn(node) : node.usage === null)
      continue;
    for (const ancestor of ancestors) {
      if (ancestor.kind === 'container') {
        if (isWorkOfItsOwn(ancestor)) break;
      } else if (ancestor.usage !== null) calls.add(ancestor);
    }
  }
  return { calls, containers };
}

/** An agent that may be hosted elsewhere, so that its span is the only report of its work. */
function isAgent({ kind, record: { attributes } }: Node): boolean {
  const operation = attributes['gen_ai.operation.name'];
  return kind === 'container' && (operation === 'invoke_agent' || operation === 'invoke_workflow');
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
function spanKey({ traceId, spanId }: Pick<TelemetryRecord, 'traceId' | 'spanId'>): string {
  return `${traceId}:${spanId}`;
}

function parentKey({ traceId, parentSpanId }: TelemetryRecord): string | null {
  return parentSpanId === '' ? null : `${traceId}:${parentSpanId}`;
}
