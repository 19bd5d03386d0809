/**
 * `/books/closing/statement`: profit and loss of a month or week by customer and model, what to settle before a month is
 * closed, and a CSV with the SHA-256 that the page prints. The browser prints the page or saves it as a PDF.
 */
import type { FastifyInstance } from 'fastify';
import { amount, type Amount } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { rounded } from '#kernel/rounded-parts.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount } from '../../figures/amount.ts';
import { booksHeading } from '../../figures/books-tabs.ts';
import { entries } from '../../figures/corrections.ts';
import { formatInstant, formatMonth } from '../../figures/instant.ts';
import { marginRows } from '../../figures/margin-rows.ts';
import { marginCells, ROUNDING, roundingOf, shownAmount, toShown } from '../../figures/shown-parts.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { queryOf } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { getChecklist } from './statement-checklist.ts';
import { csvOf, digestOf } from './statement-csv.ts';
import { getStatement, periodOf, type Statement, type StatementPeriod } from './statement-figures.ts';

const CLOSED = graphql(
  `query ClosingRecords { costingAuditLog(first: 200) { nodes { action detail at actor accountUserId } } }`,
);
const MEMBERS = graphql(`query ClosingMembers { accountUsers { id email } }`);

export function statementPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    '/books/closing/statement',
    withSession(dependencies, async (signedIn) => {
      const period = periodOf(queryOf(signedIn.request));
      const title = `Statement for ${period.label}`;
      const { principal } = signedIn;
      const figures = await getStatement(gateway, principal, period);
      const [state, checklist] = await Promise.all([
        period.unit === 'month' && standing(gateway, principal, { month: period, figures }),
        getChecklist(gateway, principal, { period, figures }),
      ]);
      const body = html`
${booksHeading(principal, title, '/books/closing')}
${state}
${checklist}
${profitAndLoss(period, figures)}
${models(figures)}
${corrections(figures)}
<section class="panel" aria-labelledby="package"><h2 id="package">Files</h2>
<p><a href="/books/closing/statement.csv?${period.unit}=${period.name}" download>CSV with all digits</a> SHA-256 of the file: <code class="id">${digestOf(figures, period)}</code></p>
<p class="muted">Print this page or save it as a PDF for your records. Each amount is rounded to cents, and Rounding is the difference to the total. The CSV has the exact amounts. The file of a closed month changes only if a customer is renamed or erased.</p></section>`;
      return sendFramed(signedIn, { title, body });
    }),
  );

  pages.get(
    '/books/closing/statement.csv',
    withSession(dependencies, async ({ request, reply, principal }) => {
      const period = periodOf(queryOf(request));
      const text = csvOf(await getStatement(gateway, principal, period), period);
      return reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="statement-${period.name}.csv"`)
        .send(text);
    }),
  );
}

function isClosed({ costs, revenue }: Statement, { end }: StatementPeriod): boolean {
  return [costs, revenue].every(({ closedUntil }) => closedUntil !== null && new Date(closedUntil) >= end);
}

/** Reads who closed the month, and when, from the audit log, which only owners may read. */
async function standing(
  gateway: GatewayClient,
  principal: Principal,
  { month, figures }: { readonly month: StatementPeriod; readonly figures: Statement },
): Promise<Html> {
  if (!isClosed(figures, month))
    return html`<p class="lead"><span class="badge">open</span> Figures can still change. Close the month to make them final.</p>`;
  const isOwner = principal.grants.includes('owner');
  const records = isOwner ? (await outcomeOf(askGateway(gateway, CLOSED, {}, principal), [])).value : null;
  const record = closingOf(records?.costingAuditLog.nodes ?? [], month);
  const members = record?.accountUserId
    ? (await outcomeOf(askGateway(gateway, MEMBERS, {}, principal), [])).value
    : null;
  const who = members?.accountUsers.find(({ id }) => id === record?.accountUserId)?.email;
  return html`<p class="lead"><span class="badge good">closed</span> ${record === undefined ? 'These figures no longer change.' : html`Closed on ${formatInstant(record.at)}${who !== undefined && ` by ${who}`}.`} Later changes are booked in the first open month.</p>`;
}

type AuditRecord = DataOf<'ClosingRecords'>['costingAuditLog']['nodes'][number];

/** `records`: newest first. The month was closed by the first record after it was last reopened. */
function closingOf(records: readonly AuditRecord[], { name }: StatementPeriod): AuditRecord | undefined {
  const reopened = records.findIndex(({ action, detail }) => action === 'month.reopened' && (detail ?? '') <= name);
  return records
    .slice(0, reopened === -1 ? records.length : reopened)
    .findLast(({ action, detail }) => action === 'month.closed' && (detail ?? '') >= name);
}

function profitAndLoss({ window: days }: StatementPeriod, { window: { margin } }: Statement): Html {
  const { total, endUsers, warnings } = margin;
  const [revenue, cost] = [amount(total.totalRevenue), amount(total.totalCost)];
  const unassigned = { revenue: revenue - amount(endUsers.totalRevenue), cost: cost - amount(endUsers.totalCost) };
  const line = (title: string, figures: { readonly revenue: Amount; readonly cost: Amount }) => {
    const share = percent(figures.revenue - figures.cost, figures.revenue);
    return html`<tr><th scope="row">${title}</th>${marginCells(toShown(figures.revenue), toShown(figures.cost), share)}</tr>`;
  };
  const [earned, spent] = [
    roundingOf(revenue, [amount(endUsers.totalRevenue), unassigned.revenue]),
    roundingOf(cost, [amount(endUsers.totalCost), unassigned.cost]),
  ];
  return html`
<section class="panel" aria-labelledby="customers"><h2 id="customers">Profit and loss by customer</h2>
${marginRows(endUsers.nodes, days, { label: 'Customers', warnings, total: { name: 'All customers', revenue: endUsers.totalRevenue, cost: endUsers.totalCost, marginAmount: endUsers.marginAmount } })}
</section>
<section class="panel" aria-labelledby="total"><h2 id="total">Total</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="total"><table class="fold">
  <thead><tr><th scope="col"><span class="unseen">Line</span></th><th scope="col" class="number">Revenue</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Margin</th><th scope="col" class="number">Margin %</th></tr></thead>
  <tbody>${line('All customers', { revenue: amount(endUsers.totalRevenue), cost: amount(endUsers.totalCost) })}${line('Not assigned to a customer', unassigned)}${(earned.shown !== 0n || spent.shown !== 0n) && html`<tr class="rounding"><th scope="row">${ROUNDING}</th>${marginCells(earned, spent, undefined)}</tr>`}</tbody>
  <tfoot>${line('Total', { revenue, cost })}</tfoot>
</table></div></section>`;
}

function models({ window: { costs } }: Statement): Html {
  const parts = costs.nodes.map(({ totalCost }) => amount(totalCost));
  const total = amount(costs.totalCost);
  const rounding = roundingOf(total, parts).shown;
  return html`
<section class="panel" aria-labelledby="models"><h2 id="models">Cost by model</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="models"><table class="fold">
  <thead><tr><th scope="col">Model</th><th scope="col">Provider</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Events</th></tr></thead>
  <tbody>${costs.nodes.map(({ values, eventCount }, index) => {
    const [provider = '', model = ''] = values.map(({ value }) => value);
    return html`<tr><th scope="row" class="name">${model}</th><td data-label="Provider">${provider}</td><td class="number" data-label="Cost">${shownAmount(parts[index]!, rounded(parts[index]!))}</td><td class="number" data-label="Events">${formatCount(eventCount)}</td></tr>`;
  })}${rounding !== 0n && html`<tr class="rounding"><th scope="row" colspan="2">${ROUNDING}</th><td class="number" data-label="Cost">${shownAmount(0n, rounding)}</td><td></td></tr>`}</tbody>
  <tfoot><tr><th scope="row" colspan="2">Total</th><td class="number" data-label="Cost">${shownAmount(total, rounded(total))}</td><td class="number" data-label="Events">${formatCount(costs.eventCount)}</td></tr></tfoot>
</table></div></section>`;
}

/** Amounts of this period that belong to earlier, closed months. They are included above. */
function corrections({ window: { ledgerCosts } }: Statement): Html | false {
  return (
    ledgerCosts.corrections.length > 0 &&
    html`
<section class="panel" aria-labelledby="corrections"><h2 id="corrections">Included corrections of closed months</h2>
<ul>${ledgerCosts.corrections.map(({ month, totalCost, entryCount }) => html`<li>${formatMonth(new Date(`${month}-01T00:00:00Z`))}: ${shownAmount(amount(totalCost), rounded(amount(totalCost)))}, ${entries([{ entryCount }])}</li>`)}</ul></section>`
  );
}
