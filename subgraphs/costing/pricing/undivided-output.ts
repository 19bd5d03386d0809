/** Finds output that may contain audio, images or video, which the event does not count separately. */
import { dividesOutput } from '#usage/counts/output-kinds.ts';
import type { TokenQuantities } from '#usage/counts/token-quantities.ts';
import type { UsageSource } from '#usage/counts/usage-sources.ts';
import type { RateCardVersion } from '../rates/rate-card-version.ts';

const KINDS = ['outputAudio', 'outputImage', 'outputVideo'] as const;

/** True if the rate card has a different price for such output, and the event does not say whether it has any. */
export function isOutputUndivided(
  { rates }: RateCardVersion,
  quantities: TokenQuantities,
  sources: readonly UsageSource[],
): boolean {
  const isPricedApart = KINDS.some((kind) => rates[kind] !== null && rates.output?.eq(rates[kind]) === false);
  if (!isPricedApart || quantities.output.isZero()) return false;
  return KINDS.every((kind) => quantities[kind].isZero()) && !dividesOutput(sources);
}
