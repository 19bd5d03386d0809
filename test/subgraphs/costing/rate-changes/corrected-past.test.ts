/** A release that changes a price corrected by hand changes the past too, for as long as the correction applies. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { importCatalogue } from '../../../../subgraphs/costing/rate-changes/import-catalogue.operation.ts';
import { type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

it('a version without a lower bound is replaced, and ends where the next one begins', async () => {
  // The price of cached tokens of o3 is corrected until 2025-06-10.
  const release = (input_mtok: number) => [
    {
      id: 'openai',
      name: 'OpenAI',
      models: [{ id: 'o3', match: { equals: 'o3' }, prices: { input_mtok, cache_read_mtok: 0.5, output_mtok: 40 } }],
    },
  ];
  await importCatalogue(costing.global, release(10));
  expect(await importCatalogue(costing.global, release(12))).toMatchObject({ changed: ['openai/o3'], held: [] });
  const day = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`;
  expect(
    await costing.rows(`select coalesce(${day('effective_from')}, 'ever') as from,
        case when effective_to > now() - interval '1 hour' then 'now' else ${day('effective_to')} end as until,
        trim_scale(input)::text as input, trim_scale(cache_read)::text as cached
      from rate_card_version where superseded_at is null and (effective_from is null or effective_from < '2026-01-01')
      order by effective_from nulls first`),
  ).toEqual([
    { from: 'ever', until: '2025-06-10', input: '12', cached: '2.5' },
    { from: '2025-06-10', until: 'now', input: '10', cached: '0.5' },
  ]);
});
