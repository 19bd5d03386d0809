/** The tests' own rate cards, and the cost of a call under them, computed in integers. */
import { amount, scaled } from './exact-amount.ts';

type Class = 'input' | 'output' | 'cacheCreation' | 'cacheRead' | 'reasoning';
/** USD per million tokens. */
type Rates = Readonly<Partial<Record<Class, string>>>;

interface CardVersion {
  /** Microseconds since 1970; null for no start. */
  readonly from: bigint | null;
  readonly rates: Rates;
  readonly tiers?: readonly (Rates & { readonly aboveInputTokens: number })[];
  readonly unitPrices?: Readonly<Record<string, string>>;
  readonly unitPrice?: string;
}

export interface Card {
  /** Prefix of the names of the models that the card prices. */
  readonly model: string;
  readonly provider: string | null;
  /** The card's name in breakdowns. */
  readonly slug: string;
  readonly versions: readonly CardVersion[];
}

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheCreation: number | null;
  readonly cacheRead: number | null;
  readonly reasoning: number | null;
  readonly total: number | null;
  readonly units: string | null;
  readonly webSearches: number | null;
}

/** Whole units of 10^-15 USD. */
export interface BookCost {
  readonly total: bigint;
  readonly input: bigint;
  readonly output: bigint;
  readonly cacheCreation: bigint | null;
  readonly cacheRead: bigint | null;
  readonly reasoning: bigint | null;
}

export function findCard(cards: readonly Card[], model: string, provider: string | null): Card | null {
  const name = model.trim().toLowerCase();
  const matching = cards.filter(
    (card) =>
      name.startsWith(card.model) && (card.provider === null || provider === null || card.provider === provider),
  );
  return matching.sort((one, other) => other.model.length - one.model.length)[0] ?? null;
}

/** Null: the event waits for a rate. */
export function costOf(usage: Usage, card: Card, at: bigint, provider: string | null): BookCost | null {
  const version = card.versions.filter(({ from }) => from === null || from <= at).at(-1);
  if (!version) return null;
  if (version.unitPrice !== undefined) {
    if (usage.units === null) return null;
    return withParts(
      usage,
      (scaled(usage.units, 15) * scaled(version.unitPrice, 9) + 500_000_000n) / 1_000_000_000n,
      0n,
      0n,
      () => 0n,
    );
  }
  const { plainInput, plainOutput, totalInput } = readTokens(usage, provider);
  const tier = (version.tiers ?? [])
    .filter(({ aboveInputTokens }) => totalInput > BigInt(aboveInputTokens))
    .sort((one, other) => other.aboveInputTokens - one.aboveInputTokens)[0];
  const rates = { ...version.rates, ...tier };
  const price = (name: Class, count: bigint) => {
    const rate = rates[name] ?? (name === 'reasoning' ? rates.output : rates.input);
    return count * scaled(rate ?? '0', 9);
  };
  const searches = version.unitPrices?.['web_searches'];
  const counts = [plainInput, plainOutput, usage.cacheCreation, usage.cacheRead, usage.reasoning];
  // A reported zero matters: a call that only counts something without a price is not free.
  if (searches === undefined && (usage.webSearches ?? 0) > 0 && counts.every((count) => !count)) return null;
  const extra = searches === undefined ? 0n : BigInt(usage.webSearches ?? 0) * amount(searches);
  return withParts(usage, extra, price('input', plainInput), price('output', plainOutput), price);
}

function withParts(
  usage: Usage,
  extra: bigint,
  input: bigint,
  output: bigint,
  price: (name: Class, count: bigint) => bigint,
): BookCost {
  const part = (name: Class, count: number | null) => (count === null ? null : price(name, BigInt(count)));
  const [cacheCreation, cacheRead, reasoning] = [
    part('cacheCreation', usage.cacheCreation),
    part('cacheRead', usage.cacheRead),
    part('reasoning', usage.reasoning),
  ];
  return {
    total: extra + input + output + (cacheCreation ?? 0n) + (cacheRead ?? 0n) + (reasoning ?? 0n),
    input,
    output,
    cacheCreation,
    cacheRead,
    reasoning,
  };
}

/**
 * Totals contain their parts, unless they are too small or the sent total contradicts it. Anthropic's and Bedrock's
 * cache reads are in addition.
 */
function readTokens(
  usage: Usage,
  provider: string | null,
): { plainInput: bigint; plainOutput: bigint; totalInput: bigint } {
  const cache = (usage.cacheCreation ?? 0) + (usage.cacheRead ?? 0);
  const reasoning = usage.reasoning ?? 0;
  const sides = (count: number, parts: number) =>
    parts === 0 ? [count] : parts > count ? [count + parts] : [count, count + parts];
  const inputs = sides(usage.input, cache);
  if (provider === 'anthropic' || provider === 'aws') inputs.reverse();
  const readings = inputs.flatMap((input) => sides(usage.output, reasoning).map((output) => ({ input, output })));
  const fitting = readings.filter(({ input, output }) => usage.total !== null && input + output === usage.total);
  const { input, output } = fitting.length === 1 ? fitting[0]! : readings[0]!;
  return { plainInput: BigInt(input - cache), plainOutput: BigInt(output - reasoning), totalInput: BigInt(input) };
}
