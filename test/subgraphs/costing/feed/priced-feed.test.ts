import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CostFact, FeedOffset } from '#schema/priced-feed.ts';
import { query } from '#platform/database/sql.ts';
import { pruneFeedJob } from '../../../../subgraphs/costing/feed/prune-feed.job.ts';
import { acknowledgeFeeds } from '../../../../subgraphs/costing/feed/acknowledge-feeds.operation.ts';
import { listFeedMarks } from '../../../../subgraphs/costing/feed/list-feed-marks.operation.ts';
import { getLedgerPage } from '../../../../subgraphs/costing/feed/get-ledger-page.operation.ts';
import { seenEndUsers } from '../../../../subgraphs/costing/feed/seen-end-users.ts';
import { publishBatches } from '../../../../subgraphs/costing/feed/priced-batch.table.ts';
import { followPricedFeed } from '../../../../subgraphs/costing/feed/follow-priced-feed.operation.ts';
import { getPricingBacklog } from '../../../../subgraphs/costing/pricing-queue/get-pricing-backlog.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { aFollower } from '../a-follower.ts';
import { call, calls, type Costing, startCosting } from '../costing-builder.ts';

let pricing: Costing;
beforeEach(async () => {
  pricing = await startCosting();
  await setRate(pricing.global, { model: 'acme-1', input: '1', output: '0' });
});
afterEach(() => pricing.close());

const keys = (facts: readonly CostFact[]) => facts.map((fact) => `${fact.eventId}/${fact.sequence}`).toSorted();
const ledger = async () =>
  (await pricing.rows<{ key: string }>("select event_id || '/' || sequence as key from cost_entry where livemode"))
    .map(({ key }) => key)
    .toSorted();
const priced = async (count: number, more = {}) => {
  await pricing.send(calls(count, more));
  await pricing.settle();
};

interface Head {
  readonly organizationId: string;
  readonly number: string;
  readonly token: string;
  readonly isAhead: boolean;
}
const prune = (keptSeconds = 0) => pruneFeedJob({ database: pricing.database, keptSeconds }).step();

describe('a batch', () => {
  it('has all fields that costs are broken down by', async () => {
    const [id] = await pricing.send([
      call({
        user_id: 'kim',
        provider: 'OpenAI',
        agent_id: 'a-1',
        session_id: 's',
        span_id: 'p',
        metadata: { team: 'x', level: 3, on: true, deep: { no: 1 }, long: 'l'.repeat(300) },
        experiment: { experiment_id: 'e', variant: 'v' },
        cache_read_input_tokens: 0,
        event_invoked_at: '2026-01-02T03:04:05.678Z',
      }),
    ]);
    await pricing.settle();
    const batches = await aFollower(pricing.global).follow();
    expect(batches).toEqual([
      {
        number: 1,
        token: expect.any(String),
        endUsers: [{ externalId: 'kim', firstSeenAt: '2026-01-02T03:04:05.678000Z' }],
        facts: [
          {
            eventId: id,
            sequence: 0,
            eventTime: '2026-01-02T03:04:05.678000Z',
            endUserExternalId: 'kim',
            modelSlug: 'acme-1',
            providerId: 'openai',
            providerSlug: 'openai',
            providerName: 'OpenAI',
            providerReported: true,
            inputTokens: 1000,
            outputTokens: 100,
            cacheCreationInputTokens: null,
            cacheReadInputTokens: 0,
            reasoningTokens: null,
            totalCost: '0.001',
            inputCost: '0.001',
            outputCost: '0',
            cacheCreationCost: null,
            cacheReadCost: '0',
            reasoningCost: null,
            charges: [
              ['input', '1000', '0.001'],
              ['output', '100', '0'],
            ],
            dimensions: { team: 'x', level: '3', on: 'true', agent_id: 'a-1', experiment_id: 'e', variant: 'v' },
            sessionId: 's',
            spanId: 'p',
            parentSpanId: null,
          },
        ],
      },
    ]);
  });

  it('names each end user of live events once, with the earliest time', () => {
    const seen = (endUserExternalId: string | null, hour: number, livemode = true) => ({
      livemode,
      endUserExternalId,
      eventTime: `2026-01-02T0${hour}:00:00.000000Z`,
    });
    expect(
      seenEndUsers([seen('kim', 3), seen('kim', 2), seen('kim', 4), seen('ann', 1, false), seen(null, 1)]),
    ).toEqual([{ externalId: 'kim', firstSeenAt: '2026-01-02T02:00:00.000000Z' }]);
  });

  it('announces end users whose events wait for a price', async () => {
    await pricing.send([call({ model: 'unknown', user_id: 'early' })]);
    await pricing.settle();
    const batches = await aFollower(pricing.global).follow();
    expect(
      batches.map(({ facts, endUsers }) => ({ facts, users: endUsers.map(({ externalId }) => externalId) })),
    ).toEqual([{ facts: [], users: ['early'] }]);
  });
});

describe('the order of an organization', () => {
  /** A transaction that has published and stays open until `finish`. */
  async function openPublication(organizationId: string) {
    const ending = Promise.withResolvers<null>();
    const published = Promise.withResolvers<null>();
    const done = pricing.database.system(async (tx) => {
      const endUsers = [{ externalId: 'late', firstSeenAt: '2026-01-01T00:00:00Z' }];
      await publishBatches(tx, [{ organizationId, facts: [], endUsers }]);
      published.resolve(null);
      await ending.promise;
    });
    await published.promise;
    return {
      finish: () => {
        ending.resolve(null);
        return done;
      },
    };
  }

  it('has no gaps, however late a transaction commits, and skips nothing', async () => {
    await priced(1);
    const follower = aFollower(pricing.global);
    await follower.follow();
    const late = await openPublication(pricing.organizationId);
    await pricing.send(calls(10));
    const pricingLater = pricing.settle();
    await follower.follow();
    await late.finish();
    await pricingLater;
    await follower.follow();
    expect(follower.endUsers).toEqual(['late']);
    expect(keys(follower.facts)).toEqual(await ledger());
    expect(await pricing.rows('select number::int as number from priced_batch order by number')).toEqual([
      { number: 1 },
      { number: 2 },
      { number: 3 },
    ]);
  });

  it('blocks no other organization', async () => {
    const late = await openPublication(randomUUID());
    await priced(3);
    const follower = aFollower(pricing.global);
    await follower.follow();
    expect(keys(follower.facts)).toEqual(await ledger());
    await late.finish();
  });

  it('does not wait for unrelated transactions', async () => {
    const ending = Promise.withResolvers<null>();
    const begun = Promise.withResolvers<null>();
    const stray = pricing.database.system(async (tx) => {
      await query(tx, 'select pg_current_xact_id()');
      begun.resolve(null);
      await ending.promise;
    });
    await begun.promise;
    await priced(3);
    const follower = aFollower(pricing.global);
    await follower.follow();
    expect(follower.facts).toHaveLength(3);
    ending.resolve(null);
    await stray;
  });
});

describe('a consumer', () => {
  it('receives everything once, for any page size', async () => {
    for (let round = 0; round < 5; round++) await priced(30);
    const follower = aFollower(pricing.global, 'f', 1);
    await follower.follow();
    expect(keys(follower.facts)).toEqual(await ledger());
    expect(follower.replays).toBe(0);
  });

  it('a consumer that starts again reads the ledger, with corrections after their cost, then the feed', async () => {
    await priced(120, { event_invoked_at: new Date(Date.now() - 86_400_000).toISOString() });
    await pricing.send([call({ model: 'unknown', user_id: 'waiting' })]);
    await pricing.settle();
    const first = aFollower(pricing.global, 'a');
    await first.follow();
    await setRate(pricing.global, { model: 'acme-1', input: '2', output: '0', effectiveFrom: '2020-01-01' });
    await reprice(pricing.operator, { start: '2020-01-01', end: new Date().toISOString(), dryRun: false });
    await first.follow();
    await prune();
    expect(await pricing.rows('select count(*)::int as rows from priced_batch')).toEqual([{ rows: 0 }]);

    const again = aFollower(pricing.global, 'b');
    await again.follow();
    expect(again.replays).toBe(1);
    expect(keys(again.facts)).toEqual(await ledger());
    expect(again.endUsers).toEqual(['waiting']);
    for (const { eventId } of again.facts.filter(({ sequence }) => sequence === 1)) {
      const ofOne = again.facts.filter((fact) => fact.eventId === eventId);
      expect(ofOne.map(({ sequence }) => sequence)).toEqual([0, 1]);
    }
    await priced(5);
    await again.follow();
    expect(again.replays).toBe(1);
    expect(keys(again.facts)).toEqual(await ledger());
  });

  it('reads only the requested period of the ledger', async () => {
    await priced(3, { event_invoked_at: '2026-01-02T00:00:00Z' });
    await priced(2, { event_invoked_at: '2026-01-03T00:00:00Z' });
    const eventId = '00000000-0000-0000-0000-000000000000';
    const page = await getLedgerPage(pricing.global, {
      organizationId: pricing.organizationId,
      cursor: { phase: 'entries', eventId, sequence: -1, start: '2026-01-03T00:00:00Z', end: '2026-01-04T00:00:00Z' },
    });
    expect(page.facts).toHaveLength(2);
  });

  it('a consumer that starts while events are being priced misses none', async () => {
    await priced(3_000);
    let busy = true;
    const working = (async () => {
      for (let round = 0; round < 15; round++) await priced(200);
      busy = false;
    })();
    const follower = aFollower(pricing.global, 'f', 300);
    while (busy) await follower.follow();
    await working;
    await follower.follow();
    expect(keys(follower.facts)).toEqual(await ledger());
  });

  it('keeps recently published batches: a consumer whose server crashes reads them again', async () => {
    const batches = () => pricing.rows('select 1 from priced_batch');
    await priced(1);
    await aFollower(pricing.global).follow();
    await prune(10);
    expect(await batches()).toHaveLength(1);
    await pricing.rows("update priced_batch set published_at = '2026-01-01' returning 1");
    await prune(10);
    expect(await batches()).toHaveLength(0);
  });

  it('a consumer whose position was pruned reads the ledger', async () => {
    await priced(20);
    const follower = aFollower(pricing.global);
    await follower.follow();
    const [place] = follower.places.values();
    await priced(7);
    await follower.follow();
    await prune();
    await priced(1);
    const [part] = await followPricedFeed(pricing.global, { follower: 'f', places: [place], factsMax: 10 });
    expect(part).toMatchObject({ isKnown: false, batches: [], head: { number: 3 } });
  });

  it('prevents pruning of batches it has not acknowledged', async () => {
    await priced(5);
    const [fast, slow] = [aFollower(pricing.global, 'fast'), aFollower(pricing.global, 'slow')];
    await fast.follow();
    await slow.follow();
    await priced(5);
    await fast.follow();
    await prune();
    expect(await pricing.rows('select number::int as number from priced_batch')).toEqual([{ number: 2 }]);
    expect((await getPricingBacklog(pricing.global)).feedLag).toBe(1);
  });

  it('is not notified of batches it is about to commit, and has not acknowledged them', async () => {
    await priced(1);
    const look = (coming: readonly FeedOffset[]) =>
      acknowledgeFeeds(pricing.global, { follower: 'f', acknowledged: [], coming, max: 10 });
    const [organizationId = ''] = await look([]);
    const start = { organizationId, number: 0, token: null, evidence: null };
    const [part] = await followPricedFeed(pricing.global, { follower: 'f', places: [start], factsMax: 10 });
    expect(await look([start])).toEqual([organizationId]);
    expect(await look([{ ...start, ...part!.head! }])).toEqual([]);
    expect((await getPricingBacklog(pricing.global)).feedLag).toBe(1);
    await priced(1);
    expect(await look([{ ...start, ...part!.head! }])).toEqual([organizationId]);
  });

  it('a consumer that reads ahead acknowledges nothing until it has committed', async () => {
    await priced(1);
    await priced(1);
    const [{ organizationId }] = (await pricing.rows<Head>('select * from feed_head')) as [Head];
    const read = (place: object, acknowledges: boolean) =>
      followPricedFeed(pricing.global, { follower: 'f', places: [place], factsMax: 10, acknowledges });
    const start = { organizationId, number: 0, token: null, evidence: null };
    const [part] = await read(start, true);
    const [first] = part!.batches;
    const reached = { ...start, number: first!.number, token: first!.token };
    expect(await read(reached, false)).toMatchObject([{ isKnown: true, batches: [{ number: 2 }] }]);
    await prune();
    expect(await pricing.rows('select from priced_batch')).toHaveLength(2);
    await read(reached, true);
    await prune();
    expect(await pricing.rows('select number::int as number from priced_batch')).toEqual([{ number: 2 }]);
  });

  it('finds an organization while its head is marked as ahead: from an advance until every consumer has acknowledged it', async () => {
    await priced(1);
    const [{ organizationId, number, token }] = (await pricing.rows<Head>('select * from feed_head')) as [Head];
    const look = (follower: string, acknowledged: readonly object[] = []) =>
      acknowledgeFeeds(pricing.global, { follower, acknowledged, max: 10 });
    const isAhead = async () => (await pricing.rows<Head>('select * from feed_head'))[0]?.isAhead;
    expect([await look('one'), await look('other')]).toEqual([[organizationId], [organizationId]]);
    const place = { organizationId, number: Number(number), token };
    expect(await look('one', [place])).toEqual([]);
    expect(await isAhead()).toBe(true);
    expect(await look('other', [place])).toEqual([]);
    expect(await isAhead()).toBe(false);
    await priced(1);
    expect([await look('one', [place]), await look('other', [place])]).toEqual([[organizationId], [organizationId]]);
    expect(await isAhead()).toBe(true);
  });

  it('keeps its acknowledgement if another process with its name repeats an earlier one', async () => {
    await priced(1);
    const head = async () => {
      const [{ organizationId, number, token }] = (await pricing.rows<Head>('select * from feed_head')) as [Head];
      return { organizationId, number: Number(number), token };
    };
    const first = await head();
    await priced(1);
    const look = (place: object) => acknowledgeFeeds(pricing.global, { follower: 'f', acknowledged: [place], max: 10 });
    const second = await head();
    await look(second);
    await look(first);
    expect(await listFeedMarks(pricing.global, { follower: 'f', max: 10 })).toEqual([second]);
  });

  it('is given the organizations in turn', async () => {
    await priced(1);
    await pricing.send(calls(1), pricing.stranger);
    await pricing.settle();
    const ids = (await pricing.rows<Head>('select * from feed_head')).map(({ organizationId }) => organizationId);
    const [first = '', second = ''] = ids.toSorted();
    const look = (after: string | null) => acknowledgeFeeds(pricing.global, { follower: 'f', after, max: 10 });
    expect([await look(null), await look(first), await look(second)]).toEqual([
      [first, second],
      [second, first],
      [first, second],
    ]);
    const marks = async (after: string | null) =>
      (await listFeedMarks(pricing.global, { follower: 'f', after, max: 10 })).map((mark) => mark.organizationId);
    expect([await marks(null), await marks(first), await marks(second)]).toEqual([[first, second], [second], []]);
  });

  it('a consumer that has acknowledged nothing yet is behind by all batches', async () => {
    await priced(1);
    await aFollower(pricing.global).follow();
    expect((await getPricingBacklog(pricing.global)).feedLag).toBe(0);
    await acknowledgeFeeds(pricing.global, { follower: 'new', max: 10 });
    expect((await getPricingBacklog(pricing.global)).feedLag).toBe(1);
  });

  it('learns of batches behind an unmarked head a little later', async () => {
    await priced(1);
    const look = () => acknowledgeFeeds(pricing.global, { follower: 'f', max: 10 });
    const waiting = await look();
    expect(waiting).toHaveLength(1);
    await pricing.rows('update feed_head set is_ahead = false');
    expect(await look()).toEqual([]);
    await expect.poll(look).toEqual(waiting);
  });

  it('cannot invent a position', async () => {
    const { organizationId } = pricing;
    const sound = { organizationId, number: 1, token: organizationId };
    for (const places of [
      'x',
      [7],
      [{}],
      [{ ...sound, organizationId: '1' }],
      [{ ...sound, number: -1 }],
      [{ ...sound, number: '1; drop' }],
      [{ ...sound, token: 'x' }],
      [{ ...sound, evidence: {} }],
      [sound, sound],
    ]) {
      await expect(followPricedFeed(pricing.global, { follower: 'f', places, factsMax: 20 })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
    await expect(getLedgerPage(pricing.global, { organizationId, cursor: { phase: 'x' } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});

describe('a position', () => {
  /** True if the feed knows the position. */
  async function isKnown(place: Partial<FeedOffset>): Promise<boolean | undefined> {
    const places = [{ organizationId: pricing.organizationId, number: 0, token: null, evidence: null, ...place }];
    const [part] = await followPricedFeed(pricing.global, { follower: 'f', places, factsMax: 100 });
    return part?.isKnown;
  }
  const marks = () =>
    pricing.rows<{ number: number; token: string }>('select number::int as number, token from priced_batch order by 1');

  it('is either known to this history or unknown, wherever it is', async () => {
    expect(await isKnown({})).toBe(true);
    expect(await isKnown({ number: 1, token: randomUUID() })).toBe(false);
    for (let round = 0; round < 3; round++) await priced(1);
    const [first, second, third] = await marks();
    for (const place of [{}, first!, second!, third!]) expect(await isKnown(place)).toBe(true);
    for (const { number } of [first!, second!, third!, { number: 4 }])
      expect(await isKnown({ number, token: randomUUID() })).toBe(false);
    expect(await isKnown({ number: 2, token: null })).toBe(false);
  });

  it('is only known to this history together with everything after it', async () => {
    for (let round = 0; round < 3; round++) await priced(1);
    const [first, second, third] = await marks();
    for (const evidence of [second!, third!]) expect(await isKnown({ ...first!, evidence })).toBe(true);
    for (const number of [2, 3, 4])
      expect(await isKnown({ ...first!, evidence: { number, token: randomUUID() } })).toBe(false);
  });

  it('a position that is unknown prevents pruning until the consumer has acknowledged in this history', async () => {
    await priced(1);
    await aFollower(pricing.global).follow();
    expect(await isKnown({ number: 9, token: randomUUID() })).toBe(false);
    await prune();
    expect(await marks()).toHaveLength(1);
    expect((await getPricingBacklog(pricing.global)).feedLag).toBe(1);
  });
});

it('the backlog counts unprocessed events and unacknowledged batches', async () => {
  await pricing.send(calls(3));
  expect(await getPricingBacklog(pricing.global)).toMatchObject({ pendingEvents: 3, feedLag: 0 });
  await pricing.settle();
  expect(await getPricingBacklog(pricing.global)).toMatchObject({ pendingEvents: 0, feedLag: 1 });
  await aFollower(pricing.global).follow();
  expect(await getPricingBacklog(pricing.global)).toMatchObject({
    pendingEvents: 0,
    feedLag: 0,
    oldestPendingSeconds: 0,
    oldestUnacknowledgedSeconds: 0,
  });
});
