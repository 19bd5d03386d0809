/** Lists the fields in which a repeat differs from the stored event, by their contract names (decision 9, D66). */
import { isDeepStrictEqual } from 'node:util';
import { money } from '#kernel/money.ts';
import { COUNTED_CLASSES, tokensOf, wireName } from '#schema/token-classes.ts';
import type { UsageEventDraft } from '../events/parse-usage-event.ts';
import type { Report } from './compare-reports.ts';
import type { StoredReport } from './stored-report.query.ts';

const TEXTS = {
  model: 'model',
  provider: 'provider',
  endUserExternalId: 'user_id',
  experimentId: 'experiment.experiment_id',
  variant: 'experiment.variant',
  sessionId: 'session_id',
  sessionType: 'session_type',
  spanId: 'span_id',
  parentSpanId: 'parent_span_id',
  feature: 'feature',
  agentId: 'agent_id',
  workflowId: 'workflow_id',
} as const;
const TAKEN_OUT: ReadonlySet<string> = new Set(['endUserExternalId', 'sessionId', 'spanId', 'parentSpanId']);

/** Data that an erasure or the metadata retention removed from the stored event is not compared. */
export function differingFields(stored: StoredReport, draft: UsageEventDraft, later: Report): string[] {
  const isReduced = Boolean(stored.reducedAt);
  const names = Object.entries(TEXTS)
    .filter(([property]) => !(isReduced && TAKEN_OUT.has(property)))
    .filter(([property]) => stored[property as keyof typeof TEXTS] !== draft[property as keyof typeof TEXTS])
    .map(([, name]): string => name);
  for (const name of COUNTED_CLASSES)
    if (stored[tokensOf(name)] !== draft[tokensOf(name)]) names.push(wireName(tokensOf(name)));
  if (micros(stored.eventTime) !== micros(draft.eventTime)) names.push('event_invoked_at');
  for (const [property, name] of [
    ['costOverride', 'cost_override'],
    ['units', 'units'],
  ] as const)
    if (isOtherAmount(stored[property], draft[property])) names.push(name);
  if (!isReduced && !isDeepStrictEqual(stored.metadata, later.metadata)) names.push('metadata');
  const usage = { ...stored.providerUsage, ...later.providerUsage };
  for (const key of Object.keys(usage))
    if (!isDeepStrictEqual(stored.providerUsage?.[key], later.providerUsage?.[key])) names.push(key);
  return names;
}

/** ISO 8601 with three or six fraction digits. */
function micros(time: string): string {
  return time.replace(/\.(\d{3})Z$/, '.$1000Z');
}

function isOtherAmount(one: string | null, other: string | null): boolean {
  return one === null || other === null ? one !== other : !money(one).eq(money(other));
}
