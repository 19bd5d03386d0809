/**
 * Interprets an event's token counts. Vendors disagree on whether cached tokens are part of the input, and reasoning
 * tokens part of the output. A wrong interpretation is the most common cost bug in this field (decision 9, D22).
 */
import { type Quantity, quantity } from '#kernel/money.ts';
import type { ByClass } from '#schema/token-classes.ts';
import { canonicalProvider } from '../names/canonical-provider.ts';
import { type ModalityCounts, type ReportedCounts, reportedCounts, type UsageTokens } from './reported-counts.ts';
import { exceedTotals, type TokenQuantities, tokenQuantities } from './token-quantities.ts';
import { conventionOf } from './assumed-convention.ts';
import { findShape, type FoundShape } from './find-shape.ts';
import { type Convention, SHAPES, type UsageShape } from './usage-shapes.ts';
import { isImageOutput } from './output-kinds.ts';
import { isContradicted, rawCount, sentCounts } from './sent-counts.ts';
import { usageSources } from './usage-sources.ts';

/** `inclusive`: the count that was sent is the total and includes its parts. `exclusive`: the parts are to be added to it. */
type SideReading = { readonly reading: Convention; readonly why: string };

export type TokenReading = {
  /**
   * The convention used to interpret the counts: `anthropic-messages`, `openai-chat`, … for a provider's own usage
   * object, `normalized` for the documented names, `guessed` if the event does not say what the counts contain.
   */
  readonly name: string;
  /** The counts shown and summed: as sent, regardless of the interpretation. Null: not reported. */
  readonly counts: ByClass<number, number | null>;
  /** The quantities to price. The classes add up to `totalInput` and `totalOutput`. */
  readonly quantities: TokenQuantities;
  /** Chooses the tier. */
  readonly totalInput: Quantity;
  readonly totalOutput: Quantity;
  readonly input: SideReading;
  readonly output: SideReading;
};

const NORMALIZED = 'normalized';
/** The convention could not be determined from the event; the ledger counts such entries. */
export const GUESSED = 'guessed';
/** The convention comes from the request's or the organization's statement about such counts. */
export const STATED = 'stated';

/**
 * 1. A side whose parts exceed it cannot contain them and is exclusive. 2. If the provider's own counts are sent too,
 * they show whether the sender added the parts. 3. If exactly one possible interpretation adds up to the event's total,
 * it is used. 4. A provider's own usage object is read by that provider's convention. 5. Otherwise counts are totals
 * (the OpenTelemetry definition), except for a provider whose own counts have the documented names (decision 37).
 */
export function readTokens(usage: UsageTokens): TokenReading {
  const sources = usageSources(usage.providerUsage, usage.metadata);
  const reported = reportedCounts(usage, sources);
  const cache = countQuantity(reported.cacheRead).plus(countQuantity(reported.cacheCreation));
  const reasoning = countQuantity(reported.reasoning);
  const hasParts = !cache.isZero() || !reasoning.isZero();
  const provider = hasParts || sources.length > 0 ? canonicalProvider(usage.provider) : null;
  const found = sources.length === 0 ? null : findShape(sources, provider, usage.model);
  const toolUse = countQuantity(reported.toolUseInput);
  const sent = sentCounts(usage, found, hasParts ? null : reported.total);
  const withReads = withReadsOnly(sent.input, reported);
  const expected = expectedSide(usage, found, 'input', quantity(sent.input), cache, provider);
  // An input that should contain the cached tokens, and can contain only those that were read.
  const assumed =
    expected.why === EXCEED_OWN && withReads.length > 0
      ? { ...expected, sides: withReads, why: WRITES_APART }
      : expected;
  const output = expectedSide(usage, found, 'output', quantity(sent.output), reasoning, provider);
  const proved = byTotal(reported.total, found, { input: assumed, output, toolUse, withReads });
  const input = proved === null ? statedSide(usage, found, assumed) : assumed;
  const decided = input === assumed ? proved : byTotal(reported.total, found, { input, output, toolUse, withReads });
  const sides = decided ?? { input: addTo(input.sides[0]!, toolUse), output: output.sides[0]! };
  // The counts do not explain what else the total contains, or whether the event's or the provider's own count is
  // right.
  const isUnexplained =
    decided === null &&
    (!hasParts || sent.isReplaced) &&
    ((reported.total !== null && found?.shape.hasTotal !== false) || isContradicted(usage, found, toolUse));
  const modalities = isImageOutput(usage.model, sources)
    ? withImageOutput(reported.modalities, sent.output - (reported.reasoning ?? 0))
    : reported.modalities;
  const quantities = tokenQuantities({
    input: sides.input.total,
    output: sides.output.total,
    cacheRead: countQuantity(reported.cacheRead),
    cacheCreation: countQuantity(reported.cacheCreation),
    cacheCreation1h: countQuantity(reported.cacheCreation1h),
    reasoning,
    modalities,
  });
  const isOverfull = modalities !== null && exceedTotals(modalities, quantities);
  const isGuess =
    sent.isLoneTotal ||
    isOverfull ||
    (decided === null &&
      ((input.isGuess && !cache.isZero()) || (output.isGuess && !reasoning.isZero()) || isUnexplained));
  return {
    name: isGuess ? GUESSED : input === assumed ? (found?.shape.name ?? NORMALIZED) : STATED,
    counts: {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cacheRead: reported.cacheRead,
      cacheCreation: reported.cacheCreation,
      reasoning: reported.reasoning,
    },
    quantities,
    totalInput: sides.input.total,
    totalOutput: sides.output.total,
    input: sideReading(sides.input.reading, input, decided !== null, PARTS.input),
    output: sideReading(
      sides.output.reading,
      output,
      decided !== null,
      isUnexplained || sent.isLoneTotal ? UNEXPLAINED : isOverfull ? OVERFULL : PARTS.output,
    ),
  };
}

function withImageOutput(modalities: ModalityCounts | null, output: number): ModalityCounts {
  const none = { input: 0, output: 0, cached: 0 };
  const { audio, image, video } = modalities ?? { audio: none, image: none, video: none };
  return { audio, image: { ...image, output }, video };
}

const PARTS = { input: 'cache tokens', output: 'reasoning tokens' } as const;

const UNEXPLAINED = 'reasoning tokens, but the counts that were sent contradict one another';

const OVERFULL = 'reasoning tokens, but more audio, images or video were counted than the uncached tokens contain';

interface Side {
  readonly reading: Convention;
  readonly total: Quantity;
}

/** The possible conventions of one side. `sides` starts with the default one and is never empty. */
interface ExpectedSide {
  readonly sides: readonly Side[];
  readonly parts: Quantity;
  readonly why: string;
  readonly isGuess: boolean;
}

function expectedSide(
  usage: UsageTokens,
  found: FoundShape | null,
  side: 'input' | 'output',
  count: Quantity,
  parts: Quantity,
  provider: string | null,
): ExpectedSide {
  const inclusive: Side = { reading: 'inclusive', total: count };
  const known = { parts, isGuess: false };
  if (parts.isZero()) return { ...known, sides: [inclusive], why: '' };
  const exclusive: Side = { reading: 'exclusive', total: count.plus(parts) };
  if (parts.gt(count)) {
    const isGuess = side === 'input' && found !== null && COUNTED_WITHIN.has(found.shape);
    return { parts, sides: [exclusive], why: isGuess ? EXCEED_OWN : EXCEED, isGuess };
  }
  const first = (convention: Convention) =>
    convention === 'inclusive' ? [inclusive, exclusive] : [exclusive, inclusive];
  if (found === null) {
    const { assumed, isGuess } = conventionOf(provider, usage.model)[side];
    const why = assumed === 'inclusive' ? BY_DEFAULT : `this provider's ${side} count does not include ${PARTS[side]}`;
    return { parts, sides: first(assumed), why, isGuess };
  }
  const { shape, fields } = found;
  const convention = shape[side];
  const raw = rawCount(fields, side === 'input' ? shape.rawInput : shape.rawOutput);
  const expected = { ...known, sides: first(convention), why: `as ${shape.name} reports them` };
  // If Anthropic's object is spread over the top level, the event's count is the raw one.
  if (raw === null)
    return { ...expected, isGuess: convention === 'exclusive' && !shape.rawInput.includes('input_tokens') };
  if (count.eq(raw)) return { ...expected, isGuess: shape.isAssumed === true && side === 'input' };
  const other: Convention = convention === 'inclusive' ? 'exclusive' : 'inclusive';
  const sumOfRaw = convention === 'inclusive' ? parts.negated().plus(raw) : parts.plus(raw);
  if (count.eq(sumOfRaw))
    return { ...known, sides: first(other).slice(0, 1), why: `the sender changed the count of ${shape.name}` };
  return { ...expected, isGuess: true };
}

const EXCEED = 'exceed the count, which cannot contain them';
const EXCEED_OWN = 'exceed the count, although this provider counts them within it';
const WRITES_APART = 'exceed the count, which can contain only those that were read from the cache';

/** Providers whose own input count always contains cached tokens. Frameworks and tracers are less strict. */
const COUNTED_WITHIN: ReadonlySet<UsageShape> = new Set([
  SHAPES.gemini,
  SHAPES.deepseek,
  SHAPES.chat,
  SHAPES.xai,
  SHAPES.perplexity,
  SHAPES.realtime,
  SHAPES.responses,
]);

/**
 * A statement decides if the event is ambiguous, or if its counts only have the documented names. A statement of the
 * request also takes precedence over facts about the library that wrote a span.
 */
function statedSide(usage: UsageTokens, found: FoundShape | null, assumed: ExpectedSide): ExpectedSide {
  const stated = usage.cachedTokens;
  if (!stated) return assumed;
  const isOfLibrary = found !== null && found.shape.name.startsWith('opentelemetry');
  if (found !== null && !assumed.isGuess && !(stated.isOfRequest && isOfLibrary)) return assumed;
  const reading: Convention = stated.cachedTokens === 'included' ? 'inclusive' : 'exclusive';
  const sides = assumed.sides.filter((side) => side.reading === reading);
  if (sides.length === 0 || assumed.parts.isZero()) return assumed;
  return { ...assumed, sides, why: stated.why, isGuess: false };
}

const BY_DEFAULT = 'counts are totals unless proved otherwise';

interface ExpectedSides {
  readonly input: ExpectedSide;
  readonly output: ExpectedSide;
  readonly toolUse: Quantity;
  readonly withReads: readonly Side[];
}

/**
 * The reading of an input that contains what was read from the cache, but not what was written to it, as LiteLLM counted
 * for Bedrock until October 2025. A total proves it; without one it is a guess if the input cannot contain both.
 */
function withReadsOnly(input: number, { cacheRead, cacheCreation }: ReportedCounts): readonly Side[] {
  if (!cacheRead || !cacheCreation || cacheRead > input) return [];
  return [{ reading: 'inclusive', total: quantity(input).plus(cacheCreation) }];
}

/** The only interpretation that adds up to the total that was sent; null if none does, or more than one. */
function byTotal(
  sent: number | null,
  found: FoundShape | null,
  { input, output, toolUse, withReads }: ExpectedSides,
): { input: Side; output: Side } | null {
  if (sent === null || (found !== null && !found.shape.hasTotal)) return null;
  const withToolUse = input.sides.map((side) => addTo(side, toolUse));
  const inputs = toolUse.isZero() ? withToolUse : [...withToolUse, ...input.sides];
  const total = quantity(sent);
  const fittingOf = (sides: readonly Side[]) =>
    sides
      .flatMap((one) => output.sides.map((other) => ({ input: one, output: other })))
      .filter((both) => both.input.total.plus(both.output.total).eq(total));
  const usual = fittingOf(inputs);
  const fitting = usual.length === 0 ? fittingOf(withReads) : usual;
  return fitting.length === 1 ? fitting[0]! : null;
}

function addTo(side: Side, more: Quantity): Side {
  return more.isZero() ? side : { ...side, total: side.total.plus(more) };
}

function sideReading(
  reading: Convention,
  { sides, parts, why }: ExpectedSide,
  isByTotal: boolean,
  of: string,
): SideReading {
  if (parts.isZero()) return { reading, why: `no ${of}` };
  if (isByTotal && (sides.length > 1 || sides[0]?.reading !== reading))
    return { reading, why: 'the only reading that adds up to the total sent' };
  return { reading, why: why.startsWith('exceed') ? `the ${of} ${why}` : why };
}

function countQuantity(count: number | null): Quantity {
  return quantity(count ?? 0);
}
