import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const JANUARY = { start_date: '2026-01-01', end_date: '2026-02-01' };
let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    usageEvent({
      model: 'gpt-4o',
      provider: 'openai',
      cost_override: '0.5',
      event_invoked_at: '2026-01-15T10:00:00Z',
    }),
  ]);
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/savings', key, body);

describe('200', () => {
  it('has list and contracted costs that add up', async () => {
    expect((await send(JANUARY)).body).toEqual({
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-02-01T00:00:00.000Z',
      savings: {
        list: '0.5',
        contracted: '0.5',
        savings: '0',
        lines: [{ provider: 'openai', agreement: null, list: '0.5', contracted: '0.5', savings: '0' }],
      },
    });
  });
});

describe('400', () => {
  it('to an unknown member', async () => {
    expectEnvelope(await send({ color: 'red' }), 400, 'VALIDATION_ERROR', /color/);
  });
});

describe('401', () => {
  it('without a key', async () => {
    expectEnvelope(await send(JANUARY, null), 401, 'UNAUTHORIZED');
  });
});
