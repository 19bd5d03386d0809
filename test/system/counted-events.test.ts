/**
 * The limit of events per minute is exact on every event endpoint, even for parallel requests, and events that were
 * sent before count once.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { post } from '../support/api-client.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { logs, sendTo, type SpanForm, traces, unsignedKey } from '../support/telemetry.ts';
import { usageEvent } from '../support/usage-event.ts';
import { MINUTES } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

/** A hundred events for each request of `/v1`, in a window that does not end during the test. */
const LIMIT = { INGEST_RATE_LIMIT: '1;w=6000' };
const EVENTS = 100;

let service: RunningService;
beforeAll(async () => {
  service = await runningService(LIMIT);
});
afterAll(() => service.stop());

const USAGE = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.usage.input_tokens': 1,
};
const AGENT = { 'event.name': 'api_request', model: 'claude-sonnet-4-5-20250929', input_tokens: 1, output_tokens: 1 };
const RESPONSE = { object: 'chat.completion', model: 'gpt-4o', usage: { prompt_tokens: 1, completion_tokens: 1 } };

const span = (id: string) => ({ attributes: { ...USAGE, 'gen_ai.response.id': id } });
const logRecord = (id: string) => ({
  name: 'claude_code.api_request',
  attributes: { ...AGENT, request_id: id },
});
const litellm = (id: string) => ({
  id: `litellm-${id}`,
  model: 'gpt-4o',
  custom_llm_provider: 'openai',
  prompt_tokens: 1,
  completion_tokens: 1,
  startTime: Date.now() / 1000,
});
const outcome = (id: string) => ({
  key: id,
  name: 'ticket_resolved',
  session_id: id,
  at: '2026-01-15T10:00:00Z',
  succeeded: true,
});

const ENDPOINTS: readonly (readonly [path: string, body: (ids: readonly string[]) => unknown])[] = [
  ['/otlp/v1/traces', (ids) => traces(...ids.map(span))],
  ['/otlp/v1/logs', (ids) => logs(...ids.map(logRecord))],
  ['/ext/v1/provider-responses', (ids) => ids.map((id) => ({ ...RESPONSE, id: `chatcmpl-${id}` }))],
  ['/ext/v1/litellm', (ids) => ids.map(litellm)],
  ['/ext/v1/outcomes', (ids) => ids.map(outcome)],
];

const idsOf = (request: number, count: number) => Array.from({ length: count }, (_, item) => `${request}-${item}`);

describe.each(ENDPOINTS)('%s', (path, bodyOf) => {
  const send = (key: string, ids: readonly string[], url = service.url) => sendTo(url, path, key, bodyOf(ids));
  const remaining = ({ headers }: { readonly headers: Headers }) => Number(headers.get('ratelimit-remaining'));
  const wereTaken = (answers: readonly { readonly status: number }[]) => answers.filter(({ status }) => status < 300);

  it('accepts exactly as many events as the limit, sent in parallel', async () => {
    const key = await unsignedKey(service);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, request) => send(key, idsOf(request, 10))));
    expect(wereTaken(answers)).toHaveLength(10);
    expect(Math.min(...answers.map(remaining))).toBe(0);
    expect(await send(key, ['one-more'])).toMatchObject({ status: 429 });
  });

  it('accepts no more than the limit from requests that together exceed it', async () => {
    const key = await unsignedKey(service);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, request) => send(key, idsOf(20 + request, 30))));
    const taken = wereTaken(answers).length;
    expect(taken).toBe(3);
    const rest = EVENTS - 30 * taken;
    expect(await send(key, idsOf(40, rest + 1))).toMatchObject({ status: 429 });
    expect(await send(key, idsOf(41, rest))).toMatchObject({ status: expect.toBeOneOf([200, 202]) as number });
    expect(await send(key, ['one-more'])).toMatchObject({ status: 429 });
  });

  it('counts events only once if they were sent before, even in parallel', async () => {
    const key = await unsignedKey(service);
    const ids = idsOf(60, 10);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(key, ids)));
    expect(wereTaken(answers)).toHaveLength(10);
    expect(remaining(await send(key, ids))).toBe(EVENTS - 10);
    expect(await send(key, idsOf(61, EVENTS - 10))).toMatchObject({
      status: expect.toBeOneOf([200, 202]) as number,
    });
    expect(await send(key, ['one-more'])).toMatchObject({ status: 429 });
  });

  it('accepts, after the limit is reached, only what it has already stored', async () => {
    const key = await unsignedKey(service);
    const ids = idsOf(70, EVENTS);
    expect(remaining(await send(key, ids))).toBe(0);
    const again = await Promise.all(Array.from({ length: 3 }, () => send(key, ids)));
    expect(again.map(({ status }) => status < 300)).toEqual([true, true, true]);
    const refused = await send(key, [...ids.slice(1), 'one-more']);
    expect([refused.status, remaining(refused), Number(refused.headers.get('retry-after')) > 60]).toEqual([
      429,
      0,
      true,
    ]);
    expect(await send(key, ['one-more'])).toMatchObject({ status: 429 });
  });

  it('charges a request by the number of its new events', async () => {
    const key = await unsignedKey(service);
    const ids = idsOf(80, EVENTS - 5);
    await send(key, ids);
    expect(await send(key, [...ids.slice(1), ...idsOf(81, 6)])).toMatchObject({ status: 429 });
    const accepted = await send(key, [...ids.slice(1), ...idsOf(82, 5)]);
    expect([accepted.status < 300, remaining(accepted)]).toEqual([true, 0]);
    expect(await send(key, idsOf(81, 1))).toMatchObject({ status: 429 });
    expect((await send(key, idsOf(82, 5))).status).toBeLessThan(300);
  });

  it('accepts twice as many requests as events, whatever they contain', async () => {
    const key = await unsignedKey(service);
    const refused = () => sendTo(service.url, path, key, 'not JSON');
    const answers = await Promise.all(Array.from({ length: 2 * EVENTS - 1 }, refused));
    expect(answers.filter(({ status }) => status !== 400)).toEqual([]);
    expect(await send(key, ['last'])).toMatchObject({ status: expect.toBeOneOf([200, 202]) as number });
    const over = await send(key, ['over']);
    expect([over.status, over.headers.get('ratelimit-remaining')]).toEqual([429, '0']);
  });

  it('counts a large body as several requests, and not as events', async () => {
    const key = await unsignedKey(service);
    const large = () => sendTo(service.url, path, key, `${JSON.stringify(bodyOf(['large']))}${' '.repeat(900 * 1024)}`);
    const answer = await large();
    expect([answer.status < 300, remaining(answer)]).toEqual([true, EVENTS - 1]);
    // Each request counts as 15 of 200 requests.
    for (let sent = 1; sent < 13; sent++) expect((await large()).status).toBeLessThan(300);
    expect((await large()).status).toBe(429);
  });
});

it('a span that is a call and a task counts as two events, and as one if there is no room for its outcome', async () => {
  const key = await unsignedKey(service);
  const send = async (...spans: readonly SpanForm[]) => {
    const { status, headers } = await sendTo(service.url, '/otlp/v1/traces', key, traces(...spans));
    return [status, Number(headers.get('ratelimit-remaining'))];
  };
  const both = (id: string): SpanForm => ({
    attributes: { ...span(id).attributes, 'traceloop.span.kind': 'task', 'gen_ai.task.id': id },
    status: 1,
  });
  expect(await send(...idsOf(9_001, 10).map(both))).toEqual([200, EVENTS - 20]);
  expect(await send(...idsOf(9_002, 45).map(both))).toEqual([429, EVENTS - 20 - 45]);
  expect(await send(span('9001-more'))).toEqual([200, EVENTS - 20 - 45 - 1]);
});

it('ten thousand spans are ten thousand events, by the default limit', async () => {
  const limited = await runningService({ INGEST_RATE_LIMIT: '100;w=6000' });
  try {
    const key = await unsignedKey(limited);
    const send = (request: number, spans: number) =>
      sendTo(limited.url, '/otlp/v1/traces', key, traces(...idsOf(request, spans).map(span)));
    const answers = await Promise.all(Array.from({ length: 10 }, (_, request) => send(request, 1_000)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await send(10, 1)).toMatchObject({ status: 429 });
  } finally {
    await limited.stop();
  }
});

it('/v1 accepts exactly as many requests as the limit, sent in parallel', async () => {
  const limited = await runningService({ INGEST_RATE_LIMIT: '20;w=6000' });
  try {
    const answers = await Promise.all(
      Array.from({ length: 25 }, () =>
        post(limited.url, '/usage-events/batch', limited.firstRun.live_ingest_key, [usageEvent()]),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(20).fill(202), ...Array(5).fill(429)]);
  } finally {
    await limited.stop();
  }
});
