/** Units have names: what a card counts, and what an event contains. */
import { expect, test } from 'vitest';
import { plain } from '#kernel/money.ts';
import { unitHolders, unpricedUnits } from '#usage/counts/billed-units.ts';
import { readCardUnits, readUnitCounts } from '#usage/counts/read-units.ts';
import { usageSources } from '#usage/counts/usage-sources.ts';

const read = (
  unitName: string | null,
  units: string | null,
  providerUsage: object | null,
  metadata: object | null = null,
) => {
  const held = metadata as Record<string, unknown> | null;
  const reading = readCardUnits(unitName, units, held, usageSources(providerUsage, metadata));
  return reading.kind === 'none' ? reading.reason : `${plain(reading.count)}${reading.isGuess ? ' guessed' : ''}`;
};

test.each<[string, Parameters<typeof read>, string]>([
  ['seconds of audio', ['audio_hours', null, { audio_seconds: 90 }], '0.025'],
  ['a transcription’s own usage', ['audio_hours', null, { usage: { type: 'duration', seconds: 90 } }], '0.025'],
  ['a duration', ['audio_hours', null, null, { audio_seconds: '90' }], '0.025'],
  ['units with their unit', ['audio_hours', '1.5', { unit: 'minutes' }], '0.025'],
  ['in metadata', ['audio_hours', '90', null, { unit: 'seconds' }], '0.025'],
  ['bare units of a card per hour', ['audio_hours', '60', null], '60 guessed'],
  [
    'another unit',
    ['audio_hours', '60', { unit: 'parsecs' }],
    'unknown_unit: the model is priced per hour of audio, and unit is parsecs',
  ],
  [
    'no units',
    ['audio_hours', null, null],
    'The model is priced per unit and the event has no units; send audio_seconds, or units with unit',
  ],
  ['Mistral’s seconds', ['audio_hours', null, { usage: { prompt_audio_seconds: 90 } }], '0.025'],
  ['pages', ['document_pages', null, { usage_info: { pages_processed: 3 } }], '3'],
  ['a card that a person wrote', ['unit', '4', null], '4'],
])('units are read from %s', (_name, args, expected) => {
  expect(read(...args)).toBe(expected);
});

test('a grounded prompt is one fee, however many searches it took; a search fee counts them', () => {
  const countOf = (unit: string, metadata: Record<string, unknown>) =>
    Object.entries(readUnitCounts([unit], metadata)).map(([name, count]) => `${name} ${plain(count)}`);
  expect(countOf('grounded_prompts', { search_queries: 3 })).toEqual(['grounded_prompts 1']);
  expect(countOf('grounded_prompts', { search_queries: 0 })).toEqual(['grounded_prompts 0']);
  expect(countOf('grounded_prompts', { grounded_prompts: 2 })).toEqual(['grounded_prompts 2']);
  expect(countOf('web_searches', { search_queries: 3 })).toEqual(['web_searches 3']);
  expect(countOf('web_searches', { x_searches: 3 })).toEqual([]);
});

test('the total number of tools has no price only if no kind of tool is counted', () => {
  const unpriced = (metadata: Record<string, unknown>, ...priced: string[]) =>
    unpricedUnits(priced, unitHolders(metadata, []));
  expect(unpriced({ server_tools: 3, x_searches: 3 })).toEqual(['x_searches']);
  expect(unpriced({ server_tools: 3, x_searches: 3 }, 'x_searches')).toEqual([]);
  expect(unpriced({ server_tools: 3, x_searches: 0 })).toEqual(['server_tools']);
  expect(unpriced({ search_queries: 3 }, 'web_searches')).toEqual([]);
});
