/**
 * `/books/closing/statement`: profit and loss of a month by customer and model, what to settle before it is closed, and
 * a CSV with the SHA-256 that the page prints. The browser prints it, or saves it as a PDF.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { csvLine, type CsvRow } from '#kernel/csv-line.ts';
import { amount, type Amount, plain } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { rounded, roundedParts } from '#kernel/rounded-parts.ts';
import { addMonths, monthStart } from '#kernel/time/calendar.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { fail } from '#schema/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount, formatPercent } from '../figures/amount.ts';
import { booksHeading } from '../figures/books-tabs.ts';
import { formatInstant, formatMonth } from '../figures/instant.ts';
import { marginRows } from '../figures/margin-rows.ts';
import { shownAmount } from '../figures/shown-parts.ts';
import type { WindowChoice } from '../figures/window-choice.ts';
import { isAdmin } from './closing.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { queryOf } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

const CUSTOMERS_MAX = 5_000;
const MODELS_MAX = 1_000;

const STATEMENT = graphql(`query MonthStatement($start: Instant!, $end: Instant!, $customers: Int!, $models: Int!) {
  costs: costClosing { closedUntil }
  revenue: revenueClosing { closedUntil }
  window(start: $start, end: $end) {
    margin {
      total { totalRevenue totalCost marginAmount marginPercent unattributedCost unattributedRevenue }
      endUsers(first: $customers) {
        nodes { endUserId endUserName endUser { externalId } revenue cost marginAmount marginPercent profitability }
        totalCount totalRevenue totalCost marginAmount
      }
      unmatchedCustomers(first: 1) { totalCount totalRevenue }
    }
    costs(groupBy: [PROVIDER, MODEL], first: $models) { nodes { values { value } totalCost eventCount } totalCost eventCount }
    events(first: 1) { totalCount }
    ledgerCosts { corrections { month totalCost entryCount } }
  }
}`);
const CLOSED = graphql(
  `query ClosingRecords { costingAuditLog(first: 200) { nodes { action detail at actor accountUserId } } }`,
);
const MEMBERS = graphql(`query ClosingMembers { accountUsers { id email } }`);

const CONNECTION = graphql(`query StatementConnection { revenueConnection { state } }`);

const BILLS = graphql(`query StatementBills($start: Instant!, $end: Instant!) {
  billDays(start: $start, end: $end) { isUnexplained }
}`);

type Statement = DataOf<'MonthStatement'>;
/** `null` if they cannot be read. */
type Bills = DataOf<'StatementBills'>['billDays'] | null;
/** `null` if the caller may not read it. */
type Connection = DataOf<'StatementConnection'> | null;

interface Month {
  readonly first: Date;
  readonly end: Date;
  /** `2026-10`. */
  readonly name: string;
}

export function statementPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    '/books/closing/statement',
    withSession(dependencies, async (signedIn) => {
      const month = monthOf(queryOf(signedIn.request));
      const { principal } = signedIn;
      const [figures, connection, bills] = await Promise.all([
        getStatement(gateway, principal, month),
        outcomeOf(askGateway(gateway, CONNECTION, {}, principal), []),
        outcomeOf(
          askGateway(gateway, BILLS, { start: month.first.toISOString(), end: month.end.toISOString() }, principal),
          [],
        ),
      ]);
      const body = html`
${booksHeading(`Statement for ${formatMonth(month.first)}`, '/books/closing', isAdmin(principal))}
${await standing(gateway, principal, { month, figures })}
${checklist([...checksOf(month, figures, connection.value), ...billCheck(bills.value?.billDays ?? null)])}
${profitAndLoss(month, figures)}
${models(figures)}
${corrections(figures)}
<section class="panel" aria-labelledby="package"><h2 id="package">Files</h2>
<p><a href="/books/closing/statement.csv?month=${month.name}" download>CSV with all digits</a> SHA-256 of the file: <code class="id">${digestOf(figures, month)}</code></p>
<p class="muted">Print this page to file it, or save it as a PDF. Amounts are rounded for display, and add up as shown; the CSV has the exact ones. The file of a closed month changes only if a customer is renamed or erased.</p></section>`;
      return sendFramed(signedIn, { title: `Statement for ${formatMonth(month.first)}`, body });
    }),
  );

  pages.get(
    '/books/closing/statement.csv',
    withSession(dependencies, async ({ request, reply, principal }) => {
      const month = monthOf(queryOf(request));
      const text = csvOf(await getStatement(gateway, principal, month), month);
      return reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="statement-${month.name}.csv"`)
        .send(text);
    }),
  );
}

/** Fails with `VALIDATION_ERROR` for a month that has not ended. */
function monthOf(query: URLSearchParams): Month {
  const [, year, month] =
    /^(\d{4})-(0[1-9]|1[0-2])$/.exec(query.get('month') ?? '') ??
    fail('VALIDATION_ERROR', 'Choose a month, for example 2026-10.');
  const first = monthStart(Number(year), Number(month) - 1);
  const end = addMonths(first, 1);
  if (end > now()) fail('VALIDATION_ERROR', 'This month has not ended yet.');
  return { first, end, name: `${year}-${month}` };
}

async function getStatement(gateway: GatewayClient, principal: Principal, { first, end }: Month): Promise<Statement> {
  const variables = {
    start: first.toISOString(),
    end: end.toISOString(),
    customers: CUSTOMERS_MAX,
    models: MODELS_MAX,
  };
  const found = await askGateway(gateway, STATEMENT, variables, principal);
  const { endUsers } = found.window.margin;
  if (endUsers.totalCount > endUsers.nodes.length)
    fail(
      'UNPROCESSABLE_ENTITY',
      `A statement lists at most ${formatCount(CUSTOMERS_MAX)} customers. Use the CSV of the customers page.`,
    );
  return found;
}

function isClosed({ costs, revenue }: Statement, { end }: Month): boolean {
  return [costs, revenue].every(({ closedUntil }) => closedUntil !== null && new Date(closedUntil) >= end);
}

/** Who closed the month and when is in the audit log, which only owners read. */
async function standing(
  gateway: GatewayClient,
  principal: Principal,
  { month, figures }: { readonly month: Month; readonly figures: Statement },
): Promise<Html> {
  if (!isClosed(figures, month))
    return html`<p class="lead"><span class="badge">open</span> Figures can still change. Close the month to fix them.</p>`;
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
function closingOf(records: readonly AuditRecord[], { name }: Month): AuditRecord | undefined {
  const reopened = records.findIndex(({ action, detail }) => action === 'month.reopened' && (detail ?? '') <= name);
  return records
    .slice(0, reopened === -1 ? records.length : reopened)
    .findLast(({ action, detail }) => action === 'month.closed' && (detail ?? '') >= name);
}

interface Check {
  readonly isDone: boolean;
  readonly text: string;
  readonly href: string;
  readonly action: string;
}

function checksOf({ first, end }: Month, { window }: Statement, connection: Connection): Check[] {
  const { margin, events, costs } = window;
  // Waiting, failed and just received events have no cost.
  const unpriced = (events.totalCount ?? 0) - costs.eventCount;
  const unmatched = margin.unmatchedCustomers;
  const dates = `from=${first.toISOString().slice(0, 10)}&to=${new Date(end.getTime() - 1).toISOString().slice(0, 10)}`;
  const state = connection?.revenueConnection?.state ?? 'DISCONNECTED';
  const isConnected = state !== 'DISCONNECTED';
  return [
    {
      isDone: unpriced === 0,
      text:
        unpriced === 0
          ? 'All events have a price.'
          : `${formatCount(unpriced)} ${unpriced === 1 ? 'event has no price and counts' : 'events have no price and count'} as $0.`,
      href: '/rates/waiting',
      action: 'Set a price',
    },
    {
      isDone: unmatched.totalCount === 0,
      text:
        unmatched.totalCount === 0
          ? 'All revenue belongs to customers.'
          : `${formatCount(unmatched.totalCount)} Stripe ${unmatched.totalCount === 1 ? 'customer' : 'customers'} with revenue ${unmatched.totalCount === 1 ? 'is' : 'are'} not linked to a customer.`,
      href: `/customers?${dates}&only=unlinked`,
      action: 'View revenue',
    },
    ...(connection === null
      ? []
      : [
          {
            isDone: isConnected,
            text: isConnected ? 'Stripe is connected.' : 'Stripe is not connected: revenue may be missing.',
            href: '/settings/payments',
            action: 'View connection',
          },
        ]),
  ];
}

/** Empty without bills. */
function billCheck(bills: Bills): Check[] {
  if (bills === null || bills.length === 0) return [];
  const unexplained = bills.filter(({ isUnexplained }) => isUnexplained).length;
  return [
    {
      isDone: unexplained === 0,
      text:
        unexplained === 0
          ? 'Bills of providers agree with the books, or their differences are explained.'
          : `${formatCount(unexplained)} ${unexplained === 1 ? 'bill has an unexplained difference' : 'bills have unexplained differences'} to the books.`,
      href: '/books/bills',
      action: 'View bills',
    },
  ];
}

function checklist(checks: readonly Check[]): Html {
  const open = checks.filter(({ isDone }) => !isDone).length;
  return html`
<section class="panel" aria-labelledby="checklist"><h2 id="checklist">${open === 0 ? 'Checklist: complete' : `Checklist: ${open} open`}</h2>
<ul class="checklist">${checks.map(({ isDone, text, href, action }) => html`<li><span class="badge ${isDone ? 'good' : 'test'}">${isDone ? 'done' : 'open'}</span> ${text}${!isDone && html` <a href="${href}">${action}</a>`}</li>`)}</ul></section>`;
}

function profitAndLoss({ first, end, name }: Month, { window: { margin } }: Statement): Html {
  const { total, endUsers } = margin;
  const period: WindowChoice = {
    name: null,
    label: name,
    start: first.toISOString(),
    end: end.toISOString(),
    from: first.toISOString().slice(0, 10),
    to: new Date(end.getTime() - 1).toISOString().slice(0, 10),
  };
  const [revenue, cost] = [amount(total.totalRevenue), amount(total.totalCost)];
  const unassigned = { revenue: revenue - amount(endUsers.totalRevenue), cost: cost - amount(endUsers.totalCost) };
  const line = (title: string, figures: { readonly revenue: Amount; readonly cost: Amount }) => {
    const share = percent(figures.revenue - figures.cost, figures.revenue);
    const [earned, spent] = [rounded(figures.revenue), rounded(figures.cost)];
    return html`<tr><th scope="row">${title}</th><td class="number" data-label="Revenue">${shownAmount(figures.revenue, earned)}</td><td class="number" data-label="Cost">${shownAmount(figures.cost, spent)}</td><td class="number" data-label="Margin">${shownAmount(figures.revenue - figures.cost, earned - spent)}</td><td class="number" data-label="Margin %">${share === null ? '–' : formatPercent(share)}</td></tr>`;
  };
  return html`
<section class="panel" aria-labelledby="customers"><h2 id="customers">Profit and loss by customer</h2>
${marginRows(endUsers.nodes, period, { label: 'Profit and loss by customer', total: { name: 'All customers', revenue: endUsers.totalRevenue, cost: endUsers.totalCost, marginAmount: endUsers.marginAmount } })}
</section>
<section class="panel" aria-labelledby="total"><h2 id="total">Total</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="total"><table class="fold">
  <thead><tr><th scope="col"><span class="unseen">Line</span></th><th scope="col" class="number">Revenue</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Margin</th><th scope="col" class="number">Margin %</th></tr></thead>
  <tbody>${line('All customers', { revenue: amount(endUsers.totalRevenue), cost: amount(endUsers.totalCost) })}${line('Not assigned to a customer', unassigned)}</tbody>
  <tfoot>${line('Total', { revenue, cost })}</tfoot>
</table></div></section>`;
}

function models({ window: { costs } }: Statement): Html {
  const parts = costs.nodes.map(({ totalCost }) => amount(totalCost));
  const total = amount(costs.totalCost);
  const shown = roundedParts(total, parts);
  return html`
<section class="panel" aria-labelledby="models"><h2 id="models">Cost by model</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="models"><table class="fold">
  <thead><tr><th scope="col">Model</th><th scope="col">Provider</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Events</th></tr></thead>
  <tbody>${costs.nodes.map(({ values, eventCount }, index) => {
    const [provider = '', model = ''] = values.map(({ value }) => value);
    return html`<tr><th scope="row" class="name">${model}</th><td data-label="Provider">${provider}</td><td class="number" data-label="Cost">${shownAmount(parts[index]!, shown[index]!)}</td><td class="number" data-label="Events">${formatCount(eventCount)}</td></tr>`;
  })}</tbody>
  <tfoot><tr><th scope="row" colspan="2">Total</th><td class="number" data-label="Cost">${shownAmount(total, rounded(total))}</td><td class="number" data-label="Events">${formatCount(costs.eventCount)}</td></tr></tfoot>
</table></div></section>`;
}

/** Amounts of this month that belong to earlier, closed months. They are included above. */
function corrections({ window: { ledgerCosts } }: Statement): Html | false {
  return (
    ledgerCosts.corrections.length > 0 &&
    html`
<section class="panel" aria-labelledby="corrections"><h2 id="corrections">Included corrections of closed months</h2>
<ul>${ledgerCosts.corrections.map(({ month, totalCost, entryCount }) => html`<li>${formatMonth(new Date(`${month}-01T00:00:00Z`))}: ${shownAmount(amount(totalCost), rounded(amount(totalCost)))}, ${formatCount(entryCount)} ${entryCount === 1 ? 'entry' : 'entries'}</li>`)}</ul></section>`
  );
}

const HEADER = ['section', 'id', 'name', 'revenue_usd', 'cost_usd', 'margin_usd'];

/**
 * Amounts only: counts of events stay with the events' own month, and would change a closed month (decision 29). For
 * the same reason a customer or model without an amount has no row.
 */
function csvOf({ window: { margin, costs, ledgerCosts } }: Statement, month: Month): string {
  const { total, endUsers } = margin;
  const rows: CsvRow[] = [
    ['month', month.name, '', null, null, null],
    ...endUsers.nodes
      .filter(({ revenue, cost }) => revenue !== '0' || cost !== '0')
      .map(({ endUser, endUserName, revenue, cost, marginAmount }): CsvRow => [
        'customer',
        endUser.externalId,
        endUserName,
        revenue,
        cost,
        marginAmount,
      ]),
    [
      'unassigned',
      '',
      '',
      plain(amount(total.totalRevenue) - amount(endUsers.totalRevenue)),
      plain(amount(total.totalCost) - amount(endUsers.totalCost)),
      plain(amount(total.marginAmount) - amount(endUsers.marginAmount)),
    ],
    ['total', '', '', total.totalRevenue, total.totalCost, total.marginAmount],
    ...costs.nodes
      .filter(({ totalCost }) => totalCost !== '0')
      .map(({ values, totalCost }): CsvRow => {
        const [provider = '', model = ''] = values.map(({ value }) => value);
        return ['model', provider, model, null, totalCost, null];
      }),
    ...ledgerCosts.corrections.map(({ month: of, totalCost }): CsvRow => ['correction', of, '', null, totalCost, null]),
  ];
  return [HEADER, ...rows].map(csvLine).join('');
}

function digestOf(figures: Statement, month: Month): string {
  return createHash('sha256').update(csvOf(figures, month)).digest('hex');
}
