/** Writes a rate card by hand: for one organization when it is named, else for everybody. */
import { graphql } from '../../../schema/graphql.ts';
import type { Command, Flag } from '../command.ts';
import { ID, RATE, text, TIME } from '../flag-forms.ts';
import type { Given } from '../given.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Reads the flags of `rate set` that have a form of their own. Decimals stay texts.
 *
 * Names of token rates as flags, and as fields of the schema.
 */
const RATE_FIELDS = {
  input: 'input',
  output: 'output',
  'cache-creation': 'cacheCreation',
  'cache-creation-1h': 'cacheCreation1h',
  'cache-read': 'cacheRead',
  reasoning: 'reasoning',
} as const;

const DOCUMENT = graphql(`mutation RateSet($input: SetRateInput!) {
  setRate(input: $input) { rate_card_id: rateCardId model_slug: modelSlug effective_from: effectiveFrom requeued_events: requeuedEvents }
}`);

const RATE_FLAGS: Readonly<Record<keyof typeof RATE_FIELDS, Flag>> = {
  input: { form: RATE, about: 'USD per million plain input tokens' },
  output: { form: RATE, about: 'USD per million plain output tokens' },
  'cache-creation': { form: RATE, about: 'USD per million tokens written to a cache' },
  'cache-creation-1h': { form: RATE, about: 'USD per million tokens written to the one-hour cache' },
  'cache-read': { form: RATE, about: 'USD per million tokens read from a cache' },
  reasoning: { form: RATE, about: 'USD per million reasoning tokens' },
};

export const rateSet: Command = {
  name: 'rate set',
  summary: 'Writes a rate card by hand, or a new version of one. Give either --input and --output, or --unit-price.',
  flags: {
    model: { form: text('M'), required: true, about: 'prefix of the models it prices' },
    provider: { form: text('P'), about: 'default: any provider' },
    organization: { form: ID, about: 'default: everybody' },
    ...RATE_FLAGS,
    unit: { form: text('NAME=X'), repeated: true, about: 'USD for each of a named thing, such as web_searches=0.01' },
    tier: { form: text('ABOVE:input=X,output=X,…'), repeated: true, about: 'the rates that differ above so many input tokens' },
    'unit-price': { form: RATE, about: 'USD per unit; the card then has no token rates' },
    'effective-from': { form: TIME, about: 'default: since ever for a new card, now for a changed one' },
  },
  async run(given, gateway) {
    checkKind(given);
    const units = given.all('unit').map(parseUnit);
    const input = {
      model: given.text('model'),
      provider: given.optional('provider'),
      ...Object.fromEntries(Object.entries(RATE_FIELDS).map(([flag, field]) => [field, given.optional(flag)])),
      unitPrices: units.length === 0 ? undefined : Object.fromEntries(units),
      tiers: given.has('tier') ? given.all('tier').map(parseTier) : undefined,
      unitPrice: given.optional('unit-price'),
      effectiveFrom: given.optional('effective-from'),
    };
    return { output: (await gateway.ask(DOCUMENT, { input }, given.optional('organization'))).setRate };
  },
};

function checkKind(given: Given): void {
  const tokenFlags = [...Object.keys(RATE_FIELDS), 'unit', 'tier'].filter((flag) => given.has(flag));
  if (given.has('unit-price')) {
    if (tokenFlags.length > 0) throw new UsageError(`rate set takes --unit-price alone, without --${tokenFlags.join(', --')}`);
  } else if (!given.has('input') || !given.has('output')) {
    throw new UsageError('rate set needs --input and --output, or --unit-price');
  }
}

/** `web_searches=0.01` → `['web_searches', '0.01']`. The name may itself hold `=`. */
function parseUnit(given: string): readonly [string, string] {
  const at = given.lastIndexOf('=');
  const [name, price] = [given.slice(0, Math.max(at, 0)).trim(), RATE.read(given.slice(at + 1))];
  if (name === '' || price === null) throw new UsageError('--unit must look like NAME=0.01');
  return [name, price];
}

/** `200000:input=2.5,cache-read=0.25` → `{ aboveInputTokens: 200000, input: '2.5', cacheRead: '0.25' }`. */
function parseTier(given: string): Readonly<Record<string, number | string>> {
  const [above, rates] = /^(\d{1,15}):(.+)$/.exec(given)?.slice(1) ?? [];
  if (above === undefined || rates === undefined) throw new UsageError('--tier must look like 200000:input=2.5,output=15');
  return { aboveInputTokens: Number(above), ...Object.fromEntries(rates.split(',').map(parseTierRate)) };
}

function parseTierRate(given: string): readonly [string, string] {
  const [name, value, ...more] = given.split('=').map((part) => part.trim());
  const field = Object.entries(RATE_FIELDS).find(([flag]) => flag === name)?.[1];
  const rate = RATE.read(value ?? '');
  if (field === undefined || rate === null || more.length > 0) {
    throw new UsageError(`${JSON.stringify(given)} in --tier must be one of ${Object.keys(RATE_FIELDS).join(', ')} with a decimal, such as input=2.5`);
  }
  return [field, rate];
}
