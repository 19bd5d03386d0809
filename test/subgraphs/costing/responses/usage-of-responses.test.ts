/** Where each API puts the usage of a response, and which fields of it are passed on; listed from their references. */
import { describe, expect, it } from 'vitest';
import { generationUsage } from '#usage/responses/openrouter-generation.ts';
import { reduceLitellm } from '#usage/responses/reduce-litellm.ts';
import { countsOf, reduceResponse } from '#usage/responses/reduce-response.ts';
import { headersOf, usageOfResponse } from '#usage/responses/response-usage.ts';
import { unwrapResponse } from '#usage/responses/unwrap-response.ts';

const USAGE = { prompt_tokens: 7, completion_tokens: 3 };

function nested(path: string, value: unknown): Record<string, unknown> {
  return path.split('/').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>;
}

describe('the usage of a response', () => {
  it.each([
    'usage',
    'totalUsage',
    'usageMetadata',
    'usage_metadata',
    'usage_info',
    'tokenUsage',
    'response_metadata/token_usage',
    'response_metadata/usage',
    'meta',
    'amazon-bedrock-invocationMetrics',
    'metadata/usage',
  ])('is in %s', (path) => {
    expect(usageOfResponse(nested(path, USAGE))).toEqual(USAGE);
    expect(usageOfResponse(nested(path, 'none'))).toBeNull();
  });

  it.each<[string, object, object | null]>([
    ['nothing', {}, null],
    ['all steps of the AI SDK', { usage: { inputTokens: 1 }, totalUsage: { inputTokens: 5 } }, { inputTokens: 5 }],
    ['usage before metadata', { usage: USAGE, usageMetadata: { promptTokenCount: 1 } }, USAGE],
    ['Ollama', { prompt_eval_count: 5, eval_count: 6, other: 7 }, { prompt_eval_count: 5, eval_count: 6 }],
    [
      'Llama at Bedrock',
      { prompt_token_count: 5, generation_token_count: 6 },
      { prompt_token_count: 5, generation_token_count: 6 },
    ],
    ['a usage sent by itself', { ...USAGE, total_tokens: 10 }, { ...USAGE, total_tokens: 10 }],
    [
      'Titan',
      { inputTextTokenCount: 5, results: [{ tokenCount: 2 }, { tokenCount: 3 }] },
      { inputTokens: 5, outputTokens: 5 },
    ],
    ['embeddings of Titan', { inputTextTokenCount: 5 }, { inputTokens: 5, outputTokens: 0 }],
    [
      'embeddings of Vertex AI',
      {
        predictions: [
          { embeddings: { statistics: { token_count: 4 } } },
          { embeddings: { statistics: { token_count: 5 } } },
        ],
      },
      { total_tokens: 9 },
    ],
    ['predictions without counts', { predictions: [{}] }, null],
    [
      "Bedrock's headers",
      {
        headers: {
          'X-Amzn-Bedrock-Input-Token-Count': '5',
          'x-amzn-bedrock-output-token-count': '6',
          'x-amzn-bedrock-cache-read-input-token-count': '2',
          'x-amzn-bedrock-cache-write-input-token-count': '1',
        },
      },
      { inputTokens: '5', outputTokens: '6', cacheReadInputTokens: '2', cacheWriteInputTokens: '1' },
    ],
    [
      "boto3's headers",
      { ResponseMetadata: { HTTPHeaders: { 'x-amzn-bedrock-input-token-count': '5' } } },
      { inputTokens: '5' },
    ],
    ['a transcription', { task: 'transcribe', duration: 3.5 }, { type: 'duration', seconds: 3.5 }],
    ['a translation', { task: 'translate', duration: 3.5 }, { type: 'duration', seconds: 3.5 }],
    ['a duration of something else', { task: 'other', duration: 3.5 }, null],
    ['a transcription of one second', { task: 'transcribe', duration: 1 }, { type: 'duration', seconds: 1 }],
    ['no duration', { task: 'transcribe', duration: 0 }, null],
    ['a duration as text', { task: 'transcribe', duration: '3' }, null],
    [
      'cached tokens in the metadata of the AI SDK',
      { usage: { inputTokens: 9, outputTokens: 2 }, providerMetadata: { deepseek: { promptCacheHitTokens: 4 } } },
      { prompt_tokens: 9, completion_tokens: 2, prompt_cache_hit_tokens: 4 },
    ],
    [
      'details of version 6 before the metadata',
      {
        usage: { inputTokens: 9, outputTokens: 2, inputTokenDetails: {} },
        providerMetadata: { deepseek: { promptCacheHitTokens: 4 } },
      },
      { inputTokens: 9, outputTokens: 2, inputTokenDetails: {} },
    ],
    [
      'nested counts of version 7 before the metadata',
      {
        usage: { inputTokens: { total: 9 }, outputTokens: 2 },
        providerMetadata: { deepseek: { promptCacheHitTokens: 4 } },
      },
      { inputTokens: { total: 9 }, outputTokens: 2 },
    ],
    [
      'cached tokens next to written ones',
      {
        usage: { inputTokens: 9, outputTokens: 2, cachedInputTokens: 5 },
        providerMetadata: { anthropic: { cacheCreationInputTokens: 1 } },
      },
      { input_tokens: 9, output_tokens: 2, cache_read_input_tokens: 5, cache_creation_input_tokens: 1 },
    ],
  ])('is found: %s', (_, response, usage) => {
    expect(usageOfResponse(response as Record<string, unknown>)).toEqual(usage);
  });

  it('reads headers in any case', () => {
    expect(headersOf({ headers: { 'X-A': '1' }, ResponseMetadata: { HTTPHeaders: { 'x-B': '2' } } })).toEqual({
      'x-a': '1',
      'x-b': '2',
    });
  });
});

describe("OpenRouter's record of a generation", () => {
  const WHOLE = {
    prompt_tokens: 1,
    completion_tokens: 2,
    prompt_tokens_details: { cached_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 4, image_tokens: 5 },
    cost: 6,
    is_byok: true,
    cost_details: { upstream_inference_cost: 7 },
  };
  it.each([
    {
      native_tokens_prompt: 1,
      native_tokens_completion: 2,
      native_tokens_cached: 3,
      native_tokens_reasoning: 4,
      native_tokens_completion_images: 5,
      total_cost: 6,
      is_byok: true,
      upstream_inference_cost: 7,
      tokens_prompt: 8,
    },
    {
      nativeTokensPrompt: 1,
      nativeTokensCompletion: 2,
      nativeTokensCached: 3,
      nativeTokensReasoning: 4,
      nativeTokensCompletionImages: 5,
      totalCost: 6,
      isByok: true,
      upstreamInferenceCost: 7,
    },
  ])('becomes a usage object: %j', (record) => {
    expect(generationUsage(record)).toEqual(WHOLE);
  });

  it.each<[object, boolean]>([
    [{ native_tokens_prompt: null }, true],
    [{ native_tokens_completion: 1 }, true],
    [{ nativeTokensPrompt: 1 }, true],
    [{ nativeTokensCompletion: 1 }, true],
    [{ tokens_prompt: 1, total_cost: 1 }, false],
  ])('%j is one: %s', (record, expected) => {
    const usage = generationUsage(record as Record<string, unknown>);
    if (expected) expect(usage).toMatchObject({ is_byok: false });
    else expect(usage).toBeNull();
  });
});

describe('a response within others', () => {
  const RESPONSE = { id: 'r', usage: USAGE };
  it.each<[string, object, { isBatch: boolean; isFailed?: boolean }]>([
    ['OpenAI and Mistral', { custom_id: 'c', response: { body: RESPONSE } }, { isBatch: true }],
    ['Anthropic', { custom_id: 'c', result: { type: 'succeeded', message: RESPONSE } }, { isBatch: true }],
    ['Bedrock', { recordId: 'c', modelOutput: RESPONSE }, { isBatch: true }],
    [
      'xAI',
      { batch_request_id: 'c', batch_result: { response: { chat_get_completion: RESPONSE } } },
      { isBatch: true },
    ],
    ['a transcript', { type: 'assistant', message: RESPONSE }, { isBatch: false }],
    ['an event', { user_id: 'u', response: RESPONSE }, { isBatch: false }],
    ['four levels', { response: { body: { result: { message: RESPONSE } } } }, { isBatch: false }],
  ])('is found: %s', (_, sent, { isBatch }) => {
    expect(unwrapResponse(sent)).toMatchObject({ response: RESPONSE, isBatch, isFailed: false });
  });

  it.each(['key', 'processed_time'])('Gemini, with %s', (name) => {
    const response = { usageMetadata: { promptTokenCount: 1 } };
    expect(unwrapResponse({ [name]: 'c', response })).toMatchObject({ response, isBatch: true });
    expect(unwrapResponse({ [name]: 'c', response: RESPONSE })).toMatchObject({ isBatch: false });
  });

  it('follows four levels and no more', () => {
    const five = { response: { body: { result: { message: { response: RESPONSE } } } } };
    expect(unwrapResponse(five).response).toEqual({ response: RESPONSE });
  });

  it('the outermost fields take precedence, and every holder is kept', () => {
    const sent = { user_id: 'outer', response: { user_id: 'inner', agent_id: 'a', body: RESPONSE } };
    const { around, holders } = unwrapResponse(sent);
    expect(around).toMatchObject({ user_id: 'outer', agent_id: 'a' });
    expect(holders).toEqual([sent, sent.response, RESPONSE]);
    expect(unwrapResponse(RESPONSE)).toMatchObject({ around: null, response: RESPONSE, holders: [RESPONSE] });
  });

  it.each<[string, object]>([
    ['usage', USAGE],
    ['totalUsage', USAGE],
    ['usageMetadata', USAGE],
    ['usage_metadata', USAGE],
    ['usage_info', USAGE],
    ['meta', USAGE],
    ['prompt_eval_count', 5 as unknown as object],
    ['eval_count', 5 as unknown as object],
  ])('a message next to %s is a part of the response', (name, usage) => {
    const response = { message: { content: 'x' }, [name]: usage };
    expect(unwrapResponse(response)).toMatchObject({ around: null, response });
  });

  it('the AI SDK puts its usage next to the response', () => {
    const beside = { totalUsage: USAGE, providerMetadata: { openai: { serviceTier: 'flex' } } };
    expect(unwrapResponse({ ...beside, text: 'x', response: { id: 'r' } }).response).toEqual({ id: 'r', ...beside });
    expect(unwrapResponse({ usage: { a: 1 }, response: RESPONSE }).response).toEqual(RESPONSE);
  });

  it("OpenRouter's generation is in data", () => {
    const data = { id: 'gen-1', native_tokens_prompt: 4 };
    expect(unwrapResponse({ data, user_id: 'u' })).toMatchObject({ response: data, around: { user_id: 'u' } });
    expect(unwrapResponse({ data: [RESPONSE] }).around).toBeNull();
  });

  it.each<[object, boolean]>([
    [{ custom_id: 'c', response: { status_code: 200, body: RESPONSE } }, false],
    [{ custom_id: 'c', response: { status_code: 399, body: RESPONSE } }, false],
    [{ custom_id: 'c', response: { status_code: 400, body: {} } }, true],
    [{ custom_id: 'c', response: { status_code: 500, body: {} } }, true],
    [{ custom_id: 'c', result: { type: 'errored', error: true } }, true],
    [{ custom_id: 'c', result: { type: 'canceled' } }, true],
    [{ custom_id: 'c', result: { type: 'expired' } }, true],
    [{ custom_id: 'c', error: true }, true],
    [{ batch_request_id: 'c', error: true }, true],
    [{ recordId: 'c', error: true }, false],
    [{ custom_id: 'c', response: null, error: null }, false],
    [{ custom_id: 'c', response: { body: { error: true } } }, true],
    [{ response: { body: { error: true } } }, false],
    [{ type: 'errored', response: RESPONSE }, false],
    [{ error: true }, false],
  ])('%j has failed: %s', (sent, isFailed) => {
    expect(unwrapResponse(sent).isFailed).toBe(isFailed);
  });
});

describe('what is passed on', () => {
  const FIELDS = [
    'id object type model modelId model_name modelVersion model_version responseId response_id generation_id created',
    'created_at createTime create_time timestamp performanceConfig service_tier provider model_provider usage totalUsage',
    'usageMetadata usage_metadata usage_info token_usage tokenUsage inputTextTokenCount prompt_token_count',
    'generation_token_count prompt_tokens completion_tokens total_tokens idempotency_key incomplete user_id session_id',
    'session_type agent_id workflow_id feature span_id parent_span_id experiment metadata event_invoked_at',
    'prompt_eval_count eval_count native_tokens_prompt native_tokens_completion native_tokens_reasoning',
    'native_tokens_cached native_tokens_completion_images total_cost upstream_inference_cost is_byok num_search_results',
    'createdAt serviceTier nativeTokensPrompt nativeTokensCompletion nativeTokensReasoning nativeTokensCached',
    'nativeTokensCompletionImages totalCost upstreamInferenceCost isByok numSearchResults task duration custom_id key',
    'recordId batch_request_id processed_time status_code requestId sessionId costUSD stop_reason',
  ].flatMap((line) => line.split(' '));

  it.each(FIELDS)('the field %s', (name) => {
    expect(reduceResponse({ [name]: { secret: 'as sent' } })).toEqual({
      [name]: { secret: 'as sent' },
      billed_tools: {},
    });
  });

  it.each(['prompt', 'messages', 'messages_text', 'secret'])('not the field %s', (name) => {
    expect(reduceResponse({ [name]: 'secret' })).toEqual({ billed_tools: {} });
  });

  it.each(['text', 'content', 'choices', 'output'])('only that the field %s has output', (name) => {
    expect(reduceResponse({ [name]: 'secret' })).toEqual({ billed_tools: {}, has_output: true });
  });

  it.each([
    'response',
    'body',
    'result',
    'message',
    'modelOutput',
    'batch_result',
    'chat_get_completion',
    'response_metadata',
    'data',
  ])('the fields of %s', (name) => {
    expect(reduceResponse({ [name]: { id: 'r', prompt: 'secret' } })).toEqual({
      [name]: { id: 'r', billed_tools: {} },
      billed_tools: {},
    });
    expect(reduceResponse({ [name]: 'secret' })[name]).toBeUndefined();
  });

  it('at most four levels', () => {
    const tools = { billed_tools: {} };
    const of = (inner: object) => ({ response: { body: { result: { message: inner } } } });
    expect(reduceResponse(of({ id: 'r', data: { id: 'x' } }))).toEqual({
      ...tools,
      response: { ...tools, body: { ...tools, result: { ...tools, message: { ...tools, id: 'r' } } } },
    });
  });

  it.each(['meta', 'results', 'predictions', 'providerMetadata', 'amazon-bedrock-invocationMetrics'])(
    'the counts of %s',
    (name) => {
      const value = { tokens: 5, text: 'secret', inner: { count: 0 } };
      expect(reduceResponse({ [name]: value })).toMatchObject({ [name]: { tokens: 5, inner: { count: 0 } } });
    },
  );

  it('is that a call failed, not how', () => {
    expect(reduceResponse({ error: { message: 'secret' } })).toMatchObject({ error: true });
    expect(reduceResponse({ error: null })).not.toHaveProperty('error');
  });

  it.each<[string, boolean]>([
    ['x-amzn-bedrock-input-token-count', true],
    ['X-Amzn-Bedrock-Cache-Read-Input-Token-Count', true],
    ['x-amzn-bedrock-search-unit-count', true],
    ['x-amzn-bedrock-service-tier', true],
    ['x-amzn-bedrock-performanceconfig-latency', true],
    ['x-amzn-requestid', true],
    ['x-amzn-requestid-2', false],
    ['x-amzn-bedrock-other', false],
    ['authorization', false],
    ['set-cookie', false],
  ])('the header %s: %s', (name, isKept) => {
    const headers = isKept ? { [name]: '5' } : {};
    expect(reduceResponse({ headers: { [name]: '5' } })).toEqual({ headers, billed_tools: {} });
    expect(reduceResponse({ ResponseMetadata: { RequestId: 'r', HTTPHeaders: { [name]: '5' }, more: 1 } })).toEqual({
      ResponseMetadata: { RequestId: 'r', HTTPHeaders: headers },
      billed_tools: {},
    });
  });

  it.each<[string, unknown, unknown]>([
    ['a number', 0, 0],
    ['a text', 'secret', undefined],
    ['a boolean', true, undefined],
    ['an embedding', [0.1, 0.2], undefined],
    ['a list of objects', [{ a: 1, b: 'secret' }, { b: 'secret' }], [{ a: 1 }]],
    ['an empty object', {}, undefined],
    ['an object without counts', { a: { b: 'secret' } }, undefined],
    ...['serviceTier', 'service_tier', 'inference_geo', 'speed', 'trafficType', 'modality'].map(
      (name): [string, unknown, unknown] => [
        `how it was served: ${name}`,
        { [name]: 'eu-west.1' },
        { [name]: 'eu-west.1' },
      ],
    ),
    ['a served text that is not a name', { speed: 'a secret' }, undefined],
    ['a name of 64 characters', { speed: 'x'.repeat(64) }, { speed: 'x'.repeat(64) }],
    ['a name of 65 characters', { speed: 'x'.repeat(65) }, undefined],
    ['a cost as text', { cost: '0.25' }, { cost: '0.25' }],
    ['a cost that is not an amount', { cost: '0.25 USD' }, undefined],
    ['a price', { price: '0.25' }, undefined],
    ['six levels', nested('a/b/c/d/e/f', 1), nested('a/b/c/d/e/f', 1)],
    ['seven levels', nested('a/b/c/d/e/f/g', 1), undefined],
    ['seven levels with a list', { a: [nested('c/d/e/f/g', 1)] }, undefined],
    ['null', { a: null }, undefined],
  ])('of counts: %s', (_, value, expected) => {
    expect(countsOf(value)).toEqual(expected);
  });
});

describe("the part of LiteLLM's record that is passed on", () => {
  const pick = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, name]));
  const FIELDS = pick(
    'id call_type cache_hit status custom_llm_provider response_cost prompt_tokens completion_tokens total_tokens ' +
      'startTime model model_group api_base end_user trace_id session_id',
  );
  const INNER = {
    metadata: pick(
      'usage_object user_api_key_end_user_id user_api_key_user_id user_api_key_team_id user_api_key_team_alias',
    ),
    model_parameters: pick(
      'service_tier serviceTier performanceConfig speed inference_geo vertex_location vertex_ai_location aws_region_name n',
    ),
    hidden_params: pick('batch_models vertex_location response_cost usage_object'),
    cost_breakdown: pick('tool_usage_cost total_cost'),
    model_map_information: pick('model_map_key'),
    response: pick('model service_tier serviceTier performanceConfig usage usage_info duration'),
  };

  it('consists of these fields', () => {
    const secret = { prompt: 'secret', api_key: 'secret', text: 'secret' };
    const sent = {
      ...FIELDS,
      messages: 'secret',
      ...Object.fromEntries(Object.entries(INNER).map(([name, inner]) => [name, { ...inner, ...secret }])),
    };
    const requester = { hold_id: 'h', user: 'secret' };
    expect(
      reduceLitellm({ ...sent, metadata: { ...INNER.metadata, ...secret, requester_metadata: requester } }),
    ).toEqual({
      ...FIELDS,
      ...INNER,
      metadata: { ...INNER.metadata, requester_metadata: { hold_id: 'h' } },
      response: { ...INNER.response, billed_tools: {} },
    });
  });
});
