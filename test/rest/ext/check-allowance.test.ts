import { afterAll, beforeAll, expect, it } from 'vitest';
import { postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/check-allowance', key, body);

it('/ext/v1/check-allowance answers keys that may read costs or send events, and opens no hold', async () => {
  const answer = {
    allowed: true,
    hold: null,
    left: null,
    because: 'NO_ALLOWANCE',
    amount: '0.03',
    allowance: null,
    expires_at: null,
  };
  expect((await send({ end_user: 'ann', amount: '0.03' })).body).toEqual(answer);
  expect((await send({ end_user: 'ann', amount: '0.03' }, service.firstRun.live_ingest_key)).body).toEqual(answer);
});

it('/ext/v1/check-allowance refuses what cannot be priced, and callers without a key', async () => {
  expectEnvelope(await send({ model: 'gpt-4o' }), 400, 'VALIDATION_ERROR', /Send amount, or model/);
  expectEnvelope(await send({ max_input_tokens: 1.5 }), 400, 'VALIDATION_ERROR', /max_input_tokens must be/);
  expectEnvelope(await send({}, null), 401, 'UNAUTHORIZED');
});
