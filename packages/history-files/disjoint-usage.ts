/** Usage whose kinds of tokens do not overlap, as tracers store it, in the form that the ingestion endpoints read so. */
import type { Fields } from './history-row.ts';

/** Says that the input contains no cached tokens. */
const EXCLUSIVE = { 'gen_ai.usage.convention': 'exclusive' };

type Kind = 'input' | 'output' | 'reasoning' | 'cacheRead' | 'cacheWrite' | 'cacheWrite1h';

/** By the names of Langfuse's counts; the first that fits. */
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/1h/, 'cacheWrite1h'],
  [/cache_(?:creation|write)|ephemeral_5m/, 'cacheWrite'],
  [/cached|cache_read/, 'cacheRead'],
  [/reasoning|thinking|thought/, 'reasoning'],
  [/^(?:input|prompt)(?:_text)?(?:_tokens)?$/, 'input'],
  [/^(?:output|completion)(?:_text)?(?:_tokens)?$/, 'output'],
];
/** Priced otherwise than text; passed on under their own names. */
const MEDIA = /audio|image|video/;

/**
 * Reads counts by kind, such as `{ input: 10, input_cached_tokens: 5, output: 3, total: 18 }`. A total that equals input
 * and output shows that the sender added the parts. Counts under other names are passed on: the service names them
 * and marks the cost as a guess. Null without any count.
 */
export function disjointUsage(counts: Fields): Fields | null {
  const sums: Record<Kind, number> = {
    input: 0,
    output: 0,
    reasoning: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cacheWrite1h: 0,
  };
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(counts)) {
    const count = Number(value);
    if (name === 'total' || !(count > 0)) continue;
    const snake = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
    const kind = MEDIA.test(snake) ? undefined : KINDS.find(([pattern]) => pattern.test(snake))?.[1];
    if (kind === undefined || !Number.isInteger(count)) others[name] = value;
    else sums[kind] += count;
  }
  if (Object.values(sums).every((count) => count === 0) && Object.keys(others).length === 0) return null;
  const { input, output, reasoning, cacheRead, cacheWrite, cacheWrite1h } = sums;
  const cached = cacheRead + cacheWrite + cacheWrite1h;
  const isAdded = Number(counts['total']) === input + output && cached <= input && reasoning <= output;
  return {
    ...EXCLUSIVE,
    input_tokens: isAdded ? input - cached : input,
    output_tokens: isAdded ? output : output + reasoning,
    ...(cacheRead === 0 ? {} : { cache_read_input_tokens: cacheRead }),
    ...(cacheWrite + cacheWrite1h === 0
      ? {}
      : {
          cache_creation_input_tokens: cacheWrite + cacheWrite1h,
          cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: cacheWrite1h },
        }),
    ...(reasoning === 0 ? {} : { reasoning_tokens: reasoning }),
    ...others,
  };
}
