/** The columns of other products' exports, listed by hand from their documentation. */
import { describe, expect, it } from 'vitest';
import { convertHelicone } from '../../../packages/history-files/helicone.ts';
import { frequentReasons, ImportCounts } from '../../../packages/history-files/import-counts.ts';
import { convertLangfuse } from '../../../packages/history-files/langfuse.ts';
import { convertLitellm } from '../../../packages/history-files/litellm.ts';
import { convertOpenRouter } from '../../../packages/history-files/openrouter.ts';
import {
  countOf,
  decimalOf,
  hasCount,
  instantOf,
  objectOf,
  textOf,
} from '../../../packages/history-files/row-values.ts';

const AT = '2026-09-01T10:00:00Z';
const ISO = '2026-09-01T10:00:00.000Z';
type Row = Record<string, unknown>;
const without = (row: Row, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** The metadata of a row that is a call. */
const metadataOf = (row: ReturnType<typeof convertLangfuse>) => (row.kind === 'call' ? row.item['metadata'] : row);

describe('values of a row', () => {
  it.each<[Row, string | null]>([
    [{ a: 'x', b: 'y' }, 'x'],
    [{ a: '', b: 'y' }, 'y'],
    [{ a: null, b: 'y' }, 'y'],
    [{ a: 0, b: 'y' }, '0'],
    [{ a: true, b: 'y' }, null],
    [{}, null],
  ])('%j is the text %j', (row, text) => {
    expect(textOf(row, 'a', 'b')).toBe(text);
  });

  it.each<[unknown, string | null]>([
    [' 0.10 ', '0.10'],
    [0.5, '0.5'],
    [0, '0'],
    ['1e-7', '1e-7'],
    ['x', null],
    [' ', null],
    ['Infinity', null],
  ])('%j is the decimal %j', (a, decimal) => {
    expect(decimalOf({ a }, 'a')).toBe(decimal);
  });

  it.each<[unknown, unknown]>([
    ['12', 12],
    ['12.00', 12],
    ['0', 0],
    [12, 12],
    ['12.5', '12.5'],
    ['-1', '-1'],
    ['999999999999999', 999_999_999_999_999],
    ['1000000000000000', '1000000000000000'],
    ['x', 'x'],
    ['', undefined],
  ])('%j is the count %j', (a, count) => {
    expect(countOf({ a }, 'a')).toBe(count);
  });

  it.each<[Row, boolean]>([
    [{ a: 1 }, true],
    [{ a: 0, b: '1' }, true],
    [{ a: 0 }, false],
    [{ a: undefined }, false],
    [{}, false],
  ])('%j has a count: %s', (counts, expected) => {
    expect(hasCount(counts)).toBe(expected);
  });

  it.each<[unknown, Row]>([
    [{ x: 1 }, { x: 1 }],
    ['{"x":1}', { x: 1 }],
    ['[1]', {}],
    ['{', {}],
    [[1], {}],
    [null, {}],
  ])('%j is the object %j', (a, object) => {
    expect(objectOf({ a }, 'a')).toEqual(object);
  });

  it.each<[unknown, string | null]>([
    [1_788_256_800, ISO],
    [1_788_256_800_000, ISO],
    [99_999_999_999, '5138-11-16T09:46:39.000Z'],
    [100_000_000_000, '1973-03-03T09:46:40.000Z'],
    ['2026-09-01', '2026-09-01T00:00:00.000Z'],
    ['2026-09-01 10:00', ISO],
    [' 2026-09-01t10:00:00z ', ISO],
    ['2026-09-01 10:00:00 utc', ISO],
    ['2026-09-01T12:00:00+0200', ISO],
    ['2026-09-01T08:00:00-02:00', ISO],
    ['2026-09-31', null],
    ['x', null],
    [null, null],
  ])('%j is the instant %s', (a, instant) => {
    expect(instantOf({ a }, 'a')).toBe(instant);
  });
});

describe('Langfuse', () => {
  const ROW = { id: 'o', start_time: AT, usage_details: { input: 5, output: 2 } };
  it.each<[string, Row, object]>([
    ['id', { ...ROW }, { idempotency_key: 'langfuse:o', event_invoked_at: ISO }],
    ...['observation_id', 'observationId'].map((name): [string, Row, object] => [
      name,
      { ...without(ROW, 'id'), [name]: 'p' },
      { idempotency_key: 'langfuse:p' },
    ]),
    ...['startTime', 'timestamp'].map((name): [string, Row, object] => [
      name,
      { ...without(ROW, 'start_time'), [name]: AT },
      { event_invoked_at: ISO },
    ]),
    ...['provided_model_name', 'providedModelName', 'model'].map((name): [string, Row, object] => [
      name,
      { ...ROW, [name]: 'm' },
      { response: { model: 'm', usage: { input: 5, output: 2 } } },
    ]),
    ...['usageDetails', 'usage'].map((name): [string, Row, object] => [
      name,
      { ...without(ROW, 'usage_details'), [name]: { input: 7 } },
      { response: { usage: { input: 7 } } },
    ]),
    ...[
      ['inputUsage', 'input'],
      ['promptTokens', 'input'],
      ['prompt_tokens', 'input'],
      ['inputTokens', 'input'],
      ['usage.input', 'input'],
      ['outputUsage', 'output'],
      ['completionTokens', 'output'],
      ['completion_tokens', 'output'],
      ['outputTokens', 'output'],
      ['usage.output', 'output'],
      ['totalUsage', 'total'],
      ['totalTokens', 'total'],
      ['total_tokens', 'total'],
      ['usage.total', 'total'],
    ].map(([name, side]): [string, Row, object] => [
      name!,
      { ...without(ROW, 'usage_details'), [name!]: '9' },
      { response: { usage: { [side!]: 9 } } },
    ]),
    ...['user_id', 'userId'].map((name): [string, Row, object] => [name, { ...ROW, [name]: 'u' }, { user_id: 'u' }]),
    ...['session_id', 'sessionId', 'trace_id', 'traceId'].map((name): [string, Row, object] => [
      name,
      { ...ROW, [name]: 's' },
      { session_id: 's' },
    ]),
    ['session_id before trace_id', { ...ROW, sessionId: 's', trace_id: 't' }, { session_id: 's' }],
    ...['trace_name', 'traceName'].map((name): [string, Row, object] => [
      name,
      { ...ROW, [name]: 'n' },
      { metadata: { trace_name: 'n' } },
    ]),
    ['environment', { ...ROW, environment: 'e' }, { metadata: { environment: 'e' } }],
    ...['total_cost', 'totalCost', 'calculatedTotalCost', 'calculated_total_cost'].map(
      (name): [string, Row, object] => [name, { ...ROW, [name]: 0 }, { metadata: { reported_cost: '0' } }],
    ),
    ...['cost_details', 'costDetails'].map((name): [string, Row, object] => [
      name,
      { ...ROW, [name]: { total: 2 }, totalCost: 1 },
      { metadata: { reported_cost: '2' } },
    ]),
  ])('reads the column %s', (_, row, item) => {
    expect(convertLangfuse(row)).toMatchObject({ kind: 'call', item });
  });

  it('leaves out what is missing, and refuses a row without an id or time', () => {
    expect(convertLangfuse(ROW)).toMatchObject({ item: { metadata: {}, session_id: null } });
    expect(metadataOf(convertLangfuse(ROW))).toEqual({});
    expect(convertLangfuse(without(ROW, 'usage_details'))).toMatchObject({ kind: 'skipped' });
    expect(convertLangfuse({ ...ROW, usage_details: { input: 0 } })).toMatchObject({ kind: 'skipped' });
    expect(convertLangfuse(without(ROW, 'id'))).toMatchObject({ kind: 'refused' });
    expect(convertLangfuse(without(ROW, 'start_time'))).toMatchObject({ kind: 'refused' });
  });
});

describe('Helicone', () => {
  const ROW = { request_id: 'r', request_created_at: AT, prompt_tokens: 5 };
  const body = { id: 'x', usage: { prompt_tokens: 5 } };
  it.each<[string, Row, object]>([
    ['request_id', ROW, { idempotency_key: 'helicone:r', event_invoked_at: ISO, response: { usage: { input: 5 } } }],
    ['response_id', { ...without(ROW, 'request_id'), response_id: 's' }, { idempotency_key: 'helicone:s' }],
    ...['response_created_at', 'created_at'].map((name): [string, Row, object] => [
      name,
      { ...without(ROW, 'request_created_at'), [name]: AT },
      { event_invoked_at: ISO },
    ]),
    ...[
      ['completion_tokens', 'output'],
      ['prompt_cache_read_tokens', 'input_cache_read'],
      ['prompt_cache_write_tokens', 'input_cache_write'],
      ['prompt_audio_tokens', 'input_audio'],
      ['completion_audio_tokens', 'output_audio'],
    ].map(([name, kind]): [string, Row, object] => [
      name!,
      { ...ROW, [name!]: '3' },
      { response: { usage: { input: 5, [kind!]: 3 } } },
    ]),
    ...['response_model', 'model', 'request_model'].map((name): [string, Row, object] => [
      name,
      { ...ROW, [name]: 'm' },
      { model: 'm' },
    ]),
    ['response_model first', { ...ROW, request_model: 'x', model: 'y', response_model: 'm' }, { model: 'm' }],
    ['provider', { ...ROW, provider: 'OPENAI' }, { provider: 'openai' }],
    ...['request_user_id', 'user_id'].map((name): [string, Row, object] => [
      name,
      { ...ROW, [name]: 'u' },
      { user_id: 'u' },
    ]),
    ...['request_properties', 'properties'].map((name): [string, Row, object] => [
      name,
      { ...ROW, [name]: { 'Helicone-Session-Id': 's', team: 'blue', size: 5 } },
      { session_id: 's', metadata: { team: 'blue' } },
    ]),
    ...['cost', 'costUSD', 'cost_usd'].map((name): [string, Row, object] => [
      name,
      { ...ROW, [name]: '0.5' },
      { metadata: { reported_cost: '0.5' } },
    ]),
    ['response_body', { ...without(ROW, 'prompt_tokens'), response_body: JSON.stringify(body) }, { response: body }],
    ['usageMetadata', { ...ROW, response_body: { usageMetadata: {} } }, { response: { usageMetadata: {} } }],
    ['a failed call with counts', { ...ROW, response_status: 500 }, {}],
    ['no reference to a cache', { ...ROW, cache_reference_id: '00000000-0000-0000-0000-000000000000' }, {}],
    ['null as text', { ...ROW, cache_reference_id: 'null' }, {}],
  ])('reads the column %s', (_, row, item) => {
    expect(convertHelicone(row)).toMatchObject({ kind: 'call', item });
  });

  it("Helicone's own properties and numbers do not become dimensions", () => {
    const row = { ...ROW, properties: { 'Helicone-Session-Id': 's', team: 'blue', size: 5 } };
    expect(metadataOf(convertHelicone(row))).toEqual({ team: 'blue' });
  });

  const empty = without(ROW, 'prompt_tokens');
  it.each<[string, Row, object]>([
    ['a hit of the cache', { ...ROW, cache_reference_id: 'c' }, { kind: 'skipped', reason: 'Answered from a cache' }],
    ['the status 400', { ...empty, response_status: '400' }, { kind: 'skipped', reason: 'Failed call' }],
    ['another name of the status', { ...empty, status: 500 }, { kind: 'skipped', reason: 'Failed call' }],
    ['the status 399', { ...empty, response_status: 399 }, { kind: 'skipped', reason: 'no token counts' }],
    ['no counts', empty, { kind: 'skipped', reason: 'no token counts' }],
    ['no id', without(ROW, 'request_id'), { kind: 'refused' }],
    ['no time', without(ROW, 'request_created_at'), { kind: 'refused' }],
  ])('skips or refuses a row with %s', (_, row, expected) => {
    expect(convertHelicone(row)).toMatchObject(expected);
  });
});

describe('OpenRouter', () => {
  const ROW = { generation_id: 'gen-1', created_at: AT, native_tokens_prompt: 5 };
  it.each<[string, Row, object]>([
    ['generation_id', ROW, { idempotency_key: 'openrouter:gen-1', provider: 'openrouter', response: { id: 'gen-1' } }],
    ['id', { ...without(ROW, 'generation_id'), id: 'gen-2' }, { response: { id: 'gen-2' } }],
    ['data', { data: ROW }, { response: { id: 'gen-1' } }],
    ['createdAt', { ...without(ROW, 'created_at'), createdAt: AT }, { event_invoked_at: ISO }],
    ['native counts first', { ...ROW, tokens_prompt: 9 }, { response: { usage: { prompt_tokens: 5 } } }],
    [
      'tokens_prompt',
      { ...without(ROW, 'native_tokens_prompt'), tokens_prompt: 9 },
      { response: { usage: { prompt_tokens: 9 } } },
    ],
    ...['native_tokens_completion', 'tokens_completion'].map((name): [string, Row, object] => [
      name,
      { ...without(ROW, 'native_tokens_prompt'), [name]: 3 },
      { response: { usage: { completion_tokens: 3 } } },
    ]),
    ...['tokens_cached', 'native_tokens_cached'].map((name): [string, Row, object] => [
      name,
      { ...ROW, [name]: 3 },
      { response: { usage: { prompt_tokens_details: { cached_tokens: 3 } } } },
    ]),
    ...['tokens_reasoning', 'native_tokens_reasoning'].map((name): [string, Row, object] => [
      name,
      { ...ROW, [name]: 3 },
      { response: { usage: { completion_tokens_details: { reasoning_tokens: 3 } } } },
    ]),
    ...['cost_total', 'total_cost', 'usage'].map((name): [string, Row, object] => [
      name,
      { ...without(ROW, 'native_tokens_prompt'), [name]: '0.5' },
      { response: { usage: { cost: 0.5, is_byok: false, cost_details: { upstream_inference_cost: null } } } },
    ]),
    [
      "a caller's own key",
      { ...ROW, byok_usage_inference: '0.25' },
      { response: { usage: { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: 0.25 } } } },
    ],
    ['no own key', { ...ROW, byok_usage_inference: '0' }, { response: { usage: { is_byok: false } } }],
    [
      'no details',
      ROW,
      {
        response: {
          usage: { prompt_tokens_details: { cached_tokens: 0 }, completion_tokens_details: { reasoning_tokens: 0 } },
        },
      },
    ],
    ...['model_permaslug', 'model'].map((name): [string, Row, object] => [
      name,
      { ...ROW, [name]: 'm' },
      { response: { model: 'm' } },
    ]),
    ...['user', 'external_user'].map((name): [string, Row, object] => [
      name,
      { ...ROW, [name]: 'u' },
      { user_id: 'u' },
    ]),
    ['app_name', { ...ROW, app_name: 'a', api_key_name: 'k' }, { metadata: { app: 'a', openrouter_key: 'k' } }],
  ])('reads the column %s', (_, row, item) => {
    expect(convertOpenRouter(row)).toMatchObject({ kind: 'call', item });
  });

  it.each<[string, Row, object]>([
    [
      'no tokens and no cost',
      { ...ROW, native_tokens_prompt: 0 },
      { kind: 'skipped', reason: 'no tokens and no cost' },
    ],
    [
      'zeros',
      { ...ROW, native_tokens_prompt: 0, native_tokens_completion: 0, total_cost: 0 },
      { kind: 'skipped', reason: 'no tokens and no cost' },
    ],
    ['no id', without(ROW, 'generation_id'), { kind: 'refused' }],
    ['no time', without(ROW, 'created_at'), { kind: 'refused' }],
  ])('converts, skips or refuses a row with %s', (_, row, expected) => {
    expect(convertOpenRouter(row)).toMatchObject(expected);
  });
});

describe('LiteLLM', () => {
  const ROW = { request_id: 'r', startTime: AT, prompt_tokens: '5' };
  it.each<[string, Row, object]>([
    ['request_id', ROW, { id: 'r', status: 'success', startTime: ISO, prompt_tokens: 5, response_cost: null }],
    ['id', { ...without(ROW, 'request_id'), id: 's' }, { id: 's' }],
    ['start_time', { ...without(ROW, 'startTime'), start_time: AT }, { startTime: ISO }],
    ...['call_type', 'custom_llm_provider', 'model', 'model_group', 'api_base', 'session_id', 'end_user'].map(
      (name): [string, Row, object] => [name, { ...ROW, [name]: 'x' }, { [name]: 'x' }],
    ),
    ['user', { ...ROW, user: 'u' }, { end_user: 'u' }],
    ['end_user first', { ...ROW, user: 'u', end_user: 'e' }, { end_user: 'e' }],
    ['counts', { ...ROW, completion_tokens: '2', total_tokens: '7' }, { completion_tokens: 2, total_tokens: 7 }],
    ['spend', { ...ROW, spend: '0.5', response_cost: 1 }, { response_cost: 0.5 }],
    ['response_cost', { ...ROW, response_cost: 1 }, { response_cost: 1 }],
    ['team_id', { ...ROW, team_id: 't' }, { metadata: { user_api_key_team_id: 't' } }],
    [
      'metadata',
      { ...ROW, metadata: '{"usage_object":{"a":1},"user_api_key_team_alias":"blue","cost_breakdown":{"b":2}}' },
      { metadata: { usage_object: { a: 1 }, user_api_key_team_alias: 'blue' }, cost_breakdown: { b: 2 } },
    ],
    ['a failed call with counts', { ...ROW, status: 'failure' }, { status: 'failure' }],
    ['a failed call with a cost', { ...ROW, prompt_tokens: 0, status: 'failure', spend: 0.1 }, { status: 'failure' }],
    [
      'a failed call with usage',
      { ...ROW, prompt_tokens: 0, status: 'failure', metadata: { usage_object: { a: 1 } } },
      {},
    ],
    ['no hit of the cache', { ...ROW, cache_hit: 'False' }, {}],
  ])('reads the column %s', (_, row, item) => {
    expect(convertLitellm(row)).toMatchObject({ kind: 'call', item });
  });

  it.each<[string, Row, object]>([
    ...[true, 'True', 't', '1', 1].map((hit): [string, Row, object] => [
      `a hit of the cache: ${hit}`,
      { ...ROW, cache_hit: hit },
      { kind: 'skipped', reason: 'Answered from a cache' },
    ]),
    ['a failed call', { ...ROW, prompt_tokens: 0, status: 'failure' }, { kind: 'skipped', reason: 'Failed call' }],
    ['a failure in metadata', { ...ROW, prompt_tokens: 0, metadata: { status: 'failure' } }, { kind: 'skipped' }],
    ['no id', without(ROW, 'request_id'), { kind: 'refused' }],
    ['no time', without(ROW, 'startTime'), { kind: 'refused' }],
  ])('converts, skips or refuses a row with %s', (_, row, expected) => {
    expect(convertLitellm(row)).toMatchObject(expected);
  });
});

describe('counts of an import', () => {
  const call = (invokedAt: string) => ({ kind: 'call' as const, item: { id: invokedAt }, invokedAt });
  it('takes the calls of the chosen period, whose end is exclusive', () => {
    const counts = new ImportCounts();
    const chosen = { since: '2026-09-01T10:00:00.000Z', until: '2026-09-01T12:00:00.000Z' };
    const taken = ['09:59:59.999', '11:00:00.000', '10:00:00.000', '11:59:59.999', '12:00:00.000'].map((time) =>
      counts.take(call(`2026-09-01T${time}Z`), chosen),
    );
    expect(taken.map((item) => item !== null)).toEqual([false, true, true, true, false]);
    expect(counts).toMatchObject({ first: '2026-09-01T10:00:00.000Z', last: '2026-09-01T11:59:59.999Z' });
    expect([...counts.skipped]).toEqual([['outside the chosen time', 2]]);
    expect(counts.take(call(ISO), { since: null, until: null })).toEqual({ id: ISO });
    expect(counts.take({ kind: 'skipped', reason: 'a' }, chosen)).toBeNull();
    expect(counts.take({ kind: 'refused', reason: 'b' }, chosen)).toBeNull();
    expect([counts.skippedRows, counts.refusedRows]).toEqual([3, 1]);
  });

  it('adds up the results that the service returns', () => {
    const counts = new ImportCounts();
    expect(counts.rows).toBe(0);
    counts.add({
      accepted: 3,
      duplicates: 1,
      results: [{ status: 'rejected', message: 'bad' }, { status: 'rejected' }],
    });
    counts.add({
      accepted: 2,
      results: [
        { status: 'ignored', message: 'cache_hit' },
        { status: 'ignored', message: 'other' },
        { status: 'accepted', message: 'x' },
      ],
    });
    counts.add({});
    expect(counts).toMatchObject({ accepted: 5, duplicates: 1 });
    expect([...counts.refused]).toEqual([
      ['bad', 1],
      ['no reason given', 1],
    ]);
    expect([...counts.skipped]).toEqual([
      ['Answered from a cache', 1],
      ['other', 1],
    ]);
  });

  it('shows ten reasons, the most frequent first', () => {
    const reasons = new Map(Array.from({ length: 12 }, (_, index) => [`r${index}`, index + 1]));
    const shown = frequentReasons(reasons);
    expect(shown[0]).toEqual(['r11', 12]);
    expect(shown[9]).toEqual(['r2', 3]);
    expect(shown[10]).toEqual(['other reasons', 3]);
    expect(frequentReasons(new Map([['a', 1]]))).toEqual([['a', 1]]);
  });
});
