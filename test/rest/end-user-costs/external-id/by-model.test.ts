import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectEnvelope } from '../../../support/envelope.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../../support/service-with-events.ts';
import { usageEvent } from '../../../support/usage-event.ts';

const RANGE = 'start_date=2026-03-01&end_date=2026-03-02';
const AWKWARD = ['ann/lee', 'ü 🟢', '%2F', 'a?b#c', '..', 'x'.repeat(255)];
const event = (user: string, more: object = {}) =>
  usageEvent({ event_invoked_at: '2026-03-01T10:00:00Z', cost_override: '1', user_id: user, model: 'mine', ...more });

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents(
    [...AWKWARD, 'ann']
      .map((user) => event(user))
      .concat([
        event('Ann', { cost_override: '5' }),
        event('waits', { cost_override: undefined, model: 'nobody-has-a-card' }),
      ]),
  );
});
afterAll(() => service.stop());

const read = (user: string, range = RANGE) => service.read(`/end-user-costs/${user}/by-model?${range}`);
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

describe('200', () => {
  it('shows one end user by model, under an id of the service', async () => {
    expect((await read('ann')).body).toEqual({
      end_user_id: UUID,
      models: [
        {
          model_slug: 'mine',
          provider_slug: 'openai',
          total_cost: '1',
          input_tokens: 1000,
          output_tokens: 100,
          cache_creation_input_tokens: null,
          cache_read_input_tokens: null,
          reasoning_tokens: null,
          input_cost: '0',
          output_cost: '0',
          cache_creation_cost: null,
          cache_read_cost: null,
          reasoning_cost: null,
          event_count: 1,
          percent_of_total: 100,
        },
      ],
      total_cost: '1',
    });
    expect((await read('Ann')).body.total_cost).toBe('5');
  });

  it.each(AWKWARD.filter((user) => user !== '..'))('finds %s by its percent-encoded name', async (user) => {
    const { status, body } = await read(encodeURIComponent(user));
    expect([status, body.total_cost]).toEqual([200, '1']);
  });

  it('finds an end user without a cost in the range, and one whose events wait for a price', async () => {
    for (const [user, range] of [
      ['ann', 'start_date=2025-01-01&end_date=2025-02-01'],
      ['waits', RANGE],
    ] as const) {
      expect((await read(user, range)).body).toEqual({ end_user_id: UUID, models: [], total_cost: '0' });
    }
  });
});

describe('404', () => {
  it.each(['nobody', 'ANN', 'ann%20', '00000000-0000-4000-8000-000000000000'])('refuses %s', async (user) => {
    expectEnvelope(await read(user), 404, 'NOT_FOUND', /externalId|end user/i);
  });

  it('does not accept the id of an end user as its name', async () => {
    const { body } = await read('ann');
    expectEnvelope(await read(body.end_user_id), 404, 'NOT_FOUND');
  });
});
