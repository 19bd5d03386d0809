import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, graphql } from '../../support/api-client.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const PATH = '/usage/summary';
const event = (at: string, more: object = {}) =>
  usageEvent({ event_invoked_at: at, input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 7, ...more });

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    event('2026-03-01T00:00:00Z'),
    event('2026-03-01T23:59:59.999999Z', { model: 'nobody-has-a-card' }),
    event('2026-03-02T00:00:00Z'),
  ]);
});
afterAll(() => service.stop());

describe('200', () => {
  it('counts all live events of the range, priced or not, and sums input and output', async () => {
    expect((await service.read(`${PATH}?start_date=2026-03-01&end_date=2026-03-02`)).body).toEqual({
      user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      period_start: '2026-03-01T00:00:00.000Z',
      period_end: '2026-03-02T00:00:00.000Z',
      total_events: 2,
      metrics: [{ metric_name: 'tokens', total_quantity: 30, event_count: 2 }],
    });
  });

  it('has no metric if there are no events, and shows the range as the service understood it', async () => {
    expect(
      (await service.read(`${PATH}?start_date=2025-01-01T02:00:00.5%2B02:00&end_date=2025-01-02T00:00`)).body,
    ).toMatchObject({
      period_start: '2025-01-01T00:00:00.500Z',
      period_end: '2025-01-02T00:00:00.000Z',
      total_events: 0,
      metrics: [],
    });
  });

  it('names the account user whom the calling key belongs to', async () => {
    const { id } = (
      await service.operate(
        'mutation { accountUserCreate(input: { email: "second@example.com", password: "correct horse battery" }) { accountUser { id } userErrors { message } } }',
      )
    ).accountUserCreate.accountUser;
    const { apiKeyCreate } = await service.operate(
      'mutation ($user: ID!) { apiKeyCreate(input: { name: "r", environment: "live", preset: "read", accountUserId: $user }) { createdApiKey { secret } userErrors { message } } }',
      { user: id },
    );
    const { body } = await get(
      service.url,
      `${PATH}?start_date=2026-03-01&end_date=2026-03-02`,
      apiKeyCreate.createdApiKey.secret,
    );
    expect(body).toMatchObject({ user_id: id, total_events: 2 });
    expect(
      (await graphql(service.url, apiKeyCreate.createdApiKey.secret, '{ caller { accountUserId } }')).body.data.caller
        .accountUserId,
    ).toBe(id);
  });
});
