/** Instants for people, in UTC as everything else here. */
import { html, type Html } from '../shell/html.ts';

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

/** `21 Nov 2026, 10:04 UTC`. */
export function formatInstant(iso: string): Html {
  const instant = new Date(iso);
  return html`<time datetime="${iso}">${DATE.format(instant)}, ${TIME.format(instant)}&nbsp;UTC</time>`;
}

/** `21 Nov 2026`. */
export function formatDate(iso: string): Html {
  return html`<time datetime="${iso}">${DATE.format(new Date(iso))}</time>`;
}

const HOUR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The beginning of an hour, day, week or month: `21 Nov, 13:00`, `21 Nov 2026`, `November 2026`. */
export function formatBucket(iso: string, unit: string): string {
  const instant = new Date(iso);
  if (unit === 'hour') return `${HOUR.format(instant)}, ${TIME.format(instant)}`;
  return unit === 'month' ? formatMonth(instant) : DATE.format(instant);
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `November 2026`, of the month that an instant lies in. */
export function formatMonth(instant: Date): string {
  return MONTH.format(instant);
}
