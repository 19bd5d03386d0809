import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import type { PricedBatchBody } from '#schema/priced-feed.ts';
import { eraseEndUser } from '../../../../subgraphs/costing/erasure/erase-end-user.operation.ts';
import { startEndUserErasure } from '../../../../subgraphs/costing/erasure/start-end-user-erasure.operation.ts';
import { cancelOperation } from '../../../../subgraphs/costing/operations/cancel-operation.operation.ts';
import { resumeOperation } from '../../../../subgraphs/costing/operations/resume-operation.operation.ts';
import { runOperations } from '../../../../subgraphs/costing/operations/run-operations.job.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { listErasures } from '../../../../subgraphs/costing/erasure/list-erasures.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { call, type Costing, event, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

const erase = (limit = 1000, keepDimensions: string[] = []) =>
  eraseEndUser(costing.operator, { externalId: 'ada@example.com', keepDimensions, limit });

const ADA = {
  user_id: 'ada@example.com',
  session_id: 'ada-session',
  metadata: {
    mail: 'ada@example.com',
    team: 'blue',
    cache_read_input_tokens: 3,
    cache_creation: { ephemeral_1h_input_tokens: 2 },
  },
};

/** All stored data of the organization, as text. */
async function everything(): Promise<string> {
  const tables = ['usage_event', 'unpriced_event', 'cost_entry', 'end_user_erasure', 'audit_record'];
  const texts = await Promise.all(
    tables.map((table) => costing.rows<{ text: string }>(`select row_to_json(t)::text as text from ${table} t`)),
  );
  return texts
    .flat()
    .map(({ text }) => text)
    .join('\n');
}

const batches = () => costing.rows<{ body: PricedBatchBody }>('select body from priced_batch order by number');

describe('an erased end user', () => {
  it('belongs to one organization: events of another one under the same id are neither counted nor changed', async () => {
    const theirs = Array.from({ length: 8 }, (_, number) => event(`theirs ${number}`, ADA));
    await costing.send(theirs, costing.stranger);
    await costing.send([event('one', ADA), event('two', ADA), event('three', ADA)]);
    await costing.settle();
    const foreign = () =>
      costing.rows<{ text: string }>(
        'select row_to_json(t)::text as text from usage_event t where organization_id <> $1 order by 1',
        [costing.organizationId],
      );
    const before = await foreign();
    expect(await erase(2)).toMatchObject({ events: 2, finishedAt: null });
    expect(await erase(2)).toMatchObject({ events: 3, finishedAt: expect.any(String) });
    expect(await foreign()).toEqual(before);
    expect(before).toHaveLength(8);
  });

  it('is in no table any more, while all costs stay the same', async () => {
    await costing.send([
      event('one', ADA),
      event('two', ADA),
      call({ ...ADA, idempotency_key: 'waits' }),
      event('other'),
    ]);
    await costing.send([event('tested', ADA)], costing.test);
    await costing.settle();
    const costs = await costing.costs();
    const before = (await batches()).length;

    const begun = await erase(0);
    expect(begun).toMatchObject({
      pseudonym: expect.stringMatching(/^erased-[0-9a-f]{32}$/),
      finishedAt: null,
      events: 0,
    });
    const steps = [await erase(2, ['team']), await erase(2, ['team']), await erase(2, ['team'])];
    expect(steps.map(({ events }) => events)).toEqual([2, 4, 4]);
    const last = steps[2]!;
    expect(last).toMatchObject({ id: begun.id, pseudonym: null, finishedAt: expect.any(String) });
    expect(await costing.costs()).toEqual(costs);
    expect(await everything()).not.toMatch(/ada@example|ada-session/);
    expect((await verifyCosting(costing.operator)).flatMap(({ differences }) => differences)).toEqual([]);

    const kept = await costing.rows<{ metadata: object; name: string }>(
      "select metadata, end_user_external_id as name from usage_event where idempotency_key = 'one'",
    );
    expect(kept).toEqual([
      {
        name: begun.pseudonym,
        metadata: { team: 'blue', cache_read_input_tokens: 3, cache_creation: { ephemeral_1h_input_tokens: 2 } },
      },
    ]);
    const published = (await batches()).slice(before).map(({ body }) => body);
    expect(JSON.stringify(published)).not.toMatch(/ada@example|ada-session/);
    const facts = published.flatMap((body) => body.facts);
    expect(facts.map((fact) => [fact.endUserExternalId, fact.isReduced, fact.sessionId])).toEqual([
      [begun.pseudonym, true, null],
      [begun.pseudonym, true, null],
    ]);
    expect(published.flatMap((body) => body.endUsers)).toContainEqual({
      externalId: begun.pseudonym,
      firstSeenAt: expect.any(String),
      replaces: endUserId(costing.organizationId, 'ada@example.com'),
    });
  });

  it('keeps the units of its rate card, and none of its spans', async () => {
    await setRate(costing.operator, {
      model: 'reader',
      input: '1',
      output: '1',
      unitPrices: [{ name: 'pages', price: '0.01' }],
    });
    const spans = { span_id: 'ada-session-span', parent_span_id: 'ada-session-parent' };
    await costing.send([
      call({ ...ADA, ...spans, idempotency_key: 'read', model: 'reader', metadata: { note: 'x', pages: 3 } }),
    ]);
    await costing.settle();
    await erase();
    expect(await costing.rows('select metadata, span_id, parent_span_id from usage_event')).toEqual([
      { metadata: { pages: 3 }, spanId: null, parentSpanId: null },
    ]);
  });

  it('who appears only in test events is not published', async () => {
    await costing.send([event('tested', ADA)], costing.test);
    await costing.settle();
    expect(await erase()).toMatchObject({ events: 1 });
    expect(await batches()).toEqual([]);
  });

  it('is listed in pages, newest first', async () => {
    const ids: string[] = [];
    for (const externalId of ['ada', 'bob', 'eve'])
      ids.unshift((await eraseEndUser(costing.operator, { externalId, keepDimensions: [], limit: 10 })).id);
    const first = await listErasures(costing.operator, { first: 2 });
    expect(first).toMatchObject({ nodes: [{ id: ids[0] }, { id: ids[1] }], pageInfo: { hasNextPage: true } });
    const rest = await listErasures(costing.operator, { first: 2, after: first.pageInfo.endCursor });
    expect(rest).toMatchObject({ nodes: [{ id: ids[2] }], pageInfo: { hasNextPage: false } });
    expect((await listErasures(costing.operator, { first: 3 })).pageInfo.hasNextPage).toBe(false);
  });

  it('can be proven erased by anyone who knows its id, and by nobody else', async () => {
    await costing.send([event('one', ADA)]);
    await costing.settle();
    const { id } = await erase();
    const subjectHash = createHash('sha256').update(`${costing.organizationId}:ada@example.com`).digest('hex');
    expect((await listErasures(costing.operator, { externalId: 'ada@example.com', first: 1 })).nodes).toMatchObject([
      { id, subjectHash, events: 1, pseudonym: null },
    ]);
    expect((await listErasures(costing.operator, { externalId: 'eve', first: 1 })).nodes).toEqual([]);
    expect(await costing.rows('select act, detail from audit_record')).toEqual([
      { act: 'end_user.erased', detail: subjectHash },
    ]);
  });

  it('is erased by a long operation that is cancelled and resumed, and that does not store its id', async () => {
    await costing.send(Array.from({ length: 1_500 }, (_, index) => event(`many-${index}`, ADA)));
    await costing.settle();
    const start = () =>
      startEndUserErasure(costing.operator, { externalId: 'ada@example.com', keepDimensions: ['team'] });
    const { id } = await start();
    expect(await start()).toMatchObject({ id, kind: 'erase-end-user', state: 'RUNNING', done: 0, total: 1_500 });
    expect(await cancelOperation(costing.operator, id)).toMatchObject({ state: 'CANCELLED' });
    const job = runOperations({ database: costing.database });
    expect(await job.step()).toBe('idle');
    expect(await everything()).toMatch(/ada@example/);
    expect(await resumeOperation(costing.operator, id)).toMatchObject({ id, state: 'RUNNING' });
    while ((await job.step()) === 'more');
    expect(await everything()).not.toMatch(/ada@example|ada-session/);
    const operations = await costing.rows('select state, done::int, parameters from operation');
    expect(operations).toEqual([
      { state: 'finished', done: 1_500, parameters: { erasureId: expect.any(String), keepDimensions: ['team'] } },
    ]);
    expect(await costing.rows('select events::int, pseudonym, external_id from end_user_erasure')).toEqual([
      { events: 1_500, pseudonym: null, externalId: null },
    ]);
    expect(await costing.rows("select count(*)::int from usage_event where metadata ->> 'team' = 'blue'")).toEqual([
      { count: 1_500 },
    ]);
  });

  it('does not return with a resend, and is a new end user in a new event', async () => {
    const sent = event('one', ADA);
    await costing.send([sent]);
    await costing.settle();
    await erase();
    await costing.send([sent]);
    await costing.settle();
    expect(await everything()).not.toMatch(/ada@example/);
    await costing.send([event('later', ADA)]);
    await costing.settle();
    const names = await costing.rows<{ name: string }>(
      'select end_user_external_id as name from usage_event order by id',
    );
    expect(names.map(({ name }) => name)).toEqual([expect.stringMatching(/^erased-/), 'ada@example.com']);
    await erase();
    const again = await costing.rows<{ name: string }>('select distinct end_user_external_id as name from usage_event');
    expect(again).toHaveLength(2);
    expect(await everything()).not.toMatch(/ada@example/);
  });

  it('is erased in an event that is being priced at the same time', async () => {
    await costing.send(Array.from({ length: 200 }, (_, index) => event(`many-${index}`, ADA)));
    const [, ...erasures] = await Promise.all([costing.settle(), erase(0), erase(150), erase(150)]);
    expect(erasures.length).toBe(3);
    while ((await erase(150)).finishedAt === null);
    await costing.settle();
    const facts = (await batches()).flatMap(({ body }) => body.facts);
    const last = new Map(facts.map((fact) => [fact.eventId, fact.endUserExternalId]));
    expect([...last.values()].filter((name) => name === 'ada@example.com')).toEqual([]);
    expect(last.size).toBe(200);
  });
});
