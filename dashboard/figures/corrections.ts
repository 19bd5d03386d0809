/**
 * Amounts that a period contains for months that were already closed. They are booked at the first instant of a month,
 * and are not usage of that day.
 */
import { usdText } from '#kernel/usd-text.ts';
import { amount, type Amount, plain } from '#kernel/money.ts';
import { addMonths, monthStart } from '#kernel/time/calendar.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { graphql } from '#schema/graphql.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { html, type Html } from '../shell/html.ts';
import { exactAmount, formatCount } from './amount.ts';
import type { ChartMark } from './chart-marks.ts';
import { formatMonth } from './instant.ts';

const BOOKED = graphql(`query BookedCorrections($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { ledgerCosts { corrections { month totalCost entryCount } } }
}`);

export interface Correction {
  /** First instant of the month in which they are booked. */
  readonly bookedAt: string;
  /** The closed month, `2026-10`. */
  readonly month: string;
  readonly totalCost: string;
  readonly entryCount: number;
}

/** Only the first instant of each month is read, so the size of the period does not matter. */
const MONTHS_MAX = 13;

/** Returns an empty list if the corrections cannot be read. */
export async function getCorrections(
  gateway: GatewayClient,
  principal: Principal,
  { start, end }: { readonly start: string; readonly end: string },
): Promise<Correction[]> {
  const found = await Promise.all(
    monthStarts(new Date(start), new Date(end)).map(async (first) => {
      const bookedAt = first.toISOString();
      const window = { start: bookedAt, end: new Date(first.getTime() + 1).toISOString() };
      const { value } = await outcomeOf(askGateway(gateway, BOOKED, window, principal), []);
      return (value?.window.ledgerCosts.corrections ?? []).map((correction) => ({ ...correction, bookedAt }));
    }),
  );
  return found.flat();
}

function monthStarts(start: Date, end: Date): Date[] {
  const first = monthStart(start.getUTCFullYear(), start.getUTCMonth());
  return Array.from({ length: MONTHS_MAX }, (_, index) => addMonths(first, index)).filter(
    (month) => month >= start && month < end,
  );
}

/** One mark for each instant at which corrections are booked, with their sum. */
export function correctionMarks(corrections: readonly Correction[]): ChartMark[] {
  return [...Map.groupBy(corrections, ({ bookedAt }) => bookedAt)].map(([at, some]) => ({
    at,
    kind: 'correction',
    name: `${usdText(plain(totalOf(some)))}, ${entries(some)}`,
    href: '/books/closing',
  }));
}

/** Line shown below tables that contain corrections. */
export function correctionLine(corrections: readonly Correction[]): Html | false {
  if (corrections.length === 0) return false;
  const months = [...Map.groupBy(corrections, ({ month }) => month)].map(
    ([month, some]) => `${formatMonth(new Date(`${month}-01T00:00:00Z`))} ${usdText(plain(totalOf(some)))}`,
  );
  return html`<p class="muted">Includes corrections of closed months: ${exactAmount(plain(totalOf(corrections)))}, ${entries(corrections)} (${months.join(', ')}). They are not usage of this period.</p>`;
}

function totalOf(corrections: readonly Correction[]): Amount {
  return corrections.reduce((sum, { totalCost }) => sum + amount(totalCost), 0n);
}

/** `3 entries`. */
export function entries(corrections: readonly Pick<Correction, 'entryCount'>[]): string {
  const count = corrections.reduce((sum, { entryCount }) => sum + entryCount, 0);
  return `${formatCount(count)} ${count === 1 ? 'entry' : 'entries'}`;
}
