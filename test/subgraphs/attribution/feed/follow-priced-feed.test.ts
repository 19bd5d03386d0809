import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { query } from '#platform/database/sql.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { createLog } from '#platform/log.ts';
import { followPricedFeed } from '../../../../subgraphs/attribution/feed/follow-priced-feed.job.ts';
import { aFact } from '../a-fact.ts';
import { startAttribution, type Attribution } from '../attribution-builder.ts';

const MODELS = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { costsByModel {
  totalCost items { modelSlug providerSlug totalCost inputTokens cacheReadInputTokens cacheReadCost reasoningCost eventCount percentOfTotal } } } }`;
const TOTAL = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { costsByModel { totalCost items { eventCount } } } }`;
const MARCH = { start: '2026-03-01', end: '2026-04-01' };
const LAG = '{ attributionLag { batches backfilled } }';

describe('the follower of the priced feed', () => {
  let world: Attribution;
  const organizationId = randomUUID();
  beforeEach(async () => {
    world = await startAttribution();
  });
  afterEach(() => world.close());

  const total = async (cost: string, events: number) =>
    expect(await world.ask(organizationId, TOTAL, MARCH)).toEqual({
      window: { costsByModel: { totalCost: cost, items: [{ eventCount: events }] } },
    });

  it('shows priced events by model, and none of them to another organization', async () => {
    world.feed.publish(organizationId, [
      aFact({ totalCost: '0.1', cacheReadInputTokens: 0, cacheReadCost: '0' }),
      aFact({
        totalCost: '0.2',
        cacheReadInputTokens: 7,
        cacheReadCost: '0.05',
        eventTime: '2026-03-11T00:00:00.000001Z',
      }),
      aFact({ modelSlug: 'o9', providerSlug: 'unknown', totalCost: '0.7' }),
    ]);
    await world.settle();
    expect(await world.ask(organizationId, MODELS, MARCH)).toEqual({
      window: {
        costsByModel: {
          totalCost: '1',
          items: [
            {
              modelSlug: 'o9',
              providerSlug: 'unknown',
              totalCost: '0.7',
              inputTokens: 100,
              cacheReadInputTokens: null,
              cacheReadCost: null,
              reasoningCost: null,
              eventCount: 1,
              percentOfTotal: 70,
            },
            {
              modelSlug: 'gpt-5',
              providerSlug: 'openai',
              totalCost: '0.3',
              inputTokens: 200,
              cacheReadInputTokens: 7,
              cacheReadCost: '0.05',
              reasoningCost: null,
              eventCount: 2,
              percentOfTotal: 30,
            },
          ],
        },
      },
    });
    expect(await world.ask(randomUUID(), MODELS, MARCH)).toEqual({
      window: { costsByModel: { totalCost: '0', items: [] } },
    });
  });

  it('counts a fact once, however often and at whichever offset it arrives', async () => {
    const fact = aFact();
    world.feed.publish(organizationId, [fact, fact]);
    world.feed.publish(organizationId, [fact]);
    await world.settle();
    world.feed.publish(organizationId, [fact, aFact({ totalCost: '1.5' })]);
    await world.settle();
    await total('2', 2);
  });

  it('counts a correction as a cost and not as an event, even if it arrives first', async () => {
    const fact = aFact();
    world.feed.publish(organizationId, [{ ...fact, sequence: 1, totalCost: '-0.2', inputTokens: 0, outputTokens: 0 }]);
    world.feed.publish(organizationId, [fact]);
    await world.settle();
    await total('0.3', 1);
  });

  it('keeps nothing of an aborted transaction, and repeats it', async () => {
    world.feed.publish(organizationId, [aFact(), aFact()]);
    const broken: Attribution['database'] = {
      ...world.database,
      system: (work) =>
        world.database.system(async (tx) => {
          await work(tx);
          throw new Error('The power went out');
        }),
    };
    const { gateway } = world.feed;
    await expect(followPricedFeed({ database: broken, gateway, log: createLog('silent') }).step()).rejects.toThrow(
      'The power went out',
    );
    expect(await world.database.system((tx) => query(tx, 'select count(*)::int as facts from cost_fact'))).toEqual([
      { facts: 0 },
    ]);
    await world.settle();
    await total('1', 2);
  });

  it('counts each fact once if two followers run at the same time', async () => {
    for (let batch = 0; batch < 30; batch++) world.feed.publish(organizationId, [aFact(), aFact()]);
    for (let round = 0; round < 8; round++)
      await Promise.all([world.step('follow-priced-feed'), world.step('follow-priced-feed')]);
    await world.settle();
    await total('30', 60);
  });

  it('requests the next page while facts are stored, so that two steps with facts make three requests', async () => {
    const other = randomUUID();
    const looks: string[][] = [];
    const { database, feed } = world;
    const gateway: GatewayClient = {
      ...feed.gateway,
      async execute(document, variables, principal) {
        const { acknowledged, coming } = variables as { acknowledged?: object[]; coming?: object[] };
        if (acknowledged && coming) looks.push([`acknowledges ${acknowledged.length}`, `coming ${coming.length}`]);
        // Arrives while the first one's facts are being stored.
        if (coming?.length === 1 && looks.length === 2) feed.publish(other, [aFact()]);
        return feed.gateway.execute(document, variables, principal);
      },
    };
    feed.publish(organizationId, [aFact()]);
    const follower = followPricedFeed({ database, gateway, log: createLog('silent') });
    expect([await follower.step(), await follower.step()]).toEqual(['more', 'more']);
    expect(looks).toEqual([
      ['acknowledges 0', 'coming 0'],
      ['acknowledges 0', 'coming 1'],
      ['acknowledges 1', 'coming 1'],
    ]);
    expect(feed.isTaken()).toBe(false);
    expect(await follower.step()).toBe('idle');
    expect(feed.isTaken()).toBe(true);
    await total('0.5', 1);
  });

  it('requests a page again if it has not arrived', async () => {
    const { database, feed } = world;
    let fails = true;
    const broken: Attribution['database'] = {
      ...database,
      system: (work) =>
        database.system(async (tx) => {
          const done = await work(tx);
          if (fails) throw new Error('The power went out');
          return done;
        }),
    };
    feed.publish(organizationId, [aFact()]);
    const follower = followPricedFeed({ database: broken, gateway: feed.gateway, log: createLog('silent') });
    await expect(follower.step()).rejects.toThrow('The power went out');
    fails = false;
    expect([await follower.step(), await follower.step()]).toEqual(['more', 'idle']);
    await total('0.5', 1);
  });

  it('reads a page once, however many steps its facts take', async () => {
    const { database, feed } = world;
    let pages = 0;
    const gateway: GatewayClient = {
      ...feed.gateway,
      execute(document, variables, principal) {
        if (variables && 'places' in variables) pages++;
        return feed.gateway.execute(document, variables, principal);
      },
    };
    feed.publish(
      organizationId,
      Array.from({ length: 7 }, () => aFact()),
    );
    feed.publish(
      organizationId,
      Array.from({ length: 5 }, () => aFact()),
    );
    const bounds = { factsMax: 3, pairsMax: 1_000 };
    const follower = followPricedFeed({ database, gateway, log: createLog('silent') }, bounds);
    for (let step = 0; step < 4; step++) expect(await follower.step()).toBe('more');
    await total('6', 12);
    expect(pages).toBe(1);
  });

  it('does not write end users that it already knows', async () => {
    const versions = () =>
      world.database.system((tx) => query(tx, 'select external_id, xmin::text, xmax::text from end_user order by 1'));
    world.feed.publish(organizationId, [], [{ externalId: 'ann', firstSeenAt: '2026-03-05T00:00:00.000Z' }]);
    await world.settle();
    const before = await versions();
    world.feed.publish(organizationId, [], [{ externalId: 'ann', firstSeenAt: '2026-03-05T00:00:00.000Z' }]);
    await world.settle();
    expect(await versions()).toEqual(before);
  });

  it('reports how many batches it knows of, and when it has caught up', async () => {
    const lag = { batches: 0, backfilled: true };
    expect(await world.ask(null, LAG)).toEqual({ attributionLag: lag });
    for (let batch = 0; batch < 25; batch++) world.feed.publish(organizationId, [aFact(), aFact()]);
    const { database, feed } = world;
    const bounds = { factsMax: 10, pairsMax: 1_000 };
    const follower = followPricedFeed({ database, gateway: feed.gateway, log: createLog('silent') }, bounds);
    await follower.step();
    expect(await world.ask(null, LAG)).toEqual({ attributionLag: { ...lag, batches: 20 } });
    await world.settle();
    expect(await world.ask(null, LAG)).toEqual({ attributionLag: lag });
  });

  it('records an end user from its first event, priced or not, and its earliest time', async () => {
    world.feed.publish(organizationId, [], [{ externalId: 'ann', firstSeenAt: '2026-03-05T00:00:00.000Z' }]);
    world.feed.publish(organizationId, [], [{ externalId: 'ann', firstSeenAt: '2026-03-04T00:00:00.000250Z' }]);
    world.feed.publish(organizationId, [], [{ externalId: 'ann', firstSeenAt: '2026-03-06T00:00:00.000Z' }]);
    await world.settle();
    const document =
      'query ($id: String!) { endUser(externalId: $id) { costSummary(start: "2026-03-01", end: "2026-04-01") { totalCost eventCount firstSeenAt } } }';
    expect(await world.ask(organizationId, document, { id: 'ann' })).toEqual({
      endUser: { costSummary: { totalCost: '0', eventCount: 0, firstSeenAt: '2026-03-04T00:00:00.000250Z' } },
    });
    await expect(world.ask(organizationId, document, { id: 'bob' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('sets aside a fact that the database rejects, reports it, and continues with everything else', async () => {
    const other = randomUUID();
    const bad = aFact({ totalCost: 'much', endUserExternalId: 'ann' });
    world.feed.publish(organizationId, [aFact(), bad, aFact()]);
    world.feed.publish(other, [aFact({ totalCost: '7' })]);
    await world.settle();
    await total('1', 2);
    expect(await world.ask(other, TOTAL, MARCH)).toMatchObject({ window: { costsByModel: { totalCost: '7' } } });
    const lag = 'query { attributionLag { setAside batches } }';
    expect(await world.ask(organizationId, lag)).toEqual({ attributionLag: { setAside: 1, batches: 0 } });
    expect(await world.ask(other, lag)).toEqual({ attributionLag: { setAside: 0, batches: 0 } });
    await world.ask(
      organizationId,
      'mutation { rebuildStart(input: {}) { organizations userErrors { message code } } }',
    );
    await world.settle();
    expect(await world.ask(organizationId, lag)).toEqual({ attributionLag: { setAside: 1, batches: 0 } });
    Object.assign(bad, { totalCost: '0.5', charges: aFact({ totalCost: '0.5' }).charges });
    await world.ask(
      organizationId,
      'mutation { rebuildStart(input: {}) { organizations userErrors { message code } } }',
    );
    await world.settle();
    expect(await world.ask(organizationId, lag)).toEqual({ attributionLag: { setAside: 0, batches: 0 } });
    await total('1.5', 3);
  });

  it('accepts the longest texts that an event may have', async () => {
    const long = (character: string) =>
      Array.from({ length: 255 }, (_, index) =>
        character === '' ? String.fromCharCode(1 + ((index * 7) % 31)) : character,
      ).join('');
    world.feed.publish(
      organizationId,
      ['', '🟢', '"'].map((character) =>
        aFact({
          modelSlug: long(character),
          providerName: long(character),
          providerSlug: 'unknown',
          providerId: 'unknown',
          dimensions: { agent_id: long(character), feature: long(character) },
          sessionId: long(character),
          endUserExternalId: long(character),
        }),
      ),
    );
    await world.settle();
    const answer = await world.ask<{ window: { costsByModel: { totalCost: string } } }>(organizationId, MODELS, MARCH);
    expect(answer.window.costsByModel.totalCost).toBe('1.5');
  });
});
