/** Change from the comparison window, split into volume, mix and rate. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { exactAmount, formatAmount, formatCount } from '../../figures/amount.ts';
import {
  conditionOf,
  type CostView,
  groupLabel,
  narrowedPath,
  toCostFilter,
  toGrouping,
} from '../../figures/cost-address.ts';
import { comparedWindow } from '../../figures/window-choice.ts';
import { type Outcome, outcomeOf } from '../../http/outcome-of.ts';
import { html, type Html } from '../../shell/html.ts';

const CHANGE =
  graphql(`query CostChanges($start: Instant!, $end: Instant!, $against: CostComparison!, $filter: CostFilter, $by: CostKey!, $byDimension: String) {
  window(start: $start, end: $end) {
    costChange(against: $against, filter: $filter, groupBy: $by, groupByDimension: $byDimension, first: 10) {
      total { difference volume mix rate }
      groups { value { value endUser { endUserId } } isNew isGone change { difference volume mix rate } }
      rest { difference volume mix rate }
      totalGroups
    }
  }
}`);

export type CostChange = DataOf<'CostChanges'>['window']['costChange'];
type Parts = CostChange['total'];

/** By the first grouping of the view. */
export async function getCostChange(
  gateway: GatewayClient,
  principal: Principal,
  { view, now }: { readonly view: CostView; readonly now: Date },
): Promise<Outcome<CostChange> | null> {
  if (view.compare === null) return null;
  const { start, end } = view.window;
  const previous = comparedWindow(view.window, view.compare, now);
  const { keys, dimensions } = toGrouping(view.groups.slice(0, 1));
  const variables = {
    start,
    end,
    against: { start: previous.start, end: previous.end },
    filter: toCostFilter(view.filters),
    by: keys[0] ?? ('MODEL' as const),
    byDimension: dimensions[0] ?? null,
  };
  const { value, error } = await outcomeOf(askGateway(gateway, CHANGE, variables, principal), []);
  return error ? { value: null, error } : { value: value.window.costChange, error: null };
}

export function changePanel(
  view: CostView,
  change: Outcome<CostChange> | null,
  dimensions: readonly { readonly key: string; readonly label: string }[],
): Html | false {
  if (change === null) return false;
  const [group = ''] = view.groups;
  return html`
<section class="panel" aria-labelledby="change"><h2 id="change">What changed</h2>
${change.error ? html`<p class="muted">${change.error.message}</p>` : table(view, change.value, groupLabel(group, dimensions))}</section>`;
}

function table(view: CostView, { total, groups, rest, totalGroups }: CostChange, label: string): Html {
  const [group = ''] = view.groups;
  const others = totalGroups - groups.length;
  return html`
<p class="muted">${signed(total.difference)}: ${signed(total.volume)} from ${isLess(total.volume) ? 'fewer' : 'more'} events, ${signed(total.mix)} from a ${isLess(total.mix) ? 'cheaper' : 'more expensive'} mix, ${signed(total.rate)} from a ${isLess(total.rate) ? 'lower' : 'higher'} cost per event.</p>
<div class="scroll" tabindex="0" role="group" aria-labelledby="change"><table class="fold">
  <thead><tr><th scope="col">${label}</th><th scope="col" class="number">Difference</th><th scope="col" class="number">Volume</th><th scope="col" class="number">Mix</th><th scope="col" class="number">Rate</th></tr></thead>
  <tbody>${groups.map(
    ({ value: { value, endUser }, isNew, isGone, change }) => html`
  <tr><th scope="row" class="name"><a href="${narrowedPath(view, [conditionOf(group, { value, endUserId: endUser?.endUserId ?? null })])}">${group === 'customer' && endUser === null ? 'Without a customer' : value}</a>${isNew && html` <span class="badge">new</span>`}${isGone && html` <span class="badge">gone</span>`}</th>${parts(change)}</tr>`,
  )}
  ${others > 0 && html`<tr><th scope="row">Other (${formatCount(others)})</th>${parts(rest)}</tr>`}
  </tbody>
  <tfoot><tr><th scope="row">Total</th>${parts(total)}</tr></tfoot>
</table></div>`;
}

function parts({ difference, volume, mix, rate }: Parts): Html {
  const named = { Difference: difference, Volume: volume, Mix: mix, Rate: rate };
  return html`${Object.entries(named).map(([name, amount]) => html`<td class="number" data-label="${name}">${exactAmount(amount)}</td>`)}`;
}

function isLess(amount: string): boolean {
  return amount.startsWith('-');
}

function signed(amount: string): string {
  return isLess(amount) || amount === '0' ? formatAmount(amount) : `+${formatAmount(amount)}`;
}
