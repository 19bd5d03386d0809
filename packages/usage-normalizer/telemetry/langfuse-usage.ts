/**
 * Usage as Langfuse reports and exports it: one count for each kind of token. By Langfuse's documentation the kinds do
 * not overlap: `input` contains no cached tokens, `output` no reasoning tokens.
 */
import type { Fields } from '#kernel/json/json-object.ts';
import { countOrNull } from '../counts/value-at.ts';
import type { TokenCounts } from './call-usage.ts';

type Kind = Exclude<keyof TokenCounts, 'total'>;

interface LangfuseUsage {
  /** The input contains its parts, as in OpenTelemetry. */
  readonly counts: TokenCounts;
  /** Names of counts that are not read. */
  readonly unread: readonly string[];
}

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/1h/, 'cacheWrite1h'],
  [/cache_(?:creation|write)|ephemeral_5m/, 'cacheWrite'],
  [/cached|cache_read/, 'cacheRead'],
  [/reasoning|thinking|thought/, 'reasoning'],
  [/^input_audio/, 'inputAudio'],
  [/^output_audio/, 'outputAudio'],
  [/^input(?:_text(?:_tokens)?)?$/, 'input'],
  [/^output(?:_(?:text(?:_tokens)?|(?:accepted|rejected)_prediction_tokens))?$/, 'output'],
];

/** Null for other objects, such as OpenAI's usage object, which the SDKs accept as well. */
export function langfuseUsage(details: Fields): LangfuseUsage | null {
  if (countOrNull(details['input']) === null && countOrNull(details['output']) === null) return null;
  const sums: Partial<Record<Kind, number>> = {};
  const unread: string[] = [];
  for (const [name, value] of Object.entries(details)) {
    const count = countOrNull(value);
    if (count === null || count === 0 || name === 'total') continue;
    const kind = KINDS.find(([pattern]) => pattern.test(snake(name)))?.[1];
    if (kind === undefined) unread.push(name);
    else sums[kind] = (sums[kind] ?? 0) + count;
  }
  const total = countOrNull(details['total']);
  const counts = withParts(sums, total);
  const isContradicted = total !== null && total !== counts.input + counts.output && unread.length === 0;
  return { counts, unread: isContradicted ? ['total'] : unread };
}

/** Adds the parts, unless the total shows that the sender did. */
function withParts(sums: Partial<Record<Kind, number>>, total: number | null): TokenCounts {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0, reasoning = 0 } = sums;
  const written = cacheWrite + cacheWrite1h;
  const inputParts = cacheRead + written + (sums.inputAudio ?? 0);
  const outputParts = reasoning + (sums.outputAudio ?? 0);
  const isAdded = total === input + output && inputParts <= input && outputParts <= output;
  return {
    input: isAdded ? input : input + inputParts,
    output: isAdded ? output : output + outputParts,
    cacheRead: sums.cacheRead ?? null,
    cacheWrite: written === 0 ? null : written,
    cacheWrite1h: sums.cacheWrite1h ?? null,
    reasoning: sums.reasoning ?? null,
    inputAudio: sums.inputAudio ?? null,
    outputAudio: sums.outputAudio ?? null,
    total,
  };
}

function snake(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
}
