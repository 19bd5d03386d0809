/** `/`: what it cost, who caused it, and whether it paid. */
import type { FastifyInstance } from 'fastify';
import { now } from '../../platform/clock.ts';
import { costTables, headline, marginTable } from '../figures/tables.ts';
import { toKnow } from '../figures/to-know.ts';
import { trendChart } from '../figures/trend-chart.ts';
import { withSession } from '../http/with-session.ts';
import { queryOf } from '../http/form.ts';
import { type Html, html } from '../shell/html.ts';
import { type CostFigures, type MarginFigures, getFigures } from '../figures/overview-figures.ts';
import { sendFramed } from '../http/send-page.ts';
import { OVERVIEW_WINDOWS, type OverviewWindow, overviewWindow } from '../figures/overview-window.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { formatAmount, formatCount, formatPercent } from '../figures/amount.ts';
import { formatDate } from '../figures/instant.ts';

export function overviewPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/',
    withSession(dependencies, async (signedIn) => {
      const window = overviewWindow(queryOf(signedIn.request).get('window'), now());
      const figures = await getFigures(dependencies.gateway, signedIn.principal, window);
      const { costs, margin, marginError } = figures;
      const { trend, costsByModel, costsByEndUser } = costs.window;
      const isEmpty =
        Object.values(costs.costSummary.statusCounts).every((count) => count === 0) && costsByModel.items.length === 0;
      const body = html`
<div class="heading"><h1>Overview</h1>
  <nav aria-label="Window of time"><ul class="windows">${OVERVIEW_WINDOWS.map(
    ({ name, label }) => html`
    <li><a href="/?window=${name}"${name === window.name && html` aria-current="true"`}>${label}</a></li>`,
  )}</ul></nav>
</div>
${isEmpty && html`<p class="panel empty">No usage in this window yet. <a href="/first-steps">Three steps to your first event</a>.</p>`}
${headlines(window, costs, margin)}
${await toKnow(dependencies.gateway, signedIn.principal, figures)}
<section class="panel" aria-labelledby="trend"><h2 id="trend">Costs over time</h2>${trendChart(trend.series[0]?.dataPoints ?? [], trend.granularity)}</section>
${costTables(costsByModel.items, costsByEndUser)}
${marginTable(margin, marginError)}`;
      return sendFramed(signedIn, { title: 'Overview', body });
    }),
  );
}

/** The figures at the top: cost, change, margin, events, credits. */
function headlines(
  { label, before }: OverviewWindow,
  { costSummary, credits }: CostFigures,
  margin: MarginFigures | null,
): Html {
  const { currentPeriodCost, previousPeriodCost, changeAmount, changePercent, eventCount } = costSummary;
  const direction = changeAmount === '0' ? 'no change' : changeAmount.startsWith('-') ? 'less' : 'more';
  const change =
    changeAmount === '0'
      ? html`As much as ${before}`
      : html`<span class="change ${direction}">${direction === 'more' ? '▲' : '▼'} ${formatAmount(changeAmount.replace('-', ''))} ${direction}</span> (${formatPercent(changePercent)}) than ${before}: ${formatAmount(previousPeriodCost)}`;
  return html`
<section aria-label="${label} in figures" class="headlines">
  ${headline('Cost', formatAmount(currentPeriodCost), change)}
  ${margin && headline('Margin', formatAmount(margin.total.marginAmount), margin.total.marginPercent === null ? 'no revenue in this window' : `${formatPercent(margin.total.marginPercent)} of ${formatAmount(margin.total.totalRevenue)} revenue`)}
  ${headline('Events', formatCount(eventCount), 'priced in this window')}
  ${credits.creditsLeft !== null && headline('Event credits left', formatCount(credits.creditsLeft), credits.renewsAt !== null && html`the plan renews on ${formatDate(credits.renewsAt)}`)}
</section>`;
}
