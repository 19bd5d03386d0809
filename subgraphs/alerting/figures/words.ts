/** Formats figures and days for sentences. Figures are rounded; the exact ones are shown separately. */
import { dateInWords, monthInWords, timeInWords } from '#kernel/time/in-words.ts';
import { groupedDigits } from '#kernel/usd-text.ts';

export function count(number: number): string {
  return groupedDigits(String(number));
}

/** `2026-11-21` as `21 Nov 2026`, like the pages. */
export function dayWords(day: string): string {
  return dateInWords(new Date(day));
}

/** `2026-11` as `November 2026`. */
export function monthWords(month: string): string {
  return monthInWords(new Date(month));
}

/** `21 Nov 2026, 10:04 UTC`. */
export function instantWords(iso: string): string {
  return `${dayWords(iso)}, ${timeInWords(new Date(iso))} UTC`;
}
