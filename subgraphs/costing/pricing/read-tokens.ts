/**
 * Decides what an event's token counts mean. Vendors disagree on whether cached tokens are part of the input and
 * reasoning part of the output; getting it wrong is the most common cost bug of the field (decision 9, D22).
 */
import { type Quantity, ZERO, quantity } from '../../../kernel/money.ts';
import type { ByClass, TokenClass } from '../../../schema/token-classes.ts';
import { type ReportedCounts, type UsageTokens, reportedCounts } from './reported-counts.ts';

/** `inclusive`: the count sent is the total, its parts lie inside. `exclusive`: the parts come on top of it. */
type SideReading = { readonly reading: 'inclusive' | 'exclusive'; readonly why: string };

export type TokenReading = {
  /** What is shown and summed up: as sent, whatever the reading. Null: not reported. */
  readonly counts: ByClass<number, number | null>;
  /** What is priced. The classes add up to `totalInput` and `totalOutput`. */
  readonly quantities: TokenQuantities;
  /** Chooses the tier. */
  readonly totalInput: Quantity;
  readonly totalOutput: Quantity;
  readonly input: SideReading;
  readonly output: SideReading;
};

/**
 * 1. Counts are totals (the OpenTelemetry definition). 2. A side whose parts exceed it cannot contain them and is
 * exclusive. 3. Where the event gives its total and exactly one possible reading adds up to it, that one is taken.
 * Known residue: exclusive counts whose parts do not exceed them, without a total, are read as totals.
 */
export function readTokens(usage: UsageTokens): TokenReading {
  const reported = reportedCounts(usage);
  const { combination, byTotal } = chooseCombination(usage, reported);
  return {
    counts: {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cacheRead: reported.cacheRead,
      cacheCreation: reported.cacheCreation,
      reasoning: reported.reasoning,
    },
    quantities: tokenQuantities({
      input: combination.input.total,
      output: combination.output.total,
      cacheRead: countQuantity(reported.cacheRead),
      cacheCreation: countQuantity(reported.cacheCreation),
      cacheCreation1h: countQuantity(reported.cacheCreation1h),
      reasoning: countQuantity(reported.reasoning),
    }),
    totalInput: combination.input.total,
    totalOutput: combination.output.total,
    input: sideReading(combination.input, byTotal, 'cache tokens'),
    output: sideReading(combination.output, byTotal, 'reasoning tokens'),
  };
}

type Side = { reading: 'inclusive' | 'exclusive'; total: Quantity; parts: Quantity; onlyOne: boolean };
type Combination = { input: Side; output: Side };

function chooseCombination(
  usage: UsageTokens,
  reported: ReportedCounts,
): { combination: Combination; byTotal: boolean } {
  const cache = countQuantity(reported.cacheRead).plus(countQuantity(reported.cacheCreation));
  const inputs = possibleReadings(quantity(usage.inputTokens), cache);
  const outputs = possibleReadings(quantity(usage.outputTokens), countQuantity(reported.reasoning));
  const toolUse = countQuantity(reported.toolUseInput);
  const withToolUse = inputs.map((side) => ({ ...side, total: side.total.plus(toolUse) }));
  const assumed = { input: withToolUse[0]!, output: outputs[0]! };
  if (reported.total === null) return { combination: assumed, byTotal: false };

  const allInputs = toolUse.isZero() ? withToolUse : [...withToolUse, ...inputs];
  const total = quantity(reported.total);
  const fitting = allInputs
    .flatMap((input) => outputs.map((output) => ({ input, output })))
    .filter(({ input, output }) => input.total.plus(output.total).eq(total));
  return fitting.length === 1 ? { combination: fitting[0]!, byTotal: true } : { combination: assumed, byTotal: false };
}

/** Never empty; the reading to assume comes first. */
function possibleReadings(count: Quantity, parts: Quantity): Side[] {
  const inclusive: Side = { reading: 'inclusive', total: count, parts, onlyOne: parts.isZero() };
  const exclusive: Side = { reading: 'exclusive', total: count.plus(parts), parts, onlyOne: parts.gt(count) };
  if (inclusive.onlyOne) return [inclusive];
  return exclusive.onlyOne ? [exclusive] : [inclusive, exclusive];
}

function sideReading(side: Side, byTotal: boolean, parts: string): SideReading {
  const why = side.parts.isZero()
    ? `no ${parts}`
    : side.onlyOne
      ? `the ${parts} exceed the count, which cannot contain them`
      : byTotal
        ? 'the only reading that adds up to the total sent'
        : 'counts are totals unless proved otherwise';
  return { reading: side.reading, why };
}

function countQuantity(count: number | null): Quantity {
  return quantity(count ?? 0);
}

/** Tokens to be charged at each class's rate; `input` and `output` are the plain ones, `cacheCreation` without 1h. */
type TokenQuantities = Readonly<Record<TokenClass, Quantity>>;

/** Inclusive totals: cache tokens lie inside `input`, reasoning inside `output`, one-hour writes inside the writes. */
type TokenTotals = {
  readonly input: Quantity;
  readonly output: Quantity;
  readonly cacheRead?: Quantity | null;
  readonly cacheCreation?: Quantity | null;
  readonly cacheCreation1h?: Quantity | null;
  readonly reasoning?: Quantity | null;
};

/**
 * Divides a call's tokens into the classes that are priced, so that every token is priced exactly once.
 *
 * One-hour writes above all writes are cut to them: the count of all writes is the documented one.
 */
export function tokenQuantities(totals: TokenTotals): TokenQuantities {
  const cacheRead = totals.cacheRead ?? ZERO;
  const written = totals.cacheCreation ?? ZERO;
  const written1h = totals.cacheCreation1h ?? ZERO;
  const cacheCreation1h = written1h.gt(written) ? written : written1h;
  const reasoning = totals.reasoning ?? ZERO;
  return {
    input: totals.input.minus(cacheRead).minus(written),
    output: totals.output.minus(reasoning),
    cacheCreation: written.minus(cacheCreation1h),
    cacheCreation1h,
    cacheRead,
    reasoning,
  };
}
