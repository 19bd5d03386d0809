/**
 * The price of the day, over HTTP: calls whose price depends on their date, their weekday or the model behind an
 * alias. Amounts are computed by hand from the providers' published prices.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postExt, postSignedExt, settle } from '../../support/api-client.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([]);
});
afterAll(() => service.stop());

const MILLION = { input_tokens: 1_000_000, output_tokens: 100_000 };

describe('recorded calls', () => {
  it.each([
    [
      'a weekend',
      '0.286',
      { event_invoked_at: '2026-09-05T02:00:00Z', provider: 'deepseek', model: 'deepseek-v4-flash', ...MILLION },
    ],
    [
      'the old name of a newer model',
      '0.0777',
      {
        event_invoked_at: '2026-09-21T12:00:00Z',
        provider: 'deepseek',
        model: 'deepseek-v4-flash',
        ...MILLION,
        cache_read_input_tokens: 900_000,
        total_tokens: 1_100_000,
      },
    ],
    [
      'a day before a price cut',
      '0.225',
      {
        event_invoked_at: '2026-08-01T12:00:00Z',
        provider: 'google',
        model: 'gemini-3.6-flash',
        input_tokens: 100_000,
        output_tokens: 10_000,
      },
    ],
    [
      'an alias of Mistral',
      '0.65',
      { event_invoked_at: '2026-09-12T12:00:00Z', provider: 'mistral', model: 'mistral-large-latest', ...MILLION },
    ],
    [
      'an alias of DeepSeek',
      '0.168',
      { event_invoked_at: '2026-06-20T12:00:00Z', provider: 'deepseek', model: 'deepseek-chat', ...MILLION },
    ],
    [
      'a fast mode after its end',
      '0.08',
      {
        event_invoked_at: '2026-11-26T12:00:00Z',
        provider: 'anthropic',
        model: 'claude-opus-4-6',
        input_tokens: 1_000,
        output_tokens: 1_000,
        usage: {
          input_tokens: 1_000,
          output_tokens: 1_000,
          cache_read_input_tokens: 100_000,
          cache_creation_input_tokens: 0,
          speed: 'fast',
        },
      },
    ],
  ])('%s costs %s', async (name, cost, event) => {
    await service.send([{ idempotency_key: name, ...event }]);
    expect(await costOf(name)).toBe(cost);
  });

  it('a response for `gemini-pro-latest` is priced at the newest Pro model', async () => {
    const { firstRun, url } = service;
    const response = {
      responseId: 'newest-pro',
      modelVersion: 'gemini-pro-latest',
      createTime: '2026-11-26T12:00:00Z',
      usageMetadata: { promptTokenCount: 100_000, candidatesTokenCount: 10_000, totalTokenCount: 110_000 },
    };
    const { status } = await postSignedExt(url, '/provider-responses', firstRun.live_ingest_key, response);
    expect(status).toBe(202);
    await settle(url, firstRun.operator_token);
    const { window } = await service.operate(
      '{ window(start: "2026-11-26", end: "2026-11-27") { events(first: 100) { nodes { model { slug } totalCost } } } }',
    );
    const events: { model: { slug: string }; totalCost: string | null }[] = window.events.nodes;
    expect(events.find(({ model }) => model.slug === 'gemini-pro-latest')?.totalCost).toBe('0.32');
  });
});

/** Provider, model, instant, tokens, and the cost in USD; null: the event waits. */
const DATED: readonly [string, string, string, number, number, string | null][] = [
  // Peak hours: on weekdays, 9:00 to 12:00 and 14:00 to 18:00 in Beijing.
  ['deepseek', 'deepseek-v4-flash', '2026-08-16T15:59:59Z', 1e6, 1e5, '0.168'],
  ['deepseek', 'deepseek-v4-flash', '2026-08-16T16:00:00Z', 1e6, 1e5, '0.286'],
  ['deepseek', 'deepseek-v4-flash', '2026-08-22T02:00:00Z', 1e6, 1e5, '0.572'],
  ['deepseek', 'deepseek-v4-flash', '2026-08-23T02:00:00Z', 1e6, 1e5, '0.286'],
  ['deepseek', 'deepseek-v4-flash', '2026-09-04T00:59:59Z', 1e6, 1e5, '0.286'],
  ['deepseek', 'deepseek-v4-flash', '2026-09-04T01:00:00Z', 1e6, 1e5, '0.572'],
  ['deepseek', 'deepseek-v4-flash', '2026-09-04T04:00:00Z', 1e6, 1e5, '0.286'],
  ['deepseek', 'deepseek-v4-flash', '2026-09-04T06:00:00Z', 1e6, 1e5, '0.572'],
  ['deepseek', 'deepseek-v4-flash', '2026-09-04T10:00:00Z', 1e6, 1e5, '0.286'],
  ['deepseek', 'deepseek-v4-pro', '2026-09-04T07:00:00Z', 1e6, 1e5, '1.716'],
  ['deepseek', 'deepseek-v4-pro', '2026-09-06T07:00:00Z', 1e6, 1e5, '0.858'],
  ['deepseek', 'deepseek-v4-flash', '2026-09-11T07:00:00Z', 1e6, 1e5, '0.42'],
  ['deepseek', 'deepseek-v4-flash', '2026-10-02T07:00:00Z', 1e6, 1e5, '0.21'],
  ['deepseek', 'deepseek-flash', '2026-09-12T07:00:00Z', 1e6, 1e5, '0.21'],
  ['deepseek', 'deepseek-flash', '2026-09-09T12:00:00Z', 1e6, 1e5, null],
  ['deepseek', 'deepseek-v4-flash-vision-exp', '2026-09-21T12:00:00Z', 1e6, 1e5, '0.21'],
  // Old names of DeepSeek: V3, V3.1, V3.2, V4 Flash, retired.
  ['deepseek', 'deepseek-chat', '2025-02-01T12:00:00Z', 1e6, 1e5, '0.168'],
  ['deepseek', 'deepseek-chat', '2025-02-10T20:00:00Z', 1e6, 1e5, '0.38'],
  ['deepseek', 'deepseek-chat', '2025-06-10T20:00:00Z', 1e6, 1e5, '0.19'],
  ['deepseek', 'deepseek-chat', '2025-06-10T12:00:00Z', 1e6, 1e5, '0.38'],
  ['deepseek', 'deepseek-chat', '2025-09-10T20:00:00Z', 1e6, 1e5, '0.728'],
  ['deepseek', 'deepseek-reasoner', '2025-09-10T12:00:00Z', 1e6, 1e5, '0.728'],
  ['deepseek', 'deepseek-reasoner', '2025-06-10T12:00:00Z', 1e6, 1e5, '0.769'],
  ['deepseek', 'deepseek-reasoner', '2025-12-10T12:00:00Z', 1e6, 1e5, '0.322'],
  ['deepseek', 'deepseek-reasoner', '2026-06-20T12:00:00Z', 1e6, 1e5, '0.168'],
  ['deepseek', 'deepseek-reasoner', '2026-08-20T12:00:00Z', 1e6, 1e5, null],
  // Reduced prices.
  ['google', 'gemini-3.6-flash', '2026-08-12T23:59:59Z', 1e5, 1e4, '0.225'],
  ['google', 'gemini-3.6-flash', '2026-08-13T00:00:00Z', 1e5, 1e4, '0.1125'],
  ['google', 'gemini-3.6-flash', '2027-01-01T00:00:00Z', 1e5, 1e4, '0.225'],
  // Names that mean the newest model.
  ['google', 'gemini-pro-latest', '2026-02-01T12:00:00Z', 1e5, 1e4, '0.32'],
  ['google', 'gemini-pro-latest', '2025-06-01T12:00:00Z', 1e5, 1e4, null],
  ['google', 'models/gemini-pro-latest', '2026-10-01T12:00:00Z', 1e5, 1e4, '0.32'],
  ['google', 'gemini-flash-latest', '2025-12-01T12:00:00Z', 1e6, 1e5, '0.55'],
  ['google', 'gemini-flash-latest', '2026-03-01T12:00:00Z', 1e6, 1e5, '0.8'],
  ['google', 'gemini-flash-latest', '2026-06-01T12:00:00Z', 1e6, 1e5, null],
  ['google', 'gemini-flash-latest', '2026-10-01T12:00:00Z', 1e6, 1e5, '1.125'],
  ['google', 'gemini-flash-lite-latest', '2025-12-01T12:00:00Z', 1e6, 1e5, '0.14'],
  ['google', 'gemini-flash-lite-latest', '2026-10-01T12:00:00Z', 1e6, 1e5, '0.55'],
  ['google', 'gemini-pro-preview', '2026-10-01T12:00:00Z', 1e5, 1e4, null],
  ['google', 'gemini-2.5-pro-latest', '2026-03-01T12:00:00Z', 1e5, 1e4, '0.225'],
  ['mistral', 'mistral-large-latest', '2025-12-01T23:59:59Z', 1e6, 1e5, '2.6'],
  ['mistral', 'mistral-large-latest', '2025-12-02T00:00:00Z', 1e6, 1e5, '0.65'],
  ['mistral', 'mistral-large-2411', '2026-09-12T12:00:00Z', 1e6, 1e5, '2.6'],
  ['mistral', 'ministral-3b-latest', '2025-06-01T12:00:00Z', 1e6, 1e5, '0.044'],
  ['mistral', 'ministral-3b-latest', '2026-09-12T12:00:00Z', 1e6, 1e5, '0.11'],
  ['mistral', 'ministral-8b-latest', '2026-09-12T12:00:00Z', 1e6, 1e5, '0.165'],
  ['mistral', 'mistral-small-latest', '2026-02-01T12:00:00Z', 1e6, 1e5, '0.13'],
  ['mistral', 'mistral-small-latest', '2026-09-12T12:00:00Z', 1e6, 1e5, '0.21'],
  ['mistral', 'mistral-medium-latest', '2026-09-12T12:00:00Z', 1e6, 1e5, '2.25'],
  ['mistral', 'magistral-medium-latest', '2026-09-12T12:00:00Z', 1e6, 1e5, '2.5'],
  ['mistral', 'codestral-latest', '2026-09-12T12:00:00Z', 1e6, 1e5, '0.39'],
  ['mistral', 'mistral-nemo-latest', '2026-09-12T12:00:00Z', 1e6, 1e5, null],
  // It is not known which of several models such a name refers to.
  ['openai', 'gpt-5-latest', '2026-10-01T12:00:00Z', 1e5, 1e4, null],
  ['anthropic', 'claude-opus-4-latest', '2026-10-01T12:00:00Z', 1e5, 1e4, null],
  ['x-ai', 'grok-latest', '2026-10-01T12:00:00Z', 1e5, 1e4, '0.26'],
  ['x-ai', 'grok-latest', '2026-01-01T12:00:00Z', 1e5, 1e4, null],
  // Above a number of input tokens.
  ['x-ai', 'grok-4', '2026-03-01T12:00:00Z', 128_000, 1e4, '0.534'],
  ['x-ai', 'grok-4', '2026-03-01T12:00:00Z', 128_001, 1e4, '1.068006'],
  ['x-ai', 'grok-4-fast', '2026-03-01T12:00:00Z', 200_000, 1e4, '0.09'],
];

it.each(DATED)('%s %s on %s: %d in, %d out', async (provider, model, at, input, output, cost) => {
  expect(await priceOf(provider, model, at, { input_tokens: input, output_tokens: output })).toBe(cost);
});

it('a mode that began and ended costs more in between; requests after its end are handled too', async () => {
  const fast = { input_tokens: 1_000_000, output_tokens: 100_000, speed: 'fast' };
  expect(await priceOf('anthropic', 'claude-opus-4-6', '2026-06-28T23:59:59Z', fast)).toBe('45');
  expect(await priceOf('anthropic', 'claude-opus-4-6', '2026-06-29T00:00:00Z', fast)).toBe('7.5');
  expect(await priceOf('anthropic', 'claude-opus-4-7', '2026-07-23T12:00:00Z', fast)).toBe('45');
  // The provider has refused such calls since then, so their cost is unknown.
  expect(await priceOf('anthropic', 'claude-opus-4-7', '2026-07-25T12:00:00Z', fast)).toBeNull();
});

it('cached tokens cost what they cost at the time', async () => {
  const cached = { prompt_tokens: 1e6, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 1e6 } };
  expect(await priceOf('openai', 'o3', '2025-06-09T12:00:00Z', cached)).toBe('2.5');
  expect(await priceOf('openai', 'o3', '2025-06-10T12:00:00Z', cached)).toBe('0.5');
});

async function priceOf(provider: string, model: string, at: string, usage: object): Promise<string | null> {
  const { body } = await postExt(service.url, '/price', service.firstRun.live_read_key, { provider, model, at, usage });
  return body.total_cost;
}

async function costOf(key: string): Promise<string | null> {
  const { window } = await service.operate(
    `{ window(start: "2025-01-01", end: "2027-06-01") { events(first: 100) { nodes { idempotencyKey totalCost } } } }`,
  );
  const events: { idempotencyKey: string; totalCost: string | null }[] = window.events.nodes;
  return events.find((event) => event.idempotencyKey === key)?.totalCost ?? null;
}
