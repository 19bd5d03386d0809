/**
 * Normalizes the spellings of model names in bills and events to one key: `Claude4.6Opus`,
 * `us.anthropic.claude-opus-4-6-v1:0` and `claude-opus-4.6` are one model; `claude-3-sonnet` and `claude-3-5-sonnet`
 * are two.
 */

const VENDOR =
  /^(?:(?:us|eu|apac|au|jp|ca|global|us-gov)\.)?(?:anthropic|amazon|openai|google|meta|mistral|mistralai|cohere|deepseek|qwen|ai21|stability|writer|moonshotai|minimax|nvidia|x-ai|xai|publishers\/[a-z]+\/models)[./:]/;
const DATE = /[-@](?:20\d{2}-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01]))(?=$|[-@:])/;

export interface ModelKey {
  /** Name of the model, with the date of a snapshot. */
  readonly exact: string;
  /** Name of the model without that date. */
  readonly base: string;
}

export function modelKey(name: string): ModelKey {
  const lower = name
    .trim()
    .toLowerCase()
    .replace(/^.*\/(?=[^/]+$)/, '')
    .replace(VENDOR, '');
  const unversioned = lower.replace(/-v\d+(?::\d+)?(?::[\w-]+)?$/, '').replace(/-latest$/, '');
  const date = DATE.exec(unversioned)?.[0].replaceAll(/\D/g, '') ?? '';
  const base = wordsOf(unversioned.replace(DATE, ''));
  return { exact: date === '' ? base : `${base} @${date}`, base };
}

/** Claude names have the version before or after the family, and `2.0` is also written `2`. */
function wordsOf(name: string): string {
  const words = name
    .replaceAll(/(\d)\.0(?!\d)/g, '$1')
    .replaceAll(/([a-z])(?=\d)|(\d)(?=[a-z])/g, '$1$2 ')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  if (words[0] !== 'claude') return words.join(' ');
  const isNumber = (word: string) => /^\d+$/.test(word);
  return [...words.filter((word) => !isNumber(word)).sort(), ...words.filter(isNumber)].join(' ');
}
