/** Reads the response of OpenRouter's `/api/v1/models`: USD per token, as strings. */
import { isObject, type JsonObject, type PublishedPrice, ratesOf, withRates } from './published-price.ts';

const CLASSES: Readonly<Record<string, string>> = {
  prompt: 'input',
  completion: 'output',
  input_cache_read: 'cache_read',
  input_cache_write: 'cache_creation',
  internal_reasoning: 'reasoning',
  audio: 'input_audio',
};
const PER_MILLION = 1_000_000;

export function isOpenrouter(document: JsonObject): boolean {
  const { data } = document;
  return Array.isArray(data) && data.some((model) => isObject(model) && isObject(model['pricing']));
}

export function readOpenrouter({ data }: JsonObject): PublishedPrice[] {
  if (!Array.isArray(data)) return [];
  return withRates(
    data.flatMap((model: unknown): PublishedPrice[] => {
      if (!isObject(model) || typeof model['id'] !== 'string' || !isObject(model['pricing'])) return [];
      const of = { provider: 'openrouter', model: model['id'], context: '' };
      const { pricing } = model;
      return [
        { ...of, aboveInputTokens: 0, rates: ratesOf(pricing, CLASSES, PER_MILLION) },
        ...tiersOf(pricing).map((tier) => ({ ...of, ...tier })),
      ];
    }),
  );
}

/** Other overrides apply only at certain hours and are not compared. */
function tiersOf({ overrides }: JsonObject): Pick<PublishedPrice, 'aboveInputTokens' | 'rates'>[] {
  if (!Array.isArray(overrides)) return [];
  return overrides.filter(isObject).flatMap((override) => {
    const { min_prompt_tokens: size, utc_start: hours, utc_days: days } = override;
    if (typeof size !== 'number' || hours !== undefined || days !== undefined) return [];
    return [{ aboveInputTokens: size, rates: ratesOf(override, CLASSES, PER_MILLION) }];
  });
}
