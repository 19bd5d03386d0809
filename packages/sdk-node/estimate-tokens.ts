/**
 * Estimates the tokens of a call that ended before the provider reported them, without a tokenizer. A token is about
 * four ASCII characters, or one Chinese, Japanese or Korean character; some models need more tokens. The service marks
 * such counts as guessed.
 */

/** Approximate number of o200k_base (OpenAI) tokens in a piece of text. */
export function weightOf(text: string): number {
  let weight = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    weight += code < 0x80 ? 0.25 : code < 0x2e80 ? 0.4 : code >= 0xd800 && code < 0xe000 ? 0.5 : 1;
  }
  return weight;
}

/** Factors for models that need more tokens for the same text. The first match applies. */
const FAMILIES: readonly [RegExp, number][] = [
  [/claude-(?:[a-z]+-4[-.][7-9]|[a-z]+-[5-9])/, 1.5],
  [/claude/, 1.15],
  [/^gpt-(?:3\.5|4(?:-|$))/, 1.08],
];

/** Estimated tokens of a text with this weight (`weightOf`) for a model; an unknown model counts like OpenAI. */
export function estimateTokens(weight: number, model: string | null): number {
  const name = model?.toLowerCase() ?? '';
  return Math.ceil(weight * (FAMILIES.find(([models]) => models.test(name))?.[1] ?? 1));
}

/** Request fields that contain the prompt. */
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
/** Images and files are not counted as text. */
const ENCODED = /^data:/;
const FILES = new Set(['data', 'bytes', 'file_data', 'b64_json']);

/** `request`: body of a request, as JSON or parsed. Returns 0 if it cannot be read. */
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

/** Weight of all texts in the value. */
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
/** Events that repeat the text of earlier deltas. */
const REPEATED = /"type"\s*:\s*"(?:response\.(?!\w+(?:\.\w+)*\.delta")|content_block_stop)/;

/** Weight of the text that a stream event, or part of a body, adds to the response. */
export function pieceWeight(data: string): number {
  if (REPEATED.test(data)) return 0;
  let weight = 0;
  for (const [, text] of data.matchAll(PIECE)) weight += weightOf(text!.replaceAll(/\\(?:u[0-9a-fA-F]{4}|.)/g, 'x'));
  return weight;
}
