/** Calls with a known cost, ingested as events and priced by the job, at rates set by an operator. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { money, plain } from '#kernel/money.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';
import { MINUTES } from '../../../support/patience.ts';

// Prices hundreds of cases by the whole catalogue.
vi.setConfig(MINUTES);

type Rates = {
  [name in 'input' | 'output' | 'cache_read' | 'cache_creation' | 'cache_creation_1h' | 'reasoning']?: string;
};
type Case = {
  id: string;
  usage: Record<string, number | string | null>;
  native_event: { input_tokens: number; output_tokens: number; metadata: Record<string, unknown> } | null;
  rates_usd_per_million: Rates & {
    tiers?: (Rates & { over_input_tokens: number })[];
    per_unit?: Record<string, { usd: string; per: number } | null>;
  };
  expected: { total_usd: string };
  abs_tolerance_usd: string;
  in_scope: boolean;
};

const file = new URL('../pricing/cost-cases.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] };
/** Whole counts, as the ingestion API requires. */
const sendable = cases.filter(
  ({ in_scope: inScope, usage }) =>
    inScope && Object.values(usage).every((count) => count === null || Number.isSafeInteger(count)),
);
const native = sendable.filter(({ native_event: event }) => event);

let pricing: Costing;
let costs: Map<string, string>;

beforeAll(async () => {
  pricing = await startCosting();
  for (const { id, rates_usd_per_million: card } of sendable) {
    const units = Object.entries(card.per_unit ?? {}).flatMap(([name, unit]) =>
      unit ? [{ name, price: plain(money(unit.usd).div(unit.per)) }] : [],
    );
    await setRate(pricing.operator, {
      model: `case-${id}`,
      ...ratesOf(card),
      unitPrices: units,
      tiers: (card.tiers ?? []).map((tier) => ({ ...ratesOf(tier), aboveInputTokens: tier.over_input_tokens })),
    });
  }
  const sent = [
    ...sendable.map(({ id, usage }) => ({
      key: `${id} usage`,
      event: call({
        model: `case-${id}`,
        input_tokens: usage['input_tokens'] ?? 0,
        output_tokens: usage['output_tokens'] ?? 0,
        metadata: { ...usage, cache_creation: { ephemeral_1h_input_tokens: usage['cache_creation_1h_input_tokens'] } },
      }),
    })),
    ...native.map(({ id, native_event: event }) => ({
      key: `${id} native`,
      event: call({ model: `case-${id}`, ...event }),
    })),
  ];
  const ids = await pricing.send(sent.map(({ event }) => event));
  await pricing.settle();
  const byId = await pricing.costs();
  costs = new Map(sent.map(({ key }, index) => [key, byId[ids[index]!] ?? 'not priced']));
});
afterAll(() => pricing.close());

describe('the ledger has the known cost', () => {
  it.each(sendable.map((one) => [`${one.id} usage`, one] as const))('of %s', (key, one) =>
    expectCost(costs.get(key)!, one),
  );
  it.each(native.map((one) => [`${one.id} native`, one] as const))('of %s', (key, one) =>
    expectCost(costs.get(key)!, one),
  );
});

it('the books are correct', async () => {
  const checks = await verifyCosting(pricing.global);
  expect(checks.filter(({ differences }) => differences.length > 0)).toEqual([]);
  expect(checks.find(({ check }) => check.startsWith('every event'))).toMatchObject({
    checked: sendable.length + native.length,
  });
});

it('most cases of the collection are tested', () => {
  expect(sendable.length).toBeGreaterThan(140);
});

function expectCost(cost: string, { expected, abs_tolerance_usd: tolerance }: Case): void {
  if (tolerance === '0') expect(plain(money(cost))).toBe(plain(money(expected.total_usd)));
  expect(money(cost).minus(money(expected.total_usd)).abs().lte(money(tolerance))).toBe(true);
}

function ratesOf(card: Rates): Record<string, string> {
  const named = {
    input: card.input,
    output: card.output,
    cacheRead: card.cache_read,
    cacheCreation: card.cache_creation,
    cacheCreation1h: card.cache_creation_1h,
    reasoning: card.reasoning,
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, rate]) => (rate === undefined || rate === null ? [] : [[name, rate]])),
  );
}
