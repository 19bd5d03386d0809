/**
 * Real instrumentations over recorded calls, sent by the official exporters. The booked cost is the price of the usage
 * in the provider's own response, as far as the library reports it. What a library omits is listed here and in the
 * guide.
 */
import { spawn } from 'node:child_process';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { postExt, settle } from '../../support/api-client.ts';
import {
  CHAT_USAGE,
  MESSAGES_USAGE,
  type ProviderStandIn,
  RESPONSES_USAGE,
  startProviders,
} from '../../support/provider-stand-in.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate, unsignedKey } from '../../support/telemetry.ts';
import { MINUTES } from '../../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

let service: RunningService;
let providers: ProviderStandIn;
let key: string;
/** Id of the last event examined. */
let lastId = '00000000-0000-0000-0000-000000000000';

beforeAll(async () => {
  [service, providers] = [await sharedService(), await startProviders()];
  key = await unsignedKey(service);
});
afterAll(async () => {
  await providers.stop();
  await service.stop();
});
beforeEach(() => {
  providers.billed.length = 0;
});

const FORMS = ['http/json', 'http/protobuf'] as const;

/** Events booked since the last call, oldest first. */
async function booked(): Promise<any[]> {
  await settle(service.url, service.firstRun.operator_token);
  const document = `{ receivedEvents(receivedAfter: "${lastId}", first: 100) { nodes {
    id idempotencyKey model provider totalCost reading endUserExternalId agentId metadata
  } } }`;
  const {
    receivedEvents: { nodes: receivedEvents },
  } = await operate(service, document);
  lastId = receivedEvents.at(-1)?.id ?? lastId;
  return receivedEvents;
}

/** Cost of the usage in a provider's response. */
async function priceOf(model: string, usage: object, provider: string): Promise<string> {
  const priced = { model, provider, usage };
  const { status, body } = await postExt(service.url, '/price', service.firstRun.live_read_key, priced);
  expect([status, body.status]).toEqual([200, 'completed']);
  return body.total_cost;
}

const { prompt_tokens, completion_tokens, total_tokens } = CHAT_USAGE;
/** The usage without the parts of its input and output: cached tokens are priced as if they were not cached. */
const CHAT_SUMS = { prompt_tokens, completion_tokens, total_tokens };
const { input_tokens, output_tokens } = RESPONSES_USAGE;
const RESPONSES_SUMS = { input_tokens, output_tokens, input_tokens_details: { cached_tokens: 0 } };
/** The usage without the one-hour part of its cache writes: they are priced as five-minute writes. */
const { cache_creation: _, service_tier: __, ...MESSAGES_SUMS } = MESSAGES_USAGE;
const EMBEDDING_USAGE = { prompt_tokens: 12, total_tokens: 12 };

const MODELS: Readonly<Record<string, string>> = {
  chat: 'gpt-4o',
  responses: 'gpt-5-mini',
  embeddings: 'text-embedding-3-small',
  messages: 'claude-sonnet-4-5',
};

/**
 * What a library reports of a call's usage. Null: nothing, so that there is no event and the call is listed as
 * `no_usage`.
 */
interface Usage {
  readonly call: string;
  readonly usage: object | null;
  readonly hasId?: boolean;
}

const LIBRARIES: Readonly<Record<string, readonly Usage[]>> = {
  '@traceloop/instrumentation-openai': [
    { call: 'chat', usage: CHAT_SUMS, hasId: true },
    { call: 'chat stream', usage: null },
    { call: 'responses', usage: RESPONSES_SUMS, hasId: true },
    { call: 'responses stream', usage: null },
  ],
  '@traceloop/instrumentation-anthropic': [{ call: 'messages', usage: MESSAGES_SUMS }],
  '@arizeai/openinference-instrumentation-openai': [
    { call: 'chat', usage: CHAT_USAGE },
    { call: 'chat stream', usage: null },
    { call: 'responses', usage: RESPONSES_USAGE },
    { call: 'responses stream', usage: RESPONSES_USAGE },
    { call: 'embeddings', usage: null },
  ],
  '@arizeai/openinference-instrumentation-anthropic': [
    { call: 'messages', usage: MESSAGES_SUMS },
    { call: 'messages stream', usage: MESSAGES_SUMS },
    { call: 'messages helper', usage: MESSAGES_SUMS },
  ],
  '@opentelemetry/instrumentation-openai': [
    { call: 'chat', usage: CHAT_SUMS, hasId: true },
    { call: 'chat stream', usage: CHAT_SUMS, hasId: true },
    { call: 'responses', usage: RESPONSES_SUMS, hasId: true },
    { call: 'responses stream', usage: RESPONSES_SUMS, hasId: true },
    { call: 'embeddings', usage: EMBEDDING_USAGE },
  ],
};

/** Must not be synchronous, because the service and the providers run in this process. */
async function run(library: string, form: string, calls: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, ['--no-warnings', 'test/support/instrumented-process.ts', library, ...calls], {
    env: {
      ...process.env,
      PROVIDERS: providers.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${service.url}/otlp`,
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${key}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: form,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  expect(await new Promise((resolve) => child.once('close', resolve)), output).toBe(0);
}

describe.each(Object.entries(LIBRARIES))('%s', (library, usages) => {
  it.each(FORMS)('by %s', async (form) => {
    await run(
      library,
      form,
      usages.map(({ call }) => call),
    );
    const events = await booked();
    const expected = [];
    for (const [index, { call, usage, hasId }] of usages.entries()) {
      if (usage === null) continue;
      const model = MODELS[call.split(' ', 1)[0]!]!;
      const provider = model.startsWith('claude') ? 'anthropic' : 'openai';
      const key = hasId
        ? `${provider}:${providers.billed[index]!.id}`
        : expect.stringMatching(/^otlp:[0-9a-f]{32}:[0-9a-f]{16}$/);
      const totalCost = await priceOf(model, usage, provider);
      expected.push({ idempotencyKey: key, model, provider, totalCost });
    }
    expect(events).toMatchObject(expected);
    for (const { reading, metadata } of events) {
      expect(metadata.telemetry.scope).toBe(library);
      expect(reading).not.toBe('guessed');
    }
    expect(JSON.stringify(events)).not.toMatch(/secret|Three/);

    const silent = usages.filter(({ usage }) => usage === null).length;
    const { telemetrySources } = await operate(service, '{ telemetrySources { name ignored { reason count } } }');
    const { ignored } = telemetrySources.find(({ name }: { name: string }) => name === library);
    const rounds = FORMS.indexOf(form) + 1;
    expect(ignored).toEqual(silent === 0 ? [] : [{ reason: 'no_usage', count: silent * rounds }]);
  });
});

describe("the AI SDK's telemetry", () => {
  const weather = tool({
    description: 'Of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async () => 'Rain',
  });

  it.each(FORMS)('by %s', async (form) => {
    const options = { url: `${service.url}/otlp/v1/traces`, headers: { Authorization: `Bearer ${key}` } };
    const exporter = form === 'http/json' ? new JsonExporter(options) : new ProtobufExporter(options);
    const traces = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    const openai = createOpenAI({ apiKey: 'none', baseURL: `${providers.url}/v1` });
    const anthropic = createAnthropic({ apiKey: 'none', baseURL: `${providers.url}/v1` });
    const settings = {
      prompt: 'The secret of the house',
      experimental_telemetry: { isEnabled: true, tracer: traces.getTracer('ai'), metadata: { userId: 'customer-7' } },
    };
    await generateText({
      ...settings,
      model: openai('gpt-5-mini'),
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    await streamText({ ...settings, model: openai.chat('gpt-4o') }).consumeStream();
    await generateText({ ...settings, model: anthropic('claude-sonnet-4-5') });
    await streamText({ ...settings, model: anthropic('claude-sonnet-4-5') }).consumeStream();
    await traces.forceFlush();
    await traces.shutdown();

    const events = await booked();
    const chat = await priceOf('gpt-4o', CHAT_USAGE, 'openai');
    const responses = await priceOf('gpt-5-mini', RESPONSES_USAGE, 'openai');
    const messages = await priceOf('claude-sonnet-4-5', MESSAGES_USAGE, 'anthropic');
    const byKey = new Map(events.map((event) => [event.idempotencyKey, event]));
    expect(byKey.size).toBe(events.length);
    const owners: Readonly<Record<string, readonly [string, string]>> = {
      '/v1/responses': ['openai', responses],
      '/v1/chat/completions': ['openai', chat],
      '/v1/messages': ['anthropic', messages],
    };
    expect(providers.billed).toHaveLength(5);
    for (const { id, path } of providers.billed) {
      const [provider, totalCost] = owners[path]!;
      expect(byKey.get(`${provider}:${id}`), id).toMatchObject({ totalCost, endUserExternalId: 'customer-7' });
    }
    expect(events).toHaveLength(5);
    expect(JSON.stringify(events)).not.toMatch(/secret|Three/);
  });
});
