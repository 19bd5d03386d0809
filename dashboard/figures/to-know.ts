/** Warnings to read before the overview, each with its remedy. A warning disappears with its cause. */
import { DAY_MS } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { html, type Html } from '../shell/html.ts';
import { isAdmin } from './account-user.ts';
import { formatCount } from './amount.ts';
import type { CostFigures, MarginFigures, OverviewFigures } from './overview-figures.ts';
import { costWarning, type Line, marginWarning, priceLabel, some, warningList } from './warnings.ts';

const TO_KNOW = graphql(`query ToKnow {
  revenueConnection { state error unmappedCustomerCount setAsideCount }
  books { state }
}`);

type Standing = DataOf<'ToKnow'>;

/** Empty if there are no warnings. Checks that are currently unavailable are left out. */
export async function toKnow(
  gateway: GatewayClient,
  principal: Principal,
  { costs, margin }: OverviewFigures,
): Promise<Html | false> {
  const standing = isAdmin(principal) ? (await outcomeOf(askGateway(gateway, TO_KNOW, {}, principal), [])).value : null;
  const lines = [
    ...ofEvents(costs, principal),
    ...ofCredits(costs),
    ...ofBooks(costs, standing),
    ...ofRevenue(margin, standing),
  ];
  return (
    lines.length > 0 &&
    html`<details class="panel warnings"><summary><h2 id="warnings">Needs attention: ${formatCount(lines.length)}</h2></summary>${warningList(lines, principal)}</details>`
  );
}

const NOT_UNDERSTOOD = { path: '/books/not-understood', label: 'View details' };
/** A field that no event has had for this many days counts as fixed. */
const FIELD_DAYS = 7;

function ofEvents({ costSummary, unknownFields, window }: CostFigures, principal: Principal): Line[] {
  const { failed, pending, pendingRateCard } = costSummary.statusCounts;
  const { guessedEvents, eventsAtBase } = window;
  const since = now().getTime() - FIELD_DAYS * DAY_MS;
  const fields = unknownFields.filter(({ lastSeenAt }) => new Date(lastSeenAt).getTime() >= since).length;
  return [
    ...line(pendingRateCard > 0, {
      text: `${some(pendingRateCard, 'event')} ${pendingRateCard === 1 ? 'has' : 'have'} no price yet because the model has no rate. Until you set one, ${pendingRateCard === 1 ? 'it counts' : 'they count'} as $0.`,
      action: { path: '/rates/waiting', label: priceLabel(principal) },
    }),
    ...line(failed > 0, { text: `${some(failed, 'event')} could not be priced.`, action: NOT_UNDERSTOOD }),
    ...line(pending > 0, {
      text: `${some(pending, 'event')} ${pending === 1 ? 'is' : 'are'} being priced; figures update within seconds.`,
      action: null,
    }),
    ...line(guessedEvents > 0, {
      text: `${some(guessedEvents, 'cost')} ${guessedEvents === 1 ? 'is' : 'are'} estimated: ${guessedEvents === 1 ? 'its' : 'their'} token counts can be read in more than one way, or part of the price is not known.`,
      action: NOT_UNDERSTOOD,
    }),
    ...line(eventsAtBase > 0, {
      text: `${some(eventsAtBase, 'cost')} ${eventsAtBase === 1 ? 'ignores' : 'ignore'} the tier, speed or region of the call, because no rate is set for it.`,
      action: NOT_UNDERSTOOD,
    }),
    ...line(fields > 0, {
      text: `${some(fields, 'field')} of your events ${fields === 1 ? 'was' : 'were'} ignored, usually because of a misspelled name.`,
      action: NOT_UNDERSTOOD,
    }),
  ];
}

function ofCredits({ credits: { creditsLeft, allotment, softLimit } }: CostFigures): Line[] {
  const spent = allotment !== null && creditsLeft !== null ? allotment - creditsLeft : null;
  const action = { path: '/settings/organization', label: 'View plan' };
  if (creditsLeft === null) return [];
  if (creditsLeft <= 0) return [{ text: 'Event credits are used up. New events are refused.', action }];
  return line(spent !== null && softLimit !== null && spent >= softLimit, {
    text: `Only ${formatCount(creditsLeft)} event credits are left.`,
    action,
  });
}

function ofBooks({ window }: CostFigures, standing: Standing | null): Line[] {
  return [
    ...line(standing?.books?.state === 'DIFFERING', {
      text: 'Verification found differences: some breakdowns may be wrong.',
      action: { path: '/books', label: 'View and rebuild' },
    }),
    ...window.warnings.map(costWarning),
  ];
}

const PAYMENTS = '/settings/payments';

function ofRevenue(margin: MarginFigures | null, standing: Standing | null): Line[] {
  const { state, error, unmappedCustomerCount } = standing?.revenueConnection ?? {
    state: null,
    error: null,
    unmappedCustomerCount: 0,
  };
  return [
    ...line(state === 'FAILING', {
      text: `The Stripe sync is failing: ${error ?? 'the last step failed'}`,
      action: { path: PAYMENTS, label: 'View connection' },
    }),
    ...line(unmappedCustomerCount > 0, {
      text: `${some(unmappedCustomerCount, 'Stripe customer')} ${unmappedCustomerCount === 1 ? 'is' : 'are'} not linked to any of your customers.`,
      action: { path: `${PAYMENTS}/customers`, label: 'Link customers' },
    }),
    // Omits revenue of unmatched customers if another warning already covers it: matching them fixes both.
    ...(margin?.warnings ?? [])
      .filter(({ type }) => type !== 'unattributed_revenue' || unmappedCustomerCount === 0)
      .map((warning) => marginWarning(warning, margin!.total)),
  ];
}

function line(isTrue: boolean, value: Line): Line[] {
  return isTrue ? [value] : [];
}
