import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { projectText } from '../../support/project-files.ts';
import { exampleEvent } from '../../support/route-calls.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';

interface Content {
  readonly content: { readonly 'application/json': { readonly example: object } };
}
const { requestBody, responses } = (
  JSON.parse(projectText('schema/openapi.json')) as {
    paths: Record<string, { post: { requestBody: Content; responses: { 200: Content } } }>;
  }
).paths['/ext/v1/simulate-plan']!.post;
const example = requestBody.content['application/json'].example;

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([exampleEvent()]);
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/simulate-plan', key, body);

describe('200', () => {
  it('matches the document', async () => {
    const { status, body } = await send(example);
    expect([status, body]).toEqual([200, responses[200].content['application/json'].example]);
  });

  it('charges beyond the included usage', async () => {
    const plan = { flat: 1, included_events: 0, overage_per_event: 0.25, included_cost: '0', overage_cost_factor: 2 };
    const { body } = await send({ ...example, plan });
    expect(body.total.revenue_after).toBe('1.257');
  });
});

describe('400', () => {
  it.each<[string, object, RegExp]>([
    ['no plan', {}, /plan must be an object/],
    ['no price', { plan: {} }, /flat is required/],
    ['an unknown member', { plan: { flat: 1, seats: 5 } }, /has no member seats/],
    ['half an event', { plan: { flat: 1, included_events: 0.5, overage_per_event: 1 } }, /whole number/],
    ['events without a price', { plan: { flat: 1, included_events: 5 } }, /given together/],
    ['other customers', { plan: { flat: 1 }, customers: 'some' }, /paying, all/],
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
    expectEnvelope(await send(example, service.firstRun.live_ingest_key), 403, 'FORBIDDEN', /revenue:read/);
  });
});

describe('422', () => {
  it('for more than 12 months', async () => {
    const dates = { start_date: '2024-01-01', end_date: '2026-01-01' };
    expectEnvelope(await send({ ...example, ...dates }), 422, 'UNPROCESSABLE_ENTITY', /12 months/);
  });
});
