/** Backfills and rebuilds are operations: they are listed, continue by themselves, and can be cancelled and resumed. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { queryOne } from '#platform/database/sql.ts';
import { createLog } from '#platform/log.ts';
import { takeOperation } from '#platform/operations/operation-lease.ts';
import { takeSteps } from '#platform/operations/run-operation.ts';
import { NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import { rebuildKind } from '../../../../subgraphs/attribution/feed/rebuild.step.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

interface Operation {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly done: number;
  readonly total: number | null;
  readonly parameters: object;
}

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

const EVER = { start: '2025-01-01', end: '2027-01-01' };
const FIELDS = '{ id kind state done total parameters { name value } }';

async function list(organizationId: string): Promise<Operation[]> {
  const found = await world.ask<{ attributionOperations: { nodes: Operation[] } }>(
    organizationId,
    `{ attributionOperations { nodes ${FIELDS} } }`,
  );
  return found.attributionOperations.nodes;
}

const change = (organizationId: string, action: 'Cancel' | 'Resume', id: string) =>
  world.ask(
    organizationId,
    `mutation ($id: ID!) { attributionOperation${action}(input: { id: $id }) { operation { id } userErrors { code } } }`,
    { id },
  );

async function costOf(organizationId: string): Promise<string> {
  const { window } = await world.ask<{ window: { costsByModel: { totalCost: string } } }>(
    organizationId,
    'query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { costsByModel { totalCost } } }',
    EVER,
  );
  return window.costsByModel.totalCost;
}

const stateOf = async (organizationId: string) =>
  (await world.ask<{ dimensions: { state: string }[] }>(organizationId, '{ dimensions { state } }')).dimensions[0]
    ?.state;

it('a backfill is listed, stops at its position, reads stay exact, and it continues when resumed or registered again', async () => {
  const organizationId = randomUUID();
  const facts = ['a', 'b', 'a'].map((value) => aFact({ dimensions: { late: value }, totalCost: '0.5' }));
  world.feed.publish(organizationId, facts);
  await world.settle();
  const register = () =>
    world.ask(
      organizationId,
      'mutation { dimensionRegister(input: { key: "late" }) { dimension { key } userErrors { message } } }',
    );
  const byLate = () =>
    world.ask(
      organizationId,
      `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
        costsByDimension(key: "late") { items { dimensionValue totalCost } } } }`,
      EVER,
    );
  await register();
  while ((await world.step('keep-rollups')) === 'more');
  const [backfill] = await list(organizationId);
  expect(backfill).toMatchObject({
    kind: 'backfill',
    state: 'RUNNING',
    done: 0,
    total: 3,
    parameters: [{ name: 'keys', value: 'late' }],
  });
  const costs = await byLate();
  expect(costs).toMatchObject({
    window: {
      costsByDimension: {
        items: [
          { dimensionValue: 'a', totalCost: '1' },
          { dimensionValue: 'b', totalCost: '0.5' },
        ],
      },
    },
  });
  await change(organizationId, 'Cancel', backfill!.id);
  await world.settle();
  expect([await stateOf(organizationId), (await list(organizationId)).length]).toEqual(['BACKFILLING', 1]);
  expect(await byLate()).toEqual(costs);

  await register();
  expect(await list(organizationId)).toMatchObject([{ id: backfill!.id, state: 'RUNNING' }]);
  await change(organizationId, 'Cancel', backfill!.id);
  await change(organizationId, 'Resume', backfill!.id);
  await world.settle();
  expect(await list(organizationId)).toMatchObject([{ id: backfill!.id, state: 'FINISHED', done: 3 }]);
  expect([await stateOf(organizationId), await byLate()]).toEqual(['READY', costs]);
});

it('a rebuild is cancelled and resumed with its original parameters, and starts over when requested again', async () => {
  const organizationId = randomUUID();
  world.feed.publish(
    organizationId,
    Array.from({ length: 4 }, () => aFact({ totalCost: '1' })),
  );
  await world.settle();
  const sql = (text: string) => world.database.orm.em.fork().getConnection().execute(text, [organizationId]);
  await sql('delete from cost_fact where organization_id = ?');
  const start = async (input = '{}') =>
    (
      await world.ask<{ rebuildStart: { operation: Operation } }>(
        organizationId,
        `mutation { rebuildStart(input: ${input}) { operation ${FIELDS} userErrors { message code } } }`,
      )
    ).rebuildStart.operation;
  const rebuild = await start();
  expect(rebuild).toMatchObject({ kind: 'rebuild', state: 'RUNNING', parameters: [] });
  expect(await start()).toMatchObject({ id: rebuild.id });
  const warnings = async () =>
    (
      await world.ask<{ window: { warnings: { type: string }[] } }>(
        organizationId,
        'query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { warnings { type } } }',
        EVER,
      )
    ).window.warnings.filter(({ type }) => type !== 'window_ends_in_future');
  expect(await warnings()).toEqual([{ type: 'comparing_with_ledger' }]);
  await change(organizationId, 'Cancel', rebuild.id);
  await world.settle();
  expect(await costOf(organizationId)).toBe('0');
  expect(await warnings()).toEqual([]);
  await change(organizationId, 'Resume', rebuild.id);
  await world.settle();
  expect(await costOf(organizationId)).toBe('4');
  const ofRebuild = (await list(organizationId)).filter(({ kind }) => kind === 'rebuild');
  expect(ofRebuild).toMatchObject([{ id: rebuild.id, state: 'FINISHED', done: 4 }]);
  expect(
    (
      await world.ask<{ verifyAttribution: { differences: string[] }[] }>(
        organizationId,
        '{ verifyAttribution { differences } }',
      )
    ).verifyAttribution.flatMap(({ differences }) => differences),
  ).toEqual([]);

  await sql('delete from cost_fact where organization_id = ?');
  const ofTime = await start('{ start: "2020-01-01", end: "2020-02-01" }');
  expect(ofTime.id).not.toBe(rebuild.id);
  await world.settle();
  expect(ofTime.parameters).toContainEqual({ name: 'end', value: expect.stringContaining('2020-02-01') });
  await world.ask(null, 'mutation { rebuildStart(input: {}) { organizations userErrors { message code } } }');
  await world.settle();
  expect(await costOf(organizationId)).toBe('4');
});

it('a rebuild of everything that is requested again as it ends starts over', async () => {
  const { database, feed } = world;
  feed.publish(randomUUID(), [aFact()]);
  await world.settle();
  const start = () =>
    world.ask<{ rebuildStart: { operation: { id: string } } }>(
      null,
      'mutation { rebuildStart(input: {}) { operation { id } userErrors { message code } } }',
    );
  const { id } = (await start()).rebuildStart.operation;
  const owner = randomUUID();
  const { claimed, last } = await database.system(async (tx) => ({
    claimed: await takeOperation(tx, NO_ORGANIZATION, id, owner),
    last: (await queryOne<{ id: string }>(tx, 'select max(organization_id::text) as id from feed_place')).id,
  }));
  const kind = rebuildKind({ database, gateway: feed.gateway, log: createLog('silent') });
  let ends = 0;
  const watched: typeof kind = {
    ...kind,
    step(operation, commit, of) {
      const place = operation.place as { organizationId: string; replay: unknown } | null;
      const isEnd = place?.organizationId === last && place.replay === null;
      return kind.step(
        operation,
        async (work) => {
          if (isEnd && ends++ === 0) await start();
          return commit(work);
        },
        of,
      );
    },
  };
  const ended = await takeSteps(database, watched, claimed!, owner, () => true);
  expect(ended?.state).toBe('finished');
  expect(ends).toBe(2);
});
