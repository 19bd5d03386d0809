/** Writes a rate card by hand: for one organization when it is named, else for everybody. */
import { graphql } from '../../schema/graphql.ts';
import type { Command, Flag } from '../command.ts';
import { ID, RATE, text, TIME } from '../flag-forms.ts';
import type { Given } from '../given.ts';
import { parseTier, parseUnit, RATE_FIELDS } from '../parse-rate-flags.ts';
import { UsageError } from '../usage-error.ts';

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
