/** When a connection is pulled, what the provider is asked, and what its answers mean. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '#kernel/time/duration.ts';
import type { Database } from '#platform/database/open-database.ts';
import { query } from '#platform/database/sql.ts';
import { createLog } from '#platform/log.ts';
import type { Outbound, OutboundRequest } from '#platform/outbound/outbound-client.ts';
import { anonymous } from '#platform/principal.ts';
import { saveBillConnection } from '../../../subgraphs/reconciliation/connections/save-bill-connection.operation.ts';
import { reconciliation } from '../../../subgraphs/reconciliation/main.ts';
import { pullBillsJob } from '../../../subgraphs/reconciliation/pulls/pull-bills.job.ts';
import { freshDatabase } from '../../support/fresh-database.ts';
import { sealingUnder } from '../../support/sealing.ts';

let database: Database;
beforeAll(async () => {
  database = await freshDatabase(reconciliation);
});
afterAll(() => database.close());

const KEY = 'sk-admin-of-a-stand-in';
const sealing = sealingUnder('x'.repeat(32));
const log = createLog('silent');

type Answer = { readonly status?: number; readonly text?: string; readonly isWhole?: boolean };

/** A provider that answers every request in this way. */
function provider(answer: (request: OutboundRequest) => Answer | Promise<Answer>): Outbound {
  return {
    check: async () => {},
    request: async (request) => ({ status: 200, headers: {}, text: '{}', isWhole: true, ...(await answer(request)) }),
    close: async () => {},
  };
}

const contextOf = (organizationId: string, grants = ['operator']) => ({
  database,
  log,
  principal: { ...anonymous(randomUUID()), kind: 'operator' as const, organizationId, grants },
});

async function connected(source: string): Promise<string> {
  const { id } = await saveBillConnection(contextOf(randomUUID()), { source, key: KEY }, sealing);
  return id;
}

const pull = (outbound: Outbound) => pullBillsJob({ database, log, sealing, outbound }).step();

async function stateOf(id: string): Promise<{ minutes: number; lastError: string | null; failures: number }> {
  const [row] = await database.system((tx) =>
    query<{ minutes: number; lastError: string | null; failures: number }>(
      tx,
      `select round(extract(epoch from due_at - now()) / 60)::int as minutes, last_error, failures
       from bill_connection where id = $1`,
      [id],
    ),
  );
  return row!;
}
const makeDue = (id: string) =>
  database.system((tx) =>
    query(tx, "update bill_connection set due_at = now() - interval '1 second' where id = $1", [id]),
  );

const DAY = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
const ACTIVITY = JSON.stringify({
  data: [{ date: DAY, model: 'openai/gpt-4o-mini', usage: 0.01, requests: 1, prompt_tokens: 10, completion_tokens: 5 }],
});

it('a connection is pulled every six hours, and at growing intervals after failures', async () => {
  const id = await connected('openrouter.activity');
  await pull(provider(() => ({ text: ACTIVITY })));
  expect(await stateOf(id)).toEqual({ minutes: 360, lastError: null, failures: 0 });
  const waits = [];
  for (let failures = 1; failures <= 8; failures++) {
    await makeDue(id);
    await pull(provider(() => ({ status: 500 })));
    const state = await stateOf(id);
    expect(state).toMatchObject({ failures, lastError: 'the provider responded with 500 to /api/v1/activity' });
    waits.push(state.minutes);
  }
  expect(waits).toEqual([10, 20, 40, 80, 160, 320, 360, 360]);
  await makeDue(id);
  await pull(provider(() => ({ text: ACTIVITY })));
  expect(await stateOf(id)).toEqual({ minutes: 360, lastError: null, failures: 0 });
});

it('a connection is left to the process that is pulling it', async () => {
  await connected('openrouter.activity');
  const found: unknown[] = [];
  await pull(
    provider(async () => {
      found.push(await pull(provider(() => ({}))));
      return { text: ACTIVITY };
    }),
  );
  expect(found).toEqual(['idle']);
});

it.each<[string, Answer, string]>([
  ['a key that is refused', { status: 401 }, 'the provider refused the key (401): an admin key is needed'],
  ['a forbidden key', { status: 403 }, 'the provider refused the key (403): an admin key is needed'],
  ['a limit', { status: 429, text: ACTIVITY }, 'the provider responded with 429 to /api/v1/activity'],
  ['a large answer', { text: ACTIVITY, isWhole: false }, 'the response from /api/v1/activity is too large'],
  ['a page', { text: '<html>' }, "the provider's response is not JSON"],
  ['nothing', { text: '{"data": []}' }, 'file: The file contains no rows'],
])('a pull reports what is wrong if the provider sends %s', async (_, answer, lastError) => {
  const id = await connected('openrouter.activity');
  await pull(provider(() => answer));
  expect(await stateOf(id)).toMatchObject({ lastError, failures: 1 });
});

describe('the provider is asked for the last 31 days, by everything that the comparison needs', () => {
  const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  const [from, until] = [midnight - 31 * DAY_MS, midnight];
  const seconds = [
    ['start_time', String(from / 1_000)],
    ['end_time', String(until / 1_000)],
  ];
  const instants = [
    ['starting_at', new Date(from).toISOString()],
    ['ending_at', new Date(until).toISOString()],
  ];
  const paging = [
    ['bucket_width', '1d'],
    ['limit', '31'],
  ];
  const by = (name: string, ...values: string[]) => values.map((value) => [name, value]);

  it.each([
    [
      'openai.costs',
      { authorization: `Bearer ${KEY}` },
      [
        [
          'https://api.openai.com/v1/organization/costs',
          ...seconds,
          ...paging,
          ...by('group_by', 'project_id', 'line_item'),
        ],
        [
          'https://api.openai.com/v1/organization/usage/completions',
          ...seconds,
          ...paging,
          ...by('group_by', 'project_id', 'api_key_id', 'model', 'batch', 'service_tier'),
        ],
      ],
    ],
    [
      'anthropic.cost_report',
      { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
      [
        [
          'https://api.anthropic.com/v1/organizations/cost_report',
          ...instants,
          ...paging,
          ...by('group_by[]', 'workspace_id', 'description'),
        ],
        [
          'https://api.anthropic.com/v1/organizations/usage_report/messages',
          ...instants,
          ...paging,
          ...by('group_by[]', 'model', 'workspace_id', 'api_key_id', 'service_tier', 'context_window'),
        ],
      ],
    ],
    ['openrouter.activity', { authorization: `Bearer ${KEY}` }, [['https://openrouter.ai/api/v1/activity']]],
  ])('%s', async (source, headers, lists) => {
    await connected(source);
    const asked: unknown[] = [];
    await pull(
      provider(({ url, method, headers: sent }) => {
        const { origin, pathname, searchParams } = new URL(url);
        asked.push([`${origin}${pathname}`, ...searchParams]);
        expect({ method, sent }).toMatchObject({ method: 'GET', sent: headers });
        return {};
      }),
    );
    expect(asked).toEqual(lists);
  });
});

it('only an operator can send the key to another address', async () => {
  const input = { source: 'openai.costs', key: KEY, apiBase: 'https://elsewhere.example' };
  await expect(saveBillConnection(contextOf(randomUUID(), ['owner']), input, sealing)).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message: 'Only an operator can set apiBase',
  });
});
