/** Builds the usage event from a reading. */
import { type CallContext, contextFields } from './call-context.ts';
import { toDimensions, wellFormed } from './dimensions.ts';
import { randomUuid } from './random.ts';
import type { Reading } from './read-response.ts';

/** Body of `POST /v1/usage-events`. */
export interface UsageEvent {
  readonly idempotency_key: string;
  readonly model: string;
  readonly provider?: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly event_invoked_at: string;
  readonly user_id?: string;
  readonly session_id?: string;
  readonly session_type?: string;
  readonly agent_id?: string;
  readonly feature?: string;
  readonly workflow_id?: string;
  readonly span_id?: string;
  readonly parent_span_id?: string;
  readonly service_tier?: string;
  readonly speed?: string;
  readonly inference_geo?: string;
  readonly billed_tools?: Readonly<Record<string, number>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const TEXT_MAX = 255;
const USAGE_DEPTH_MAX = 6;
const USAGE_ITEMS_MAX = 64;
const USAGE_BYTES_MAX = 16 * 1024;
const USAGE_TEXT = /^[\w.:/ -]{1,64}$/;

/**
 * `startedMs`: time of the call. Token counts are the provider's own, since the service reads its usage object.
 * Missing counts of a response that ended early are estimated.
 */
export function toUsageEvent(
  reading: Reading,
  context: CallContext,
  startedMs: number,
  report: (error: Error) => void,
): UsageEvent {
  const usage = reading.usage === null ? null : boundedUsage(reading.usage);
  const provider = reading.provider;
  return {
    idempotency_key: reading.id === null ? randomUuid() : keyOf(provider ?? 'call', reading.id),
    model: wellFormed(reading.model ?? 'unknown').slice(0, TEXT_MAX),
    ...(provider === null ? {} : { provider: wellFormed(provider) }),
    input_tokens: countIn(reading.usage, INPUT) ?? reading.estimate?.input ?? 0,
    output_tokens: Math.max(countIn(reading.usage, OUTPUT) ?? 0, reading.estimate?.output ?? 0),
    event_invoked_at: new Date(startedMs).toISOString(),
    ...(reading.serviceTier === null ? {} : { service_tier: reading.serviceTier }),
    ...(Object.keys(reading.billedTools ?? {}).length === 0 ? {} : { billed_tools: reading.billedTools! }),
    ...contextFields(context),
    metadata: {
      ...toDimensions(context.dimensions, report),
      ...(usage === null ? {} : { [isGemini(usage) ? 'usageMetadata' : 'usage']: usage }),
      ...(reading.isWhole ? {} : { incomplete: true }),
    },
  };
}

/** Key of a response, the same however it is reported. */
function keyOf(provider: string, id: string): string {
  const key = wellFormed(`${provider}:${id}`);
  return key.length <= TEXT_MAX ? key : key.slice(0, TEXT_MAX);
}

type Path = readonly [string, ...string[]];
const INPUT: readonly Path[] = [
  ['prompt_tokens'],
  ['input_tokens'],
  ['promptTokenCount'],
  ['prompt_token_count'],
  ['inputTokens'],
  ['billed_units', 'input_tokens'],
];
const OUTPUT: readonly Path[] = [
  ['completion_tokens'],
  ['output_tokens'],
  ['candidatesTokenCount'],
  ['candidates_token_count'],
  ['outputTokens'],
  ['billed_units', 'output_tokens'],
];

function countIn(usage: Readonly<Record<string, unknown>> | null, paths: readonly Path[]): number | null {
  for (const path of paths) {
    let value: unknown = usage;
    for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  }
  return null;
}

function isGemini(usage: Readonly<Record<string, unknown>>): boolean {
  return 'promptTokenCount' in usage || 'totalTokenCount' in usage;
}

/** Keeps only counts, flags and short names, so that no prompt text can leak. */
function boundedUsage(usage: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const bounded = (boundedValue(usage, USAGE_DEPTH_MAX) ?? {}) as Record<string, unknown>;
  if (JSON.stringify(bounded).length <= USAGE_BYTES_MAX) return bounded;
  return Object.fromEntries(Object.entries(bounded).filter(([, value]) => !Array.isArray(value)));
}

function boundedValue(value: unknown, levels: number): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'string') return USAGE_TEXT.test(value) ? value : undefined;
  if (typeof value !== 'object' || levels === 0) return undefined;
  if (Array.isArray(value))
    return value.slice(0, USAGE_ITEMS_MAX).flatMap((one) => boundedValue(one, levels - 1) ?? []);
  const entries = Object.entries(value).slice(0, USAGE_ITEMS_MAX);
  return Object.fromEntries(
    entries.flatMap(([name, inner]): [string, unknown][] => {
      const kept = boundedValue(inner, levels - 1);
      return kept === undefined || !USAGE_TEXT.test(name) ? [] : [[name, kept]];
    }),
  );
}
