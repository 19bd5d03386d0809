/** `/customers/{id}`: revenue and cost of one end user, cost breakdowns, and the start and causes of losses. */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance } from 'fastify';
import { amount, plain } from '#kernel/money.ts';
import { daysEarlier } from '#kernel/time/duration.ts';
import { percent } from '#kernel/percent.ts';
import { now } from '#platform/clock.ts';
import { exactAmount, formatCount, formatPercent } from '../../figures/amount.ts';
import { chartPatterns } from '../../figures/area-chart.ts';
import { costCsvPathOf, costPathOf, eventsPathOf } from '../../figures/cost-address.ts';
import { formatDate, formatInstant } from '../../figures/instant.ts';
import { marginChart } from '../../figures/margin-chart.ts';
import { rounded } from '#kernel/rounded-parts.ts';
import { differenceText, marginText, ROUNDING, roundingOf, shownAmount } from '../../figures/shown-parts.ts';
import { headline, shareBar } from '../../figures/tables.ts';
import { windowChoice, type WindowChoice, windowLinks, windowParameters } from '../../figures/window-choice.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { queryOf } from '../../http/form.ts';
import { permittedLink } from '../../figures/permitted-link.ts';
import { periodQuery } from '../../http/period-query.ts';
import { sendCsv } from '../../http/send-csv.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import {
  CAUSE_GROUPS,
  type CustomerFigures,
  type CustomerGroups,
  getCustomerFigures,
  getCustomerMargins,
  unitOf,
} from './customer-figures.ts';

const LABELS = { model: 'Model', agent: 'Agent', feature: 'Feature' } as const;

export function customerPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/customers/:id',
    withSession(dependencies, async (signedIn) => {
      const { id } = signedIn.request.params as { id: string };
      const time = now();
      const window = windowChoice(periodQuery(dependencies, signedIn), time);
      const figures = await getCustomerFigures(dependencies.gateway, signedIn.principal, { id, window, now: time });
      const { endUser } = figures.costs;
      const named = figures.margins.value?.window.margin.endUsers.nodes[0];
      const name = named?.endUserName ?? endUser.externalId;
      const { firstSeenAt } = endUser.costSummary;
      const body = html`
<p class="crumbs"><a href="/customers?${new URLSearchParams(windowParameters(window)).toString()}">Customers</a></p>
<div class="heading"><h1>${name}</h1>
  ${windowLinks(window, `/customers/${id}`)}
</div>
<p class="lead">${name !== endUser.externalId && html`ID in your events: <code>${endUser.externalId}</code>. `}${firstSeenAt !== null && html`First seen ${formatInstant(firstSeenAt)}. `}${named?.isMatched === false && html`Not linked to a Stripe customer. ${permittedLink(signedIn.principal, '/settings/payments/customers', 'Link it')}`}</p>
${headlines(figures, id, window)}
${verdict(figures.decline, id)}
${chartPatterns}<section class="panel" aria-labelledby="margin"><div class="heading"><h2 id="margin">Revenue and cost over time</h2><a href="/customers/${id}/margins.csv?${new URLSearchParams(windowParameters(window)).toString()}" download>CSV</a></div>${figures.margins.error ? html`<p class="muted">${figures.margins.error.message}</p>` : marginChart(figures.margins.value.endUser.overTime.margins, unitOf(window), figures.marks, window)}</section>
<div class="pair">${CAUSE_GROUPS.map((group) => breakdown(group, figures.costs.window[group], { id, window }))}</div>`;
      return sendFramed(signedIn, { title: name, body });
    }),
  );

  pages.get(
    '/customers/:id/margins.csv',
    withSession(dependencies, async ({ request, reply, principal }) => {
      const { id } = request.params as { id: string };
      const window = windowChoice(queryOf(request), now());
      const rows = async function* () {
        const { endUser } = await getCustomerMargins(dependencies.gateway, principal, { id, window });
        yield endUser.overTime.margins.map(({ start, revenue, cost }) => [
          start,
          revenue,
          cost,
          plain(amount(revenue) - amount(cost)),
        ]);
      };
      const header = [`first_instant_of_${unitOf(window)}`, 'revenue_usd', 'cost_usd', 'margin_usd'];
      return sendCsv(reply, `customer-margins-${window.from}-${window.to}`, header, rows());
    }),
  );
}

function headlines({ costs, margins }: CustomerFigures, id: string, window: WindowChoice): Html {
  const { totalCost, eventCount } = costs.endUser.costSummary;
  const points = margins.value?.endUser.overTime.margins ?? null;
  const revenue = points?.reduce((sum, point) => sum + amount(point.revenue), 0n) ?? 0n;
  const margin = revenue - amount(totalCost);
  const share = percent(margin, revenue);
  const costsPath = costPathOf(window, [{ key: 'customer', value: id }]);
  return html`
<section aria-label="${window.label} in figures" class="headlines">
  ${headline('Cost', html`<a href="${costsPath}">${usdText(totalCost)}</a>`, html`<a href="${eventsPathOf({ window, filters: [{ key: 'customer', value: id }] })}">${formatCount(eventCount)} ${eventCount === 1 ? 'event' : 'events'}</a>`)}
  ${points !== null && headline('Revenue', html`<a href="#margin">${usdText(plain(revenue))}</a>`, 'recognized in this period')}
  ${points !== null && headline('Margin', html`<a href="#verdict">${marginText(plain(revenue), totalCost)}</a>`, share === null ? 'no revenue in this period' : `${formatPercent(share)} of revenue`)}
</section>`;
}

/** Connects a loss with its causes. */
function verdict(decline: CustomerFigures['decline'], id: string): Html {
  const title = html`<h2 id="verdict">When and why it became unprofitable</h2>`;
  if (decline.error)
    return html`<section class="panel" aria-labelledby="verdict">${title}<p class="muted">${decline.error.message}</p></section>`;
  if (decline.value === null)
    return html`<section class="panel" aria-labelledby="verdict">${title}<p>Profitable: in the last 30 days it did not cost more than it paid.</p></section>`;
  const { since, isFromTheFirst, before, then, beforeStart, thenStart, end, causes } = decline.value;
  const window = (start: Date, until: Date): WindowChoice => {
    const [from, to] = [dayOf(start), dayOf(daysEarlier(until, 1))];
    return { name: null, label: '', start: start.toISOString(), end: until.toISOString(), from, to };
  };
  const [earlier, later] = [window(beforeStart, thenStart), window(thenStart, end)];
  const customer = { key: 'customer', value: id };
  const rises = causes.filter(({ rises: some }) => some.length > 0);
  return html`
<section class="panel" aria-labelledby="verdict">${title}
<p>Unprofitable since <strong>${formatDate(since)}</strong>${isFromTheFirst ? ', the first day with cost: it has never been profitable. Below: the last 30 days and the 30 days before.' : ': every 30-day period since then lost money. Below: the 30 days up to then and the 30 days before.'}</p>
<div class="scroll" tabindex="0" role="region" aria-label="30 days, and those before"><table class="fold">
  <thead><tr><th scope="col">30 days</th><th scope="col" class="number">${formatDate(earlier.from)} to ${formatDate(earlier.to)}</th><th scope="col" class="number">${formatDate(later.from)} to ${formatDate(later.to)}</th><th scope="col" class="number">Change</th></tr></thead>
  <tbody>${changeRow('Revenue', before.revenue, then.revenue)}
  <tr><th scope="row">Cost</th><td class="number" data-label="Before"><a href="${costPathOf(earlier, [customer])}">${exactAmount(before.cost)}</a></td><td class="number" data-label="Then"><a href="${costPathOf(later, [customer])}">${exactAmount(then.cost)}</a></td><td class="number" data-label="Change">${signed(before.cost, then.cost)}</td></tr>
  </tbody></table></div>
${
  rises.length > 0 &&
  html`<h3>Cost increases</h3><ul>${rises.map(({ group, rises: some }) =>
    some.map(
      ({ name, before: was, then: is }) => html`
  <li>${LABELS[group]} <a href="${costPathOf(later, [customer, { key: group, value: name }])}">${name}</a>: ${usdText(was)} to ${usdText(is)}, <strong>${signed(was, is)}</strong></li>`,
    ),
  )}</ul>`
}
${rises.length === 0 && html`<p>No cost increased compared with the 30 days before.</p>`}</section>`;
}

function changeRow(name: string, was: string, is: string): Html {
  return html`<tr><th scope="row">${name}</th><td class="number" data-label="Before">${exactAmount(was)}</td><td class="number" data-label="Then">${exactAmount(is)}</td><td class="number" data-label="Change">${signed(was, is)}</td></tr>`;
}

function signed(was: string, is: string): string {
  const [after, before] = [amount(is), amount(was)];
  return `${after > before ? '+' : ''}${differenceText(after, before)}`;
}

function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function breakdown(
  group: (typeof CAUSE_GROUPS)[number],
  { nodes, totalCount, totalCost, eventCount }: CustomerGroups,
  { id, window }: { readonly id: string; readonly window: WindowChoice },
): Html {
  const customer = { key: 'customer', value: id };
  const costs = nodes.map((node) => amount(node.totalCost));
  const others = totalCount - nodes.length;
  const rest = amount(totalCost) - costs.reduce((sum, cost) => sum + cost, 0n);
  const rounding = roundingOf(amount(totalCost), [...costs, rest]).shown;
  return html`
<section class="panel" aria-labelledby="by-${group}"><div class="heading"><h2 id="by-${group}">By ${LABELS[group].toLowerCase()}</h2><a href="${costCsvPathOf(window, [customer], group)}" download>CSV</a></div>
${
  nodes.length === 0
    ? html`<p class="muted">None in this period.</p>`
    : html`
<div class="scroll" tabindex="0" role="group" aria-labelledby="by-${group}"><table class="fold">
  <thead><tr><th scope="col">${LABELS[group]}</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Share</th><th scope="col" class="number">Events</th></tr></thead>
  <tbody>${nodes.map(({ values, percentOfTotal, eventCount: events }, index) => {
    const value = values[0]?.value ?? '';
    return html`
  <tr><th scope="row" class="name"><a href="${costPathOf(window, [customer, { key: group, value }])}">${value}</a></th><td class="number" data-label="Cost">${shownAmount(costs[index]!, rounded(costs[index]!))}</td><td class="number" data-label="Share">${formatPercent(percentOfTotal)}${shareBar(percentOfTotal)}</td><td class="number" data-label="Events">${formatCount(events)}</td></tr>`;
  })}
  ${others > 0 && html`<tr><th scope="row"><a href="${costPathOf(window, [customer], group)}">Other (${formatCount(others)})</a></th><td class="number" data-label="Cost">${shownAmount(rest, rounded(rest))}</td><td></td><td></td></tr>`}
  ${rounding !== 0n && html`<tr class="rounding"><th scope="row">${ROUNDING}</th><td class="number" data-label="Cost">${shownAmount(0n, rounding)}</td><td></td><td></td></tr>`}
  </tbody>
  <tfoot><tr><th scope="row">Total</th><td class="number" data-label="Cost">${shownAmount(amount(totalCost), rounded(amount(totalCost)))}</td><td></td><td class="number" data-label="Events">${formatCount(eventCount)}</td></tr></tfoot>
</table></div>`
}</section>`;
}
