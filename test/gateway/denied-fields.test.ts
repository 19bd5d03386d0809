/** Only the field whose scope is missing fails: it is null, with an error at its path that names the scope. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, post, settle } from '../support/api-client.ts';
import { operate } from '../support/telemetry.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { usageEvent } from '../support/usage-event.ts';

const WINDOW = 'window(last: { days: 7 })';

let service: RunningService;
let costsKey: string;

beforeAll(async () => {
  service = await sharedService();
  const made = await operate(
    service,
    'mutation { apiKeyCreate(input: { name: "costs", environment: "live", scopes: ["costs:read"] }) { createdApiKey { secret } } }',
  );
  costsKey = (made as any).apiKeyCreate.createdApiKey.secret;
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
    usageEvent({ user_id: 'acme', cost_override: '2.5' }),
  ]);
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(() => service.stop());

const ask = async (document: string, variables = {}) => {
  const { status, body } = await graphql(service.url, costsKey, document, variables);
  const errors = (body.errors ?? []) as { path?: string[]; message: string; extensions: { code: string } }[];
  return {
    status,
    data: body.data,
    errors: errors.map(({ path, message, extensions }) => [path?.join('.'), extensions.code, message]),
  };
};

const FORBIDDEN = ['FORBIDDEN', 'This needs the scope revenue:read'];

describe('a key that may read only costs', () => {
  it('reads them next to fields that it may not read', async () => {
    expect(await ask(`{ ${WINDOW} { costs { totalCost } margin { endUserCount } } }`)).toEqual({
      status: 200,
      data: { window: { costs: { totalCost: '2.5' }, margin: null } },
      errors: [['window.margin', ...FORBIDDEN]],
    });
  });

  it('reads them next to a root field that it may not read', async () => {
    const { status, data, errors } = await ask(
      `{ ${WINDOW} { costs { totalCost } } apiKeys { id } organization { name } caller { environment } }`,
    );
    expect([status, data]).toEqual([
      200,
      {
        window: { costs: { totalCost: '2.5' } },
        apiKeys: null,
        organization: null,
        caller: { environment: 'LIVE' },
      },
    ]);
    expect(errors.map(([path, code]) => [path, code])).toEqual([
      ['apiKeys', 'FORBIDDEN'],
      ['organization', 'FORBIDDEN'],
    ]);
  });

  it('reads them under aliases, in fragments, and if the window contains nothing else', async () => {
    const document = `query ($no: Boolean = false) {
      one: ${WINDOW} { ...Both }
      two: ${WINDOW} { m: margin { endUserCount } ... on Window { n: margin { endUserCount } } }
      three: ${WINDOW} { margin @include(if: $no) { endUserCount } start }
      endUser(externalId: "acme") { externalId }
    }
    fragment Both on Window { m: margin { endUserCount } costs { c: totalCost } }`;
    const { status, data, errors } = await ask(document);
    expect([status, data]).toEqual([
      200,
      {
        one: { m: null, costs: { c: '2.5' } },
        two: { m: null, n: null },
        three: { start: expect.any(String) },
        endUser: { externalId: 'acme' },
      },
    ]);
    expect(errors).toEqual([
      ['one.m', ...FORBIDDEN],
      ['two.m', ...FORBIDDEN],
      ['two.n', ...FORBIDDEN],
    ]);
  });

  it('keeps its other windows if the arguments of one are wrong', async () => {
    const { status, data, errors } = await ask(
      `{ bad: window(start: "yesterday", end: "2026-02-01") { start } good: ${WINDOW} { costs { totalCost } } }`,
    );
    expect([status, data]).toEqual([200, { bad: null, good: { costs: { totalCost: '2.5' } } }]);
    expect(errors).toEqual([['bad', 'VALIDATION_ERROR', expect.any(String)]]);
  });

  it('gets 403 if no field has data, with the path of each field', async () => {
    expect(await ask(`{ keys: apiKeys { id } ${WINDOW} { margin { endUserCount } } }`)).toMatchObject({
      status: 403,
      errors: [
        ['keys', 'FORBIDDEN', expect.any(String)],
        ['window.margin', ...FORBIDDEN],
      ],
    });
    expect(await ask(`{ ${WINDOW} { margin { endUserCount } } }`)).toEqual({
      status: 403,
      data: { window: { margin: null } },
      errors: [['window.margin', ...FORBIDDEN]],
    });
  });

  it('changes nothing if a part of the change is refused', async () => {
    const change = 'mutation { apiKeyCreate(input: { name: "x", environment: "test" }) { userErrors { code } } }';
    expect(await ask(change)).toMatchObject({ status: 403, data: undefined });
  });
});
