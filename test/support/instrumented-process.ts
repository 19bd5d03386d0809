/**
 * A process that calls models through the providers' own packages under one OpenTelemetry instrumentation. The
 * instrumentation patches the packages, hence the separate process. `node instrumented-process.ts LIBRARY CALL…`;
 * `OTEL_EXPORTER_OTLP_*` set the destination of its spans.
 */
import { createRequire } from 'node:module';
import Anthropic from '@anthropic-ai/sdk';
import { createNoopMeter, type MeterProvider } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import OpenAI from 'openai';

const { PROVIDERS = '', OTEL_EXPORTER_OTLP_PROTOCOL } = process.env;
const [library = '', ...calls] = process.argv.slice(2);

const exporter = OTEL_EXPORTER_OTLP_PROTOCOL === 'http/json' ? new JsonExporter() : new ProtobufExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
/** The instrumentations are built against another release of the same interfaces. */
const traces = provider as unknown as never;
const require = createRequire(import.meta.url);
let openAi = OpenAI;

const INSTRUMENT: Readonly<Record<string, () => Promise<void>>> = {
  async '@traceloop/instrumentation-openai'() {
    const { OpenAIInstrumentation } = await import('@traceloop/instrumentation-openai');
    const instrumentation = new OpenAIInstrumentation();
    instrumentation.setTracerProvider(traces);
    instrumentation.manuallyInstrument(OpenAI as never);
  },
  async '@traceloop/instrumentation-anthropic'() {
    const { AnthropicInstrumentation } = await import('@traceloop/instrumentation-anthropic');
    const instrumentation = new AnthropicInstrumentation();
    instrumentation.setTracerProvider(traces);
    // The instrumentation expects a class that Anthropic's package no longer has.
    class Completions {
      create(): void {}
    }
    const { Messages, Beta } = Anthropic;
    instrumentation.manuallyInstrument({ Anthropic: { Completions, Messages, Beta } } as never);
  },
  async '@arizeai/openinference-instrumentation-openai'() {
    const { OpenAIInstrumentation } = await import('@arizeai/openinference-instrumentation-openai');
    new OpenAIInstrumentation({ tracerProvider: traces }).manuallyInstrument(OpenAI as never);
  },
  async '@arizeai/openinference-instrumentation-anthropic'() {
    const { AnthropicInstrumentation } = await import('@arizeai/openinference-instrumentation-anthropic');
    new AnthropicInstrumentation({ tracerProvider: traces }).manuallyInstrument(Anthropic as never);
  },
  async '@opentelemetry/instrumentation-openai'() {
    const { OpenAIInstrumentation } = await import('@opentelemetry/instrumentation-openai');
    const instrumentation = new OpenAIInstrumentation();
    instrumentation.setTracerProvider(traces);
    instrumentation.setMeterProvider({ getMeter: () => createNoopMeter() } as unknown as MeterProvider);
    // The instrumentation patches only modules that are required after it was created.
    openAi = (require('openai') as { OpenAI: typeof OpenAI }).OpenAI;
  },
};

await INSTRUMENT[library]!();
const openai = new openAi({ apiKey: 'none', baseURL: `${PROVIDERS}/v1` });
const anthropic = new Anthropic({ apiKey: 'none', baseURL: PROVIDERS });
const messages = [{ role: 'user' as const, content: 'The secret of the house' }];
const chat = { model: 'gpt-4o', messages };
const input = { model: 'gpt-5-mini', input: 'The secret of the house' };
const message = { model: 'claude-sonnet-4-5', max_tokens: 100, messages };

const CALLS: Readonly<Record<string, () => PromiseLike<unknown>>> = {
  chat: () => openai.chat.completions.create(chat),
  async 'chat stream'() {
    const body = { ...chat, stream: true as const, stream_options: { include_usage: true } };
    for await (const _ of await openai.chat.completions.create(body));
  },
  responses: () => openai.responses.create(input),
  async 'responses stream'() {
    for await (const _ of await openai.responses.create({ ...input, stream: true }));
  },
  embeddings: () => openai.embeddings.create({ model: 'text-embedding-3-small', input: input.input }),
  messages: () => anthropic.messages.create(message),
  async 'messages stream'() {
    for await (const _ of await anthropic.messages.create({ ...message, stream: true }));
  },
  'messages helper': () => anthropic.messages.stream(message).finalText(),
};

for (const call of calls) {
  await CALLS[call]!();
  // Spans that a library creates after the end of a stream must precede the next call.
  await new Promise((resolve) => setImmediate(resolve));
  await provider.forceFlush();
}
await provider.shutdown();
