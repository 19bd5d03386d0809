/** A provider's own usage object, ingested in the obvious ways, and the results that its sender and its reader get. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countGuessedEvents } from '../../../../subgraphs/costing/ledger/count-guessed-events.operation.ts';
import { listUnknownFields } from '../../../../subgraphs/costing/events/list-unknown-fields.operation.ts';
import { explainCost } from '../../../../subgraphs/costing/ledger/explain-cost.operation.ts';
import { ingestUsageEvents } from '../../../../subgraphs/costing/ingestion/ingest-usage-events.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';

const SONNET = { input: '3', output: '15', cacheCreation: '3.75', cacheCreation1h: '6', cacheRead: '0.3' };
const USAGE = {
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 4_000 },
  cache_creation_input_tokens: 4_000,
  cache_read_input_tokens: 900,
  server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
};
/** 1,000 × 3 + 4,000 × 6 + 900 × 0.3 + 100 × 15 per million, and one search. */
const WHOLE = '0.03877';

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
  await setRate(costing.operator, {
    model: 'sonnet',
    ...SONNET,
    unitPrices: [{ name: 'web_searches', price: '0.01' }],
  });
});
afterAll(() => costing.close());

it.each<[string, object, string, string]>([
  ['spread', { ...USAGE }, WHOLE, 'anthropic-messages'],
  ['as usage', { usage: { input_tokens: 1_000, output_tokens: 100, ...USAGE } }, WHOLE, 'anthropic-messages'],
  ['in metadata', { metadata: { ...USAGE } }, WHOLE, 'anthropic-messages'],
  ['in metadata.usage', { metadata: { usage: { input_tokens: 1_000, ...USAGE } } }, WHOLE, 'anthropic-messages'],
  ['by its provider', { provider: 'anthropic', cache_read_input_tokens: 900 }, '0.00477', 'guessed'],
  ['without a provider', { cache_read_input_tokens: 900 }, '0.00207', 'normalized'],
])("a provider's usage object is read and priced: %s", async (_name, more, cost, reading) => {
  const [id = ''] = await costing.send([call({ model: 'sonnet', ...more })]);
  await costing.settle();
  expect((await costing.costs())[id]).toBe(cost);
  const { entries } = await explainCost(costing.live, id, null);
  expect(entries.map((entry) => entry.reading)).toEqual([reading]);
});

it('guessed counts are reported', async () => {
  const window = parseWindow({ start: '2020-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z' });
  expect(await countGuessedEvents(costing.live, window)).toBe(1);
  expect(await countGuessedEvents(costing.stranger, window)).toBe(0);
});

it('the result lists unknown fields, and the event is accepted', async () => {
  const { results } = await ingestUsageEvents(costing.live, [
    call({ model: 'sonnet', userId: 'kim', cached_tokens: 900 }),
    call({ model: 'sonnet', ...USAGE }),
  ]);
  expect(results.map(({ status, message }) => [status, message])).toEqual([
    [
      'accepted',
      'Queued for cost calculation. Not understood: userId, cached_tokens; did you mean user_id, cache_read_input_tokens?',
    ],
    ['accepted', 'Queued for cost calculation'],
  ]);
  expect((await listUnknownFields(costing.live)).map(({ name, meant }) => [name, meant])).toEqual([
    ['cached_tokens', 'cache_read_input_tokens'],
    ['userId', 'user_id'],
  ]);
  expect(await listUnknownFields(costing.stranger)).toEqual([]);
  await costing.send([call({ model: 'sonnet', userId: 'kim', ['x'.repeat(300)]: 1, ['\0\ud800']: 1 })]);
  expect((await listUnknownFields(costing.live)).length).toBe(4);
});
