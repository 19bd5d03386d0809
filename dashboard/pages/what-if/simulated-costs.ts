/** Costs before and after a simulated change: totals, a chart, and a table by customer. */
import { amount, plain } from '#kernel/money.ts';
import { usdText } from '#kernel/usd-text.ts';
import { formatCount, formatPercent } from '../../figures/amount.ts';
import { differenceText, shownDifference, shownValue } from '../../figures/shown-parts.ts';
import { headline } from '../../figures/tables.ts';
import { field } from '../../http/form.ts';
import { html, type Html } from '../../shell/html.ts';
import { differenceChart } from './difference-chart.ts';
import { addressOf } from './what-if-heading.ts';
import type { DataOf } from '#schema/graphql.ts';

type Simulation = DataOf<'WhatIfCosts'>['window']['simulateCosts'];
export type Simulated = Simulation['total'];

export function result(simulation: Simulation, query: URLSearchParams): Html {
  const { total, endUsers, unassigned, notCovered, tokenizers } = simulation;
  const isSaved = total.difference.expected.startsWith('-');
  const differences = [
    ...endUsers.nodes.map((node) => ({ name: node.endUser.name, amount: shownChange(node) })),
    { name: 'Without a customer', amount: shownChange(unassigned) },
  ];
  return html`
<section class="headlines" aria-label="Totals before and after">
  ${headline('Before', usdText(total.before), 'as booked')}
  ${headline('After', usdText(total.after.expected), rangeOf(total, 'after') || 'simulated')}
  ${headline(isSaved ? 'Saved' : 'More', differenceText(amount(total.after.expected), amount(total.before)).replace('−', ''), differenceNote(total))}
</section>
${kept(notCovered)}
<section class="panel" aria-labelledby="chart"><h2 id="chart">Before and after</h2>
  ${differenceChart({ name: 'Before', amount: total.before }, differences, { name: 'After', amount: total.after.expected }, true)}
</section>
<section class="panel" aria-labelledby="customers"><div class="heading"><h2 id="customers">By customer</h2><a href="${addressOf('/what-if.csv', query, { after: null })}" download>CSV</a></div>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="customers"><table class="fold">
    <thead><tr><th scope="col">Customer</th><th scope="col" class="number">Before</th><th scope="col" class="number">After</th><th scope="col" class="number">Difference</th><th scope="col" class="number">Percent</th></tr></thead>
    <tbody>${endUsers.nodes.map((node) => row(html`<a href="/customers/${node.endUser.endUserId}">${node.endUser.name}</a>`, node))}
    ${unassigned.before !== '0' && row(html`<span class="muted">Without a customer</span>`, unassigned)}</tbody>
  </table></div>
  <p class="muted">${formatCount(endUsers.nodes.length)} of ${formatCount(endUsers.totalCount)} customers, largest difference first.
  ${endUsers.pageInfo.hasNextPage && html`<a href="${addressOf('/what-if', query, { after: endUsers.pageInfo.endCursor })}">Next customers</a>`}
  ${field(query, 'after') !== '' && html`<a href="${addressOf('/what-if', query, { after: null })}">First page</a>`}</p>
</section>
${
  tokenizers.length > 0 &&
  html`<section class="panel" aria-labelledby="ranges"><h2 id="ranges">Why results are ranges</h2><ul>${tokenizers.map(
    ({ model, byModel, low, expected, high, source }) =>
      html`<li>The same text has ${low.toFixed(2)} to ${high.toFixed(2)} times as many tokens with ${byModel} as with ${model}, usually ${expected.toFixed(2)}: <span class="muted">${source}</span></li>`,
  )}</ul></section>`
}`;
}

/** The change as the table shows it. */
function shownChange({ before, after }: Simulated): string {
  return plain(shownValue(shownDifference(amount(after.expected), amount(before))));
}

/** Savings are shown without a sign, unless the range also contains additional costs. */
function differenceNote(total: Simulated): string {
  const { percent, difference, isRange } = total;
  if (percent === null) return 'no costs';
  const isSaved = difference.expected.startsWith('-');
  if (!isRange) return formatPercent(isSaved ? -percent : percent);
  if (!difference.high.startsWith('-')) return `${formatPercent(percent)}, ${rangeOf(total, 'difference')}`;
  const [least, most] = [difference.high, difference.low].map((text) => usdText(text.replace('-', '')));
  return `${formatPercent(-percent)}, between ${least} and ${most}`;
}

function rangeOf({ isRange, ...amounts }: Simulated, name: 'after' | 'difference'): string {
  const { low, high } = amounts[name];
  return isRange ? `${usdText(low)} to ${usdText(high)}` : '';
}

function row(name: Html | string, simulated: Simulated): Html {
  const { before, after, isRange, percent } = simulated;
  return html`<tr><th scope="row" class="name">${name}</th><td class="number" data-label="Before">${usdText(before)}</td>
    <td class="number" data-label="After">${usdText(after.expected)}${isRange && html` <br><span class="muted">${rangeOf(simulated, 'after')}</span>`}</td>
    <td class="number" data-label="Difference">${differenceText(amount(after.expected), amount(before))}</td><td class="number" data-label="Percent">${percent === null ? '–' : formatPercent(percent)}</td></tr>`;
}

/** Notes above the figures on what they exclude. */
function kept(notCovered: Simulation['notCovered']): Html | false {
  return (
    notCovered.length > 0 &&
    html`<section class="panel warnings" aria-labelledby="kept"><h2 id="kept">Not recalculated</h2><ul>${notCovered.map(
      ({ detail, modelSlug, eventCount, cost }) =>
        html`<li>${formatCount(eventCount)} ${eventCount === 1 ? 'event' : 'events'} of ${modelSlug} not recalculated: ${usdText(cost)} (${detail})</li>`,
    )}</ul></section>`
  );
}
