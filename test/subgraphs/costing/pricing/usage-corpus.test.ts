/**
 * Recorded usage bodies of providers, raw and normalized, compared with the price package's own reading and price. We
 * may not redistribute the corpus: `USAGE_CORPUS` names a file in the format of `tests/dataset/usages.json` of
 * pydantic/genai-prices (MIT). The result of every body is printed as a table.
 */
import { readFileSync } from 'node:fs';
import { calcPrice, extractUsage, type Provider, type Usage, waitForUpdate } from '@pydantic/genai-prices';
import { beforeAll, describe, expect, test } from 'vitest';
import { approximate } from '#kernel/money.ts';
import { providerUsageOf } from '#usage/counts/provider-usage.ts';
import { type PriceableUsage, priceUsage } from '../../../../subgraphs/costing/pricing/price-usage.ts';
import { rawCounts } from '#usage/counts/raw-counts.ts';
import { readCatalogue } from '../../../../subgraphs/costing/rate-changes/read-catalogue.ts';
import { candidateNames } from '#usage/names/candidate-names.ts';
import { type MatchableCard, rankRateCards } from '../../../../subgraphs/costing/rates/matching/match-rate-card.ts';
import type { RateCardVersion } from '../../../../subgraphs/costing/rates/rate-card-version.ts';

interface Row {
  readonly body: Record<string, unknown> & { readonly model?: string };
  readonly model?: string;
  readonly extracted: readonly {
    readonly extractors: readonly { readonly provider_id: string; readonly api_flavor: string }[];
  }[];
}
type NamedRow = Row & { readonly model: string };
type Card = MatchableCard & { readonly version: RateCardVersion; readonly isOfCatalogue: true };

const file = process.env['USAGE_CORPUS'];
const AT = Date.UTC(2026, 9, 1, 12);
/** The provider of a body: the first of these that can read it; hosts of others' models are last. */
const OWNERS: readonly [RegExp, string][] = [
  [/claude/, 'anthropic'],
  [/^(gpt|o\d|chatgpt|text-embedding)/, 'openai'],
  [/gemini/, 'google'],
  [/grok/, 'x-ai'],
  [/deepseek/, 'deepseek'],
  [/mistral|magistral|codestral|ministral|pixtral/, 'mistral'],
  [/sonar/, 'perplexity'],
  [/command/, 'cohere'],
];

describe.skipIf(file === undefined)('recorded usage bodies', () => {
  let providers: readonly Provider[] = [];
  let cards: readonly Card[] = [];
  const table = new Map<string, Record<string, number>>();
  const wrong: string[] = [];
  const statedOtherwise: string[] = [];

  beforeAll(async () => {
    providers = (await waitForUpdate()) ?? [];
    cards = readCatalogue(providers).drafts.map((draft) => ({
      id: `${draft.providerSlug}:${draft.modelSlug}`,
      organizationId: null,
      providerSlug: draft.providerSlug,
      modelSlug: draft.modelSlug,
      matchKind: 'catalogue' as const,
      names: [draft.modelSlug, ...draft.aliases],
      isOfCatalogue: true as const,
      version: draft.versions.findLast(
        ({ effectiveFrom }) => effectiveFrom === null || Date.parse(effectiveFrom) <= AT,
      )!.version,
    }));
  });

  test('each is exact, waits with a reason, or is flagged', () => {
    for (const recorded of JSON.parse(readFileSync(file!, 'utf8')) as Row[]) {
      // For bodies without a model, only the reading could be compared.
      const row = { ...recorded, model: recorded.model ?? recorded.body.model ?? '' };
      if (row.model === '') {
        count('raw', 'no model');
        continue;
      }
      const readers = row.extracted
        .flatMap(({ extractors }) => extractors)
        .toSorted((one, other) => Number(one.api_flavor === 'embeddings') - Number(other.api_flavor === 'embeddings'));
      const owner = OWNERS.find(
        ([pattern, slug]) => pattern.test(row.model) && readers.some((one) => one.provider_id === slug),
      )?.[1];
      const reader = readers.find(({ provider_id: id }) => id === owner) ?? readers[0];
      const provider = providers.find(({ id }) => id === reader?.provider_id);
      if (!reader || !provider) continue;
      let usage: Usage;
      try {
        ({ usage } = extractUsage(provider, row.body, reader.api_flavor));
      } catch {
        continue;
      }
      const expected =
        calcPrice(usage, row.model, { providerId: provider.id, timestamp: new Date(AT) })?.total_price ?? null;
      judge('raw', row, rawEvent(row, provider.id), expected);
      judge('normalized', row, normalizedEvent(row, usage, provider.id), expected);
      judgeStated(row, provider.id);
    }
    console.log([...table].map(([name, counts]) => `${name}: ${JSON.stringify(counts)}`).join('\n'));
    if (statedOtherwise.length > 0) console.log(`Costs that vendors state otherwise:\n${statedOtherwise.join('\n')}`);
    console.log(wrong.slice(0, Number(process.env['USAGE_CORPUS_SHOWN'] ?? 15)).join('\n'));
    const kinds = ['raw', 'normalized', 'stated by the vendor'];
    expect(kinds.map((kind) => table.get(kind)?.['differs'] ?? 0)).toEqual([0, 0, 0]);
  });

  /** A cost stated by the vendor is stored as sent and never booked; here it is compared. */
  function judgeStated(row: NamedRow, reader: string): void {
    const stated = statedCost(row.body);
    if (stated === null) return;
    // Only OpenRouter sends details, whichever reader accepts the body.
    const isRouted = 'cost_details' in (row.body['usage'] as object);
    const event = rawEvent(row, isRouted ? 'openrouter' : reader);
    const query = { organizationId: '', candidates: candidateNames(row.model), provider: event.provider };
    const price = priceUsage(event, rankRateCards(query, cards)[0]?.card ?? null);
    if (price.kind === 'waiting') {
      statedOtherwise.push(`${row.model}: waits here, ${stated} stated`);
      return count('stated by the vendor', `waits: ${price.reason.split(':')[0]}`);
    }
    const isFlagged = price.tokens.name === 'guessed';
    const cost = approximate(price.priced.total);
    const share = stated === 0 ? (cost === 0 ? 1 : Infinity) : cost / stated;
    const isEqual = Math.abs(share - 1) < 1e-6;
    count(
      'stated by the vendor',
      isEqual ? 'equal' : isFlagged ? 'flagged' : Math.abs(share - 1) < 0.02 ? 'within 2 %' : 'differs',
    );
    if (!isEqual) statedOtherwise.push(`${row.model}: ${cost} here, ${stated} stated (${share.toFixed(3)})`);
  }

  function count(kind: string, outcome: string): void {
    const counts = table.get(kind) ?? {};
    table.set(kind, counts);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }

  function judge(kind: string, { body, model }: NamedRow, event: PriceableUsage, expected: number | null): void {
    const query = { organizationId: '', candidates: candidateNames(model), provider: event.provider };
    const card = rankRateCards(query, cards)[0]?.card ?? null;
    const price = priceUsage(event, card);
    const outcome = outcomeOf(price, expected, model);
    count(kind, outcome);
    if (outcome !== 'differs' && outcome !== 'waits: other') return;
    const found = price.kind === 'priced' ? `${price.priced.total.toString()} ${price.tokens.name}` : price.reason;
    wrong.push(
      `${kind} ${event.provider} ${model}: ${found} instead of ${expected}: ${JSON.stringify(body).slice(0, 500)}`,
    );
  }
});

/** USD: OpenRouter's `cost`, Perplexity's `cost.total_cost`, and xAI's ticks, ten billion per dollar. */
function statedCost({ usage }: Record<string, unknown>): number | null {
  const fields = (usage ?? {}) as Record<string, unknown>;
  const { cost, cost_in_usd_ticks: ticks, cost_details: details, is_byok: isByok } = fields;
  if (typeof ticks === 'number') return ticks / 1e10;
  // For a caller's own key, the router charges nothing and reports the vendor's charge.
  const upstream = (details as { upstream_inference_cost?: unknown } | null | undefined)?.upstream_inference_cost;
  if (isByok === true && typeof upstream === 'number') return upstream;
  const total = typeof cost === 'object' && cost !== null ? (cost as Record<string, unknown>)['total_cost'] : cost;
  return typeof total === 'number' ? total : null;
}

function outcomeOf(price: ReturnType<typeof priceUsage>, expected: number | null, model: string): string {
  if (price.kind === 'waiting') {
    if (price.reason.startsWith('other_models')) return 'waits: work of other models';
    if (price.reason.startsWith('No rate card'))
      return expected === null ? 'waits: neither has a price' : 'waits: no card';
    if (price.reason.startsWith('The rate card has no rate')) return 'waits: a class without a rate';
    return price.reason.startsWith('unknown_context') ? 'waits: unknown context' : 'waits: other';
  }
  if (price.priced.context !== '') return 'exact: in a context that the package does not know';
  if (price.priced.charges.some(({ why }) => why?.startsWith('compaction') === true))
    return 'exact: with what compacting took, which the package leaves out';
  if (expected === null) return 'priced here alone';
  // The package has no speech rate for this model, and charges speech as text.
  if (model.startsWith('gpt-4o-audio') && price.priced.charges.some(({ item }) => item === 'input_audio'))
    return 'exact: speech at its own rate';
  const isCached = price.priced.charges.some(({ item }) => item === 'cache_read');
  if (
    isCached &&
    /^(?:mistral|magistral|codestral|ministral)/.test(model) &&
    approximate(price.priced.total) < expected
  )
    return 'exact: with the discount of Mistral for cached tokens, which the package leaves out';
  const isEqual = Math.abs(approximate(price.priced.total) - expected) <= 1e-12 + Math.abs(expected) * 1e-9;
  return isEqual
    ? price.tokens.name === 'guessed'
      ? 'flagged, and right'
      : 'exact'
    : price.tokens.name === 'guessed'
      ? 'flagged'
      : 'differs';
}

const NOTHING = {
  cacheCreationInputTokens: null,
  cacheReadInputTokens: null,
  reasoningTokens: null,
  costOverride: null,
  units: null,
  metadata: null,
  providerUsage: null,
  eventTimeMs: AT,
};

/** An event with the body's usage object unchanged, whose input and output counts are copied from that object. */
function rawEvent({ body, model }: NamedRow, provider: string): PriceableUsage {
  const usage = [body['usage'], body['usageMetadata'], body['usage_info'], body['meta']].find(
    (one) => typeof one === 'object' && one !== null,
  );
  const held = usage as Record<string, unknown> | undefined;
  const inner = (held?.['billed_units'] ?? held ?? {}) as Record<string, unknown>;
  const { input, output } = rawCounts(inner);
  const providerUsage = providerUsageOf({ ...body, ...(held === undefined ? {} : { usage: held }) });
  return { ...NOTHING, model, provider, inputTokens: input ?? 0, outputTokens: output ?? 0, providerUsage };
}

/** Totals under the documented names, as documented. */
function normalizedEvent({ model }: NamedRow, usage: Usage, provider: string): PriceableUsage {
  const input = usage['input_tokens'] ?? 0;
  const output = usage['output_tokens'] ?? 0;
  const parts = (side: string) =>
    Object.fromEntries(
      ['audio', 'image', 'video'].map((name) => [`${name}_tokens`, usage[side.replace('*', name)] ?? 0]),
    );
  const details = {
    input_tokens_details: { ...parts('input_*_tokens'), cached_tokens_details: parts('cache_*_read_tokens') },
    output_tokens_details: parts('output_*_tokens'),
  };
  const hasParts = Object.keys(usage).some((name) => /(audio|image|video)/.test(name) && (usage[name] ?? 0) > 0);
  return {
    ...NOTHING,
    model,
    provider,
    inputTokens: input,
    outputTokens: output,
    cacheReadInputTokens: usage['cache_read_tokens'] ?? null,
    cacheCreationInputTokens: usage['cache_write_tokens'] ?? null,
    reasoningTokens: usage['output_reasoning_tokens'] ?? null,
    metadata: {
      total_tokens: input + output,
      cache_creation_1h_input_tokens: usage['cache_write_1h_tokens'] ?? 0,
      web_searches: usage['web_searches'] ?? 0,
      ...(hasParts ? details : {}),
    },
  };
}
