/** Converts token counts to a usage object with names that show what the counts contain. */
import { AUDIO_OF_SPANS } from '../counts/usage-names.ts';
import type { Convention } from '../counts/usage-shapes.ts';
import type { TokenCounts } from './call-usage.ts';

/** Counts that are null are left out, except input and output. `assumed`: probably inclusive. */
export function namedCounts(
  counts: TokenCounts,
  convention: Convention | 'assumed',
): Readonly<Record<string, unknown>> {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning, total } = counts;
  return {
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    ...(cacheRead === null ? {} : { 'gen_ai.usage.cache_read.input_tokens': cacheRead }),
    ...(cacheWrite === null ? {} : { 'gen_ai.usage.cache_creation.input_tokens': cacheWrite }),
    ...(reasoning === null ? {} : { 'gen_ai.usage.reasoning.output_tokens': reasoning }),
    ...(cacheWrite1h === null ? {} : { cache_creation_1h_input_tokens: cacheWrite1h }),
    ...audioCounts(counts),
    ...(convention === 'inclusive' ? {} : { 'gen_ai.usage.convention': convention }),
    // If cached tokens are on top of the input, a library's total does not contain them.
    ...(total === null || convention === 'exclusive' ? {} : { 'gen_ai.usage.total_tokens': total }),
  };
}

type AudioCounts = Pick<TokenCounts, 'inputAudio' | 'outputAudio' | 'cachedAudio'>;

/** Counts of audio, which is part of the input, the output and the cached tokens. */
export function audioCounts({
  inputAudio,
  outputAudio,
  cachedAudio = null,
}: AudioCounts): Readonly<Record<string, number>> {
  return {
    ...(inputAudio === null ? {} : { [AUDIO_OF_SPANS.input]: inputAudio }),
    ...(outputAudio === null ? {} : { [AUDIO_OF_SPANS.output]: outputAudio }),
    ...(cachedAudio === null ? {} : { [AUDIO_OF_SPANS.cached]: cachedAudio }),
  };
}
