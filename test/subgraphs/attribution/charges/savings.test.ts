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

it('savings are listed by provider and agreement, the largest first, without lines that were reverted', async () => {
  const organizationId = randomUUID();
  const eventId = randomUUID();
  const booked = (providerSlug: string, list: string, amount: string, agreement: string | null, more: object = {}) =>
    aFact({
      ...{ providerSlug, providerId: providerSlug, totalCost: amount, ...more },
      charges: [['input', '100', amount, list, null, null, null, agreement]] as never,
    });
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
  const { savings } = (
    await world.ask<Answer>(
      organizationId,
      '{ window(start: "2026-03-01", end: "2026-04-01") { savings { savings lines { provider agreement savings } } } }',
    )
  ).window;
  expect([
    savings.savings,
    ...savings.lines.map(({ provider, agreement, savings: saved }) => `${provider} ${agreement} ${saved}`),
  ]).toEqual(['4', 'anthropic Team 5', 'openai Enterprise 1', 'openai null 0', 'azure null -2']);
});
