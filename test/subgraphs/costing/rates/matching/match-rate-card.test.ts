/** The rate card that prices a model: names, providers, organizations, and hand-written cards against the catalogue. */
import { describe, expect, test } from 'vitest';
import { candidateNames } from '#usage/names/candidate-names.ts';
import { canonicalProvider, isGateway } from '#usage/names/canonical-provider.ts';
import {
  matchRateCard,
  prefixKeys,
  rankRateCards,
} from '../../../../../subgraphs/costing/rates/matching/match-rate-card.ts';
import type { MatchableCard } from '../../../../../subgraphs/costing/rates/matching/match-rate-card.ts';

const listed = (providerSlug: string, modelSlug: string, ...aliases: string[]): MatchableCard => ({
  id: `${providerSlug}:${modelSlug}`,
  organizationId: null,
  providerSlug,
  modelSlug,
  matchKind: 'catalogue',
  names: [modelSlug, ...aliases],
});
const written = (
  organizationId: string | null,
  modelSlug: string,
  providerSlug: string | null = null,
): MatchableCard => ({
  id: `${organizationId ?? 'standard'}:${modelSlug}`,
  organizationId,
  providerSlug,
  modelSlug,
  matchKind: 'prefix',
  names: [modelSlug],
});
const page = (model: string, provider?: string) => ({
  organizationId: 'acme',
  candidates: candidateNames(model),
  provider: canonicalProvider(provider),
  isThroughGateway: isGateway(provider),
});
const match = (model: string, provider: string | undefined, cards: MatchableCard[]) =>
  matchRateCard(page(model, provider), cards)?.card.id ?? null;

describe('the catalogue', () => {
  const cards = [
    listed('openai', 'gpt-4', 'gpt-4-0613'),
    listed('openai', 'gpt-4o', 'gpt-4o-2024-08-06'),
    listed('openai', 'gpt-4o-2024-05-13'),
    listed('azure', 'o1', 'o1-2024-12-17'),
    listed('openai', 'o1', 'o1-2024-12-17'),
    listed('anthropic', 'claude-3-5-sonnet'),
    listed('aws', 'regional.claude-3-5-sonnet', 'claude-3-5-sonnet-20241022'),
    listed('openrouter', 'openrouter/openai/gpt-4o', 'openai/gpt-4o'),
    listed('novita', 'novita/openai/gpt-4o', 'openai/gpt-4o'),
    listed('openrouter', 'openrouter/meta-llama/llama-3', 'meta-llama/llama-3'),
    listed('openai', 'gpt-oss-120b'),
    listed('groq', 'openai/gpt-oss-120b'),
    listed('openrouter', 'openrouter/openai/gpt-oss-120b', 'openai/gpt-oss-120b'),
    listed('google', 'gemini-2.5-pro'),
  ];
  test.each<[string, string | undefined, string | null]>([
    ['gpt-4', 'openai', 'openai:gpt-4'],
    ['gpt-4.1', 'openai', null], // unknown models wait: a longest-prefix match would charge fifteen times too much
    ['gpt-4-turbo', 'openai', null],
    ['gpt-4o-2024-05-13', 'openai', 'openai:gpt-4o-2024-05-13'],
    ['gpt-4o-2024-11-20', 'openai', 'openai:gpt-4o'],
    ['openai/gpt-4o', 'openai', 'openai:gpt-4o'],
    ['openai/gpt-4o', 'openrouter', 'openrouter:openrouter/openai/gpt-4o'],
    ['gpt-4o', 'openrouter', null],
    ['gpt-4o', 'azure', 'openai:gpt-4o'],
    ['o1-2024-12-17', 'azure', 'azure:o1'],
    ['o1-2024-12-17', undefined, 'openai:o1'],
    ['claude-3-5-sonnet-20241022', undefined, 'anthropic:claude-3-5-sonnet'],
    ['claude-3-5-sonnet-20241022', 'bedrock', 'aws:regional.claude-3-5-sonnet'],
    // Only OpenRouter charges OpenRouter's price.
    ['openai/gpt-4o', undefined, 'openai:gpt-4o'],
    ['openrouter/openai/gpt-4o', undefined, 'openrouter:openrouter/openai/gpt-4o'],
    ['novita/openai/gpt-4o', undefined, 'novita:novita/openai/gpt-4o'],
    ['openai/gpt-4o', 'portkey', 'openai:gpt-4o'],
    // A model with open weights has the price of its host.
    ['openai/gpt-oss-120b', undefined, 'groq:openai/gpt-oss-120b'],
    ['openai/gpt-oss-120b', 'portkey', null],
    ['meta-llama/llama-3', undefined, 'openrouter:openrouter/meta-llama/llama-3'],
    ['meta-llama/llama-3', 'ai-gateway', null],
    ['openrouter/meta-llama/llama-3', 'ai-gateway', 'openrouter:openrouter/meta-llama/llama-3'],
    ['gpt-4o', 'acme-proxy', 'openai:gpt-4o'],
    ['publishers/google/models/gemini-2.5-pro', 'vertex_ai', 'google:gemini-2.5-pro'],
  ])('%s at %s is %s', (model, provider, id) => {
    expect(match(model, provider, cards)).toBe(id);
  });

  test('the match explains itself', () => {
    const explained = (model: string, provider?: string) => matchRateCard(page(model, provider), cards)?.rule;
    expect(explained('gpt-4o-2024-11-20', 'openai')).toBe('matched "gpt-4o" after dropping "-2024-11-20"');
    expect(explained('gpt-4o')).toBe('matched "gpt-4o" as sent; provider inferred from the catalogue: openai');
    expect(explained('gpt-4o', 'azure')).toBe('matched "gpt-4o" as sent; azure charges the prices of openai');
    const price = 'the list price of deepseek; the price of azure is not known';
    const deepseek = matchRateCard(page('deepseek-v4', 'azure'), [listed('deepseek', 'deepseek-v4')]);
    expect(deepseek?.rule).toBe(`matched "deepseek-v4" as sent; ${price}`);
  });
});

describe('hand-written cards', () => {
  const catalogue = [
    listed('openai', 'gpt-4o', 'gpt-4o-2024-08-06'),
    listed('openai', 'gpt-4o-mini'),
    listed('openai', 'gpt-4o-2024-05-13'),
  ];

  test('match by longest prefix, in every form of the name', () => {
    const cards = [written('acme', 'acme-model'), written('acme', 'acme-model-large')];
    expect(match('Acme-Model-7b', undefined, cards)).toBe('acme:acme-model');
    expect(match('acme-model-large-v2', 'anything', cards)).toBe('acme:acme-model-large');
    expect(match('hosted/acme-model-x', undefined, cards)).toBe('acme:acme-model');
    expect(match('acme', undefined, cards)).toBe(null);
    expect(matchRateCard(page('hosted/acme-model-x'), cards)?.rule).toBe(
      'matched "acme-model" as longest prefix of "acme-model-x" after dropping "hosted/"',
    );
  });

  test('the organization’s card replaces the standard one for the model and its dated names', () => {
    const cards = [...catalogue, written('acme', 'gpt-4o'), written(null, 'gpt-4o')];
    expect(match('gpt-4o', 'openai', cards)).toBe('acme:gpt-4o');
    expect(match('gpt-4o-2024-08-06', 'openai', cards)).toBe('acme:gpt-4o');
    expect(match('openai/gpt-4o-2024-11-20', 'openai', cards)).toBe('acme:gpt-4o');
    expect(match('gpt-4o-unheard-of', 'openai', cards)).toBe('acme:gpt-4o');
  });

  test('the more specific name takes precedence over the organization', () => {
    const cards = [...catalogue, written('acme', 'gpt-4o')];
    expect(match('gpt-4o-mini', 'openai', cards)).toBe('openai:gpt-4o-mini');
    expect(match('gpt-4o-2024-05-13', 'openai', cards)).toBe('openai:gpt-4o-2024-05-13');
  });

  test('an operator’s card takes precedence over the catalogue’s; another organization’s is never seen', () => {
    expect(match('gpt-4o', 'openai', [...catalogue, written(null, 'gpt-4o')])).toBe('standard:gpt-4o');
    expect(match('gpt-4o', 'openai', [...catalogue, written('rival', 'gpt-4o')])).toBe('openai:gpt-4o');
  });

  test('a card for one provider applies only to that provider; the organization’s own card also applies if the provider is unknown', () => {
    expect(match('gpt-4o', 'openai', [written('acme', 'gpt-4o', 'azure')])).toBe(null);
    expect(match('gpt-4o', 'azure', [written('acme', 'gpt-4o', 'azure')])).toBe('acme:gpt-4o');
    expect(match('gpt-4o', 'my-proxy', [written('acme', 'gpt-4o', 'azure')])).toBe('acme:gpt-4o');
    expect(match('gpt-4o', 'my-proxy', [written(null, 'gpt-4o', 'azure')])).toBe(null);
    expect(match('gpt-4o', 'my-proxy', [written(null, 'gpt-4o')])).toBe('standard:gpt-4o');
  });

  test('all matches are ranked, so that a card without a version in force can be skipped', () => {
    const cards = [...catalogue, written('acme', 'gpt-4o'), written(null, 'gpt'), written('acme', 'gpt-4o-mini')];
    expect(rankRateCards(page('gpt-4o-mini', 'openai'), cards).map(({ card }) => card.id)).toEqual([
      'acme:gpt-4o-mini',
      'openai:gpt-4o-mini',
      'acme:gpt-4o',
      'standard:gpt',
    ]);
  });
});

test('prefix keys are the prefixes of every form of the name, in the requested lengths, and the forms themselves', () => {
  expect(
    prefixKeys(
      candidateNames('a/b-latest'),
      Array.from({ length: 20 }, (_, index) => index + 1),
    ),
  ).toEqual(expect.arrayContaining(['a', 'a/', 'a/b-latest', 'b', 'b-latest']));
  expect(prefixKeys(candidateNames('ab'), [1, 2, 3])).toEqual(['a', 'ab']);
  expect(prefixKeys(candidateNames('x'.repeat(255)), [3])).toEqual(['xxx']);
});

describe('an unknown provider', () => {
  const cards = [
    listed('openai', 'gpt-4o', 'gpt-4o-2024-08-06'),
    listed('openai', 'gpt-oss-120b'),
    listed('openai', 'ft:gpt-4o'),
    listed('azure', 'gpt-4o'),
    listed('deepseek', 'deepseek-chat'),
    listed('together', 'together/llama-3'),
  ];

  test('is assumed to resell a model that only its owner sells, and the rule says so', () => {
    expect(match('gpt-4o-2024-08-06', 'acme-proxy', cards)).toBe('openai:gpt-4o');
    expect(matchRateCard(page('gpt-4o', 'acme-proxy'), cards)?.rule).toBe(
      'matched "gpt-4o" as sent; the provider is not known, and only openai sells a model of this name',
    );
  });

  test('may host openly licensed models, whose price there is unknown', () => {
    expect(match('gpt-oss-120b', 'acme-proxy', cards)).toBeNull();
    expect(match('deepseek-chat', 'acme-proxy', cards)).toBeNull();
    expect(match('llama-3', 'ollama', cards)).toBeNull();
  });

  test('a fine-tuned model is priced as tuned, and never as its base', () => {
    expect(match('ft:gpt-4o-2024-08-06:acme:support:b1', 'openai', cards)).toBe('openai:ft:gpt-4o');
    expect(match('ft:gpt-oss-120b:acme::b1', 'openai', cards)).toBeNull();
  });
});

test('a hand-written card with several names is ranked by the longest one that matches', () => {
  const several: MatchableCard = { ...written('acme', 'a'), names: ['a', 'a-large'] };
  expect(match('a-large-x', undefined, [written('acme', 'a-lar'), several])).toBe('acme:a');
  expect(match('a-larger', undefined, [written('acme', 'a-large'), { ...several, names: ['a', 'a-x'] }])).toBe(
    'acme:a-large',
  );
});
