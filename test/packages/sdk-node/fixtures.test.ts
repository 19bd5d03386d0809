/** Shared test cases of both libraries and the service: the same bodies give the same events. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Books, createBooks, type UsageEvent } from '../../../packages/sdk-node/books.ts';
import { createStreamReader } from '../../../packages/sdk-node/read-stream.ts';
import { COUNT_NAMES, type Path } from '#usage/counts/usage-names.ts';
import { countBilledTools } from '#usage/counts/count-billed-tools.ts';
import { USAGE_KEYS } from '#usage/counts/provider-usage.ts';
import { PRICED_METADATA_KEYS } from '#usage/counts/read-units.ts';
import { readProviderResponse } from '#usage/responses/provider-response.ts';

interface Table {
  readonly reserved: readonly string[];
  readonly responses: readonly {
    name: string;
    body: any;
    hints?: { model?: string; provider?: string };
    event: Partial<UsageEvent> | null;
  }[];
  readonly streams: readonly { name: string; events: readonly any[]; prompt?: unknown; event: Partial<UsageEvent> }[];
  readonly dimensions: readonly { name: string; dimensions: any; metadata: object }[];
}
const table = JSON.parse(readFileSync(new URL('../fixtures/provider-bodies.json', import.meta.url), 'utf8')) as Table;

const errors: unknown[] = [];
const books: Books = createBooks({
  url: 'http://127.0.0.1:9',
  apiKey: 'none',
  onDrop: () => {},
  onError: (error) => errors.push(error),
});
beforeEach(() => {
  errors.length = 0;
});
afterAll(() => books.close(0));

const withoutTime = ({ event_invoked_at: _, ...event }: UsageEvent) => event;

describe('responses', () => {
  test.each(table.responses)(
    '$name becomes the expected event in the library for Node',
    ({ body, hints = {}, event }) => {
      const tracked = books.track(body, hints);
      expect(tracked && withoutTime(tracked)).toEqual(event);
    },
  );

  test.each(table.responses.filter(({ event }) => event !== null))(
    '$name becomes the same event in the service',
    ({ body, hints, event }) => {
      const read = readProviderResponse({ response: body, ...hints }, new Date());
      const { idempotency_key, model, provider, input_tokens, output_tokens } = event!;
      expect(read).toMatchObject({
        ok: true,
        item: { idempotency_key, model, provider, input_tokens, output_tokens },
      });
      expect(countBilledTools(body)).toEqual(event!.billed_tools ?? {});
    },
  );
});

test.each(table.streams)('the stream "$name" becomes the expected event', ({ events, prompt, event }) => {
  const reader = createStreamReader({ request: prompt === undefined ? undefined : JSON.stringify(prompt) });
  for (const one of events) reader.take(JSON.stringify(one));
  expect(withoutTime(books.record(reader.finish(false)!, {})!)).toEqual(event);
});

describe('dimensions', () => {
  const of = (dimensions: any) => {
    const { metadata } = books.track(
      { id: 'chatcmpl-1', model: 'gpt-4o', usage: { prompt_tokens: 1 } },
      { dimensions },
    )!;
    const { usage: _, ...tags } = metadata;
    return tags;
  };

  test.each(table.dimensions)('become the expected metadata: $name', ({ dimensions, metadata }) => {
    expect(of(dimensions)).toEqual(metadata);
  });

  test('every value that JSON cannot represent becomes text or is left out, and the event is kept', () => {
    const odd = {
      big: 10n,
      not: Number.NaN,
      far: Number.POSITIVE_INFINITY,
      at: new Date(0),
      url: new URL('https://example.com/'),
      symbol: Symbol('x'),
      call: () => 1,
      loop: {} as Record<string, unknown>,
    };
    odd.loop['self'] = odd.loop;
    expect(of(odd)).toEqual({
      big: '10',
      not: 'NaN',
      far: 'Infinity',
      at: '1970-01-01T00:00:00.000Z',
      url: 'https://example.com/',
    });
    expect(String(errors[0])).toContain('symbol, call, loop');
    expect([of('text'), of(['a'])]).toEqual([{}, {}]);
  });

  test('names that affect a price are refused', () => {
    const { metadata } = books.track(
      { id: 'chatcmpl-1', model: 'gpt-4o', usage: { prompt_tokens: 1 } },
      { dimensions: { ...Object.fromEntries(table.reserved.map((name) => [name, 1])), team: 'mail' } },
    )!;
    expect(metadata).toEqual({ team: 'mail', usage: { prompt_tokens: 1 } });
    expect(String(errors[0])).toContain('batch');
  });

  test('the table contains every name by which the service reads a price', () => {
    const counts = Object.values(COUNT_NAMES).flatMap((paths: readonly Path[]) => paths.map(([key]) => key));
    const known = new Set([...PRICED_METADATA_KEYS, ...USAGE_KEYS, ...counts, 'batch', 'speed', 'iterations']);
    expect([...known].filter((name) => !table.reserved.includes(name!))).toEqual([]);
  });
});

test('fields that affect a price are separate, in the context or in headers', async () => {
  const body = { id: 'chatcmpl-1', model: 'gpt-4o', service_tier: 'default', usage: { prompt_tokens: 1 } };
  const event = books.with({ tier: 'batch' }, () => books.track(body, { speed: 'fast', geo: 'us' }));
  expect(event).toMatchObject({ service_tier: 'batch', speed: 'fast', inference_geo: 'us' });
  expect(event!.metadata).toEqual({ usage: { prompt_tokens: 1 } });
});

test('names with underscores are accepted, unknown ones are reported', () => {
  const event = books.with({ session_id: 's' } as never, () =>
    books.track({ id: 'chatcmpl-1', model: 'gpt-4o', usage: { prompt_tokens: 1 } }, {
      user_id: 'u',
      nonsense: 1,
    } as never),
  );
  expect(event).toMatchObject({ user_id: 'u', session_id: 's' });
  expect(errors.map(String)).toEqual([expect.stringContaining('Unknown: nonsense')]);
});
