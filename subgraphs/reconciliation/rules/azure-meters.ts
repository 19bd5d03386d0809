/**
 * Reads meter names of Azure's model products, which have no standard spelling: `gpt-4o-0806-Inp-glbl Tokens`,
 * `GPT 5 cchd Inpt Glbl`, `5.6 sol ShortCo Cd Wr Std Gl 1M Tokens`. The words after the model must all be known;
 * otherwise the meter is left unread.
 */
import type { TokenClass } from '#schema/token-classes.ts';
import type { LineMeaning } from '../lines/bill-line.ts';
import { contextOf } from './context-text.ts';

type Side = 'input' | 'output';

const SIDES: Readonly<Record<string, Side>> = {
  inp: 'input',
  inpt: 'input',
  input: 'input',
  in: 'input',
  outp: 'output',
  outpt: 'output',
  output: 'output',
  out: 'output',
  opt: 'output',
};
const CACHED = new Set(['cchd', 'cached', 'cd', 'cach', 'cache', 'ch']);
const WRITE = new Set(['wr', 'wrt', 'write']);
/** Azure's deployment types. The global type has the standard price. */
const DEPLOYMENTS: Readonly<Record<string, string | null>> = {
  glbl: null,
  global: null,
  gl: null,
  regnl: 'region',
  rgnl: 'region',
  regional: 'region',
  datazone: 'datazone',
  dzone: 'datazone',
  dzn: 'datazone',
  dz: 'datazone',
};
const TIERS: Readonly<Record<string, string | null>> = {
  batch: 'batch',
  btch: 'batch',
  flex: 'flex',
  priority: 'priority',
  prty: 'priority',
  std: null,
  standard: null,
};
const SIZES: Readonly<Record<string, string | null>> = {
  shortco: null,
  shortcontext: null,
  longco: 'long',
  longcontext: 'long',
};
const MODALITIES: Readonly<Record<string, 'text' | 'audio' | 'image'>> = {
  txt: 'text',
  text: 'text',
  aud: 'audio',
  audio: 'audio',
  img: 'image',
  image: 'image',
};
const SCALES: Readonly<Record<string, number>> = { '1k': 1_000, '1m': 1_000_000 };

const CLASSES: Readonly<Record<'text' | 'audio' | 'image', Readonly<Record<Side | 'cached', TokenClass>>>> = {
  text: { input: 'input', output: 'output', cached: 'cacheRead' },
  audio: { input: 'inputAudio', output: 'outputAudio', cached: 'cacheReadAudio' },
  image: { input: 'inputImage', output: 'outputImage', cached: 'cacheReadImage' },
};

/** Null if the name is not understood. */
export function readAzureMeter(meter: string): LineMeaning | null {
  const words = meter
    .trim()
    .toLowerCase()
    .replaceAll(/\bdata zone\b/g, 'datazone')
    .replaceAll(/\b(batch)(inp|outp|inpt|outpt)\b/g, '$1 $2')
    .replaceAll(/\b(mini|nano)(\d{4})\b/g, '$1 $2')
    .split(/[\s-]+/)
    .filter((word) => word !== '');
  const model: string[] = [];
  let side: Side | null = null;
  let isCached = false;
  let isWrite = false;
  let deployment: string | null | undefined;
  let tier: string | null = null;
  let size: string | null = null;
  let modality: 'text' | 'audio' | 'image' = 'text';
  let tuning: string | null = null;
  let per = 1;
  let isUnitNamed = false;
  for (const word of words) {
    if (side === null && !isCached && isModelWord(word, model)) model.push(word);
    else if (SIDES[word] !== undefined && side === null) side = SIDES[word];
    else if (CACHED.has(word) && !isCached) isCached = true;
    else if (WRITE.has(word) && isCached && !isWrite) isWrite = true;
    else if (word in DEPLOYMENTS && deployment === undefined) deployment = DEPLOYMENTS[word] ?? null;
    else if (word in TIERS && tier === null) tier = TIERS[word] ?? null;
    else if (word in SIZES && size === null) size = SIZES[word] ?? null;
    else if (MODALITIES[word] !== undefined) modality = MODALITIES[word];
    else if (word === 'ft' || (word === 'dev' && tuning === null))
      tuning = word === 'ft' && tuning === null ? 'ft' : 'dev';
    else if (SCALES[word] !== undefined && per === 1) per = SCALES[word];
    else if (word === 'tokens' || word === 'token') isUnitNamed = true;
    else return null;
  }
  const name = azureModel(model);
  const part = side ?? (isCached ? 'input' : null);
  if (name === null || part === null || (isCached && part === 'output')) return null;
  // Without a deployment type, the name could belong to another product.
  if (deployment === undefined && !isUnitNamed) return null;
  return {
    rule: 'azure.meter',
    verified: tuning === null && modality === 'text' && tier !== 'priority' && deployment !== undefined,
    kind: 'usage',
    model: tuning === null ? name : `${name}:ft`,
    tokenClass: isWrite ? 'cacheCreation' : CLASSES[modality][isCached ? 'cached' : part],
    context: contextOf({ deployment, size, tier, tuning: tuning === 'dev' ? 'developer' : null }),
    unit: 'tokens',
    per,
  };
}

const FAMILY = /^(?:gpt|o[134]|o3|v\d|phi|mistral|grok|kimi|llama|deepseek|codex|claude)/;
const AFTER_FAMILY =
  /^(?:\d+(?:\.\d+)?o?|\d{4}|mini|nano|pro|sol|luna|flash|chat|codex|turbo|max|oss|\d+b|rt|realtime|preview|r\d|v\d(?:\.\d)?|speciale|sp|deep|research|terra)$/;

function isModelWord(word: string, before: readonly string[]): boolean {
  if (before.length === 0) return FAMILY.test(word) || /^\d\.\d$/.test(word) || /^[45]$/.test(word);
  return AFTER_FAMILY.test(word);
}

/** GPT snapshots by the month and day in meter names. */
const SNAPSHOTS: Readonly<Record<string, string>> = {
  '0513': '2024-05-13',
  '0718': '2024-07-18',
  '0806': '2024-08-06',
  '1120': '2024-11-20',
  '1217': '2024-12-17',
  '0414': '2025-04-14',
  '0807': '2025-08-07',
};

function azureModel(words: readonly string[]): string | null {
  if (words.length === 0) return null;
  const snapshot = words.find((word) => /^\d{4}$/.test(word));
  const names = words.filter((word) => word !== snapshot);
  const [first = ''] = names;
  const date = snapshot === undefined ? '' : SNAPSHOTS[snapshot];
  if (date === undefined) return null;
  const suffix = date === '' ? '' : `-${date}`;
  if (/^\d/.test(first)) return `gpt-${names.join('-')}${suffix}`;
  if (/^v\d/.test(first)) return names.length > 1 ? `deepseek-${names.join('-')}${suffix}` : null;
  if (first === 'gpt' && names.length === 1) return null;
  return `${names.join('-').replace(/^gpt-?(?=\d)/, 'gpt-')}${suffix}`;
}
