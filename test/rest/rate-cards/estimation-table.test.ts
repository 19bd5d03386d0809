import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

interface Row {
  readonly model_slug: string;
  readonly input_cost_per_million: string;
  readonly output_cost_per_million: string;
  readonly cache_creation_cost_per_million: string | null;
  readonly cache_read_cost_per_million: string | null;
  readonly reasoning_cost_per_million: string | null;
}

const AT = '2026-03-01T20:30:00Z';
/** Models as callers name them. */
const NAMES = [
  'gpt-4o',
  'gpt-4o-2024-08-06',
  'gpt-4o-mini-2024-07-18',
  'o3-mini-2025-01-31',
  'gpt-4.1-nano',
  'claude-sonnet-4-5-20250929',
  'claude-3-5-haiku-latest',
  'gemini-2.5-flash',
  'mistral-large-latest',
  'grok-3-mini',
  'acme-small-7b',
  'acme-large',
  'gpt-4o-mini-of-ours',
];

let service: ServiceWithEvents;
let rows: Row[];
beforeAll(async () => {
  service = await serviceWithEvents(
    [],
    [
      'rateSet(input: { model: "acme", input: "2", output: "8.5" }) { rate { modelSlug } userErrors { message code } }',
      'rateSet(input: { model: "acme-large", input: "4", output: "16", cacheRead: "0.4", cacheCreation: "5", reasoning: "20", tiers: [{ aboveInputTokens: 5000, input: "9" }] }) { rate { modelSlug } userErrors { message code } }',
      'rateSet(input: { model: "gpt-4o-mini-of-ours", input: "0.01", output: "0.02" }) { rate { modelSlug } userErrors { message code } }',
      'rateSet(input: { model: "pictures", unitPrice: "0.04" }) { rate { modelSlug } userErrors { message code } }',
      'rateSet(input: { model: "input-alone", input: "1" }) { rate { modelSlug } userErrors { message code } }',
    ],
  );
  rows = (await service.read('/rate-cards/estimation-table')).body.items;
});
afterAll(() => service.stop());

const rowOf = (model: string) => rows.find(({ model_slug: slug }) => slug === model);
const longestPrefix = (model: string) =>
  rows
    .filter(({ model_slug: slug }) => model.startsWith(slug))
    .sort((one, other) => other.model_slug.length - one.model_slug.length)[0];

describe('200', () => {
  it('is sorted by model, with each name once', () => {
    const slugs = rows.map(({ model_slug: slug }) => slug);
    expect(slugs).toEqual([...new Set(slugs)].sort());
    expect(slugs.length).toBeGreaterThan(300);
  });

  it('shows derived rates: a cache class has the input rate, reasoning the output rate, and null means that no rate can be derived', () => {
    expect(rowOf('acme')).toEqual({
      model_slug: 'acme',
      input_cost_per_million: '2',
      output_cost_per_million: '8.5',
      cache_creation_cost_per_million: '2',
      cache_read_cost_per_million: '2',
      reasoning_cost_per_million: '8.5',
    });
    expect(rowOf('acme-large')).toEqual({
      model_slug: 'acme-large',
      input_cost_per_million: '4',
      output_cost_per_million: '16',
      cache_creation_cost_per_million: '5',
      cache_read_cost_per_million: '0.4',
      reasoning_cost_per_million: '20',
    });
    expect(rowOf('input-alone')).toMatchObject({
      input_cost_per_million: '1',
      output_cost_per_million: '0',
      cache_read_cost_per_million: '1',
      reasoning_cost_per_million: null,
    });
  });

  it('omits models priced per unit', () => {
    expect(rowOf('pictures')).toBeUndefined();
  });

  it('omits a name that its provider retired', () => {
    expect(rowOf('deepseek-chat')).toBeUndefined();
  });

  it("returns the ledger's price for a model by its longest prefix", async () => {
    const classes = {
      input_tokens: 3000,
      output_tokens: 700,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 500,
      reasoning_tokens: 200,
    };
    await service.send(
      NAMES.map((model) =>
        usageEvent({ model, provider: undefined, user_id: model, event_invoked_at: AT, ...classes }),
      ),
    );
    for (const model of NAMES) {
      const { models } = (
        await service.read(`/end-user-costs/${model}/by-model?start_date=2026-03-01&end_date=2026-03-02`)
      ).body;
      const row = longestPrefix(model)!;
      expect(models[0], model).toMatchObject({
        input_cost: times(1500, row.input_cost_per_million),
        output_cost: times(500, row.output_cost_per_million),
        cache_read_cost: times(1000, row.cache_read_cost_per_million),
        cache_creation_cost: times(500, row.cache_creation_cost_per_million),
        reasoning_cost: times(200, row.reasoning_cost_per_million),
      });
    }
  });

  it("returns the ledger's price for every name in the table", async () => {
    // `gpt-5-20` leads dated names to `gpt-5`; `gpt-5-2` is a model of its own.
    // An hour at which models with hourly prices have their base rate.
    const at = new Date(Date.now() - 86_400_000);
    at.setUTCHours(20, 30, 0, 0);
    const day = at.toISOString().slice(0, 10);
    const nameOf = (slug: string) => (/(?<!-\d\d)-20$/.test(slug) ? `${slug}26-01-01` : slug);
    await service.send(
      rows
        .map(({ model_slug: slug }) => nameOf(slug))
        .map((model) =>
          usageEvent({
            model,
            provider: undefined,
            user_id: 'all',
            input_tokens: 1000,
            output_tokens: 0,
            event_invoked_at: at.toISOString(),
            agent_id: model,
          }),
        ),
    );
    const { body } = await service.read(
      `/dimension-data/cost-breakdown?${(await registered('agent_id')).replace(/&.*/, '')}&start_date=${day}&end_date=${day}T23:59:59Z`,
    );
    const costs = new Map(
      body.items.map((item: { dimension_value: string; total_cost: string }) => [
        item.dimension_value,
        item.total_cost,
      ]),
    );
    const wrong = rows.filter(
      ({ model_slug: model, input_cost_per_million: rate }) => costs.get(nameOf(model)) !== times(1000, rate),
    );
    expect(wrong.map((row) => [row.model_slug, row.input_cost_per_million, costs.get(nameOf(row.model_slug))])).toEqual(
      [],
    );
  });

  it('replaces standard rates by negotiated ones, only for that organization', async () => {
    await service.operate(
      'mutation { rateSet(input: { model: "gpt-4o", provider: "openai", input: "1.11", output: "2.22" }) { rate { modelSlug } userErrors { message code } } }',
    );
    const { body } = await service.read('/rate-cards/estimation-table');
    const own = body.items.find((row: Row) => row.model_slug === 'gpt-4o');
    expect(own).toMatchObject({
      input_cost_per_million: '1.11',
      output_cost_per_million: '2.22',
      cache_read_cost_per_million: '1.11',
    });
    expect(rowOf('gpt-4o')?.input_cost_per_million).not.toBe('1.11');
  });
});

async function registered(key: string): Promise<string> {
  await service.operate(
    'mutation ($key: String!) { dimensionRegister(input: { key: $key }) { dimension { key } userErrors { message } } }',
    { key },
  );
  return `dimension_key=${key}&start_date=${new Date(Date.now() - 3_600_000).toISOString()}&end_date=${new Date(Date.now() + 3_600_000).toISOString()}`;
}

/** The exact cost of this many tokens at a rate of at most nine decimals. */
function times(tokens: number, perMillion: string | null): string {
  const [whole = '0', fraction = ''] = (perMillion ?? '0').split('.');
  const units = (BigInt(`${whole}${fraction.padEnd(9, '0')}`) * BigInt(tokens)).toString().padStart(16, '0');
  return `${units.slice(0, -15)}.${units.slice(-15)}`.replace(/\.?0+$/, '');
}
