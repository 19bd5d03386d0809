/** A field whose scope is missing fails alone: null, and an error at its path that names the scope. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, post, settle } from '../support/api-client.ts';
import { operate } from '../support/telemetry.ts';
import { type RunningService, runningService } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';

const WINDOW = 'window(last: { days: 7 })';

let service: RunningService;
let costsKey: string;

beforeAll(async () => {
  service = await runningService();
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

describe('a key that may read costs alone', () => {
  it('reads them next to what it may not', async () => {
    expect(await ask(`{ ${WINDOW} { costs { totalCost } margin { endUserCount } } }`)).toEqual({
      status: 200,
      data: { window: { costs: { totalCost: '2.5' }, margin: null } },
      errors: [['window.margin', ...FORBIDDEN]],
    });
  });

  it('by other names, in fragments, and where the window has nothing else', async () => {
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

  it('is refused where nothing is left, and where something is to be changed', async () => {
    const sessions = '{ apiKeys { id } }';
    expect(await ask(sessions)).toMatchObject({
      status: 403,
      errors: [[expect.anything(), 'FORBIDDEN', expect.anything()]],
    });
    const change = 'mutation { registerDimension(key: "team") { dimension { key } } }';
    expect(await ask(change)).toMatchObject({ status: 403 });
  });
});
