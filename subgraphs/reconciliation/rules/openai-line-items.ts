/**
 * `line_item` of OpenAI's costs: `gpt-5.6-sol, cached input`, `priority | gpt-5.6-sol, output, long context`. Every part
 * must be known; otherwise the line is left unread.
 */
import type { TokenClass } from '#schema/token-classes.ts';
import type { LineKind, LineMeaning } from '../lines/bill-line.ts';
import { contextOf } from './context-text.ts';

/** `isSeen`: the name appears in published API responses or descriptions of real ones. */
const CLASSES: Readonly<Record<string, { readonly tokenClass: TokenClass; readonly isSeen: boolean }>> = {
  input: { tokenClass: 'input', isSeen: true },
  output: { tokenClass: 'output', isSeen: true },
  'cached input': { tokenClass: 'cacheRead', isSeen: true },
  'cache write': { tokenClass: 'cacheCreation', isSeen: true },
  'text input': { tokenClass: 'input', isSeen: false },
  'text output': { tokenClass: 'output', isSeen: false },
  'cached text input': { tokenClass: 'cacheRead', isSeen: false },
  'audio input': { tokenClass: 'inputAudio', isSeen: false },
  'audio output': { tokenClass: 'outputAudio', isSeen: false },
  'cached audio input': { tokenClass: 'cacheReadAudio', isSeen: false },
  'image input': { tokenClass: 'inputImage', isSeen: false },
  'image output': { tokenClass: 'outputImage', isSeen: false },
  'cached image input': { tokenClass: 'cacheReadImage', isSeen: false },
};

const TIERS = new Set(['batch', 'flex', 'priority']);

/** Lines without a model. */
const WHOLE_NAMES: readonly {
  readonly pattern: RegExp;
  readonly kind: LineKind;
  readonly unit: string | null;
  readonly isSeen: boolean;
}[] = [
  { pattern: /^web search tool calls$/, kind: 'usage', unit: 'searches', isSeen: true },
  { pattern: /^file search tool calls$/, kind: 'usage', unit: 'file_searches', isSeen: false },
  { pattern: /^code interpreter(?: sessions?)?$/, kind: 'session', unit: 'sessions', isSeen: false },
  { pattern: /^(?:assistants api \| )?(?:file|vector store) storage$/, kind: 'storage', unit: null, isSeen: false },
  { pattern: /(?:^|[\s,|])(?:fine-tuning )?training$/, kind: 'training', unit: null, isSeen: false },
];

const MODEL = /^(?:ft:)?[a-z][a-z0-9]*(?:[-.:][a-z0-9]+)*$/;

/** Null if the line is not understood. */
export function readOpenaiLineItem(label: string): LineMeaning | null {
  const name = label.trim().toLowerCase();
  const whole = WHOLE_NAMES.find(({ pattern }) => pattern.test(name));
  if (whole !== undefined)
    return {
      rule: 'openai.line-item.tool',
      verified: whole.isSeen,
      kind: whole.kind,
      model: null,
      tokenClass: null,
      context: '',
      unit: whole.unit,
      per: 1,
    };
  const sections = name.split('|').map((section) => section.trim());
  if (sections.length > 2) return null;
  const prefix = sections.length === 2 ? sections[0]! : null;
  if (prefix !== null && !TIERS.has(prefix)) return null;
  const [model, ...parts] = sections
    .at(-1)!
    .split(',')
    .map((part) => part.trim());
  if (model === undefined || !MODEL.test(model)) return null;
  let found: { readonly tokenClass: TokenClass; readonly isSeen: boolean } | null = null;
  let tier = prefix;
  let isLong = false;
  for (const part of parts) {
    const tokenClass = CLASSES[part];
    if (tokenClass !== undefined && found === null) found = tokenClass;
    else if (TIERS.has(part) && tier === null) tier = part;
    else if (part === 'long context' && !isLong) isLong = true;
    else return null;
  }
  if (found === null) return null;
  return {
    rule: 'openai.line-item.tokens',
    verified: found.isSeen && (prefix === tier ? prefix === null || prefix === 'priority' : false),
    kind: 'usage',
    model,
    tokenClass: found.tokenClass,
    context: contextOf({ size: isLong ? 'long' : null, tier }),
    unit: 'tokens',
    per: 1,
  };
}
