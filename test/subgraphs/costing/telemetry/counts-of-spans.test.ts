/** The attributes in which libraries state token counts, listed by hand from their documentation. */
import { describe, expect, it } from 'vitest';
import { callUsage, isUsed, usageAttributes } from '#usage/telemetry/call-usage.ts';
import { aSpan } from './a-span.ts';

const PREFIXES = [
  'gen_ai.usage.',
  'gen_ai.response.usage.',
  'gen_ai.response.',
  'llm.usage.',
  'llm.response.usage.',
  'llm.',
];
const below = (...names: readonly string[]) => names.flatMap((name) => PREFIXES.map((prefix) => `${prefix}${name}`));

const NONE = {
  cacheRead: null,
  cacheWrite: null,
  cacheWrite1h: null,
  reasoning: null,
  inputAudio: null,
  outputAudio: null,
  cachedAudio: null,
  total: null,
  raw: null,
  convention: null,
  unread: [],
};

const INPUT = [
  'ai.usage.inputTokens',
  'ai.usage.promptTokens',
  'llm.token_count.prompt',
  'ai.prompt_tokens.used',
  'ai.usage.tokens',
  'input_tokens',
  'prompt_tokens',
  'input_token_count',
  ...below('input_tokens', 'prompt_tokens'),
];
const OUTPUT = [
  'ai.usage.outputTokens',
  'ai.usage.completionTokens',
  'llm.token_count.completion',
  'ai.completion_tokens.used',
  'output_tokens',
  'completion_tokens',
  'output_token_count',
  ...below('output_tokens', 'completion_tokens'),
];
const TOTAL = ['llm.token_count.total', 'ai.usage.totalTokens', 'ai.total_tokens.used', ...below('total_tokens')];
const PARTS: Readonly<Record<string, readonly string[]>> = {
  cacheRead: [
    'ai.usage.inputTokenDetails.cacheReadTokens',
    'ai.usage.cachedInputTokens',
    'llm.token_count.prompt_details.cache_read',
    'input_tokens.cached',
    'cache_read_tokens',
    'cached_token_count',
    ...below(
      'cache_read.input_tokens',
      'cache_read_input_tokens',
      'input_tokens.cached',
      'prompt_tokens_details.cache_read',
      'prompt_tokens_details.cached_tokens',
      'input_tokens_details.cached_tokens',
      'input_token_details.cache_read',
      'details.cache_read_tokens',
      'details.cache_read_input_tokens',
      'details.cached_tokens',
      'cache_read_tokens',
      'cached_tokens',
      'cached_input_tokens',
      'input_cached_tokens',
      'cached_prompt_tokens',
      'experimental.cached_tokens',
    ),
  ],
  cacheWrite: [
    'ai.usage.inputTokenDetails.cacheWriteTokens',
    'llm.token_count.prompt_details.cache_write',
    'cache_creation_tokens',
    'cache_write_token_count',
    ...below(
      'cache_write.input_tokens',
      'cache_creation.input_tokens',
      'cache_creation_input_tokens',
      'input_tokens.cache_write',
      'prompt_tokens_details.cache_write',
      'input_token_details.cache_creation',
      'details.cache_write_tokens',
      'details.cache_creation_input_tokens',
      'cache_write_tokens',
      'cache_creation_tokens',
      'cache_write_input_tokens',
    ),
  ],
  cacheWrite1h: [
    'gen_ai.usage.cache_creation_1h_input_tokens',
    'gen_ai.usage.cache_creation.ephemeral_1h_input_tokens',
    'cache_creation_1h_tokens',
    'cache_creation_1h_input_tokens',
    'ephemeral_1h_input_tokens',
    'cache_creation.ephemeral_1h_input_tokens',
  ],
  reasoning: [
    'ai.usage.outputTokenDetails.reasoningTokens',
    'ai.usage.reasoningTokens',
    'llm.token_count.completion_details.reasoning',
    'output_tokens.reasoning',
    'reasoning_token_count',
    ...below(
      'reasoning.output_tokens',
      'reasoning_tokens',
      'output_tokens.reasoning',
      'completion_tokens_details.reasoning',
      'completion_tokens_details.reasoning_tokens',
      'output_tokens_details.reasoning_tokens',
      'output_token_details.reasoning',
      'details.reasoning_tokens',
    ),
  ],
  inputAudio: [
    'llm.token_count.prompt_details.audio',
    ...below('audio.input_tokens', 'input_audio_tokens', 'details.input_audio_tokens'),
  ],
  outputAudio: [
    'llm.token_count.completion_details.audio',
    ...below('audio.output_tokens', 'output_audio_tokens', 'details.output_audio_tokens'),
  ],
  cachedAudio: below('input_cached_audio_tokens', 'details.cache_audio_read_tokens'),
};

describe('a count under each of its names', () => {
  it.each(INPUT)('%s is the input', (name) => {
    expect(callUsage(aSpan({ [name]: 1200 }))).toEqual({
      ...NONE,
      input: 1200,
      output: 0,
      onlyTotal: false,
      noInput: false,
    });
  });

  it.each(OUTPUT)('%s is the output', (name) => {
    expect(callUsage(aSpan({ [name]: 300, 'gen_ai.usage.input_tokens': 5 }))).toMatchObject({
      ...NONE,
      input: 5,
      output: 300,
    });
  });

  it.each(TOTAL)('%s is the total', (name) => {
    expect(callUsage(aSpan({ [name]: 900 }), true)).toMatchObject({ ...NONE, input: 900, total: 900, onlyTotal: true });
    expect(callUsage(aSpan({ [name]: 900 }), false)).toBeNull();
  });

  it.each(Object.entries(PARTS).flatMap(([part, names]) => names.map((name) => [name, part] as const)))(
    '%s is %s',
    (name, part) => {
      const totals = { 'gen_ai.usage.input_tokens': 5000, 'gen_ai.usage.output_tokens': 700 };
      expect(callUsage(aSpan({ ...totals, [name]: 120 }))).toEqual({
        ...NONE,
        input: 5000,
        output: 700,
        [part]: 120,
        onlyTotal: false,
        noInput: false,
      });
    },
  );

  it('thoughts that the output does not contain are added to it', () => {
    const counts = { 'gen_ai.usage.input_tokens': 50, 'gen_ai.usage.output_tokens': 70 };
    expect(callUsage(aSpan({ ...counts, 'gen_ai.usage.experimental.reasoning_tokens': 30 }))).toMatchObject({
      output: 100,
      reasoning: 30,
      unread: [],
    });
    const details = { 'gen_ai.usage.output_token_details': '{"reasoning":30}' };
    expect(callUsage(aSpan({ ...counts, ...details, 'gen_ai.usage.experimental.reasoning_tokens': 30 }))).toMatchObject(
      { output: 70, reasoning: 30 },
    );
  });
});

describe('several counts', () => {
  it.each<[string, Record<string, number | string>, number]>([
    [
      'a zero is a field that was not filled in',
      { 'gen_ai.usage.input_tokens': 0, 'gen_ai.usage.prompt_tokens': 50 },
      50,
    ],
    ['the SDK comes before the convention', { 'gen_ai.usage.input_tokens': 20, 'ai.usage.inputTokens': 10 }, 10],
    [
      'the current name comes before the old one',
      { 'gen_ai.usage.prompt_tokens': 20, 'gen_ai.usage.input_tokens': 10 },
      10,
    ],
    ['usage comes before the response', { 'gen_ai.response.input_tokens': 20, 'gen_ai.usage.input_tokens': 10 }, 10],
    ['a count may be a text', { 'gen_ai.usage.input_tokens': '40' }, 40],
    ['a fraction is not a count', { 'gen_ai.usage.input_tokens': 1.5, 'gen_ai.usage.prompt_tokens': 50 }, 50],
    ['a negative number is not a count', { 'gen_ai.usage.input_tokens': -1, 'gen_ai.usage.prompt_tokens': 50 }, 50],
  ])('give one input: %s', (_, attributes, input) => {
    expect(callUsage(aSpan(attributes))).toMatchObject({ input });
  });

  it.each<[string, Record<string, number>, object | null]>([
    ['nothing', {}, null],
    ['only zeros', { 'gen_ai.usage.input_tokens': 0 }, { input: 0, output: 0, onlyTotal: false, noInput: false }],
    [
      'zeros and a total',
      { 'gen_ai.usage.input_tokens': 0, 'gen_ai.usage.output_tokens': 0, 'gen_ai.usage.total_tokens': 80 },
      { input: 80, output: 0, onlyTotal: true, noInput: false },
    ],
    ['a total of zero', { 'gen_ai.usage.total_tokens': 0 }, null],
    [
      'an output and a total',
      { 'gen_ai.usage.output_tokens': 30, 'gen_ai.usage.total_tokens': 80 },
      { input: 50, output: 30, onlyTotal: false, noInput: false },
    ],
    [
      'an output, and a total that is not larger',
      { 'gen_ai.usage.output_tokens': 30, 'gen_ai.usage.total_tokens': 30 },
      { input: 0, output: 30, noInput: true },
    ],
    ['an output', { 'gen_ai.usage.output_tokens': 30 }, { input: 0, output: 30, noInput: true }],
    [
      'an output and an input of zero',
      { 'gen_ai.usage.input_tokens': 0, 'gen_ai.usage.output_tokens': 30 },
      { input: 0, output: 30, noInput: false },
    ],
  ])('give usage or none: %s', (_, attributes, expected) => {
    const usage = callUsage(aSpan(attributes), true);
    if (expected === null) expect(usage).toBeNull();
    else expect(usage).toMatchObject(expected);
  });
});

describe('counts of an unknown library', () => {
  it.each([
    ['acme.input_tokens', 'acme.output_tokens'],
    ['acme.prompt_tokens', 'acme.completion_tokens'],
    ['acme_promptTokens', 'acme_completionTokens'],
    ['inputTokens', 'outputTokens'],
    ['acme.input_token_count', 'acme.output_token_count'],
    ['acme.inputTokenCount', 'acme.outputTokenCount'],
  ])('%s and %s are read as a last resort', (input, output) => {
    const counts = { [input]: 100, [output]: 20 };
    expect(callUsage(aSpan(counts), true)).toMatchObject({ input: 100, output: 20, unread: [input, output] });
    expect(callUsage(aSpan(counts), false)).toBeNull();
    expect(callUsage(aSpan({ ...counts, 'gen_ai.usage.input_tokens': 7 }), true)).toMatchObject({
      input: 7,
      output: 0,
      unread: [],
    });
  });

  it.each(['max', 'min', 'limit', 'budget', 'cost', 'price', 'rate'])('a name with "%s" is not a count', (word) => {
    expect(callUsage(aSpan({ [`acme.${word}.input_tokens`]: 100 }), true)).toBeNull();
  });

  it('two candidates for one side are not read', () => {
    const counts = { 'one.input_tokens': 100, 'two.input_tokens': 200, 'one.output_tokens': 20 };
    expect(callUsage(aSpan(counts), true)).toMatchObject({ input: 0, output: 20, unread: ['one.output_tokens'] });
  });
});

describe('an attribute that is not recognized', () => {
  const unread = (name: string, value: number | string = 5) =>
    callUsage(aSpan({ 'gen_ai.usage.input_tokens': 50, [name]: value }))?.unread;

  it.each([
    'gen_ai.usage.tool_tokens',
    'gen_ai.usage.cache_storage',
    'llm.usage.tool_tokens',
    'ai.usage.toolTokens',
    'llm.token_count.prompt_details.cache_other',
  ])('%s is listed', (name) => {
    expect(unread(name)).toEqual([name]);
    expect(unread(name, 1)).toEqual([name]);
    expect(unread(name, 0)).toEqual([]);
    expect(unread(name, 'many')).toEqual([]);
  });

  it.each([
    'gen_ai.usage.details.tool_tokens',
    'gen_ai.usage.accepted_prediction_tokens',
    'gen_ai.usage.text_tokens',
    'gen_ai.usage.no_cache_tokens',
    'gen_ai.usage.nocache_tokens',
    'gen_ai.usage.image_tokens',
    'gen_ai.usage.video_tokens',
    'gen_ai.usage.raw.tool_tokens',
    'gen_ai.usage.cost',
    'gen_ai.request.max_tokens',
    'acme.tool_tokens',
  ])('%s is a part of a count that is read, or is not a count', (name) => {
    expect(unread(name)).toEqual([]);
  });
});

describe("the provider's own usage object", () => {
  const RAW = { prompt_tokens: 7, completion_tokens: 3 };
  it.each([
    'upstream_raw_response_usage',
    'gen_ai.upstream_raw_response_usage',
    'trace.metadata.openrouter.upstream_raw_response_usage',
    'langfuse.observation.usage_details',
    'ai.response.usage',
    'ai.usage',
    'llm.token.counts',
    'mlflow.chat.tokenUsage',
    'response_data.usage',
  ])('%s takes precedence over attributes', (name) => {
    const own = { 'gen_ai.usage.input_tokens': 50, 'gen_ai.usage.tool_tokens': 2 };
    expect(callUsage(aSpan({ ...own, [name]: JSON.stringify(RAW) }))).toMatchObject({
      input: 7,
      output: 3,
      raw: RAW,
      unread: [],
      onlyTotal: false,
    });
    expect(callUsage(aSpan({ ...own, [name]: '{"prompt_tokens":0}' }))).toMatchObject({ input: 50, raw: null });
    expect(callUsage(aSpan({ ...own, [name]: 'no JSON' }))).toMatchObject({ input: 50, raw: null });
  });

  it('states only a total', () => {
    expect(callUsage(aSpan({ 'ai.usage': '{"total_tokens":9}' }))).toMatchObject({ input: 9, onlyTotal: true });
  });

  it.each([
    ['input', { input_token_details: { cache_read: 40 } }],
    ['output', { output_token_details: { reasoning: 4 } }],
  ])('details of %s as LangChain passes them on', (_, details) => {
    const attributes = Object.fromEntries(
      Object.entries(details).map(([name, value]) => [`gen_ai.usage.${name}`, JSON.stringify(value)]),
    );
    const counts = { 'gen_ai.usage.input_tokens': 50, 'gen_ai.usage.output_tokens': 9 };
    expect(callUsage(aSpan({ ...counts, ...attributes }))).toMatchObject({
      input: 50,
      output: 9,
      raw: { input_tokens: 50, output_tokens: 9, ...details },
    });
    expect(callUsage(aSpan({ 'gen_ai.usage.input_tokens': 50, ...attributes }))).toMatchObject({
      raw: { input_tokens: 50, output_tokens: 0, ...details },
    });
  });
});

describe('Langfuse', () => {
  const usage = (details: object) =>
    callUsage(aSpan({ 'langfuse.observation.usage_details': JSON.stringify(details) }));
  it.each<[name: string, part: string, input: number, output: number]>([
    ['input_cached_tokens', 'cacheRead', 15, 20],
    ['cache_read_input_tokens', 'cacheRead', 15, 20],
    ['input_cache_read', 'cacheRead', 15, 20],
    ['cacheReadInputTokens', 'cacheRead', 15, 20],
    ['input_cache_creation', 'cacheWrite', 15, 20],
    ['input_cache_write', 'cacheWrite', 15, 20],
    ['cache_creation_input_tokens', 'cacheWrite', 15, 20],
    ['input_ephemeral_5m', 'cacheWrite', 15, 20],
    ['input_audio_tokens', 'inputAudio', 15, 20],
    ['input_text', 'input', 15, 20],
    ['input_text_tokens', 'input', 15, 20],
    ['output_reasoning_tokens', 'reasoning', 10, 25],
    ['thinking_tokens', 'reasoning', 10, 25],
    ['thoughtsTokenCount', 'reasoning', 10, 25],
    ['output_audio_tokens', 'outputAudio', 10, 25],
    ['output_text', 'output', 10, 25],
    ['output_accepted_prediction_tokens', 'output', 10, 25],
    ['output_rejected_prediction_tokens', 'output', 10, 25],
  ])('%s is added to the tokens of its side, as %s', (name, part, input, output) => {
    expect(usage({ input: 10, output: 20, [name]: 5 })).toMatchObject({
      input,
      output,
      ...(part === 'input' || part === 'output' ? {} : { [part]: 5 }),
      raw: null,
      convention: 'inclusive',
      unread: [],
    });
  });

  it.each<[string, object, object]>([
    [
      'writes of both lifetimes',
      { input: 10, input_cache_write: 5, input_cache_write_1h: 3 },
      { input: 18, cacheWrite: 8, cacheWrite1h: 3 },
    ],
    ['two names of one kind', { input: 10, input_cached_tokens: 5, cache_read: 2 }, { input: 17, cacheRead: 7 }],
    [
      'a total with the parts',
      { input: 10, output: 20, input_cached_tokens: 5, total: 35 },
      { input: 15, output: 20, total: 35, unread: [] },
    ],
    [
      'a total that shows that the parts are within',
      { input: 10, output: 20, input_cached_tokens: 5, total: 30 },
      { input: 10, output: 20, unread: [] },
    ],
    [
      'parts as large as their sides',
      { input: 5, output: 6, input_cached_tokens: 5, output_reasoning_tokens: 6, total: 11 },
      { input: 5, output: 6, unread: [] },
    ],
    [
      'more cached tokens than input',
      { input: 5, output: 20, input_cached_tokens: 6, total: 25 },
      { input: 11, output: 20, unread: ['total'] },
    ],
    [
      'more reasoning than output',
      { input: 5, output: 4, output_reasoning_tokens: 5, total: 9 },
      { input: 5, output: 9, unread: ['total'] },
    ],
    ['another total', { input: 10, output: 20, total: 31 }, { input: 10, output: 20, unread: ['total'] }],
    ['an unknown kind', { input: 10, output: 20, rerank: 4, total: 34 }, { input: 10, output: 20, unread: ['rerank'] }],
    ['an unknown kind of zero', { input: 10, output: 20, rerank: 0 }, { unread: [] }],
    ['only an output', { output: 20 }, { input: 0, output: 20 }],
    ['only an input', { input: 20 }, { input: 20, output: 0 }],
  ])('counts %s', (_, details, expected) => {
    expect(usage(details)).toMatchObject(expected);
  });

  it('is a whole usage', () => {
    expect(usage({ input: 10, output: 20 })).toEqual({
      ...NONE,
      cachedAudio: undefined,
      input: 10,
      output: 20,
      convention: 'inclusive',
    });
  });

  it("passes Anthropic's own object on", () => {
    const raw = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 5 };
    expect(usage(raw)).toMatchObject({ input: 10, output: 20, raw });
  });

  it('zeros are not counts', () => {
    expect(usage({ input: 0, output: 0 })).toBeNull();
  });

  it('a total next to attributes', () => {
    const attributes = { 'langfuse.observation.usage_details': '{"total":90}', 'gen_ai.usage.input_tokens': 60 };
    expect(callUsage(aSpan(attributes))).toMatchObject({ total: 90 });
  });
});

it.each<[object, boolean]>([
  [{}, false],
  [{ input: 1 }, true],
  [{ output: 1 }, true],
  [{ cacheRead: 1 }, true],
  [{ cacheWrite: 1 }, true],
  [{ cacheRead: 0, cacheWrite: 0 }, false],
  [{ raw: {} }, true],
  [{ reasoning: 1, total: 1 }, false],
])('a call with %j is billed: %s', (counts, expected) => {
  expect(isUsed({ ...NONE, input: 0, output: 0, ...counts })).toBe(expected);
});

it('a call keeps attributes about usage as they were sent', () => {
  const kept = {
    'gen_ai.usage.anything': 'text',
    'llm.token_count.prompt': 5,
    'acme.other_tokens': 5,
    'llm.Usage.x': 1,
    'input_tokens.cached': 1,
    'output_tokens.reasoning': 1,
  };
  const others = { 'gen_ai.usage.flag': true, 'gen_ai.prompt': 'secret', 'acme.tokens_other': 5, 'tokens.other': 1 };
  expect(usageAttributes({ ...others, ...kept })).toEqual(kept);
});

describe('a count that is not a whole number of 0 or more is passed on as sent', () => {
  const OUTPUT = { 'gen_ai.usage.output_tokens': 10 };
  it.each<[string, Record<string, string | number>, object | undefined]>([
    ['negative', { ...OUTPUT, 'gen_ai.usage.input_tokens': -5 }, { input: -5, output: undefined }],
    ['beyond what a double counts', { ...OUTPUT, 'gen_ai.usage.input_tokens': 2 ** 53 }, { input: 2 ** 53 }],
    ['both', { 'gen_ai.usage.input_tokens': '1,5', 'gen_ai.usage.output_tokens': 0.5 }, { input: '1,5', output: 0.5 }],
    ['in the usage object', { 'ai.response.usage': '{"prompt_tokens":-5,"completion_tokens":10}' }, { input: -5 }],
    [
      'unless the total tells it',
      { ...OUTPUT, 'gen_ai.usage.input_tokens': -5, 'gen_ai.usage.total_tokens': 15 },
      undefined,
    ],
    ['unless another name counts', { ...OUTPUT, 'gen_ai.usage.input_tokens': -5, input_tokens: 5 }, undefined],
    ['unless it is not a number', { ...OUTPUT, 'gen_ai.usage.input_tokens': 'None' }, undefined],
  ])('%s', (_, attributes, impossible) => {
    expect(callUsage(aSpan(attributes), true)?.impossible).toEqual(impossible);
  });
});
