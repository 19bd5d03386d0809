import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, graphql, post, settle } from '../support/api-client.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';

const RANGE = `start_date=${new Date().getUTCFullYear()}-01-01&end_date=${new Date().getUTCFullYear() + 1}-01-01`;
const AT = new Date().toISOString();

interface Tenant {
  readonly id: string;
  readonly read: string;
  readonly ingest: string;
  readonly test: string;
}

let service: RunningService;
let ours: Tenant;
let theirs: Tenant;

async function tenant(name: string): Promise<Tenant> {
  const { operator_token: operator } = service.firstRun;
  const made = await graphql(service.url, operator, `mutation { createOrganization(name: "${name}", ownerEmail: "${name}@example.com", ownerPassword: "correct horse battery") { organization { id } } }`);
  const id = made.body.data.createOrganization.organization.id as string;
  const key = async (environment: string, preset: string) => {
    const { body } = await graphql(service.url, operator, `mutation { createApiKey(input: { name: "k", environment: "${environment}", preset: "${preset}" }) { secret } }`, {}, id);
    return body.data.createApiKey.secret as string;
  };
  return { id, read: await key('live', 'read'), ingest: await key('live', 'ingest'), test: await key('test', 'ingest') };
}

beforeAll(async () => {
  service = await runningService();
  [ours, theirs] = [await tenant('ours'), await tenant('theirs')];
  const event = (who: string) => usageEvent({ idempotency_key: 'the-same', user_id: `user-of-${who}`, metadata: { agent_id: `agent-of-${who}` }, event_invoked_at: AT });
  await post(service.url, '/usage-events', ours.ingest, event('ours'));
  await post(service.url, '/usage-events', theirs.ingest, event('theirs'));
  await post(service.url, '/usage-events', ours.test, event('test'));
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(() => service.stop());

describe('no organization sees another, and no read sees a test event', () => {
  it.each([
    `/cost-data/by-model?${RANGE}`, `/attribution-data/by-agent?${RANGE}`, `/attribution-data/dimension-values?dimension=agent_id&${RANGE}`,
    `/usage/summary?${RANGE}`, '/cost-data/summary', `/usage/events?start_date=${AT.slice(0, 10)}&end_date=${new Date(Date.now() + 86_400_000).toISOString()}`,
  ])('%s', async (path) => {
    const mine = await get(service.url, path, ours.read);
    const others = await get(service.url, path, theirs.read);
    expect([mine.status, others.status]).toEqual([200, 200]);
    expect(mine.text).not.toMatch(/of-theirs|of-test/);
    expect(others.text).not.toMatch(/of-ours|of-test/);
    const count = (body: Record<string, unknown>): unknown => body['event_count'] ?? body['total_events'] ?? body['total'];
    const counted = [mine.body, others.body].map(count).filter((value) => value !== undefined);
    for (const value of counted) expect(value).toBe(1);
  });

  it('an end user of another organization, or of test events alone, does not exist', async () => {
    for (const name of ['user-of-theirs', 'user-of-test']) {
      expect((await get(service.url, `/end-user-costs/${name}/by-model?${RANGE}`, ours.read)).status).toBe(404);
    }
  });

  it('an organization named in a header binds operators alone', async () => {
    const query = `{ window(start: "2020-01-01", end: "2030-01-01") { dimensionValues(key: "agent_id") } }`;
    const { body } = await graphql(service.url, ours.read, query, {}, theirs.id);
    expect(body.data.window.dimensionValues).toEqual(['agent-of-ours']);
  });

  it('a test key reads live data alone', async () => {
    const { body } = await graphql(service.url, service.firstRun.operator_token, 'mutation { createApiKey(input: { name: "t", environment: "test", preset: "read" }) { secret } }', {}, ours.id);
    const answer = await get(service.url, `/attribution-data/dimension-values?dimension=agent_id&${RANGE}`, body.data.createApiKey.secret);
    expect(answer.body.values).toEqual(['agent-of-ours']);
  });

  it('the feed and the audits are closed to API keys', async () => {
    for (const query of ['{ pricedFeed(follower: "x") }', '{ verifyCosting { check } }', '{ organizations { id } }', '{ pricingBacklog { pendingEvents } }']) {
      const { body } = await graphql(service.url, ours.read, query);
      expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
      expect(body.data ?? null).toBeNull();
    }
  });
});
