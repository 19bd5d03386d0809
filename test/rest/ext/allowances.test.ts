import { afterAll, beforeAll, expect, it } from 'vitest';
import { graphql, postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/allowances', key, body);

it('/ext/v1/allowances lists allowances with what is left of them', async () => {
  const { url, firstRun } = service;
  await graphql(
    url,
    firstRun.operator_token,
    `mutation {
      one: allowanceSave(input: { subject: ORGANIZATION, period: MONTH, amount: "100", policy: WARN }) { userErrors { message } }
      two: allowanceSave(input: { subject: AGENT, subjectId: "support", period: PREPAID }) { userErrors { message } }
    }`,
    {},
    firstRun.organization_id,
  );
  const { status, body } = await send({});
  expect(status).toBe(200);
  expect(body.items).toMatchObject([
    {
      subject: 'ORGANIZATION',
      subject_id: null,
      period: 'MONTH',
      policy: 'WARN',
      amount: '100',
      left: '100',
      used_percent: 0,
    },
    { subject: 'AGENT', subject_id: 'support', period: 'PREPAID', amount: '0', used_percent: null, period_start: null },
  ]);
  const first = (await send({ first: 1 })).body;
  expect(first.page_info.has_next_page).toBe(true);
  expect((await send({ first: 1, after: first.page_info.end_cursor })).body.items).toEqual([body.items[1]]);
  expect((await send({ subject: 'agent', subject_id: 'sales' })).body.items).toEqual([]);
});

it('/ext/v1/allowances refuses an invalid member, callers without a key, and keys without the scope', async () => {
  expectEnvelope(await send({ subject: 'team' }), 400, 'VALIDATION_ERROR', /subject must be one of/);
  expectEnvelope(await send({}, null), 401, 'UNAUTHORIZED');
  expectEnvelope(await send({}, service.firstRun.live_ingest_key), 403, 'FORBIDDEN', /costs:read/);
});
