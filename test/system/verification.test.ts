/**
 * Every kind of loss planted in the books of a whole service is found by the round and by verification, and disappears
 * once it is healed.
 */
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { graphql, post, settle } from '../support/api-client.ts';
import { freshTarget, isOnNodes, serviceTarget } from '../support/fresh-database.ts';
import { type RunningService, runningService, urlOf } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';
import { MINUTES, PATIENCE } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

let service: RunningService;
let organizationId: string;
let costing: ConnectionTarget;
let attribution: ConnectionTarget;

const DAYS = 12;
const dayAt = (index: number) => new Date(Date.UTC(2026, 5, 1 + index)).toISOString().slice(0, 10);

beforeAll(async () => {
  expect(inject('server')).toBeDefined();
  [costing, attribution] = [await serviceTarget('costing'), await freshTarget('attribution')];
  service = await runningService({
    COSTING_DATABASE_URL: urlOf(costing),
    ATTRIBUTION_DATABASE_URL: urlOf(attribution),
  });
  organizationId = service.firstRun.organization_id;
  for (let day = 0; day < DAYS; day++)
    await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
      usageEvent({ event_invoked_at: `${dayAt(day)}T10:00:00Z`, user_id: `user-${day}`, cost_override: '1.25' }),
      // Costs nothing, so a sum of costs would not show that it is missing.
      usageEvent({ event_invoked_at: `${dayAt(day)}T11:00:00Z`, user_id: `other-${day}`, cost_override: '0' }),
    ]);
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(() => service.stop());

async function ask<Data>(document: string, variables: object = {}): Promise<Data> {
  const { body } = await graphql(service.url, service.firstRun.operator_token, document, variables, organizationId);
  expect(body.errors).toBeUndefined();
  return body.data as Data;
}

interface Difference {
  day: string;
  what: string;
  detail: string;
}

/** The findings of a round over the organization's books. */
async function verify(): Promise<Difference[]> {
  const {
    verificationStart: { operation },
  } = await ask<{ verificationStart: { operation: { id: string } } }>(
    'mutation { verificationStart { operation { id } userErrors { message code } } }',
  );
  await vi.waitFor(
    async () => {
      const { attributionOperation } = await ask<{ attributionOperation: { state: string } }>(
        'query ($id: ID!) { attributionOperation(id: $id) { state lastError } }',
        { id: operation.id },
      );
      expect(attributionOperation).toMatchObject({ state: 'FINISHED' });
    },
    { ...PATIENCE, interval: 50 },
  );
  const {
    bookDifferences: { nodes: bookDifferences },
  } = await ask<{ bookDifferences: { nodes: Difference[] } }>(
    '{ bookDifferences { nodes { day what detail since } } }',
  );
  return bookDifferences;
}

const inAttribution = (sql: string) => withClient(attribution, (client) => client.query(sql));
const inCosting = (sql: string) => withClient(costing, (client) => client.query(sql));
const ofDay = (index: number, column = 'event_time') => `(${column} at time zone 'UTC')::date = '${dayAt(index)}'`;

it('verification finds nothing in correct books', async () => {
  expect(await verify()).toEqual([]);
  const { books } = await ask<{ books: object }>(
    '{ books { state verifiedAt roundAt differingSince differences { day } } }',
  );
  expect(books).toMatchObject({ state: 'CLEAN', differingSince: null, differences: [] });
});

it('verification finds each loss, names its day, and forgets it once it is repaired', async () => {
  const planted: [what: string, day: number, plant: () => Promise<unknown>][] = [
    ['facts = ledger', 0, () => inAttribution(`delete from cost_fact where total_cost = 0 and ${ofDay(0)}`)],
    [
      'facts = ledger',
      1,
      () => inAttribution(`update cost_fact set total_cost = 1 where total_cost > 0 and ${ofDay(1)}`),
    ],
    [
      'facts = ledger',
      2,
      () => inAttribution(`update cost_fact set input_tokens = input_tokens + 1 where ${ofDay(2)}`),
    ],
    [
      'facts = ledger',
      3,
      () => inAttribution(`update cost_fact set end_user_id = null where total_cost = 0 and ${ofDay(3)}`),
    ],
    [
      'facts that the ledger does not know',
      4,
      () => inCosting(`delete from cost_entry where total_cost = 0 and ${ofDay(4)}`),
    ],
    [
      'hour counters = ledger',
      5,
      () => inCosting(`update cost_hour set completed = completed + 1 where ${ofDay(5, 'hour')}`),
    ],
    [
      "end users' days = facts",
      6,
      () => inAttribution(`delete from end_user_day where ${ofDay(6, 'bucket')} and total_cost = 0`),
    ],
    [
      'groups = facts',
      7,
      () =>
        inAttribution(
          `update rollup_day set event_count = 1 where dimension_key = 'agent_id' and ${ofDay(7, 'bucket')}`,
        ),
    ],
    [
      'facts that the ledger does not know',
      DAYS + 30,
      () =>
        inAttribution(`insert into cost_fact select (jsonb_populate_record(f, jsonb_build_object(
          'event_id', gen_random_uuid(), 'event_time', '${dayAt(DAYS + 30)}T00:00:00Z'))).*
          from cost_fact f where ${ofDay(8)} limit 1`),
    ],
  ];
  for (const [, , plant] of planted) await plant();
  const found = await verify();
  for (const [what, day] of planted)
    expect(found).toContainEqual({ day: dayAt(day), what, detail: expect.any(String), since: expect.any(String) });
  expect(new Set(found.map(({ day }) => day))).toEqual(new Set(planted.map(([, day]) => dayAt(day))));
  const { books } = await ask<{ books: { state: string } }>('{ books { state differingSince } }');
  expect(books).toMatchObject({ state: 'DIFFERING', differingSince: expect.any(String) });
  await inCosting(`update cost_hour set completed = completed - 1 where ${ofDay(5, 'hour')}`);
  expect((await verify()).map(({ day }) => day)).not.toContain(dayAt(5));
});

it.skipIf(isOnNodes())('changes are verified without a request', async () => {
  await inAttribution(`create function lose() returns trigger language plpgsql as $$ begin
    if new.event_time >= '2026-09-01' and new.total_cost = 0 then return null; end if; return new; end $$`);
  await inAttribution('create trigger lose before insert on cost_fact for each row execute function lose()');
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
    usageEvent({ event_invoked_at: '2026-09-03T10:00:00Z', cost_override: '0' }),
    usageEvent({ event_invoked_at: '2026-09-03T10:00:00Z', cost_override: '2' }),
  ]);
  await vi.waitFor(
    async () => {
      const { books } = await ask<{ books: { differences: Difference[] } }>(
        '{ books { differences { day what detail } } }',
      );
      expect(books.differences).toContainEqual({
        day: '2026-09-03',
        what: 'facts = ledger',
        detail: expect.stringContaining('2 entries, 2 events') as string,
      });
    },
    { ...PATIENCE, interval: 500 },
  );
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toMatch(/^books_verify_differing_days [1-9]/m);
});
