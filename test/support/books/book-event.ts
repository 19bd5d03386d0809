/** Random usage events: as sent, and as a reader of the contract understands them. */
import type { Usage } from './book-cards.ts';
import { DAY, eastern, HOUR, isoOf, monthStart } from './book-instant.ts';
import type { Random } from './seeded-random.ts';

/** The expected stored data of an event. */
export interface BookEvent {
  readonly key: string;
  readonly live: boolean;
  readonly at: bigint;
  readonly model: string;
  readonly provider: string | null;
  readonly user: string | null;
  readonly usage: Usage;
  readonly override: string | null;
  /** Values by metadata key or attribution key. */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly session: string | null;
  readonly span: string | null;
  readonly parent: string | null;
  /** Metadata as returned by reads. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface SentEvent {
  readonly body: Readonly<Record<string, unknown>>;
  readonly event: BookEvent;
}

/** A model as named by callers, with the providers they may name. */
export interface NamedModel {
  readonly model: string;
  readonly providers: readonly (string | null)[];
  /** Larger counts could reach a tier that the test does not model. */
  readonly tokensMax: number;
  /** Rates are unknown before this time. */
  readonly from?: bigint;
}

const USERS = ['ann', 'bob', 'ch✓en 🟢', 'dora/ö', 'erin 1', 'Ann'] as const;
const SPANS = ['x0', 'x1', 'x2', 'x3', 'x4', 'x5'] as const;

export function randomEvent(
  random: Random,
  key: string,
  models: readonly NamedModel[],
  span: { readonly from: bigint; readonly to: bigint },
): SentEvent {
  const named = random.pick(models);
  const at = randomInstant(random, { from: named.from ?? span.from, to: span.to });
  const provider = random.pick(named.providers);
  const usage = randomUsage(random, named.tokensMax);
  const user = random.often(75) ? random.pick(USERS) : null;
  const override = random.often(8)
    ? random.pick(['0', '0.5', '12.000000000000001', '0.000000000000001', '3.14'])
    : null;
  const attribution = randomAttribution(random);
  const session = random.often(30) ? random.pick(['s1', 's2', 's ü']) : null;
  const place = session !== null && random.often(80) ? random.int(0, SPANS.length - 1) : null;
  const spanId = place === null ? null : SPANS[place]!;
  const parent = place === null || place < 2 ? null : place === 5 ? 'not in the session' : SPANS[place - 2]!;
  const tokens = placeTokens(random, usage);
  const metadata = { ...attribution.metadata, ...tokens.metadata };
  const body = {
    idempotency_key: key,
    model: named.model,
    input_tokens: usage.input,
    output_tokens: usage.output,
    event_invoked_at: random.often(20) ? eastern(at, random.int(1, 13)) : isoOf(at),
    ...input({
      provider,
      user_id: user,
      cost_override: override,
      session_id: session,
      span_id: spanId,
      parent_span_id: parent,
    }),
    ...attribution.top,
    ...tokens.top,
    ...(Object.keys(metadata).length > 0 || random.often(30) ? { metadata } : {}),
  };
  const shown = {
    ...metadata,
    ...input({ provider, ...attribution.shown, units: usage.units === null ? null : Number(usage.units) }),
  };
  return {
    body,
    event: {
      key,
      live: true,
      at,
      model: named.model,
      provider,
      user,
      usage,
      override,
      session,
      span: spanId,
      parent,
      metadata: shown,
      dimensions: { ...scalars(metadata), ...attribution.mapped },
    },
  };
}

/** Often at the boundary of an hour, day or month, where rounding errors would show. */
export function randomInstant(random: Random, { from, to }: { readonly from: bigint; readonly to: bigint }): bigint {
  const width = to - from;
  const anywhere =
    from +
    (width * BigInt(random.int(0, 1_000_000))) / 1_000_000n +
    BigInt(random.int(0, 3_600_000)) * 1000n +
    BigInt(random.pick([0, 1, 7, 500, 999]));
  const edge = random.pick([anywhere, anywhere - (anywhere % HOUR), anywhere - (anywhere % DAY), monthStart(anywhere)]);
  const at = edge + (edge === anywhere ? 0n : BigInt(random.pick([-1, 0, 0, 1])));
  return at < from || at >= to ? from + width / 2n : at;
}

function randomUsage(random: Random, tokensMax: number): Usage {
  const count = (): number => random.pick([0, 1, random.int(0, 1000), random.int(0, tokensMax)]);
  const reported = (percent: number): number | null => (random.often(percent) ? count() : null);
  const usage = {
    input: count(),
    output: count(),
    cacheCreation: reported(25),
    cacheRead: reported(35),
    reasoning: reported(30),
  };
  const cache = (usage.cacheCreation ?? 0) + (usage.cacheRead ?? 0);
  const total = random.often(15)
    ? usage.input + usage.output + random.pick([0, cache, cache + (usage.reasoning ?? 0)])
    : null;
  return {
    ...usage,
    total,
    units: random.often(40) ? random.pick(['1', '2.5', '0', '0.333333333333333', '1000']) : null,
    webSearches: random.often(20) ? random.int(0, 9) : null,
  };
}

/** Token classes and units are sent at the top level or in metadata, as is everything else that a card may price. */
function placeTokens(
  random: Random,
  usage: Usage,
): { top: Record<string, unknown>; metadata: Record<string, unknown> } {
  const top: Record<string, unknown> = {};
  const metadata: Record<string, unknown> = {};
  const fields = input({
    cache_creation_input_tokens: usage.cacheCreation,
    cache_read_input_tokens: usage.cacheRead,
    reasoning_tokens: usage.reasoning,
    units: usage.units === null ? null : Number(usage.units),
  });
  for (const [name, value] of Object.entries(fields)) (random.often(50) ? top : metadata)[name] = value;
  return { top, metadata: { ...metadata, ...input({ total_tokens: usage.total, web_searches: usage.webSearches }) } };
}

interface RandomAttribution {
  readonly top: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Values by key, as used for grouping events. */
  readonly mapped: Readonly<Record<string, string>>;
  /** Top-level fields that are added to the metadata as returned. */
  readonly shown: Readonly<Record<string, string | null>>;
}

function randomAttribution(random: Random): RandomAttribution {
  const maybe = <T>(percent: number, values: readonly T[]): T | null =>
    random.often(percent) ? random.pick(values) : null;
  const agent = maybe(60, ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'ü']);
  const feature = maybe(40, ['search', 'chat']);
  const workflow = maybe(20, ['w1', 'w2']);
  const sessionType = maybe(20, ['chat', 'batch']);
  const experiment = maybe(30, [
    { experiment_id: 'e1', variant: 'a' },
    { experiment_id: 'e1', variant: 'b' },
    { experiment_id: 'e2', variant: 'a' },
  ]);
  const metadata = input({
    team: maybe(70, ['red', 'blue', '🟢', 'z', 'Red', 'green', 'grey', 'Other']),
    region: maybe(50, ['eu', 'us']),
    level: maybe(40, [1, 2.5, true, 'x']),
    nested: maybe(10, [{ team: 'hidden' }, [1, 2]]),
  });
  const inMetadata = random.often(30);
  const texts = { agent_id: agent, feature, workflow_id: workflow };
  const overruled = agent !== null && !inMetadata && random.often(20) ? { agent_id: 'overruled' } : {};
  return {
    top: input({ ...(inMetadata ? {} : texts), session_type: sessionType, experiment }),
    metadata: { ...metadata, ...overruled, ...(inMetadata ? input(texts) : {}) },
    mapped: input({
      ...texts,
      session_type: sessionType,
      experiment_id: experiment?.experiment_id ?? null,
      variant: experiment?.variant ?? null,
    }) as Record<string, string>,
    shown: texts,
  };
}

/** Only strings, numbers and booleans are values (decision 9, D4). */
function scalars(metadata: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([key, value]) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? [[key, String(value)]]
        : [],
    ),
  );
}

function input(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
