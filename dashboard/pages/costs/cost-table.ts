/** The table of `/costs`: groups, the rest, and the total, next to the comparison window. */
import { amount, plain } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { exactAmount, formatAmount, formatCount, formatPercent } from '../../figures/amount.ts';
import { conditionOf, costPath, type CostView, groupLabel, narrowedPath } from '../../figures/cost-address.ts';
import { shareBar } from '../../figures/tables.ts';
import type { Outcome } from '../../http/outcome-of.ts';
import { type Content, html, type Html } from '../../shell/html.ts';
import { type CostGroup, type CostGroups, type CostsBefore, type Dimensions, keyOfGroup } from './costs-figures.ts';

const TOP_MAX = 1_000;

interface CostRows {
  readonly costs: CostGroups;
  readonly before: Outcome<CostsBefore> | null;
  /** Label of the comparison window. */
  readonly label: string;
  readonly dimensions: Dimensions;
}

export function costTable(view: CostView, { costs, before, label, dimensions }: CostRows): Html {
  const { nodes, totalCount, totalCost, eventCount } = costs;
  if (nodes.length === 0) return html`<p class="muted">None in this period.</p>`;
  const compared = before?.value ?? null;
  const earlier = new Map(compared?.nodes.map((node) => [keyOfGroup(node), node.totalCost]));
  const othersCost = plain(amount(totalCost) - sumOf(nodes));
  const othersEvents = eventCount - nodes.reduce((sum, node) => sum + node.eventCount, 0);
  const gone = compared === null || totalCount > nodes.length ? [] : goneGroups(nodes, compared.nodes);
  const shown = sorted(nodes, view.sort);
  const total = amount(totalCost);
  const row = (
    names: Content,
    cost: string,
    { share, events, was }: { share: number; events: number; was: string | null },
  ) => html`
    <tr>${names}<td class="number" data-label="Cost">${exactAmount(cost)}</td><td class="number" data-label="Share">${formatPercent(share)}${shareBar(share)}</td><td class="number" data-label="Events">${formatCount(events)}</td>${
      compared !== null &&
      (was === null
        ? html`<td class="number" data-label="Before">–</td><td class="number" data-label="Difference">–</td>`
        : html`<td class="number" data-label="Before">${exactAmount(was)}</td><td class="number" data-label="Difference">${difference(cost, was)}</td>`)
    }</tr>`;
  const width = view.groups.length;
  const others = totalCount - nodes.length;
  const wasOf = (node: CostGroup) => earlier.get(keyOfGroup(node)) ?? (compared?.isWhole ? '0' : null);
  const wereBefore = nodes.map(wasOf);
  const othersWas =
    compared === null || wereBefore.includes(null)
      ? null
      : plain(wereBefore.reduce((left, was) => left - amount(was ?? '0'), amount(compared.totalCost)));
  return html`
${before?.error && html`<p class="muted">${before.error.message}</p>`}
<div class="scroll" tabindex="0" role="group" aria-labelledby="groups"><table class="fold">
  <thead><tr>${view.groups.map((name) => html`<th scope="col">${sortLink(view, 'name', groupLabel(name, dimensions))}</th>`)}<th scope="col" class="number">${sortLink(view, 'cost', 'Cost')}</th><th scope="col" class="number">Share</th><th scope="col" class="number">${sortLink(view, 'events', 'Events')}</th>${compared !== null && html`<th scope="col" class="number">${label}</th><th scope="col" class="number">Difference</th>`}</tr></thead>
  <tbody>${shown.map((node) =>
    row(groupNames(view, node), node.totalCost, {
      share: node.percentOfTotal,
      events: node.eventCount,
      was: wasOf(node),
    }),
  )}
  ${
    others > 0 &&
    row(html`<th scope="row" colspan="${width}">${othersLink(view, others)}</th>`, othersCost, {
      share: percent(amount(othersCost), total) ?? 0,
      events: othersEvents,
      was: othersWas,
    })
  }
  ${gone.map((node) => row(groupNames(view, node), '0', { share: 0, events: 0, was: node.totalCost }))}
  </tbody>
  <tfoot>${row(html`<th scope="row" colspan="${width}">Total</th>`, totalCost, { share: 100, events: eventCount, was: compared?.totalCost ?? null })}</tfoot>
</table></div>
${nodes.length < totalCount && view.sort !== '-cost' && html`<p class="muted">Top ${formatCount(nodes.length)} of ${formatCount(totalCount)} by cost, sorted as selected.</p>`}`;
}

/** The change as an amount and a percentage, with a sign. */
function difference(cost: string, was: string): Html {
  const change = amount(cost) - amount(was);
  if (change === 0n) return html`<span class="muted">no change</span>`;
  const share = percent(change, amount(was));
  // An increase from zero is not highlighted.
  return html`<span class="change ${change < 0n ? 'less' : share === null ? '' : 'more'}">${change > 0n ? '+' : ''}${formatAmount(plain(change))}</span> <span class="muted">${share === null ? 'new' : `${change > 0n ? '+' : ''}${formatPercent(share)}`}</span>`;
}

function groupNames(view: CostView, { values }: CostGroup): Html[] {
  return values.map(({ value, endUser }, place) => {
    const name = view.groups[place] ?? '';
    const condition = conditionOf(name, { value, endUserId: endUser?.id ?? null });
    const shown = name === 'customer' && endUser === null ? html`<span class="muted">Without a customer</span>` : value;
    return html`<th scope="row" class="name"><a href="${narrowedPath(view, [condition])}">${shown}</a></th>`;
  });
}

function othersLink(view: CostView, count: number): Html {
  const label = `Other (${formatCount(count)})`;
  return view.top < TOP_MAX
    ? html`<a href="${costPath(view, { top: Math.min(view.top * 10, TOP_MAX) })}#groups">${label}</a>`
    : html`<a href="${costPath(view, {}, '/costs.csv')}" download>${label}: download all as CSV</a>`;
}

/** Groups that no longer cost anything. Shown only if the table contains every group with a cost. */
function goneGroups(nodes: readonly CostGroup[], before: readonly CostGroup[]): CostGroup[] {
  const known = new Set(nodes.map(keyOfGroup));
  return before.filter((node) => !known.has(keyOfGroup(node)));
}

function sumOf(nodes: readonly CostGroup[]): bigint {
  return nodes.reduce((sum, { totalCost }) => sum + amount(totalCost), 0n);
}

function sorted(nodes: readonly CostGroup[], sort: CostView['sort']): CostGroup[] {
  const direction = sort.startsWith('-') ? -1 : 1;
  const by = sort.replace('-', '');
  const compare = (one: CostGroup, other: CostGroup): number => {
    if (by === 'events') return one.eventCount - other.eventCount;
    if (by === 'name') return keyOfGroup(one) < keyOfGroup(other) ? -1 : 1;
    const [less, more] = [amount(one.totalCost), amount(other.totalCost)];
    return less === more ? 0 : less < more ? -1 : 1;
  };
  return nodes.toSorted((one, other) => direction * compare(one, other));
}

function sortLink(view: CostView, by: 'cost' | 'events' | 'name', label: string): Html {
  const [down, up] = by === 'name' ? (['name', '-name'] as const) : ([`-${by}`, by] as const);
  const isHere = view.sort === down || view.sort === up;
  return html`<a href="${costPath(view, { sort: view.sort === down ? up : down })}#groups">${label}${isHere && html`<span aria-hidden="true"> ${view.sort.startsWith('-') ? '▾' : '▴'}</span>`}</a>`;
}
