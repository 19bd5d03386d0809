/** End users that events have named: suggested, listed and looked up. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

let world: Attribution;
const organizationId = randomUUID();
const day = (date: number) => `2026-03-0${date}T00:00:00.000000Z`;
beforeAll(async () => {
  world = await startAttribution();
  const names = ['annemarie', 'joann', 'Anna', 'ann', 'bert'];
  world.feed.publish(
    organizationId,
    [],
    names.map((externalId, index) => ({ externalId, firstSeenAt: day(index + 1) })),
  );
  world.feed.publish(randomUUID(), [], [{ externalId: 'annabel', firstSeenAt: day(1) }]);
  await world.settle();
});
afterAll(() => world.close());

const refused = async (document: string) => {
  const error = await world.ask(organizationId, document).catch((caught: unknown) => caught);
  return (error as { code?: string }).code;
};

it('end users are suggested by a part of their id, in any case, with the nearest first', async () => {
  const suggested = async (text: string, first = 10) => {
    const document =
      'query ($text: String!, $first: Int!) { endUserSuggestions(text: $text, first: $first) { externalId } }';
    const { endUserSuggestions } = await world.ask<{ endUserSuggestions: { externalId: string }[] }>(
      organizationId,
      document,
      { text, first },
    );
    return endUserSuggestions.map(({ externalId }) => externalId);
  };
  expect(await suggested('ANN')).toEqual(['ann', 'Anna', 'annemarie', 'joann']);
  expect(await suggested('ann', 2)).toEqual(['ann', 'Anna']);
  expect(await suggested('_')).toEqual([]);
  for (const [text, first] of [
    ['', 1],
    ['a'.repeat(256), 1],
    ['a', 0],
    ['a', 51],
  ] as const)
    await expect(suggested(text, first)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

it('end users are listed once each, and can be limited to those first seen before an instant', async () => {
  const listed = async (seenBefore: string | null) => {
    const document = `query ($seenBefore: Instant, $after: String) { endUsers(seenBefore: $seenBefore, first: 2, after: $after) {
      totalCount nodes { externalId } pageInfo { hasNextPage endCursor } } }`;
    const names: string[] = [];
    for (let after: string | null = null, isLast = false; !isLast;) {
      const { endUsers }: { endUsers: Page } = await world.ask(organizationId, document, { seenBefore, after });
      names.push(...endUsers.nodes.map(({ externalId }) => externalId), String(endUsers.totalCount));
      after = endUsers.pageInfo.endCursor;
      isLast = !endUsers.pageInfo.hasNextPage || names.length > 20;
    }
    return names.toSorted();
  };
  expect(await listed(null)).toEqual(['5', '5', '5', 'Anna', 'ann', 'annemarie', 'bert', 'joann']);
  expect(await listed(day(3))).toEqual(['2', 'annemarie', 'joann']);
});

interface Page {
  readonly totalCount: number;
  readonly nodes: readonly { readonly externalId: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

it('end users are found by exactly one id', async () => {
  const id = endUserId(organizationId, 'ann');
  for (const by of ['externalId: "ann"', `endUserId: "${id}"`])
    expect(await world.ask(organizationId, `{ endUser(${by}) { externalId } }`)).toEqual({
      endUser: { externalId: 'ann' },
    });
  expect([
    await refused('{ endUser(externalId: "ANN") { externalId } }'),
    await refused(`{ endUser(endUserId: "${endUserId(randomUUID(), 'ann')}") { externalId } }`),
    await refused(`{ endUser(externalId: "ann", endUserId: "${id}") { externalId } }`),
    await refused('{ endUser { externalId } }'),
  ]).toEqual(['NOT_FOUND', 'NOT_FOUND', 'VALIDATION_ERROR', 'VALIDATION_ERROR']);
});

it('end users are forgotten when they are erased, but not while a cost still names them', async () => {
  const other = randomUUID();
  const erased = (externalId: string) => ({
    externalId: `erased-${externalId}`,
    firstSeenAt: day(1),
    replaces: endUserId(other, externalId),
  });
  world.feed.publish(
    other,
    [aFact({ endUserExternalId: 'ann' })],
    ['ann', 'bert'].map((externalId) => ({ externalId, firstSeenAt: day(1) })),
  );
  await world.settle();
  world.feed.publish(other, [], ['ann', 'bert'].map(erased));
  await world.settle();
  const { endUsers } = await world.ask<{ endUsers: Page }>(other, '{ endUsers { nodes { externalId } } }');
  expect(endUsers.nodes.map(({ externalId }) => externalId).toSorted()).toEqual(['ann', 'erased-ann', 'erased-bert']);
});
