/** Warnings to read before the overview, each with its remedy. A warning disappears with its cause. */
import { DAY_MS } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { html, type Html } from '../shell/html.ts';
import { formatAmount, formatCount } from './amount.ts';
import type { CostFigures, MarginFigures, OverviewFigures } from './overview-figures.ts';

const TO_KNOW = graphql(`query ToKnow {
  revenueConnection { status error unmappedCustomerCount setAsideCount }
  books { state }
}`);

type Standing = DataOf<'ToKnow'>;

interface Line {
  readonly text: string;
  /** Link to the remedy; null if the problem resolves itself, or is fixed elsewhere. */
  readonly action: { readonly path: string; readonly label: string } | null;
  /** True if only owners and admins may open it. */
  readonly isForAdmins?: boolean;
}

/** Empty without warnings. Checks that are currently unavailable are left out. */
export async function toKnow(
  gateway: GatewayClient,
  principal: Principal,
  { costs, margin }: OverviewFigures,
): Promise<Html | false> {
  const isAdmin = principal.grants.includes('owner') || principal.grants.includes('admin');
  const standing = isAdmin ? (await outcomeOf(askGateway(gateway, TO_KNOW, {}, principal), [])).value : null;
  const lines = [...ofEvents(costs), ...ofCredits(costs), ...ofBooks(costs, standing), ...ofRevenue(margin, standing)];
  return (
    lines.length > 0 &&
    html`<section class="panel warnings" aria-labelledby="warnings"><h2 id="warnings">To know</h2><ul>${lines.map(
      ({ text, action, isForAdmins = false }) => html`
    <li>${text}${action !== null && (isAdmin || !isForAdmins) && html` <a href="${action.path}">${action.label}</a>`}</li>`,
    )}
  </ul></section>`
  );
}

const NOT_UNDERSTOOD = { path: '/books/not-understood', label: 'See which' };
/** A field that no event has had for this many days counts as fixed. */
const FIELD_DAYS = 7;

function ofEvents({ costSummary, unknownFields, window }: CostFigures): Line[] {
  const { failed, pending, pendingRateCard } = costSummary.statusCounts;
  const { guessedEvents, eventsAtBase } = window;
  const since = now().getTime() - FIELD_DAYS * DAY_MS;
  const fields = unknownFields.filter(({ lastSeenAt }) => new Date(lastSeenAt).getTime() >= since).length;
  return [
    ...line(pendingRateCard > 0, {
      text: `${waiting(pendingRateCard)} for a price: no rate fits ${pendingRateCard === 1 ? 'its' : 'their'} model. Until one is set, that costs nothing here.`,
      action: { path: '/rates/waiting', label: 'Set a price' },
    }),
    ...line(failed > 0, { text: `${some(failed, 'event')} could not be priced.`, action: NOT_UNDERSTOOD }),
    ...line(pending > 0, {
      text: `${waiting(pending)} to be priced; the figures follow within seconds.`,
      action: null,
    }),
    ...line(guessedEvents > 0, {
      text: `${some(guessedEvents, 'cost')} ${guessedEvents === 1 ? 'rests' : 'rest'} on a guess: the counts leave open what they contain.`,
      action: NOT_UNDERSTOOD,
    }),
    ...line(eventsAtBase > 0, {
      text: `${some(eventsAtBase, 'cost')} ${eventsAtBase === 1 ? 'leaves' : 'leave'} out how the call was served, for want of a rate.`,
      action: NOT_UNDERSTOOD,
    }),
    ...line(fields > 0, {
      text: `${some(fields, 'field')} of events ${fields === 1 ? 'is' : 'are'} not understood: misspelt, most often.`,
      action: NOT_UNDERSTOOD,
    }),
  ];
}

function ofCredits({ credits: { creditsLeft, allotment, softLimit } }: CostFigures): Line[] {
  const spent = allotment !== null && creditsLeft !== null ? allotment - creditsLeft : null;
  const action = { path: '/settings/organization', label: 'See the plan' };
  const isAdmins = { action, isForAdmins: true };
  if (creditsLeft === null) return [];
  if (creditsLeft <= 0) return [{ text: 'The event credits are used up: new events are refused.', ...isAdmins }];
  return line(spent !== null && softLimit !== null && spent >= softLimit, {
    text: `Only ${formatCount(creditsLeft)} event credits are left.`,
    ...isAdmins,
  });
}

function ofBooks({ window }: CostFigures, standing: Standing | null): Line[] {
  const action = { path: '/books', label: 'See the books' };
  return [
    ...line(standing?.books?.state === 'DIFFERING', {
      text: 'The books differ in some places: a breakdown may be off.',
      action: { path: '/books', label: 'See where, and rebuild' },
    }),
    ...window.warnings.map(({ type, message }) => ({
      text: message,
      action: type === 'window_ends_in_future' ? null : action,
      isForAdmins: true,
    })),
  ];
}

const PAYMENTS = '/settings/payments';

function ofRevenue(margin: MarginFigures | null, standing: Standing | null): Line[] {
  const { status, error, unmappedCustomerCount } = standing?.revenueConnection ?? {
    status: null,
    error: null,
    unmappedCustomerCount: 0,
  };
  return [
    ...line(status === 'failing', {
      text: `Payments are not synced: ${error ?? 'the last step failed'}`,
      action: { path: PAYMENTS, label: 'See the connection' },
    }),
    ...line(unmappedCustomerCount > 0, {
      text: `${some(unmappedCustomerCount, 'customer')} at the payment processor ${unmappedCustomerCount === 1 ? 'is' : 'are'} matched to no customer of your events.`,
      action: { path: `${PAYMENTS}/customers`, label: 'Match them' },
    }),
    // Omits revenue of unmatched customers if another warning already covers it: matching them fixes both.
    ...(margin?.warnings ?? [])
      .filter(({ type }) => type !== 'unattributed_revenue' || unmappedCustomerCount === 0)
      .map((warning) => marginLine(warning, margin!)),
  ];
}

/**
 * Replaces the graph's messages, which stand on their own for programs: here amounts are formatted as elsewhere and a
 * link is added.
 */
function marginLine({ type, count, message }: MarginFigures['warnings'][number], { total }: MarginFigures): Line {
  switch (type) {
    case 'unattributed_cost':
      return {
        text: `${some(count, 'event')} ${count === 1 ? 'names' : 'name'} no customer: ${formatAmount(total.unattributedCost)} are in the total and in nobody’s line. Send user_id with every event.`,
        action: { path: '/sources/events', label: 'See what arrives' },
      };
    case 'unattributed_revenue':
      return {
        text: `${some(count, 'revenue record')} ${count === 1 ? 'belongs' : 'belong'} to no customer of your events.`,
        action: { path: `${PAYMENTS}/customers`, label: 'Match customers' },
        isForAdmins: true,
      };
    case 'revenue_not_connected':
      return {
        text: 'No payment processor is connected: there are costs and no revenue.',
        action: { path: PAYMENTS, label: 'Connect Stripe' },
        isForAdmins: true,
      };
    case 'revenue_set_aside':
      return { text: message, action: { path: '/books/set-aside', label: 'See why' }, isForAdmins: true };
    case 'revenue_in_other_currencies':
      return { text: message, action: { path: PAYMENTS, label: 'See the runs' }, isForAdmins: true };
    default:
      return { text: message, action: null };
  }
}

function line(isTrue: boolean, value: Line): Line[] {
  return isTrue ? [value] : [];
}

function waiting(count: number): string {
  return count === 1 ? 'One event waits' : `${formatCount(count)} events wait`;
}

function some(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}
