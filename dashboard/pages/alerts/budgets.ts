/** `/alerts/budgets`: spend and month-end forecast of each budget. */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { exactAmount, formatPercent } from '../../figures/amount.ts';
import { formatDate } from '../../figures/instant.ts';
import { shareBar } from '../../figures/tables.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { alertsHeading } from './alerts-heading.ts';

const BUDGETS = graphql(`query BudgetsPage {
  budgets { rule { id name amount period isMuted } periodStart spent spentPercent reason forecast passesOn path }
}`);

type Budget = DataOf<'BudgetsPage'>['budgets'][number];

export function budgetsPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/alerts/budgets',
    withSession(dependencies, async (signedIn) => {
      const { value, error } = await outcomeOf(askGateway(dependencies.gateway, BUDGETS, {}, signedIn.principal));
      const mayManage = isAdmin(signedIn.principal);
      const body = html`
${alertsHeading(signedIn.principal, 'Budgets', '/alerts/budgets')}
<p class="lead">A monthly or daily limit for all costs or a part of them. You are notified once per period at each threshold, and when the forecast exceeds the budget.${mayManage && html` <a href="/alerts/rules/new?kind=BUDGET">New budget</a>`}</p>
${error ? html`<p class="alert" role="alert">${error.message}. <a href="/alerts#rules">View rules</a></p>` : value.budgets.length === 0 ? html`<p class="panel empty">No budgets.</p>` : budgetTable(value.budgets)}`;
      return sendFramed(signedIn, { title: 'Budgets', body, ...(error ? { status: 422 } : {}) });
    }),
  );
}

function budgetTable(budgets: readonly Budget[]): Html {
  return html`
<section class="panel" aria-label="Budgets"><div class="scroll" tabindex="0" role="group" aria-label="Budgets"><table class="fold">
  <thead><tr><th scope="col">Budget</th><th scope="col">Since</th><th scope="col" class="number">Amount</th><th scope="col" class="number">Spent</th><th scope="col" class="number">Used</th><th scope="col" class="number">Forecast</th><th scope="col">Status</th></tr></thead>
  <tbody>${budgets.map(
    ({ rule, periodStart, spent, spentPercent, reason, forecast, passesOn, path }) => html`
    <tr><th scope="row" class="name"><a href="/alerts/rules/${rule.id}">${rule.name}</a>${rule.isMuted && html` <span class="badge">muted</span>`}</th>
      <td data-label="Since">${formatDate(periodStart)}</td><td class="number" data-label="Amount">${exactAmount(rule.amount ?? '0')}</td>
      ${
        spent === null || spentPercent === null
          ? html`<td colspan="4">${reason}. <a href="/alerts/rules/${rule.id}">Edit budget</a></td>`
          : html`<td class="number" data-label="Spent"><a href="${path}">${exactAmount(spent)}</a></td>
      <td class="number${spentPercent >= 100 && ' exceeded'}" data-label="Used">${formatPercent(spentPercent)}${shareBar(Math.min(spentPercent, 100))}</td>
      <td class="number" data-label="Forecast">${forecast === null ? '–' : usdText(forecast)}</td>
      <td data-label="Status">${spentPercent >= 100 ? html`<span class="badge bad">exceeded</span>` : passesOn === null ? html`<span class="badge good">within budget</span>` : html`<span class="badge test">exceeded on ${formatDate(passesOn)}</span>`}</td>`
      }</tr>`,
  )}
  </tbody></table></div></section>`;
}
