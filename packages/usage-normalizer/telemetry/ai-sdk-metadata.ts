/**
 * Reads `providerMetadata`, in which the AI SDK passes on parts of a provider's response, one object per provider. Up
 * to version 5, this is the only place with counts of cached tokens.
 */
import { rawCounts } from '../counts/raw-counts.ts';
import { countOrNull, valueAt } from '../counts/value-at.ts';
import { type Fields, objectOf } from '#kernel/json/json-object.ts';

/** The SDK's own counts. `isDetailed`: they contain cached tokens, as from version 6 on. */
interface SdkCounts {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly isDetailed: boolean;
}

/** Paths of the provider's own usage object. */
const OWN_USAGE: readonly (readonly string[])[] = [
  ['anthropic', 'usage'],
  ['google', 'usageMetadata'],
  ['vertex', 'usageMetadata'],
];

/**
 * The provider's usage object, or the SDK's counts in the form in which that provider reports cached tokens. Null if
 * the metadata adds nothing to the SDK's counts.
 */
export function usageOfMetadata(metadata: Fields, counts: SdkCounts): Fields | null {
  for (const path of OWN_USAGE) {
    const own = objectOf(valueAt(metadata, path));
    if ((rawCounts(own).input ?? 0) > 0) return withFinalOutput(own, counts.output);
  }
  const { input, output, isDetailed } = counts;
  if (input === null || isDetailed) return null;
  const count = (...path: readonly string[]) => countOrNull(valueAt(metadata, path));
  const chat = { prompt_tokens: input, completion_tokens: output };
  for (const name of ['openai', 'azure']) {
    const cached = count(name, 'cachedPromptTokens');
    const reasoning = count(name, 'reasoningTokens');
    if (cached === null && reasoning === null) continue;
    return {
      ...chat,
      prompt_tokens_details: { cached_tokens: cached ?? 0 },
      completion_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    };
  }
  const hits = count('deepseek', 'promptCacheHitTokens');
  if (hits !== null) return { ...chat, prompt_cache_hit_tokens: hits };
  const written = count('anthropic', 'cacheCreationInputTokens');
  if (written !== null)
    return {
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: count('anthropic', 'cacheReadInputTokens') ?? counts.cacheRead ?? 0,
      cache_creation_input_tokens: written,
    };
  const writtenAtBedrock = count('bedrock', 'usage', 'cacheWriteInputTokens');
  const readAtBedrock = count('bedrock', 'usage', 'cacheReadInputTokens');
  if (writtenAtBedrock === null && readAtBedrock === null) return null;
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadInputTokens: readAtBedrock ?? counts.cacheRead ?? 0,
    cacheWriteInputTokens: writtenAtBedrock ?? 0,
  };
}

/**
 * In streams of Claude, up to version 5, the object is that of the first event, whose output is 1 token. The SDK's own
 * output is final; with iterations, it contains work that the object counts separately.
 */
function withFinalOutput(own: Fields, output: number | null): Fields {
  const first = countOrNull(own['output_tokens']);
  if (first === null || own['iterations'] !== undefined) return own;
  return { ...own, output_tokens: Math.max(first, output ?? 0) };
}

/** Null if the provider does not state the tier. */
export function tierOfMetadata(metadata: Fields): string | null {
  return textAt(metadata, ['openai', 'azure'], 'serviceTier');
}

/** USD as written by the router that sold the call; null if it states none. */
export function costOfMetadata(metadata: Fields): string | null {
  const charged = valueAt(metadata, ['gateway', 'cost']);
  // For a caller's own key, Vercel's gateway charges nothing and states what the vendor charges.
  const ofGateway = Number(charged ?? 0) === 0 ? (valueAt(metadata, ['gateway', 'marketCost']) ?? charged) : charged;
  const cost = valueAt(metadata, ['openrouter', 'usage', 'cost']) ?? ofGateway;
  return typeof cost === 'number' || typeof cost === 'string' ? String(cost) : null;
}

/** Null if not reported. */
export function searchesOfMetadata(metadata: Fields): number | null {
  return countOrNull(valueAt(metadata, ['perplexity', 'usage', 'numSearchQueries']));
}

function textAt(metadata: Fields, providers: readonly string[], name: string): string | null {
  const found = providers.map((provider) => valueAt(metadata, [provider, name])).find((one) => typeof one === 'string');
  return typeof found === 'string' ? found : null;
}
