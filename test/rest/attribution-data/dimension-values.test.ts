import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const RANGE = 'start_date=2026-03-01&end_date=2026-03-02';
const event = (metadata: object, more: object = {}) =>
  usageEvent({ event_invoked_at: '2026-03-01T10:00:00Z', cost_override: '1', metadata, ...more });

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    event({ team: 'b', level: 2 }),
    event({ team: 'a', level: 10.5, paid: true }),
    event({ team: 'B' }),
    event({ team: 'ä', nested: { team: 'hidden' } }),
    event({}, { provider: 'Acme', model: 'Mine' }),
    event({ team: 'waits' }, { model: 'nobody-has-a-card', cost_override: undefined }),
    event({ team: 'later' }, { event_invoked_at: '2026-03-02T00:00:00Z' }),
  ]);
});
afterAll(() => service.stop());

describe('200', () => {
  it.each([
    ['team', ['B', 'a', 'b', 'ä']],
    ['level', ['10.5', '2']],
    ['paid', ['true']],
    ['nested', []],
    ['nobody', []],
    ['model', ['Mine', 'gpt-4o']],
    ['provider', ['Acme', 'openai']],
  ])('lists the values of %s in completed events, sorted, registered or not', async (dimension, values) => {
    expect((await service.read(`/attribution-data/dimension-values?dimension=${dimension}&${RANGE}`)).body).toEqual({
      values,
    });
  });
});
