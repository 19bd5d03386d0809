/** Reads `api.json` of models.dev: USD per million tokens, by provider and model. */
import { isObject, type JsonObject, type PublishedPrice, ratesOf, withRates } from './published-price.ts';

const CLASSES: Readonly<Record<string, string>> = {
  input: 'input',
  output: 'output',
  cache_read: 'cache_read',
  cache_write: 'cache_creation',
  reasoning: 'reasoning',
  input_audio: 'input_audio',
  output_audio: 'output_audio',
};

export function isModelsDev(document: JsonObject): boolean {
  return Object.values(document).some((provider) => isObject(provider) && isObject(provider['models']));
}

export function readModelsDev(document: JsonObject): PublishedPrice[] {
  const prices: PublishedPrice[] = [];
  for (const [provider, { models }] of Object.entries(document).filter(isEntryOfObject)) {
    if (!isObject(models)) continue;
    for (const [model, { cost }] of Object.entries(models).filter(isEntryOfObject)) {
      if (!isObject(cost)) continue;
      const rates = ratesOf(cost, CLASSES, 1);
      prices.push({ provider, model, context: '', aboveInputTokens: 0, rates });
      for (const tier of tiersOf(cost)) prices.push({ provider, model, context: '', ...tier });
    }
  }
  return withRates(prices);
}

/** `context_over_200k` repeats a tier without its exact size, so it is ignored. */
function tiersOf({ tiers }: JsonObject): Pick<PublishedPrice, 'aboveInputTokens' | 'rates'>[] {
  if (!Array.isArray(tiers)) return [];
  return tiers.filter(isObject).flatMap((prices) => {
    const size = isObject(prices['tier']) ? prices['tier']['size'] : null;
    return typeof size === 'number' ? [{ aboveInputTokens: size, rates: ratesOf(prices, CLASSES, 1) }] : [];
  });
}

function isEntryOfObject(entry: [string, unknown]): entry is [string, JsonObject] {
  return isObject(entry[1]);
}
