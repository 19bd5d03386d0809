/** Bills pulled with an admin key from stand-ins that answer as the providers' APIs do. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Alerting, startAlerting } from '../alerting/alerting-builder.ts';

const KEY = 'sk-admin-of-a-stand-in';
/** Yesterday, so that it lies within the days that a pull reads. */
const DAY_SECONDS = Math.floor(Date.now() / 86_400_000) * 86_400 - 86_400;
const DAY = new Date(DAY_SECONDS * 1_000).toISOString().slice(0, 10);

let world: Alerting;
let standIn: Server;
let base: string;
const asked: string[] = [];
/** Called before a request is answered. Its result, if any, is sent instead. */
let answerInstead: (() => unknown) | undefined;

const bucket = (results: readonly object[]) => ({
  object: 'bucket',
  start_time: DAY_SECONDS,
  end_time: DAY_SECONDS + 86_400,
  results,
});
const cost = (line_item: string, value: number) => ({
  object: 'organization.costs.result',
  amount: { value, currency: 'usd' },
  line_item,
  project_id: 'proj_a',
});
const span = { starting_at: `${DAY}T00:00:00Z`, ending_at: new Date((DAY_SECONDS + 86_400) * 1_000).toISOString() };

/** Path and page → answer. */
const ANSWERS: Readonly<Record<string, object>> = {
  '/v1/organization/costs': {
    object: 'page',
    data: [bucket([cost('gpt-4o-mini, input', 0.15)])],
    has_more: true,
    next_page: 'page_2',
  },
  '/v1/organization/costs page_2': {
    object: 'page',
    data: [bucket([cost('gpt-4o-mini, output', 0.06)])],
    has_more: false,
    next_page: null,
  },
  '/v1/organization/usage/completions': {
    object: 'page',
    data: [
      bucket([
        {
          object: 'organization.usage.completions.result',
          model: 'gpt-4o-mini',
          input_tokens: 1_000_000,
          output_tokens: 100_000,
          api_key_id: 'key_a',
          project_id: 'proj_a',
        },
      ]),
    ],
    has_more: false,
    next_page: null,
  },
  '/v1/organizations/cost_report': {
    data: [
      {
        ...span,
        results: [
          {
            amount: '100.0000',
            currency: 'USD',
            cost_type: 'tokens',
            token_type: 'uncached_input_tokens',
            model: 'claude-haiku-4-5',
            description: 'Claude Haiku 4.5 Usage - Input Tokens',
          },
        ],
      },
    ],
    has_more: false,
    next_page: null,
  },
  '/v1/organizations/usage_report/messages': {
    data: [
      {
        ...span,
        results: [
          { uncached_input_tokens: 1_000_000, output_tokens: 0, model: 'claude-haiku-4-5', api_key_id: 'apikey_1' },
        ],
      },
    ],
    has_more: false,
    next_page: null,
  },
  '/api/v1/activity': {
    data: [
      {
        date: DAY,
        model: 'openai/gpt-4o-mini',
        model_permaslug: 'openai/gpt-4o-mini',
        usage: 0.01,
        byok_usage_inference: 0,
        requests: 1,
        prompt_tokens: 10,
        completion_tokens: 5,
        reasoning_tokens: 0,
      },
    ],
  },
};

beforeAll(async () => {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const instead = await answerInstead?.();
    const url = new URL(request.url ?? '/', base);
    const page = url.searchParams.get('page');
    asked.push(`${url.pathname}${page === null ? '' : ` ${page}`}`);
    const isAllowed = request.headers.authorization === `Bearer ${KEY}` || request.headers['x-api-key'] === KEY;
    response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' });
    const answer = instead ?? ANSWERS[`${url.pathname}${page === null ? '' : ` ${page}`}`];
    response.end(JSON.stringify(isAllowed ? answer : { error: { message: 'Incorrect API key provided' } }));
  };
  standIn = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => standIn.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(standIn.address() as AddressInfo).port}`;
  world = await startAlerting();
});
afterAll(async () => {
  await world.close();
  standIn.close();
});

const SAVE = `mutation ($input: BillConnectionSaveInput!) { billConnectionSave(input: $input) {
  billConnection { id source isPulled keyEnding state } userErrors { message } } }`;
const save = async (organizationId: string, source: string, key = KEY) =>
  (await world.ask(organizationId, SAVE, { input: { source, key, apiBase: base } })).billConnectionSave;
const connections = async (organizationId: string) =>
  (await world.ask(organizationId, '{ billConnections { source state lastError lastDay pulls } }')).billConnections;
const billed = async (organizationId: string) => {
  const window = { start: `${DAY}T00:00:00Z`, end: `${DAY}T23:59:59Z` };
  const query = 'query ($start: Instant!, $end: Instant!) { billDays(start: $start, end: $end) { day billed state } }';
  return (await world.ask(organizationId, query, window)).billDays;
};

it.each([
  [
    'openai.costs',
    '0.21',
    ['/v1/organization/costs', '/v1/organization/costs page_2', '/v1/organization/usage/completions'],
  ],
  ['anthropic.cost_report', '1', ['/v1/organizations/cost_report', '/v1/organizations/usage_report/messages']],
  ['openrouter.activity', '0.01', ['/api/v1/activity']],
])('all pages of %s are pulled without showing the key', async (source, amount, paths) => {
  const organizationId = randomUUID();
  asked.length = 0;
  expect(await save(organizationId, source)).toEqual({
    billConnection: { id: expect.any(String), source, isPulled: true, keyEnding: 'd-in', state: 'OK' },
    userErrors: [],
  });
  await world.settle();
  expect(asked).toEqual(paths);
  expect(await connections(organizationId)).toEqual([{ source, state: 'OK', lastError: null, lastDay: DAY, pulls: 1 }]);
  // OpenAI's costs of yesterday are final from noon on.
  const state = source === 'openai.costs' && new Date().getUTCHours() >= 12 ? 'SETTLED' : 'SETTLING';
  expect(await billed(organizationId)).toEqual([{ day: DAY, billed: amount, state }]);
});

it('the reason of a failed pull is shown without the key, and the pull is tried again', async () => {
  const organizationId = randomUUID();
  await save(organizationId, 'openai.costs', 'sk-of-somebody-else');
  await world.settle();
  expect(await connections(organizationId)).toEqual([
    {
      source: 'openai.costs',
      state: 'FAILING',
      lastError: 'the provider refused the key (401): an admin key is needed',
      lastDay: null,
      pulls: 0,
    },
  ]);
  await save(organizationId, 'openai.costs');
  await world.settle();
  expect(await connections(organizationId)).toMatchObject([{ state: 'OK', lastError: null, pulls: 1 }]);
});

it('reconciliation alerts while the first pull fails, until a bill arrives', async () => {
  const organizationId = randomUUID();
  await save(organizationId, 'openai.costs', 'sk-of-somebody-else');
  await world.settle();
  await world.watch(organizationId);
  await world.rule(organizationId, { kind: 'BILL_NOT_PULLED' });
  const evaluate = async (hours: readonly number[]) => {
    for (const hour of hours)
      await world.evaluate(new Date(Date.now() + hour * 3_600_000).toISOString(), organizationId);
    return (await world.episodes(organizationId))
      .filter(({ kind }) => kind === 'BILL_NOT_PULLED')
      .map(({ state, sentence }) => [state, sentence]);
  };
  const sentence = 'OpenAI has no bill yet: the provider refused the key (401): an admin key is needed.';
  expect(await evaluate([0, 1])).toEqual([['OPEN', sentence]]);
  await save(organizationId, 'openai.costs');
  await world.settle();
  expect(await evaluate([2])).toEqual([['CLOSED', sentence]]);
});

it('reconciliation ignores a pull whose key was replaced in the meantime', async () => {
  const organizationId = randomUUID();
  await save(organizationId, 'openai.costs', 'sk-of-somebody-else');
  answerInstead = async () => {
    answerInstead = undefined;
    await save(organizationId, 'openai.costs');
  };
  await world.settle();
  expect(await connections(organizationId)).toMatchObject([{ state: 'OK', lastError: null, pulls: 1 }]);
});

it('reconciliation stops reading a provider that answers with more than a bill may have', async () => {
  const organizationId = randomUUID();
  await save(organizationId, 'openai.costs');
  let pages = 0;
  const padding = 'x'.repeat(8 * 1024 * 1024);
  answerInstead = () => ({ object: 'page', data: [], padding, has_more: ++pages < 10, next_page: `page_${pages}` });
  await world.settle();
  answerInstead = undefined;
  expect(await connections(organizationId)).toMatchObject([
    { state: 'FAILING', lastError: "the provider's responses are larger than 64 MiB" },
  ]);
});

it('a connection is refused for a source that is only imported', async () => {
  expect((await save(randomUUID(), 'aws.cur2')).userErrors).toEqual([
    { message: 'source must be one of anthropic.cost_report, openai.costs, openrouter.activity' },
  ]);
});

it('bills of a connection are shown after its key is replaced, even if no more connections are allowed', async () => {
  const organizationId = randomUUID();
  const saveNamed = async (name: string) => {
    const input = { source: 'openrouter.activity', key: KEY, apiBase: base, name };
    const document = SAVE.replace('isPulled', 'isPulled pulls');
    return (await world.ask(organizationId, document, { input })).billConnectionSave;
  };
  await saveNamed('account 1');
  await world.settle();
  for (let count = 2; count <= 100; count++) await saveNamed(`account ${count}`);
  expect(await saveNamed('account 1')).toMatchObject({ billConnection: { pulls: 1 }, userErrors: [] });
  const refused = [{ message: 'An organization can have at most 100 bill connections' }];
  expect((await saveNamed('account 101')).userErrors).toEqual(refused);
  const document = 'mutation ($text: String!) { billImport(input: { text: $text }) { userErrors { message } } }';
  const text = JSON.stringify(ANSWERS['/v1/organizations/cost_report']);
  expect((await world.ask(organizationId, document, { text })).billImport.userErrors).toEqual(refused);
});
