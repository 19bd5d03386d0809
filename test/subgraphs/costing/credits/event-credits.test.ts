import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyCredits } from '../../../../subgraphs/costing/credits/verify-credits.query.ts';
import { addEventPack } from '../../../../subgraphs/costing/credits/add-event-pack.operation.ts';
import { ingestUsageEvent } from '../../../../subgraphs/costing/ingestion/ingest-usage-event.operation.ts';
import { ingestUsageEvents } from '../../../../subgraphs/costing/ingestion/ingest-usage-events.operation.ts';
import { sendTestEvent } from '../../../../subgraphs/costing/ingestion/send-test-event.operation.ts';
import { getCredits } from '../../../../subgraphs/costing/credits/get-credits.operation.ts';
import { setPlan } from '../../../../subgraphs/costing/credits/set-plan.operation.ts';
import { event, events, type Costing, startCosting, statuses } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

const inAMonth = (date = new Date()): string => date.toISOString().slice(0, 10);

async function left(): Promise<number | null> {
  return (await getCredits(costing.live)).creditsLeft;
}

/** Credits spent, charged events, events, and queued events, according to the database. */
async function books(): Promise<unknown> {
  const [row] = await costing.rows(`
    select (select spent::int from credit_account) as spent,
      (select count(*)::int from usage_event where charged) as charged,
      (select count(*)::int from usage_event) as stored,
      (select count(*)::int from pricing_job, unnest(event_ids)) as queued`);
  return row;
}

describe('an organization without a plan or a pack', () => {
  it('has no balance and no limit', async () => {
    expect(await statuses(costing.live, events(100, 'free'))).toBe('a'.repeat(100));
    expect(await getCredits(costing.live)).toEqual({
      organizationId: costing.organizationId,
      allotment: null,
      softLimit: null,
      allotmentLeft: null,
      packsLeft: null,
      creditsLeft: null,
      renewsAt: null,
    });
    expect(await books()).toEqual({ spent: null, charged: 0, stored: 100, queued: 100 });
  });
});

describe('credits', () => {
  it('are spent once for each new event, never for a resend, with any kind of key', async () => {
    await setPlan(costing.live, { allotment: 10, softLimit: 10 });
    expect(await statuses(costing.live, [event('a'), event('b'), event('a')])).toBe('aaa');
    expect(await statuses(costing.test, [event('a')])).toBe('a');
    expect(await statuses(costing.live, [event('b'), event('a'), event('c')])).toBe('aaa');
    expect(await left()).toBe(6);
    expect(await books()).toEqual({ spent: 4, charged: 4, stored: 4, queued: 4 });
  });

  it('are spent once for all test events of a minute, however many are asked for at once', async () => {
    await setPlan(costing.live, { allotment: 100, softLimit: 100 });
    const sent = await Promise.all(Array.from({ length: 28 }, () => sendTestEvent(costing.live)));
    const keys = new Set(sent.map(({ idempotencyKey }) => idempotencyKey));
    // There are two events if the minute ended in between.
    expect(keys.size).toBeLessThanOrEqual(2);
    expect(await left()).toBe(100 - keys.size);
    expect(await costing.rows('select distinct livemode from usage_event')).toEqual([{ livemode: false }]);
  });

  it('cover the first new items of a batch; the other items count as never sent', async () => {
    await setPlan(costing.live, { allotment: 3, softLimit: 3 });
    await statuses(costing.live, [event('old')]);
    const batch = [event('z'), {}, event('old'), event('y'), event('x'), event('x'), event('z'), event('old')];
    expect(await statuses(costing.live, batch)).toBe('avaappaa');
    expect(await costing.rows('select idempotency_key as key from usage_event order by 1')).toEqual([
      { key: 'old' },
      { key: 'y' },
      { key: 'z' },
    ]);
    expect(await books()).toEqual({ spent: 3, charged: 3, stored: 3, queued: 3 });
    expect(await statuses(costing.live, [event('x')])).toBe('p');
    await addEventPack(costing.live, { events: 1 });
    expect(await statuses(costing.live, [event('x')])).toBe('f');
    expect(await left()).toBe(0);
  });

  it('may come from a pack alone, without a plan', async () => {
    const { credits } = await addEventPack(costing.live, { events: 2 });
    expect(credits).toMatchObject({ allotment: null, softLimit: null, packsLeft: 2, creditsLeft: 2, renewsAt: null });
    expect(await statuses(costing.live, events(3, 'pack'))).toBe('aap');
    expect(await left()).toBe(0);
  });

  it('are never oversold by sixteen batches at once', async () => {
    await setPlan(costing.live, { allotment: 500, softLimit: 500 });
    await addEventPack(costing.live, { events: 50 });
    await addEventPack(costing.live, { events: 11 });
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, turn) =>
        statuses(costing.live, [...events(50, `own-${turn}`), ...events(10, `shared-${turn % 4}`)]),
      ),
    );
    expect(answers.join('')).toMatch(/^[apf]+$/);
    expect(await left()).toBe(0);
    expect(await books()).toEqual({ spent: 561, charged: 561, stored: 561, queued: 561 });
    expect(await costing.rows('select spent_from_packs::int as spent from credit_account')).toEqual([{ spent: 61 }]);
  });

  it('are debited exactly if sixteen batches arrive at once and the plan covers all events', async () => {
    await setPlan(costing.live, { allotment: 10_000 });
    await Promise.all(
      Array.from({ length: 64 }, (_, turn) => statuses(costing.live, events(20, `plenty-${turn % 32}`))),
    );
    expect(await left()).toBe(10_000 - 32 * 20);
    expect(await books()).toEqual({ spent: 640, charged: 640, stored: 640, queued: 640 });
  });

  it('are reset at the renewal; unused ones expire', async () => {
    await setPlan(costing.live, { allotment: 5, softLimit: 5, renewsAt: '2024-01-31T10:00:00Z' });
    const { renewsAt, creditsLeft } = await getCredits(costing.live);
    expect(renewsAt?.getTime()).toBeGreaterThan(Date.now());
    expect(creditsLeft).toBe(5);
    expect(await statuses(costing.live, events(7, 'first'))).toBe('aaaaapp');
    await costing.rows("update credit_account set renews_at = now() - interval '1 second'");
    expect(await left()).toBe(5);
    expect(await statuses(costing.live, events(7, 'first'))).toBe('aaaaaaa');
    expect(await left()).toBe(3);
    expect(await books()).toEqual({ spent: 7, charged: 7, stored: 7, queued: 7 });
  });

  it('credits that are left at the renewal pay for no later event: the first events after it spend the new allotment', async () => {
    await setPlan(costing.live, { allotment: 5, softLimit: 3, renewsAt: '2024-01-31T10:00:00Z' });
    expect(await statuses(costing.live, events(2, 'before'))).toBe('aa');
    await costing.rows("update credit_account set renews_at = now() - interval '1 second'");
    // The old allotment would still cover these events, but they would exceed its soft limit.
    expect(await statuses(costing.live, events(2, 'after'))).toBe('aa');
    expect(await left()).toBe(3);
    expect(await books()).toEqual({ spent: 4, charged: 4, stored: 4, queued: 4 });
  });

  it('are taken from the allotment first, then from the pack that expires first; an expired pack is lost', async () => {
    await setPlan(costing.live, { allotment: 2, softLimit: 2 });
    const { packId: late } = await addEventPack(costing.live, { events: 2 });
    const { packId: soon } = await addEventPack(costing.live, {
      events: 2,
      expiresAt: inAMonth(new Date(Date.now() + 30 * 86_400_000)),
    });
    expect(await statuses(costing.live, events(3, 'first'))).toBe('aaf');
    const packs = await costing.rows<{ id: string; left: number }>('select id, "left"::int as left from event_pack');
    expect(new Map(packs.map(({ id, left: rest }) => [id, rest]))).toEqual(
      new Map([
        [late, 2],
        [soon, 1],
      ]),
    );
    await costing.rows('update event_pack set expires_at = now() - make_interval(secs => 1) where id = $1', [soon]);
    expect(await left()).toBe(2);
    expect(await statuses(costing.live, events(3, 'second'))).toBe('ffp');
    await costing.rows('update event_pack set expires_at = now() - make_interval(secs => 1)');
    expect(await statuses(costing.live, events(1, 'third'))).toBe('p');
  });
});

describe('the soft limit', () => {
  it('is 80 % of the allotment by default, and flags the events above it', async () => {
    await setPlan(costing.live, { allotment: 10 });
    expect(await statuses(costing.live, events(6, 'below'))).toBe('aaaaaa');
    expect(await statuses(costing.live, [...events(6, 'below').slice(4), ...events(3, 'across')])).toBe('aaaaf');
    expect(await statuses(costing.live, events(1, 'above', { event_invoked_at: '2020-01-01T00:00:00Z' }))).toBe('f');
    const { results } = await ingestUsageEvents(costing.live, events(1, 'above'));
    expect(results[0]?.status).toBe('accepted');
    expect(
      await ingestUsageEvent(costing.live, event('single', { event_invoked_at: '2020-01-01T00:00:00Z' })).catch(
        (error: unknown) => error,
      ),
    ).toMatchObject({ code: 'PAYMENT_REQUIRED', details: { actionHint: 'BUY_CREDITS', retryable: false } });
  });

  it('warns the sender of a single event', async () => {
    await setPlan(costing.live, { allotment: 3, softLimit: 1 });
    const first = await ingestUsageEvent(costing.live, event('one'));
    expect(first).toEqual({
      result: { status: 'accepted', event_id: expect.any(String), message: expect.any(String) },
      usage_warning: null,
    });
    const second = await ingestUsageEvent(costing.live, event('two', { event_invoked_at: '2020-01-01T00:00:00Z' }));
    expect(second).toMatchObject({
      result: { status: 'accepted_flagged', flag_reason: 'timestamp_too_old,quota_soft_limit' },
    });
    expect(second.usage_warning).toEqual(expect.any(String));
    expect((await ingestUsageEvent(costing.live, event('two'))).usage_warning).toBeNull();
  });
});

describe('a plan', () => {
  it('a plan that is changed keeps the use of its period', async () => {
    await setPlan(costing.live, { allotment: 5 });
    await statuses(costing.live, events(4, 'used'));
    expect(await setPlan(costing.live, { allotment: 20, softLimit: 15 })).toMatchObject({
      allotment: 20,
      softLimit: 15,
      creditsLeft: 16,
    });
    expect(await setPlan(costing.live, { allotment: 3 })).toMatchObject({
      allotment: 3,
      softLimit: 2,
      creditsLeft: 0,
    });
    expect(await statuses(costing.live, events(1, 'more'))).toBe('p');
    expect(await setPlan(costing.live, { allotment: 5 })).toMatchObject({ creditsLeft: 1 });
  });

  it('needs whole numbers and valid instants, and so does a pack', async () => {
    const refused = { code: 'VALIDATION_ERROR' };
    for (const allotment of [-1, 0.5, 2 ** 53, Number.NaN])
      await expect(setPlan(costing.live, { allotment })).rejects.toMatchObject(refused);
    await expect(setPlan(costing.live, { allotment: 1, softLimit: -1 })).rejects.toMatchObject(refused);
    await expect(setPlan(costing.live, { allotment: 1, renewsAt: 'soon' })).rejects.toMatchObject(refused);
    for (const size of [0, -1, 1.5])
      await expect(addEventPack(costing.live, { events: size })).rejects.toMatchObject(refused);
    await expect(addEventPack(costing.live, { events: 1, expiresAt: '2020-01-01' })).rejects.toMatchObject(refused);
    expect(await left()).toBeNull();
  });
});

describe('a single event', () => {
  it('a single event that is invalid is rejected with its validation error', async () => {
    await expect(ingestUsageEvent(costing.live, { ...event('bad'), input_tokens: -1 })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('input_tokens'),
    });
  });
});

describe('the audit', () => {
  const verify = () => costing.live.database.system((tx) => verifyCredits(tx, null));

  it('finds no error in a history with every kind of action, and reports manipulated rows', async () => {
    await statuses(costing.live, events(3, 'before'));
    await setPlan(costing.live, { allotment: 4 });
    await addEventPack(costing.live, { events: 3 });
    await statuses(costing.stranger, events(3, 'free'));
    await Promise.all(
      Array.from({ length: 5 }, (_, turn) =>
        statuses(costing.live, [...events(2, `own-${turn}`), ...events(2, 'before')]),
      ),
    );
    expect((await verify()).map(({ checked, differences }) => [checked, differences])).toEqual([
      [1, []],
      [1, []],
    ]);
    await costing.rows('update credit_account set spent = spent - 1, spent_from_packs = spent_from_packs + 1');
    expect((await verify()).map(({ differences }) => differences)).toEqual([
      [`organization ${costing.organizationId}: 6 credits spent, 7 events charged`],
      [`organization ${costing.organizationId}: 4 credits booked as spent from packs, 3 used in the packs`],
    ]);
    await costing.rows('update credit_account set spent = spent + 1, spent_from_packs = spent_from_packs - 1');
    const { packId } = await addEventPack(costing.live, { events: 3 });
    expect((await verify()).flatMap(({ differences }) => differences)).toEqual([]);
    // The sum is right, but no pack can have more left than its size.
    await costing.rows('update event_pack set "left" = case when id = $1 then 4 else -1 end', [packId]);
    expect((await verify()).flatMap(({ differences }) => differences)).toEqual([
      `organization ${costing.organizationId}: 3 credits booked as spent from packs, 3 used in the packs`,
    ]);
  });
});
