import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dropMetadataJob } from '../../../../subgraphs/costing/erasure/drop-metadata.job.ts';
import { setMetadataRetention } from '../../../../subgraphs/costing/erasure/set-metadata-retention.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { type Costing, event, events, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

/** Moves the receipt of all events back by a number of days: their ids contain the time. */
async function receivedBefore(days: number, keys: string): Promise<void> {
  const earlier = `(lpad(to_hex((extract(epoch from now() - interval '${days} days') * 1000)::bigint), 12, '0') || substr(replace(id::text, '-', ''), 13))::uuid`;
  await costing.rows(
    `update cost_entry set event_id = ${earlier.replaceAll('id::text', 'event_id::text')}
     where event_id in (select id from usage_event where idempotency_key like $1)`,
    [keys],
  );
  await costing.rows(`update usage_event set id = ${earlier} where idempotency_key like $1`, [keys]);
}

async function settle(): Promise<void> {
  const job = dropMetadataJob({ database: costing.database }, 2);
  while ((await job.step()) === 'more');
}

const metadata = () =>
  costing.rows<{ key: string; metadata: object | null }>(
    'select idempotency_key as key, metadata from usage_event order by idempotency_key',
  );

describe('metadata beyond its retention', () => {
  it('is removed from old events, in steps, except the kept dimensions and keys that prices depend on', async () => {
    const more = { metadata: { note: 'private', team: 'blue', web_searches: 2 }, session_id: 'a-session' };
    await costing.send([...events(5, 'old', more), event('young', more)]);
    await costing.settle();
    await receivedBefore(70, 'old%');
    const costs = await costing.costs();
    await settle();
    expect(JSON.stringify(await metadata()).match(/private/g)).toHaveLength(6);

    await setMetadataRetention(costing.operator, { months: 2, keepDimensions: ['team'] });
    await settle();
    const kept = await metadata();
    expect(kept.filter(({ key }) => key !== 'young').map((row) => row.metadata)).toEqual(
      Array.from({ length: 5 }, () => ({ team: 'blue', web_searches: 2 })),
    );
    expect(kept.find(({ key }) => key === 'young')?.metadata).toEqual(more.metadata);
    expect(await costing.costs()).toEqual(costs);
    expect(await costing.rows('select distinct session_id from usage_event')).toEqual([{ sessionId: 'a-session' }]);

    await receivedBefore(62, 'young');
    await settle();
    expect(JSON.stringify(await metadata())).toContain('private');
    await costing.rows("update metadata_retention set next_look_at = now() - interval '1 second'");
    await settle();
    expect(JSON.stringify(await metadata())).not.toContain('private');
    await reprice(costing.operator, { start: '2020-01-01', end: '2100-01-01', dryRun: true });
  });

  it('is kept without a limit, or if the limit is lifted in time', async () => {
    await costing.send([event('old', { metadata: { note: 'kept' } })]);
    await costing.settle();
    await receivedBefore(400, 'old');
    await setMetadataRetention(costing.operator, { months: 12, keepDimensions: [] });
    await setMetadataRetention(costing.operator, { keepDimensions: [] });
    await settle();
    expect(await metadata()).toEqual([{ key: 'old', metadata: { note: 'kept' } }]);
    await expect(setMetadataRetention(costing.operator, { months: 0, keepDimensions: [] })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});
