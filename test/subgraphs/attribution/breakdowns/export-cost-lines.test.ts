import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { parseWindow } from '#kernel/time/window.ts';
import { query } from '#platform/database/sql.ts';
import { exportCostLines } from '../../../../subgraphs/attribution/breakdowns/export-cost-lines.operation.ts';
import { HANDED_OVER_END_USERS_MAX } from '../../../../subgraphs/attribution/config.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';
import { MINUTES } from '../../../support/patience.ts';

// Sends large or very many bodies.
vi.setConfig(MINUTES);

const WINDOW = parseWindow({ start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' });

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

/** Each with one event, on one day. */
function addEndUsers(organizationId: string, from: number, to: number): Promise<unknown> {
  return world.database.system((tx) =>
    query(
      tx,
      `with person as (
        insert into end_user (organization_id, id, external_id, first_seen_at)
        select $1, gen_random_uuid(), 'user-' || n, '2026-03-10T00:00:00Z' from generate_series($2::int, $3::int) as n returning id)
      insert into end_user_day (organization_id, bucket, end_user_id, total_cost, event_count)
      select $1, '2026-03-10T00:00:00Z', id, 0.5, 1 from person returning 1 as one`,
      [organizationId, from, to],
    ),
  );
}

it('the export of cost lines transfers as many end users as one margin accepts, and refuses one more before they are in memory', async () => {
  const organizationId = randomUUID();
  await addEndUsers(organizationId, 1, HANDED_OVER_END_USERS_MAX);
  const context = world.context(organizationId);
  expect((await exportCostLines(context, WINDOW)).endUsers).toHaveLength(HANDED_OVER_END_USERS_MAX);
  const turns: number[] = [];
  const timer = setInterval(() => turns.push(1), 1);
  await exportCostLines(context, WINDOW);
  clearInterval(timer);
  // Others get event-loop ticks in between.
  expect(turns.length).toBeGreaterThan(10);
  await addEndUsers(organizationId, 0, 0);
  await expect(exportCostLines(context, WINDOW)).rejects.toMatchObject({ code: 'UNPROCESSABLE_ENTITY' });
});
