/**
 * Usage types of Amazon Bedrock, in five families: `USE1-Claude4.6Opus-input-tokens`,
 * `USW2-anthropic.claude-opus-4-8-mantle-cache-write-tokens-global-standard`, `USE1-MP:USE1_InputTokenCount_Global-Units`
 * (whose model is in the service or the description), `USE1-Gemma-3-4B-IT-input-tokens-flex`, and what is not counted in
 * tokens. Every word after the class must be known; otherwise the usage type is left unread.
 */
import type { TokenClass } from '#schema/token-classes.ts';
import type { LineKind, LineMeaning } from '../lines/bill-line.ts';
import { contextOf } from './context-text.ts';

const REGION = /^(?:[A-Z]{2,4}\d{1,2}|[A-Z]{3,4}\d?|[a-z]{2}(?:-[a-z]+)+-\d)-/;

/** Longest first. `cache-write` is the five-minute cache unless the name contains `1h`. */
const CLASSES: readonly (readonly [words: string, tokenClass: TokenClass])[] = [
  ['cache-read-input-token-count', 'cacheRead'],
  ['cache-write-1h-input-token-count', 'cacheCreation1h'],
  ['cache-write-5m-input-token-count', 'cacheCreation'],
  ['cache-write-input-token-count', 'cacheCreation'],
  ['cache-read-input-tokens', 'cacheRead'],
  ['cache-write-1h-input-tokens', 'cacheCreation1h'],
  ['cache-write-input-tokens', 'cacheCreation'],
  ['cache-read-tokens', 'cacheRead'],
  ['cache-write-1h-tokens', 'cacheCreation1h'],
  ['cache-write-5m-tokens', 'cacheCreation'],
  ['cache-write-tokens', 'cacheCreation'],
  ['text-input-tokens', 'input'],
  ['text-output-tokens', 'output'],
  ['speech-input-tokens', 'inputAudio'],
  ['speech-output-tokens', 'outputAudio'],
  ['audio-input-tokens', 'inputAudio'],
  ['audio-output-tokens', 'outputAudio'],
  ['image-input-tokens', 'inputImage'],
  ['video-input-tokens', 'inputVideo'],
  ['input-image-token-count', 'inputImage'],
  ['output-image-token-count', 'outputImage'],
  ['input-token-count', 'input'],
  ['output-token-count', 'output'],
  ['input-tokens', 'input'],
  ['output-tokens', 'output'],
];

/** Words after the class, and the context that they mean. */
const SUFFIXES: Readonly<Record<string, readonly [key: string, value: string] | null>> = {
  'cross-region-global': ['geo', 'global'],
  global: ['geo', 'global'],
  'cross-region-geo': null,
  'cross-region': null,
  geo: null,
  batch: ['tier', 'batch'],
  flex: ['tier', 'flex'],
  priority: ['tier', 'priority'],
  standard: null,
  'long-context': ['size', 'long'],
  lctx: ['size', 'long'],
  'latency-optimized': ['latency', 'optimized'],
};

/** Not counted in tokens: the books have no events to compare. */
const OTHERS: readonly { readonly pattern: RegExp; readonly kind: LineKind; readonly unit: string | null }[] = [
  { pattern: /-provisionedthroughput-/i, kind: 'capacity', unit: 'model_unit_hours' },
  { pattern: /-reserved-\d+-month-(?:input|output)-tokens-per-minute/i, kind: 'capacity', unit: null },
  { pattern: /-search-units$/i, kind: 'usage', unit: 'search_units' },
  { pattern: /-customization-(?:training|storage)/i, kind: 'training', unit: null },
  { pattern: /-model-?storage/i, kind: 'storage', unit: null },
];

/** Null if the usage type is not understood. */
export function readBedrockUsageType(usageType: string, description = '', service = ''): LineMeaning | null {
  const marketplace = MARKETPLACE.exec(usageType);
  if (marketplace !== null) return readMarketplace(marketplace, modelInText(description) ?? modelInText(service));
  const name = usageType.replace(REGION, '');
  const other = OTHERS.find(({ pattern }) => pattern.test(`-${name}`));
  if (other !== undefined)
    return meaning('aws.usage-type.other', { kind: other.kind, unit: other.unit, verified: other.kind !== 'usage' });
  const lower = name.toLowerCase();
  for (const [words, tokenClass] of CLASSES) {
    const at = lower.indexOf(`-${words}`);
    const end = at + words.length + 1;
    if (at <= 0 || (end < lower.length && lower[end] !== '-')) continue;
    const pairs = readSuffixes(lower.slice(end + 1));
    const before = readModel(name.slice(0, at));
    if (pairs === null || before === null) return null;
    return meaning('aws.usage-type.tokens', {
      model: before,
      tokenClass,
      context: contextOf(pairs),
      unit: 'tokens',
      verified: true,
    });
  }
  return null;
}

/** Marketplace names: `MP:`, then region, class and variant. */
const MARKETPLACE = /^(?:[A-Z0-9]+-)?MP:[A-Z0-9]+_([A-Za-z0-9]+?)TokenCount((?:_[A-Za-z0-9]+)*)-Units$/;
const MARKETPLACE_CLASSES: Readonly<Record<string, TokenClass>> = {
  Input: 'input',
  Output: 'output',
  CacheReadInput: 'cacheRead',
  CacheWriteInput: 'cacheCreation',
  CacheWrite1hInput: 'cacheCreation1h',
  CacheWrite1HInput: 'cacheCreation1h',
  CacheWrite5mInput: 'cacheCreation',
};
const MARKETPLACE_VARIANTS: Readonly<Record<string, readonly [key: string, value: string] | null>> = {
  Global: ['geo', 'global'],
  Batch: ['tier', 'batch'],
  Flex: ['tier', 'flex'],
  Priority: ['tier', 'priority'],
  Standard: null,
  Geo: null,
  LongContext: ['size', 'long'],
  LCtx: ['size', 'long'],
};

function readMarketplace([, name = '', variants = '']: readonly string[], model: string | null): LineMeaning | null {
  const tokenClass = MARKETPLACE_CLASSES[name];
  const pairs: Record<string, string> = {};
  for (const variant of variants.split('_').filter((text) => text !== '')) {
    const pair = MARKETPLACE_VARIANTS[variant];
    if (pair === undefined) return null;
    if (pair !== null) pairs[pair[0]] = pair[1];
  }
  if (tokenClass === undefined) return null;
  return meaning('aws.usage-type.marketplace', {
    model,
    tokenClass,
    context: contextOf(pairs),
    unit: 'tokens',
    verified: model !== null,
  });
}

/** `Claude Opus 4.6 (Amazon Bedrock Edition)` is the name of a service, and begins descriptions. */
export function modelInText(text: string): string | null {
  const match =
    /^(Claude [A-Za-z]+ \d+(?:\.\d+)?|Claude \d+(?:\.\d+)? [A-Za-z]+)(?: v?\d+)? \(Amazon Bedrock Edition\)/.exec(text);
  return match === null ? null : match[1]!.toLowerCase().replaceAll(/[\s.]+/g, '-');
}

const MODEL = /^[A-Za-z][A-Za-z0-9]*(?:[.-][A-Za-z0-9]+)*$/;

/** The model's name in the catalogue's spelling, or null. */
function readModel(text: string): string | null {
  const name = text.replace(/-mantle$/, '');
  if (!MODEL.test(name)) return null;
  const claude = /^Claude(\d+(?:\.\d+)?)([A-Z][a-z]+)(V\d)?$/.exec(name);
  if (claude !== null) {
    const [, version = '', family = ''] = claude;
    const parts = [family.toLowerCase(), version.replaceAll('.', '-')];
    return `claude-${(Number(version) < 4 ? parts.reverse() : parts).join('-')}`;
  }
  const nova = /^Nova(\d+(?:\.\d+)?)?([A-Z][A-Za-z]+)$/.exec(name);
  if (nova !== null)
    return `nova-${nova[1] === undefined ? '' : `${nova[1].replace(/\.0$/, '')}-`}${nova[2]!.toLowerCase()}`;
  return name.toLowerCase().replace(/^(?:anthropic|amazon|openai|meta|mistral|cohere|deepseek|qwen|google)\./, '');
}

function readSuffixes(text: string): Record<string, string> | null {
  const pairs: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const word = Object.keys(SUFFIXES)
      .sort((one, other) => other.length - one.length)
      .find((suffix) => rest === suffix || rest.startsWith(`${suffix}-`));
    if (word === undefined) return null;
    const pair = SUFFIXES[word];
    if (pair !== null && pair !== undefined) pairs[pair[0]] = pair[1];
    rest = rest.slice(word.length + 1);
  }
  return pairs;
}

function meaning(rule: string, known: Partial<LineMeaning>): LineMeaning {
  return {
    rule,
    verified: false,
    kind: 'usage',
    model: null,
    tokenClass: null,
    context: '',
    unit: null,
    per: 1,
    ...known,
  };
}
