import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_ingest_key) =>
  postExt(service.url, '/release-hold', key, body);

it('/ext/v1/release-hold releases a hold, and returns the same response to a repeated request', async () => {
  const opened = await postExt(service.url, '/holds', service.firstRun.live_ingest_key, {
    idempotency_key: 'released',
    amount: '0.03',
  });
  const { hold } = opened.body;
  const released = { hold, state: 'RELEASED', amount: '0.03', event_id: null, cost: null };
  expect([(await send({ hold })).body, (await send({ hold })).body]).toEqual([released, released]);
});

describe('errors', () => {
  it('are 400 without a hold, 404 for an unknown one, 401 without a key and 403 without the scope', async () => {
    expectEnvelope(await send({}), 400, 'VALIDATION_ERROR', /hold is required/);
    expectEnvelope(await send({ hold: 'unknown' }), 404, 'NOT_FOUND', /Unknown hold/);
    expectEnvelope(await send({ hold: 'unknown' }, null), 401, 'UNAUTHORIZED');
    expectEnvelope(await send({ hold: 'unknown' }, service.firstRun.live_read_key), 403, 'FORBIDDEN', /usage:write/);
  });
});
