/** `/`: the main figures, costs over time with their main cause, and who loses money. */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance } from 'fastify';
import { amount, approximate } from '#kernel/money.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { addMonths, monthStart } from '#kernel/time/calendar.ts';
import { minuteOf } from '#kernel/time/instant.ts';
import { now } from '#platform/clock.ts';
import type { Principal } from '#platform/principal.ts';
import { formatCount, formatPercent } from '../figures/amount.ts';
import { correctionLine } from '../figures/corrections.ts';
import { costPathOf, keyCostsPath } from '../figures/cost-address.ts';
import { costsSinceLine, getCostsSince } from '../figures/costs-since.ts';
import { formatDate, formatMonth } from '../figures/instant.ts';
import { mainCauseLine } from '../figures/main-cause.ts';
import { openAlerts } from '../figures/open-alerts.ts';
import { type CostFigures, type OverviewFigures, getFigures } from '../figures/overview-figures.ts';
import { permittedLink } from '../figures/permitted-link.ts';
import { sampleOffer } from '../figures/sample-offer.ts';
import { differenceText, marginText } from '../figures/shown-parts.ts';
import { sparkline } from '../figures/sparkline.ts';
import { costTables, headline, marginTable } from '../figures/tables.ts';
import { toKnow } from '../figures/to-know.ts';
import { endOf } from '../figures/time-axis.ts';
import { trendChart } from '../figures/trend-chart.ts';
import { windowChoice, type WindowChoice, windowLinks, windowParameters } from '../figures/window-choice.ts';
import { eventPath } from './events/event-address.ts';
import { laterInsights } from './insights.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { mayOpen } from '../http/page-access.ts';
import { periodQuery } from '../http/period-query.ts';
import { sendFramed } from '../http/send-page.ts';
import { withSession } from '../http/with-session.ts';
import { type Content, type Html, html } from '../shell/html.ts';

export function overviewPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/',
    withSession(dependencies, async (signedIn) => {
      const { gateway } = dependencies;
      const { principal } = signedIn;
      const time = now();
      const query = periodQuery(dependencies, signedIn);
      const window = windowChoice(query, time);
      const figures = await getFigures(gateway, principal, { window, now: time });
      const { costs, margin, marginError, marginTrend, alerts, corrections } = figures;
      const { costsByModel } = costs.window;
      const isEmpty =
        Object.values(costs.costSummary.statusCounts).every((count) => count === 0) && costsByModel.items.length === 0;
      const [since, attention] = await Promise.all([
        marginTrend === null ? null : getCostsSince(gateway, principal, marginTrend),
        toKnow(gateway, principal, figures),
      ]);
      const body = html`
<div class="heading"><h1>Overview</h1>
  ${windowLinks(window, '/')}
</div>
${isEmpty && html`<p class="panel empty">No usage in this period. ${permittedLink(principal, '/first-steps', 'Three steps to your first event')}</p>`}
${isEmpty && principal.sampleOf === undefined && (await sampleOffer(gateway, signedIn))}
${tiles(window, figures)}
${costsSinceLine(since)}
${costPanel(window, figures, booksLinks(principal, time))}
${marginTable(margin, marginError, window)}
${openAlerts(alerts)}
${attention}
${laterInsights(query.has('window') || query.has('from') ? window : null)}
${costTables(costsByModel.items, costs.window.costs, window)}
${correctionLine(corrections)}`;
      return sendFramed(signedIn, { title: 'Overview', body });
    }),
  );
}

/** Costs over time, with the main cause of an increase marked and named. */
function costPanel(
  window: WindowChoice,
  { costs, unit, marks }: OverviewFigures,
  booksLinks: readonly PageLink[],
): Html {
  const { costTrend, costChange } = costs.window;
  const isInDays = unit !== 'hour';
  const pathOf = (start: string, next: string | null) => {
    const end = next ?? new Date(Math.min(endOf(start, unit), Date.parse(window.end))).toISOString();
    const from = start < window.start ? window.start : start;
    const dates = isInDays
      ? { from: from.slice(0, 10), to: new Date(Date.parse(end) - 1).toISOString().slice(0, 10) }
      : { from: minuteOf(Date.parse(from)), to: minuteOf(Date.parse(end)) };
    return costPathOf({ ...window, name: null, at: null, ...dates }, []);
  };
  const { mainCause } = costChange;
  const isMarked = mainCause !== null && Date.parse(mainCause.end) - Date.parse(mainCause.start) <= DAY_MS;
  const points = costTrend.series[0]?.points ?? [];
  return html`
<section class="panel" aria-labelledby="trend"><h2 id="trend">Costs over time</h2>
${mainCauseLine(costChange, { window, filters: [] })}
${points.some(({ cost, eventCount }) => eventCount > 0 || cost !== '0') ? trendChart(points, unit, { marks, pathOf, period: window, cause: isMarked ? mainCause : null }) : html`<p class="muted">No costs in this period.</p>`}
${closerLinks(window, booksLinks)}</section>`;
}

/** Statement of the last completed month. */
function statementPath(time: Date): string {
  const month = addMonths(monthStart(time.getUTCFullYear(), time.getUTCMonth()), -1);
  return `/books/closing/statement?month=${month.toISOString().slice(0, 'YYYY-MM'.length)}`;
}

interface PageLink {
  readonly path: string;
  readonly label: string;
}

/** Links to pages about the books. Sample data has none. */
function booksLinks(principal: Principal, time: Date): PageLink[] {
  if (principal.sampleOf !== undefined) return [];
  const links = [
    { path: statementPath(time), label: 'Statement of last month' },
    { path: '/books/bills', label: 'Provider bills' },
  ];
  return links.filter(({ path }) => mayOpen(principal, path));
}

/** Links to details of costs, and to the given pages about the books. */
function closerLinks(window: WindowChoice, books: readonly PageLink[]): Html {
  const links: PageLink[] = [
    { path: eventPath({ window, filters: [], isByCost: true, after: null }), label: 'Most expensive events' },
    { path: costPathOf(window, [], 'session'), label: 'Sessions' },
    { path: keyCostsPath(window), label: 'API keys' },
    { path: costPathOf(window, [], 'agent'), label: 'Agents' },
    { path: costPathOf(window, [], 'feature'), label: 'Features' },
    { path: '/notes', label: 'Notes' },
    ...books,
  ];
  return html`<nav aria-label="Cost details"><ul class="inline">${links.map(({ path, label }) => html`<li><a href="${path}">${label}</a></li>`)}</ul></nav>`;
}

/** The main figures. Each links to its details. */
function tiles(window: WindowChoice, { costs, margin, marginTrend, forecast, budget, before }: OverviewFigures): Html {
  const query = new URLSearchParams(windowParameters(window)).toString();
  const { costChange, costTrend } = costs.window;
  const { total } = costChange;
  const { credits } = costs;
  return html`
<section aria-label="${window.label} in figures" class="headlines">
  ${headline(
    'Cost',
    html`<a href="/costs?${query}&amp;group=model&amp;compare=previous">${usdText(total.cost)}</a>`,
    html`${changeOf(costChange, before)}${sparkline((costTrend.series[0]?.points ?? []).map(({ cost }) => approximate(cost)))}`,
  )}
  ${margin && marginTile(margin.total, marginTrend?.dataPoints ?? [], query)}
  ${forecast?.range && forecastTile(forecast.range, budget)}
  ${margin && lossTile(margin, query)}
  ${credits.creditsLeft !== null && headline('Event credits left', formatCount(credits.creditsLeft), credits.renewsAt !== null && html`plan renews on ${formatDate(credits.renewsAt)}`)}
</section>`;
}

type Margin = NonNullable<OverviewFigures['margin']>;

/** Without costs, the margin would be a misleading 100%, so no percentage is shown. */
function marginTile(
  { totalRevenue, totalCost, marginPercent }: Margin['total'],
  points: readonly { readonly marginPercent: number | null }[],
  query: string,
): Html {
  const hasCosts = amount(totalCost) !== 0n;
  const share = marginPercent === null || !hasCosts ? '–' : formatPercent(marginPercent);
  const note =
    marginPercent === null
      ? 'No revenue in this period'
      : hasCosts
        ? `${marginText(totalRevenue, totalCost)} of ${usdText(totalRevenue)} revenue`
        : `${usdText(totalRevenue)} revenue, no usage yet`;
  return headline(
    'Margin %',
    html`<a href="/margins?${query}">${share}</a>`,
    html`${note}${hasCosts && sparkline(points.map((point) => (point.marginPercent === null ? null : Math.max(point.marginPercent, -100))))}`,
  );
}

function forecastTile(
  { low, expected, high }: { readonly low: string; readonly expected: string; readonly high: string },
  budget: OverviewFigures['budget'],
): Html {
  const limit = budget?.amount ?? null;
  const isOver = limit !== null && amount(expected) > amount(limit);
  return headline(
    `Forecast for ${formatMonth(now())}`,
    html`<a href="/costs?window=month&amp;group=model&amp;compare=previous">${usdText(expected)}</a>`,
    html`90% likely between ${usdText(low)} and ${usdText(high)}${limit !== null && html` <br><a href="/alerts/budgets">Budget ${usdText(limit)}</a> <span class="badge ${isOver ? 'bad' : 'good'}">${isOver ? 'exceeded' : 'within'}</span>`}`,
  );
}

function lossTile({ endUsers: { totalCount, totalRevenue, totalCost }, endUserCount }: Margin, query: string): Html {
  return headline(
    'Customers losing money',
    html`<a href="/customers?${query}&amp;only=losing">${formatCount(totalCount)}</a>`,
    totalCount === 0
      ? `of ${formatCount(endUserCount)}`
      : `of ${formatCount(endUserCount)}, ${marginText(totalRevenue, totalCost)} in total`,
  );
}

/** An increase from zero is not highlighted. */
function changeOf({ total, percent }: CostFigures['window']['costChange'], before: string): Content {
  const events = `${formatCount(total.eventCount)} ${total.eventCount === 1 ? 'event' : 'events'}`;
  if (total.previousCost === '0') return `${events}. No costs in ${before}`;
  if (total.difference === '0') return `${events}. Same as ${before}`;
  const direction = total.difference.startsWith('-') ? 'less' : 'more';
  const previous = amount(total.previousCost);
  const change = differenceText(previous + amount(total.difference), previous);
  return html`<span class="change ${direction}">${direction === 'more' ? '▲' : '▼'} ${change.replace('−', '')} ${direction}</span>${percent !== null && ` (${formatPercent(percent)})`} than ${before}: ${usdText(total.previousCost)}. ${events}`;
}
