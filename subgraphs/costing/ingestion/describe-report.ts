/** Describes two reports, for a result message or an explanation. */
import { COUNTED_CLASSES, wireName } from '#schema/token-classes.ts';
import { countsOf } from '#usage/counts/reported-counts.ts';
import { contextOf, type Report } from './compare-reports.ts';
import { reportedNumbers } from './reported-numbers.ts';

const NUMBERS_MAX = 10;

/** `input 2, output 1` and `input 2, output 260`; if their tokens are equal, the other numbers that differ. */
export function describeCounts(stored: Report, later: Report): readonly [string, string] {
  const [before, after] = [tokensIn(stored), tokensIn(later)];
  if (before !== after) return [before, after];
  const [one, other] = [reportedNumbers(stored), reportedNumbers(later)];
  const names = [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name));
  const shown = names.slice(0, NUMBERS_MAX);
  const contexts = [contextOf(stored), contextOf(later)] as const;
  const text = (tokens: string, numbers: ReadonlyMap<string, number>, context: string) =>
    [
      tokens,
      ...shown.map((name) => `${name} ${numbers.get(name) ?? 0}`),
      ...(contexts[0] === contexts[1] ? [] : [context || 'standard']),
    ].join(', ');
  return [text(before, one, contexts[0]), text(after, other, contexts[1])];
}

function tokensIn(report: Report): string {
  const counts = countsOf(report);
  return COUNTED_CLASSES.filter((name) => counts[name] !== null)
    .map((name) => `${wireName(name)} ${counts[name]}`)
    .join(', ');
}

/** The error message for another call that was reported under the id of a stored one. */
export function describeConflict(stored: Report, later: Report): string {
  const [before, after] = describeCounts(stored, later);
  return (
    'A different call is already stored under this id, so nothing was booked for this one. ' +
    `Stored: ${callOf(stored)}, ${before}. This report: ${callOf(later)}, ${after}. Report each call under its own id`
  );
}

function callOf({ model, eventTimeMs }: Report): string {
  return `${model} at ${new Date(eventTimeMs).toISOString()}`;
}
