/** Bills as stored: each connection by itself, the latest import of a day, limits of uploads, and decisions that end. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '#kernel/time/duration.ts';
import type { Database } from '#platform/database/open-database.ts';
import { query } from '#platform/database/sql.ts';
import { createLog } from '#platform/log.ts';
import { anonymous } from '#platform/principal.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { deleteBillConnection } from '../../../subgraphs/reconciliation/connections/delete-bill-connection.operation.ts';
import { openConnection } from '../../../subgraphs/reconciliation/connections/open-connection.step.ts';
import {
  type BillFixRow,
  findFix,
  insertFix,
  recordRepair,
  revertFix,
  withdrawFix,
} from '../../../subgraphs/reconciliation/decisions/bill-fix.table.ts';
import type { BillSource } from '../../../subgraphs/reconciliation/lines/bill-line.ts';
import { reconciliation } from '../../../subgraphs/reconciliation/main.ts';
import { listLines } from '../../../subgraphs/reconciliation/pulls/bill-line.table.ts';
import { forgetUploadsJob } from '../../../subgraphs/reconciliation/pulls/forget-uploads.job.ts';
import { importBill } from '../../../subgraphs/reconciliation/pulls/import-bill.operation.ts';
import { saveBillPart } from '../../../subgraphs/reconciliation/pulls/save-bill-part.operation.ts';
import { freshDatabase } from '../../support/fresh-database.ts';

let database: Database;
beforeAll(async () => {
  database = await freshDatabase(reconciliation);
});
afterAll(() => database.close());

const contextOf = (organizationId: string): SubgraphContext => ({
  database,
  principal: { ...anonymous(randomUUID()), kind: 'operator', organizationId },
  log: createLog('silent'),
});
const rows = <Row>(sql: string, parameters: readonly unknown[]) =>
  database.system((tx) => query<Row>(tx, sql, parameters as unknown[]));

const DAY = '2025-10-07';
const HEADER = 'start_time,end_time,amount_value,amount_currency,line_item\n';
/** OpenAI's costs of one day. */
const billOf = (value: string) => `${HEADER}1759795200,1759881600,${value},usd,"gpt-5-mini, input"\n`;

async function billed(organizationId: string): Promise<Record<string, (string | undefined)[]>> {
  const range = { organizationId, from: DAY, until: '2025-10-08', connectionId: null, max: 10 };
  const lines = await database.snapshot(organizationId, (tx) => listLines(tx, range));
  return Object.fromEntries([...lines].map(([id, own]) => [id, own.map(({ net }) => net?.toFixed())]));
}

describe('the bills of two connections of one source', () => {
  async function twoConnections() {
    const organizationId = randomUUID();
    const open = (name: string, source: BillSource = 'openai.costs') =>
      database.write(organizationId, (tx) => openConnection(tx, { organizationId, source, name, at: new Date() }));
    const [one, other] = [await open('one'), await open('other')];
    const put = (connectionId: string, value: string) =>
      importBill(contextOf(organizationId), { text: billOf(value), connectionId });
    return { organizationId, one, other, open, put };
  }

  it('do not replace each other, even if their bytes are the same', async () => {
    const { organizationId, one, other, put } = await twoConnections();
    expect(await put(one, '0.9')).toMatchObject({ connectionId: one, isNew: true });
    expect(await put(other, '0.9')).toMatchObject({ connectionId: other, isNew: true });
    await put(other, '0.5');
    expect(await billed(organizationId)).toEqual({ [one]: ['0.9'], [other]: ['0.5'] });
  });

  it('are deleted with their connection, and nothing of the other one', async () => {
    const { organizationId, one, other, put } = await twoConnections();
    for (const connectionId of [one, other]) await put(connectionId, '0.9');
    const tables = await rows<{ name: string }>(
      `select table_name as name from information_schema.columns
       where column_name = 'connection_id' and table_schema = 'public' order by 1`,
      [],
    );
    expect(tables.length).toBeGreaterThan(3);
    const left = async (connectionId: string) => {
      const counts = tables.map(({ name }) =>
        rows<{ count: number }>(`select count(*)::int as count from ${name} where connection_id = $1`, [connectionId]),
      );
      return (await Promise.all(counts)).map(([row]) => row!.count);
    };
    const before = await left(other);
    expect(before.filter((count) => count > 0).length).toBeGreaterThan(3);
    await deleteBillConnection(contextOf(organizationId), { id: one });
    expect(await left(one)).toEqual(tables.map(() => 0));
    expect(await left(other)).toEqual(before);
  });

  it('bills of a connection must come from the source of that connection', async () => {
    const { open, put } = await twoConnections();
    await expect(put(await open('three', 'anthropic.cost_report'), '0.9')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'connectionId: this file is from openai.costs, but the connection is for anthropic.cost_report',
    });
    await expect(put(randomUUID(), '0.9')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are replaced by an earlier file that is imported again', async () => {
    const { organizationId, one, put } = await twoConnections();
    const isNew = [];
    for (const value of ['0.9', '0.5', '0.9', '0.9']) isNew.push((await put(one, value)).isNew);
    expect(isNew).toEqual([true, true, true, false]);
    expect(await billed(organizationId)).toEqual({ [one]: ['0.9'] });
  });
});

describe('uploads', () => {
  const save = (organizationId: string, uploadId: string, text: string) =>
    saveBillPart(contextOf(organizationId), { uploadId, part: 0, data: Buffer.from(text).toString('base64') });

  it('are imported one by one', async () => {
    const organizationId = randomUUID();
    const [one, other] = [randomUUID(), randomUUID()];
    await save(organizationId, one, billOf('0.9'));
    await save(organizationId, other, billOf('0.5'));
    expect(await importBill(contextOf(organizationId), { uploadId: one })).toMatchObject({ isNew: true, lines: 1 });
    expect(await importBill(contextOf(organizationId), { uploadId: other })).toMatchObject({ isNew: true, lines: 1 });
  });

  it('uploads of an organization have at most 128 MiB at a time', async () => {
    const organizationId = randomUUID();
    await rows(
      `insert into bill_upload (organization_id, upload_id, part, created_at, data)
       select $1, $2, part, now(), convert_to(repeat('x', 512 * 1024 - (part = 0)::int), 'UTF8') from generate_series(0, 255) as part`,
      [organizationId, randomUUID()],
    );
    await save(organizationId, randomUUID(), 'x');
    await expect(save(organizationId, randomUUID(), 'x')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    await save(randomUUID(), randomUUID(), 'x');
  });

  it('are deleted if they were not finished within a day', async () => {
    const organizationId = randomUUID();
    for (const hours of [23, 25])
      await rows(
        `insert into bill_upload (organization_id, upload_id, part, created_at, data)
         values ($1, gen_random_uuid(), $2::int, now() - $2::int * interval '1 hour', 'x')`,
        [organizationId, hours],
      );
    await forgetUploadsJob({ database }).step();
    expect(await rows('select part from bill_upload where organization_id = $1', [organizationId])).toEqual([
      { part: 23 },
    ]);
  });
});

describe('a decision', () => {
  async function decided(more: Partial<BillFixRow> = {}): Promise<{ organizationId: string; id: string }> {
    const key = { organizationId: randomUUID(), id: randomUUID() };
    const fix: BillFixRow = {
      ...key,
      connectionId: randomUUID(),
      kind: 'RATE',
      day: DAY,
      lastDay: DAY,
      model: 'gpt-5',
      unit: null,
      amount: '1',
      scope: null,
      cause: null,
      note: '',
      rateCardId: null,
      agreementId: null,
      operationId: null,
      appliedAt: new Date(),
      appliedBy: null,
      revertedAt: null,
      ...more,
    };
    await database.system((tx) => insertFix(tx, fix));
    return key;
  }
  const repair = { rateCardId: randomUUID(), agreementId: null, operationId: null };

  it('is reverted once, and keeps the time of that', async () => {
    const key = await decided();
    const [first, second] = [new Date(0), new Date(DAY_MS)];
    expect(await database.system((tx) => revertFix(tx, { ...key, at: first }))).not.toBeNull();
    expect(await database.system((tx) => revertFix(tx, { ...key, at: second }))).toBeNull();
    expect(await database.system((tx) => findFix(tx, key))).toMatchObject({ revertedAt: first.toISOString() });
  });

  it('a decision that was reverted records no repair, so that the repair is undone', async () => {
    const key = await decided({ revertedAt: new Date() });
    expect(await database.system((tx) => recordRepair(tx, { ...key, ...repair }))).toBeNull();
    expect(await database.system((tx) => findFix(tx, key))).toMatchObject({ rateCardId: null });
  });

  it.each([
    ['nothing', {}, false],
    ['a rate', { rateCardId: randomUUID() }, true],
    ['an agreement', { agreementId: randomUUID() }, true],
  ])('a decision that changed %s is withdrawn: %j, and stays: %s', async (_, more, stays) => {
    const key = await decided(more);
    await database.system((tx) => withdrawFix(tx, key));
    expect((await database.system((tx) => findFix(tx, key))) !== null).toBe(stays);
  });
});
