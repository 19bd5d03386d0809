/** Change from the comparison window: its main cause, the amount of each cause, and the groups that changed. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { wordedParts } from '#kernel/cost-change-words.ts';
import { amount, type Amount, plain } from '#kernel/money.ts';
import { formatCount } from '../../figures/amount.ts';
import {
  ROUNDING,
  roundingOf,
  shownAmount,
  shownDifference,
  shownText,
  signedDifference,
} from '../../figures/shown-parts.ts';
import { type CostView, groupPath } from '../../figures/cost-address.ts';
import { groupLabel, toCostFilter, toGrouping } from '../../figures/cost-keys.ts';
import { mainCauseLine } from '../../figures/main-cause.ts';
import { comparedWindow } from '../../figures/window-choice.ts';
import { type Outcome, outcomeOf } from '../../http/outcome-of.ts';
import { html, type Html } from '../../shell/html.ts';

const CHANGE =
  graphql(`query CostChanges($start: Instant!, $end: Instant!, $against: CostComparison!, $filter: CostFilter, $by: CostKey!, $byDimension: String) {
  window(start: $start, end: $end) {
    costChange(against: $against, filter: $filter, groupBy: $by, groupByDimension: $byDimension, first: 10) {
      start end
      total { difference cost }
      parts { calls mix size price corrections }
      mainCause { endUser { endUserId name } agent model start end cost }
      groups { value { value endUser { endUserId name } } isNew isGone change { difference cost previousCost } }
      rest { difference cost previousCost }
      totalGroups
    }
  }
}`);

export type CostChange = DataOf<'CostChanges'>['window']['costChange'];

/** The change of costs by the first grouping of the view. */
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

/** Uses the same words as alerts and insights. */
function table(view: CostView, change: CostChange, label: string): Html {
  const { total, parts, groups, rest, totalGroups } = change;
  const [group = ''] = view.groups;
  const others = totalGroups - groups.length;
  const pairOf = ({ cost, difference }: { readonly cost: string; readonly difference: string }) =>
    [amount(cost), amount(cost) - amount(difference)] as const;
  const [cost, before] = pairOf(total);
  const worded = wordedParts(parts, shownDifference(cost, before).shown);
  const rows = [...groups.map((entry) => entry.change), ...(others > 0 ? [rest] : [])];
  const pairs = rows.map(pairOf);
  const rounding =
    roundingOf(
      cost,
      pairs.map(([is]) => is),
    ).shown -
    roundingOf(
      before,
      pairs.map(([, was]) => was),
    ).shown;
  const cell = (index: number) =>
    html`<td class="number" data-label="Difference">${signedDifference(...pairs[index]!)}</td>`;
  return html`
${mainCauseLine(change, view)}
<p>${signedDifference(cost, before)}${worded.length > 0 && ': '}${worded.map(({ exact, shown: part, from }, index) => html`${index > 0 && ', '}${signed(exact, part)} from ${from}`)}.</p>
<div class="scroll" tabindex="0" role="group" aria-labelledby="change"><table class="fold">
  <thead><tr><th scope="col">${label}</th><th scope="col" class="number">Difference</th></tr></thead>
  <tbody>${groups.map(
    ({ value: { value, endUser }, isNew, isGone }, index) => html`
  <tr><th scope="row" class="name"><a href="${groupPath(view, group, { value, endUser })}">${group === 'customer' && endUser === null ? 'Without a customer' : (endUser?.name ?? value)}</a>${isNew && html` <span class="badge">new</span>`}${isGone && html` <span class="badge">gone</span>`}</th>${cell(index)}</tr>`,
  )}
  ${others > 0 && html`<tr><th scope="row">Other (${formatCount(others)})</th>${cell(groups.length)}</tr>`}
  ${rounding !== 0n && html`<tr class="rounding"><th scope="row">${ROUNDING}</th><td class="number" data-label="Difference">${rounding > 0n && '+'}${shownAmount(0n, rounding)}</td></tr>`}
  </tbody>
  <tfoot><tr><th scope="row">Total</th><td class="number" data-label="Difference">${signedDifference(cost, before)}</td></tr></tfoot>
</table></div>`;
}

function signed(exact: Amount, shown: Amount): Html {
  return html`<data value="${plain(exact)}">${exact > 0n && '+'}${shownText(exact, shown)}</data>`;
}
