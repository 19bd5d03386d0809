/** Result of a simulated plan: its revenue, customers who would start or stop losing money, and break-even prices. */
import { amount, approximate, plain } from '#kernel/money.ts';
import { usdText } from '#kernel/usd-text.ts';
import type { DataOf } from '#schema/graphql.ts';
import { formatCount, formatPercent } from '../../figures/amount.ts';
import { marginText, shownDifference, shownValue } from '../../figures/shown-parts.ts';
import { headline } from '../../figures/tables.ts';
import { field } from '../../http/form.ts';
import { html, type Html } from '../../shell/html.ts';
import { differenceChart } from './difference-chart.ts';
import { addressOf } from './what-if-heading.ts';

type Simulation = DataOf<'WhatIfPlan'>['window']['simulatePlan'];

type Planned = Simulation['customers']['nodes'][number];

type BreakEven = NonNullable<Simulation['breakEven']>;

const TURNS = {
  BECAME_UNPROFITABLE: { label: 'becomes unprofitable', tone: 'bad' },
  BECAME_PROFITABLE: { label: 'becomes profitable', tone: 'good' },
} as const;

const CENT = amount('0.01');

/** Totals before and after, break-even prices, a chart of the change, and a page of customers. */
export function planResult(simulation: Simulation, query: URLSearchParams): Html {
  const { total, customers, customerCount, becameUnprofitable, becameProfitable, breakEven } = simulation;
  if (customerCount === 0 || breakEven === null) return nobodyPaid(query);
  const percent = (value: number | null) => (value === null ? 'no revenue' : `${formatPercent(value)} of revenue`);
  const turnedLink = (count: number, turned: keyof typeof TURNS) =>
    count === 0
      ? 'none'
      : html`<a href="${addressOf('/what-if/plan', query, { turned, after: null })}">show ${count === 1 ? 'it' : 'them'}</a>`;
  const differences = customers.nodes
    .map(({ name, figures }) => ({ name, amount: shownChange(figures) }))
    .toSorted((one, other) => Math.abs(approximate(other.amount)) - Math.abs(approximate(one.amount)));
  return html`
<section class="headlines" aria-label="Totals before and after">
  ${headline('Revenue', usdText(total.revenueAfter), html`${usdText(total.revenueBefore)} before`)}
  ${headline('Margin', marginText(total.revenueAfter, total.cost), html`${percent(total.marginPercentAfter)}; ${marginText(total.revenueBefore, total.cost)} before`)}
  ${headline('Become unprofitable', formatCount(becameUnprofitable), turnedLink(becameUnprofitable, 'BECAME_UNPROFITABLE'))}
  ${headline('Become profitable', formatCount(becameProfitable), turnedLink(becameProfitable, 'BECAME_PROFITABLE'))}
</section>
${breakEvenTiles(breakEven, query)}
<section class="panel" aria-labelledby="chart"><h2 id="chart">Revenue before and after</h2>
  ${differenceChart({ name: 'Before', amount: total.revenueBefore }, differences, { name: 'After', amount: total.revenueAfter }, false)}
</section>
<section class="panel" aria-labelledby="customers"><div class="heading"><h2 id="customers">By customer</h2><a href="${addressOf('/what-if/plan.csv', query, { after: null })}" download>CSV</a></div>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="customers"><table class="fold">
    <thead><tr><th scope="col">Customer</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Revenue before</th><th scope="col" class="number">Revenue after</th><th scope="col" class="number">Margin after</th><th scope="col" class="number">Break-even price</th><th scope="col">Becomes</th></tr></thead>
    <tbody>${customers.nodes.map(
      ({ name, figures, breakEvenFlat, turned }) => html`
    <tr><th scope="row" class="name">${name}</th><td class="number" data-label="Cost">${usdText(figures.cost)}</td><td class="number" data-label="Revenue before">${usdText(figures.revenueBefore)}</td>
      <td class="number" data-label="Revenue after">${usdText(figures.revenueAfter)}</td><td class="number" data-label="Margin after">${marginText(figures.revenueAfter, figures.cost)}</td><td class="number" data-label="Break-even price">${usdText(breakEvenFlat)}</td>
      <td data-label="Becomes">${turned !== null && html`<span class="badge ${TURNS[turned].tone}">${TURNS[turned].label}</span>`}</td></tr>`,
    )}</tbody>
  </table></div>
  <p class="muted">${formatCount(customers.nodes.length)} of ${formatCount(customers.totalCount)} customers, least profitable under the plan first.
  ${customers.pageInfo.hasNextPage && html`<a href="${addressOf('/what-if/plan', query, { after: customers.pageInfo.endCursor })}">Next customers</a>`}
  ${(field(query, 'after') !== '' || field(query, 'turned') !== '') && html`<a href="${addressOf('/what-if/plan', query, { after: null, turned: null })}">First page</a>`}</p>
</section>`;
}

/** Break-even prices, shown until a price is entered. */
export function breakEvenOnly({ breakEven, customers }: Simulation, query: URLSearchParams): Html {
  if (breakEven === null) return nobodyPaid(query);
  const rows = customers.nodes.toSorted((one, other) => Number(other.breakEvenFlat) - Number(one.breakEvenFlat));
  return html`
${breakEvenTiles(breakEven, query)}
<section class="panel" aria-labelledby="customers"><h2 id="customers">By customer</h2>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="customers"><table class="fold">
    <thead><tr><th scope="col">Customer</th><th scope="col" class="number">Events</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Revenue</th><th scope="col" class="number">Break-even price</th></tr></thead>
    <tbody>${rows.map(
      ({ name, eventCount, figures, breakEvenFlat }) => html`
    <tr><th scope="row" class="name">${name}</th><td class="number" data-label="Events">${formatCount(eventCount)}</td><td class="number" data-label="Cost">${usdText(figures.cost)}</td>
      <td class="number" data-label="Revenue">${usdText(figures.revenueBefore)}</td><td class="number" data-label="Break-even price">${usdText(breakEvenFlat)}</td></tr>`,
    )}</tbody>
  </table></div>
  ${customers.pageInfo.hasNextPage && html`<p class="muted">${formatCount(customers.nodes.length)} of ${formatCount(customers.totalCount)} customers, least profitable first.</p>`}
</section>`;
}

function breakEvenTiles(breakEven: BreakEven, query: URLSearchParams): Html {
  const tile = (label: string, exact: string) => {
    const price = wholeCents(exact);
    const path = addressOf('/what-if/plan', query, { flat: price, after: null, turned: null });
    return headline(`Break-even price: ${label}`, usdText(price), html`<a href="${path}">try this price</a>`);
  };
  return html`
<section class="headlines" aria-label="Monthly break-even prices">
  ${tile('all customers together', breakEven.total)}
  ${tile('half of the customers', breakEven.median)}
  ${tile('every customer', breakEven.everyone)}
</section>`;
}

/** Rounded up, so that the price still breaks even. A price has at most nine decimals. */
function wholeCents(price: string): string {
  return plain(((amount(price) + CENT - 1n) / CENT) * CENT);
}

function nobodyPaid(query: URLSearchParams): Html {
  return html`<p class="panel empty">No customer had revenue in this period. <a href="${addressOf('/what-if/plan', query, { customers: 'all' })}">Include customers without revenue</a>.</p>`;
}

/** The change as the chart shows it. */
function shownChange({ revenueBefore, revenueAfter }: Planned['figures']): string {
  return plain(shownValue(shownDifference(amount(revenueAfter), amount(revenueBefore))));
}
