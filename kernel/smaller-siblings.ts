/**
 * Possible names of a smaller model of the same family and generation, nearest first. Rates show if it exists and is
 * cheaper: a name without a price is skipped.
 */

/** Parts of model names that state a size, each with the next smaller one. */
const SMALLER: readonly (readonly [larger: string, smaller: string])[] = [
  ['opus', 'sonnet'],
  ['sonnet', 'haiku'],
  ['pro', 'flash'],
  ['flash', 'flash-lite'],
  ['premier', 'pro'],
  ['large', 'medium'],
  ['large', 'small'],
  ['medium', 'small'],
  ['mini', 'nano'],
];
/** Suffixes of smaller models if a name has no size. */
const SUFFIXES = ['mini', 'small'];
const SIZES = new Set([
  'opus',
  'sonnet',
  'haiku',
  'pro',
  'flash',
  'lite',
  'premier',
  'micro',
  'large',
  'medium',
  'small',
  'mini',
  'nano',
  'tiny',
]);
/** Siblings have different snapshots than the model. */
const SNAPSHOT = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview)$/;

export function smallerSiblings(model: string): string[] {
  const name = model.replace(SNAPSHOT, '');
  const words = name.split('-');
  const sized = SMALLER.filter(([larger]) => words.includes(larger) && !(larger === 'flash' && words.includes('lite')));
  if (sized.length > 0)
    return sized.map(([larger, smaller]) => words.map((word) => (word === larger ? smaller : word)).join('-'));
  return words.some((word) => SIZES.has(word)) ? [] : SUFFIXES.map((suffix) => `${name}-${suffix}`);
}
