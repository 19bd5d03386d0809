/**
 * Names of SKUs of Vertex AI and the Gemini API: `Gemini 2.5 Flash GA Thinking Text Output`, `Claude Opus 5 Input Tokens`,
 * `Gemini 3.7 Flash Global Text Input - Predictions`. Every word must be known; otherwise the SKU is left unread.
 */
import type { TokenClass } from '#schema/token-classes.ts';
import type { LineKind, LineMeaning } from '../lines/bill-line.ts';
import { contextOf } from './context-text.ts';

const GEMINI = /^Gemini (\d+(?:\.\d+)?) (Pro|Flash Lite|Flash-Lite|Flash|Nano|Ultra)\b(?: (?:GA|Preview))?/i;
const CLAUDE = /^Claude (?:(Opus|Sonnet|Haiku) (\d+(?:\.\d+)?)|(\d+(?:\.\d+)?) (Opus|Sonnet|Haiku))\b/i;

/** Patterns for the rest of the name, longest first. */
const CLASSES: readonly (readonly [pattern: RegExp, tokenClass: TokenClass, isSeen: boolean])[] = [
  [/\bthinking text output\b/i, 'reasoning', true],
  [/\btext output \(thinking on\)/i, 'output', true],
  [/\btext output \(thinking off\)/i, 'output', false],
  [/\b(?:text input caching|input text caching|text caching)\b/i, 'cacheRead', true],
  [/\b(?:audio input caching|input audio caching)\b/i, 'cacheReadAudio', false],
  [/\b(?:image input caching|input image caching)\b/i, 'cacheReadImage', false],
  [/\baudio input\b/i, 'inputAudio', false],
  [/\baudio output\b/i, 'outputAudio', false],
  [/\bimage input\b/i, 'inputImage', false],
  [/\bimage output\b/i, 'outputImage', false],
  [/\bvideo input\b/i, 'inputVideo', false],
  [/\btext input\b/i, 'input', true],
  [/\btext output\b/i, 'output', true],
  [/\b(?:cache write 1h|1h cache write)(?: input)? tokens\b/i, 'cacheCreation1h', false],
  [/\b(?:cache write|cache creation)(?: input)? tokens\b/i, 'cacheCreation', false],
  [/\bcache (?:read|hit)(?: input)? tokens\b/i, 'cacheRead', false],
  [/\binput tokens\b/i, 'input', true],
  [/\boutput tokens\b/i, 'output', true],
];

const WORDS: readonly (readonly [pattern: RegExp, pair: readonly [key: string, value: string] | null])[] = [
  [/\bpredictions?\b/i, null],
  [/\bglobal\b/i, null],
  [/\bregional\b/i, ['geo', 'region']],
  [/\bbatch\b/i, ['tier', 'batch']],
  [/\bflex\b/i, ['tier', 'flex']],
  [/\bpriority\b/i, ['tier', 'priority']],
  [/\((?:long|long context)\)|\blong(?: context)?\b/i, ['size', 'long']],
  [/\(short\)|\bshort(?: context)?\b/i, null],
];

const OTHERS: readonly (readonly [pattern: RegExp, kind: LineKind])[] = [
  [/\bcaching storage\b/i, 'storage'],
  [/\bprovisioned throughput\b/i, 'capacity'],
  [/\btuning\b|\btraining\b/i, 'training'],
];

/** Null if the name is not understood. */
export function readVertexSku(description: string): LineMeaning | null {
  const name = description.trim();
  const other = OTHERS.find(([pattern]) => pattern.test(name));
  if (other !== undefined)
    return {
      rule: 'gcp.sku.other',
      verified: true,
      kind: other[1],
      model: null,
      tokenClass: null,
      context: '',
      unit: null,
      per: 1,
    };
  const family = GEMINI.exec(name) ?? CLAUDE.exec(name);
  if (family === null) return null;
  let rest = name.slice(family[0].length);
  const found = CLASSES.find(([pattern]) => pattern.test(rest));
  if (found === undefined) return null;
  rest = rest.replace(found[0], ' ');
  const pairs: Record<string, string> = {};
  for (const [pattern, pair] of WORDS) {
    if (!pattern.test(rest)) continue;
    rest = rest.replace(pattern, ' ');
    if (pair !== null) pairs[pair[0]] = pair[1];
  }
  if (/[a-z0-9]/i.test(rest)) return null;
  const model =
    name.startsWith('G') || name.startsWith('g')
      ? `gemini-${family[1]}-${family[2]!.toLowerCase().replace(' ', '-')}`
      : claudeModel(family);
  return {
    rule: 'gcp.sku.tokens',
    verified: found[2],
    kind: 'usage',
    model,
    tokenClass: found[1],
    context: contextOf(pairs),
    unit: 'tokens',
    per: 1,
  };
}

function claudeModel([, family, version, olderVersion, olderFamily]: readonly (string | undefined)[]): string {
  return family === undefined
    ? `claude-${olderVersion!.replaceAll('.', '-')}-${olderFamily!.toLowerCase()}`
    : `claude-${family.toLowerCase()}-${version!.replaceAll('.', '-')}`;
}
