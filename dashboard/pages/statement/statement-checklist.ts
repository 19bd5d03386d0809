/** Checklist of a statement: prices, customers, the payment connection and bills. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount } from '../../figures/amount.ts';
import { permittedLink } from '../../figures/permitted-link.ts';
import { priceLabel } from '../../figures/warnings.ts';
import { windowParameters } from '../../figures/window-choice.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { html, type Html } from '../../shell/html.ts';
import type { Statement, StatementPeriod } from './statement-figures.ts';

const CONNECTION = graphql(`query StatementConnection { revenueConnection { state } }`);

const BILLS = graphql(`query StatementBills($start: Instant!, $end: Instant!) {
  billDays(start: $start, end: $end) { isUnexplained }
}`);

/** `null` if they cannot be read. */
type Bills = DataOf<'StatementBills'>['billDays'] | null;
/** `null` if the caller may not read it. */
type Connection = DataOf<'StatementConnection'> | null;

interface Check {
  readonly isDone: boolean;
  readonly text: string;
  readonly href: string;
  readonly action: string;
}

export async function getChecklist(
  gateway: GatewayClient,
  principal: Principal,
  { period, figures }: { readonly period: StatementPeriod; readonly figures: Statement },
): Promise<Html> {
  const { start, end } = period.window;
  const [connection, bills] = await Promise.all([
    outcomeOf(askGateway(gateway, CONNECTION, {}, principal), []),
    outcomeOf(askGateway(gateway, BILLS, { start, end }, principal), []),
  ]);
  const checks = [
    ...checksOf(principal, period, figures, connection.value),
    ...billCheck(bills.value?.billDays ?? null),
  ];
  return checklist(principal, checks);
}

function checklist(principal: Principal, checks: readonly Check[]): Html {
  const open = checks.filter(({ isDone }) => !isDone).length;
  return html`
<section class="panel" aria-labelledby="checklist"><h2 id="checklist">${open === 0 ? 'Checklist: complete' : `Checklist: ${open} open`}</h2>
<ul class="checklist">${checks.map(({ isDone, text, href, action }) => html`<li><span class="badge ${isDone ? 'good' : 'test'}">${isDone ? 'done' : 'open'}</span> ${text}${!isDone && html` ${permittedLink(principal, href, action)}`}</li>`)}</ul></section>`;
}

function checksOf(
  principal: Principal,
  period: StatementPeriod,
  { window }: Statement,
  connection: Connection,
): Check[] {
  const { margin, events, costs } = window;
  // Waiting, failed and just received events have no cost.
  const unpriced = (events.totalCount ?? 0) - costs.eventCount;
  const unmatched = margin.unmatchedCustomers;
  const state = connection?.revenueConnection?.state ?? 'DISCONNECTED';
  const isConnected = state !== 'DISCONNECTED';
  return [
    {
      isDone: unpriced === 0,
      text:
        unpriced === 0
          ? 'All events have a price.'
          : `${formatCount(unpriced)} ${unpriced === 1 ? 'event has no price and counts' : 'events have no price and count'} as $0.`,
      href: '/rates/waiting',
      action: priceLabel(principal),
    },
    {
      isDone: unmatched.totalCount === 0,
      text:
        unmatched.totalCount === 0
          ? 'All revenue belongs to customers.'
          : `${formatCount(unmatched.totalCount)} Stripe ${unmatched.totalCount === 1 ? 'customer' : 'customers'} with revenue ${unmatched.totalCount === 1 ? 'is' : 'are'} not linked to a customer.`,
      href: `/customers?${new URLSearchParams([...windowParameters(period.window), ['only', 'unlinked']]).toString()}`,
      action: 'View revenue',
    },
    ...(connection === null
      ? []
      : [
          {
            isDone: isConnected,
            text: isConnected ? 'Stripe is connected.' : 'Stripe is not connected: revenue may be missing.',
            href: '/settings/payments',
            action: 'View connection',
          },
        ]),
  ];
}

/** Empty without bills. */
function billCheck(bills: Bills): Check[] {
  if (bills === null || bills.length === 0) return [];
  const unexplained = bills.filter(({ isUnexplained }) => isUnexplained).length;
  return [
    {
      isDone: unexplained === 0,
      text:
        unexplained === 0
          ? 'Bills of providers agree with the books, or their differences are explained.'
          : `${formatCount(unexplained)} ${unexplained === 1 ? 'bill has an unexplained difference' : 'bills have unexplained differences'} from the books.`,
      href: '/books/bills',
      action: 'View bills',
    },
  ];
}
