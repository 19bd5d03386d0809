/** Selects the spans of a request that are billed calls: only leaves, each call once (decision 41). */
import { callKind, type CallKind } from './call-kind.ts';
import { type CallUsage, callUsage, isUsed } from './call-usage.ts';
import { isTask } from './task-outcome.ts';

/** Reads a record with the first function, or describes it with the second if its content makes the first one fail. */
export type RecordReader = <Result>(read: () => Result, otherwise: (unreadable: object) => Result) => Result;
import type { TelemetryRecord } from './telemetry-record.ts';

/** Why a record is not an event; shown for its telemetry source. */
export type IgnoredReason =
  | 'not_a_call'
  | 'contains_calls'
  | 'calls_below'
  | 'counted_above'
  | 'usage_without_calls'
  | 'no_usage'
  | 'cache_hit'
  | 'unknown_without_parent_rule'
  | 'task'
  | 'failed';

export interface SelectedCall {
  readonly record: TelemetryRecord;
  readonly usage: CallUsage;
  /** Nearest first. Attributes missing from a call are looked up here. */
  readonly ancestors: readonly TelemetryRecord[];
}

export interface Selection {
  readonly calls: readonly SelectedCall[];
  readonly ignored: readonly { readonly record: TelemetryRecord; readonly reason: IgnoredReason }[];
  /** Spans that report a task. */
  readonly tasks: readonly Pick<SelectedCall, 'record' | 'ancestors'>[];
  /** Records whose content causes an exception; `item` is rejected with the reason. */
  readonly unreadable: readonly { readonly record: TelemetryRecord; readonly item: object }[];
  /** Marks of spans, to be stored for later requests. */
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
 * Marks of a span from earlier requests, by `spanKey`. A plain key: a stored call lies below the span, which repeats
 * its usage. `below`: calls with usage of their own lie below it. `counted`: an agent that was counted itself, so calls
 * below it that arrive later add nothing. `stored`: a stored call, which contains the usage of calls below it that arrive
 * later, except those of tools and agents.
 */
const below = (key: string) => `below:${key}`;
const counted = (key: string) => `counted:${key}`;
const stored = (key: string) => `stored:${key}`;

/** The marks that `selectCalls` needs. */
export function marksOf(records: readonly TelemetryRecord[]): string[] {
  return records.flatMap((record) => {
    const [key, parent] = [spanKey(record), parentKey(record)];
    return [key, below(key), ...(parent === null ? [] : [counted(parent), stored(parent)])];
  });
}

/**
 * A span of unknown kind with usage is a call unless a call lies below it, in this or an earlier request. An agent is
 * treated the same way: it is counted only if nothing else reports its work. `known` are the marks of earlier requests.
 */
export function selectCalls(
  records: readonly TelemetryRecord[],
  known: ReadonlySet<string>,
  readRecord: RecordReader,
): Selection {
  const unreadable: { record: TelemetryRecord; item: object }[] = [];
  const nodes = records.flatMap((record): Node[] =>
    readRecord<Node[]>(
      () => {
        const kind = callKind(record);
        const usage = callUsage(record, kind === 'call');
        return [{ record, kind, usage: usage && isUsed(usage) ? usage : null, parent: parentKey(record) }];
      },
      (item) => {
        unreadable.push({ record, item });
        return [];
      },
    ),
  );
  const byKey = new Map(nodes.map((node) => [spanKey(node.record), node]));
  const above = new Map(nodes.map((node) => [node, ancestorsOf(node, byKey)]));
  const covered = coveredBy(nodes, above, known);
  const calls: SelectedCall[] = [];
  const ignored: { record: TelemetryRecord; reason: IgnoredReason }[] = [];
  const tasks: Pick<SelectedCall, 'record' | 'ancestors'>[] = [];
  const marks = new Set<string>();
  for (const node of nodes) {
    const { record, usage } = node;
    const ancestors = above.get(node) ?? [];
    const reason = reasonAgainst(node, ancestors, covered, known);
    if (isTask(record)) tasks.push({ record, ancestors: ancestors.map((one) => one.record) });
    if (reason === null && usage !== null) {
      calls.push({ record, usage, ancestors: ancestors.map((one) => one.record) });
      marks.add((isAgent(node) ? counted : stored)(spanKey(record)));
      markAncestors(marks, [node, ...ancestors], isAgent(node));
    } else {
      // Continues the chain from a stored call upwards through spans that are not calls.
      const [isRepeated, isAbove] = [known.has(spanKey(record)), known.has(below(spanKey(record)))];
      if (isRepeated || isAbove) markAncestors(marks, [node, ...ancestors], !isRepeated || isWorkOfItsOwn(node));
      ignored.push({ record, reason: isTask(record) ? 'task' : (reason ?? 'no_usage') });
    }
  }
  return { calls, ignored, tasks, unreadable, marks: [...marks] };
}

/** `isApart`: true if a tool or an agent lies in between, so the spans above do not repeat the call's usage. */
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
  return isCounted || isPartOfStored(node, ancestors, known) ? 'counted_above' : null;
}

/** True if a call above, with no tool or agent in between, was stored by an earlier request. */
function isPartOfStored(node: Node, ancestors: readonly Node[], known: ReadonlySet<string>): boolean {
  for (const one of [node, ...ancestors]) {
    if (one.kind === 'container' && isWorkOfItsOwn(one)) return false;
    if (one.parent !== null && known.has(stored(one.parent))) return true;
  }
  return false;
}

interface Covered {
  /**
   * Calls that repeat the usage of a call below them, with no tool or agent in between. A call made by a tool or an
   * agent is separate work.
   */
  readonly calls: ReadonlySet<Node>;
  /** Containers with a call below them. */
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
  // Limited, because the sent spans may form a cycle.
  while (next !== undefined && found.length < ANCESTORS_MAX) {
    found.push(next);
    next = next.parent === null ? undefined : byKey.get(next.parent);
  }
  return found;
}

/** Identifies a span within an organization. */
function spanKey({ traceId, spanId }: Pick<TelemetryRecord, 'traceId' | 'spanId'>): string {
  return `${traceId}:${spanId}`;
}

function parentKey({ traceId, parentSpanId }: TelemetryRecord): string | null {
  return parentSpanId === '' ? null : `${traceId}:${parentSpanId}`;
}
