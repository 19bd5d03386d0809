/** Divides the totals of a call into the classes that are priced. */
import { type Quantity, quantity, ZERO } from '../../../kernel/money.ts';
import { byRate, type TokenClass } from '../../../schema/token-classes.ts';
import type { ModalityCounts } from './reported-counts.ts';

/** Tokens to be charged at each class's rate; `input` and `output` are the plain ones, `cacheCreation` without 1h. */
export type TokenQuantities = Readonly<Record<TokenClass, Quantity>>;

/** Inclusive totals: cache tokens lie inside `input`, reasoning inside `output`, one-hour writes inside the writes. */
type TokenTotals = {
  readonly input: Quantity;
  readonly output: Quantity;
  readonly cacheRead?: Quantity | null;
  readonly cacheCreation?: Quantity | null;
  readonly cacheCreation1h?: Quantity | null;
  readonly reasoning?: Quantity | null;
  readonly modalities?: ModalityCounts | null;
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
  const text = {
    ...NO_TOKENS,
    input: totals.input.minus(cacheRead).minus(written),
    output: totals.output.minus(reasoning),
    cacheCreation: written.minus(cacheCreation1h),
    cacheCreation1h,
    cacheRead,
    reasoning,
  };
  return totals.modalities ? divideByModality(text, totals.modalities) : text;
}

const NO_TOKENS = byRate(() => ZERO);

/** Takes what is no text out of the plain classes and out of what was read from a cache; never more than is there. */
function divideByModality(text: TokenQuantities, modalities: ModalityCounts): TokenQuantities {
  const left = { ...text };
  const take = (from: 'input' | 'output' | 'cacheRead', count: number): Quantity => {
    const wanted = quantity(Math.max(count, 0));
    const taken = wanted.gt(left[from]) ? left[from] : wanted;
    left[from] = left[from].minus(taken);
    return taken;
  };
  const { audio, image, video } = modalities;
  const cacheReadAudio = take('cacheRead', audio.cached);
  const cacheReadImage = take('cacheRead', image.cached);
  return {
    ...left,
    cacheReadAudio,
    cacheReadImage,
    inputAudio: take('input', audio.input - audio.cached),
    inputImage: take('input', image.input - image.cached),
    inputVideo: take('input', video.input - video.cached),
    outputAudio: take('output', audio.output),
    outputImage: take('output', image.output),
    outputVideo: take('output', video.output),
    input: left.input,
    output: left.output,
    cacheRead: left.cacheRead,
  };
}
