import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

const SAVINGS =
  '{ window(start: "2026-03-01", end: "2026-04-01") { savings { savings lines { provider agreement savings } } } }';

interface Answer {
  readonly window: {
    readonly savings: {
      readonly savings: string;
      readonly lines: readonly {
        readonly provider: string;
        readonly agreement: string | null;
        readonly savings: string;
      }[];
    };
  };
}

const booked = (providerSlug: string, list: string, amount: string, agreement: string | null, more: object = {}) =>
  aFact({
    ...{ providerSlug, providerId: providerSlug, totalCost: amount, ...more },
    charges: [['input', '100', amount, list, null, null, null, agreement]] as never,
  });

it('savings are listed by provider and agreement, the largest first, without lines that were reverted', async () => {
  const organizationId = randomUUID();
  const eventId = randomUUID();
  world.feed.publish(organizationId, [
    booked('openai', '10', '9', 'Enterprise'),
    booked('openai', '4', '4', null),
    booked('anthropic', '20', '15', 'Team'),
    // A negotiated rate above the list price.
    booked('azure', '1', '3', null),
    booked('mistral', '7', '5', 'Team', { eventId }),
    booked('mistral', '-7', '-5', 'Team', { eventId, sequence: 1 }),
    booked('groq', '50', '5', 'Later', { eventTime: '2026-04-01T00:00:00.000Z' }),
  ]);
  await world.settle();
  const { savings } = (await world.ask<Answer>(organizationId, SAVINGS)).window;
  expect([
    savings.savings,
    ...savings.lines.map(({ provider, agreement, savings: saved }) => `${provider} ${agreement} ${saved}`),
  ]).toEqual(['4', 'anthropic Team 5', 'openai Enterprise 1', 'openai null 0', 'azure null -2']);
});

it('savings list what only the contract prices, and their total includes lines beyond the thousandth', async () => {
  const organizationId = randomUUID();
  world.feed.publish(organizationId, [
    booked('groq', '0', '5', 'Minimum'),
    ...Array.from({ length: 1_000 }, (_, index) => booked('openai', '3', '1', `Agreement ${index}`)),
  ]);
  await world.settle();
  const { savings } = (await world.ask<Answer>(organizationId, SAVINGS)).window;
  // The line with the smallest savings is the last one, and is not listed.
  expect([savings.savings, savings.lines.length]).toEqual(['1995', 1_000]);
  expect(savings.lines.some(({ provider }) => provider === 'groq')).toBe(false);
  const other = randomUUID();
  world.feed.publish(other, [booked('groq', '0', '5', 'Minimum')]);
  await world.settle();
  expect((await world.ask<Answer>(other, SAVINGS)).window.savings.lines).toEqual([
    { provider: 'groq', agreement: 'Minimum', savings: '-5' },
  ]);
});
