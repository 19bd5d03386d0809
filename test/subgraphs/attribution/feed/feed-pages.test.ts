import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { FeedPart, FeedOffset } from '#schema/priced-feed.ts';
import { type FeedPages, feedPages } from '../../../../subgraphs/attribution/feed/feed-pages.step.ts';
import { aFact } from '../a-fact.ts';
import { type StandInFeed, standInFeed } from '../stand-in-feed.ts';

const [one, other] = [randomUUID(), randomUUID()];
const START = { number: 0, token: null, evidence: null };

describe('pages of the feed', () => {
  let feed: StandInFeed;
  let pages: FeedPages;
  let requests: string[][];
  beforeEach(() => {
    feed = standInFeed();
    requests = [];
    const execute: GatewayClient['execute'] = (document, variables, principal) => {
      const { places } = variables as unknown as { places: FeedOffset[] };
      requests.push(places.map(({ organizationId }) => organizationId));
      return feed.gateway.execute(document, variables, principal);
    };
    pages = feedPages({ gateway: { ...feed.gateway, execute } });
    for (const organizationId of [one, other])
      for (let batch = 0; batch < 2; batch++) feed.publish(organizationId, [aFact()]);
  });

  const offsetAfter = ({ organizationId, batches }: FeedPart, batch: number): FeedOffset => {
    const { number, token } = batches[batch]!;
    return { organizationId, number, token, evidence: null };
  };
  const numbersOf = (parts: readonly FeedPart[]) =>
    Object.fromEntries(
      parts.map(({ organizationId, batches }) => [organizationId, batches.map(({ number }) => number)]),
    );

  it('are read once if they were read ahead, and requested otherwise', async () => {
    const [first] = await pages.read([{ organizationId: one, ...START }], 10);
    const reached = offsetAfter(first!, 0);
    pages.readAhead([reached], 10);
    const parts = await pages.read([{ organizationId: other, ...START }, reached], 10);
    expect(numbersOf(parts)).toEqual({ [one]: [2], [other]: [1, 2] });
    expect(requests).toEqual([[one], [one], [other]]);
  });

  it('pages of the feed at an unexpected offset are read again: after a failed step, or for a restored feed', async () => {
    const [first] = await pages.read([{ organizationId: one, ...START }], 10);
    pages.readAhead([offsetAfter(first!, 0)], 10);
    expect(numbersOf(await pages.read([{ organizationId: one, ...START }], 10))).toEqual({ [one]: [1, 2] });
    pages.readAhead([offsetAfter(first!, 0)], 10);
    const foreign = { ...offsetAfter(first!, 0), token: randomUUID() };
    expect(await pages.read([foreign], 10)).toMatchObject([{ organizationId: one, isKnown: false }]);
  });

  it('pages of the feed that are read ahead acknowledge nothing: their offset may never be reached', async () => {
    feed = standInFeed();
    feed.publish(one, [aFact()]);
    pages = feedPages(feed);
    const [first] = await pages.read([{ organizationId: one, ...START }], 10);
    const end = offsetAfter(first!, 0);
    pages.readAhead([end], 10);
    await new Promise((resolve) => setImmediate(resolve));
    expect(feed.isTaken()).toBe(false);
    await pages.read([end], 10);
    expect(feed.isTaken()).toBe(true);
  });

  it('pages of the feed that were empty are requested again, and a failure to read ahead is ignored', async () => {
    const [first] = await pages.read([{ organizationId: one, ...START }], 10);
    const end = offsetAfter(first!, 1);
    pages.readAhead([end], 10);
    feed.publish(one, [aFact()]);
    expect(numbersOf(await pages.read([end], 10))).toEqual({ [one]: [3] });
    const { execute } = feed.gateway;
    Object.assign(feed.gateway, { execute: () => Promise.reject(new Error('away')) });
    pages.readAhead([end], 10);
    await new Promise((resolve) => setImmediate(resolve));
    Object.assign(feed.gateway, { execute });
    expect(numbersOf(await pages.read([end], 10))).toEqual({ [one]: [3] });
  });
});
