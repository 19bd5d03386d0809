/** Preview of a rule: its episodes of the last 60 days, on a chart of the watched figures and in words. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { withUnbrokenAmounts } from '../../figures/amount.ts';
import { chartPatterns } from '../../figures/area-chart.ts';
import type { ChartMark } from '../../figures/chart-marks.ts';
import { costPathOf } from '../../figures/cost-address.ts';
import { formatInstant } from '../../figures/instant.ts';
import { marginChart, unitOfGranularity } from '../../figures/margin-chart.ts';
import { trendChart } from '../../figures/trend-chart.ts';
import { type Outcome, outcomeOf } from '../../http/outcome-of.ts';
import { html, type Html } from '../../shell/html.ts';

const PREVIEW = graphql(`query PreviewAlertRule($input: AlertRuleSaveInput!, $days: Int!) {
  alertPreview(input: $input, days: $days) {
    start end episodesPerMonth reason
    episodes { groupName severity openedAt closedAt sentence path }
  }
}`);
const COSTS = graphql(`query PreviewedCosts($start: Instant!, $end: Instant!, $filter: CostFilter) {
  window(start: $start, end: $end) {
    costTrend(filter: $filter, granularity: DAY) { series { points { start cost eventCount } } }
  }
}`);
const MARGINS = graphql(`query PreviewedMargins($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { marginTrend { granularity dataPoints { date revenue cost } } }
}`);

type Input = VariablesOf<'PreviewAlertRule'>['input'];
type Preview = DataOf<'PreviewAlertRule'>['alertPreview'];

const DAYS = 60;

/** Kinds whose figure is not a cost over time. */
const WITHOUT_CHART: ReadonlySet<string> = new Set(['COST_PER_SUCCESS', 'IDLE_CAPACITY', 'CAPACITY_EXHAUSTED']);

export async function previewPanel(gateway: GatewayClient, principal: Principal, input: Input): Promise<Html> {
  const { value, error } = await outcomeOf(askGateway(gateway, PREVIEW, { input, days: DAYS }, principal), []);
  const title = html`<h2 id="preview">When it would have fired</h2>`;
  if (error)
    return html`<section class="panel" aria-labelledby="preview">${title}<p class="alert" role="alert">${error.message}</p></section>`;
  const preview = value.alertPreview;
  return html`
<section class="panel" aria-labelledby="preview">${title}
<p role="status">${sentence(preview)}</p>
${preview.reason === null && !WITHOUT_CHART.has(input.kind) && (await chart(gateway, principal, { input, preview }))}
${
  preview.episodes.length > 0 &&
  html`<div class="scroll" tabindex="0" role="group" aria-labelledby="preview"><table class="fold">
  <thead><tr><th scope="col">From</th><th scope="col">Until</th><th scope="col">Message</th></tr></thead>
  <tbody>${preview.episodes.map(
    (episode) => html`
    <tr><th scope="row">${formatInstant(episode.openedAt)}</th><td data-label="Until">${episode.closedAt === null ? html`<span class="badge test">still open</span>` : formatInstant(episode.closedAt)}</td><td>${episode.groupName !== null && html`<b>${episode.groupName}</b>: `}${withUnbrokenAmounts(episode.sentence)} <a href="${episode.path}">View figures<span class="unseen"> of ${formatInstant(episode.openedAt)}</span></a></td></tr>`,
  )}</tbody></table></div>`
}</section>`;
}

function sentence({ episodes, episodesPerMonth, reason }: Preview): string {
  if (reason !== null) return reason;
  if (episodes.length === 0) return `Would not have fired in the last ${DAYS} days.`;
  const times = episodes.length === 1 ? 'once' : `${episodes.length} times`;
  return `Would have fired ${times} in the last ${DAYS} days (${episodesPerMonth.toFixed(1)} per month).`;
}

/** Chart of the watched figures, if they can be charted; empty if they are unavailable. */
async function chart(
  gateway: GatewayClient,
  principal: Principal,
  { input, preview: { start, end, episodes } }: { readonly input: Input; readonly preview: Preview },
): Promise<Html | false> {
  const marks = episodes.map(({ openedAt, groupName, path }): ChartMark => ({
    at: openedAt,
    kind: 'alert',
    name: groupName ?? input.name,
    href: path,
  }));
  if (isOfRevenue(input)) {
    const { value } = await outcomeOf(askGateway(gateway, MARGINS, { start, end }, principal), []);
    if (value === null) return false;
    const { granularity, dataPoints } = value.window.marginTrend;
    const points = dataPoints.map(({ date, revenue, cost }) => ({ start: date, revenue, cost }));
    return html`${chartPatterns}${marginChart(points, unitOfGranularity(granularity), marks)}`;
  }
  const found: Outcome<DataOf<'PreviewedCosts'>> = await outcomeOf(
    askGateway(gateway, COSTS, { start, end, filter: input.filter ?? null }, principal),
    [],
  );
  const points = found.value?.window.costTrend.series[0]?.points.map((point) => ({
    start: point.start,
    cost: point.cost,
    eventCount: point.eventCount,
  }));
  const pathOf = (from: string) =>
    costPathOf({ name: null, label: '', start, end, from: dayOf(from), to: dayOf(from) }, []);
  return points === undefined ? false : trendChart(points, 'day', { marks, pathOf });
}

function dayOf(iso: string): string {
  return iso.slice(0, 'YYYY-MM-DD'.length);
}

function isOfRevenue({ kind, metric }: Input): boolean {
  return (
    kind === 'CUSTOMER_UNPROFITABLE' ||
    kind === 'COST_WITHOUT_REVENUE' ||
    metric === 'REVENUE' ||
    metric === 'MARGIN' ||
    metric === 'MARGIN_PERCENT'
  );
}
