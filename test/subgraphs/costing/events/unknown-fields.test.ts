/** Unknown fields are reported to their sender, and a provider's usage is kept. */
import { expect, test } from 'vitest';
import { describeUnknownFields, unknownFields } from '../../../../subgraphs/costing/events/unknown-fields.ts';
import { providerUsageOf } from '#usage/counts/provider-usage.ts';

const said = (item: object) => describeUnknownFields(unknownFields(item));

test.each<[string, object, string | null]>([
  ['documented fields', { model: 'm', user_id: 'u', cache_read_input_tokens: 1, units: 1 }, null],
  ['a slip', { userId: 'u', colour: 'red' }, 'Not understood: userId, colour; did you mean user_id?'],
  ['nothing near', { colour: 'red' }, 'Not understood: colour'],
  [
    'another word',
    { cached_tokens: 900, tags: [] },
    'Not understood: cached_tokens, tags; did you mean cache_read_input_tokens, metadata?',
  ],
  [
    'one letter',
    { agentid: 'a', sesion_id: 's' },
    'Not understood: agentid, sesion_id; did you mean agent_id, session_id?',
  ],
  ['a provider’s usage', { prompt_tokens: 1, cached_tokens: 1, server_tool_use: {}, usage: {} }, null],
  ['what a vendor says it cost', { prompt_tokens: 1, cost: 0.1, cost_in_usd_ticks: 5, is_byok: false }, null],
  ['a cost of one’s own', { cost: 0.1 }, 'Not understood: cost; did you mean cost_override?'],
  ['a name with odd characters', { ['a"\n']: 1 }, 'Not understood: "a\\"\\n"'],
  ...[10, 11].map((count): [string, object, string] => [
    `${count} names`,
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1])),
    `Not understood: x0, x1, x2, x3, x4, x5, x6, x7, x8, x9${count === 10 ? '' : ' and 1 more'}`,
  ]),
  [
    'very many',
    Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`x${index}`, 1])),
    'Not understood: x0, x1, x2, x3, x4, x5, x6, x7, x8, x9 and 2 more',
  ],
])('unknown fields are named with a suggestion: %s', (_name, item, message) => {
  expect(said(item)).toBe(message);
});

test('counts and names of a usage object are kept, but no text', () => {
  const usage = {
    prompt_tokens: 12,
    prompt_tokens_details: { cached_tokens: 3, note: 'what a caller wrote\u0000', deep: { a: { b: { c: { d: 1 } } } } },
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 4 }],
    model: 'm',
    total_tokens: -1,
  };
  expect(providerUsageOf(usage)).toEqual({
    prompt_tokens: 12,
    prompt_tokens_details: { cached_tokens: 3 },
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 4 }],
  });
  expect(providerUsageOf({ model: 'm' })).toBeNull();
});
