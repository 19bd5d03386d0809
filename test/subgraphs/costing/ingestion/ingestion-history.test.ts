import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { verifyCredits } from '../../../../subgraphs/costing/credits/verify-credits.query.ts';
import { addEventPack } from '../../../../subgraphs/costing/credits/add-event-pack.operation.ts';
import { ingestUsageEvents } from '../../../../subgraphs/costing/ingestion/ingest-usage-events.operation.ts';
import { getCredits } from '../../../../subgraphs/costing/credits/get-credits.operation.ts';
import { setPlan } from '../../../../subgraphs/costing/credits/set-plan.operation.ts';
import { event, type Costing, startCosting } from '../costing-builder.ts';
import { runs } from '../../../support/property-runs.ts';

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
});
afterAll(() => costing.close());

const keys = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 40 });
/** Waves of batches; the batches of one wave are sent at once. */
const history = fc.array(fc.array(keys, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });

function newOrganization(): SubgraphContext {
  return { ...costing.live, principal: { ...costing.live.principal, organizationId: randomUUID() } };
}

it('for any sequence of events, resends and concurrent requests: one key is one event and one credit, and the books are correct', async () => {
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.integer({ min: 0, max: 50 }),
      fc.integer({ min: 0, max: 10 }),
      async (waves, allotment, pack) => {
        const context = newOrganization();
        await setPlan(context, { allotment });
        if (pack > 0) await addEventPack(context, { events: pack });
        const idOfKey = new Map<string, string>();
        let wasRefused = false;

        for (const wave of waves) {
          const acceptedBefore = new Set(idOfKey.keys());
          await Promise.all(
            wave.map(async (batch) => {
              const items = batch.map((key) => event(`key-${key}`));
              const { results } = await ingestUsageEvents(context, items);
              results.forEach((result, index) => {
                const key = `key-${batch[index]}`;
                if (result.status === 'rejected') {
                  expect(result.error).toBe('PAYMENT_REQUIRED');
                  expect(acceptedBefore).not.toContain(key);
                  wasRefused = true;
                  return;
                }
                expect(idOfKey.get(key) ?? result.event_id).toBe(result.event_id);
                idOfKey.set(key, result.event_id);
              });
            }),
          );
        }

        const { organizationId } = context.principal;
        const stored = await costing.rows<{ key: string; id: string }>(
          'select idempotency_key as key, id::text from usage_event where organization_id = $1',
          [organizationId],
        );
        expect(new Map(stored.map(({ key, id }) => [key, id]))).toEqual(idOfKey);
        const queued = await costing.rows<{ id: string }>(
          'select unnest(event_ids)::text as id from pricing_job where organization_id = $1',
          [organizationId],
        );
        expect(queued.map(({ id }) => id).toSorted()).toEqual([...idOfKey.values()].toSorted());
        const { creditsLeft } = await getCredits(context);
        expect(creditsLeft).toBe(allotment + pack - idOfKey.size);
        if (wasRefused) expect(creditsLeft).toBe(0);
        const checks = await context.database.system((tx) => verifyCredits(tx, organizationId));
        expect(checks.flatMap(({ differences }) => differences)).toEqual([]);
      },
    ),
    runs(20, { nightly: 200 }),
  );
});
