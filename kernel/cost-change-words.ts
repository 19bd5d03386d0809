/** The parts of a change of costs, and its main cause, in the same words on every page and in every message. */
import { absolute, amount, type Amount } from './money.ts';
import { rounded, roundedParts } from './rounded-parts.ts';
import { DAY_MS, HOUR_MS } from './time/duration.ts';
import { dayInWords, timeInWords } from './time/in-words.ts';

/** Exact amounts that add up to the difference. */
export interface ChangeParts {
  readonly calls: string;
  readonly mix: string;
  readonly size: string;
  readonly price: string;
  readonly corrections: string;
}

export interface WordedPart {
  readonly exact: Amount;
  /** Rounded to cents; all parts add up to the shown difference. */
  readonly shown: Amount;
  /** For example `more calls`. */
  readonly from: string;
}

const WORDS: Readonly<Record<keyof ChangeParts, readonly [more: string, less: string]>> = {
  calls: ['more calls', 'fewer calls'],
  mix: ['other models or agents', 'other models or agents'],
  size: ['larger calls', 'smaller calls'],
  price: ['higher prices', 'lower prices'],
  corrections: ['corrections of closed months', 'corrections of closed months'],
};

/**
 * The largest part first. Parts that are shown as nothing are left out, unless all are. `shownDifference`: the difference
 * as it is shown, if it is not the rounded one.
 */
export function wordedParts(parts: ChangeParts, shownDifference?: Amount): WordedPart[] {
  const names = Object.keys(WORDS) as (keyof ChangeParts)[];
  const exact = names.map((name) => amount(parts[name]));
  const shown = roundedParts(
    exact.reduce((sum, part) => sum + part, 0n),
    exact,
    shownDifference,
  );
  const worded = names.map((name, index) => ({
    exact: exact[index]!,
    shown: shown[index]!,
    from: WORDS[name][exact[index]! < 0n ? 1 : 0],
  }));
  const isTiny = worded.every((part) => part.shown === 0n && rounded(part.exact) === 0n);
  return worded
    .filter((part) => (isTiny ? part.exact !== 0n : part.shown !== 0n))
    .toSorted(
      (one, other) =>
        Number(absolute(other.exact) > absolute(one.exact)) - Number(absolute(other.exact) < absolute(one.exact)),
    );
}

export interface MainCause {
  /** Name of the customer; null if it is not one customer. */
  readonly customer: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly start: string;
  readonly end: string;
}

/** For example `Meridian Bank's review-agent on 25 Nov, 13:00–15:00`. The time is left out if it is the whole window. */
export function causeInWords(
  { customer, agent, model, start, end }: MainCause,
  window: { readonly start: string; readonly end: string },
): string {
  const what = agent ?? model;
  const who = customer === null ? (what ?? '') : what === null ? customer : `${customer}'s ${what}`;
  const isWhole = Date.parse(start) === Date.parse(window.start) && Date.parse(end) === Date.parse(window.end);
  const length = Date.parse(end) - Date.parse(start);
  if (length >= DAY_MS && (isWhole || length > DAY_MS)) return who;
  const day = `${who} on ${dayInWords(new Date(start))}`;
  return length < DAY_MS && length >= HOUR_MS
    ? `${day}, ${timeInWords(new Date(start))}–${timeInWords(new Date(end))}`
    : day;
}
