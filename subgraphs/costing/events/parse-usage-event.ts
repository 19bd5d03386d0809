/** Parses one JSON item of an ingestion request into a usage event, or an error message. */
import { fail, KnownError } from '#kernel/errors.ts';
import {
  byTokens,
  COUNTED_CLASSES,
  type CountedClass,
  isRequired,
  type TokenCounts,
  tokensOf,
  wireName,
} from '#schema/token-classes.ts';
import { printExactJson } from '#kernel/json/exact-json.ts';
import {
  isFields,
  optionalAmount,
  optionalCount,
  optionalText,
  requiredCount,
  requiredText,
  requiredTime,
} from '#kernel/json/json-field.ts';
import type { Fields } from '#kernel/json/json-object.ts';
import { EVENT_DEPTH_MAX, unreadableReason } from '#schema/unreadable-event.ts';
import { checkMetadata } from './check-metadata.ts';
import { amountInMetadata, countInMetadata, textInMetadata } from './metadata-attribution.ts';
import { providerUsageOf } from '#usage/counts/provider-usage.ts';
import { otherFields, unknownFields } from './unknown-fields.ts';

export type ParsedUsageEvent =
  | { readonly ok: true; readonly event: UsageEventDraft }
  | { readonly ok: false; readonly message: string };

/**
 * Takes a value from `parseExactJson`; never throws because of a caller's data. The message names each invalid field
 * and what it must be. Unknown fields are listed and not stored (contract.md, "Usage event as sent"; decision 9, D3 to
 * D5).
 */
export function parseUsageEvent(item: unknown): ParsedUsageEvent {
  if (!isFields(item)) return { ok: false, message: 'A usage event must be a JSON object' };
  try {
    return { ok: true, event: readEvent(item) };
  } catch (error) {
    if (error instanceof KnownError) return { ok: false, message: describeErrors(item, error.message) };
    throw error;
  }
}

function readEvent(item: Fields): UsageEventDraft {
  const reason = unreadableReason(item);
  if (reason !== null) fail('VALIDATION_ERROR', reason);
  for (const name of Object.keys(item)) {
    if (name !== 'metadata' && isDeeperThan(item[name], EVENT_DEPTH_MAX)) {
      fail('VALIDATION_ERROR', `A usage event must not be nested deeper than ${EVENT_DEPTH_MAX} levels`);
    }
  }
  const idempotencyKey = requiredText(item, 'idempotency_key');
  const model = requiredText(item, 'model');
  const counts: Record<string, number | null> = { ...NO_COUNTS };
  for (const { property, field } of REQUIRED_COUNTS) counts[property] = requiredCount(item, field);
  const time = requiredTime(item, 'event_invoked_at');
  const experiment = readExperiment(item['experiment']);
  const { metadata, metadataJson } = checkMetadata(item['metadata']);
  const others = otherFields(item);
  const providerUsage = providerUsageOf(item, others);
  return {
    idempotencyKey,
    model,
    provider: optionalText(item, 'provider'),
    endUserExternalId: optionalText(item, 'user_id'),
    eventTime: time.iso,
    eventTimeMs: time.epochMs,
    costOverride: optionalAmount(item, 'cost_override'),
    experimentId: experiment && requiredText(experiment, 'experiment_id', 'experiment.experiment_id'),
    variant: experiment && requiredText(experiment, 'variant', 'experiment.variant'),
    sessionId: optionalText(item, 'session_id'),
    sessionType: optionalText(item, 'session_type'),
    spanId: optionalText(item, 'span_id'),
    parentSpanId: optionalText(item, 'parent_span_id'),
    feature: optionalText(item, 'feature') ?? textInMetadata(metadata, 'feature'),
    agentId: optionalText(item, 'agent_id') ?? textInMetadata(metadata, 'agent_id'),
    workflowId: optionalText(item, 'workflow_id') ?? textInMetadata(metadata, 'workflow_id'),
    units: optionalAmount(item, 'units') ?? amountInMetadata(metadata, 'units'),
    ...readOtherClasses(item, metadata, counts),
    metadata,
    metadataJson,
    providerUsageJson: providerUsage === null ? null : printExactJson(providerUsage),
    unknownFields: unknownFields(item, others),
  };
}

const ERRORS_MAX = 10;

/** The first error, and the errors of all other fields. The others are only computed if there is an error. */
function describeErrors(item: Fields, first: string): string {
  if (unreadableReason(item) !== null) return first;
  const errors = new Set([first]);
  const look = (read: () => unknown) => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof KnownError)) throw error;
      errors.add(error.message);
    }
  };
  for (const name of ['idempotency_key', 'model']) look(() => requiredText(item, name));
  for (const { field } of REQUIRED_COUNTS) look(() => requiredCount(item, field));
  look(() => requiredTime(item, 'event_invoked_at'));
  look(() => {
    const experiment = readExperiment(item['experiment']);
    if (experiment === null) return;
    for (const name of ['experiment_id', 'variant']) look(() => requiredText(experiment, name, `experiment.${name}`));
  });
  look(() => checkMetadata(item['metadata']));
  for (const name of OPTIONAL_TEXTS) look(() => optionalText(item, name));
  for (const name of ['cost_override', 'units']) look(() => optionalAmount(item, name));
  for (const { field } of OTHER_COUNTS) look(() => optionalCount(item, field));
  return [...errors].slice(0, ERRORS_MAX).join('; ');
}

const OPTIONAL_TEXTS: readonly string[] = [
  'provider',
  'user_id',
  'session_id',
  'session_type',
  'span_id',
  'parent_span_id',
  'feature',
  'agent_id',
  'workflow_id',
];

/** Writes into `counts`. The top level takes precedence over metadata (decision 9, D5). */
function readOtherClasses(item: Fields, metadata: Fields | null, counts: Record<string, number | null>): TokenCounts {
  for (const { property, field } of OTHER_COUNTS)
    counts[property] = optionalCount(item, field) ?? countInMetadata(metadata, field);
  return counts as unknown as TokenCounts;
}

const countOf = (name: CountedClass) => ({ property: tokensOf(name), field: wireName(tokensOf(name)) });
const REQUIRED_COUNTS = COUNTED_CLASSES.filter(isRequired).map(countOf);
const OTHER_COUNTS = COUNTED_CLASSES.filter((name) => !isRequired(name)).map(countOf);
/** Copied for each event: copies of one object share its hidden class, which makes reading counts fast. */
const NO_COUNTS: Readonly<Record<string, number | null>> = byTokens(() => null);

function readExperiment(value: unknown): Fields | null {
  if (value === undefined || value === null) return null;
  return isFields(value)
    ? value
    : fail('VALIDATION_ERROR', 'experiment must be an object with experiment_id and variant');
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/** A usage event of valid form, before checks for duplicates, credits and prices. */
export interface UsageEventDraft extends TokenCounts {
  readonly idempotencyKey: string;
  readonly model: string;
  readonly provider: string | null;
  /** The caller's `user_id`, exactly as sent (decision 9, D51). */
  readonly endUserExternalId: string | null;
  /** `event_invoked_at` in UTC, ISO 8601 with three or six fraction digits; further digits are truncated. */
  readonly eventTime: string;
  readonly eventTimeMs: number;
  /** USD, plain decimal notation, exact. */
  readonly costOverride: string | null;
  readonly experimentId: string | null;
  readonly variant: string | null;
  readonly sessionId: string | null;
  readonly sessionType: string | null;
  readonly spanId: string | null;
  readonly parentSpanId: string | null;
  readonly feature: string | null;
  readonly agentId: string | null;
  readonly workflowId: string | null;
  /** Quantity for models priced per unit, plain decimal notation, exact. */
  readonly units: string | null;
  /** As sent; numbers that a double cannot represent are raw (`kernel/json/exact-json.ts`). */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The metadata as compact JSON with exact numbers, as stored. */
  readonly metadataJson: string | null;
  /** The parts of a provider's usage object at the item's top level, as compact JSON, as stored. */
  readonly providerUsageJson: string | null;
  /** Unknown fields of the item: listed in its result, and not stored. */
  readonly unknownFields: readonly string[];
}
