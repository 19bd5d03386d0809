import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { projectText } from '../../support/project-files.ts';
import { exampleEvent } from '../../support/route-calls.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';

const { requestBody, responses } = (
  JSON.parse(projectText('schema/openapi.json')) as {
    paths: Record<string, { post: { requestBody: Content; responses: { 200: Content } } }>;
  }
).paths['/ext/v1/simulate-costs']!.post;
interface Content {
  readonly content: { readonly 'application/json': { readonly example: object } };
}
const example = requestBody.content['application/json'].example;
const JANUARY = { start_date: '2026-01-01', end_date: '2026-02-01' };
const BY_ITSELF = [{ replace: { model: 'gpt-4o', by_model: 'gpt-4o' } }];

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([exampleEvent()]);
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/simulate-costs', key, body);

describe('200', () => {
  it('matches the document', async () => {
    const { status, body } = await send(example);
    expect([status, body]).toEqual([200, responses[200].content['application/json'].example]);
  });

  it('of a model replaced by itself equals costs by model, to the last digit', async () => {
    const { body } = await send({ ...JANUARY, changes: BY_ITSELF });
    const range = 'start_date=2026-01-01&end_date=2026-02-01';
    const costs = await get(service.url, `/cost-data/by-model?${range}`, service.firstRun.live_read_key);
    const total = costs.body.total_cost as string;
    expect(body.total).toEqual({
      before: total,
      after: { low: total, expected: total, high: total },
      difference: { low: '0', expected: '0', high: '0' },
      percent: 0,
    });
  });

  it('accepts rates and shares, as text or as numbers, and a filter', async () => {
    const rate = { rate: { model: 'gpt-4o', token_class: 'output', amount: 20 } };
    const shares = [{ cached_share: { model: 'gpt-4o', share: 0.5 } }, { batch_share: { share: '1' } }];
    expect((await send({ ...JANUARY, changes: [rate] })).body.total.after.expected).toBe('0.0045');
    // In batches, gpt-4o costs 1.25 USD per million input tokens, cached or not, and 5 per million output tokens.
    expect((await send({ ...JANUARY, changes: shares })).body.total.after.expected).toBe('0.00175');
    const nobody = await send({ ...JANUARY, changes: [{ batch_share: { share: 1 } }], end_user: 'someone else' });
    expect(nobody.body.total.difference.expected).toBe('0');
  });
});

describe('400', () => {
  it.each<[string, unknown, RegExp]>([
    ['no object', [], /must be an object/],
    ['an unknown member', { changes: BY_ITSELF, model: 'x' }, /has no member model/],
    ['no changes', {}, /changes must be an array/],
    ['an empty list', { changes: [] }, /1 to 20/],
    ['an unknown change', { changes: [{ swap: {} }] }, /has no member swap/],
    ['two in one', { changes: [{ batch_share: { share: 1 }, rate: {} }] }, /one of/],
    ['a share that is not a number', { changes: [{ batch_share: { share: 'half' } }] }, /decimal/],
    ['a model that is not a string', { changes: [{ replace: { model: 5, by_model: 'x' } }] }, /model must be a string/],
    ['one date alone', { changes: BY_ITSELF, start_date: '2026-01-01' }, /end_date/],
  ])('for %s', async (_name, body, message) => {
    expectEnvelope(await send(body), 400, 'VALIDATION_ERROR', message);
  });
});

describe('401', () => {
  it('without a key', async () => {
    expectEnvelope(await send(example, null), 401, 'UNAUTHORIZED');
  });
});

describe('403', () => {
  it('to a key without its scope', async () => {
    expectEnvelope(await send(example, service.firstRun.live_ingest_key), 403, 'FORBIDDEN', /costs:read/);
  });
});

describe('404', () => {
  it('for a model that no card prices', async () => {
    const changes = [{ replace: { model: 'gpt-4o', by_model: 'no-such-model' } }];
    expectEnvelope(await send({ ...JANUARY, changes }), 404, 'NOT_FOUND', /no-such-model/);
  });
});
