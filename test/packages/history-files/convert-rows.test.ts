/** Rows of other products' exports become calls, or are refused with a reason. */
import { describe, expect, it } from 'vitest';
import { convertHelicone } from '../../../packages/history-files/helicone.ts';
import type { ConvertedRow } from '../../../packages/history-files/history-row.ts';
import { frequentReasons, ImportCounts } from '../../../packages/history-files/import-counts.ts';
import { convertLangfuse } from '../../../packages/history-files/langfuse.ts';
import { convertLitellm } from '../../../packages/history-files/litellm.ts';
import { convertOpenRouter } from '../../../packages/history-files/openrouter.ts';

const AT = '2026-09-01T10:00:00.000Z';
const LANGFUSE = { id: 'o', startTime: AT, model: 'm', usageDetails: { input: 1, output: 2 } };
const HELICONE = {
  request_id: 'r',
  request_created_at: AT,
  response_status: 200,
  prompt_tokens: 5,
  completion_tokens: 7,
};
const LITELLM = { request_id: 'l', startTime: AT, model: 'm', prompt_tokens: '5', completion_tokens: '7' };
const OPENROUTER = { generation_id: 'g', created_at: AT, model: 'm', tokens_prompt: 5, tokens_completion: 7 };

const item = (row: ConvertedRow): any => (row.kind === 'call' ? row.item : row);

describe('Langfuse', () => {
  it.each([
    ['sessionId', { sessionId: 's', traceId: 't' }, { session_id: 's' }],
    ['trace without a session', { traceId: 't' }, { session_id: 't' }],
    ['model', { provided_model_name: 'p', providedModelName: 'q' }, { response: { model: 'p' } }],
    ['details before sides', { inputUsage: 9, outputUsage: 9 }, { response: { usage: { input: 1, output: 2 } } }],
    [
      'cost details',
      { costDetails: { input: 1, total: '2.5' }, totalCost: '9' },
      { metadata: { reported_cost: '2.5' } },
    ],
    ['total cost', { total_cost: '3.50', calculatedTotalCost: '9' }, { metadata: { reported_cost: '3.50' } }],
    ['environment', { environment: 'dev', traceName: 'n' }, { metadata: { environment: 'dev', trace_name: 'n' } }],
  ])('reads %s', (_, more, expected) => {
    expect(item(convertLangfuse({ ...LANGFUSE, ...more }))).toMatchObject(expected);
  });

  it.each([
    [{ usageDetails: {} }, 'skipped'],
    [{ usageDetails: { input: 0 } }, 'skipped'],
    [{ usageDetails: {}, promptTokens: '1' }, 'call'],
    [{ usageDetails: {}, usage: { input: 1 } }, 'call'],
    [{ id: null }, 'refused'],
    [{ startTime: '2026-02-30' }, 'refused'],
  ])('a row with %j is %s', (more, kind) => {
    expect(convertLangfuse({ ...LANGFUSE, ...more }).kind).toBe(kind);
  });
});

describe('Helicone', () => {
  it.each([
    [{}, 'call'],
    [{ cache_reference_id: '00000000-0000-0000-0000-000000000000' }, 'call'],
    [{ cache_reference_id: '0a1e0000-0000-4000-8000-000000000001' }, 'skipped'],
    [{ response_status: 400 }, 'call'],
    [{ response_status: 400, prompt_tokens: 0, completion_tokens: 0 }, 'skipped'],
    [{ response_status: 399, prompt_tokens: 0, completion_tokens: 0 }, 'skipped'],
    [{ prompt_tokens: 0, completion_tokens: 0, response_body: '{"usage":{}}' }, 'call'],
    [{ request_id: '' }, 'refused'],
    [{ request_created_at: '' }, 'refused'],
  ])('a row with %j is %s', (more, kind) => {
    expect(convertHelicone({ ...HELICONE, ...more }).kind).toBe(kind);
  });

  it('sends cached tokens separately, and keeps custom properties and the session id', () => {
    const request_properties = { 'Helicone-Session-Id': 's', 'Helicone-App': 'x', team: 'a', size: 3 };
    const row = { ...HELICONE, prompt_cache_read_tokens: '3', request_properties, provider: 'OPENAI', cost: '0.5' };
    expect(item(convertHelicone(row))).toMatchObject({
      provider: 'openai',
      session_id: 's',
      response: { usage: { input: 5, output: 7, input_cache_read: 3 } },
      metadata: { team: 'a', reported_cost: '0.5' },
    });
    expect(item(convertHelicone(row)).metadata).not.toHaveProperty('size');
  });
});

describe('LiteLLM', () => {
  const failed = { status: 'failure', prompt_tokens: 0, completion_tokens: 0 };
  it.each([
    [{}, 'call'],
    [{ cache_hit: 'True' }, 'skipped'],
    [{ cache_hit: 't' }, 'skipped'],
    [{ cache_hit: 'False' }, 'call'],
    [failed, 'skipped'],
    [{ ...failed, metadata: '{"status":"failure"}', status: null }, 'skipped'],
    [{ ...failed, spend: '0' }, 'skipped'],
    [{ ...failed, spend: '0.01' }, 'call'],
    [{ ...failed, prompt_tokens: 1 }, 'call'],
    [{ ...failed, metadata: { usage_object: { prompt_tokens: 1 } } }, 'call'],
    [{ request_id: null }, 'refused'],
    [{ startTime: 'soon' }, 'refused'],
  ])('a row with %j is %s', (more, kind) => {
    expect(convertLitellm({ ...LITELLM, ...more }).kind).toBe(kind);
  });

  it('prefers end_user to user', () => {
    const users = { end_user: 'customer', user: 'employee' };
    expect(item(convertLitellm({ ...LITELLM, ...users })).end_user).toBe('customer');
    expect(item(convertLitellm({ ...LITELLM, ...users, end_user: '' })).end_user).toBe('employee');
  });
});

describe('OpenRouter', () => {
  it.each([
    [{}, 'call'],
    [{ tokens_prompt: 0, tokens_completion: 0 }, 'skipped'],
    [{ tokens_prompt: 0, tokens_completion: 0, cost_total: '0.01' }, 'call'],
    [{ generation_id: null }, 'refused'],
    [{ created_at: null }, 'refused'],
  ])('a row with %j is %s', (more, kind) => {
    expect(convertOpenRouter({ ...OPENROUTER, ...more }).kind).toBe(kind);
  });

  it.each([
    [{}, { cost: 0, is_byok: false, cost_details: { upstream_inference_cost: null } }],
    [
      { cost_total: '0.1', byok_usage_inference: '0.4' },
      { cost: 0.1, is_byok: true, cost_details: { upstream_inference_cost: 0.4 } },
    ],
    [{ byok_usage_inference: '0' }, { is_byok: false, cost_details: { upstream_inference_cost: null } }],
    [
      { native_tokens_prompt: 6, tokens_cached: 2, tokens_reasoning: 3 },
      {
        prompt_tokens: 6,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    ],
  ])('a row with %j has the usage %j', (more, usage) => {
    expect(item(convertOpenRouter({ ...OPENROUTER, ...more })).response.usage).toMatchObject(usage);
  });
});

describe('counting', () => {
  const call = (invokedAt: string): ConvertedRow => ({ kind: 'call', item: { id: invokedAt }, invokedAt });
  it('takes the calls of the chosen period, whose end is exclusive', () => {
    const counts = new ImportCounts();
    const time = { since: '2026-09-01T00:00:00Z', until: '2026-09-02T00:00:00Z' };
    const times = [
      '2026-09-02T00:00:00.000Z',
      '2026-09-01T23:59:59.999Z',
      '2026-09-01T00:00:00.000Z',
      '2026-08-31T23:59:59.999Z',
    ];
    expect(times.map((at) => counts.take(call(at), time) !== null)).toEqual([false, true, true, false]);
    expect(counts.take({ kind: 'skipped', reason: 'a' }, time)).toBeNull();
    expect(counts.take({ kind: 'refused', reason: 'b' }, time)).toBeNull();
    expect([counts.skippedRows, counts.refusedRows, counts.first, counts.last]).toEqual([3, 1, times[2], times[1]]);
    counts.add({
      accepted: 3,
      duplicates: 1,
      results: [
        { status: 'accepted', message: 'x' },
        { status: 'rejected', message: 'y' },
        { status: 'rejected' },
        { status: 'ignored', message: 'cache_hit' },
      ],
    });
    counts.add({ accepted: 2 });
    expect([counts.accepted, counts.duplicates]).toEqual([5, 1]);
    expect([...counts.refused]).toEqual([
      ['b', 1],
      ['y', 1],
      ['no reason given', 1],
    ]);
    expect(counts.skipped.get('Answered from a cache')).toBe(1);
  });

  it('names the ten most frequent reasons, and adds up the others', () => {
    const reasons = new Map(Array.from({ length: 12 }, (_, index) => [`r${index}`, index + 1] as const));
    const shown = frequentReasons(reasons);
    expect([shown.length, shown[0], shown[9], shown[10]]).toEqual([11, ['r11', 12], ['r2', 3], ['other reasons', 3]]);
    expect(frequentReasons(new Map([['a', 1]]))).toEqual([['a', 1]]);
  });
});
