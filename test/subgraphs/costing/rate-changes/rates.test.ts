import { waitForUpdate } from '@pydantic/genai-prices';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import { money, plain } from '#kernel/money.ts';
import { runOperations } from '../../../../subgraphs/costing/operations/run-operations.job.ts';
import { costing } from '../../../../subgraphs/costing/main.ts';
import { importCatalogue } from '../../../../subgraphs/costing/rate-changes/import-catalogue.operation.ts';
import { getUsagePrice } from '../../../../subgraphs/costing/pricing/get-usage-price.operation.ts';
import { lockRates } from '../../../../subgraphs/costing/rates/rate-generation.table.ts';
import { matchRate } from '../../../../subgraphs/costing/rates/match-rate.operation.ts';
import { getRateEstimationTable } from '../../../../subgraphs/costing/rates/get-rate-estimation-table.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { explainCost } from '../../../../subgraphs/costing/ledger/explain-cost.operation.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';
import { isOnNodes } from '../../../support/fresh-database.ts';

let pricing: Costing;
beforeEach(async () => {
  pricing = await startCosting();
});
afterEach(() => pricing.close());

const model = (id: string, prices: object) => ({ id, match: { equals: id }, prices });
const catalogue = (...models: object[]) => [{ id: 'openai', name: 'OpenAI', api_pattern: '', models }];
const twenty = Array.from({ length: 20 }, (_, index) => model(`model-${index}`, { input_mtok: 1, output_mtok: 2 }));
const versions = () =>
  pricing.rows(`
  select model_slug as model, effective_from is null as ever, effective_to is null as open, trim_scale(input)::text as input
  from rate_card_version v join rate_card c on c.id = v.rate_card_id and v.superseded_at is null where model_slug = 'model-0' order by effective_from nulls first`);

const WAITING =
  'select distinct pid from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted';

describe('an import of the catalogue', () => {
  it('runs at the first start, is reported, and does not run again for the same release', async () => {
    const said: string[] = [];
    const dependencies = { database: pricing.database } as Parameters<NonNullable<typeof costing.prepare>>[0];
    for (let start = 0; start < 2; start++) await costing.prepare?.(dependencies, (message) => said.push(message));
    expect(said).toEqual([
      expect.stringMatching(/^Importing the price catalogue/),
      expect.stringMatching(/^Imported the price catalogue: 1\d\d\d rate cards added, 0 changed, 0 held/),
    ]);
    expect(await matchRate(pricing.live, { model: 'gpt-4o-2024-08-06' })).toMatchObject({
      modelSlug: 'gpt-4o-2024-08-06',
      providerSlug: 'openai',
      effectiveFrom: null,
    });
  });

  it('prices events that waited for it, and has no lower bound', async () => {
    const [id] = await pricing.send([call({ model: 'gpt-4o-mini', event_invoked_at: '2025-01-01T00:00:00Z' })]);
    await pricing.settle();
    expect((await importCatalogue(pricing.global)).requeuedEvents).toBe(1);
    await pricing.settle();
    expect(await pricing.costs()).toEqual({ [id!]: '0.00021' });
  });

  it('prices by tier, by the hour and for speech, and names the row used', async () => {
    await importCatalogue(pricing.global);
    const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
    const spoken = {
      prompt_tokens_details: { audio_tokens: 900 },
      completion_tokens_details: { audio_tokens: 90 },
    };
    const night = { model: 'deepseek-chat', provider: 'deepseek', event_invoked_at: '2025-06-05T20:00:00Z' };
    const ids = await pricing.send([
      call({ model: 'gpt-5', usage, service_tier: 'default' }),
      call({ model: 'gpt-5', usage, service_tier: 'flex' }),
      call({ model: 'gpt-5', usage, service_tier: 'scale' }),
      call({
        model: 'claude-haiku-4-5',
        provider: 'anthropic.messages',
        usage: { input_tokens: 1_000, service_tier: 'batch' },
      }),
      call({ model: 'gpt-4o-audio-preview', usage: { ...usage, ...spoken } }),
      call(night),
      call({ ...night, event_invoked_at: '2025-06-05T12:00:00Z' }),
      call({ model: 'whisper-1', input_tokens: 0, output_tokens: 0, audio_seconds: 60 }),
      call({ model: 'whisper-1', input_tokens: 0, output_tokens: 0, units: 60 }),
    ]);
    await pricing.settle();
    const costs = await pricing.costs();
    expect(ids.map((id) => costs[id] ?? null)).toEqual([
      '0.00225',
      '0.001125',
      null,
      '0.00075',
      '0.04355',
      '0.00019',
      '0.00038',
      '0.006',
      '21.6',
    ]);
    const explained = await Promise.all(ids.map((id) => explainCost(pricing.live, id, null)));
    expect(explained.map(({ entries: [first], reason }) => first?.pricingContext ?? reason)).toEqual([
      '',
      'tier=flex',
      'unknown_context: the rate card has no price for tier=scale',
      'tier=batch',
      '',
      '',
      'hours=0030-1630',
      '',
      '',
    ]);
    expect(explained.at(-1)?.entries[0]?.reading).toBe('guessed');
    expect(await matchRate(pricing.live, { model: 'whisper-1' })).toMatchObject({ unitName: 'audio_hours' });
  });

  it('a price query uses the same code as the pricing of an event, and stores nothing', async () => {
    await importCatalogue(pricing.global);
    const usage = { prompt_tokens: 1_000, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 400 } };
    const of = (more: object) => getUsagePrice(pricing.live, { model: 'gpt-5', usage, ...more });
    expect(await of({})).toMatchObject({
      status: 'completed',
      reading: 'openai-chat',
      modelSlug: 'gpt-5',
      pricingContext: '',
    });
    const costs = await Promise.all([of({}), of({ context: 'tier=flex' }), of({ usage: { promptTokenCount: 1_000 } })]);
    expect(costs.map(({ totalCost }) => plain(totalCost!))).toEqual(['0.0018', '0.0009', '0.00125']);
    expect(await of({ context: 'tier=scale' })).toMatchObject({
      status: 'pending_rate_card',
      reason: 'unknown_context: the rate card has no price for tier=scale',
    });
    const messages = { input_tokens: 1_000, output_tokens: 100, cache_read_input_tokens: 900 };
    expect(await of({ model: 'claude-sonnet-4-5', usage: messages })).toMatchObject({ reading: 'anthropic-messages' });
    await expect(of({ usage: 7 })).rejects.toThrow('usage must be an object');
    await expect(of({ context: 'colour=red' })).rejects.toThrow('Unknown context key colour');
    expect(await pricing.rows('select 1 from usage_event')).toEqual([]);
  });

  it('an organization can set its negotiated price for a context', async () => {
    await importCatalogue(pricing.global);
    const [id = ''] = await pricing.send([call({ model: 'gpt-5-pro', provider: 'openai', service_tier: 'priority' })]);
    await pricing.settle();
    expect(await pricing.counts()).toMatchObject({ pendingRateCard: 1 });
    const contexts = [{ context: 'tier=priority', class: 'all', factor: '2' }];
    const set = await setRate(pricing.operator, {
      model: 'gpt-5-pro',
      provider: 'openai',
      input: '15',
      output: '120',
      contexts,
    });
    expect(set.requeuedEvents).toBe(1);
    await pricing.settle();
    expect((await pricing.costs())[id]).toBe('0.054');
    for (const wrong of [{ context: 'batch' }, { context: 'tier=batch' }, { context: 'tier=batch', rate: '1' }]) {
      await expect(setRate(pricing.operator, { model: 'm', input: '1', contexts: [wrong] })).rejects.toThrow();
    }
  });

  it('opens a new version if a price changed, and never alters the old one', async () => {
    await importCatalogue(pricing.global, catalogue(...twenty));
    const result = await importCatalogue(
      pricing.global,
      catalogue(model('model-0', { input_mtok: 1.5, output_mtok: 2 }), ...twenty.slice(1)),
    );
    expect(result).toMatchObject({ added: [], changed: ['openai/model-0'], held: [], dropped: [], refused: [] });
    expect(await versions()).toEqual([
      { model: 'model-0', ever: true, open: false, input: '1' },
      { model: 'model-0', ever: false, open: true, input: '1.5' },
    ]);
  });

  it.skipIf(isOnNodes())(
    'writes any number of changed cards in few statements, because pricing waits for them',
    async () => {
      const many = (input: number) =>
        catalogue(
          ...Array.from({ length: 300 }, (_, index) =>
            model(`many-${index}`, [
              { constraint: null, prices: { input_mtok: input, output_mtok: 2 } },
              { constraint: { start_date: '2099-01-01' }, prices: { input_mtok: input * 2, output_mtok: 2 } },
            ]),
          ),
        );
      await importCatalogue(pricing.global, many(1));
      await withClient(pricing.database.target, (client) =>
        client.query(`create table statement_count (what text);
        create function count_statement() returns trigger language plpgsql security definer as
          $$ begin insert into statement_count values (tg_op); return null; end $$;
        create trigger count_statements after insert or update on rate_card_version
          for each statement execute function count_statement();
        grant select on statement_count to public`),
      );
      const { changed } = await importCatalogue(pricing.global, many(1.5));
      expect(changed).toHaveLength(300);
      expect(await pricing.rows('select count(*)::int < 7 as are_few from statement_count')).toEqual([
        { areFew: true },
      ]);
      expect(
        await pricing.rows(`select count(*)::int as versions, count(*) filter (where superseded_at is not null)::int as superseded
        from rate_card_version`),
      ).toEqual([{ versions: 1_200, superseded: 300 }]);
      for (const [at, expected] of [
        [undefined, '1.5'],
        ['2099-06-01', '3'],
        ['2020-01-01', '1'],
      ] as const)
        expect(plain((await matchRate(pricing.live, { model: 'many-7', at }))!.inputCostPerMillion!)).toBe(expected);
    },
  );

  it('holds price changes of more than threefold, keeps dropped cards, rejects implausible prices', async () => {
    await importCatalogue(pricing.global, catalogue(...twenty));
    const result = await importCatalogue(
      pricing.global,
      catalogue(
        model('model-0', { input_mtok: 4, output_mtok: 2 }),
        model('absurd', { input_mtok: 5_000, output_mtok: 1 }),
        ...twenty.slice(2),
      ),
    );
    expect(result).toMatchObject({
      added: [],
      changed: [],
      held: [expect.stringContaining('openai/model-0')],
      dropped: ['openai/model-1'],
      refused: [expect.stringContaining('absurd')],
    });
    expect(await versions()).toEqual([{ model: 'model-0', ever: true, open: true, input: '1' }]);
    expect(await matchRate(pricing.live, { model: 'model-1' })).not.toBeNull();
  });

  it('applies held changes once a person accepts them, and no others', async () => {
    await importCatalogue(pricing.global, catalogue(...twenty));
    const release = catalogue(
      model('model-0', { input_mtok: 4, output_mtok: 2 }),
      model('model-1', { input_mtok: 9, output_mtok: 2 }),
      ...twenty.slice(2),
    );
    const again = (...accept: string[]) => importCatalogue(pricing.global, release, accept);
    expect((await again()).held).toHaveLength(2);
    await expect(again('openai/model-0', 'openai/model-2')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'accept: openai/model-2 has no held change',
    });
    expect(await again('openai/model-0')).toMatchObject({
      changed: ['openai/model-0'],
      held: [expect.stringContaining('openai/model-1')],
    });
    expect((await matchRate(pricing.live, { model: 'model-0' }))?.inputCostPerMillion).toEqual(money('4'));
    expect((await matchRate(pricing.live, { model: 'model-1' }))?.inputCostPerMillion).toEqual(money('1'));
  });

  it('stops when the catalogue shrinks by more than a tenth', async () => {
    await importCatalogue(pricing.global, catalogue(...twenty));
    await expect(importCatalogue(pricing.global, catalogue(...twenty.slice(3)))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: /shrank/,
    });
    expect(await matchRate(pricing.live, { model: 'model-0' })).not.toBeNull();
  });

  it.skipIf(isOnNodes())('compares again if rates changed after it had compared them', async () => {
    await importCatalogue(pricing.global, catalogue(...twenty));
    const release = catalogue(
      model('model-0', { input_mtok: 1.5, output_mtok: 2 }),
      ...twenty.slice(1),
      model('new', { input_mtok: 1, output_mtok: 2 }),
    );
    const { imports } = await pricing.database.system(async (tx) => {
      await lockRates(tx);
      const imports = Promise.all([1, 2].map(() => importCatalogue(pricing.global, release)));
      // Both have compared the release with the same cards, and wait to write.
      await vi.waitFor(async () => expect(await pricing.rows(WAITING)).toHaveLength(2), { timeout: 10_000 });
      return { imports };
    });
    const results = (await imports).map(({ added, changed }) => [added, changed]);
    expect(results.toSorted(([one], [other]) => one!.length - other!.length)).toEqual([
      [[], []],
      [['openai/new'], ['openai/model-0']],
    ]);
    expect(await versions()).toHaveLength(2);
  });

  it('rejects a document of another structure', async () => {
    for (const document of [
      'x',
      {},
      [{}],
      [{ id: 'a', models: [{ id: 'm' }] }],
      [{ id: 'a', models: [{ id: 'm', match: { equals: 'm' }, prices: { input_mtok: '1' } }] }],
    ]) {
      await expect(importCatalogue(pricing.global, document)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });

  it('accepts the built-in release as a document too', async () => {
    const built = await importCatalogue(pricing.global);
    expect(await importCatalogue(pricing.global, JSON.parse(JSON.stringify(await waitForUpdate())))).toMatchObject({
      added: [],
      changed: [],
      held: [],
      dropped: [],
    });
    expect(built.added.length).toBeGreaterThan(1_500);
  });
});

describe('a hand-written rate', () => {
  it('has no lower bound for a new card, and starts now for a changed one', async () => {
    expect(await setRate(pricing.global, { model: ' Acme-1 ', input: '1', output: '2' })).toMatchObject({
      modelSlug: 'acme-1',
      effectiveFrom: null,
    });
    expect(
      (await setRate(pricing.global, { model: 'acme-1', input: '3', output: '2' })).effectiveFrom?.getTime(),
    ).toBeGreaterThan(Date.now() - 60_000);
    const at = (instant?: string) => matchRate(pricing.live, { model: 'acme-1-large', at: instant });
    expect(
      [(await at('2020-01-01'))?.inputCostPerMillion, (await at())?.inputCostPerMillion].map((rate) => plain(rate!)),
    ).toEqual(['1', '3']);
  });

  it('is inserted between existing versions, and replaces one with the same start', async () => {
    for (const [input, effectiveFrom] of [
      ['1', '2025-01-01'],
      ['3', '2025-03-01'],
      ['2', '2025-02-01'],
      ['9', '2025-02-01'],
    ] as const) {
      await setRate(pricing.global, { model: 'acme-1', input, output: '0', effectiveFrom });
    }
    const rates = await Promise.all(
      ['2024-12-31', '2025-01-15', '2025-02-15', '2025-03-15'].map((at) =>
        matchRate(pricing.live, { model: 'acme-1', at }),
      ),
    );
    expect(rates.map((rate) => (rate ? plain(rate.inputCostPerMillion!) : null))).toEqual([null, '1', '9', '3']);
  });

  it('may have tiers, cache rates, unit prices, or only a price per unit', async () => {
    await setRate(pricing.global, {
      model: 'acme-1',
      input: '1',
      output: '2',
      cacheRead: '0.1',
      unitPrices: [{ name: 'web_searches', price: '0.01' }],
      tiers: [{ aboveInputTokens: 500, input: '10' }],
    });
    await setRate(pricing.global, { model: 'pages', unitPrice: '0.0005' });
    const [tiered, plainPage, waiting] = await pricing.send([
      call({ metadata: { web_searches: 2 } }),
      call({ model: 'pages', units: '3' }),
      call({ model: 'pages' }),
    ]);
    await pricing.settle();
    expect(await pricing.costs()).toEqual({ [tiered!]: '0.0302', [plainPage!]: '0.0015' });
    expect(await pricing.rows('select event_id as id, reason from unpriced_event')).toEqual([
      { id: waiting, reason: expect.stringContaining('units') },
    ]);
    expect(await matchRate(pricing.live, { model: 'pages' })).toMatchObject({
      unitPrices: [{ name: 'unit', price: '0.0005' }],
      inputCostPerMillion: null,
    });
  });

  it('is rejected if it is invalid', async () => {
    const bad = [
      { model: 'm' },
      { model: '', input: '1' },
      { model: 'm', input: '-1', output: '1' },
      { model: 'm', input: '1e3', output: '1' },
      { model: 'm', input: '0.0000000001', output: '1' },
      { model: 'm', unitPrice: '1', input: '1' },
      { model: 'm', input: '1', effectiveFrom: 'soon' },
      { model: 'm', input: '1', tiers: [{ aboveInputTokens: 1 }] },
      { model: 'm', input: '1', tiers: [{ aboveInputTokens: -1, input: '1' }] },
      {
        model: 'm',
        input: '1',
        unitPrices: [
          { name: 'a', price: '1' },
          { name: 'a', price: '2' },
        ],
      },
    ];
    for (const input of bad)
      await expect(setRate(pricing.global, input)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await pricing.rows('select 1 from rate_card')).toEqual([]);
  });

  it("accepts any of a provider's names", async () => {
    await setRate(pricing.global, { model: 'acme', provider: 'Bedrock', input: '1', output: '1' });
    await setRate(pricing.global, { model: 'acme', provider: 'Acme Cloud', input: '2', output: '1' });
    const of = async (provider?: string) =>
      (await matchRate(pricing.live, { model: 'acme-1', provider }))?.providerSlug;
    expect([await of('amazon-bedrock'), await of('ACME CLOUD'), await of('nobody')]).toEqual([
      'aws',
      'acme cloud',
      undefined,
    ]);
  });

  it('reaches waiting events even if its process stopped before they were checked', async () => {
    await pricing.send([call()]);
    await pricing.settle();
    let transactions = 0;
    const stopped = {
      ...pricing.database,
      system: (async (work) => {
        if (++transactions > 1) throw new Error('The process was killed');
        return pricing.database.system(work);
      }) as typeof pricing.database.system,
    };
    await expect(
      setRate({ ...pricing.global, database: stopped }, { model: 'acme-1', input: '1', output: '1' }),
    ).rejects.toThrow('killed');
    expect(await pricing.counts()).toMatchObject({ pendingRateCard: 1 });
    const job = runOperations(pricing);
    while ((await job.step()) === 'more');
    await pricing.settle();
    expect(await pricing.counts()).toMatchObject({ completed: 1, pendingRateCard: 0 });
    expect(await pricing.rows('select kind, state, place from operation')).toEqual([
      { kind: 'requeue-waiting', state: 'finished', place: expect.objectContaining({ requeued: 1 }) },
    ]);
  });
});

describe('the estimation table', () => {
  it('shows the organization’s own rates instead of standard ones, at once', async () => {
    await setRate(pricing.global, { model: 'acme-1', input: '1', output: '2' });
    const row = async (from: Costing) =>
      (await getRateEstimationTable(from.live))
        .list()
        .map((rates) => [rates['model_slug'], rates['input_cost_per_million'], rates['cache_read_cost_per_million']]);
    expect(await row(pricing)).toEqual([['acme-1', '1', '1']]);
    await setRate(pricing.operator, { model: 'acme-1', input: '0.5', output: '2', cacheRead: '0.1' });
    expect(await row(pricing)).toEqual([['acme-1', '0.5', '0.1']]);
    expect(await row(await startCosting(pricing.database))).toEqual([['acme-1', '1', '1']]);
  });

  it('changes when a dated version begins', async () => {
    await setRate(pricing.global, { model: 'acme-1', input: '1', output: '2' });
    const start = Date.now() + 1_000;
    await setRate(pricing.global, {
      model: 'acme-1',
      input: '7',
      output: '2',
      effectiveFrom: new Date(start).toISOString(),
    });
    const input = async () => (await getRateEstimationTable(pricing.live)).list()[0]?.['input_cost_per_million'];
    const first = await input();
    if (Date.now() < start) expect(first).toBe('1');
    await expect.poll(input).toBe('7');
  });
});

it('an organization sees standard cards and its own, and can write neither directly', async () => {
  await setRate(pricing.global, { model: 'acme-1', input: '1', output: '2' });
  const stranger = await startCosting(pricing.database);
  await setRate(stranger.operator, { model: 'secret', input: '1', output: '2' });
  expect(await matchRate(pricing.live, { model: 'secret' })).toBeNull();
  await expect(
    pricing.database.write(pricing.organizationId, (tx) =>
      tx.em.getKysely<{ rate_alias: { name: string } }>().updateTable('rate_alias').set({ name: 'x' }).execute(),
    ),
  ).resolves.toMatchObject([{ numUpdatedRows: 0n }]);
});
