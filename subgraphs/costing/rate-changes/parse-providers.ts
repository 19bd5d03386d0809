/** Validates the structure of a supplied catalogue document before it is read. */
import type { Provider } from '@pydantic/genai-prices';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { fail } from '#kernel/errors.ts';

export interface CatalogueDocument {
  readonly providers: readonly Provider[];
  /** Null if the document does not contain a date. */
  readonly publishedAt: Date | null;
}

/**
 * A list of providers, or `{"date": "2026-11-20", "providers": [...]}`. Fails with `VALIDATION_ERROR`. The prices
 * themselves are checked later, model by model.
 */
export function parseCatalogueDocument(value: unknown): CatalogueDocument {
  if (Array.isArray(value)) return { providers: parseProviders(value), publishedAt: null };
  const { date, providers, ...others } = entry(value, 'A catalogue');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    fail('VALIDATION_ERROR', `Unknown field ${unknown} in the catalogue. Use date and providers`);
  const instant = typeof date === 'string' ? parseIso8601(date) : null;
  if (date !== undefined && instant === null)
    fail('VALIDATION_ERROR', 'date of a catalogue must be an ISO 8601 date or date-time');
  return { providers: parseProviders(providers), publishedAt: instant === null ? null : new Date(instant.epochMs) };
}

function parseProviders(value: unknown): readonly Provider[] {
  if (!Array.isArray(value))
    fail('VALIDATION_ERROR', 'A catalogue must be a list of providers, or an object with providers');
  const list = value as readonly unknown[];
  for (const provider of list) {
    const { id, models } = entry(provider, 'A provider');
    if (typeof id !== 'string' || id === '') fail('VALIDATION_ERROR', 'A provider of the catalogue needs an id');
    if (!Array.isArray(models)) fail('VALIDATION_ERROR', `Provider ${id} of the catalogue needs a list of models`);
    for (const model of models as readonly unknown[]) checkModel(entry(model, `A model of ${id}`), id);
  }
  return list as readonly Provider[];
}

const MATCH_KEYS = ['or', 'and', 'equals', 'starts_with', 'ends_with', 'contains', 'regex'];

function checkModel(model: Readonly<Record<string, unknown>>, provider: string): void {
  const { id, match, prices } = model;
  if (typeof id !== 'string' || id === '') fail('VALIDATION_ERROR', `A model of ${provider} needs an id`);
  checkMatch(match, `${provider}/${id}`);
  const conditional = Array.isArray(prices) ? (prices as readonly unknown[]) : null;
  const all = conditional ? conditional.map((each) => entry(each, `A price of ${provider}/${id}`)['prices']) : [prices];
  for (const price of all) {
    for (const [key, rate] of Object.entries(entry(price, `The price of ${provider}/${id}`))) {
      const tiered =
        typeof rate === 'object' &&
        rate !== null &&
        typeof (rate as { base?: unknown }).base === 'number' &&
        Array.isArray((rate as { tiers?: unknown }).tiers);
      if (typeof rate !== 'number' && rate !== undefined && !tiered) {
        fail('VALIDATION_ERROR', `${key} of ${provider}/${id} is not a price`);
      }
    }
  }
}

function checkMatch(match: unknown, model: string): void {
  const [[key, value] = [undefined, undefined]] = Object.entries(entry(match, `The match rule of ${model}`));
  const isRule = key !== undefined && MATCH_KEYS.includes(key);
  const isFit = key === 'or' || key === 'and' ? Array.isArray(value) : typeof value === 'string';
  if (!isRule || !isFit) fail('VALIDATION_ERROR', `The match rule of ${model} is empty`);
  if (Array.isArray(value)) for (const part of value as readonly unknown[]) checkMatch(part, model);
}

function entry(value: unknown, what: string): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject
    ? (value as Readonly<Record<string, unknown>>)
    : fail('VALIDATION_ERROR', `${what} must be an object`);
}
