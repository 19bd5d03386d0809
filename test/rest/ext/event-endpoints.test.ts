/** Raw responses of providers and payloads of LiteLLM: one event per call, whichever endpoint it arrives at. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { settle, sign } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { PATIENCE } from '../../support/patience.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate, sendTo, traces, unsignedKey } from '../../support/telemetry.ts';

const RESPONSES = '/ext/v1/provider-responses';
const LITELLM = '/ext/v1/litellm';
let service: RunningService;
let key: string;

beforeAll(async () => {
  service = await sharedService();
  key = await unsignedKey(service);
});
afterAll(() => service.stop());

async function eventOf(idempotencyKey: string): Promise<any> {
  await settle(service.url, service.firstRun.operator_token);
  const document = `query ($key: String!) { receivedEvent(idempotencyKey: $key) {
    model provider totalCost reading endUserExternalId sessionId eventTimestamp metadata
  } }`;
  return (await operate(service, document, { key: idempotencyKey })).receivedEvent;
}

const NO_TOKENS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, metadata: {} };

const openai = {
  id: 'chatcmpl-raw-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'gpt-4o-2024-08-06',
  choices: [{ message: { role: 'assistant', content: 'what the patient asked' } }],
  usage: {
    prompt_tokens: 1000,
    completion_tokens: 100,
    total_tokens: 1100,
    prompt_tokens_details: { cached_tokens: 0 },
  },
};
const anthropic = {
  id: 'msg_raw_1',
  type: 'message',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text: 'hello' }],
  usage: { input_tokens: 2000, output_tokens: 1000, cache_read_input_tokens: 10_000, cache_creation_input_tokens: 0 },
};
const gemini = {
  responseId: 'gemini-raw-1',
  modelVersion: 'gemini-2.5-flash',
  candidates: [{ content: { parts: [{ text: 'hello' }] } }],
  usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 100, totalTokenCount: 1100 },
};

describe('raw responses', () => {
  it.each<[string, () => { body: unknown; keys: string[] }]>([
    ['one', () => ({ body: openai, keys: ['openai:chatcmpl-raw-1'] })],
    ['an array', () => ({ body: [anthropic, gemini], keys: ['anthropic:msg_raw_1', 'google:gemini-raw-1'] })],
    [
      'lines',
      () => ({
        body: `${JSON.stringify({ ...openai, id: 'chatcmpl-line' })}\n${JSON.stringify({ ...anthropic, id: 'msg_line' })}\n`,
        keys: ['openai:chatcmpl-line', 'anthropic:msg_line'],
      }),
    ],
    [
      'one that is printed over lines',
      () => ({ body: JSON.stringify({ ...openai, id: 'chatcmpl-pretty' }, null, 2), keys: ['openai:chatcmpl-pretty'] }),
    ],
  ])('are accepted in the form %s', async (_title, make) => {
    const { body, keys } = make();
    const answer = await sendTo(service.url, RESPONSES, key, body);
    expect(answer).toMatchObject({ status: 202, body: { accepted: keys.length, duplicates: 0, failed: 0 } });
    for (const one of keys) expect((await eventOf(one))?.totalCost).not.toBeNull();
  });

  it("are read by each provider's convention, at the response's own time, without the content", async () => {
    expect(await eventOf('openai:chatcmpl-raw-1')).toMatchObject({
      totalCost: '0.0035',
      reading: 'openai-chat',
      eventTimestamp: '2026-09-21T14:13:20.000Z',
    });
    expect(await eventOf('anthropic:msg_raw_1')).toMatchObject({ totalCost: '0.024', reading: 'anthropic-messages' });
    expect(await eventOf('google:gemini-raw-1')).toMatchObject({ provider: 'google', reading: 'gemini' });
    expect(JSON.stringify(await eventOf('openai:chatcmpl-raw-1'))).not.toContain('patient');
  });

  it('have the context that their wrapper states', async () => {
    const around = {
      provider: 'azure',
      user_id: 'customer-7',
      session_id: 's',
      metadata: { team: 'a' },
      response: { ...openai, id: 'chatcmpl-around' },
    };
    await sendTo(service.url, RESPONSES, key, around, { gzip: true });
    expect(await eventOf('azure:chatcmpl-around')).toMatchObject({
      endUserExternalId: 'customer-7',
      sessionId: 's',
      metadata: { team: 'a' },
    });
  });

  it("are the same event as a span with the response's id", async () => {
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 100,
      'gen_ai.response.id': 'chatcmpl-both',
    };
    await sendTo(service.url, '/otlp/v1/traces', key, traces({ attributes }));
    // A span begins when the call is sent; the provider reports when its response began.
    const created = Math.floor(Date.now() / 1000) - 30;
    const { body } = await sendTo(service.url, RESPONSES, key, { ...openai, id: 'chatcmpl-both', created });
    expect(body).toMatchObject({
      accepted: 1,
      duplicates: 1,
      results: [{ index: 0, status: 'accepted', message: 'This call was reported before' }],
    });
  });

  it('raw responses that cannot be accepted are rejected one by one, with all their errors', async () => {
    const { body } = await sendTo(service.url, RESPONSES, key, [
      { ...anthropic, id: 'msg_good' },
      { object: 'unknown', data: [] },
      7,
    ]);
    const message =
      'idempotency_key is required; model is required; The response has no usage that can be read. Send the response with its own ' +
      'usage object, or usage with input_tokens and output_tokens';
    expect(body).toMatchObject({
      accepted: 1,
      failed: 2,
      results: [
        { status: 'accepted' },
        { index: 1, status: 'rejected', error: 'VALIDATION_ERROR', message },
        { status: 'rejected', message },
      ],
    });
  });
});

describe('LiteLLM', () => {
  const payload = (more: object = {}) => ({
    id: 'chatcmpl-litellm-1',
    call_type: 'acompletion',
    cache_hit: false,
    status: 'success',
    custom_llm_provider: 'anthropic',
    model: 'claude-sonnet-4-5-20250929',
    response_cost: 0.0241,
    prompt_tokens: 12_000,
    completion_tokens: 1_000,
    total_tokens: 13_000,
    startTime: 1_790_000_000.5,
    end_user: 'customer-8',
    metadata: {
      user_api_key_team_alias: 'research',
      usage_object: {
        prompt_tokens: 12_000,
        completion_tokens: 1_000,
        total_tokens: 13_000,
        prompt_tokens_details: { cached_tokens: 10_000 },
        cache_read_input_tokens: 10_000,
      },
    },
    messages: [{ role: 'user', content: 'what the patient asked' }],
    response: { choices: [] },
    ...more,
  });

  it('is accepted as array, lines and single record; cached tokens are part of the prompt; its cost is stored and not booked', async () => {
    const single = await sendTo(service.url, LITELLM, key, payload());
    const array = await sendTo(service.url, LITELLM, key, [payload({ id: 'litellm-2' })]);
    const lines = await sendTo(
      service.url,
      LITELLM,
      key,
      [3, 4].map((id) => JSON.stringify(payload({ id: `litellm-${id}` }))).join('\n'),
      {
        headers: { 'content-type': 'application/x-ndjson' },
      },
    );
    expect([single, array, lines].map(({ body }) => body.accepted)).toEqual([1, 1, 2]);
    const event = await eventOf('anthropic:chatcmpl-litellm-1');
    expect(event).toMatchObject({
      totalCost: '0.024',
      endUserExternalId: 'customer-8',
      eventTimestamp: '2026-09-21T14:13:20.500Z',
      metadata: { team: 'research', reported_cost: '0.0241' },
    });
    expect(JSON.stringify(event)).not.toContain('patient');
  });

  it('is rejected if it is not an object, or its time is not a time', async () => {
    const times = [-5, 1e300].map((startTime, index) => payload({ id: `litellm-time-${index}`, startTime }));
    const { body } = await sendTo(service.url, LITELLM, key, [...times, null, 5, 'x', []]);
    expect(body).toMatchObject({ accepted: 0, ignored: 0, failed: 6 });
    expect(body.results.map(({ message }: { message: string }) => message)).toEqual([
      ...times.map(() => expect.stringContaining('event_invoked_at')),
      ...[null, 5, 'x', []].map(() => 'A call must be an object'),
    ]);
  });

  it('has the cost that LiteLLM reports if the organization books reported costs', async () => {
    await operate(
      service,
      'mutation { telemetryMappingSet(input: { bookedCosts: ["litellm"] }) { telemetryMapping { bookedCosts } userErrors { message } } }',
    );
    const free = payload({ id: 'litellm-free', response_cost: 0 });
    await sendTo(service.url, LITELLM, key, [payload({ id: 'litellm-booked' }), free]);
    await operate(
      service,
      'mutation { telemetryMappingSet(input: { bookedCosts: [] }) { telemetryMapping { bookedCosts } userErrors { message } } }',
    );
    expect(await eventOf('anthropic:litellm-booked')).toMatchObject({ totalCost: '0.0241' });
    expect(await eventOf('anthropic:litellm-free')).toMatchObject({ totalCost: '0.024' });
  });

  it('costs nothing for a cache hit or a failure', async () => {
    const { body } = await sendTo(service.url, LITELLM, key, [
      payload({ id: 'hit', cache_hit: true }),
      payload({ id: 'no', status: 'failure', response_cost: 0, ...NO_TOKENS }),
    ]);
    expect(body).toMatchObject({
      accepted: 0,
      ignored: 2,
      results: [
        { status: 'ignored', message: 'cache_hit' },
        { status: 'ignored', message: 'failed' },
      ],
    });
    const { telemetrySources } = await operate(
      service,
      '{ telemetrySources { endpoint name ignored { reason count } } }',
    );
    expect(telemetrySources).toContainEqual({
      endpoint: 'LITELLM',
      name: 'anthropic',
      ignored: [
        { reason: 'cache_hit', count: 1 },
        { reason: 'failed', count: 1 },
      ],
    });
  });
});

describe.each([RESPONSES, LITELLM])('%s', (path) => {
  it('refuses invalid bodies', async () => {
    for (const body of ['', '[', '[]', '{"a":1}\n{"b"'])
      expect((await sendTo(service.url, path, key, body)).status).toBe(400);
  });

  it('refuses more than a thousand items', async () => {
    expect((await sendTo(service.url, path, key, Array(1_001).fill({}))).status).toBe(400);
  });

  it('refuses an unsigned body of a key that must sign, but accepts a signed one', async () => {
    const signer = service.firstRun.live_ingest_key;
    expect((await sendTo(service.url, path, signer, [{}])).status).toBe(403);
    const body = '[{}]';
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = { 'x-timestamp': timestamp, 'x-signature': sign(signer, timestamp, body) };
    expect((await sendTo(service.url, path, signer, body, { headers })).status).toBe(202);
  });

  it('refuses a signature over the unpacked body, and accepts one over the packed bytes as sent', async () => {
    const signer = service.firstRun.live_ingest_key;
    const packed = gzipSync('[{}]');
    const timestamp = String(Math.floor(Date.now() / 1000));
    const statusOf = async (signature: string) => {
      const headers = { 'content-encoding': 'gzip', 'x-timestamp': timestamp, 'x-signature': signature };
      return (await sendTo(service.url, path, signer, packed, { headers })).status;
    };
    expect(await statusOf(sign(signer, timestamp, '[{}]'))).toBe(401);
    expect(await statusOf(sign(signer, timestamp, packed))).toBe(202);
  });

  it('refuses a wrong signature before it unpacks the body', async () => {
    const headers = { 'content-encoding': 'gzip', 'x-timestamp': '0', 'x-signature': 'v1=0' };
    const packed = Buffer.from('not gzip');
    expect((await sendTo(service.url, path, service.firstRun.live_ingest_key, packed, { headers })).status).toBe(401);
    expect((await sendTo(service.url, path, key, packed, { headers })).status).toBe(400);
  });

  it('refuses a gzip body that is larger than it states', async () => {
    const packed = Buffer.concat([gzipSync(' '.repeat(1_000)), gzipSync('[{}]')]);
    const answer = await sendTo(service.url, path, key, packed, { headers: { 'content-encoding': 'gzip' } });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/single gzip member/) } },
    });
  });

  it('refuses a large body while another one is read, before it unpacks it', async () => {
    const packed = gzipSync(`[${'{},'.repeat(5_000_000)}{}]`);
    const headers = { 'content-encoding': 'gzip' };
    // On a busy machine, one body may be read before the next one arrives.
    await vi.waitFor(async () => {
      const answers = Array.from({ length: 4 }, () => sendTo(service.url, path, key, packed, { headers }));
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([400, 429]));
    }, PATIENCE);
  });
});

it('errors are in the envelope', async () => {
  const { status, body, headers } = await sendTo(service.url, RESPONSES, 'nothing', '{}');
  expectEnvelope({ status, body, headers, text: JSON.stringify(body) }, 401, 'UNAUTHORIZED');
});
