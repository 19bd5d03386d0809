/** The queue of export deliveries, when something else happens while a delivery is written or closed months are read. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readConfig } from '#platform/config.ts';
import type { Database } from '#platform/database/open-database.ts';
import { query } from '#platform/database/sql.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { createLog } from '#platform/log.ts';
import { outboundClient } from '#platform/outbound/outbound-client.ts';
import { deliverExports } from '../../../../subgraphs/alerting/exports/deliver-exports.job.ts';
import { addExportDelivery } from '../../../../subgraphs/alerting/exports/export-delivery.table.ts';
import {
  claimExport,
  endExport,
  failExport,
  parkExports,
} from '../../../../subgraphs/alerting/exports/export-queue.step.ts';
import {
  type ExportScheduleRow,
  holdExportSchedules,
  saveExportScheduleRow,
} from '../../../../subgraphs/alerting/exports/export-schedule.table.ts';
import { repeatClosedExports } from '../../../../subgraphs/alerting/exports/repeat-closed-exports.job.ts';
import { EXPORT_SECRET } from '../../../../subgraphs/alerting/exports/sealed-column.step.ts';
import { alerting } from '../../../../subgraphs/alerting/main.ts';
import { freshDatabase } from '../../../support/fresh-database.ts';
import { PATIENCE } from '../../../support/patience.ts';
import { sealingUnder } from '../../../support/sealing.ts';

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

const rows = <Row>(sql: string, parameters: readonly unknown[]) =>
  database.system((tx) => query<Row>(tx, sql, parameters as unknown[]));

/** A schedule that is next due in a hundred years. */
async function schedule(more: Partial<ExportScheduleRow> = {}): Promise<ExportScheduleRow> {
  const later = new Date('2126-01-01T00:00:00Z');
  const row: ExportScheduleRow = {
    organizationId: randomUUID(),
    id: randomUUID(),
    name: 'To the lake',
    tables: ['charge_day'],
    format: 'CSV',
    period: 'MONTH',
    grain: null,
    version: null,
    endpoint: null,
    region: 'us-east-1',
    bucket: 'lake',
    prefix: '',
    accessKeyId: 'storage-user',
    sealedSecret: null,
    channelIds: [],
    nextPeriodStart: later,
    dueAt: later,
    lastError: null,
    stoppedReason: null,
    testedAt: null,
    closingsCheckedAt: null,
    costsOpenFrom: null,
    revenueOpenFrom: null,
    createdAt: AT,
    updatedAt: AT,
    updatedBy: null,
    ...more,
  };
  await database.system((tx) => saveExportScheduleRow(tx, row));
  return row;
}

/** Answers every document with these data. `beforeAnswer` runs first. */
function gatewayOf(data: () => unknown, beforeAnswer?: () => Promise<unknown>): GatewayClient {
  return {
    authenticate: async () => null,
    execute: async () => {
      await beforeAnswer?.();
      return { data: data() as never };
    },
    close: async () => {},
  };
}

describe('closed months', () => {
  const deliver = ({ organizationId, id }: ExportScheduleRow, reportTable: string, period: string) =>
    rows(
      `insert into export_delivery (organization_id, id, schedule_id, report_table, period, created_at, delivered_at, attempts)
       values ($1, gen_random_uuid(), $2, $3, $4, now(), now(), 9)`,
      [organizationId, id, reportTable, period],
    );
  const due = ({ organizationId }: ExportScheduleRow) =>
    rows(
      `select schedule_id, report_table, period, attempts from export_delivery
       where organization_id = $1 and due_at is not null order by period`,
      [organizationId],
    );
  const openFrom = (costs: string | null, revenue: string | null) => () => ({
    costs: { closedUntil: costs },
    revenue: { closedUntil: revenue },
  });
  async function check(gateway: GatewayClient): Promise<void> {
    await rows(
      "update export_schedule set closings_checked_at = now() - interval '1 hour' where closings_checked_at is not null",
      [],
    );
    const job = repeatClosedExports({ database, gateway, log: createLog('silent') });
    while ((await job.step()) === 'more');
  }

  it('are not exported again at the first check of a schedule; later checks export only those closed since', async () => {
    const own = await schedule();
    // The files of another schedule, another table and another organization stay as they are.
    const other = await schedule({
      organizationId: own.organizationId,
      dueAt: null,
      tables: ['charge_day', 'end_user'],
    });
    const foreign = await schedule({ dueAt: null });
    for (const period of ['2026-08', '2026-09', '2026-09-30', '2026-10', '2026-10-01', '2026-11', '2026-11-01']) {
      await deliver(own, 'charge_day', period);
      await deliver(own, 'end_user', period);
      await deliver(other, 'charge_day', period);
      await deliver(foreign, 'charge_day', period);
    }
    await check(gatewayOf(openFrom('2026-10-01T00:00:00Z', null)));
    expect(await due(own)).toEqual([]);
    await check(gatewayOf(openFrom('2026-11-01T00:00:00Z', '2026-09-01T00:00:00Z')));
    const again = { scheduleId: own.id, reportTable: 'charge_day', attempts: 0 };
    expect(await due(own)).toEqual(['2026-08', '2026-10', '2026-10-01'].map((period) => ({ ...again, period })));
    expect(await due(foreign)).toEqual([]);
  });

  it('are not noted for a schedule that is stopped while they are read', async () => {
    const own = await schedule({ closingsCheckedAt: AT, costsOpenFrom: '2026-09' });
    await deliver(own, 'charge_day', '2026-09');
    const stop = () => rows('update export_schedule set due_at = null where id = $1', [own.id]);
    await check(gatewayOf(openFrom('2026-10-01T00:00:00Z', null), stop));
    expect(await rows('select costs_open_from from export_schedule where id = $1', [own.id])).toEqual([
      { costsOpenFrom: '2026-09' },
    ]);
    expect(await due(own)).toEqual([]);
  });
});

const LOST = 'its secret access key cannot be decrypted';
const NOT_ALLOWED = 'the person who saved it is no longer an owner or admin';

/** Adds a delivery that is due. */
function planned({ organizationId, id: scheduleId }: ExportScheduleRow): Promise<void> {
  const id = randomUUID();
  const period = { reportTable: 'charge_day', period: '2026-10' };
  return database.system((tx) => addExportDelivery(tx, { organizationId, id, scheduleId, ...period }, AT));
}

/** Attempts the delivery that is due. */
async function attempt(gateway: GatewayClient): Promise<void> {
  const job = deliverExports({
    database,
    gateway,
    log: createLog('silent'),
    config: readConfig({}),
    sealing: sealingUnder('x'.repeat(32)),
    outbound: outboundClient({ allowedHosts: [] }),
  });
  await job.step();
  await rows('update export_delivery set due_at = null', []);
}

const stateOf = ({ id }: ExportScheduleRow) =>
  rows('select name, stopped_reason from export_schedule where id = $1', [id]);

it.each([
  ['OWNER', LOST],
  ['ADMIN', LOST],
  ['MEMBER', NOT_ALLOWED],
  ['FINANCE', NOT_ALLOWED],
  ['VIEWER', NOT_ALLOWED],
  [null, NOT_ALLOWED],
])('the person who saved a schedule has the role %s, so it stops because %s', async (role, stoppedReason) => {
  const own = await schedule({ updatedBy: randomUUID() });
  await planned(own);
  await attempt(gatewayOf(() => ({ accountUserRole: role })));
  expect(await stateOf(own)).toEqual([{ name: own.name, stoppedReason }]);
});

describe('a schedule does not stop', () => {
  it('if it was saved while the rights were checked', async () => {
    const own = await schedule({ updatedBy: randomUUID() });
    await planned(own);
    const save = () => rows('update export_schedule set updated_at = now() where id = $1', [own.id]);
    await attempt(gatewayOf(() => ({ accountUserRole: 'MEMBER' }), save));
    expect(await stateOf(own)).toEqual([{ name: own.name, stoppedReason: null }]);
  });

  it('if it is being saved: the saved version stays', async () => {
    const own = await schedule();
    await planned(own);
    let attempted: Promise<void> | undefined;
    await database.system(async (tx) => {
      await holdExportSchedules(tx, own.organizationId);
      await saveExportScheduleRow(tx, { ...own, name: 'Saved', updatedAt: new Date() });
      attempted = attempt(gatewayOf(() => ({})));
      const WAITING = `select count(*)::int as waiting from pg_locks where not granted
        and pid in (select pid from pg_stat_get_activity(null) where datid = (select oid from pg_database where datname = current_database()))`;
      await vi.waitFor(async () => expect(await query(tx, WAITING, [])).toEqual([{ waiting: 1 }]), PATIENCE);
    });
    await attempted;
    expect(await stateOf(own)).toEqual([{ name: 'Saved', stoppedReason: null }]);
  });
});

it('a schedule whose secret was lost stops, with its deliveries, and the audit log says so', async () => {
  const [own, other] = [await schedule(), await schedule()];
  for (const one of [own, other]) await planned(one);
  await database.system((tx) => EXPORT_SECRET.discard(tx, [own.id], { actorKind: 'operator' }));
  const recordsOf = async ({ organizationId, id }: ExportScheduleRow) => [
    ...(await rows('select due_at is null as is_stopped, stopped_reason from export_schedule where id = $1', [id])),
    ...(await rows('select due_at is null as is_parked from export_delivery where organization_id = $1', [
      organizationId,
    ])),
    ...(await rows('select act as action, detail from audit_record where organization_id = $1', [organizationId])),
  ];
  const reason = 'its secret access key was lost';
  expect(await recordsOf(own)).toEqual([
    { isStopped: true, stoppedReason: reason },
    { isParked: true },
    { action: 'export_schedule.stopped', detail: `To the lake: ${reason}` },
  ]);
  expect(await recordsOf(other)).toEqual([{ isStopped: false, stoppedReason: null }, { isParked: false }]);
});
