/** Events of many organizations are priced in one transaction, but each organization's books are separate. */
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import { createLog } from '#platform/log.ts';
import {
  type ClaimBounds,
  claimPricingJobs,
} from '../../../../subgraphs/costing/pricing-queue/claim-pricing-jobs.step.ts';
import { BEFORE_ALL } from '../../../../subgraphs/costing/pricing-queue/due-organizations.query.ts';
import { closeCosts } from '../../../../subgraphs/costing/ledger/close-costs.operation.ts';
import { priceEventsJob } from '../../../../subgraphs/costing/pricing-queue/price-events.job.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { call, calls, type Costing, startCosting } from '../costing-builder.ts';
import { isOnNodes } from '../../../support/fresh-database.ts';

const BOUNDS: ClaimBounds = { jobsMax: 20, eventsMax: 1_000, bytesMax: 1_000_000, organizationsMax: 200 };
const log = createLog('silent');

let pricing: Costing;
let organizations: Costing[];
beforeEach(async () => {
  pricing = await startCosting();
  organizations = [pricing];
  while (organizations.length < 6) organizations.push(await startCosting(pricing.database));
  organizations.sort((one, other) => (one.organizationId < other.organizationId ? -1 : 1));
  await setRate(pricing.global, { model: 'acme-1', input: '1', output: '0' });
});
afterEach(() => pricing.close());

const jobOf = (bounds: Partial<ClaimBounds> = {}) =>
  priceEventsJob({ database: pricing.database, log, bounds: { ...BOUNDS, ...bounds } });

async function priceAll(bounds: Partial<ClaimBounds> = {}): Promise<void> {
  const job = jobOf(bounds);
  while ((await job.step()) === 'more');
}

/** For each transaction: the number of organizations and events. */
const transactions = () =>
  pricing.rows<{ organizations: number; events: number }>(`
    select count(distinct organization_id)::int as organizations, count(*)::int as events
    from cost_entry group by recorded_at order by recorded_at`);

const differences = async () =>
  (await verifyCosting(pricing.global)).flatMap(({ check, differences: found }) => found.map((each) => [check, each]));

describe('few events of each of many organizations', () => {
  it.skipIf(isOnNodes())(
    'are priced in one transaction, and every organization has its own entries, counters and feed',
    async () => {
      for (const { send } of organizations) await send(calls(3, { user_id: 'kim' }));
      expect(await jobOf().step()).toBe('more');
      expect(await transactions()).toEqual([{ organizations: 6, events: 18 }]);
      for (const { counts, costs } of organizations) {
        expect(await counts()).toMatchObject({ completed: 3, pending: 0 });
        expect(Object.values(await costs())).toEqual(['0.001', '0.001', '0.001']);
      }
      expect(
        await pricing.rows(`select number::int as number, json_array_length(body -> 'facts') as facts, json_array_length(body -> 'endUsers') as users
        from priced_batch order by organization_id`),
      ).toEqual(organizations.map(() => ({ number: 1, facts: 3, users: 1 })));
      expect(await differences()).toEqual([]);
    },
  );

  it.skipIf(isOnNodes())('need no more statements than a few organizations do', async () => {
    const statements = async (count: number): Promise<number> => {
      const more = await Promise.all(Array.from({ length: count }, () => startCosting(pricing.database)));
      for (const { send } of more) await send([call()]);
      const sent = vi.spyOn(pg.Client.prototype, 'query');
      await jobOf().step();
      // The process may still have connections to the databases of other test files, and may open one meanwhile.
      const own = (sent.mock.contexts as pg.Client[]).flatMap((client, index) => {
        const text = String(sent.mock.calls[index]![0]);
        return client.database === pricing.database.target.dbName && !text.startsWith('select pg_backend_pid()')
          ? [{ client, text }]
          : [];
      });
      sent.mockRestore();
      const worker = own.find(({ text }) => text.startsWith('begin'))?.client;
      const inTransaction = own.filter(({ client }) => client === worker).length;
      expect(inTransaction).toBeGreaterThan(0);
      // Look-ups share a statement if they are requested at the same time.
      expect(own.length - inTransaction).toBeLessThanOrEqual(2);
      return inTransaction;
    };
    await statements(1);
    expect(await statements(20)).toBe(await statements(3));
    expect((await transactions()).map((each) => each.organizations)).toEqual([1, 20, 3]);
  });

  it('are priced one organization at a time if a transaction may contain only one', async () => {
    for (const { send } of organizations) await send(calls(2));
    await priceAll({ organizationsMax: 1 });
    expect(await transactions()).toEqual(organizations.map(() => ({ organizations: 1, events: 2 })));
    expect(await differences()).toEqual([]);
  });

  it.skipIf(isOnNodes())('share the limits, and every organization is served before any is served again', async () => {
    for (const { send } of organizations) for (let batch = 0; batch < 3; batch++) await send(calls(2));
    await jobOf({ eventsMax: 16 }).step();
    expect(await transactions()).toEqual([{ organizations: 6, events: 16 }]);
    await priceAll({ bytesMax: 0, eventsMax: 8 });
    expect((await transactions()).every(({ events }) => events <= 16)).toBe(true);
    expect(await differences()).toEqual([]);
  });

  it('are priced by two loops at once, each event once', async () => {
    for (let batch = 0; batch < 5; batch++) for (const { send } of organizations) await send(calls(4));
    const job = jobOf({ jobsMax: 2, eventsMax: 20 });
    const loop = async () => {
      while ((await job.step()) === 'more');
    };
    await Promise.all([loop(), loop(), loop()]);
    expect((await transactions()).reduce((total, { events }) => total + events, 0)).toBe(120);
    expect(await differences()).toEqual([]);
  });
});

it.skipIf(isOnNodes())(
  'an organization with many events never shares a transaction with those that have few',
  async () => {
    const [before, large, ...after] = organizations;
    for (let batch = 0; batch < 6; batch++) await large!.send(calls(100));
    for (const { send } of [before!, ...after]) await send(calls(2));
    const job = jobOf();
    while ((await job.step()) === 'more');
    expect(await transactions()).toEqual([
      { organizations: 1, events: 2 },
      { organizations: 1, events: 600 },
      { organizations: 4, events: 8 },
    ]);
  },
);

it.skipIf(isOnNodes())(
  'an organization with many events, most of which are already being priced, does not share a transaction',
  async () => {
    const [large, ...others] = organizations;
    for (let batch = 0; batch < 6; batch++) await large!.send(calls(100));
    await pricing.database.system(async (tx) => {
      await claimPricingJobs(tx, { organizationId: BEFORE_ALL, isQuiet: false }, { ...BOUNDS, jobsMax: 5 });
      for (const { send } of others) await send(calls(2));
      await jobOf().step();
    });
    expect(await transactions()).toEqual([{ organizations: 1, events: 100 }]);
  },
);

it.skipIf(isOnNodes())('an organization with many events does not block those with few', async () => {
  const [first, ...others] = organizations;
  for (let batch = 0; batch < 6; batch++) await first!.send(calls(100));
  for (const { send } of others) await send(calls(2));
  const job = jobOf();
  await job.step();
  await job.step();
  expect(await transactions()).toEqual([
    { organizations: 1, events: 600 },
    { organizations: 5, events: 10 },
  ]);
});

it.skipIf(isOnNodes())(
  'each organization is priced by its own cards, and books late costs by its own closed months',
  async () => {
    const [own, closed, plain] = organizations as [Costing, Costing, Costing];
    await setRate(own.operator, { model: 'acme-1', input: '7', output: '0' });
    await closeCosts(closed.operator, '2026-01');
    const old = { event_invoked_at: '2026-01-10T00:00:00Z', cost_override: '5' };
    for (const { send } of [own, closed, plain]) await send([call(), call(old)]);
    await priceAll();
    expect(await transactions()).toEqual([{ organizations: 3, events: 6 }]);
    const costs = async ({ costs: read }: Costing) => Object.values(await read()).sort();
    expect([await costs(own), await costs(closed), await costs(plain)]).toEqual([
      ['0.007', '5'],
      ['0.001', '5'],
      ['0.001', '5'],
    ]);
    expect(await pricing.rows('select organization_id from cost_entry where booked_time is not null')).toEqual([
      { organizationId: closed.organizationId },
    ]);
    expect(await differences()).toEqual([]);
  },
);

it.skipIf(isOnNodes())(
  "an error in one organization's data does not count as an attempt of another's events",
  async () => {
    const [bad, ...others] = organizations as [Costing, ...Costing[]];
    for (const { send } of organizations) await send(calls(1));
    await withClient(pricing.database.target, (client) =>
      client.query(`alter table cost_entry add constraint refused check (organization_id <> '${bad.organizationId}')`),
    );
    await jobOf().step();
    for (const { counts } of others) expect(await counts()).toMatchObject({ completed: 1, pending: 0 });
    expect(await pricing.rows('select organization_id, attempt, alone, last_error from pricing_job')).toEqual([
      {
        organizationId: bad.organizationId,
        attempt: 1,
        alone: true,
        lastError: expect.stringContaining('refused') as string,
      },
    ]);
  },
);
