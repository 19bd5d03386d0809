/** If several cards are written concurrently, no event keeps waiting that one of them prices. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { query } from '#platform/database/sql.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { calls, type Costing, startCosting } from '../costing-builder.ts';
import { isOnNodes } from '../../../support/fresh-database.ts';

let pricing: Costing;
beforeEach(async () => {
  pricing = await startCosting();
});
afterEach(() => pricing.close());

it.skipIf(isOnNodes())(
  'the pass of a new card over waiting events waits for the pass of another card over the same events',
  async () => {
    await pricing.send(calls(300, { model: 'acme-1-large' }));
    await pricing.settle();
    const { written } = await pricing.database.system(async (tx) => {
      // The pass for a card that does not price these events, in the middle of its page.
      await query(tx, 'select 1 from unpriced_event for update');
      const written = setRate(pricing.global, { model: 'acme-1-large', input: '1', output: '0' });
      await waitsOrIsOver();
      return { written };
    });
    expect((await written).requeuedEvents).toBe(300);
    await pricing.settle();
    expect(await pricing.counts()).toMatchObject({ completed: 300, pendingRateCard: 0 });
  },
);

/** Waits until a transaction waits for a row of another one, or until the rate change has finished without waiting. */
async function waitsOrIsOver(): Promise<void> {
  for (let look = 0; look < 200; look++) {
    const [found] = await pricing.rows<{ isOver: boolean }>(
      `select exists (select from pg_locks where not granted and locktype = 'transactionid')
         or exists (select from operation where state = 'finished') as is_over`,
    );
    if (found?.isOver) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('every waiting event is priced if several matching cards are added at once', async () => {
  await pricing.send(calls(300, { model: 'acme-1-large' }));
  await pricing.settle();
  await Promise.all([
    setRate(pricing.global, { model: 'acme', input: '1', output: '0' }),
    setRate(pricing.global, { model: 'acme-1', input: '2', output: '0' }),
    setRate(pricing.operator, { model: 'acme-1-large', input: '3', output: '0' }),
  ]);
  await pricing.settle();
  expect(await pricing.counts()).toMatchObject({ completed: 300, pendingRateCard: 0 });
});
