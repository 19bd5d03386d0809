/** Converts a call reported by a span or a log record to an event as sent to `/v1`. */
import { NO_INPUT, ONLY_TOTAL, UNREAD_COUNTS } from '../counts/unread-counts.ts';
import { canonicalProvider, UNKNOWN_PROVIDER } from '../names/canonical-provider.ts';
import { type AttributeMapping, mappedText } from './attribute-mapping.ts';
import { costOfMetadata, tierOfMetadata } from './ai-sdk-metadata.ts';
import { callTools } from './call-tools.ts';
import { PROVIDER_METADATA, usageAttributes } from './call-usage.ts';
import { audioCounts, namedCounts } from './named-counts.ts';
import { regionOfHost } from '../names/region-of-host.ts';
import { readReportedCost, totalOfCosts } from '../counts/reported-cost.ts';
import { namesCacheWithin, scopeReading } from './scope-readings.ts';
import { isOpenRouterId, ownerOf, sellerOfCall } from '../names/seller-of-response.ts';
import type { SelectedCall } from './select-calls.ts';
import { firstText, parsedText, type TelemetryRecord } from './telemetry-record.ts';

const MODEL: readonly string[] = [
  'gen_ai.response.model',
  'ai.response.model',
  'llm.response.model',
  'llm.response.model_name',
  'langfuse.observation.model.name',
  'gen_ai.request.model',
  'llm.model_name',
  'embedding.model_name',
  'reranker.model_name',
  'ai.model.id',
  'ai.model_id',
  'llm.request.model',
  'llm.model',
  'mlflow.llm.model',
  'model',
];
const PROVIDER: readonly string[] = [
  'gen_ai.provider.name',
  'gen_ai.system',
  'llm.provider',
  'llm.system',
  'ai.model.provider',
  'llm.vendor',
  'mlflow.llm.provider',
  // LangChain's metadata, as Langfuse passes it on.
  'langfuse.observation.metadata.ls_provider',
];
export const TASK_ID: readonly string[] = ['gen_ai.task.id'];
const RESPONSE_ID: readonly string[] = ['gen_ai.response.id', 'ai.response.id', 'llm.response.id'];
const HOST: readonly string[] = ['server.address', 'gen_ai.openai.api_base', 'llm.openai.api_base'];
const REPORTED_COST: readonly string[] = [
  'gen_ai.usage.cost',
  'gen_ai.usage.total_cost',
  'gen_ai.cost.total',
  'gen_ai.cost.total_cost',
  'litellm.cost.total',
  'llm.usage.total_cost',
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

const REQUESTED_TIER: readonly string[] = [
  'openai.request.service_tier',
  'gen_ai.openai.request.service_tier',
  'gen_ai.request.service_tier',
];

/** Attributes with the costs of input and output: some libraries do not state the total. */
const REPORTED_PARTS: readonly (readonly string[])[] = [
  ['llm.cost.prompt', 'llm.cost.completion'],
  ['gen_ai.cost.input_cost', 'gen_ai.cost.output_cost'],
  ['gen_ai.usage.input_cost', 'gen_ai.usage.output_cost'],
];

/** Null: not stated. USD as written. */
function statedCost({ attributes }: TelemetryRecord): string | null {
  const parts = REPORTED_PARTS.map((names) => names.map((name) => firstText(attributes, [name])));
  const ofParts = parts.find((costs) => costs.every((cost) => cost !== null));
  return (
    firstText(attributes, REPORTED_COST) ??
    (ofParts === undefined ? null : totalOfCosts(Object.fromEntries(ofParts.entries()))) ??
    totalOfCosts(parsedText(attributes, 'langfuse.observation.cost_details')) ??
    costOfMetadata(parsedText(attributes, PROVIDER_METADATA))
  );
}

/** The tier of the response takes precedence over the requested one; a requested `auto` is ignored. */
function serviceTier({ attributes }: TelemetryRecord): string | undefined {
  const asked = [
    firstText(attributes, REQUESTED_TIER),
    parsedText(attributes, 'langfuse.observation.model.parameters')['service_tier'],
  ].find((tier) => typeof tier === 'string' && tier !== 'auto');
  return (
    firstText(attributes, SERVICE_TIER) ??
    tierOfMetadata(parsedText(attributes, PROVIDER_METADATA)) ??
    (typeof asked === 'string' ? asked : undefined)
  );
}

/** The host name, or that in the address of the API. */
function hostOf({ attributes }: TelemetryRecord): string | null {
  const address = firstText(attributes, HOST);
  return address !== null && URL.canParse(address) ? new URL(address).hostname || address : address;
}

function responseId({ attributes }: TelemetryRecord): string | null {
  return firstText(attributes, RESPONSE_ID);
}

/** MLflow writes every attribute as JSON. */
function unquoted(text: string | null): string | null {
  return text === null ? null : text.replace(/^"([^"]*)"$/, '$1');
}

/** The provider as named by the sender. The AI SDK appends the API after a dot. */
function providerOf({ attributes }: TelemetryRecord): string | null {
  const name = unquoted(firstText(attributes, PROVIDER));
  if (name === null) return null;
  return attributes['ai.model.provider'] === name ||
    /^[a-z-]+\.(?:chat|responses|messages|completion|embedding)$/.test(name)
    ? (name.split('.', 1)[0] ?? name)
    : name;
}

/**
 * `{provider}:{response id}`: a call is one event, regardless of the endpoint it arrives at. Without a provider,
 * the vendor of the model takes its place.
 */
export function responseKey(named: string | null, model: string | null, id: string): string {
  const provider = isOpenRouterId(id) ? 'openrouter' : (named ?? ownerOf(model));
  const slug = canonicalProvider(provider);
  return `${slug === UNKNOWN_PROVIDER ? (provider ?? slug).toLowerCase() : slug}:${id}`;
}

/** `provider` and `model` are set if they cannot be read from the record's standard attributes. */
export interface CallFacts {
  readonly provider?: string;
  readonly key?: string;
  readonly convention?: 'inclusive' | 'exclusive';
  /** Fields of the event. */
  readonly event?: Readonly<Record<string, unknown>>;
  /** Additional metadata of the event. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Returns an item for `parseUsageEvent`, which reports missing fields. */
export function callEvent(
  call: SelectedCall,
  mapping: AttributeMapping,
  facts: CallFacts = {},
): Readonly<Record<string, unknown>> {
  const { record, usage } = call;
  const id = responseId(record);
  const model = unquoted(firstText(record.attributes, MODEL));
  const host = hostOf(record);
  const provider = sellerOfCall(providerOf(record) ?? facts.provider ?? null, { id, model, host });
  const { scope } = record;
  const cost = readReportedCost(statedCost(record), mapping.bookedCosts.includes(scope.name));
  const { unread } = usage;
  return {
    idempotency_key:
      id !== null ? responseKey(provider, model, id) : (facts.key ?? `otlp:${record.traceId}:${record.spanId}`),
    model,
    provider,
    input_tokens: usage.impossible?.input ?? usage.input,
    output_tokens: usage.impossible?.output ?? usage.output,
    ...counts(call, facts, provider),
    event_invoked_at: record.startMs > 0 ? new Date(record.startMs).toISOString() : null,
    user_id: mappedText(call, mapping.endUser),
    agent_id: mappedText(call, mapping.agent),
    session_id: mappedText(call, mapping.session),
    span_id: record.spanId || null,
    parent_span_id: record.parentSpanId || null,
    service_tier: serviceTier(record),
    serving_region: regionOfHost(host) ?? undefined,
    billed_tools: callTools(record, usage),
    ...facts.event,
    ...cost.event,
    metadata: {
      ...dimensionsOf(call, mapping),
      ...cost.metadata,
      ...facts.more,
      ...(unread.length === 0 ? {} : { [UNREAD_COUNTS]: unread }),
      ...(usage.onlyTotal === true ? { [ONLY_TOTAL]: true } : {}),
      ...(usage.noInput === true ? { [NO_INPUT]: true } : {}),
      telemetry: {
        scope: scope.name,
        ...(scope.version === '' ? {} : { version: scope.version }),
        ...(record.traceId === '' ? {} : { trace_id: record.traceId }),
        usage: usageAttributes(record.attributes),
      },
    },
  };
}

/** Mapped attributes, and the task id. A mapped attribute for `task_id` takes precedence. */
export function dimensionsOf(
  place: Pick<SelectedCall, 'record' | 'ancestors'>,
  { dimensions }: AttributeMapping,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [{ dimension: 'task_id', attributes: TASK_ID }, ...dimensions].flatMap(
      ({ dimension, attributes }): [string, string][] => {
        const value = mappedText(place, attributes);
        return value === null ? [] : [[dimension, value]];
      },
    ),
  );
}

/**
 * The provider's own object if it was sent; else names with a known meaning; else the documented names, whose meaning
 * is guessed.
 */
function counts(
  { record, usage }: SelectedCall,
  facts: CallFacts,
  provider: string | null,
): Readonly<Record<string, unknown>> {
  if (usage.raw !== null) return { usage: usage.raw };
  const { cacheRead, cacheWrite, reasoning, total } = usage;
  const reading = facts.convention ?? usage.convention ?? scopeReading(record) ?? assumedReading(record, provider);
  const documented = {
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    reasoning_tokens: reasoning,
  };
  if (reading === null)
    return { ...documented, ...audioCounts(usage), ...(total === null ? {} : { total_tokens: total }) };
  return {
    ...documented,
    ...namedCounts(usage, reading === 'provider' ? ofProvider(provider) : reading),
  };
}

/** Null: the documented names, whose meaning depends on the provider. */
function assumedReading(record: TelemetryRecord, provider: string | null): 'assumed' | null {
  return ofProvider(provider) === 'exclusive' && namesCacheWithin(record) ? 'assumed' : null;
}

function ofProvider(provider: string | null): 'inclusive' | 'exclusive' {
  return ['anthropic', 'aws'].includes(canonicalProvider(provider) ?? '') ? 'exclusive' : 'inclusive';
}
