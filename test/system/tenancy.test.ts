import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, graphql, post, postExt, settle } from '../support/api-client.ts';
import { exampleEvent, ROUTE_CALLS } from '../support/route-calls.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';

const NOW = new Date();
const RANGE = `start_date=${NOW.getUTCFullYear()}-01-01&end_date=${NOW.getUTCFullYear() + 1}-01-01`;
/** Within the dates of every route's example, and within the last calendar month. */
const TIMES = [
  '2026-01-15T10:00:00Z',
  new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - 1, 15)).toISOString(),
  NOW.toISOString(),
];

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
  const made = await graphql(
    service.url,
    operator,
    `mutation { organizationCreate(input: { name: "${name}", ownerEmail: "${name}@example.com", ownerPassword: "correct horse battery" }) { createdOrganization { organization { id } } userErrors { message code } } }`,
  );
  const id = made.body.data.organizationCreate.createdOrganization.organization.id as string;
  const key = async (environment: string, preset: string) => {
    const { body } = await graphql(
      service.url,
      operator,
      `mutation { apiKeyCreate(input: { name: "k", environment: "${environment}", preset: "${preset}" }) { createdApiKey { secret } userErrors { message } } }`,
      {},
      id,
    );
    return body.data.apiKeyCreate.createdApiKey.secret as string;
  };
  return {
    id,
    read: await key('live', 'read'),
    ingest: await key('live', 'ingest'),
    test: await key('test', 'ingest'),
  };
}

/** Events with the same keys and the same end user in every tenant: only the tenant differs. */
async function fill(key: string, who: string): Promise<void> {
  for (const [index, at] of TIMES.entries()) {
    const event = {
      idempotency_key: `the-same-${index}`,
      event_invoked_at: at,
      model: `model-of-${who}`,
      metadata: { agent_id: `agent-of-${who}`, team: `team-of-${who}` },
    };
    await post(service.url, '/usage-events', key, exampleEvent(event));
    await post(
      service.url,
      '/usage-events',
      key,
      exampleEvent({ ...event, idempotency_key: `of-its-own-${index}`, user_id: `user-of-${who}` }),
    );
  }
}

async function prepare({ id }: Tenant, who: string, rate: string): Promise<void> {
  const operate = (mutation: string) =>
    graphql(service.url, service.firstRun.operator_token, `mutation { ${mutation} }`, {}, id);
  await operate(
    `rateSet(input: { model: "model-of-${who}", input: "${rate}", output: "${rate}" }) { rate { modelSlug } userErrors { message code } }`,
  );
  await operate('dimensionRegister(input: { key: "team" }) { dimension { key } }');
}

async function answersTo({ read }: Tenant): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const { url, path } of ROUTE_CALLS) {
    const { status, text } = await get(service.url, path, read);
    answers.set(url, status === 200 ? text : `${status}`);
  }
  return answers;
}

/**
 * By URL: responses for a tenant that is alone, for the same tenant after others joined, for those others, and for one
 * without events.
 */
let alone: Map<string, string>;
let crowded: Map<string, string>;
let others: Map<string, string>;
let empty: Map<string, string>;

beforeAll(async () => {
  service = await sharedService();
  const settled = () => settle(service.url, service.firstRun.operator_token);
  ours = await tenant('ours');
  await prepare(ours, 'ours', '3');
  await fill(ours.ingest, 'ours');
  await settled();
  alone = await answersTo(ours);
  theirs = await tenant('theirs');
  const unknownId = await tenant('nobody');
  await prepare(unknownId, 'nobody', '5');
  await prepare(theirs, 'theirs', '7');
  await fill(theirs.ingest, 'theirs');
  await fill(ours.test, 'test');
  await settled();
  [crowded, others, empty] = [await answersTo(ours), await answersTo(theirs), await answersTo(unknownId)];
});
afterAll(() => service.stop());

describe.each(ROUTE_CALLS)('GET $url', ({ url }) => {
  it('shows what the tenant sent', () => {
    expect(alone.get(url)).toMatch(/^\{/);
    expect(alone.get(url)).not.toBe(empty.get(url));
  });

  it('returns the same whoever else exists, and whatever a test key sent', () => {
    expect(crowded.get(url)).toBe(alone.get(url));
  });

  it('shows nothing of another tenant', () => {
    expect(crowded.get(url)).not.toMatch(/of-(theirs|test|nobody)/);
    expect(others.get(url)).not.toMatch(/of-(ours|test|nobody)/);
    expect(others.get(url)).not.toBe(crowded.get(url));
  });
});

describe('organizations are separate, and test events are invisible', () => {
  it('an end user of another organization, or only of test events, does not exist', async () => {
    for (const name of ['user-of-theirs', 'user-of-test']) {
      expect((await get(service.url, `/end-user-costs/${name}/by-model?${RANGE}`, ours.read)).status).toBe(404);
    }
  });

  it('an organization named in a header affects only operators', async () => {
    const query = `{ window(start: "2020-01-01", end: "2030-01-01") { dimensionValues(key: "agent_id") } }`;
    const { body } = await graphql(service.url, ours.read, query, {}, theirs.id);
    expect(body.data.window.dimensionValues).toEqual(['agent-of-ours']);
  });

  it('a test key reads only live data', async () => {
    const { body } = await graphql(
      service.url,
      service.firstRun.operator_token,
      'mutation { apiKeyCreate(input: { name: "t", environment: "test", preset: "read" }) { createdApiKey { secret } userErrors { message } } }',
      {},
      ours.id,
    );
    const answer = await get(
      service.url,
      `/attribution-data/dimension-values?dimension=agent_id&${RANGE}`,
      body.data.apiKeyCreate.createdApiKey.secret,
    );
    expect(answer.body.values).toEqual(['agent-of-ours']);
  });

  it('the price of a call depends on the caller’s own rate cards and those of the catalogue', async () => {
    const priceOf = async (who: string, { read }: Tenant) =>
      (await postExt(service.url, '/price', read, { model: `model-of-${who}`, usage: { prompt_tokens: 1_000_000 } }))
        .body;
    expect((await priceOf('ours', ours)).total_cost).toBe('3');
    expect((await priceOf('theirs', theirs)).total_cost).toBe('7');
    expect(await priceOf('theirs', ours)).toMatchObject({
      status: 'pending_rate_card',
      total_cost: null,
      model_slug: null,
    });
  });

  it('the feed and the audits are closed to API keys', async () => {
    for (const query of [
      'mutation { followPricedFeed(follower: "x", places: []) }',
      'mutation { acknowledgeFeeds(follower: "x") }',
      '{ feedMarks(follower: "x") }',
      '{ ledgerDays }',
      '{ ledgerPage(organizationId: "x", cursor: {}) }',
    ]) {
      const { body } = await graphql(service.url, ours.read, query);
      expect(body.errors[0]).toMatchObject({
        message: expect.stringContaining('Cannot query field'),
        extensions: { code: 'VALIDATION_ERROR' },
      });
    }
    for (const query of [
      '{ books { state } }',
      '{ bookDifferences { nodes { what } } }',
      '{ verifyCosting { check } }',
      '{ verificationDays { first } }',
      '{ organizations { id } }',
      '{ pricingBacklog { pendingEvents } }',
    ]) {
      const { body } = await graphql(service.url, ours.read, query);
      expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
      expect(Object.values(body.data ?? {})).toEqual(Object.values(body.data ?? {}).map(() => null));
    }
  });
});
