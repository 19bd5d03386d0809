/**
 * Processes the repeats of stored events in the order of the request. Each is compared with the event as changed by
 * earlier repeats.
 */
import type { EventId } from '#kernel/ids.ts';
import { parseExactJson } from '#kernel/json/exact-json.ts';
import { byTokens, tokensOf } from '#schema/token-classes.ts';
import { type Fields, isObject } from '#kernel/json/json-object.ts';
import { isIncomplete } from '#usage/counts/incomplete.ts';
import type { UsageEventDraft } from '../events/parse-usage-event.ts';
import { otherModelsOf } from '#usage/counts/iterations.ts';
import { usageSources } from '#usage/counts/usage-sources.ts';
import { valueAt } from '#usage/counts/value-at.ts';
import { CONTEXT_FIELDS } from '../pricing/pricing-context.ts';
import { PRICED_METADATA_KEYS } from '#usage/counts/read-units.ts';
import type { Revision } from '../repricing/revise-counts.step.ts';
import type { RepeatOutcome } from './repeat-outcome.ts';
import { compareReports, type Report } from './compare-reports.ts';
import { describeConflict, describeCounts } from './describe-report.ts';
import { differingFields } from './differing-fields.ts';
import type { StoredReport } from './stored-report.query.ts';

/**
 * `call`: the key is a response's id, and a larger report of the same call replaces the counts. `first`: the first
 * event is kept (decision 9, D9).
 */
export type RepeatRule = 'call' | 'first';

export interface Repeat {
  readonly eventId: EventId;
  readonly draft: UsageEventDraft;
}

export interface JudgedRepeats {
  /** One for each repeat, in order. */
  readonly outcomes: readonly RepeatOutcome[];
  /** Events whose counts are replaced, before and after. */
  readonly revisions: readonly Revision[];
}

interface RateFacts {
  /** True if one rate card prices both. */
  readonly isSameCard: (stored: Report, later: Report) => boolean;
  /** Unit names that the event's card defines itself. */
  readonly unitNamesOf: (stored: Report) => readonly string[];
}

/**
 * `storedById` contains the stored events of all repeats; `receivedAtMs` is used as the time of repeats that do not
 * state one.
 */
export function judgeRepeats(
  repeats: readonly Repeat[],
  storedById: ReadonlyMap<string, StoredReport>,
  {
    rule,
    receivedAtMs,
    rates,
  }: { readonly rule: RepeatRule; readonly receivedAtMs: number; readonly rates: RateFacts },
): JudgedRepeats {
  const current = new Map(storedById);
  const outcomes = repeats.map(({ eventId, draft }): RepeatOutcome => {
    const stored = current.get(eventId);
    if (stored === undefined) return SAME;
    const later = reportOf(draft, receivedAtMs);
    const outcome = rule === 'call' ? judgeCall(stored, later, rates) : judgeFirst(stored, draft, later);
    if (outcome.kind === 'replaced') current.set(eventId, reviseEvent(stored, later, rates.unitNamesOf(stored)));
    return outcome;
  });
  const revisions = [...storedById].flatMap(([id, stored]) => {
    const revised = current.get(id);
    return revised === undefined || revised === stored
      ? []
      : [{ stored, revised, report: describeRevision(stored, revised) }];
  });
  return { outcomes, revisions };
}

const SAME: RepeatOutcome = { kind: 'same' };

function describeRevision(stored: Report, revised: Report): string {
  const [before, after] = describeCounts(stored, revised);
  return `a later report of the call replaced ${before} with ${after}`;
}

function judgeCall(stored: StoredReport, later: Report, { isSameCard }: RateFacts): RepeatOutcome {
  const verdict = compareReports(stored, later, () => isSameCard(stored, later));
  if (verdict === 'same') return SAME;
  if (verdict === 'conflict') return { kind: 'conflict', message: describeConflict(stored, later) };
  const [before, after] = describeCounts(stored, later);
  return { kind: 'replaced', message: `This report replaced an earlier one of the call: ${before} became ${after}` };
}

function judgeFirst(stored: StoredReport, draft: UsageEventDraft, later: Report): RepeatOutcome {
  const isEstimate = isIncomplete(later.metadata);
  if (isIncomplete(stored.metadata) && !isEstimate) return { kind: 'replaced', message: COMPLETED };
  // The estimate was resent after its counts were completed.
  if (isEstimate && stored.revisedAt) return SAME;
  const fields = differingFields(stored, draft, later);
  return fields.length === 0 ? SAME : { kind: 'differs', fields };
}

const COMPLETED = 'Received before under this idempotency_key as incomplete; this event completed its counts';

function reportOf(draft: UsageEventDraft, receivedAtMs: number): Report {
  const { provider, model, eventTimeMs, costOverride, units } = draft;
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens, reasoningTokens } = draft;
  return {
    ...{ provider, model, eventTimeMs, costOverride, units, receivedAtMs },
    ...{ inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens, reasoningTokens },
    metadata: fieldsOf(draft.metadataJson),
    providerUsage: fieldsOf(draft.providerUsageJson),
  };
}

/** Parses JSON in the same way as the JSON of stored events. */
function fieldsOf(json: string | null): Fields | null {
  return json === null ? null : (parseExactJson(json) as Fields);
}

/**
 * The stored event with the counts of a later report. The end user, time and model of the first report are kept;
 * metadata that the price depends on is the later report's. `unitNames`: unit names that the event's rate card defines
 * itself.
 */
function reviseEvent(stored: StoredReport, later: Report, unitNames: readonly string[]): StoredReport {
  const { otherModels: _, ...kept } = stored;
  const revised = {
    ...kept,
    ...byTokens<number, number | null>((name) => later[tokensOf(name)]),
    units: later.units,
    costOverride: later.costOverride,
    providerUsage: withServed(stored.providerUsage, later.providerUsage),
    metadata: reviseMetadata(stored.metadata, later.metadata, new Set([...PRICED_METADATA_KEYS, ...unitNames])),
  };
  const otherModels = otherModelsOf(revised);
  return otherModels === undefined ? revised : { ...revised, otherModels };
}

/**
 * Copies to a later report what only the stored one has: how the call was served, and which tools the provider ran. A
 * span may name the region, and a response the tools.
 */
function withServed(stored: Fields | null, later: Fields | null): Fields | null {
  const kept = SERVED.flatMap((name): [string, unknown][] => {
    const value = valueOf(stored, name);
    return value === undefined || !isEmpty(valueOf(later, name)) ? [] : [[name, value]];
  });
  return kept.length === 0 ? later : { ...later, ...Object.fromEntries(kept) };
}

const SERVED = [...CONTEXT_FIELDS, 'billed_tools'];

/** The field at the top level or in the usage object. */
function valueOf(usage: Fields | null, name: string): unknown {
  return usageSources(usage, null)
    .map(({ fields }) => valueAt(fields, [name]))
    .find((value) => value !== undefined);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0);
}

function reviseMetadata(stored: Fields | null, later: Fields | null, priced: ReadonlySet<string>): Fields | null {
  const kept = Object.entries(stored ?? {}).filter(([key]) => !priced.has(key));
  const taken = Object.entries(later ?? {}).filter(([key]) => priced.has(key));
  return stored === null && taken.length === 0 ? null : Object.fromEntries([...kept, ...taken]);
}
