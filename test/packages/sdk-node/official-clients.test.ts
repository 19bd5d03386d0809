/**
 * The providers' own packages with the metered fetch: they see the same as without it, and each billed response is one
 * event.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { booksMiddleware } from '../../../packages/sdk-node/ai-sdk.ts';
import { booksCallback } from '../../../packages/sdk-node/langchain.ts';
import { type MeteredBooks, meteredBooks } from '../../support/metered-books.ts';
import {
  CHAT_USAGE,
  GEMINI_USAGE,
  MESSAGES_USAGE,
  type ProviderStandIn,
  RESPONSES_USAGE,
  startProviders,
} from '../../support/provider-stand-in.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { MINUTES } from '../../support/patience.ts';

// Builds and installs packages, and runs programs with them.
vi.setConfig(MINUTES);

let service: RunningService;
let providers: ProviderStandIn;
let books: MeteredBooks;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  [service, providers] = [await sharedService(), await startProviders()];
  books = meteredBooks(service);
  openai = new OpenAI({ apiKey: 'none', baseURL: `${providers.url}/v1`, fetch: books.fetch, maxRetries: 2 });
  anthropic = new Anthropic({ apiKey: 'none', baseURL: providers.url, fetch: books.fetch });
});
afterAll(async () => {
  await books.close();
  await providers.stop();
  await service.stop();
});
beforeEach(() => {
  providers.billed.length = providers.requests.length = providers.faults.length = 0;
  providers.pieceBytes = null;
});

const CHAT = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'The secret of the house' }] };
const MESSAGE = { model: 'claude-opus-4-6', max_tokens: 100, messages: CHAT.messages };
const WEATHER = {
  name: 'weather',
  description: 'Of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

/** One event for each billed response, by its id, and no others. */
async function expectBilled(prefix: string): Promise<Awaited<ReturnType<MeteredBooks['accepted']>>> {
  const events = await books.accepted();
  expect(events.map(({ idempotency_key: key }) => key)).toEqual(providers.billed.map(({ id }) => `${prefix}:${id}`));
  expect(JSON.stringify(events)).not.toMatch(/secret|Three|Thr/);
  return events;
}

describe('the caller reads exactly the bytes that the provider wrote', () => {
  const counted = { stream_options: { include_usage: true } };
  const input = { model: 'gpt-5-mini', input: 'The secret of the house' };
  const generate = { contents: [{ parts: [{ text: 'The secret of the house' }] }] };
  const calls: [string, string, object][] = [
    ['chat', '/v1/chat/completions', CHAT],
    ['a chat stream with counts', '/v1/chat/completions', { ...CHAT, ...counted, stream: true }],
    ['a chat stream of three choices', '/v1/chat/completions', { ...CHAT, ...counted, stream: true, n: 3 }],
    ['a response', '/v1/responses', input],
    ['a response stream', '/v1/responses', { ...input, stream: true }],
    ['a message', '/v1/messages', MESSAGE],
    ['a message stream', '/v1/messages', { ...MESSAGE, stream: true }],
    ['content', '/v1beta/models/gemini-2.5-flash:generateContent', generate],
    ['a content stream', '/v1beta/models/gemini-2.5-flash:streamGenerateContent', generate],
  ];
  const read = async (path: string, body: object): Promise<string> => {
    const response = await books.fetch(providers.url + path, { method: 'POST', body: JSON.stringify(body) });
    return Buffer.from(await response.arrayBuffer()).toString('latin1');
  };
  const written = () => Buffer.from(providers.written).toString('latin1');

  test.each(calls)('%s', async (_, path, body) => {
    for (const pieceBytes of [null, 1, 7, 1000]) {
      providers.pieceBytes = pieceBytes;
      expect(await read(path, body)).toBe(written());
    }
    expect(await books.accepted()).toHaveLength(4);
  });

  test('except for the one chunk with counts that the caller did not request', async () => {
    for (const pieceBytes of [null, 1, 7, 1000]) {
      providers.pieceBytes = pieceBytes;
      const shown = await read('/v1/chat/completions', { ...CHAT, stream: true });
      const chunks = written().split(/(?<=\n\n)/);
      const dropped = chunks.filter((chunk) => chunk.includes('"choices":[]'));
      expect(dropped).toHaveLength(1);
      expect(shown).toBe(chunks.filter((chunk) => !dropped.includes(chunk)).join(''));
    }
    expect(await books.accepted()).toHaveLength(4);
  });
});

describe('openai, chat', () => {
  test('a response that is not streamed becomes one event', async () => {
    const answer = await openai.chat.completions.create(CHAT);
    expect(answer.choices[0]?.message.content).toBe('Three.');
    expect(answer._request_id).toMatch(/^req_/);
    const [event] = await expectBilled('openai');
    expect(event).toMatchObject({
      model: 'gpt-4o',
      provider: 'openai',
      input_tokens: 2006,
      output_tokens: 300,
      service_tier: 'default',
      metadata: { usage: CHAT_USAGE },
    });
    expect(event?.metadata).not.toHaveProperty('incomplete');
  });

  test.each([null, 1, 7, 1000])('a stream without requested counts, in pieces of %s bytes', async (pieceBytes) => {
    providers.pieceBytes = pieceBytes;
    const chunks = [];
    for await (const chunk of await openai.chat.completions.create({ ...CHAT, stream: true })) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Thrée.');
    expect(chunks.every(({ choices, usage }) => choices.length > 0 && !usage)).toBe(true);
    const [event] = await expectBilled('openai');
    expect(event).toMatchObject({ service_tier: 'default', metadata: { usage: CHAT_USAGE } });
  });

  test('a stream with requested counts gets them', async () => {
    const chunks = [];
    const body = { ...CHAT, stream: true as const, stream_options: { include_usage: true } };
    for await (const chunk of await openai.chat.completions.create(body)) chunks.push(chunk);
    expect(chunks.at(-1)?.usage).toEqual(CHAT_USAGE);
    await expectBilled('openai');
  });

  test('withResponse and asResponse report their calls', async () => {
    const { data, response } = await openai.chat.completions.create({ ...CHAT, stream: true }).withResponse();
    expect([response.status, response.url]).toEqual([200, `${providers.url}/v1/chat/completions`]);
    for await (const _ of data);
    const raw = await openai.chat.completions.create(CHAT).asResponse();
    expect(await raw.json()).toMatchObject({ object: 'chat.completion' });
    await expectBilled('openai');
  });

  test('tee and toReadableStream report each stream once', async () => {
    const stream = await openai.chat.completions.create({ ...CHAT, stream: true });
    const [left, right] = stream.tee();
    const texts = await Promise.all(
      [left, right].map(async (half) => {
        let text = '';
        for await (const { choices } of half) text += choices[0]?.delta.content ?? '';
        return text;
      }),
    );
    expect(texts).toEqual(['Thrée.', 'Thrée.']);
    const again = await openai.chat.completions.create({ ...CHAT, stream: true });
    expect(await new Response(again.toReadableStream()).text()).toContain('"finish_reason":"stop"');
    await expectBilled('openai');
  });

  test('the stream helper reports its call', async () => {
    const runner = openai.chat.completions.stream(CHAT);
    expect(await runner.finalContent()).toBe('Thrée.');
    await expectBilled('openai');
  });

  test('several choices are one response', async () => {
    const answer = await openai.chat.completions.create({ ...CHAT, n: 3 });
    expect(answer.choices).toHaveLength(3);
    let finished = 0;
    for await (const { choices } of await openai.chat.completions.create({ ...CHAT, n: 3, stream: true }))
      finished += choices.filter(({ finish_reason }) => finish_reason === 'stop').length;
    expect(finished).toBe(3);
    const events = await expectBilled('openai');
    expect(events.map(({ output_tokens }) => output_tokens)).toEqual([300, 300]);
  });

  test('a loop with tools has an event for each call', async () => {
    const runner = openai.chat.completions.runTools({
      ...CHAT,
      tools: [{ type: 'function', function: { ...WEATHER, parse: JSON.parse, function: () => 'Rain' } }],
    } as never);
    expect(await runner.finalContent()).toBe('Three.');
    expect(await expectBilled('openai')).toHaveLength(2);
  });

  test('stopping a stream early leaves an incomplete event', async () => {
    providers.faults.push({ times: 1, hangAfter: 2 });
    for await (const _ of await openai.chat.completions.create({ ...CHAT, stream: true })) break;
    const [event] = await expectBilled('openai');
    // A token is about four characters.
    expect(event).toMatchObject({ model: 'gpt-4o', input_tokens: 7, metadata: { incomplete: true } });
  });

  test('an abort in the middle of a stream leaves an incomplete event', async () => {
    providers.faults.push({ times: 1, hangAfter: 2 });
    const abort = new AbortController();
    const stream = await openai.chat.completions.create({ ...CHAT, stream: true }, { signal: abort.signal });
    for await (const _ of stream) abort.abort();
    const [event] = await expectBilled('openai');
    expect(event?.metadata).toMatchObject({ incomplete: true });
  });

  test('an abort of a stream that nobody reads any more leaves an incomplete event', async () => {
    providers.faults.push({ times: 1, hangAfter: 2 });
    const abort = new AbortController();
    const response = await books.fetch(`${providers.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...CHAT, stream: true }),
      signal: abort.signal,
    });
    await response.body!.getReader().read();
    abort.abort();
    const [event] = await expectBilled('openai');
    expect(event?.metadata).toMatchObject({ incomplete: true });
  });

  test('an abort before the response creates no event', async () => {
    const abort = new AbortController();
    const call = openai.chat.completions.create(CHAT, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toThrow(OpenAI.APIUserAbortError);
    expect(await books.accepted()).toEqual([]);
  });

  test.each([0, 2])(
    'a connection that is reset after %s chunks fails as usual, and leaves an incomplete event',
    async (resetAfter) => {
      providers.faults.push({ times: 1, resetAfter });
      const read = async () => {
        for await (const _ of await openai.chat.completions.create({ ...CHAT, stream: true }));
      };
      await expect(read()).rejects.toThrow(/terminated|ECONNRESET|Connection/);
      const events = await books.accepted();
      expect(events.map(({ metadata }) => metadata['incomplete'])).toEqual([true]);
    },
  );

  test('a stream without its final event is incomplete', async () => {
    providers.faults.push({ times: 1, endAfter: 3 });
    for await (const _ of await openai.chat.completions.create({ ...CHAT, stream: true }));
    const [event] = await expectBilled('openai');
    expect(event?.metadata).toMatchObject({ incomplete: true });
  });

  test('failed attempts are not events', async () => {
    providers.faults.push({ times: 1, status: 500 }, { times: 1, status: 429 });
    await openai.chat.completions.create(CHAT);
    expect(providers.requests).toHaveLength(3);
    expect(await expectBilled('openai')).toHaveLength(1);
  });

  test('a server that refuses the added option is called again without it', async () => {
    providers.faults.push({ times: 1, status: 400, body: { error: { message: 'Unknown parameter: stream_options' } } });
    const own = meteredBooks(service);
    const client = new OpenAI({ apiKey: 'none', baseURL: `${providers.url}/v1`, fetch: own.fetch });
    for (const _ of [1, 2]) for await (const _ of await client.chat.completions.create({ ...CHAT, stream: true }));
    expect(providers.requests.map(({ body }) => body.stream_options)).toEqual([
      { include_usage: true },
      undefined,
      undefined,
    ]);
    const events = await own.accepted();
    expect(events.map(({ metadata }) => metadata['incomplete'])).toEqual([true, true]);
    await own.close();
  });

  test('a response that nobody reads is billed as well', async () => {
    await books.fetch(`${providers.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(CHAT) });
    await expect.poll(() => books.stats().pending + books.stats().sent).toBeGreaterThan(0);
    await expect.poll(async () => (await books.accepted()).length).toBe(1);
  });
});

describe('openai, responses and embeddings', () => {
  const input = { model: 'gpt-5-mini', input: 'The secret of the house' };

  test('a call is reported with its usage: complete, as a stream, and with the helper', async () => {
    expect((await openai.responses.create(input)).output_text).toBe('Three.');
    const types = [];
    for await (const { type } of await openai.responses.create({ ...input, stream: true })) types.push(type);
    expect(types.at(-1)).toBe('response.completed');
    expect((await openai.responses.stream(input).finalResponse()).output_text).toBe('Three.');
    const events = await expectBilled('openai');
    expect(events.map(({ metadata }) => metadata['usage'])).toEqual([
      RESPONSES_USAGE,
      RESPONSES_USAGE,
      RESPONSES_USAGE,
    ]);
  });

  test('a stream that is stopped early becomes an incomplete event', async () => {
    providers.faults.push({ times: 1, hangAfter: 3 });
    for await (const _ of await openai.responses.create({ ...input, stream: true })) break;
    const [event] = await expectBilled('openai');
    expect(event).toMatchObject({ model: 'gpt-5-mini', metadata: { incomplete: true } });
  });

  test('a background response is one event, however often it is fetched', async () => {
    let response = await openai.responses.create({ ...input, background: true });
    expect(response.status).toBe('queued');
    for (let polls = 0; polls < 4; polls++) response = await openai.responses.retrieve(response.id);
    expect(response.status).toBe('completed');
    const events = await books.accepted();
    expect(new Set(events.map(({ idempotency_key: key }) => key))).toEqual(new Set([`openai:${response.id}`]));
  });

  test('embeddings are reported with their input tokens', async () => {
    await openai.embeddings.create({ model: 'text-embedding-3-small', input: 'The secret of the house' });
    const [event] = await books.accepted();
    expect(event).toMatchObject({ model: 'text-embedding-3-small', input_tokens: 12, output_tokens: 0 });
  });

  test('unbilled requests pass unchanged', async () => {
    await expect(openai.models.list()).rejects.toThrow(/404/);
    expect([await books.accepted(), books.stats().unread]).toEqual([[], 0]);
  });
});

describe('anthropic', () => {
  test('a call is reported with its usage: complete, as a stream, and with the helper', async () => {
    await anthropic.messages.create(MESSAGE);
    for await (const _ of await anthropic.messages.create({ ...MESSAGE, stream: true }));
    expect(await anthropic.messages.stream(MESSAGE).finalText()).toBe('Three.');
    const events = await expectBilled('anthropic');
    expect(events.map(({ metadata }) => metadata)).toEqual([1, 2, 3].map(() => ({ usage: MESSAGES_USAGE })));
    expect(events[2]).toMatchObject({ provider: 'anthropic', input_tokens: 21, output_tokens: 393 });
  });

  test('withResponse reports its call', async () => {
    const { data, request_id } = await anthropic.messages.create({ ...MESSAGE, stream: true }).withResponse();
    expect(request_id === null || typeof request_id === 'string').toBe(true);
    for await (const _ of data);
    await expectBilled('anthropic');
  });

  test('a break, an abort and a reset keep what was known by then', async () => {
    providers.faults.push({ times: 2, hangAfter: 4 });
    for await (const { type } of await anthropic.messages.create({ ...MESSAGE, stream: true }))
      if (type === 'content_block_delta') break;
    const helper = anthropic.messages.stream(MESSAGE);
    helper.on('text', () => helper.abort());
    await expect(helper.finalText()).rejects.toThrow();
    providers.faults.push({ times: 1, resetAfter: 4 });
    const read = async () => {
      for await (const _ of await anthropic.messages.create({ ...MESSAGE, stream: true }));
    };
    await expect(read()).rejects.toThrow();
    for (const event of await expectBilled('anthropic'))
      expect(event).toMatchObject({ input_tokens: 21, output_tokens: 1, metadata: { incomplete: true } });
  });

  test('each step of a tool loop is reported', async () => {
    const runner = anthropic.beta.messages.toolRunner({
      ...MESSAGE,
      tools: [
        {
          type: 'custom',
          name: 'weather',
          input_schema: { type: 'object' },
          run: () => 'Rain',
          parse: (value: unknown) => value,
        },
      ],
    } as never);
    await runner;
    expect(await expectBilled('anthropic')).toHaveLength(2);
  });
});

describe('@google/genai', () => {
  const call = { model: 'gemini-2.5-flash', contents: 'The secret of the house' };
  const client = () => new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: providers.url } });

  test('it calls the global fetch, which may be the metered one', async () => {
    const before = globalThis.fetch;
    const { events } = books.stats();
    globalThis.fetch = books.fetch as typeof fetch;
    try {
      expect((await client().models.generateContent(call)).text).toBe('Three');
      let text = '';
      for await (const chunk of await client().models.generateContentStream(call)) text += chunk.text;
      expect(text).toBe('Three');
      // The client abandons the stream without cancelling it: the provider continues, and bills it.
      for await (const _ of await client().models.generateContentStream(call)) break;
      await expect.poll(() => books.stats().events - events).toBe(3);
    } finally {
      globalThis.fetch = before;
    }
    const accepted = await expectBilled('google');
    expect(accepted.map(({ metadata }) => metadata)).toEqual([1, 2, 3].map(() => ({ usageMetadata: GEMINI_USAGE })));
  });

  test('track accepts its response, and the last part of its stream', async () => {
    books.track(await client().models.generateContent(call));
    let last;
    for await (const chunk of await client().models.generateContentStream(call)) last = chunk;
    books.track(last);
    const events = await expectBilled('google');
    expect(events[1]).toMatchObject({ model: 'gemini-2.5-flash', metadata: { usageMetadata: GEMINI_USAGE } });
  });
});

describe('ai', () => {
  const weather = tool({
    description: 'Of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async () => 'Rain',
  });

  test('generateText and streamText over the metered fetch, with a tool', async () => {
    const model = createOpenAI({ apiKey: 'none', baseURL: `${providers.url}/v1`, fetch: books.fetch as typeof fetch });
    const { text, steps } = await generateText({
      model: model('gpt-5-mini'),
      prompt: 'The secret of the house',
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    expect([text, steps.length]).toEqual(['Three.', 2]);
    const { textStream } = streamText({ model: model.chat('gpt-4o'), prompt: 'The secret of the house' });
    let streamed = '';
    for await (const piece of textStream) streamed += piece;
    expect(streamed).toBe('Thrée.');
    expect(await expectBilled('openai')).toHaveLength(3);
  });

  test('the middleware without the fetch; and with both, still one event', async () => {
    for (const fetch of [undefined, books.fetch as typeof globalThis.fetch]) {
      const openaiModel = createOpenAI({ apiKey: 'none', baseURL: `${providers.url}/v1`, ...(fetch && { fetch }) });
      const anthropicModel = createAnthropic({
        apiKey: 'none',
        baseURL: `${providers.url}/v1`,
        ...(fetch && { fetch }),
      });
      for (const inner of [openaiModel('gpt-5-mini'), openaiModel.chat('gpt-4o'), anthropicModel('claude-opus-4-6')]) {
        const model = wrapLanguageModel({ model: inner, middleware: booksMiddleware(books) });
        await generateText({ model, prompt: 'The secret of the house' });
        await streamText({ model, prompt: 'The secret of the house' }).consumeStream();
      }
      const events = await books.accepted();
      const keys = new Set(events.map(({ idempotency_key: key }) => key.split(':')[1]));
      expect(keys).toEqual(new Set(providers.billed.map(({ id }) => id)));
      expect(keys.size).toBe(6);
      expect(
        events.every(({ input_tokens, metadata }) => input_tokens > 0 && metadata['incomplete'] === undefined),
      ).toBe(true);
      providers.billed.length = 0;
    }
  });

  test('track accepts a result, with an event for each step', async () => {
    const plain = createOpenAI({ apiKey: 'none', baseURL: `${providers.url}/v1` });
    const result = await generateText({
      model: plain('gpt-5-mini'),
      prompt: 'The secret of the house',
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    const last = books.track(result, { userId: 'tracked' });
    const events = await expectBilled('openai');
    expect(events).toHaveLength(2);
    expect(events[1]).toEqual(last);
    expect(last).toMatchObject({ user_id: 'tracked', model: 'gpt-5-mini', metadata: { usage: RESPONSES_USAGE } });
  });
});

describe('langchain', () => {
  test('the callback, for a complete response and for a stream', async () => {
    const configuration = { baseURL: `${providers.url}/v1` };
    const model = new ChatOpenAI({ model: 'gpt-4o', apiKey: 'none', configuration });
    const callbacks = [booksCallback(books, { agentId: 'chain' })];
    await model.invoke('The secret of the house', { callbacks });
    for await (const _ of await model.stream('The secret of the house', { callbacks }));
    const events = await expectBilled('openai');
    for (const event of events) {
      expect(event).toMatchObject({ model: 'gpt-4o', agent_id: 'chain', input_tokens: 2006, output_tokens: 300 });
      expect(event.metadata).not.toHaveProperty('incomplete');
    }
  });

  test('the metered fetch reports the call', async () => {
    const configuration = { baseURL: `${providers.url}/v1`, fetch: books.fetch };
    await new ChatOpenAI({ model: 'gpt-4o', apiKey: 'none', configuration }).invoke('The secret of the house');
    await expectBilled('openai');
  });
});
