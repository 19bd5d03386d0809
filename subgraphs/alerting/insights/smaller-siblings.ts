/**
 * The names that a smaller model of the same family and generation may have, nearest first. Whether there is one, and whether it is cheaper, its
 * rates say: a name that no card prices is passed over.
 */

/** From the larger to the next smaller, by the part of the name that says so. */
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
/** What a name without a size may be followed by. */
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
/** Snapshots of one model differ from those of its siblings. */
const SNAPSHOT = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview)$/;

export function smallerSiblings(model: string): string[] {
  const name = model.replace(SNAPSHOT, '');
  const words = name.split('-');
  const sized = SMALLER.filter(([larger]) => words.includes(larger) && !(larger === 'flash' && words.includes('lite')));
  if (sized.length > 0)
    return sized.map(([larger, smaller]) => words.map((word) => (word === larger ? smaller : word)).join('-'));
  return words.some((word) => SIZES.has(word)) ? [] : SUFFIXES.map((suffix) => `${name}-${suffix}`);
}
