/** Parses a hand-written rate card, or fails with a description of its error. */
import { fail } from '#kernel/errors.ts';
import { type Money, money, quantity } from '#kernel/money.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { canonicalProvider, UNKNOWN_PROVIDER } from '#usage/names/canonical-provider.ts';
import { byRate, TOKEN_CLASS_NAMES, type TokenClass } from '#schema/token-classes.ts';
import { contextPairs, joinContext, parseHours } from '../pricing/pricing-context.ts';
import type { RateCardVersion, RateTier, RateVariant, TokenRates } from '../rates/rate-card-version.ts';

type RatesInput = Partial<Readonly<Record<TokenClass, unknown>>>;

interface TierInput extends RatesInput {
  readonly aboveInputTokens: number;
}

interface ContextInput {
  readonly context: string;
  readonly class?: string;
  readonly aboveInputTokens?: number;
  readonly rate?: unknown;
  readonly factor?: unknown;
}

/** Like `RateSetInput` in the schema, which fills in defaults. Rates are decimal texts. */
export interface RateInput extends RatesInput {
  readonly model: string;
  readonly provider?: string | null | undefined;
  readonly unitPrices?: readonly { readonly name: string; readonly price: unknown }[] | null | undefined;
  readonly tiers?: readonly TierInput[] | null | undefined;
  readonly contexts?: readonly ContextInput[] | null | undefined;
  readonly unitPrice?: unknown;
  readonly effectiveFrom?: string | null | undefined;
}

export interface RateDraft {
  readonly modelSlug: string;
  readonly providerSlug: string | null;
  readonly version: RateCardVersion;
  /** Null: not stated. */
  readonly effectiveFrom: Date | null;
}

/** A rate is stored with nine integer and nine fraction digits. */
const RATE = /^\d{1,9}(\.\d{1,9}0*)?$/;
const NAME_CHARACTERS_MAX = 255;
const TIERS_MAX = 20;
const CONTEXTS_MAX = 50;
const UNIT_PRICES_MAX = 20;

/**
 * Requires either token rates, at least one of input and output, or a price per unit. Fails with `VALIDATION_ERROR`.
 */
export function parseRateInput(input: RateInput): RateDraft {
  const rates = parseRates(input, '');
  const tiers = atMost(TIERS_MAX, 'tiers', input.tiers).map(parseTier);
  const unitPrices = parseUnitPrices(input.unitPrices);
  const classes = ['all', ...TOKEN_CLASS_NAMES, ...Object.keys(unitPrices)];
  const contexts = atMost(CONTEXTS_MAX, 'contexts', input.contexts).map((each) => parseContextRate(each, classes));
  const perUnit = parseRate(input.unitPrice, 'unitPrice');
  const hasTokenRates = TOKEN_CLASS_NAMES.some((name) => rates[name] !== null);
  const keys = new Set(contexts.map((each) => `${each.context} ${each.class} ${each.aboveInputTokens}`));
  if (keys.size < contexts.length) fail('VALIDATION_ERROR', 'Two prices have the same context, class and size');
  if (perUnit !== null && (hasTokenRates || tiers.length > 0)) {
    fail('VALIDATION_ERROR', 'A card can have token rates or a price per unit, not both');
  }
  if (perUnit !== null && contexts.some((each) => each.class !== 'all' || each.aboveInputTokens > 0)) {
    fail(
      'VALIDATION_ERROR',
      'A card with a price per unit can only have contexts with a factor for class all, without rates by token class or size',
    );
  }
  if (perUnit === null && rates.input === null && rates.output === null) {
    fail('VALIDATION_ERROR', 'A card needs input and output rates, or a unitPrice');
  }
  const thresholds = new Set(tiers.map(({ aboveInputTokens }) => aboveInputTokens));
  if (thresholds.size < tiers.length) fail('VALIDATION_ERROR', 'Two tiers have the same threshold');
  return {
    modelSlug: parseName(input.model, 'model'),
    providerSlug: input.provider === null || input.provider === undefined ? null : parseProvider(input.provider),
    version: {
      rates,
      tiers,
      ...(contexts.length === 0 ? {} : { variants: contexts }),
      unitPrices,
      perUnit,
      perUnitName: perUnit === null ? null : 'unit',
    },
    effectiveFrom: parseEffectiveFrom(input.effectiveFrom),
  };
}

function parseTier(tier: TierInput): RateTier {
  const rates = parseRates(tier, 'tier ');
  if (TOKEN_CLASS_NAMES.every((name) => rates[name] === null))
    fail('VALIDATION_ERROR', 'A tier needs at least one rate');
  return { aboveInputTokens: parseThreshold(tier.aboveInputTokens, 'tier'), ...rates };
}

function parseThreshold(tokens: number, of: string): number {
  return Number.isSafeInteger(tokens) && tokens >= 0
    ? tokens
    : fail('VALIDATION_ERROR', `aboveInputTokens of a ${of} must be a whole number of tokens`);
}

const CONTEXT = /^[a-z_]{1,32}=[\w.@/+-]{1,64}(?:,[a-z_]{1,32}=[\w.@/+-]{1,64}){0,4}$/;
const VALUE = /^[a-z0-9_.-]{1,32}$/;

function parseContextRate(
  { context, class: name = 'all', aboveInputTokens = 0, rate, factor }: ContextInput,
  classes: readonly string[],
): RateVariant {
  if (!CONTEXT.test(context))
    fail('VALIDATION_ERROR', 'context must be key=value pairs separated by commas, such as tier=batch');
  for (const pair of contextPairs(context)) checkPair(pair);
  if (!classes.includes(name)) fail('VALIDATION_ERROR', `class must be one of ${classes.join(', ')}`);
  const price = { rate: parseRate(rate, 'rate'), factor: parseDecimal(factor, 'factor', quantity) };
  if ((price.rate === null) === (price.factor === null)) fail('VALIDATION_ERROR', 'A context needs a rate or a factor');
  if (price.rate !== null && name === 'all')
    fail('VALIDATION_ERROR', 'class all needs a factor; name another class to set a rate');
  return {
    context: joinContext(contextPairs(context)),
    class: name,
    aboveInputTokens: parseThreshold(aboveInputTokens, 'context'),
    ...price,
    source: 'set by hand',
  };
}

function checkPair(pair: string): void {
  const [key = '', value = ''] = pair.split('=');
  if (key === 'hours' ? parseHours(pair) !== null : VALUE.test(value)) return;
  const form = 'hours=0900-1800 (UTC), or hours=mon-fri_0900-1800@Asia/Shanghai';
  fail('VALIDATION_ERROR', key === 'hours' ? `hours must look like ${form}` : `context cannot have ${pair}`);
}

function parseRates(holder: object, place: string): TokenRates {
  const values = holder as Readonly<Record<string, unknown>>;
  return byRate((name) => parseRate(values[name], place + name));
}

function parseRate(value: unknown, name: string): Money | null {
  return parseDecimal(value, name, money);
}

function parseDecimal<T>(value: unknown, name: string, parse: (text: string) => T): T | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !RATE.test(text)) {
    return fail(
      'VALIDATION_ERROR',
      `${name} must be a decimal, 0 or more, with at most nine integer and nine fraction digits`,
    );
  }
  return parse(text);
}

function parseUnitPrices(prices: RateInput['unitPrices']): Record<string, Money> {
  const entries = atMost(UNIT_PRICES_MAX, 'unitPrices', prices).map(({ name, price }) => {
    const rate = parseRate(price, `unitPrices.${name}`) ?? fail('VALIDATION_ERROR', `unitPrices.${name} is missing`);
    return [parseName(name, 'The name of a unit price', false), rate] as const;
  });
  const byName = Object.fromEntries(entries);
  if (Object.keys(byName).length < entries.length) fail('VALIDATION_ERROR', 'Two unit prices have the same name');
  return byName;
}

/** The catalogue's slug if it has the provider, else the name itself in lower case. */
function parseProvider(provider: string): string {
  const slug = canonicalProvider(parseName(provider, 'provider'));
  return slug === null || slug === UNKNOWN_PROVIDER ? parseName(provider, 'provider') : slug;
}

function parseName(text: string, what: string, lowerCase = true): string {
  const name = lowerCase ? text.trim().toLowerCase() : text;
  if (name === '' || name.length > NAME_CHARACTERS_MAX || name.includes('\0')) {
    fail('VALIDATION_ERROR', `${what} must have 1 to ${NAME_CHARACTERS_MAX} characters`);
  }
  return name;
}

function parseEffectiveFrom(text: string | null | undefined): Date | null {
  if (text === null || text === undefined) return null;
  const instant = parseIso8601(text) ?? fail('VALIDATION_ERROR', 'effectiveFrom must be an ISO 8601 date or date-time');
  return new Date(instant.epochMs);
}

function atMost<Item>(max: number, field: string, items: readonly Item[] | null | undefined): readonly Item[] {
  if ((items?.length ?? 0) > max) fail('VALIDATION_ERROR', `${field} can have at most ${max} items`);
  return items ?? [];
}
