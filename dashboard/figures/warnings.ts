/** Warnings about figures, each with a link to its remedy. Pages use their own texts; the graph's messages are for programs. */
import { usdText } from '#kernel/usd-text.ts';
import type { Principal } from '#platform/principal.ts';
import { mayOpen } from '../http/page-access.ts';
import { html, type Html } from '../shell/html.ts';
import { formatCount } from './amount.ts';
import { permittedLink } from './permitted-link.ts';

export interface Line {
  readonly text: string;
  /** Link to the remedy; null if the problem resolves itself, or is fixed elsewhere. */
  readonly action: { readonly path: string; readonly label: string } | null;
}

interface Warning {
  readonly type: string;
  readonly message: string;
}

const PAYMENTS = '/settings/payments';
const EXACT = /(-?\d+(?:\.\d+)?) USD\b/g;

export function warningPanel(lines: readonly Line[], principal: Principal): Html | false {
  return (
    lines.length > 0 &&
    html`<section class="panel warnings" aria-labelledby="warnings"><h2 id="warnings">Needs attention</h2>${warningList(lines, principal)}</section>`
  );
}

export function warningList(lines: readonly Line[], principal: Principal): Html {
  return html`<ul>${lines.map(
    ({ text, action }) => html`
    <li>${text}${action !== null && html` ${permittedLink(principal, action.path, action.label)}`}</li>`,
  )}</ul>`;
}

export function costWarning({ type, message }: Warning): Line {
  return type === 'window_ends_in_future'
    ? NOT_ENDED
    : { text: withAmounts(message), action: { path: '/books', label: 'View books' } };
}

export function marginWarning(
  { type, count, message }: Warning & { readonly count: number },
  total: { readonly totalRevenue: string; readonly unattributedCost: string },
): Line {
  switch (type) {
    case 'unattributed_cost':
      return {
        text: `${some(count, 'event')} ${count === 1 ? 'has' : 'have'} no customer: ${usdText(total.unattributedCost)} is included in the total but not assigned to a customer. Send user_id with each event.`,
        action: { path: '/sources/events', label: 'View events' },
      };
    case 'unattributed_revenue':
      return {
        text: `${some(count, 'revenue record')} ${count === 1 ? 'is' : 'are'} not linked to any of your customers.`,
        action: { path: `${PAYMENTS}/customers`, label: 'Link customers' },
      };
    case 'revenue_not_connected':
      return {
        text:
          total.totalRevenue === '0'
            ? 'Connect Stripe to see margins.'
            : 'Stripe is not connected: revenue since it was disconnected is missing.',
        action: { path: PAYMENTS, label: 'Connect Stripe' },
      };
    case 'revenue_set_aside':
      return {
        text: `${some(count, 'Stripe record')} could not be used and ${count === 1 ? 'is' : 'are'} excluded. Other records are not affected.`,
        action: { path: '/books/set-aside', label: 'View records' },
      };
    case 'revenue_in_other_currencies':
      return {
        text: `${some(count, 'revenue record')} ${count === 1 ? 'is' : 'are'} not in USD and excluded${currencies(message)}.`,
        action: { path: PAYMENTS, label: 'View sync history' },
      };
    case 'window_ends_in_future':
      return NOT_ENDED;
    default:
      return { text: withAmounts(message), action: null };
  }
}

const NOT_ENDED: Line = { text: 'This period has not ended. It shows the figures so far.', action: null };

/** `: 2 in EUR, 1 in JPY`; empty if the message has no such list. */
function currencies(message: string): string {
  return /: \d+ in [A-Z]{3}(?:, \d+ in [A-Z]{3})*/.exec(message)?.[0] ?? '';
}

function withAmounts(message: string): string {
  return message.replaceAll(EXACT, (_, amount: string) => usdText(amount));
}

/** Label of links to `/rates/waiting`: only owners and admins can set prices there. */
export function priceLabel(principal: Principal): string {
  return mayOpen(principal, '/rates/price') ? 'Set a price' : 'View waiting models';
}

/** `1 event`, `2 events`. */
export function some(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}
