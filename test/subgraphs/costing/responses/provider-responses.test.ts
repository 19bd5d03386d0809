/** The fields of an event that are read from a provider's response, and their precedence. */
import { describe, expect, it } from 'vitest';
import { readLitellmCall } from '#usage/responses/litellm-call.ts';
import { readProviderResponse } from '#usage/responses/provider-response.ts';

const AT = new Date('2026-11-26T12:00:00Z');
const USAGE = { prompt_tokens: 7, completion_tokens: 3 };

function item(sent: object): Record<string, unknown> {
  const read = readProviderResponse({ usage: USAGE, ...sent }, AT);
  return read.ok ? (read.item as Record<string, unknown>) : { reason: read.reason };
}

describe("a provider's response", () => {
  it.each<[string, object, object]>([
    [
      'nothing else',
      {},
      { input_tokens: 7, output_tokens: 3, idempotency_key: null, event_invoked_at: '2026-11-26T12:00:00.000Z' },
    ],
    ...['model', 'modelVersion', 'model_version', 'modelId'].map((name): [string, object, object] => [
      `the model in ${name}`,
      { [name]: 'm' },
      { model: 'm' },
    ]),
    ['the model of LangChain', { response_metadata: { model_name: 'm', model: 'n' } }, { model: 'm' }],
    ['the model of LangChain by its other name', { response_metadata: { model: 'n' } }, { model: 'n' }],
    ['the model before its version', { model: 'm', modelVersion: 'n' }, { model: 'm' }],
    ...['id', 'responseId', 'response_id', 'generation_id'].map((name): [string, object, object] => [
      `the id in ${name}`,
      { [name]: 'r', provider: 'acme' },
      { idempotency_key: 'acme:r' },
    ]),
    ['the id before others', { id: 'r', responseId: 's', provider: 'acme' }, { idempotency_key: 'acme:r' }],
    ...['run-1', 'lc_run-1'].map((id): [string, object, object] => [
      `the id of LangChain, not ${id}`,
      { id, response_metadata: { id: 'r' }, provider: 'acme' },
      { idempotency_key: 'acme:r' },
    ]),
    ['no id of LangChain', { id: 'run-1', provider: 'acme' }, { idempotency_key: null }],
    ['the request of boto3', { ResponseMetadata: { RequestId: 'r' }, provider: 'acme' }, { idempotency_key: 'acme:r' }],
    [
      'the request in a header',
      { headers: { 'x-amzn-requestid': 'r' }, provider: 'acme' },
      { idempotency_key: 'acme:r' },
    ],
    ...['created_at', 'created', 'createTime', 'create_time', 'createdAt', 'timestamp'].map(
      (name): [string, object, object] => [
        `seconds in ${name}`,
        { [name]: 1_795_694_399 },
        { event_invoked_at: '2026-11-26T11:59:59.000Z' },
      ],
    ),
    ['a date-time', { created_at: '2026-11-26T11:00:00Z' }, { event_invoked_at: '2026-11-26T11:00:00Z' }],
    ['one second', { created: 1 }, { event_invoked_at: '1970-01-01T00:00:01.000Z' }],
    ['a time of zero', { created: 0 }, { event_invoked_at: '2026-11-26T12:00:00.000Z' }],
    ['milliseconds', { created: 1_795_694_400_123 }, { event_invoked_at: '2026-11-26T12:00:00.123Z' }],
    ['the largest number of seconds', { created: 99_999_999_999 }, { event_invoked_at: '5138-11-16T09:46:39.000Z' }],
    ['the smallest number of milliseconds', { created: 1e11 }, { event_invoked_at: '1973-03-03T09:46:40.000Z' }],
    ['the end of the year 9999', { created: 253_402_300_799_999 }, { event_invoked_at: '9999-12-31T23:59:59.999Z' }],
    ['the year 10000', { created: 253_402_300_800_000 }, { event_invoked_at: '253402300800000' }],
    ['a negative time', { created: -5 }, { event_invoked_at: '-5' }],
    ['a time beyond all years', { created: 1e300 }, { event_invoked_at: '1e+300' }],
    ['a named provider', { provider: 'Acme' }, { provider: 'Acme' }],
    ['the provider of LangChain', { response_metadata: { model_provider: 'acme' } }, { provider: 'acme' }],
    ['OpenRouter before the named one', { id: 'gen-1', provider: 'Azure' }, { provider: 'openrouter' }],
    ['the tier', { service_tier: 'flex', serviceTier: 'x' }, { service_tier: 'flex' }],
    ['the tier in camel case', { serviceTier: 'flex' }, { service_tier: 'flex' }],
    ['the tier of LangChain', { response_metadata: { service_tier: 'flex' } }, { service_tier: 'flex' }],
    ['the tier of Bedrock', { serviceTier: { type: 'flex' } }, { service_tier: 'flex' }],
    ['the tier in a header', { headers: { 'X-Amzn-Bedrock-Service-Tier': 'flex' } }, { service_tier: 'flex' }],
    ['the tier in metadata', { providerMetadata: { openai: { serviceTier: 'flex' } } }, { service_tier: 'flex' }],
    ['the latency', { performanceConfig: { latency: 'optimized' } }, { performanceConfig: { latency: 'optimized' } }],
    [
      'the latency in a header',
      { headers: { 'x-amzn-bedrock-performanceconfig-latency': 'optimized' } },
      { performanceConfig: { latency: 'optimized' } },
    ],
    [
      'the cost of a router',
      { providerMetadata: { gateway: { cost: '0.5' } } },
      { metadata: { reported_cost: '0.5' } },
    ],
    ['an incomplete response', { incomplete: true }, { metadata: { incomplete: true } }],
    ['the start of a stream', { type: 'message_start' }, { metadata: { incomplete: true } }],
    ['only a total', { usage: { total_tokens: 9 } }, { input_tokens: 9, metadata: { only_total: true } }],
    [
      'unread counts',
      { usage: { input: 5, output: 2, rerank: 1, total: 8 } },
      { metadata: { unread_counts: ['rerank'] } },
    ],
    [
      "Anthropic's protocol",
      { type: 'message', usage: { input_tokens: 5, output_tokens: 2 } },
      { usage: { input_tokens: 5, output_tokens: 2, 'gen_ai.usage.convention': 'exclusive' } },
    ],
    ["Claude Code's own error", { model: '<synthetic>' }, { reason: 'failed' }],
    ['a refusal', { stop_reason: 'refusal', usage: { input_tokens: 5, output_tokens: 0 } }, { reason: 'failed' }],
    [
      'a refusal with output',
      { stop_reason: 'refusal', usage: { input_tokens: 5, output_tokens: 1 } },
      { output_tokens: 1 },
    ],
    ['an empty answer', { stop_reason: 'end_turn', usage: { input_tokens: 5, output_tokens: 0 } }, { input_tokens: 5 }],
    [
      'a refusal after attempts without output',
      { stop_reason: 'refusal', usage: { input_tokens: 5, output_tokens: 0, iterations: [{ output_tokens: 0 }] } },
      { reason: 'failed' },
    ],
    [
      'a refusal after an attempt with output',
      {
        stop_reason: 'refusal',
        usage: { input_tokens: 5, output_tokens: 0, iterations: [{ output_tokens: 0 }, { output_tokens: 4 }] },
      },
      { input_tokens: 5 },
    ],
  ])('becomes an event: %s', (_, response, expected) => {
    expect(item(response)).toMatchObject(expected);
  });

  const RESPONSE = { id: 'r', model: 'm', usage: USAGE };
  const around = (fields: object, response: object = RESPONSE) => {
    const read = readProviderResponse({ response, ...fields }, AT);
    return read.ok ? (read.item as Record<string, unknown>) : { reason: read.reason };
  };
  it.each([
    'user_id',
    'session_id',
    'session_type',
    'agent_id',
    'workflow_id',
    'feature',
    'span_id',
    'parent_span_id',
    'experiment',
    'metadata',
  ])('%s may be sent around it', (name) => {
    expect(around({ [name]: 'sent' })).toMatchObject({ [name]: 'sent' });
  });

  it.each<[string, object, object]>([
    ['a model', { model: 'n' }, { model: 'n' }],
    ['a provider', { provider: 'acme' }, { provider: 'acme', idempotency_key: 'acme:r' }],
    [
      'a time',
      { event_invoked_at: '2026-11-01T00:00:00Z', timestamp: 'x' },
      { event_invoked_at: '2026-11-01T00:00:00Z' },
    ],
    ['a timestamp', { timestamp: 't' }, { event_invoked_at: 't' }],
    ['a time of processing', { processed_time: 't' }, { event_invoked_at: 't' }],
    ['a session in camel case', { sessionId: 's' }, { session_id: 's' }],
    ['a session in both spellings', { sessionId: 's', session_id: 'own' }, { session_id: 'own' }],
    ['a cost', { costUSD: 0.25, metadata: { a: 1 } }, { metadata: { a: 1, reported_cost: '0.25' } }],
    ['a cost as text', { costUSD: '0.25', metadata: { a: 1 } }, { metadata: { a: 1 } }],
    ['a mark', { incomplete: true }, { metadata: { incomplete: true } }],
  ])('%s around it', (_, fields, expected) => {
    expect(around(fields)).toMatchObject(expected);
  });

  it('is identified by its id, or by its line in a batch, or else by the given key', () => {
    const { id: _, ...withoutId } = RESPONSE;
    expect(around({ idempotency_key: 'k' }, withoutId)).toMatchObject({ idempotency_key: 'k' });
    expect(around({ idempotency_key: 'k', provider: 'acme' })).toMatchObject({ idempotency_key: 'acme:r' });
    const line = { custom_id: 'c', id: 'line', provider: 'acme' };
    expect(around(line, withoutId)).toMatchObject({ idempotency_key: 'acme:line', service_tier: 'batch' });
    expect(around({ ...line, idempotency_key: 'k' }, withoutId)).toMatchObject({ idempotency_key: 'k' });
    expect(around({ id: 'line', provider: 'acme' }, withoutId)).toMatchObject({ idempotency_key: null });
  });

  it("a provider's response of a failed call counts what the call used", () => {
    const failed = { custom_id: 'c', error: true };
    expect(readProviderResponse(failed, AT)).toEqual({ ok: false, provider: 'unknown', reason: 'failed' });
    expect(around({ custom_id: 'c' }, { status_code: 500, body: RESPONSE })).toMatchObject({ input_tokens: 7 });
  });

  it('takes the largest count of tools that several objects repeat', () => {
    const response = {
      ...RESPONSE,
      billed_tools: { web_searches: 2 },
      response_metadata: { billed_tools: { x_searches: 4 } },
    };
    expect(around({ billed_tools: { web_searches: 1, x_searches: 3 } }, response)).toMatchObject({
      billed_tools: { web_searches: 2, x_searches: 4 },
    });
  });

  it("a provider's response without a usage object is billed by the piece, or has a problem", () => {
    const images = readProviderResponse({ id: 'r', billed_tools: { generated_images: 1 } }, AT);
    expect(images).toMatchObject({ ok: true, item: { input_tokens: 0, output_tokens: 0 } });
    expect(images).not.toHaveProperty('problem');
    expect(readProviderResponse({ id: 'r', billed_tools: {} }, AT)).toMatchObject({
      item: { input_tokens: 0, output_tokens: 0 },
      problem: expect.stringContaining('no usage that can be read'),
    });
  });
});

describe("LiteLLM's record", () => {
  const call = (fields: object, isBooked = false) =>
    readLitellmCall({ id: 'r', model: 'm', custom_llm_provider: 'acme', ...USAGE, ...fields }, AT, isBooked);
  const itemOf = (fields: object, isBooked = false): Record<string, unknown> => {
    const read = call(fields, isBooked);
    return read.ok ? read.item : { ...read };
  };

  it.each<[string, object, object]>([
    ['a hit of the cache', { cache_hit: true }, { ok: false, provider: 'acme', reason: 'cache_hit' }],
    ['a hit as Python writes it', { cache_hit: 'True' }, { ok: false, provider: 'acme', reason: 'cache_hit' }],
    ['no hit', { cache_hit: false }, { input_tokens: 7, output_tokens: 3, idempotency_key: 'acme:r' }],
    ['no id', { id: null }, { idempotency_key: null }],
    ['no provider', { custom_llm_provider: null, cache_hit: true }, { provider: 'litellm' }],
    ['a failed call', { prompt_tokens: 0, completion_tokens: 0, status: 'failure' }, { reason: 'failed' }],
    [
      'a failed call with a cost',
      { prompt_tokens: 0, completion_tokens: 0, status: 'failure', response_cost: 0.1 },
      { input_tokens: 0 },
    ],
    ['a call without usage', { prompt_tokens: 0, completion_tokens: 0, response_cost: 0 }, { reason: 'no_usage' }],
    [
      'the usage object first',
      { metadata: { usage_object: { prompt_tokens: 9 } }, response: { usage: { prompt_tokens: 8 } } },
      { input_tokens: 9 },
    ],
    [
      "the response's usage",
      { response: { usage: { prompt_tokens: 8 } }, hidden_params: { usage_object: { prompt_tokens: 5 } } },
      { input_tokens: 8 },
    ],
    ['hidden usage', { hidden_params: { usage_object: { prompt_tokens: 5 } } }, { input_tokens: 5 }],
    [
      'only a total',
      { prompt_tokens: 0, completion_tokens: 0, total_tokens: 9 },
      { input_tokens: 9, metadata: { only_total: true } },
    ],
    [
      'pages',
      { prompt_tokens: 0, completion_tokens: 0, response: { usage_info: { pages_processed: 3 } } },
      { usage: { pages_processed: 3 }, input_tokens: 0 },
    ],
    [
      'seconds',
      { prompt_tokens: 0, completion_tokens: 0, response: { duration: 3.5 } },
      { usage: { type: 'duration', seconds: 3.5 } },
    ],
    ['the end user', { end_user: 'u', metadata: { user_api_key_end_user_id: 'k' } }, { user_id: 'u' }],
    [
      "the key's end user",
      { metadata: { user_api_key_user_id: 'owner', user_api_key_end_user_id: 'k' } },
      { user_id: 'k' },
    ],
    ["the key's owner", { metadata: { user_api_key_user_id: 'owner' } }, { user_id: 'owner' }],
    ['no user', {}, { user_id: null, session_id: null }],
    ['the session', { session_id: 's', trace_id: 't' }, { session_id: 's' }],
    ['the trace', { trace_id: 't' }, { session_id: 't' }],
    [
      'the team',
      { metadata: { user_api_key_team_id: 'id', user_api_key_team_alias: 'blue' } },
      { metadata: { team: 'blue' } },
    ],
    ["the team's id", { metadata: { user_api_key_team_id: 'id' } }, { metadata: { team: 'id' } }],
    ['the cost', { response_cost: 0.5, hidden_params: { response_cost: 1 } }, { metadata: { reported_cost: '0.5' } }],
    ['a cost of zero', { response_cost: 0, hidden_params: { response_cost: 1 } }, { metadata: { reported_cost: '0' } }],
    [
      'a hidden cost',
      { hidden_params: { response_cost: ' 1.5 ' }, cost_breakdown: { total_cost: 2 } },
      { metadata: { reported_cost: '1.5' } },
    ],
    [
      'the total of costs',
      { response_cost: 'none', cost_breakdown: { total_cost: 2 } },
      { metadata: { reported_cost: '2' } },
    ],
    ['the cost of tools', { cost_breakdown: { tool_usage_cost: 0.01 } }, { metadata: { reported_tool_cost: '0.01' } }],
    [
      'the tier of the response',
      { response: { service_tier: 'flex' }, model_parameters: { service_tier: 'priority' } },
      { service_tier: 'flex' },
    ],
    ['the requested tier', { model_parameters: { service_tier: 'priority' } }, { service_tier: 'priority' }],
    ['the tier of Bedrock', { model_parameters: { serviceTier: { type: 'priority' } } }, { service_tier: 'priority' }],
    ['a batch', { call_type: 'aretrieve_batch', response: { service_tier: 'flex' } }, { service_tier: 'batch' }],
    ['a batch without async', { call_type: 'retrieve_batch' }, { service_tier: 'batch' }],
    [
      'speed and geography',
      { model_parameters: { speed: 'fast', inference_geo: 'us' } },
      { speed: 'fast', inference_geo: 'us' },
    ],
    [
      'the latency of the response',
      { response: { performanceConfig: { latency: 'a' } }, model_parameters: { performanceConfig: { latency: 'b' } } },
      { performanceConfig: { latency: 'a' } },
    ],
    [
      'the requested latency',
      { model_parameters: { performanceConfig: { latency: 'b' } } },
      { performanceConfig: { latency: 'b' } },
    ],
    ['the region', { model_parameters: { vertex_location: 'a', vertex_ai_location: 'b' } }, { serving_region: 'a' }],
    [
      'the region by its other name',
      { model_parameters: { vertex_ai_location: 'b' }, hidden_params: { vertex_location: 'c' } },
      { serving_region: 'b' },
    ],
    [
      'the hidden region',
      { hidden_params: { vertex_location: 'c' }, api_base: 'https://eu.api.openai.com/v1' },
      { serving_region: 'c' },
    ],
    [
      'the region of a government',
      { model_parameters: { aws_region_name: 'us-gov-west-1' } },
      { serving_region: 'us-gov-west-1' },
    ],
    [
      'the region of the host',
      { model_parameters: { aws_region_name: 'us-east-1' }, api_base: 'https://eu.api.openai.com/v1' },
      { serving_region: 'eu' },
    ],
    ['the model of a batch', { model: null, hidden_params: { batch_models: ['n'] } }, { model: 'n' }],
    ['two models of a batch', { model: null, hidden_params: { batch_models: ['n', 'o'] } }, { model: null }],
    ['no time', {}, { event_invoked_at: '2026-11-26T12:00:00.000Z' }],
    ['a date-time', { startTime: '2026-11-26T11:00:00Z' }, { event_invoked_at: '2026-11-26T11:00:00Z' }],
    [
      'the first time in milliseconds',
      { startTime: 100_000_000_000 },
      { event_invoked_at: '1973-03-03T09:46:40.000Z' },
    ],
    ['seconds', { startTime: 1_795_690_800.25 }, { event_invoked_at: '2026-11-26T11:00:00.250Z' }],
    ['milliseconds', { startTime: 1_795_690_800_250 }, { event_invoked_at: '2026-11-26T11:00:00.250Z' }],
    [
      'the last millisecond of year 9999',
      { startTime: 253_402_300_799_999 },
      { event_invoked_at: '9999-12-31T23:59:59.999Z' },
    ],
    ['the year 10000', { startTime: 253_402_300_800_000 }, { event_invoked_at: '253402300800000' }],
    ['a time of zero', { startTime: 0 }, { event_invoked_at: '2026-11-26T12:00:00.000Z' }],
    [
      'the deployment',
      { deployment: 'd', call_type: 'c', model_group: 'g' },
      { metadata: { litellm: { deployment: 'd', call_type: 'c', model_group: 'g' } } },
    ],
    [
      'a model of OpenAI elsewhere',
      { custom_llm_provider: 'openai', api_base: 'https://x.openai.azure.com/v1' },
      { provider: 'azure' },
    ],
  ])('becomes an event: %s', (_, fields, expected) => {
    expect(itemOf(fields)).toMatchObject(expected);
  });

  it.each<[string, object, object]>([
    ['aimage_generation', {}, { generated_images: 1 }],
    ['image_generation', { model_parameters: { n: 4 } }, { generated_images: 4 }],
    ['image_generation', { model_parameters: { n: 1 } }, { generated_images: 1 }],
    ['image_generation', { model_parameters: { n: 0 } }, { generated_images: 1 }],
    ['avideo_generation', { model_parameters: { n: 4 } }, { generated_videos: 1 }],
    ['aspeech', {}, { speech_requests: 1 }],
    ['atranscription', {}, { transcriptions: 1 }],
    ['arerank', {}, { search_units: 1 }],
    ['acompletion', { response_cost: 1 }, {}],
    ['arerank', { status: 'failure', response_cost: 1 }, {}],
    ['arerank', { response: { billed_tools: { search_units: 3 } } }, { search_units: 3 }],
    ['aimage_generation', USAGE, {}],
  ])('a call of the type %s with %j counts %j', (call_type, fields, tools) => {
    expect(itemOf({ prompt_tokens: 0, completion_tokens: 0, call_type, ...fields })).toMatchObject({
      billed_tools: tools,
    });
    expect(
      Object.keys(itemOf({ prompt_tokens: 0, completion_tokens: 0, call_type, ...fields })['billed_tools'] as object),
    ).toEqual(Object.keys(tools));
  });

  it('books its cost if asked', () => {
    expect(itemOf({ response_cost: 0.5 }, true)).toMatchObject({ cost_override: '0.5' });
    expect(itemOf({ response_cost: 0.5 })).not.toHaveProperty('cost_override');
    expect(itemOf({ cost_breakdown: { tool_usage_cost: 0 } })['metadata']).not.toHaveProperty('reported_tool_cost');
    expect(itemOf({ model_parameters: { service_tier: 'auto' } })).not.toHaveProperty('service_tier');
  });
});
