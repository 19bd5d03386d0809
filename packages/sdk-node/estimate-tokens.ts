/**
 * Estimates the tokens of a call that ended before the provider counted them. Without a tokenizer: about four ASCII characters are a
 * token, one character of Chinese, Japanese or Korean is one, and some models divide the same text finer. The service books such counts as guessed.
 */

/** Tokens of OpenAI's o200k_base, roughly, for a text that is a part of another. */
export function weightOf(text: string): number {
  let weight = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    weight += code < 0x80 ? 0.25 : code < 0x2e80 ? 0.4 : code >= 0xd800 && code < 0xe000 ? 0.5 : 1;
  }
  return weight;
}

/** How many tokens other models need for the same text. The first that fits. */
const FAMILIES: readonly [RegExp, number][] = [
  [/claude-(?:[a-z]+-4[-.][7-9]|[a-z]+-[5-9])/, 1.5],
  [/claude/, 1.15],
  [/^gpt-(?:3\.5|4(?:-|$))/, 1.08],
];

export function estimateTokens(weight: number, model: string | null): number {
  const name = model?.toLowerCase() ?? '';
  return Math.ceil(weight * (FAMILIES.find(([models]) => models.test(name))?.[1] ?? 1));
}

/** Where requests hold what the model reads. */
const PROMPT = new Set([
  'messages',
  'input',
  'contents',
  'prompt',
  'system',
  'systemInstruction',
  'system_instruction',
  'instructions',
  'tools',
]);
const DEPTH_MAX = 12;
/** Images and files are not text. */
const ENCODED = /^data:/;
const FILES = new Set(['data', 'bytes', 'file_data', 'b64_json']);

/** `request` is the body of a request, as JSON or parsed. 0 where it cannot be read. */
export function promptWeight(request: unknown): number {
  let body = request;
  if (typeof body === 'string') {
    try {
      body = JSON.parse(body) as unknown;
    } catch {
      return 0;
    }
  }
  if (typeof body !== 'object' || body === null) return 0;
  return Object.entries(body).reduce(
    (sum, [name, value]) => sum + (PROMPT.has(name) ? textWeight(value, DEPTH_MAX) : 0),
    0,
  );
}

/** Of all texts within. */
function textWeight(value: unknown, levels: number): number {
  if (typeof value === 'string') return ENCODED.test(value) ? 0 : weightOf(value);
  if (typeof value !== 'object' || value === null || levels === 0) return 0;
  return Object.entries(value).reduce(
    (sum, [name, inner]) => sum + (FILES.has(name) ? 0 : textWeight(inner, levels - 1)),
    0,
  );
}

const PIECE =
  /"(?:content|text|delta|partial_json|thinking|reasoning|reasoning_content|refusal|arguments)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;
/** Events of the Responses API that repeat what its deltas said. */
const REPEATED = /"type"\s*:\s*"(?:response\.(?!\w+(?:\.\w+)*\.delta")|content_block_stop)/;

/** Of the text that one event of a stream, or a piece of a body, adds to the answer. */
export function pieceWeight(data: string): number {
  if (REPEATED.test(data)) return 0;
  let weight = 0;
  for (const [, text] of data.matchAll(PIECE)) weight += weightOf(text!.replaceAll(/\\(?:u[0-9a-fA-F]{4}|.)/g, 'x'));
  return weight;
}
