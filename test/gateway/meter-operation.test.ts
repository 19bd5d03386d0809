/** The rate limit cost of a document: mutations count individually, and signed ingestion uses the ingestion bucket. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, graphql, post, read, sign } from '../support/api-client.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';

const READS = '1000;w=900';
const INGESTIONS = '40;w=600';

let service: RunningService;
let key: string;
beforeAll(async () => {
  service = await runningService({ READ_RATE_LIMIT: READS, INGEST_RATE_LIMIT: INGESTIONS });
  key = service.firstRun.live_ingest_key;
});
afterAll(() => service.stop());

const bucket = ({ headers }: Answer): (string | null)[] => [
  headers.get('ratelimit-policy'),
  headers.get('ratelimit-remaining'),
];
const codeOf = ({ body }: Answer): unknown => body.errors?.[0]?.extensions?.code ?? null;
const ingestion = (aliases: number) => ({
  query: `mutation ($event: JSON!) { ${Array.from({ length: aliases }, (_, index) => `a${index}: ingestUsageEvent(event: $event)`).join(' ')} }`,
  variables: { event: usageEvent() },
});

async function sendSigned(document: object, change: Record<string, string> = {}, ofKey = key): Promise<Answer> {
  const body = JSON.stringify(document);
  const timestamp = String(Math.floor(Date.now() / 1000));
  return read(
    await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${ofKey}`,
        'x-timestamp': timestamp,
        'x-signature': sign(ofKey, timestamp, body),
        ...change,
      },
      body,
    }),
  );
}

describe('ingestion by an API key', () => {
  it('requires a signature over the body, as on /v1', async () => {
    const { query, variables } = ingestion(1);
    const unsigned = await graphql(service.url, key, query, variables);
    expect([unsigned.status, codeOf(unsigned), unsigned.body.errors[0].message]).toEqual([
      401,
      'UNAUTHORIZED',
      expect.stringMatching(/X-Signature/),
    ]);
    const changes: Record<string, string>[] = [
      { 'x-signature': `v1=${'0'.repeat(64)}` },
      { 'x-timestamp': '1700000000' },
    ];
    for (const change of changes) {
      const answer = await sendSigned(ingestion(1), change);
      expect([answer.status, codeOf(answer)]).toEqual([401, 'UNAUTHORIZED']);
    }
    // Fields within a fragment are counted too.
    const hidden = await graphql(
      service.url,
      key,
      `mutation ($event: JSON!) { ...F } fragment F on Mutation { ... { ingestUsageEvent(event: $event) } }`,
      variables,
    );
    expect([hidden.status, codeOf(hidden)]).toEqual([401, 'UNAUTHORIZED']);
  });

  it('spends one ingestion per field, from the bucket of /v1, and no read', async () => {
    const fresh = (
      await graphql(
        service.url,
        service.firstRun.operator_token,
        'mutation { apiKeyCreate(input: { name: "k", environment: "live", scopes: ["usage:write", "usage:read"] }) { createdApiKey { secret } userErrors { message } } }',
        {},
        service.firstRun.organization_id,
      )
    ).body.data.apiKeyCreate.createdApiKey.secret as string;
    const one = await sendSigned(ingestion(1), {}, fresh);
    expect([codeOf(one), bucket(one)]).toEqual([null, [INGESTIONS, '39']]);
    const thirty = await sendSigned(ingestion(30), {}, fresh);
    expect([codeOf(thirty), bucket(thirty)]).toEqual([null, [INGESTIONS, '9']]);
    const tooMany = await sendSigned(ingestion(10), {}, fresh);
    expect([tooMany.status, codeOf(tooMany), Number(tooMany.headers.get('retry-after')) > 0]).toEqual([
      429,
      'RATE_LIMIT_EXCEEDED',
      true,
    ]);
    expect((await post(service.url, '/usage-events', fresh, usageEvent())).status).toBe(429);
    expect(bucket(await graphql(service.url, fresh, '{ caller { ok } }'))).toEqual([READS, '999']);
  });
});

describe('a request with a signature that ingests nothing', () => {
  it('spends a read anyway', async () => {
    const before = Number(bucket(await graphql(service.url, key, '{ caller { ok } }'))[1]);
    const answer = await sendSigned({ query: '{ caller { ok } }' });
    expect([codeOf(answer), bucket(answer)]).toEqual([null, [READS, String(before - 1)]]);
  });
});

describe('a mutation', () => {
  it('spends a request for each of its fields, whoever sends it', async () => {
    const limited = await runningService({ ANONYMOUS_RATE_LIMIT: '35;w=600' }, { jobs: false });
    try {
      const retire = (count: number) =>
        `mutation { ${Array.from({ length: count }, (_, index) => `a${index}: __typename`).join(' ')} }`;
      const first = await graphql(limited.url, null, retire(30));
      expect([first.status, bucket(first)]).toEqual([200, ['35;w=600', '5']]);
      const second = await graphql(limited.url, null, retire(30));
      expect([second.status, codeOf(second)]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      const keyed = await graphql(limited.url, limited.firstRun.live_read_key, retire(30));
      expect(bucket(keyed)).toEqual(['100000;w=900', '99970']);
    } finally {
      await limited.stop();
    }
  });
});
