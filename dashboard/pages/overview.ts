/** `/`: what it cost, who caused it, and whether it paid. */
import type { FastifyInstance } from 'fastify';
import { now } from '../../platform/clock.ts';
import { costTables } from '../figures/cost-tables.ts';
import { marginTable } from '../figures/margin-table.ts';
import { headlines } from '../figures/headlines.ts';
import { trendChart } from '../figures/trend-chart.ts';
import { forPeople } from '../http/for-people.ts';
import { queryOf } from '../http/form.ts';
import { html } from '../shell/html.ts';
import { askFigures } from '../figures/overview-figures.ts';
import { sendFramed } from '../http/send-page.ts';
import { spansAt } from '../figures/span.ts';
import type { Surroundings } from '../http/surroundings.ts';
import { warningsOf } from '../figures/warnings-of.ts';

export function overviewPage(pages: FastifyInstance, surroundings: Surroundings): void {
  pages.get('/', forPeople(surroundings, async (person) => {
    const spans = spansAt(now());
    const wanted = queryOf(person.request).get('span');
    const span = spans.find(({ name }) => name === wanted) ?? spans[0];
    const figures = await askFigures(surroundings.gateway, person.principal, span);
    const { costs, margin, marginFault } = figures;
    const { trend, costsByModel, costsByEndUser } = costs.window;
    const warnings = warningsOf(figures);
    const isEmpty = Object.values(costs.costSummary.statusCounts).every((count) => count === 0) && costsByModel.items.length === 0;
    const body = html`
<div class="heading"><h1>Overview</h1>
  <nav aria-label="Span of time"><ul class="spans">${spans.map(({ name, label }) => html`
    <li><a href="/?span=${name}"${name === span.name && html` aria-current="true"`}>${label}</a></li>`)}</ul></nav>
</div>
${isEmpty && html`<p class="panel empty">No usage in this span yet. <a href="/api-keys/new">Create a key</a> and send your first event: the <a href="/docs">API reference</a> says how.</p>`}
${headlines(span, costs, margin)}
${warnings.length > 0 && html`<section class="panel warnings" aria-labelledby="warnings"><h2 id="warnings">To know</h2><ul>${warnings.map((warning) => html`<li>${warning}</li>`)}</ul></section>`}
<section class="panel" aria-labelledby="trend"><h2 id="trend">Costs over time</h2>${trendChart(trend.series[0]?.dataPoints ?? [], trend.granularity)}</section>
${costTables(costsByModel.items, costsByEndUser)}
${marginTable(margin, marginFault)}`;
    return sendFramed(person, { title: 'Overview', body });
  }));
}
