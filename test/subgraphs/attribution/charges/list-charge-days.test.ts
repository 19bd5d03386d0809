import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

interface Answer {
  readonly window: {
    readonly chargeDays: {
      readonly nodes: readonly { readonly model: string }[];
      readonly totalCount: number;
      readonly pageInfo: {
        readonly hasNextPage: boolean;
        readonly hasPreviousPage: boolean;
        readonly endCursor: string;
      };
    };
  };
}

it('charges are listed in pages, and the last page reports that no page follows', async () => {
  const organizationId = randomUUID();
  const models = ['a', 'b', 'c'];
  world.feed.publish(
    organizationId,
    models.map((modelSlug) => aFact({ eventTime: '2026-03-10T10:00:00.000Z', modelSlug })),
  );
  await world.settle();
  const page = async (args: string) => {
    const { chargeDays } = (
      await world.ask<Answer>(
        organizationId,
        `{ window(start: "2026-03-01", end: "2026-04-01") { chargeDays(${args}) {
             nodes { model } totalCount pageInfo { hasNextPage hasPreviousPage endCursor } } } }`,
      )
    ).window;
    const { hasNextPage, hasPreviousPage, endCursor } = chargeDays.pageInfo;
    const names = chargeDays.nodes.map(({ model }) => model);
    return { endCursor, said: [names.join(''), chargeDays.totalCount, hasNextPage, hasPreviousPage] };
  };
  expect((await page('first: 3')).said).toEqual(['abc', 3, false, false]);
  const first = await page('first: 2');
  expect(first.said).toEqual(['ab', 3, true, false]);
  expect((await page(`first: 2, after: "${first.endCursor}"`)).said).toEqual(['c', 3, false, true]);
});
