/**
 * `/costs`: costs by any grouping and filter, compared with another period; every name is a link that narrows the
 * view.
 */
import type { EndUserId } from '#kernel/ids.ts';
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance } from 'fastify';
import { now } from '#platform/clock.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { fail } from '#kernel/errors.ts';
import type { Principal } from '#platform/principal.ts';
import { formatPercent } from '../../figures/amount.ts';
import { areaChart, chartPatterns, type Layer } from '../../figures/area-chart.ts';
import {
  COMPARED_DAYS,
  COMPARISONS,
  costParameters,
  costPath,
  type CostView,
  eventsPathOf,
  type Grain,
  GRAINS,
  groupPath,
  keyCostsPath,
  narrowedPath,
  OTHER_DATES,
  parseCostView,
} from '../../figures/cost-address.ts';
import { dimensionGroup, GROUP_NAMES, groupLabel, KEY_GROUP } from '../../figures/cost-keys.ts';
import { correctionLine } from '../../figures/corrections.ts';
import { heatTable } from './heat-table.ts';
import { didYouMean } from '../../figures/did-you-mean.ts';
import { filterValues } from '../../figures/filter-values.ts';
import { costWarning, warningPanel } from '../../figures/warnings.ts';
import { comparedWindow, dateField, windowChoice, windowLinks, windowParameters } from '../../figures/window-choice.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { queryOf } from '../../http/form.ts';
import { periodQuery } from '../../http/period-query.ts';
import type { Outcome } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { changePanel, type CostChange, getCostChange } from './cost-change.ts';
import { sendCostsCsv } from './costs-csv.ts';
import { type CostFigures, type Dimensions, getCostFigures } from './costs-figures.ts';
import { costTable } from './cost-table.ts';

export function costsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    '/costs',
    withSession(dependencies, async (signedIn) => {
      const query = periodQuery(dependencies, signedIn);
      const added = query.get('add') ?? '';
      const time = now();
      if (query.get('group') === KEY_GROUP) {
        if (query.has('filter'))
          fail('VALIDATION_ERROR', 'Costs by API key cannot be filtered. Remove the filters first.');
        return signedIn.reply.redirect(keyCostsPath(windowChoice(query, time)), 303);
      }
      const view = parseCostView(query, time);
      // A typed filter is turned into a URL filter.
      if (added !== '' && (query.get('value') ?? '') !== '') {
        if (added === 'customer') fail('VALIDATION_ERROR', 'Choose a customer on its page.');
        return signedIn.reply.redirect(narrowedPath(view, [{ key: added, value: query.get('value') ?? '' }]), 303);
      }
      const grain = view.grain ?? grainOf(view);
      const [figures, change] = await Promise.all([
        getCostFigures(gateway, signedIn.principal, { view, grain, now: time }),
        getCostChange(gateway, signedIn.principal, { view, now: time }),
      ]);
      const error = figures.groups.error;
      const body = html`
<div class="heading"><h1>Costs</h1>
  ${windowLinks(view.window, '/costs', hiddenOf(view, ['window', 'from', 'to', 'at']))}
</div>
<p><a href="/outcomes?${new URLSearchParams(windowParameters(view.window)).toString()}">Cost per completed task</a> · <a href="/costs/fixed?${new URLSearchParams(windowParameters(view.window)).toString()}">Fixed costs</a> · <a href="/allowances">Allowances</a></p>
${filterList(view, figures)}
${grouping(view, figures.dimensions, figures.values)}
${error ? html`<p class="alert" role="alert">${error.message}</p>${didYouMean(view.filters, figures.values, (filter, meant) => costPath(view, { filters: view.filters.map((one) => (one === filter ? meant : one)) }))}` : panels(view, { figures, change, grain, now: time, principal: signedIn.principal })}`;
      return sendFramed(signedIn, { title: 'Costs', body, ...(error ? { status: 422 } : {}) });
    }),
  );

  pages.get(
    '/costs.csv',
    withSession(dependencies, async ({ request, reply, principal }) =>
      sendCostsCsv(reply, { gateway, principal, view: parseCostView(queryOf(request), now()) }),
    ),
  );
}

/** Hours for up to two days, days for up to six weeks, weeks for up to half a year. */
function grainOf({ window }: CostView): Grain {
  const days = (new Date(window.end).getTime() - new Date(window.start).getTime()) / DAY_MS;
  if (days <= 2) return 'hour';
  return days <= 42 ? 'day' : days <= 184 ? 'week' : 'month';
}

function hiddenOf(view: CostView, without: readonly string[]): [string, string][] {
  return costParameters(view).filter(([name]) => !without.includes(name));
}

/** Active filters; each can be removed. */
function filterList(view: CostView, { dimensions, customer }: CostFigures): Html | false {
  return (
    view.filters.length > 0 &&
    html`
<ul class="chips" aria-label="Filters">${view.filters.map((filter) => {
      const name = groupLabel(filter.key, dimensions);
      const value = filter.key === 'customer' ? customer : filter.value;
      const path = costPath(view, { filters: view.filters.filter((other) => other !== filter) });
      return html`
  <li>${name}: ${filter.key === 'customer' && filter.value !== 'none' ? html`<a href="/customers/${filter.value}?${new URLSearchParams(windowParameters(view.window)).toString()}">${value}</a>` : html`<b>${value}</b>`} <a class="remove" href="${path}" aria-label="Remove the filter ${name}: ${value}">×</a></li>`;
    })}
</ul>`
  );
}

function grouping(view: CostView, dimensions: Dimensions, values: readonly string[]): Html {
  const names = [...GROUP_NAMES, ...dimensions.map(({ key }) => dimensionGroup(key))];
  const [first, second] = view.groups;
  const otherDates = typeof view.compare === 'object' ? view.compare : null;
  const option = (value: string, label: string, isChosen: boolean) =>
    html`<option value="${value}"${isChosen && html` selected`}>${label}</option>`;
  const named = (chosen: string | undefined) =>
    names.map((name) => option(encodeURIComponent(name), groupLabel(name, dimensions), name === chosen));
  const hidden = (without: readonly string[]) =>
    hiddenOf(view, without).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  return html`
<div class="panel controls">
  <form method="get" action="/costs">${hidden(['group', 'compare', 'grain', ...COMPARED_DAYS])}
    <label>Group by <select name="group">${named(first)}${view.filters.length === 0 && option(KEY_GROUP, 'API key', false)}</select></label>
    <label>then by <select name="then"><option value="">none</option>${named(second)}</select></label>
    <label>Compare with <select name="compare"><option value="">nothing</option>${COMPARISONS.map((name) => option(name, comparedWindow(view.window, name, new Date(view.window.end)).label, name === view.compare))}${option(OTHER_DATES, 'other dates', otherDates !== null)}</select></label>
    ${otherDates !== null && [dateField(COMPARED_DAYS[0], 'First day', otherDates.from), dateField(COMPARED_DAYS[1], 'Last day', otherDates.to)]}
    <label>Interval <select name="grain"><option value="">Auto</option>${GRAINS.map((name) => option(name, name, name === view.grain))}</select></label>
    <label>Filter <select name="add">${names.filter((name) => name !== 'customer').map((name) => option(name, groupLabel(name, dimensions), name === first))}</select></label>
    <label>is <input name="value" list="filter-values" maxlength="255" autocomplete="off"></label>${filterValues(values)}
    <button class="secondary">Show</button>
  </form>
</div>`;
}

function panels(
  view: CostView,
  {
    figures,
    change,
    grain,
    now: time,
    principal,
  }: {
    readonly figures: CostFigures;
    readonly change: Outcome<CostChange> | null;
    readonly grain: Grain;
    readonly now: Date;
    readonly principal: Principal;
  },
): Html {
  const { groups, series, hours, before, marks } = figures;
  const costs = groups.value!.costs;
  const { warnings } = groups.value!;
  const [first = ''] = view.groups;
  const beforeLabel = view.compare === null ? '' : comparedWindow(view.window, view.compare, time).label;
  return html`
${warningPanel(warnings.map(costWarning), principal)}
<p class="lead">${sentence(view, figures)}</p>
<section class="panel" aria-labelledby="over-time"><h2 id="over-time">Over time</h2>
${chartPatterns}${
    series.error
      ? html`<p class="muted">${series.error.message}</p>`
      : areaChart(layersOf(view, series.value), grain, {
          hasRest: series.value.some(({ isRest }) => isRest),
          marks,
          period: view.window,
          before: figures.seriesBefore,
          beforeLabel,
        })
  }</section>
<section class="panel" aria-labelledby="groups"><div class="heading"><h2 id="groups">By ${view.groups.map((name) => groupLabel(name, figures.dimensions).toLowerCase()).join(' and ')}</h2><p><a href="${eventsPathOf(view)}">Events</a> <a href="${costPath(view, {}, '/costs.csv')}" download>CSV</a> <a href="/exports">Exports</a></p></div>
${costTable(view, { costs, before, label: beforeLabel, dimensions: figures.dimensions })}
${correctionLine(figures.corrections)}</section>
${changePanel(view, change, figures.dimensions)}
${hours !== null && first !== '' && html`<section class="panel" aria-labelledby="hours"><h2 id="hours">Cost by hour of the week</h2>${hours.error ? html`<p class="muted">${hours.error.message}</p>` : heatTable(hours.value)}</section>`}`;
}

/** Description of the view in words. */
function sentence(view: CostView, { groups, before, dimensions }: CostFigures): string {
  const { costs } = groups.value!;
  const [top] = costs.nodes;
  if (!top) return 'No costs in this period.';
  const by = view.groups.map((name) => groupLabel(name, dimensions).toLowerCase()).join(' and ');
  const names = top.values.map(({ value, endUser }) => endUser?.name ?? value).join(', ');
  const compared = before?.value ? ` Compared period: ${usdText(before.value.totalCost)}.` : '';
  return `${view.window.label}: ${usdText(costs.totalCost)}. Largest by ${by}: ${names}, ${formatPercent(top.percentOfTotal)}.${compared}`;
}

function layersOf(
  view: CostView,
  series: readonly {
    isRest: boolean;
    value: { value: string; endUser: { endUserId: EndUserId; name: string } | null } | null;
    points: Layer['points'];
  }[],
): Layer[] {
  const [group = ''] = view.groups;
  return series.map(({ isRest, value, points }) => ({
    name: isRest || value === null ? 'All others' : (value.endUser?.name ?? value.value),
    href:
      isRest || value === null
        ? `${costPath(view, { top: Math.min(view.top * 10, 1000) })}#groups`
        : groupPath(view, group, value),
    points,
  }));
}
