/** How each library counts tokens, row by row: cached tokens are part of the input, or on top of it. */
import { describe, expect, it } from 'vitest';
import {
  AI_SDK_7,
  isOfAiSdk,
  namesCacheWithin,
  SCOPE_READINGS,
  scopeReading,
} from '#usage/telemetry/scope-readings.ts';

function reading(scope: string, version = '', more: { schemaUrl?: string; name?: string; attributes?: object } = {}) {
  const { schemaUrl = '', name = 'chat', attributes = {} } = more;
  const ids = { traceId: '', spanId: '', parentSpanId: '', startMs: 0, endMs: 0, status: 0 };
  const record = { ...ids, resource: {}, scope: { name: scope, version, schemaUrl }, name, attributes };
  return scopeReading(record as Parameters<typeof scopeReading>[0]);
}

/** The source of each row is stated in it. */
const ROWS: readonly (readonly [scope: string, version: string, reading: string, source: string])[] = [
  // "input_tokens = prompt_tokens + cache_read_tokens + cache_creation_tokens".
  ['opentelemetry.instrumentation.anthropic', '0.62.4', 'inclusive', 'traceloop/openllmetry, anthropic/__init__.py'],
  ['opentelemetry.instrumentation.openai.v1', '0.62.4', 'inclusive', 'traceloop/openllmetry, openai/shared'],
  [
    'opentelemetry.instrumentation.openai_v2',
    '2.4b0',
    'inclusive',
    'opentelemetry-python-contrib, openai_v2/response_extractors.py: cached_tokens of the details with OpenAI’s totals',
  ],
  // These libraries report the billed counts, or the total of the prompt. Groq's total includes the cached tokens.
  ['opentelemetry.instrumentation.cohere', '0.62.4', 'inclusive', 'traceloop/openllmetry, cohere/span_utils.py'],
  ['opentelemetry.instrumentation.mistralai', '0.62.4', 'inclusive', 'traceloop/openllmetry, mistralai/__init__.py'],
  ['opentelemetry.instrumentation.groq', '0.62.4', 'inclusive', 'traceloop/openllmetry, groq/span_utils.py'],
  [
    'opentelemetry.instrumentation.langchain',
    '0.62.4',
    'inclusive',
    'traceloop/openllmetry, langchain/span_utils.py: LangChain’s input_tokens, which contain cached tokens',
  ],
  // "usage.get('inputTokens', 0)" of Converse, and the sum of two counts as a total.
  ['opentelemetry.instrumentation.bedrock', '0.62.4', 'provider', 'traceloop/openllmetry, bedrock/span_utils.py'],
  ['opentelemetry.instrumentation.llamaindex', '0.62.4', 'provider', 'traceloop/openllmetry, _response_utils.py'],
  // It sets Anthropic's own usage, and the sum of two counts as a total.
  ['@traceloop/instrumentation-anthropic', '0.27.0', 'provider', 'traceloop/openllmetry-js, instrumentation-anthropic'],
  ['@traceloop/instrumentation-openai', '0.27.0', 'inclusive', 'traceloop/openllmetry-js, instrumentation-openai'],
  ['@opentelemetry/instrumentation-openai', '0.22.0', 'inclusive', "opentelemetry-js-contrib: OpenAI's own counts"],
  // "include cache tokens in prompt tokens for anthropic (#1429)".
  ['openinference.instrumentation.anthropic', '0.1.14', 'inclusive', 'Arize-ai/openinference, CHANGELOG of 0.1.14'],
  ['openinference.instrumentation.anthropic', '3.1.0', 'inclusive', 'Arize-ai/openinference'],
  ['openinference.instrumentation.anthropic', '0.1.13', 'exclusive', 'Arize-ai/openinference, before 0.1.14'],
  ['openinference.instrumentation.anthropic', '0.1.9', 'exclusive', 'Arize-ai/openinference, before 0.1.14'],
  ['openinference.instrumentation.openai', '0.1.66', 'inclusive', "Arize-ai/openinference: OpenAI's own counts"],
  [
    'openinference.instrumentation.openai_agents',
    '2.6.0',
    'inclusive',
    'Arize-ai/openinference, openai_agents/_processor.py',
  ],
  [
    'openinference.instrumentation.langchain',
    '0.1.70',
    'inclusive',
    'Arize-ai/openinference, langchain/_tracer.py: LangChain’s input_tokens, or the sum of Anthropic’s counts',
  ],
  ['openinference.instrumentation.litellm', '0.1.40', 'inclusive', 'Arize-ai/openinference, litellm: sums up'],
  ['openinference.instrumentation.agno', '0.1.40', 'provider', 'Arize-ai/openinference, agno/_model_wrapper.py'],
  [
    '@arizeai/openinference-instrumentation-bedrock',
    '0.4.0',
    'provider',
    'Arize-ai/openinference, js/packages: Anthropic’s own counts',
  ],
  ['@arizeai/openinference-instrumentation-openai', '4.2.7', 'inclusive', 'Arize-ai/openinference, js/packages'],
  ['@arizeai/openinference-instrumentation-anthropic', '0.2.8', 'inclusive', 'Arize-ai/openinference, js/packages'],
  ['litellm', '', 'inclusive', 'BerriAI/litellm, integrations/opentelemetry.py: usage in the form of OpenAI'],
  ['pydantic-ai', '2.68.0', 'inclusive', 'pydantic/pydantic-ai, usage.py: RequestUsage'],
  ['openrouter', '', 'inclusive', 'OpenRouter Broadcast: usage in the form of OpenAI'],
  ['gcp.vertex.agent', '1.30.0', 'inclusive', 'google/adk-python, telemetry: prompt_token_count of Gemini'],
  ['gen_ai', '', 'inclusive', 'vercel/ai, packages/otel: the totals of the SDK, which contain cached tokens'],
];

describe('a known library', () => {
  it.each(ROWS)('%s %s: %s (%s)', (scope, version, expected) => {
    expect(reading(scope, version)).toBe(expected);
  });

  it('has a case for each row of the table', () => {
    for (const row of SCOPE_READINGS) {
      const cases = ROWS.filter(
        ([scope, version, expected]) =>
          row.scope.test(scope) && reading(scope, version) === expected && expected === row.convention,
      );
      expect(cases.length, String(row.scope)).toBeGreaterThan(0);
    }
  });
});

describe('the AI SDK', () => {
  const version5 = { 'ai.usage.inputTokens': 12_000, 'ai.usage.cachedInputTokens': 10_000 };
  it.each([
    ['4: promptTokens, as the provider counts', { 'ai.usage.promptTokens': 12_000 }, 'provider'],
    ['5: inputTokens, as the provider counts', version5, 'provider'],
    [
      '6: details of the input, which hold everything',
      { 'ai.usage.inputTokenDetails.cacheReadTokens': 1 },
      'inclusive',
    ],
  ])('has the convention of version %s', (_, attributes, expected) => {
    expect(reading('ai', '', { name: 'ai.generateText.doGenerate', attributes })).toBe(expected);
  });
});

describe('an unknown library', () => {
  const url = (version: string) => `https://opentelemetry.io/schemas/${version}`;
  it.each([
    ['1.40.0', 'inclusive'],
    ['1.41.0', 'inclusive'],
    ['2.0.0', 'inclusive'],
    ['1.39.9', null],
    ['1.9.0', null],
    ['', null],
  ])('is read by the schema %s: %s', (version, expected) => {
    expect(reading('homemade', '1.0.0', { schemaUrl: version === '' ? '' : url(version) })).toBe(expected);
  });

  it.each(['opentelemetry.instrumentation.anthropics', 'my-openrouter', 'pydantic-ai-fork', 'ais'])(
    'does not match a similar name: %s',
    (scope) => {
      expect(reading(scope)).toBeNull();
    },
  );
});

/** Every library by name, even where several share a row. */
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  inclusive: [
    ...['anthropic', 'openai', 'openai.v0', 'openai_v2', 'cohere', 'mistralai', 'groq', 'langchain', 'litellm'],
    ...['google_generativeai', 'vertexai', 'openai_agents'],
  ]
    .map((name) => `opentelemetry.instrumentation.${name}`)
    .concat(
      ['openai', 'openai_agents', 'langchain', 'litellm', 'llama_index', 'google_genai', 'crewai'].map(
        (name) => `openinference.instrumentation.${name}`,
      ),
      ['openai', 'anthropic', 'langchain', 'langchain-v0', 'openai-agents'].map(
        (name) => `@arizeai/openinference-instrumentation-${name}`,
      ),
      ['@traceloop/instrumentation-openai', '@opentelemetry/instrumentation-openai', 'litellm', 'pydantic-ai'],
      ['openrouter', 'gcp.vertex.agent', 'gen_ai', '@ai-sdk/otel'],
    ),
  provider: [
    'opentelemetry.instrumentation.bedrock',
    'opentelemetry.instrumentation.llamaindex',
    '@traceloop/instrumentation-anthropic',
    'openinference.instrumentation.agno',
    '@arizeai/openinference-instrumentation-bedrock',
    'ai',
  ],
};

it.each(Object.entries(LIBRARIES).flatMap(([expected, names]) => names.map((name) => [name, expected] as const)))(
  '%s counts %s',
  (scope, expected) => {
    expect(reading(scope, '1.0.0')).toBe(expected);
  },
);

it.each([
  ['0.1.14', 'inclusive'],
  ['v0.1.14', 'inclusive'],
  ['0.1.14rc1', 'inclusive'],
  ['0.1.13', 'exclusive'],
  ['0.2', 'inclusive'],
  ['0.1', 'exclusive'],
  ['0', 'exclusive'],
  ['1', 'inclusive'],
  ['', 'exclusive'],
  ['next', 'exclusive'],
])('openinference of Anthropic in the version %s counts %s', (version, expected) => {
  expect(reading('openinference.instrumentation.anthropic', version)).toBe(expected);
});

it("OpenRouter's generations with a total count cached tokens in the input", () => {
  const attributes = { 'gen_ai.usage.total_tokens': 5 };
  expect(reading('x', '', { name: 'LLM Generation', attributes })).toBe('inclusive');
  expect(reading('x', '', { name: 'LLM Generation' })).toBeNull();
  expect(reading('x', '', { name: 'other', attributes })).toBeNull();
});

it.each([
  ['gen_ai.usage.cache_read.input_tokens', true],
  ['gen_ai.usage.cache_creation.input_tokens', true],
  ['gen_ai.usage.input_tokens.cached', true],
  ['llm.token_count.prompt_details.cache_read', true],
  ['llm.token_count.prompt_details.cache_write', true],
  ['gen_ai.usage.cache_read_input_tokens', false],
])('%s names cached tokens within the input: %s', (name, expected) => {
  expect(namesCacheWithin({ attributes: { [name]: 0 } })).toBe(expected);
});

it.each([
  ['ai', 'x', true],
  ['x', 'ai.generateText', true],
  ['gen_ai', 'chat', false],
  ['x', 'aisle', false],
])('the scope %s with the span %s belongs to the AI SDK: %s', (scope, name, expected) => {
  expect(isOfAiSdk({ scope: { name: scope, version: '', schemaUrl: '' }, name })).toBe(expected);
});

it.each([
  ['gen_ai', true],
  ['@ai-sdk/otel', true],
  ['@ai-sdk/otel-x', false],
  ['my.gen_ai', false],
])('the scope %s belongs to AI SDK 7: %s', (scope, expected) => {
  expect(AI_SDK_7.test(scope)).toBe(expected);
});
