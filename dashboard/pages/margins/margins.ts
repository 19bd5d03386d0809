/** `/margins`: from revenue through costs to the margin, over time, and the customers with the largest losses. */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance } from 'fastify';
import { amount, plain } from '#kernel/money.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount, formatPercent, withUnbrokenAmounts } from '../../figures/amount.ts';
import { chartPatterns } from '../../figures/area-chart.ts';
import { correctionLine, correctionMarks, getCorrections } from '../../figures/corrections.ts';
import { costPathOf } from '../../figures/cost-address.ts';
import { costsSinceLine, getCostsSince } from '../../figures/costs-since.ts';
import type { ChartMark } from '../../figures/chart-marks.ts';
import { marginChart, unitOfGranularity } from '../../figures/margin-chart.ts';
import { getMarginTrend, type MarginTrend } from '../../figures/margin-trend.ts';
import { marginRows } from '../../figures/margin-rows.ts';
import { getChartMarks } from '../../figures/mark-figures.ts';
import { marginText } from '../../figures/shown-parts.ts';
import { lossesTitle } from '../../figures/tables.ts';
import { marginWarning, warningPanel } from '../../figures/warnings.ts';
import { windowChoice, type WindowChoice, windowLinks, windowParameters } from '../../figures/window-choice.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { queryOf } from '../../http/form.ts';
import { periodQuery } from '../../http/period-query.ts';
import { type Outcome, outcomeOf } from '../../http/outcome-of.ts';
import { sendCsv } from '../../http/send-csv.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { type Step, waterfall } from './waterfall.ts';

const MARGINS = graphql(`query MarginsPage($start: Instant!, $end: Instant!) {
  reportingCurrency { currency choices { from } }
  window(start: $start, end: $end) {
    margin {
      total { totalRevenue totalCost marginAmount marginPercent unattributedCost unattributedRevenue }
      endUsers(filter: { only: UNPROFITABLE }, first: 50) { nodes { endUserId endUserName revenue cost marginAmount marginPercent profitability } totalCount totalRevenue totalCost marginAmount }
      warnings { type count message }
    }
    costs(groupBy: [PROVIDER, MODEL], first: 100) { nodes { values { value } totalCost } totalCount totalCost }
  }
}`);
type Data = DataOf<'MarginsPage'>;
type Figures = Data['window'];
type Total = Figures['margin']['total'];

/** The most expensive models have a step of their own. */
const MODELS_SHOWN = 8;

/** Name of the margin in the chosen currency. False if it is the one in USD. */
function reportingTitle({ reportingCurrency: { currency, choices }, window }: Data): string | false {
  if (choices.length === 0) return false;
  if (currency !== 'USD') return `Margin in ${currency}`;
  const hasOthers = window.margin.warnings.some(({ type }) => type === 'revenue_in_other_currencies');
  return hasOthers && 'Margin with other currencies';
}

export function marginsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    '/margins',
    withSession(dependencies, async (signedIn) => {
      const time = now();
      const window = windowChoice(periodQuery(dependencies, signedIn), time);
      const { start, end } = window;
      const { principal } = signedIn;
      const figures = outcomeOf(askGateway(gateway, MARGINS, { start, end }, principal), []);
      const models = figures.then(({ value }) => value?.window.costs.nodes ?? null);
      const [{ value, error }, trend, marks, corrections] = await Promise.all([
        figures,
        outcomeOf(getMarginTrend(gateway, principal, window), []),
        getChartMarks(gateway, principal, { start, end, models }),
        getCorrections(gateway, principal, { start, end }),
      ]);
      const since = trend.value === null ? null : await getCostsSince(gateway, principal, trend.value);
      const reporting = value !== null && reportingTitle(value);
      const body = html`
<div class="heading"><h1>Margins</h1>${reporting && html`<a href="${pathOf(window, '/margins/currency')}">${reporting}</a>`}
  ${windowLinks(window, '/margins')}
</div>
${error ? html`<p class="alert" role="alert">${error.message}</p>` : html`${costsSinceLine(since)}${panels(value.window, { window, trend, marks: [...marks, ...correctionMarks(corrections)], principal })}${correctionLine(corrections)}`}`;
      return sendFramed(signedIn, { title: 'Margins', body, ...(error ? { status: 422 } : {}) });
    }),
  );

  pages.get(
    '/margins.csv',
    withSession(dependencies, async ({ request, reply, principal }) => {
      const window = windowChoice(queryOf(request), now());
      const { start, from, to } = window;
      const rows = async function* () {
        const { dataPoints } = await getMarginTrend(gateway, principal, window);
        yield dataPoints.map(({ date, revenue, cost, marginAmount, marginPercent }) => [
          // The first week or month may begin before the period.
          date < start ? start.slice(0, 'YYYY-MM-DD'.length) : date,
          revenue,
          cost,
          marginAmount,
          marginPercent,
        ]);
      };
      const header = ['first_day', 'revenue_usd', 'cost_usd', 'margin_usd', 'margin_percent'];
      return sendCsv(reply, `margins-${from}-${to}`, header, rows());
    }),
  );
}

function pathOf(window: WindowChoice, path = '/margins', more: [string, string][] = []): string {
  return `${path}?${new URLSearchParams([...windowParameters(window), ...more]).toString()}`;
}

function panels(
  { margin, costs }: Figures,
  {
    window,
    trend,
    marks,
    principal,
  }: {
    readonly window: WindowChoice;
    readonly trend: Outcome<MarginTrend>;
    readonly marks: readonly ChartMark[];
    readonly principal: Principal;
  },
): Html {
  const { total, endUsers, warnings } = margin;
  return html`
<p class="lead">Revenue ${usdText(total.totalRevenue)} − cost ${usdText(total.totalCost)} = margin ${withUnbrokenAmounts(marginText(total.totalRevenue, total.totalCost))}${total.marginPercent !== null && html` (${formatPercent(total.marginPercent)})`}.${unassigned(total, window)}</p>
<section class="panel" aria-labelledby="waterfall"><h2 id="waterfall">From revenue to margin</h2>${waterfall(stepsOf(total, costs, window))}</section>
${chartPatterns}<section class="panel" aria-labelledby="trend"><div class="heading"><h2 id="trend">Over time</h2><a href="${pathOf(window, '/margins.csv')}" download>CSV</a></div>${trend.error ? html`<p class="muted">${trend.error.message}</p>` : trendChart(trend.value, marks, window)}</section>
<section class="panel" aria-labelledby="losses"><div class="heading"><h2 id="losses">${endUsers.totalCount === 0 ? 'Customers that lose money' : lossesTitle(endUsers)}</h2><a href="${pathOf(window, '/customers.csv', [['only', 'losing']])}" download>CSV</a></div>
${endUsers.totalCount === 0 ? html`<p class="muted">No customer lost money in this period.</p>` : marginRows(endUsers.nodes, window, { label: 'Customers that lose money', warnings, total: { name: endUsers.totalCount > endUsers.nodes.length ? `Total of all ${formatCount(endUsers.totalCount)}` : 'Total', revenue: endUsers.totalRevenue, cost: endUsers.totalCost, marginAmount: endUsers.marginAmount } })}
<p>${endUsers.totalCount > endUsers.nodes.length && html`<a href="${pathOf(window, '/customers', [['only', 'losing']])}">All ${formatCount(endUsers.totalCount)} that lose money</a>, `}<a href="${pathOf(window, '/customers')}">All customers</a>, <a href="${pathOf(window, '/customers', [['only', 'unmatched']])}">customers not linked to Stripe</a></p></section>
${warningPanel(
  warnings.map((warning) => marginWarning(warning, total)),
  principal,
)}`;
}

/** A sentence about cost and revenue without a customer; false if there are none. */
function unassigned({ unattributedCost, unattributedRevenue }: Total, window: WindowChoice): Html | false {
  const costPath = costPathOf(window, [{ key: 'customer', value: 'none' }]);
  const revenuePath = pathOf(window, '/customers', [['only', 'unlinked']]);
  const hasCost = amount(unattributedCost) !== 0n;
  const hasRevenue = amount(unattributedRevenue) !== 0n;
  return (
    (hasCost || hasRevenue) &&
    html` Not assigned to a customer: ${hasCost && html`<a href="${costPath}">${usdText(unattributedCost)}</a> cost`}${hasCost && hasRevenue && ', '}${hasRevenue && html`<a href="${revenuePath}">${usdText(unattributedRevenue)}</a> billed`}.`
  );
}

function trendChart({ granularity, dataPoints }: MarginTrend, marks: readonly ChartMark[], window: WindowChoice): Html {
  const points = dataPoints.map(({ date, revenue, cost }) => ({ start: date, revenue, cost }));
  return marginChart(points, unitOfGranularity(granularity), marks, window);
}

/** Costs outside the costliest groups are one more step, so the steps end exactly at the margin. */
function stepsOf(total: Total, costs: Figures['costs'], window: WindowChoice): Step[] {
  const models = costs.nodes.slice(0, MODELS_SHOWN);
  const shown = models.reduce((sum, { totalCost }) => sum + amount(totalCost), 0n);
  const others = amount(total.totalCost) - shown;
  return [
    { name: 'Revenue', href: pathOf(window, '/customers'), change: total.totalRevenue, isTotal: true },
    ...models.map(({ values, totalCost }): Step => {
      const [provider = '', model = ''] = values.map(({ value }) => value);
      const filters = [
        { key: 'provider', value: provider },
        { key: 'model', value: model },
      ];
      return {
        name: model,
        note: provider,
        href: costPathOf(window, filters, 'customer'),
        change: plain(-amount(totalCost)),
      };
    }),
    ...(others === 0n
      ? []
      : [
          {
            name: `Other models (${formatCount(costs.totalCount - models.length)})`,
            href: costPathOf(window, []),
            change: plain(-others),
          },
        ]),
    { name: 'Margin', href: null, change: total.marginAmount, isTotal: true },
  ];
}
