/** Reads which kinds of output (text, audio, images, video) an event's output tokens are. */
import { AUDIO_OF_SPANS, DETAIL_NAMES } from './usage-names.ts';
import type { UsageSource } from './usage-sources.ts';
import { countAt, valueAt } from './value-at.ts';

/** True if the event divides its output by kind, even if all of it is text. */
export function dividesOutput(sources: readonly UsageSource[]): boolean {
  return sources.some(
    ({ fields }) =>
      DETAIL_NAMES.output.some((path) => isDivided(valueAt(fields, path))) ||
      countAt(fields, [AUDIO_OF_SPANS.output]) !== null,
  );
}

const KIND = /^(?:text|audio|image|video)(?:_tokens)?$/;

function isDivided(details: unknown): boolean {
  if (typeof details !== 'object' || details === null) return false;
  return Array.isArray(details)
    ? details.length > 0
    : Object.entries(details).some(([name, count]) => KIND.test(name) && count !== null);
}

/** OpenAI's image models: the Images API does not divide their output, which is images alone. */
const IMAGE_MODELS = /(?:^|[/.])(?:chatgpt|gpt)-image/i;

export function isImageOutput(model: string | undefined, sources: readonly UsageSource[]): boolean {
  return model !== undefined && IMAGE_MODELS.test(model) && !dividesOutput(sources);
}
