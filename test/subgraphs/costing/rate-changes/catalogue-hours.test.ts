/** Hours of the price package's JSON, from the document to the cost of an event. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { importCatalogue } from '../../../../subgraphs/costing/rate-changes/import-catalogue.operation.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

/** As the package's repository publishes it: constraints have no type. The hours belong to the price before them. */
const PRICES = [
  { prices: { input_mtok: 1, output_mtok: 2 } },
  { constraint: { start_date: '2026-06-01' }, prices: { input_mtok: 4, output_mtok: 8 } },
  { constraint: { start_time: '16:30:00Z', end_time: '00:30:00Z' }, prices: { input_mtok: 1.5, output_mtok: 3 } },
];

it.each([
  ['before the price began', '2026-05-31T20:00:00Z', '1'],
  ['on a day before its hours', '2026-06-01T16:29:59Z', '4'],
  ['when they begin', '2026-06-01T16:30:00Z', '1.5'],
  ['after midnight', '2026-06-02T00:29:59Z', '1.5'],
  ['when they end', '2026-06-02T00:30:00Z', '4'],
  ['on a Saturday alike', '2026-06-06T20:00:00Z', '1.5'],
])('a price for certain hours applies or not to a call %s', async (_when, at, cost) => {
  const model = { id: 'night-1', match: { equals: 'night-1' }, prices: PRICES };
  const { added, omitted } = await importCatalogue(costing.global, {
    date: '2026-11-20',
    providers: [{ id: 'openai', name: 'OpenAI', models: [model] }],
  });
  expect({ added, omitted }).toEqual({ added: ['openai/night-1'], omitted: [] });
  await costing.send([
    call({ model: 'night-1', provider: 'openai', input_tokens: 1_000_000, output_tokens: 0, event_invoked_at: at }),
  ]);
  await costing.settle();
  expect(Object.values(await costing.costs())).toEqual([cost]);
});
