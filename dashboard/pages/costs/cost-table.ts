/** The table of `/costs`: groups, the rest, and the total, next to the comparison window. */
import { usdText } from '#kernel/usd-text.ts';
import { amount, type Amount, plain } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { formatCount, formatPercent, shortCount } from '../../figures/amount.ts';
import { ROUNDING, roundingOf, shownAmount, shownDifference, shownText, toShown } from '../../figures/shown-parts.ts';
import { costPath, type CostView, groupPath, showsCachedInput, showsTokens } from '../../figures/cost-address.ts';
import { groupLabel } from '../../figures/cost-keys.ts';
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
  const { nodes, totalCount, totalCost, eventCount, cachedInput } = costs;
  if (nodes.length === 0) return html`<p class="muted">None in this period.</p>`;
  const compared = before?.value ?? null;
  const earlier = new Map(compared?.nodes.map((node) => [keyOfGroup(node), node.totalCost]));
  const others = totalCount - nodes.length;
  const total = amount(totalCost);
  const withTokens = showsTokens(view);
  const width = view.groups.length;
  const withCached = cachedInput != null;
  const wasOf = (node: CostGroup) => earlier.get(keyOfGroup(node)) ?? (compared?.isWhole ? '0' : null);
  const gone = compared === null || others > 0 ? [] : goneGroups(nodes, compared.nodes);
  const rows: CostRow[] = [
    ...sorted(nodes, view.sort).map((node) => ({
      names: groupNames(view, node),
      cost: amount(node.totalCost),
      share: node.percentOfTotal,
      events: node.eventCount,
      tokens: node.tokens,
      cachedShare: node.cachedInput?.percent,
      was: amountOrNull(wasOf(node)),
    })),
    ...(others > 0 ? [othersRow(html`<th scope="row" colspan="${width}">${othersLink(view, others)}</th>`)] : []),
    ...gone.map((node) => ({
      names: groupNames(view, node),
      cost: 0n,
      share: 0,
      events: 0,
      was: amount(node.totalCost),
    })),
  ];
  function othersRow(names: Content): CostRow {
    const cost = nodes.reduce((left, node) => left - amount(node.totalCost), total);
    const before = nodes.map((node) => amountOrNull(wasOf(node)));
    const isKnown = compared !== null && !before.includes(null);
    return {
      names,
      cost,
      share: percent(cost, total) ?? 0,
      events: nodes.reduce((left, node) => left - node.eventCount, eventCount),
      was: isKnown ? before.reduce<Amount>((left, was) => left - (was ?? 0n), amount(compared.totalCost)) : null,
    };
  }
  const totalBefore = compared === null ? null : amount(compared.totalCost);
  const line = ({ names, cost, share, events, tokens, cachedShare, was }: CostRow) => html`
    <tr>${names}<td class="number" data-label="Cost">${shownAmount(cost, toShown(cost).shown)}</td><td class="number" data-label="Share">${formatPercent(share)}${shareBar(share)}</td><td class="number" data-label="Events">${formatCount(events)}</td>${withTokens && tokenCells(tokens)}${withCached && html`<td class="number" data-label="Cached input">${cachedShare == null ? '–' : formatPercent(cachedShare)}</td>`}<td class="number" data-label="Per event">${perEvent(cost, events)}</td>${
      compared !== null &&
      (was === null
        ? html`<td class="number" data-label="Before">–</td><td class="number" data-label="Difference">–</td>`
        : html`<td class="number" data-label="Before">${shownAmount(was, toShown(was).shown)}</td><td class="number" data-label="Difference">${difference({ cost, was })}</td>`)
    }</tr>`;
  return html`
${before?.error && html`<p class="muted">${before.error.message}</p>`}
<div class="scroll" tabindex="0" role="group" aria-labelledby="groups"><table class="fold">
  <thead><tr>${view.groups.map((name) => html`<th scope="col">${sortLink(view, 'name', groupLabel(name, dimensions))}</th>`)}<th scope="col" class="number">${sortLink(view, 'cost', 'Cost')}</th><th scope="col" class="number">Share</th><th scope="col" class="number">${sortLink(view, 'events', 'Events')}</th>${withTokens && TOKENS.map(({ label: name }) => html`<th scope="col" class="number">${name}</th>`)}${withCached && html`<th scope="col" class="number" title="Share of the charged input tokens that was read from a cache">Cached input</th>`}<th scope="col" class="number">Per event</th>${compared !== null && html`<th scope="col" class="number">${capitalized(label)}</th><th scope="col" class="number">Difference</th>`}</tr></thead>
  <tbody>${rows.map(line)}
  ${roundingRow(rows, { cost: total, was: totalBefore }, { names: width, details: 3 + (withTokens ? TOKENS.length : 0) + (withCached ? 1 : 0) })}
  </tbody>
  <tfoot>${line({ names: html`<th scope="row" colspan="${width}">Total</th>`, cost: total, share: 100, events: eventCount, tokens: others > 0 ? undefined : totalTokens(nodes), cachedShare: cachedInput?.percent, was: totalBefore })}</tfoot>
</table></div>
${nodes.length < totalCount && view.sort !== '-cost' && html`<p class="muted">Top ${formatCount(nodes.length)} of ${formatCount(totalCount)} by cost, sorted as selected.</p>`}
${withTokens ? html`<p class="muted">Tokens as reported. Most providers count cached tokens as input too.${!showsCachedInput(view) && html` <a href="${costPath(view, { tokens: true })}#groups">Show the share of cached input</a>`}</p>` : html`<p><a href="${costPath(view, { tokens: true })}#groups">Show tokens</a></p>`}`;
}

interface CostRow {
  readonly names: Content;
  readonly cost: Amount;
  readonly share: number;
  readonly events: number;
  /** Undefined if tokens are not shown, and in the row of the other groups. */
  readonly tokens?: CostGroup['tokens'] | undefined;
  /** Percentage of the input that was read from a cache. */
  readonly cachedShare?: number | undefined;
  /** Cost in the compared period; null if unknown. */
  readonly was: Amount | null;
}

const TOKENS = [
  { name: 'input', label: 'Input tokens' },
  { name: 'output', label: 'Output tokens' },
  { name: 'cacheRead', label: 'Cached tokens' },
] as const;

function tokenCells(tokens: CostGroup['tokens']): Html[] {
  return TOKENS.map(({ name, label }) => {
    const count = tokens?.[name] ?? null;
    return html`<td class="number" data-label="${label}">${count === null ? '–' : shortCount(count)}</td>`;
  });
}

function totalTokens(nodes: readonly CostGroup[]): CostGroup['tokens'] {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const cached = nodes.flatMap(({ tokens }) => tokens?.cacheRead ?? []);
  return {
    input: sum(nodes.map(({ tokens }) => tokens?.input ?? 0)),
    output: sum(nodes.map(({ tokens }) => tokens?.output ?? 0)),
    cacheRead: cached.length === 0 ? null : sum(cached),
  };
}

function amountOrNull(text: string | null): Amount | null {
  return text === null ? null : amount(text);
}

function perEvent(cost: Amount, events: number): string {
  return events === 0 ? '–' : usdText(plain(cost / BigInt(events)));
}

interface CostPair {
  readonly cost: Amount;
  readonly was: Amount;
}

/** The cents that rounding leaves over, if any. */
function roundingRow(
  rows: readonly CostRow[],
  total: { readonly cost: Amount; readonly was: Amount | null },
  columns: { readonly names: number; readonly details: number },
): Html | false {
  const costs = roundingOf(
    total.cost,
    rows.map(({ cost }) => cost),
  );
  const before = roundingOf(
    total.was ?? 0n,
    rows.map(({ was }) => was ?? 0n),
  );
  const cell = (label: string, shown: Amount) =>
    html`<td class="number" data-label="${label}">${shownAmount(0n, shown)}</td>`;
  return (
    (costs.shown !== 0n || before.shown !== 0n) &&
    html`<tr class="rounding"><th scope="row" colspan="${columns.names}">${ROUNDING}</th>${cell('Cost', costs.shown)}<td colspan="${columns.details}"></td>${total.was !== null && html`${cell('Before', before.shown)}${cell('Difference', costs.shown - before.shown)}`}</tr>`
  );
}

/** The change as an amount and a percentage, with a sign. */
function difference({ cost, was }: CostPair): Html {
  const { exact: change, shown } = shownDifference(cost, was);
  if (change === 0n) return html`<span class="muted">no change</span>`;
  const share = percent(change, was);
  // An increase from zero is not highlighted.
  return html`<span class="change ${change < 0n ? 'less' : share === null ? '' : 'more'}">${change > 0n ? '+' : ''}${shownText(change, shown)}</span> <span class="muted">${share === null ? 'new' : `${change > 0n ? '+' : ''}${formatPercent(share)}`}</span>`;
}

function groupNames(view: CostView, { values }: CostGroup): Html[] {
  return values.map(({ value, endUser }, place) => {
    const name = view.groups[place] ?? '';
    const shown =
      name === 'customer' && endUser === null
        ? html`<span class="muted">Without a customer</span>`
        : (endUser?.name ?? value);
    return html`<th scope="row" class="name"><a href="${groupPath(view, name, { value, endUser })}">${shown}</a></th>`;
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

/** `the previous 30 days` → `Previous 30 days`. */
function capitalized(label: string): string {
  const words = label.replace(/^the /, '');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function sortLink(view: CostView, by: 'cost' | 'events' | 'name', label: string): Html {
  const [down, up] = by === 'name' ? (['name', '-name'] as const) : ([`-${by}`, by] as const);
  const isHere = view.sort === down || view.sort === up;
  return html`<a href="${costPath(view, { sort: view.sort === down ? up : down })}#groups">${label}${isHere && html`<span aria-hidden="true"> ${view.sort.startsWith('-') ? '▾' : '▴'}</span>`}</a>`;
}
