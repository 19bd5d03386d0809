/** Instants for people, in UTC like all times here. */
import { dateInWords, dayInWords, monthInWords, timeInWords } from '#kernel/time/in-words.ts';
import { html, type Html } from '../shell/html.ts';

/** `21 Nov 2026, 10:04 UTC`. */
export function formatInstant(iso: string): Html {
  const instant = new Date(iso);
  return html`<time datetime="${iso}">${dateInWords(instant)}, ${timeInWords(instant)}&nbsp;UTC</time>`;
}

/** `21 Nov 2026, 10:04:31 UTC`. */
export function formatSecond(iso: string): Html {
  const instant = new Date(iso);
  return html`<time datetime="${iso}">${dateInWords(instant)}, ${instant.toISOString().slice(11, 19)}&nbsp;UTC</time>`;
}

/** `21 Nov 2026`. */
export function formatDate(iso: string): Html {
  return html`<time datetime="${iso}">${dateInWords(new Date(iso))}</time>`;
}

/** Start of an hour, day, week or month: `21 Nov, 13:00`, `21 Nov 2026`, `November 2026`. */
export function formatBucket(iso: string, unit: string): string {
  const instant = new Date(iso);
  if (unit === 'hour') return `${dayInWords(instant)}, ${timeInWords(instant)}`;
  return unit === 'month' ? formatMonth(instant) : dateInWords(instant);
}

/** `November 2026`: the month of an instant. */
export function formatMonth(instant: Date): string {
  return monthInWords(instant);
}
