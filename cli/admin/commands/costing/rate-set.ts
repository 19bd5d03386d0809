/** Adds a rate card by hand: for one organization if given, otherwise for all. */
import { graphql, type VariablesOf } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { type Flag, ID, RATE, text, TIME } from '../../../kit/flags.ts';
import type { Args } from '../../../kit/parse-args.ts';
import { UsageError } from '../../../kit/usage-error.ts';

/** Flags and schema fields of token rates. Decimals stay strings. */
const RATE_FIELDS = {
  input: 'input',
  output: 'output',
  'cache-creation': 'cacheCreation',
  'cache-creation-1h': 'cacheCreation1h',
  'cache-read': 'cacheRead',
  reasoning: 'reasoning',
  'input-audio': 'inputAudio',
  'output-audio': 'outputAudio',
  'cache-read-audio': 'cacheReadAudio',
  'input-image': 'inputImage',
  'output-image': 'outputImage',
  'cache-read-image': 'cacheReadImage',
  'input-video': 'inputVideo',
  'output-video': 'outputVideo',
} as const;

const DOCUMENT = graphql(`mutation RateSet($input: RateSetInput!) {
  rateSet(input: $input) { rate { rate_card_id: rateCardId model_slug: modelSlug effective_from: effectiveFrom requeued_events: requeuedEvents } userErrors { message code } }
}`);

type Input = VariablesOf<'RateSet'>['input'];
type RateTierInput = NonNullable<Input['tiers']>[number];
type RateContextInput = NonNullable<Input['contexts']>[number];

const RATE_FLAGS: Readonly<Record<keyof typeof RATE_FIELDS, Flag>> = {
  input: { form: RATE, about: 'USD per million plain input tokens' },
  output: { form: RATE, about: 'USD per million plain output tokens' },
  'cache-creation': { form: RATE, about: 'USD per million tokens written to a cache' },
  'cache-creation-1h': { form: RATE, about: 'USD per million tokens written to the one-hour cache' },
  'cache-read': { form: RATE, about: 'USD per million tokens read from a cache' },
  reasoning: { form: RATE, about: 'USD per million reasoning tokens' },
  'input-audio': { form: RATE, about: 'USD per million tokens of audio input' },
  'output-audio': { form: RATE, about: 'USD per million tokens of audio output' },
  'cache-read-audio': { form: RATE, about: 'USD per million tokens of audio read from a cache' },
  'input-image': { form: RATE, about: 'USD per million tokens of image input' },
  'output-image': { form: RATE, about: 'USD per million tokens of image output' },
  'cache-read-image': { form: RATE, about: 'USD per million tokens of images read from a cache' },
  'input-video': { form: RATE, about: 'USD per million tokens of video input' },
  'output-video': { form: RATE, about: 'USD per million tokens of video output' },
};

export const rateSet: Command = {
  name: 'rate set',
  summary: 'Creates a rate card, or a new version of one. Give either --input and --output, or --unit-price.',
  flags: {
    model: { form: text('M'), required: true, about: 'prefix of the models that it prices' },
    provider: { form: text('P'), about: 'default: any provider' },
    organization: { form: ID, about: 'default: all organizations' },
    ...RATE_FLAGS,
    unit: { form: text('NAME=X'), repeated: true, about: 'USD per named unit, such as web_searches=0.01' },
    tier: {
      form: text('ABOVE:input=X,output=X,…'),
      repeated: true,
      about: 'the rates that apply above this number of input tokens',
    },
    context: {
      form: text('PAIRS:input=X,output=X,…'),
      repeated: true,
      about: 'the rates in a pricing context, such as tier=batch:input=1.25,output=5 or tier=batch:all=x0.5',
    },
    'unit-price': {
      form: RATE,
      about: 'USD per unit; the card then has no token rates, and only contexts such as tier=batch:all=x0.5',
    },
    'effective-from': { form: TIME, about: 'default: always for a new card, now for an existing one' },
  },
  async run(args, gateway) {
    checkKind(args);
    const units = args.all('unit').map(parseUnit);
    const input = {
      model: args.text('model'),
      provider: args.optional('provider'),
      ...Object.fromEntries(Object.entries(RATE_FIELDS).map(([flag, field]) => [field, args.optional(flag)])),
      unitPrices: units.map(([name, price]) => ({ name, price })),
      tiers: args.all('tier').map(parseTier),
      contexts: args.all('context').flatMap((typed) => parseContext(typed, units)),
      unitPrice: args.optional('unit-price'),
      effectiveFrom: args.optional('effective-from'),
    };
    return { output: (await gateway.ask(DOCUMENT, { input }, args.optional('organization'))).rateSet.rate };
  },
};

function checkKind(args: Args): void {
  const tokenFlags = [...Object.keys(RATE_FIELDS), 'unit', 'tier'].filter((flag) => args.has(flag));
  if (args.has('unit-price')) {
    if (tokenFlags.length > 0)
      throw new UsageError(`--unit-price cannot be combined with --${tokenFlags.join(', --')}`);
  } else if (!args.has('input') || !args.has('output')) {
    throw new UsageError('Give --input and --output, or --unit-price');
  }
}

/** `web_searches=0.01` → `['web_searches', '0.01']`. The name itself may contain `=`. */
function parseUnit(typed: string): readonly [string, string] {
  const at = typed.lastIndexOf('=');
  const [name, price] = [typed.slice(0, Math.max(at, 0)).trim(), RATE.read(typed.slice(at + 1))];
  if (name === '' || price === null) throw new UsageError('--unit must look like NAME=0.01');
  return [name, price];
}

/** `200000:input=2.5,cache-read=0.25` → `{ aboveInputTokens: 200000, input: '2.5', cacheRead: '0.25' }`. */
function parseTier(typed: string): RateTierInput {
  const [above, rates] = /^(\d{1,15}):(.+)$/.exec(typed)?.slice(1) ?? [];
  if (above === undefined || rates === undefined)
    throw new UsageError('--tier must look like 200000:input=2.5,output=15');
  return { aboveInputTokens: Number(above), ...Object.fromEntries(rates.split(',').map(parseTierRate)) };
}

/** `tier=batch:input=1.25,output=x0.5` → one price for each class: a rate, or a factor after `x`. */
function parseContext(typed: string, units: readonly (readonly [string, string])[]): RateContextInput[] {
  const [context, prices] = /^([a-z_]+=[^:\s]+):(\S+)$/.exec(typed)?.slice(1) ?? [];
  if (context === undefined || prices === undefined)
    throw new UsageError('--context must look like tier=batch:input=1.25,output=5 or tier=batch:all=x0.5');
  return prices.split(',').map((price) => {
    const [name, value = '', ...more] = price.split('=');
    const own = ['all', ...units.map(([unit]) => unit)].find((one) => one === name);
    const field = own ?? Object.entries(RATE_FIELDS).find(([flag]) => flag === name)?.[1];
    const amount = RATE.read(value.replace(/^x/, ''));
    if (field === undefined || amount === null || more.length > 0) {
      const names = ['all', ...Object.keys(RATE_FIELDS)].join(', ');
      throw new UsageError(
        `${JSON.stringify(price)} in --context must be one of ${names} with a rate or x and a factor`,
      );
    }
    return { context, class: field, [value.startsWith('x') ? 'factor' : 'rate']: amount };
  });
}

function parseTierRate(typed: string): readonly [string, string] {
  const [name, value, ...more] = typed.split('=').map((part) => part.trim());
  const field = Object.entries(RATE_FIELDS).find(([flag]) => flag === name)?.[1];
  const rate = RATE.read(value ?? '');
  if (field === undefined || rate === null || more.length > 0) {
    throw new UsageError(
      `${JSON.stringify(typed)} in --tier must be one of ${Object.keys(RATE_FIELDS).join(', ')} with a decimal, such as input=2.5`,
    );
  }
  return [field, rate];
}
