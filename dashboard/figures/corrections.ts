/**
 * Amounts that a period contains for months that were already closed. They are booked at the first instant of a month,
 * and are not usage of that day.
 */
import { usdText } from '#kernel/usd-text.ts';
import { amount, type Amount, plain } from '#kernel/money.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { html, type Html } from '../shell/html.ts';
import { exactAmount, formatCount } from './amount.ts';
import type { ChartMark } from './chart-marks.ts';
import { formatMonth } from './instant.ts';

const BOOKED = graphql(`query BookedCorrections($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { bookedCorrections { bookedAt month totalCost entryCount } }
}`);

export type Correction = DataOf<'BookedCorrections'>['window']['bookedCorrections'][number];

/** Returns an empty list if the corrections cannot be read. */
export async function getCorrections(
  gateway: GatewayClient,
  principal: Principal,
  { start, end }: { readonly start: string; readonly end: string },
): Promise<readonly Correction[]> {
  const { value } = await outcomeOf(askGateway(gateway, BOOKED, { start, end }, principal), []);
  return value?.window.bookedCorrections ?? [];
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
