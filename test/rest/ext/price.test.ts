import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, graphql, postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { projectText } from '../../support/project-files.ts';
import { runningService, type RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';

interface Described {
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly example: unknown } } };
  readonly responses: {
    readonly 200: { readonly content: { readonly 'application/json': { readonly example: unknown } } };
  };
}
const { requestBody, responses } = (
  JSON.parse(projectText('schema/openapi.json')) as { paths: Record<string, { post: Described }> }
).paths['/ext/v1/price']!.post;

let service: RunningService;
let limited: RunningService;
let readKey: string;
beforeAll(async () => {
  [service, limited] = [await sharedService(), await runningService({ READ_RATE_LIMIT: '1;w=900' }, { jobs: false })];
  readKey = service.firstRun.live_read_key;
});
afterAll(async () => {
  await service.stop();
  await limited.stop();
});

const send = (body: unknown, key: string | null = readKey, headers: Record<string, string> = {}) =>
  postExt(service.url, '/price', key, body, headers);

describe('200', () => {
  it('matches the document', async () => {
    const { status, body, headers } = await send(requestBody.content['application/json'].example);
    expect([status, body]).toEqual([200, responses[200].content['application/json'].example]);
    expect(headers.get('ratelimit-limit')).not.toBeNull();
  });

  it('accepts the whole body of a provider’s response, and how it was served', async () => {
    const response = {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: 'gpt-5-2025-08-07',
      choices: [{ index: 0, message: { role: 'assistant', content: 'No one else’s business' } }],
      usage: { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 },
      service_tier: 'flex',
    };
    const standard = await send({ ...response, service_tier: 'default' });
    const flex = await send(response);
    expect(flex.body).toMatchObject({ reading: 'openai-chat', pricing_context: 'tier=flex', model_slug: 'gpt-5' });
    expect(Number(flex.body.total_cost) * 2).toBe(Number(standard.body.total_cost));
    expect((await send({ ...response, service_tier: 'default', context: 'tier=flex' })).body).toEqual(flex.body);
  });

  it('counts the billed tools of a whole response', async () => {
    const search = (action: object) => ({ type: 'web_search_call', status: 'completed', action });
    const { body } = await send({
      id: 'resp_1',
      object: 'response',
      model: 'gpt-5-mini',
      output: [search({ type: 'search', query: 'No one else’s business' }), search({ type: 'open_page' })],
      usage: { input_tokens: 18_000, output_tokens: 900, total_tokens: 18_900 },
    });
    // 18,000 at 0.25 and 900 at 2 USD a million, and one search at 0.01 USD.
    expect(body).toMatchObject({ status: 'completed', total_cost: '0.0163', reading: 'normalized' });
  });

  it('counts the output of Titan, which its responses list by result', async () => {
    const results = [{ tokenCount: 500, outputText: 'No one else’s business', completionReason: 'FINISH' }];
    const { body } = await send({
      provider: 'bedrock',
      model: 'amazon.titan-text-express-v1',
      inputTextTokenCount: 1000,
      results,
    });
    // 1,000 at 0.2 and 500 at 0.6 USD a million.
    expect(body).toMatchObject({ status: 'completed', total_cost: '0.0005' });
  });

  const CHAT = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
  const MESSAGES = {
    ...{ input_tokens: 1000, output_tokens: 1000, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  };
  // Amounts by the published prices.
  it.each<[string, object, object]>([
    [
      'a line of a batch: half the price',
      { custom_id: '1', response: { status_code: 200, body: { id: 'chatcmpl-2', model: 'gpt-4o', usage: CHAT } } },
      { total_cost: '0.00175', pricing_context: 'tier=batch', provider_slug: 'openai' },
    ],
    [
      'Claude by the id of Vertex AI, in a region',
      {
        id: 'msg_vrtx_01',
        type: 'message',
        model: 'claude-sonnet-4-6',
        vertex_location: 'europe-west1',
        usage: MESSAGES,
      },
      { total_cost: '0.0198', reading: 'anthropic-messages', match_rule: expect.stringContaining('claude-sonnet-4-6') },
    ],
    [
      'a call of a router, whatever upstream it names',
      {
        ...{ id: 'gen-1', object: 'chat.completion', provider: 'Anthropic', model: 'anthropic/claude-3.7-sonnet' },
        ...{ choices: [], usage: CHAT },
      },
      { total_cost: '0.0045', provider_slug: 'openrouter', reading: 'openai-chat' },
    ],
    [
      'only a total: a guess',
      { id: 'chatcmpl-3', object: 'chat.completion', model: 'gpt-4o', usage: { total_tokens: 1000 } },
      { total_cost: '0.0025', reading: 'guessed' },
    ],
    [
      'seconds of a transcription, in the fields of an event',
      { model: 'whisper-1', idempotency_key: '1', response: { task: 'transcribe', language: 'english', duration: 90 } },
      { total_cost: '0.009' },
    ],
    [
      // 1,200 at 2.50, 800 at 1.25 and 300 at 10 per million.
      'the counts of Langfuse, whose input contains no cached tokens',
      { model: 'gpt-4o', provider: 'openai', usage: { input: 1200, output: 300, cache_read_input_tokens: 800 } },
      { total_cost: '0.007' },
    ],
    [
      'a response of an earlier day, at the price of that day',
      { id: 'chatcmpl-4', object: 'chat.completion', created: 1_717_200_000, model: 'gpt-4o', usage: CHAT },
      { total_cost: '0.0065' },
    ],
  ])('reads a response as if it were sent: %s', async (_title, body, expected) => {
    expect((await send(body)).body).toMatchObject({ status: 'completed', ...expected });
  });

  it.each<[string, object, RegExp]>([
    [
      'only zeros, although there is output',
      {
        ...{ id: 'chatcmpl-5', model: 'gpt-4o', choices: [{ message: { content: 'Hello' } }] },
        usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      },
      /only zeros/,
    ],
    [
      'a failed line of a batch',
      { custom_id: '1', response: { status_code: 429, body: { model: 'gpt-4o' } }, error: {} },
      /failed/,
    ],
  ])('rejects a response that would not be booked: %s', async (_title, body, message) => {
    expectEnvelope(await send(body), 400, 'VALIDATION_ERROR', message);
  });

  it('accepts Gemini’s and Cohere’s names', async () => {
    const gemini = await send({
      modelVersion: 'gemini-2.5-flash',
      candidates: [],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 7, totalTokenCount: 22 },
    });
    expect(gemini.body).toMatchObject({ status: 'completed', reading: 'gemini' });
    expect(gemini.body.lines.map((line: { quantity: string }) => line.quantity)).toEqual(['10', '5', '7']);
    const cohere = await send({
      model: 'command-r-plus-08-2024',
      usage: { billed_units: { input_tokens: 10, output_tokens: 5 }, tokens: { input_tokens: 70, output_tokens: 6 } },
    });
    expect(cohere.body.lines.map((line: { quantity: string }) => line.quantity)).toEqual(['10', '5']);
  });

  it('returns several calls in their order, and says what one of them waits for', async () => {
    const usage = { input_tokens: 1000, output_tokens: 0 };
    const { body } = await send([
      { model: 'gpt-4o', ...usage },
      { model: 'no-one-has-a-card', usage },
    ]);
    expect(body).toMatchObject([
      { status: 'completed', total_cost: '0.0025' },
      { status: 'pending_rate_card', total_cost: null, reason: expect.stringMatching(/^No rate card/), lines: [] },
    ]);
  });

  it('uses the prices of the given time', async () => {
    const { operator_token: operator, organization_id: organization } = service.firstRun;
    const rate = (input: string, from: string) =>
      `rateSet(input: { model: "acme", input: "${input}", output: "1", effectiveFrom: "${from}" }) { rate { modelSlug } userErrors { message code } }`;
    const mutation = `mutation { a: ${rate('1', '2026-01-01')} b: ${rate('2', '2026-02-01')} }`;
    await graphql(service.url, operator, mutation, {}, organization);
    const costs = await send(
      ['2026-01-15', '2026-02-15T00:00:00Z', null].map((at) => ({ model: 'acme', input_tokens: 1_000_000, at })),
    );
    expect(costs.body.map((one: { total_cost: string }) => one.total_cost)).toEqual(['1', '2', '2']);
  });

  it('stores nothing', async () => {
    await send({ model: 'gpt-4o', usage: { prompt_tokens: 1000 } });
    const range = 'start_date=2026-01-01&end_date=2100-01-01';
    expect((await get(service.url, `/usage/summary?${range}`, readKey)).body.total_events).toBe(0);
  });
});

describe('400', () => {
  const usage = { prompt_tokens: 1 };
  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{', /not valid JSON/],
    ['no body', '', /not valid JSON/],
    ['a text', '"gpt-4o"', /must be an object/],
    ['no call', [], /1 to 100/],
    ['too many calls', Array.from({ length: 101 }, () => ({ model: 'gpt-4o', usage })), /1 to 100/],
    ['a call without a model', [{ model: 'gpt-4o', usage }, { usage }], /Call 1 has no model/],
    ['a model that is not a string', { model: 4, usage }, /model/],
    ['a provider that is not a string', { model: 'gpt-4o', provider: [], usage }, /provider/],
    ['usage that is not an object', { model: 'gpt-4o', usage: 5 }, /usage/],
    ['usage without a count', { model: 'gpt-4o', usage: { words: 5 } }, /usage contains no counts/],
    ['counts under unknown names', { model: 'gpt-4o', usage: { tokens_in: 5 } }, /unknown names: tokens_in/],
    ['no usage', { model: 'gpt-4o' }, /usage contains no counts/],
    ['a negative count', { model: 'gpt-4o', input_tokens: -1 }, /input_tokens/],
    ...[-1, 1.5, 'many', 1e20].map((count): [string, unknown, RegExp] => [
      `an impossible count in a usage object: ${count}`,
      { model: 'gpt-4o', usage: { prompt_tokens: count, completion_tokens: 100 } },
      /not whole numbers, 0 or more: prompt_tokens/,
    ]),
    [
      'an impossible count of cached tokens',
      { model: 'gpt-4o', usage: { ...usage, prompt_tokens_details: { cached_tokens: -5 } } },
      /prompt_tokens_details\.cached_tokens/,
    ],
    ['an unknown key of a context', { model: 'gpt-4o', usage, context: 'colour=red' }, /colour/],
    ['a date that does not exist', { model: 'gpt-4o', usage, at: '2026-02-30' }, /at must be/],
    ['too many levels', `${'['.repeat(2000)}${']'.repeat(2000)}`, /nested/],
  ])('for %s', async (_name, body, message) => {
    expectEnvelope(await send(body), 400, 'VALIDATION_ERROR', message);
  });
});

describe('401', () => {
  it.each([[null], ['sk_live_no']])('without a valid key: %s', async (key) => {
    expectEnvelope(await send({ model: 'gpt-4o' }, key), 401, 'UNAUTHORIZED');
  });
});

describe('403', () => {
  it('to a key without its scope', async () => {
    expectEnvelope(await send({}, service.firstRun.live_ingest_key), 403, 'FORBIDDEN', /costs:read/);
  });
});

describe('404', () => {
  it('in the envelope for a missing object', async () => {
    expectEnvelope(await postExt(service.url, '/nothing', readKey, {}), 404, 'NOT_FOUND');
  });
});

describe('413', () => {
  it('to more than 4 MiB', async () => {
    const body = JSON.stringify({ model: 'gpt-4o', usage: { text: 'x'.repeat(4 * 1024 * 1024) } });
    expectEnvelope(await send(body), 413, 'PAYLOAD_TOO_LARGE');
  });
});

describe('415', () => {
  it('to a body that is not JSON', async () => {
    expectEnvelope(await send('a=b', readKey, { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('429', () => {
  it('beyond the limit that it shares with every read', async () => {
    const { live_read_key: key } = limited.firstRun;
    await get(limited.url, '/ping', key);
    expectEnvelope(await postExt(limited.url, '/price', key, { model: 'gpt-4o' }), 429, 'RATE_LIMIT_EXCEEDED');
  });
});
