import { expect, it } from 'vitest';
import { readLitellmCall } from '#usage/responses/litellm-call.ts';
import { readProviderResponse } from '#usage/responses/provider-response.ts';

const AT = new Date('2026-11-26T12:00:00Z');
const call = (counts: object) =>
  readLitellmCall({ id: 'call-1', model: 'gpt-4o-mini', custom_llm_provider: 'openai', ...counts }, AT, false);

it.each<[string, object, object]>([
  ['numbers', { prompt_tokens: 10, completion_tokens: 5 }, { input_tokens: 10, output_tokens: 5 }],
  [
    'zero under a second name',
    { response: { usage: { input_tokens: 0, output_tokens: 0, prompt_tokens: 1000, completion_tokens: 50 } } },
    { input_tokens: 1000, output_tokens: 50 },
  ],
  ['texts', { prompt_tokens: '10', completion_tokens: '5' }, { input_tokens: 10, output_tokens: 5 }],
  [
    'a missing prompt count',
    { prompt_tokens: null, completion_tokens: 5 },
    { input_tokens: null, output_tokens: null },
  ],
])('the LiteLLM reader reads counts that are %s, and never makes one of them 0', (_, counts, tokens) => {
  expect(call(counts)).toMatchObject({ ok: true, item: tokens });
});

it('the LiteLLM reader keeps the hold that a hook of the proxy named', () => {
  const metadata = { requester_metadata: { hold_id: '0199a1b2-7c00-7000-8000-00000000c0de' } };
  expect(call({ prompt_tokens: 10, completion_tokens: 5, metadata })).toMatchObject({
    item: { metadata: { hold_id: '0199a1b2-7c00-7000-8000-00000000c0de' } },
  });
});

it('the LiteLLM reader ignores a call without counts and without a cost', () => {
  expect(call({ prompt_tokens: null, completion_tokens: null })).toEqual({
    ok: false,
    provider: 'openai',
    reason: 'no_usage',
  });
});

it.each([1_795_694_400, 1_795_694_400_000, 1_795_694_400.25])(
  'the LiteLLM reader reads the start %d in seconds or milliseconds',
  (startTime) => {
    const read = call({ prompt_tokens: 10, completion_tokens: 5, startTime });
    expect(read).toMatchObject({
      item: { event_invoked_at: expect.stringMatching(/^2026-11-26T12:00:00\.(?:000|250)Z$/) },
    });
  },
);

const IMPOSSIBLE: [string, object][] = [
  ['prompt_tokens', { prompt_tokens: -5, completion_tokens: 50, total_tokens: 45 }],
  ['prompt_tokens', { prompt_tokens: 1.5, completion_tokens: 50, total_tokens: 51 }],
  ['prompt_tokens', { prompt_tokens: -5, completion_tokens: 0, total_tokens: 0 }],
  [
    'prompt_tokens_details.cached_tokens',
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: -3 } },
  ],
  [
    'prompt_tokens_details.cached_tokens',
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 'many' } },
  ],
  [
    'prompt_tokens_details.audio_tokens',
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { audio_tokens: -1 } },
  ],
];

it.each(IMPOSSIBLE)('the LiteLLM reader rejects an impossible %s', (name, usage) => {
  const problem = expect.stringContaining(`not whole numbers, 0 or more: ${name}.`) as unknown;
  expect(call({ metadata: { usage_object: usage }, ...usage })).toMatchObject({ ok: true, problem });
  expect(readProviderResponse({ id: 'one', model: 'gpt-4o-mini', usage }, AT)).toMatchObject({ ok: true, problem });
});

it.each<[string, object]>([
  ['null', { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: null } }],
  ['text', { prompt_tokens: '10', completion_tokens: '5.0', total_tokens: 15 }],
])('the LiteLLM reader accepts counts that are %s', (_, usage) => {
  expect(call({ metadata: { usage_object: usage } })).not.toHaveProperty('problem');
  expect(readProviderResponse({ id: 'one', model: 'gpt-4o-mini', usage }, AT)).not.toHaveProperty('problem');
});
