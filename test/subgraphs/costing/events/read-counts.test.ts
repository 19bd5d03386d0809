/** The input and output counts of usage objects under the names of several providers. */
import { describe, expect, it, test } from 'vitest';
import { statesOnlyTotal } from '#usage/counts/raw-counts.ts';
import { readCounts } from '#usage/counts/read-counts.ts';

test.each<[string, object, string]>([
  ['both', { prompt_tokens: 10, completion_tokens: 5 }, '10 5'],
  ['both and another total', { prompt_tokens: 10, completion_tokens: 5, total_tokens: 99 }, '10 5'],
  ['a zero of one name and a count of another', { input_tokens: 0, prompt_tokens: 12, output_tokens: 3 }, '12 3'],
  ['zeros', { prompt_tokens: 0, input_tokens: 0, output_tokens: 0 }, '0 0'],
  ['an output of null and a total', { prompt_tokens: 10, completion_tokens: null, total_tokens: 15 }, '10 5'],
  ['an output of null and a smaller total', { prompt_tokens: 10, completion_tokens: null, total_tokens: 9 }, '10 0'],
  ['an output and a total', { completion_tokens: 5, total_tokens: 15 }, '10 5'],
  ['an input and a total', { prompt_tokens: 10, total_tokens: 15 }, '10 0'],
  ['a total', { total_tokens: 15 }, '15 0'],
  ['zeros and a total', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 15 }, '15 0'],
  [
    'billed units before others',
    { input_tokens: 90, output_tokens: 9, billed_units: { input_tokens: 10, output_tokens: 5 } },
    '10 5',
  ],
  ['units only', { billed_units: { search_units: 1 } }, '0 0'],
  ['a cost only', { cost: 0.1 }, '0 0'],
  ['an output of null', { prompt_tokens: 10, completion_tokens: null }, 'The usage has no readable output count'],
  ['an output only', { completion_tokens: 5 }, 'The usage has no readable input count'],
  ['a cost of nothing', { cost: 0 }, 'The usage has no readable token counts'],
  ['a fraction', { prompt_tokens: 1.5, completion_tokens: 5 }, 'not whole numbers, 0 or more: prompt_tokens.'],
  ['a negative one', { prompt_tokens: 1, completion_tokens: -5 }, 'not whole numbers, 0 or more: completion_tokens.'],
])('input and output are read, or the counts are refused: %s', (_, usage, said) => {
  const read = readCounts(usage as never);
  expect(read.ok ? `${read.input} ${read.output}` : read.message).toContain(said);
});

describe('counts state only a total', () => {
  it.each<[Record<string, unknown>, boolean]>([
    [{ total_tokens: 30 }, true],
    [{ total_tokens: 0 }, true],
    [{ prompt_tokens: 0, completion_tokens: 0, total_tokens: 30 }, true],
    [{ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, false],
    [{ prompt_tokens: 10, total_tokens: 30 }, false],
    [{ completion_tokens: 1, total_tokens: 30 }, false],
    [{ prompt_tokens: 10, completion_tokens: 20 }, false],
    [{}, false],
  ])('%j: %s', (fields, expected) => {
    expect(statesOnlyTotal(fields)).toBe(expected);
  });
});
