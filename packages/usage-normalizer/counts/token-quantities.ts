/** Divides the totals of a call into the priced classes. */
import { type Quantity, quantity, NO_QUANTITY } from '#kernel/money.ts';
import { byRate, type TokenClass } from '#schema/token-classes.ts';
import type { ModalityCounts } from './reported-counts.ts';

/**
 * Tokens charged at each class's rate. `input` and `output` are the plain ones; `cacheCreation` excludes one-hour
 * writes.
 */
export type TokenQuantities = Readonly<Record<TokenClass, Quantity>>;

/**
 * Inclusive totals: `input` contains cache tokens, `output` contains reasoning, and cache writes contain one-hour
 * writes.
 */
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
 * Divides a call's tokens into the priced classes, so that every token is priced exactly once.
 *
 * One-hour writes are limited to all writes: the count of all writes is the documented one.
 */
export function tokenQuantities(totals: TokenTotals): TokenQuantities {
  const cacheRead = totals.cacheRead ?? NO_QUANTITY;
  const written = totals.cacheCreation ?? NO_QUANTITY;
  const written1h = totals.cacheCreation1h ?? NO_QUANTITY;
  const cacheCreation1h = written1h.gt(written) ? written : written1h;
  const reasoning = totals.reasoning ?? NO_QUANTITY;
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

const NO_TOKENS = byRate(() => NO_QUANTITY);

/** Moves non-text tokens out of the plain and the cache-read classes, at most as many as these contain. */
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

/**
 * True if these counts contradict the totals: more audio, images or video than the totals contain. Also true if it is
 * unknown how much of the audio was cached: cached audio and cached text have different prices. Models with a price of
 * their own for images count the cached ones.
 */
export function exceedTotals({ audio, image, video }: ModalityCounts, divided: TokenQuantities): boolean {
  const { input, inputAudio, inputImage, inputVideo, cacheRead, cacheReadAudio, cacheReadImage } = divided;
  const isMore = (count: number, than: Quantity) => quantity(count).gt(than);
  return (
    isMore(Math.max(audio.input, audio.cached), inputAudio.plus(cacheReadAudio)) ||
    isMore(image.input + video.input, [inputImage, inputVideo, cacheRead, cacheReadImage].reduce(sumOf, input)) ||
    isMore(audio.output, divided.outputAudio) ||
    isMore(image.output, divided.outputImage) ||
    isMore(video.output, divided.outputVideo)
  );
}

const sumOf = (one: Quantity, other: Quantity) => one.plus(other);
