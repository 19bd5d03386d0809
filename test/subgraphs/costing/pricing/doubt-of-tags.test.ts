/** A tag that changes a price next to a provider's own usage object makes the cost a guess. Anything else does not. */
import { describe, expect, test } from 'vitest';
import { doubtOfTags } from '../../../../subgraphs/costing/pricing/doubt-of-tags.ts';
import type { UsageTokens } from '#usage/counts/reported-counts.ts';
import { usageSources } from '#usage/counts/usage-sources.ts';

const USAGE = { prompt_tokens: 1000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 0 } };

function doubt(more: Partial<UsageTokens>): string | null {
  const usage = { inputTokens: 1000, outputTokens: 10, provider: 'openai', model: 'gpt-5-mini', ...more };
  return doubtOfTags(usage, usageSources(usage.providerUsage, usage.metadata));
}

describe('a cost is doubted because of', () => {
  test.each([
    ['a nightly job that is called a batch', { batch: true }, /tier=batch/],
    ['a tier', { service_tier: 'flex' }, /tier=flex/],
    ['a speed', { speed: 'fast' }, /speed=fast/],
    ['a region', { inference_geo: 'us' }, /geo=us/],
    ['cached tokens', { cache_read_input_tokens: 400 }, /some of the counts/],
    ['reasoning', { reasoning_tokens: 100 }, /some of the counts/],
    ['a total', { total_tokens: 5000 }, /some of the counts/],
  ])('%s', (_, tags, said) => {
    expect(doubt({ metadata: { usage: USAGE, team: 'a', ...tags } })).toMatch(said);
    expect(doubt({ providerUsage: { usage: USAGE }, metadata: { reasoning_tokens: 0, ...tags } })).toMatch(said);
  });

  test('a count that ingestion took out of metadata', () => {
    const metadata = { usage: USAGE, cache_read_input_tokens: 400 };
    expect(doubt({ cacheReadInputTokens: 400, metadata })).toMatch(/some of the counts/);
  });
});

describe('a cost is not doubted because of', () => {
  test.each<[string, Partial<UsageTokens>]>([
    ['tags that mean nothing', { metadata: { usage: USAGE, team: 'a', region: 'eu' } }],
    ['the usage object itself', { metadata: { usage: { ...USAGE, service_tier: 'flex' } } }],
    ['the top level', { providerUsage: { service_tier: 'batch', usage: USAGE }, metadata: { team: 'a' } }],
    [
      'the top level, and a tag that says the same',
      {
        providerUsage: { service_tier: 'batch', usage: USAGE },
        metadata: { batch: true, service_tier: 'batch' },
      },
    ],
    ['metadata without a usage object: the caller counts', { metadata: { reasoning_tokens: 5, service_tier: 'flex' } }],
    [
      'the same count',
      {
        metadata: { usage: { ...USAGE, prompt_tokens_details: { cached_tokens: 7 } }, cache_read_input_tokens: 7 },
      },
    ],
    ['the standard tier', { metadata: { usage: USAGE, service_tier: 'default' } }],
  ])('%s', (_, usage) => {
    expect(doubt(usage)).toBeNull();
  });
});
