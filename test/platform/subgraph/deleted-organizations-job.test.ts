/** Data kept for a deleted organization is deleted automatically, and again if something restores it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { deleteOrganizationData } from '#platform/subgraph/delete-organization-rows.ts';
import { deletedOrganizationsJob } from '#platform/subgraph/deleted-organizations-job.ts';
import { setRate } from '../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { type Costing, event, events, startCosting } from '../../subgraphs/costing/costing-builder.ts';

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
});
afterAll(() => costing.close());

const rowsOf = async (organizationId: string | null) =>
  (
    await costing.rows<{ count: number }>(
      `select (select count(*) from usage_event where organization_id = $1)::int + (select count(*) from cost_entry where organization_id = $1)::int
         + (select count(*) from priced_batch where organization_id = $1)::int + (select count(*) from rate_card where organization_id = $1)::int as count`,
      [organizationId],
    )
  )[0]!.count;

it('all rows of a deleted organization are deleted and none of others, the log records it, and rows that reappear are found', async () => {
  const other = costing.stranger.principal.organizationId;
  await setRate(costing.operator, { model: 'of-its-own', input: '1', output: '2' });
  await costing.send(events(30, 'of-the-deleted'));
  await costing.send([event('of-another')], costing.stranger);
  await costing.settle();
  expect(await rowsOf(costing.organizationId)).toBeGreaterThan(60);
  const before = await rowsOf(other);

  let deleted: string[] = [];
  // Identity, in another process.
  const gateway = {
    execute: async (_document: string, { after }: { after: string | null }) => ({
      data: { deletedOrganizations: after === null ? deleted : [] },
    }),
  } as unknown as GatewayClient;
  const job = deletedOrganizationsJob({ database: costing.database, gateway });
  const runAll = async () => {
    while ((await job.step()) === 'more');
  };
  await runAll();
  expect(await rowsOf(costing.organizationId)).toBeGreaterThan(60);

  deleted = [costing.organizationId];
  await runAll();
  expect([await rowsOf(costing.organizationId), await rowsOf(other)]).toEqual([0, before]);
  expect(await costing.rows('select act, actor_kind, subject_id from audit_record')).toEqual([
    { act: 'organization.deleted', actorKind: 'service', subjectId: costing.organizationId },
  ]);

  await costing.send([event('that-was-under-way')]);
  await costing.settle();
  expect(await rowsOf(costing.organizationId)).toBeGreaterThan(0);
  await runAll();
  expect([await rowsOf(costing.organizationId), await rowsOf(other)]).toEqual([0, before]);
});

it('a deleted organization is deleted in slices, and is finished only when a slice was not full', async () => {
  const id = costing.organizationId;
  await setRate(costing.operator, { model: 'of-its-own', input: '1', output: '2' });
  const slice = (limit: number) => deleteOrganizationData(costing.operator, { id, limit });
  const { rows: all } = await slice(20_000);
  await setRate(costing.operator, { model: 'of-its-own', input: '1', output: '2' });
  expect(await slice(1)).toEqual({ rows: 1, isFinished: false });
  expect(await slice(all - 1)).toEqual({ rows: all - 1, isFinished: false });
  expect(await slice(1)).toEqual({ rows: 0, isFinished: true });
  for (const limit of [0, 20_001])
    await expect(slice(limit)).rejects.toMatchObject({ message: 'limit must be from 1 to 20000' });
  const ofAnother = deleteOrganizationData(costing.operator, {
    id: costing.stranger.principal.organizationId!,
    limit: 1,
  });
  await expect(ofAnother).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
