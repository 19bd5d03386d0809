/** An organization that uses all it may, and another one that is served at the same time. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Answer, get, graphql, post } from '../support/api-client.ts';
import { expectEnvelope } from '../support/envelope.ts';
import { type RunningService, runningService } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';
import { MINUTES } from '../support/patience.ts';

// Waits until an outage is noticed, and until it is over.
vi.setConfig(MINUTES);

const PATH = '/usage-events/batch';
const MAXIMAL = Object.fromEntries(Array.from({ length: 100 }, (_, key) => [`key_${key}`, 'x'.repeat(255)]));

let service: RunningService;
let otherKey: string;
beforeAll(async () => {
  service = await runningService();
  const ask = async (query: string, organizationId?: string) =>
    (await graphql(service.url, service.firstRun.operator_token, query, {}, organizationId)).body.data;
  const {
    organizationCreate: { createdOrganization },
  } = await ask(
    'mutation { organizationCreate(input: { name: "Other", ownerEmail: "other@example.com", ownerPassword: "correct horse battery" }) { createdOrganization { organization { id } } userErrors { message code } } }',
  );
  const { apiKeyCreate } = await ask(
    'mutation { apiKeyCreate(input: { name: "k", environment: "live", preset: "read" }) { createdApiKey { secret } userErrors { message } } }',
    createdOrganization.organization.id,
  );
  otherKey = apiKeyCreate.createdApiKey.secret;
});
afterAll(() => service.stop());

const batch = (count: number, metadata: object = {}) => Array.from({ length: count }, () => usageEvent({ metadata }));

/** A busy machine may have recovered a credit before the next request, so requests are sent until one is refused. */
async function refusalOf(path: string, body: () => unknown): Promise<Answer> {
  for (;;) {
    expect((await get(service.url, '/ping', otherKey)).status).toBe(200);
    const answer = await post(service.url, path, service.firstRun.live_ingest_key, body());
    if (answer.status !== 202) return answer;
  }
}

it('batches with the most metadata wait while other organizations are served, and otherwise follow one another; ordinary batches never wait', async () => {
  const { live_ingest_key: key } = service.firstRun;
  for (let sent = 0; sent < 3; sent++)
    expect((await post(service.url, PATH, key, batch(100, MAXIMAL))).status).toBe(202);
  const refused = await refusalOf(PATH, () => batch(100, MAXIMAL));
  expectEnvelope(refused, 429, 'RATE_LIMIT_EXCEEDED', /large bodies too fast/);
  expect(refused.headers.get('retry-after')).toMatch(/^[1-4]$/);
  for (let sent = 0; sent < 10; sent++) expect((await post(service.url, PATH, key, batch(100))).status).toBe(202);
  expect((await get(service.url, '/ping', otherKey)).status).toBe(200);
});

it('the public metrics contain nothing about an organization', async () => {
  const { organization_id: organizationId, owner_email: email, live_read_key: key } = service.firstRun;
  for (const path of ['/ping', '/usage/summary', '/end-user-costs/someone-secret/by-model'])
    await get(service.url, path, key);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toContain('books_http_request_duration_seconds');
  for (const secret of [organizationId, email, key, key.slice(0, 16), 'someone-secret', 'Other'])
    expect(metrics).not.toContain(secret);
});
