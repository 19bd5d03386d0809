/** Histories of facts as costing publishes them: backdated, corrected, repeated, and out of order. */
import fc from 'fast-check';
import type { CostFact } from '#schema/priced-feed.ts';
import { aFact } from './a-fact.ts';

const DAY_MS = 86_400_000;
/** Start of the 130 days of the history, two of which are in another year. */
const BEGIN_MS = Date.UTC(2025, 11, 30);
const DAYS = 130;

const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 2 });
const amount = fc.integer({ min: 0, max: 999_999_999 }).map((units) => `0.${String(units).padStart(15, '0')}`);
const signedAmount = fc.tuple(fc.boolean(), amount).map(([minus, text]) => (minus ? `-${text}` : text));
const tokens = fc.integer({ min: 0, max: 100_000 });
const micros = fc.integer({ min: 0, max: 999 }).map((value) => (value % 3 === 0 ? value : 0));

/** Often at the boundary of an hour, day or month, where rounding errors would show. */
export const instant = fc
  .oneof(
    fc.tuple(fc.integer({ min: 0, max: DAYS * DAY_MS }), micros),
    fc.tuple(
      fc.integer({ min: 0, max: DAYS * 24 }).map((hour) => hour * 3_600_000),
      fc.constantFrom(0, 1),
    ),
    fc.tuple(
      fc.integer({ min: 0, max: DAYS }).map((day) => day * DAY_MS),
      fc.constantFrom(0, 1),
    ),
    fc.tuple(
      fc.integer({ min: 1, max: DAYS }).map((day) => day * DAY_MS - 1),
      fc.constantFrom(0, 999),
    ),
  )
  .map(([ms, us]) => {
    const iso = new Date(BEGIN_MS + ms).toISOString();
    return us === 0 ? iso : `${iso.slice(0, -1)}${String(us).padStart(3, '0')}Z`;
  });

export const window = fc
  .tuple(instant, instant)
  .filter(([one, other]) => one !== other)
  .map(([one, other]) =>
    one.slice(0, -1) < other.slice(0, -1) ? { start: one, end: other } : { start: other, end: one },
  );

const costs = (total: fc.Arbitrary<string>) =>
  fc.record({
    totalCost: total,
    inputCost: total,
    outputCost: total,
    cacheCreationCost: orNull(total),
    cacheReadCost: orNull(total),
    reasoningCost: orNull(total),
  });

const provider = fc
  .constantFrom(
    ...([
      ['p1', 'openai', 'OpenAI', false],
      ['p1', 'openai', 'openai', true],
      ['p1', 'openai', 'Open AI', true],
      ['p2', 'anthropic', 'Anthropic', false],
      ['unknown', 'unknown', 'unknown', false],
      ['unknown', 'unknown', 'häusle "x"', true],
    ] as const),
  )
  .map(([providerId, providerSlug, providerName, providerReported]) => ({
    providerId,
    providerSlug,
    providerName,
    providerReported,
  }));

const dimensions = fc.record(
  {
    agent_id: fc.constantFrom('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'Other', 'Unassigned', 'ü-agent'),
    feature: fc.constantFrom('search', 'chat', ''),
    team: fc.constantFrom('red', 'blue', '🟢', 'z'),
    late: fc.constantFrom('l1', 'l2', 'l3'),
    session_type: fc.constantFrom('chat', 'batch'),
  },
  { requiredKeys: [] },
);

const event = fc
  .tuple(
    fc.record({
      eventId: fc.uuid(),
      eventTime: instant,
      modelSlug: fc.constantFrom('gpt-5', 'gpt-5-mini', 'claude', 'local'),
      endUserExternalId: orNull(fc.constantFrom('ann', 'bob', 'ch✓en', 'dora')),
      sessionId: orNull(fc.constantFrom('s1', 's2')),
      spanId: orNull(fc.constantFrom('x', 'y', 'z')),
      parentSpanId: orNull(fc.constantFrom('x', 'y', 'w')),
      dimensions,
    }),
    provider,
    fc.record({
      inputTokens: tokens,
      outputTokens: tokens,
      cacheCreationInputTokens: orNull(tokens),
      cacheReadInputTokens: orNull(tokens),
      reasoningTokens: orNull(tokens),
    }),
    costs(amount),
    fc.array(costs(signedAmount), { maxLength: 2 }),
  )
  .map(([identity, from, counts, cost, corrections]): CostFact[] => [
    aFact({ ...identity, ...from, ...counts, ...cost } as Partial<CostFact>),
    ...corrections.map((correction, index) =>
      aFact({
        ...identity,
        ...from,
        ...correction,
        sequence: index + 1,
        inputTokens: 0,
        outputTokens: 0,
      } as Partial<CostFact>),
    ),
  ]);

export interface History {
  /** Each fact once. */
  readonly facts: readonly CostFact[];
  /** As published: shuffled, with repetitions, in batches. */
  readonly batches: readonly (readonly CostFact[])[];
}

export const history: fc.Arbitrary<History> = fc
  .uniqueArray(event, { minLength: 1, maxLength: 150, size: 'max', selector: ([first]) => first?.eventId })
  .map((events) => events.flat())
  .chain((facts) =>
    fc.record({
      facts: fc.constant(facts),
      batches: fc
        .tuple(
          fc.shuffledSubarray(facts, { minLength: facts.length }),
          fc.shuffledSubarray(facts),
          fc.integer({ min: 1, max: 60 }),
        )
        .map(([all, again, size]) => {
          const sent = [...all, ...again];
          return Array.from({ length: Math.ceil(sent.length / size) }, (_, index) =>
            sent.slice(index * size, (index + 1) * size),
          );
        }),
    }),
  );
