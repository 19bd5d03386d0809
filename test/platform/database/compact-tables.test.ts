import { afterEach, beforeEach, expect, it } from 'vitest';
import { compactTables } from '#platform/database/compact-tables.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { PATIENCE } from '../../support/patience.ts';
import { type Costing, event, startCosting } from '../../subgraphs/costing/costing-builder.ts';

const MEGABYTE = 1024 ** 2;

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

const compact = ({ isDryRun = false, freeBytes = Infinity } = {}) =>
  compactTables(
    'costing',
    { ...costing.database.target, freeBytes: () => freeBytes },
    { isDryRun, progress: () => {} },
  );

/** 10,000 events whose metadata, more than half of their bytes, is removed. */
async function removeMetadata(): Promise<void> {
  await costing.send([event('one', { metadata: { note: 'x'.repeat(900) } })]);
  await costing.rows(
    `insert into usage_event select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'idempotency_key', n::text))).*
    from usage_event e, generate_series(1, 10000) as n`,
  );
  await costing.rows('update usage_event set metadata = null');
}

const contents = async () =>
  costing.rows("select md5(string_agg(usage_event::text, ',' order by id)) as rows, count(*)::int from usage_event");

it('compaction returns the space of removed metadata, and changes no row', async () => {
  await removeMetadata();
  const before = await contents();
  const shown = await compact({ isDryRun: true });
  expect(shown).toEqual([
    { table: 'costing.usage_event', before: expect.any(Number), after: shown[0]!.before, free: expect.any(Number) },
  ]);
  const [{ before: bytes, after } = { before: 0, after: 0 }] = await compact();
  expect(bytes).toBe(shown[0]!.before);
  expect(after).toBeLessThan(bytes / 2);
  expect(bytes - after).toBeGreaterThan(shown[0]!.free - MEGABYTE);
  expect(await contents()).toEqual(before);
  expect(await compact()).toEqual([]);
});

it('compaction does not touch tables that are full', async () => {
  await costing.send([event('one', { metadata: { note: 'x'.repeat(900) } })]);
  await costing.rows(
    `insert into usage_event select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'idempotency_key', n::text))).*
    from usage_event e, generate_series(1, 10000) as n`,
  );
  expect(await compact()).toEqual([]);
});

it('compaction does not touch the space that a fill factor keeps free for updates', async () => {
  await withClient(costing.database.target, (client) => client.query('alter table usage_event set (fillfactor = 60)'));
  try {
    await removeMetadata();
    expect(await compact()).toHaveLength(1);
    expect(await compact()).toEqual([]);
  } finally {
    await withClient(costing.database.target, (client) => client.query('alter table usage_event reset (fillfactor)'));
  }
});

it('compaction says which table could not be rewritten, in one sentence', async () => {
  await removeMetadata();
  await withClient(costing.database.target, async (reader) => {
    await reader.query('begin; select 1 from usage_event limit 1');
    const compacted = compact().catch((error: Error) => error);
    const end = async () => {
      const { rowCount } = await reader.query(
        "select pg_terminate_backend(pid) from pg_locks where not granted and relation = 'usage_event'::regclass",
      );
      return rowCount;
    };
    await expect.poll(end, { ...PATIENCE, interval: 10 }).toBe(1);
    expect(await compacted).toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/^costing\.usage_event could not be rewritten and is unchanged: .+/),
    });
    await reader.query('commit');
  });
});

it('compaction stops before it fills the disk', async () => {
  await removeMetadata();
  const [table] = await compact({ isDryRun: true });
  await expect(compact({ freeBytes: MEGABYTE })).rejects.toThrow(
    /^costing\.usage_event needs [\d.]+ MB of free disk space for its copy, and 1 MB are left$/,
  );
  expect(await compact({ isDryRun: true })).toMatchObject([{ before: table!.before }]);
});

it('compaction waits until nothing else uses the table, and does not hold up other queries for long', async () => {
  await removeMetadata();
  await withClient(costing.database.target, async (reader) => {
    await reader.query('begin; select 1 from usage_event limit 1');
    const compacted = compact();
    const isWaiting = async () => {
      const { rows } = await reader.query(
        "select 1 from pg_locks where not granted and relation = 'usage_event'::regclass",
      );
      return rows.length > 0;
    };
    await expect.poll(isWaiting, { ...PATIENCE, interval: 10 }).toBe(true);
    // The rewrite withdraws its lock request from the queue.
    await expect.poll(isWaiting, { ...PATIENCE, interval: 10 }).toBe(false);
    await reader.query('commit');
    expect(await compacted).toHaveLength(1);
  });
});
