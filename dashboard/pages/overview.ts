/** `/`: costs, their largest causes, and margin. */
import type { FastifyInstance } from 'fastify';
import { now } from '#platform/clock.ts';
import { costTables, headline, marginTable } from '../figures/tables.ts';
import { toKnow } from '../figures/to-know.ts';
import { trendChart } from '../figures/trend-chart.ts';
import { withSession } from '../http/with-session.ts';
import { queryOf } from '../http/form.ts';
import { type Content, type Html, html } from '../shell/html.ts';
import { type CostFigures, type OverviewFigures, getFigures } from '../figures/overview-figures.ts';
import { sendFramed } from '../http/send-page.ts';
import {
  offeredChoice,
  summaryWindow,
  type WindowChoice,
  type WindowChoiceName,
  windowLinks,
  windowParameters,
} from '../figures/window-choice.ts';
import { sampleOffer } from '../figures/sample-offer.ts';
import { insightPanel, openAlerts } from '../figures/open-alerts.ts';
import { costPathOf } from '../figures/cost-address.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { formatAmount, formatCount, formatPercent } from '../figures/amount.ts';
import { formatDate, formatMonth } from '../figures/instant.ts';
import { marginText } from '../figures/shown-parts.ts';

export function overviewPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/',
    withSession(dependencies, async (signedIn) => {
      const time = now();
      const window = offeredChoice(queryOf(signedIn.request), time, 'month');
      const figures = await getFigures(dependencies.gateway, signedIn.principal, window);
      const { costs, margin, marginError, marks, alerts } = figures;
      const { trend, costsByModel } = costs.window;
      const isEmpty =
        Object.values(costs.costSummary.statusCounts).every((count) => count === 0) && costsByModel.items.length === 0;
      const body = html`
<div class="heading"><h1>Overview</h1>
  ${windowLinks(window, (parameters) => `/?${new URLSearchParams(parameters).toString()}`, null)}
</div>
${isEmpty && html`<p class="panel empty">No usage in this period. <a href="/first-steps">Three steps to your first event</a>.</p>`}
${isEmpty && signedIn.principal.sampleOf === undefined && (await sampleOffer(dependencies.gateway, signedIn))}
${headlines(window, figures)}
<section class="panel" aria-labelledby="trend"><h2 id="trend">Costs over time</h2>${trendChart(trend.series[0]?.dataPoints ?? [], trend.granularity, { marks, pathOf: (from, to) => costPathOf({ ...window, name: null, from, to: to ?? window.to }, []) })}</section>
${marginTable(margin, marginError, window)}
${openAlerts(alerts)}
${insightPanel(alerts)}
${await toKnow(dependencies.gateway, signedIn.principal, figures)}
${costTables(costsByModel.items, costs.window.costs, window)}`;
      return sendFramed(signedIn, { title: 'Overview', body });
    }),
  );
}

/** Figures at the top: cost, change, month-end forecast, margin, events, credits. Each links to its breakdown. */
function headlines(
  window: WindowChoice & { readonly name: WindowChoiceName },
  { costs: { costSummary, credits }, margin, forecast }: OverviewFigures,
): Html {
  const { currentPeriodCost, eventCount } = costSummary;
  const query = new URLSearchParams(windowParameters(window)).toString();
  const total = margin?.total;
  return html`
<section aria-label="${window.label} in figures" class="headlines">
  ${headline('Cost', html`<a href="/costs?${query}&amp;group=model&amp;compare=previous">${formatAmount(currentPeriodCost)}</a>`, changeOf(costSummary, summaryWindow(window.name).before))}
  ${forecast?.range && headline(`Forecast for ${formatMonth(now())}`, html`<a href="/costs?window=month&amp;group=model&amp;compare=previous">${formatAmount(forecast.range.expected)}</a>`, `90% likely between ${formatAmount(forecast.range.low)} and ${formatAmount(forecast.range.high)}`)}
  ${total && headline('Margin', html`<a href="/margins?${query}">${marginText(total.totalRevenue, total.totalCost)}</a>`, total.marginPercent === null ? 'no revenue in this period' : `${formatPercent(total.marginPercent)} of ${formatAmount(total.totalRevenue)} revenue`)}
  ${headline('Events', html`<a href="/events?${query}">${formatCount(eventCount)}</a>`, 'priced this period')}
  ${credits.creditsLeft !== null && headline('Event credits left', formatCount(credits.creditsLeft), credits.renewsAt !== null && html`plan renews on ${formatDate(credits.renewsAt)}`)}
</section>`;
}

/** An increase from zero is not highlighted. */
function changeOf(
  { previousPeriodCost, changeAmount, changePercent }: CostFigures['costSummary'],
  before: string,
): Content {
  if (previousPeriodCost === '0') return `No costs in ${before}`;
  if (changeAmount === '0') return `Same as ${before}`;
  const direction = changeAmount.startsWith('-') ? 'less' : 'more';
  return html`<span class="change ${direction}">${direction === 'more' ? '▲' : '▼'} ${formatAmount(changeAmount.replace('-', ''))} ${direction}</span> (${formatPercent(changePercent)}) than ${before}: ${formatAmount(previousPeriodCost)}`;
}
