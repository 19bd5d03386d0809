/** Small concurrent requests of one sender share transactions, and each gets the same result as by itself. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import { setPlan } from '../../../../subgraphs/costing/credits/set-plan.operation.ts';
import { verifyCredits } from '../../../../subgraphs/costing/credits/verify-credits.query.ts';
import { ingestUsageEvent } from '../../../../subgraphs/costing/ingestion/ingest-usage-event.operation.ts';
import { ingestUsageEvents } from '../../../../subgraphs/costing/ingestion/ingest-usage-events.operation.ts';
import { untilWaiting } from '../../../support/waiting-connections.ts';
import { event, events, type Costing, startCosting } from '../costing-builder.ts';

const AT_ONCE = 60;

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

/** The result of each of several events sent at once: its id, or the error code. */
function sendSingly(items: readonly object[], context = costing.live): Promise<string[]> {
  return Promise.all(
    items.map((item) =>
      ingestUsageEvent(context, item).then(
        ({ result }) => ('event_id' in result ? result.event_id : result.status),
        ({ code, message }: { code?: string; message: string }) => code ?? message,
      ),
    ),
  );
}

it('single events that arrive at once are stored in few transactions, in the order of arrival', async () => {
  const ids = await sendSingly(events(AT_ONCE, 'one'));
  const stored = await costing.rows<{ id: string; transactions: number }>(
    'select id, (select count(distinct xmin::text)::int from usage_event) as transactions from usage_event order by id',
  );
  expect(stored.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  expect(new Set(ids).size).toBe(AT_ONCE);
  // Two transactions run at once, the others start as soon as one of these commits.
  expect(stored[0]?.transactions).toBeLessThanOrEqual(4);
  const jobs = await costing.rows<{ ids: string[] }>('select event_ids as ids from pricing_job');
  expect(jobs.flatMap((job) => job.ids).sort()).toEqual([...ids].sort());
  expect(jobs.length).toBe(stored[0]?.transactions);
});

it('the same event sent many times at once is one event, and costs one credit', async () => {
  await setPlan(costing.live, { allotment: AT_ONCE, softLimit: AT_ONCE });
  const ids = await sendSingly(Array.from({ length: AT_ONCE }, () => event('again')));
  expect(new Set(ids).size).toBe(1);
  expect(await costing.rows('select spent::int from credit_account')).toEqual([{ spent: 1 }]);
});

it('credits pay for as many events as possible, each once', async () => {
  await setPlan(costing.live, { allotment: 7, softLimit: 7 });
  const answers = await sendSingly(events(AT_ONCE, 'paid'));
  expect(answers.filter((answer) => answer !== 'PAYMENT_REQUIRED')).toHaveLength(7);
  expect(await costing.rows('select count(*)::int from usage_event')).toEqual([{ count: 7 }]);
  const checks = await costing.live.database.system((tx) => verifyCredits(tx, null));
  expect(checks.flatMap(({ differences }) => differences)).toEqual([]);
});

it('an event that the database rejects fails by itself', async () => {
  await withClient(costing.live.database.target, (client) =>
    client.query("alter table usage_event add constraint refused check (model <> 'poison')"),
  );
  const items = events(AT_ONCE, 'sound').map((item, index) => (index === 30 ? { ...item, model: 'poison' } : item));
  const answers = await sendSingly(items);
  const stored = await costing.rows<{ id: string }>('select id from usage_event');
  expect(stored.map(({ id }) => id).sort()).toEqual(answers.filter((_, index) => index !== 30).sort());
});

it('any other failure fails all requests of a transaction, stores nothing, and does not affect the next ones', async () => {
  const alter = (sql: string) => withClient(costing.live.database.target, (client) => client.query(sql));
  await alter('alter table pricing_job rename to lost');
  const answers = await sendSingly(events(AT_ONCE, 'lost'));
  expect(new Set(answers)).toEqual(new Set(['42P01']));
  await alter('alter table lost rename to pricing_job');
  expect(await costing.rows('select 1 from usage_event')).toEqual([]);
  expect(new Set(await sendSingly(events(AT_ONCE, 'lost'))).size).toBe(AT_ONCE);
});

it('events of different senders never share a transaction', async () => {
  const contexts = [costing.live, costing.test, costing.stranger];
  await Promise.all(contexts.map((context) => sendSingly(events(AT_ONCE, 'shared'), context)));
  expect(
    await costing.rows(
      `select count(*)::int as senders from (
        select 1 from usage_event group by xmin::text having count(distinct (organization_id, livemode)) > 1) as mixed`,
    ),
  ).toEqual([{ senders: 0 }]);
  expect(await costing.rows('select count(*)::int from usage_event')).toEqual([{ count: 3 * AT_ONCE }]);
});

it('each event keeps the API key that sent it; events sent by a person have none', async () => {
  const { principal } = costing.live;
  const byKey = [randomUUID(), randomUUID()].map((credentialId) => ({
    ...costing.live,
    principal: { ...principal, credentialId },
  }));
  const person = { ...costing.live, principal: { ...principal, kind: 'session' as const, credentialId: randomUUID() } };
  const contexts = [...byKey, person];
  await Promise.all(contexts.map((context, index) => sendSingly(events(AT_ONCE, `of-${index}`), context)));
  expect(
    await costing.rows(
      `select split_part(idempotency_key, '-', 2) as sender, api_key_id as key, count(*)::int as events from usage_event
       group by 1, 2 order by 1`,
    ),
  ).toEqual([
    { sender: '0', key: byKey[0]!.principal.credentialId, events: AT_ONCE },
    { sender: '1', key: byKey[1]!.principal.credentialId, events: AT_ONCE },
    { sender: '2', key: null, events: AT_ONCE },
  ]);
});

it('small batches share transactions, and large ones do not wait for them', async () => {
  const batches = Array.from({ length: 20 }, (_, index) => events(index % 2 === 0 ? 5 : 50, `batch-${index}`));
  const answers = await Promise.all(batches.map((batch) => ingestUsageEvents(costing.live, batch)));
  for (const [index, { accepted, results }] of answers.entries()) {
    expect(accepted).toBe(batches[index]?.length);
    const keys = await costing.rows<{ key: string }>(
      `select idempotency_key as key from unnest($1::uuid[]) with ordinality as sent(id, position)
      join usage_event using (id) order by position`,
      [results.map((result) => ('event_id' in result ? result.event_id : null))],
    );
    expect(keys.map(({ key }) => key)).toEqual(
      batches[index]?.map((item) => (item as { idempotency_key: string }).idempotency_key),
    );
  }
});

it('large batches of an organization are stored two at a time, whichever key sends them; others do not wait', async () => {
  const { principal, database } = costing.live;
  await setPlan(costing.live, { allotment: 1_000, softLimit: 1_000 });
  const ofKey = (index: number) => ({
    ...costing.live,
    principal: { ...principal, credentialId: index % 2 === 0 ? principal.credentialId : randomUUID() },
  });
  const sent = await withClient(database.target, async (client) => {
    await client.query('begin; lock table credit_account in exclusive mode');
    const batches = Array.from({ length: 6 }, (_, index) =>
      ingestUsageEvents(ofKey(index), events(50, `large-${index}`)),
    );
    await untilWaiting(costing.rows, 2);
    const other = ingestUsageEvents(costing.stranger, events(50, 'other'));
    await untilWaiting(costing.rows, 3);
    await client.query('commit');
    return Promise.all([...batches, other]);
  });
  expect(sent.map(({ accepted }) => accepted)).toEqual(Array.from({ length: 7 }, () => 50));
});
