/** A call that was reported by a span or a log record, as the event that a sender of `/v1` would send. */
import { canonicalProvider, UNKNOWN_PROVIDER } from '../rates/matching/canonical-provider.ts';
import { type AttributeMapping, mappedText } from './attribute-mapping.ts';
import { callTools } from './call-tools.ts';
import { usageAttributes } from './call-usage.ts';
import { regionOfHost } from './region-of-host.ts';
import { readReportedCost } from './reported-cost.ts';
import { scopeReading } from './scope-readings.ts';
import type { SelectedCall } from './select-calls.ts';
import { firstText, type TelemetryRecord } from './telemetry-record.ts';

const MODEL: readonly string[] = [
  'gen_ai.response.model',
  'ai.response.model',
  'llm.response.model',
  'llm.response.model_name',
  'gen_ai.request.model',
  'llm.model_name',
  'embedding.model_name',
  'reranker.model_name',
  'ai.model.id',
  'llm.request.model',
  'model',
];
const PROVIDER: readonly string[] = [
  'gen_ai.provider.name',
  'gen_ai.system',
  'llm.provider',
  'llm.system',
  'ai.model.provider',
  'llm.vendor',
];
const RESPONSE_ID: readonly string[] = ['gen_ai.response.id', 'ai.response.id', 'llm.response.id'];
const REPORTED_COST: readonly string[] = [
  'gen_ai.usage.cost',
  'gen_ai.usage.total_cost',
  'gen_ai.cost.total',
  'llm.cost.total',
  'operation.cost',
  'cost_usd',
];
const SERVICE_TIER: readonly string[] = [
  'openai.response.service_tier',
  'gen_ai.openai.response.service_tier',
  'gen_ai.response.service_tier',
  'service_tier',
];

function responseId({ attributes }: TelemetryRecord): string | null {
  return firstText(attributes, RESPONSE_ID);
}

/** The provider as it was named; the AI SDK names the API behind a point. */
function providerOf({ attributes }: TelemetryRecord): string | null {
  const name = firstText(attributes, PROVIDER);
  if (name === null) return null;
  return attributes['ai.model.provider'] === name ||
    /^[a-z-]+\.(?:chat|responses|messages|completion|embedding)$/.test(name)
    ? (name.split('.', 1)[0] ?? name)
    : name;
}

/** `{provider}:{response id}`: through whichever door a call comes, it is one event. */
export function responseKey(provider: string | null, id: string): string {
  const slug = canonicalProvider(provider);
  return `${slug === UNKNOWN_PROVIDER ? (provider ?? slug).toLowerCase() : slug}:${id}`;
}

/** `provider` and `model` where the record does not say them in its own words. */
export interface CallFacts {
  readonly provider?: string;
  readonly key?: string;
  readonly convention?: 'inclusive' | 'exclusive';
  /** Fields of the event. */
  readonly event?: Readonly<Record<string, unknown>>;
  /** What else the event's metadata holds. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** An item as `parseUsageEvent` takes it; what is missing, it names. */
export function callEvent(
  call: SelectedCall,
  mapping: AttributeMapping,
  facts: CallFacts = {},
): Readonly<Record<string, unknown>> {
  const { record, usage } = call;
  const provider = providerOf(record) ?? facts.provider ?? null;
  const id = responseId(record);
  const { scope } = record;
  const cost = readReportedCost(firstText(record.attributes, REPORTED_COST), mapping.bookedCosts.includes(scope.name));
  const dimensions = mapping.dimensions.flatMap(({ dimension, attributes }): [string, string][] => {
    const value = mappedText(call, attributes);
    return value === null ? [] : [[dimension, value]];
  });
  return {
    idempotency_key: id !== null ? responseKey(provider, id) : (facts.key ?? `otlp:${record.traceId}:${record.spanId}`),
    model: firstText(record.attributes, MODEL),
    provider,
    input_tokens: usage.input,
    output_tokens: usage.output,
    ...counts(call, facts),
    event_invoked_at: record.startMs > 0 ? new Date(record.startMs).toISOString() : null,
    user_id: mappedText(call, mapping.endUser),
    agent_id: mappedText(call, mapping.agent),
    session_id: mappedText(call, mapping.session),
    span_id: record.spanId || null,
    parent_span_id: record.parentSpanId || null,
    service_tier: firstText(record.attributes, SERVICE_TIER) ?? undefined,
    serving_region: regionOfHost(firstText(record.attributes, ['server.address'])) ?? undefined,
    billed_tools: callTools(record.attributes),
    ...facts.event,
    ...cost.event,
    metadata: {
      ...Object.fromEntries(dimensions),
      ...cost.metadata,
      ...facts.more,
      telemetry: {
        scope: scope.name,
        ...(scope.version === '' ? {} : { version: scope.version }),
        ...(record.traceId === '' ? {} : { trace_id: record.traceId }),
        usage: usageAttributes(record.attributes),
      },
    },
  };
}

/** The provider's own object; else flat names whose meaning is known; else the documented names, which are read as a guess. */
function counts({ record, usage }: SelectedCall, facts: CallFacts): Readonly<Record<string, unknown>> {
  if (usage.raw !== null) return { usage: usage.raw };
  const { cacheRead, cacheWrite, cacheWrite1h, reasoning, total } = usage;
  const reading = facts.convention ?? scopeReading(record);
  const documented = {
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    reasoning_tokens: reasoning,
  };
  if (reading === null) return { ...documented, ...(total === null ? {} : { total_tokens: total }) };
  const convention = reading === 'provider' ? ofProvider(providerOf(record) ?? facts.provider ?? null) : reading;
  return {
    ...documented,
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
    ...(cacheRead === null ? {} : { 'gen_ai.usage.cache_read.input_tokens': cacheRead }),
    ...(cacheWrite === null ? {} : { 'gen_ai.usage.cache_creation.input_tokens': cacheWrite }),
    ...(reasoning === null ? {} : { 'gen_ai.usage.reasoning.output_tokens': reasoning }),
    ...(cacheWrite1h === null ? {} : { cache_creation_1h_input_tokens: cacheWrite1h }),
    ...(usage.inputAudio === null ? {} : { 'llm.token_count.prompt_details.audio': usage.inputAudio }),
    ...(usage.outputAudio === null ? {} : { 'llm.token_count.completion_details.audio': usage.outputAudio }),
    ...(convention === 'exclusive' ? { 'gen_ai.usage.convention': 'exclusive' } : {}),
    // Where cached tokens come on top, a library's total leaves them out.
    ...(total === null || convention === 'exclusive' ? {} : { 'gen_ai.usage.total_tokens': total }),
  };
}

function ofProvider(provider: string | null): 'inclusive' | 'exclusive' {
  return ['anthropic', 'aws'].includes(canonicalProvider(provider) ?? '') ? 'exclusive' : 'inclusive';
}
