/** The queue of export deliveries, when something else happens while a delivery is written. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '#platform/database/open-database.ts';
import { query } from '#platform/database/sql.ts';
import { addExportDelivery } from '../../../../subgraphs/alerting/exports/export-delivery.table.ts';
import {
  claimExport,
  endExport,
  failExport,
  parkExports,
} from '../../../../subgraphs/alerting/exports/export-queue.step.ts';
import { alerting } from '../../../../subgraphs/alerting/main.ts';
import { freshDatabase } from '../../../support/fresh-database.ts';

let database: Database;
beforeAll(async () => {
  database = await freshDatabase(alerting);
});
afterAll(() => database.close());

const AT = new Date('2026-11-27T06:00:00Z');

it('a delivery whose schedule is stopped meanwhile is not due again, whether it fails or succeeds', async () => {
  const [organizationId, id, scheduleId] = [randomUUID(), randomUUID(), randomUUID()];
  await database.system(async (tx) => {
    const period = { reportTable: 'charge_day', period: '2026-11-26' };
    await addExportDelivery(tx, { organizationId, id, scheduleId, ...period }, AT);
    const claimed = (await claimExport(tx, AT))!;
    expect(claimed).toMatchObject({ id, attempts: 1 });
    await parkExports(tx, organizationId, scheduleId);
    expect(await failExport(tx, claimed, { dueAt: AT, error: 'refused' })).toBe(false);
    const written = { at: AT, rows: 1, bytes: 1, sha256: 'aa', manifestKey: 'manifest.json' };
    expect(await endExport(tx, claimed, written)).toBe(false);
    expect(
      await query(tx, 'select due_at, last_error, delivered_at from export_delivery where organization_id = $1', [
        organizationId,
      ]),
    ).toEqual([{ dueAt: null, lastError: null, deliveredAt: null }]);
  });
});
