/**
 * `/books/closing`: closed months, closing and reopening them, and corrections of them. Owners and finance close
 * months, only owners reopen them, and admins only view.
 */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { addMonths, monthStart } from '#kernel/time/calendar.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import type { KnownError } from '#kernel/errors.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { ownPassword, ownPasswordField } from '../figures/account-user.ts';
import { formatCount } from '../figures/amount.ts';
import { booksHeading } from '../figures/books-tabs.ts';
import { formatMonth } from '../figures/instant.ts';
import { permittedLink } from '../figures/permitted-link.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, field } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { type SignedIn, withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';
import { lastWeek } from './statement/statement-figures.ts';

const CLOSINGS = graphql(`query Closings {
  costs: costClosing { closedUntil }
  revenue: revenueClosing { closedUntil }
}`);
const CORRECTIONS = graphql(`query Corrections($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { ledgerCosts { totalCost corrections { month totalCost entryCount } } }
}`);
const CLOSE = graphql(`mutation CloseBooks($month: String!, $ownPassword: String) {
  costsClose(input: { through: $month, ownPassword: $ownPassword }) { closing { closedUntil } userErrors { message code } }
  revenueClose(input: { through: $month, ownPassword: $ownPassword }) { closing { closedUntil } userErrors { message code } }
}`);
const REOPEN = graphql(`mutation ReopenBooks($month: String!, $ownPassword: String) {
  costsReopen(input: { from: $month, ownPassword: $ownPassword }) { closing { closedUntil } userErrors { message code } }
  revenueReopen(input: { from: $month, ownPassword: $ownPassword }) { closing { closedUntil } userErrors { message code } }
}`);

const ACTIONS = [
  { action: 'close', document: CLOSE, done: 'months-closed' },
  { action: 'reopen', document: REOPEN, done: 'months-reopened' },
] as const;

/** Maximum number of months that a form offers. */
const MONTHS_MAX = 24;
const STATEMENTS_LISTED = 6;

type Corrections = DataOf<'Corrections'>['window']['ledgerCosts'];

export function closingPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const { costs, revenue } = await askGateway(gateway, CLOSINGS, {}, signedIn.principal);
    const open = costs.closedUntil === null ? null : new Date(costs.closedUntil);
    const corrections =
      open === null
        ? null
        : await outcomeOf(
            askGateway(
              gateway,
              CORRECTIONS,
              { start: open.toISOString(), end: addMonths(open, 1).toISOString() },
              signedIn.principal,
            ),
          );
    const body = html`
${booksHeading(signedIn.principal, 'Closing', '/books/closing')}
<p class="lead">A closed month keeps its figures. Later changes, such as a late event, a repricing or a refund, are booked in the first open month.</p>
<dl class="panel facts">
  <div><dt>Costs</dt><dd>${closedThrough(costs.closedUntil)}</dd></div>
  <div><dt>Revenue</dt><dd>${closedThrough(revenue.closedUntil)}</dd></div>
</dl>
${costs.closedUntil?.slice(0, 7) !== revenue.closedUntil?.slice(0, 7) && html`<p class="warning">Costs and revenue are closed through different months, so some margins compare a closed figure with an open one. Close or reopen both below.</p>`}
${statements(signedIn.principal, costs.closedUntil, revenue.closedUntil)}
${open !== null && corrections !== null && correctionTable(open, corrections.value?.window.ledgerCosts ?? null, corrections.error)}
${['owner', 'finance'].some((role) => signedIn.principal.grants.includes(role)) ? forms(signedIn, costs.closedUntil, revenue.closedUntil) : html`<p class="panel">Only owners and finance can close months. Only owners can reopen them.</p>`}`;
    return sendFramed(signedIn, {
      title: 'Closing',
      ...refusalOf(error),
      body,
    });
  };

  pages.get(
    '/books/closing',
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  for (const { action, document, done } of ACTIONS) {
    pages.post(
      `/books/closing/${action}`,
      withSession(dependencies, async (signedIn) => {
        const variables = { month: field(signedIn.form, 'month'), ...ownPassword(signedIn.form) };
        const { error } = await outcomeOf(
          askGateway<object, typeof variables>(gateway, document, variables, signedIn.principal),
        );
        return error ? render(signedIn, error) : signedIn.reply.redirect(`/books/closing?done=${done}`, 303);
      }),
    );
  }
}

/** Statements of the last months, to check before closing and to file afterwards. */
function statements(principal: Principal, costs: string | null, revenue: string | null): Html {
  const thisMonth = monthStart(now().getUTCFullYear(), now().getUTCMonth());
  const months = Array.from({ length: STATEMENTS_LISTED }, (_, index) => addMonths(thisMonth, -1 - index));
  const isClosed = (month: Date) =>
    [costs, revenue].every((until) => until !== null && new Date(until) >= addMonths(month, 1));
  return html`
<section class="panel" aria-labelledby="statements"><h2 id="statements">Statements</h2>
<p class="muted">Profit and loss by customer and model, with a checklist of what to settle before a month is closed. ${permittedLink(principal, '/alerts/statements', 'Send them regularly')}</p>
<ul>${months.map((month) => html`<li><a href="/books/closing/statement?month=${month.toISOString().slice(0, 7)}">${formatMonth(month)}</a> <span class="badge ${isClosed(month) ? 'good' : ''}">${isClosed(month) ? 'closed' : 'open'}</span></li>`)}</ul>
<p><a href="/books/closing/statement?week=${lastWeek()}">Last week</a></p></section>`;
}

function closedThrough(closedUntil: string | null): Html {
  if (closedUntil === null) return html`<span class="badge">open</span> No month is closed.`;
  return html`<span class="badge good">closed</span> through <strong>${formatMonth(addMonths(new Date(closedUntil), -1))}</strong>.`;
}

/** Entries of the first open month that correct closed ones. */
function correctionTable(open: Date, ledger: Corrections | null, error: KnownError | null): Html {
  return html`
<section class="panel" aria-labelledby="corrections"><h2 id="corrections">Corrections in ${formatMonth(open)}</h2>
${
  ledger === null
    ? html`<p class="muted">${error?.message}</p>`
    : ledger.corrections.length === 0
      ? html`<p class="muted">None.</p>`
      : html`
<div class="scroll" tabindex="0" role="group" aria-labelledby="corrections"><table>
  <thead><tr><th scope="col">Month</th><th scope="col" class="number">Costs</th><th scope="col" class="number">Entries</th></tr></thead>
  <tbody>${ledger.corrections.map(
    ({ month, totalCost, entryCount }) =>
      html`<tr><th scope="row">${formatMonth(new Date(`${month}-01T00:00:00Z`))}</th><td class="number">${usdText(totalCost)}</td><td class="number">${formatCount(entryCount)}</td></tr>`,
  )}</tbody>
</table></div>
<p class="muted">Included in the ${usdText(ledger.totalCost)} of ${formatMonth(open)}.</p>`
}
</section>`;
}

function forms({ csrf, form, principal }: SignedIn, costs: string | null, revenue: string | null): Html {
  const thisMonth = monthStart(now().getUTCFullYear(), now().getUTCMonth());
  const ended = Array.from({ length: MONTHS_MAX }, (_, index) => addMonths(thisMonth, -1 - index));
  const isOpen = (month: Date, closedUntil: string | null) => closedUntil === null || month >= new Date(closedUntil);
  const closable = ended.filter((month) => isOpen(month, costs) || isOpen(month, revenue));
  const openable = ended.filter((month) => !isOpen(month, costs) || !isOpen(month, revenue));
  const months = (choices: readonly Date[]) => html`
    <select name="month" required>${choices.map((month) => {
      const value = month.toISOString().slice(0, 7);
      return html`<option value="${value}"${value === field(form, 'month') && html` selected`}>${formatMonth(month)}</option>`;
    })}</select>`;
  return html`
<div class="acts">
  ${
    closable.length > 0
      ? html`<form class="panel stack wide-form" method="post" action="/books/closing/close">${csrfField(csrf)}
    <h2>Close months</h2><p>Closes costs and revenue for every month through this one.</p>
    <label>Through ${months(closable)}</label>${ownPasswordField(null)}<button>Close</button></form>`
      : html`<section class="panel"><h2>Close months</h2><p class="muted">All past months are closed.</p></section>`
  }
  ${
    openable.length > 0 &&
    principal.grants.includes('owner') &&
    html`<form class="panel stack wide-form" method="post" action="/books/closing/reopen">${csrfField(csrf)}
    <h2>Reopen months</h2><p>Reopens every month from this one. Corrections already booked stay where they are.</p>
    <label>From ${months(openable)}</label>${ownPasswordField(null)}<button class="danger">Reopen</button></form>`
  }
</div>`;
}
