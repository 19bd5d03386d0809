import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { query } from '#platform/database/sql.ts';
import { getCredits } from '../../../../subgraphs/costing/credits/get-credits.operation.ts';
import { setPlan } from '../../../../subgraphs/costing/credits/set-plan.operation.ts';
import { verifyCredits } from '../../../../subgraphs/costing/credits/verify-credits.query.ts';
import { ingestUsageEvents } from '../../../../subgraphs/costing/ingestion/ingest-usage-events.operation.ts';
import { isOnNodes } from '../../../support/fresh-database.ts';
import { type Costing, event, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
});
afterAll(() => costing.close());

const WAITING =
  'select distinct pid from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted';

it.skipIf(isOnNodes())(
  'a plan that covers either of two batches, but not both, pays for one and as much as possible of the other',
  async () => {
    await setPlan(costing.live, { allotment: 100 });
    const batch = (name: string) =>
      ingestUsageEvents(
        costing.live,
        Array.from({ length: 60 }, (_, index) => event(`${name}-${index}`)),
      );
    const together = await costing.database.system(async (tx) => {
      await query(tx, 'select from credit_account for update');
      const sent = Promise.all([batch('a'), batch('b')]);
      // Each batch has read the current plan, and waits to debit the account.
      await vi.waitFor(async () => expect(await costing.rows(WAITING)).toHaveLength(2), { timeout: 10_000 });
      return { sent };
    });
    const results = await together.sent;
    expect(results.map(({ accepted }) => accepted).toSorted((one, other) => one - other)).toEqual([40, 60]);
    expect(await costing.rows('select from usage_event')).toHaveLength(100);
    expect(
      (await costing.rows<{ ids: string[] }>('select event_ids as ids from pricing_job')).flatMap(({ ids }) => ids),
    ).toHaveLength(100);
    expect(await getCredits(costing.live)).toMatchObject({ allotmentLeft: 0, creditsLeft: 0 });
    const { organizationId } = costing.live.principal;
    const checks = await costing.database.system((tx) => verifyCredits(tx, organizationId!));
    expect(checks.flatMap(({ differences }) => differences)).toEqual([]);
  },
);
