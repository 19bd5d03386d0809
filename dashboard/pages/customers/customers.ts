/** `/customers`: revenue and cost of end users, largest losses first; and revenue without an end user. */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { nearestText } from '#kernel/nearest-text.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount } from '../../figures/amount.ts';
import { type MARGIN_COLUMNS, marginRows } from '../../figures/margin-rows.ts';
import { permittedLink } from '../../figures/permitted-link.ts';
import { marginWarning, warningPanel } from '../../figures/warnings.ts';
import { windowLinks } from '../../figures/window-choice.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, queryOf } from '../../http/form.ts';
import { periodQuery } from '../../http/period-query.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { mayOpen } from '../../http/page-access.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import {
  type CustomersView,
  filterOf,
  isUnlinkedList,
  ORDER_OF_COLUMN,
  orderBy,
  parametersOf,
  parseView,
  pathOf,
  type Selection,
  SELECTIONS,
} from './customers-address.ts';
import { sendCustomersCsv, sendUnlinkedCsv } from './customers-csv.ts';

const CUSTOMERS =
  graphql(`query Customers($start: Instant!, $end: Instant!, $filter: MarginFilter, $orderBy: MarginOrder!, $first: Int!, $after: String) {
  window(start: $start, end: $end) { margin {
    endUsers(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
      nodes { endUserId endUserName endUser { externalId } isMatched revenue cost marginAmount marginPercent profitability }
      pageInfo { hasNextPage hasPreviousPage endCursor }
      totalCount totalRevenue totalCost marginAmount
    }
    total { totalRevenue unattributedCost }
    warnings { type count message }
  } }
}`);
const UNLINKED = graphql(`query UnlinkedCustomers($start: Instant!, $end: Instant!, $first: Int!, $after: String) {
  window(start: $start, end: $end) { margin { unmatchedCustomers(first: $first, after: $after) {
    nodes { customerId name externalId revenue } pageInfo { hasNextPage hasPreviousPage endCursor } totalCount totalRevenue
  } } }
}`);

const NAMES = graphql(`query CustomerNames($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { margin { endUsers(orderBy: { by: COST, descending: true }, first: 1000) { nodes { endUserName endUser { externalId } } } } }
}`);

type Unlinked = DataOf<'UnlinkedCustomers'>['window']['margin']['unmatchedCustomers'];

const PAGE = 50;

export function customersPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  /** `search` is sent by POST: external ids never appear in URLs. */
  const render = async (signedIn: SignedIn, view: CustomersView, search: string): Promise<FastifyReply> => {
    const { start, end } = view.window;
    const page = { start, end, first: PAGE, after: view.after };
    const { value, error } = await outcomeOf<DataOf<'Customers'> | DataOf<'UnlinkedCustomers'>>(
      isUnlinkedList(view, search)
        ? askGateway(gateway, UNLINKED, page, signedIn.principal)
        : askGateway(
            gateway,
            CUSTOMERS,
            { ...page, filter: filterOf(view, search), orderBy: orderBy(view) },
            signedIn.principal,
          ),
      [],
    );
    const margin = value?.window.margin;
    const isNotFound =
      search !== '' && margin !== undefined && 'endUsers' in margin && margin.endUsers.totalCount === 0;
    const meant = isNotFound ? await customerLike(gateway, signedIn.principal, { start, end }, search) : null;
    const body = html`
<div class="heading"><h1>Customers</h1>
  ${windowLinks(
    view.window,
    '/customers',
    parametersOf(view).filter(([name]) => !['window', 'from', 'to', 'at', 'after'].includes(name)),
  )}
</div>
<nav aria-label="Which customers"><ul class="windows">${(Object.keys(SELECTIONS) as Selection[]).map(
      (only) => html`
  <li><a href="${pathOf({ ...view, only, after: null })}"${only === view.only && html` aria-current="true"`}>${SELECTIONS[only].label}</a></li>`,
    )}</ul></nav>
<form class="panel controls" method="post" action="/customers" role="search" aria-label="Customers">${csrfField(signedIn.csrf)}${parametersOf({ ...view, after: null }).map(([name, text]) => html`<input type="hidden" name="${name}" value="${text}">`)}
  <div class="dates"><label>Name or ID <input name="search" value="${search}" maxlength="255" autocomplete="off"></label><button class="secondary">Search</button>${search !== '' && html`<button class="secondary" formaction="/customers.csv">CSV</button>`}</div></form>
${error && html`<p class="alert" role="alert">${error.message}</p>`}
${margin && ('endUsers' in margin ? found(view, margin, { search, signedIn, meant }) : unlinkedTable(signedIn.principal, view, margin.unmatchedCustomers))}`;
    return sendFramed(signedIn, { title: 'Customers', body, ...(error ? { status: 422 } : {}) });
  };

  const sendCsvOf = ({ reply, principal }: SignedIn, view: CustomersView, search: string): Promise<FastifyReply> => {
    const list = { gateway, principal, window: view.window };
    return isUnlinkedList(view, search)
      ? sendUnlinkedCsv(reply, list)
      : sendCustomersCsv(reply, list, { filter: filterOf(view, search), orderBy: orderBy(view) });
  };

  pages.get(
    '/customers',
    withSession(dependencies, async (signedIn) => render(signedIn, parseView(periodQuery(dependencies, signedIn)), '')),
  );
  pages.post(
    '/customers',
    withSession(dependencies, async (signedIn) =>
      render(signedIn, parseView(signedIn.form), field(signedIn.form, 'search')),
    ),
  );
  pages.get(
    '/customers.csv',
    withSession(dependencies, async (signedIn) => sendCsvOf(signedIn, parseView(queryOf(signedIn.request)), '')),
  );
  pages.post(
    '/customers.csv',
    withSession(dependencies, async (signedIn) =>
      sendCsvOf(signedIn, parseView(signedIn.form), field(signedIn.form, 'search')),
    ),
  );
}

function found(
  view: CustomersView,
  { endUsers, total, warnings }: DataOf<'Customers'>['window']['margin'],
  { search, signedIn, meant }: { readonly search: string; readonly signedIn: SignedIn; readonly meant: string | null },
): Html {
  const { nodes, totalCount, totalRevenue: revenue, totalCost: cost, marginAmount } = endUsers;
  if (nodes.length === 0)
    return html`<div class="panel empty"><p>${search === '' ? emptySentence(signedIn.principal, view) : 'No customer matches this search.'}</p>${meant !== null && html`<p>Did you mean</p>${searchButton(view, meant, { label: meant, after: null, csrf: signedIn.csrf })}`}</div>`;
  // A second click reverses the order.
  const head = (column: (typeof MARGIN_COLUMNS)[number]) => {
    const sort = ORDER_OF_COLUMN[column];
    const isHere = sort === view.sort;
    const descending = isHere ? !view.descending : sort === 'cost' || sort === 'revenue';
    const mark = isHere && html`<span aria-hidden="true"> ${view.descending ? '▾' : '▴'}</span>`;
    return search === ''
      ? html`<a href="${pathOf({ ...view, sort, descending, after: null })}">${column}${mark}</a>`
      : html`${column}${mark}`;
  };
  const name = totalCount === nodes.length ? 'Total' : `Total of all ${formatCount(totalCount)}`;
  return html`
<section class="panel" aria-labelledby="list"><div class="heading"><h2 id="list">${formatCount(totalCount)} ${totalCount === 1 ? 'customer' : 'customers'}</h2>${search === '' && html`<a href="${pathOf({ ...view, after: null }, '/customers.csv')}" download>CSV</a>`}</div>
${view.only === 'unmatched' && search === '' && html`<p class="muted">These customers are not linked to a Stripe customer. Linked customers that pay nothing are listed under <a href="${pathOf({ ...view, only: 'nonpaying', after: null })}">Paying nothing</a>. ${permittedLink(signedIn.principal, '/settings/payments/customers', 'Link customers')}</p>`}
${marginRows(nodes, view.window, { head, label: 'Customers', warnings, total: { name, revenue, cost, marginAmount } })}
${search === '' ? pager(view, endUsers.pageInfo) : searchPager(view, endUsers.pageInfo, { search, csrf: signedIn.csrf })}</section>
${warningPanel(
  warnings.map((warning) => marginWarning(warning, total)),
  signedIn.principal,
)}`;
}

function emptySentence(principal: Principal, view: CustomersView): Html {
  switch (view.only) {
    case 'paying':
      return html`No customer has revenue in this period.${mayOpen(principal, '/settings/payments') && html` <a href="/settings/payments">Connect Stripe</a> to see margins.`}`;
    case 'losing':
      return html`No customer lost money in this period.`;
    case 'unmatched':
      return html`All customers of this period are linked to Stripe. Those that pay nothing are listed under <a href="${pathOf({ ...view, only: 'nonpaying', after: null })}">Paying nothing</a>, and revenue without a customer under <a href="${pathOf({ ...view, only: 'unlinked', after: null })}">Unassigned revenue</a>.`;
    default:
      return html`None in this period.`;
  }
}

function unlinkedTable(
  principal: Principal,
  view: CustomersView,
  { nodes, pageInfo, totalCount, totalRevenue }: Unlinked,
): Html {
  if (nodes.length === 0) return html`<p class="panel empty">All revenue in this period is assigned to customers.</p>`;
  return html`
<section class="panel" aria-labelledby="list"><div class="heading"><h2 id="list">${formatCount(totalCount)} Stripe ${totalCount === 1 ? 'customer' : 'customers'} with ${usdText(totalRevenue)} of revenue</h2><p>${permittedLink(principal, '/settings/payments/customers', 'Link customers')} <a href="${pathOf({ ...view, after: null }, '/customers.csv')}" download>CSV</a></p></div>
<div class="scroll" tabindex="0" role="region" aria-label="Unassigned revenue"><table class="fold">
  <thead><tr><th scope="col">Stripe customer</th><th scope="col">Stripe ID</th><th scope="col">Linked to</th><th scope="col" class="number">Revenue</th></tr></thead>
  <tbody>${nodes.map(
    ({ customerId, name, externalId, revenue }) => html`
    <tr><th scope="row" class="name">${name ?? (customerId === null ? html`<span class="muted">Invoices without a customer</span>` : customerId)}</th><td data-label="Stripe ID"><code class="id">${customerId}</code></td><td data-label="Linked to">${externalId === null ? html`<span class="muted">nobody</span>` : html`${externalId} <span class="muted">no events yet</span>`}</td><td class="number" data-label="Revenue">${usdText(revenue)}</td></tr>`,
  )}
  </tbody></table></div>
${pager(view, pageInfo)}</section>`;
}

function pager(view: CustomersView, { hasNextPage, hasPreviousPage, endCursor }: Unlinked['pageInfo']): Html | false {
  return (
    (hasNextPage || hasPreviousPage) &&
    html`<nav class="pager" aria-label="Pages">${hasPreviousPage && html`<a href="${pathOf({ ...view, after: null })}">First page</a>`}${hasNextPage && html`<a href="${pathOf({ ...view, after: endCursor })}">Next page</a>`}</nav>`
  );
}

/** A name or an id that resembles what was typed, among the most expensive customers. */
async function customerLike(
  gateway: GatewayClient,
  principal: Principal,
  window: { readonly start: string; readonly end: string },
  typed: string,
): Promise<string | null> {
  const { value } = await outcomeOf(askGateway(gateway, NAMES, window, principal), []);
  const nodes = value?.window.margin.endUsers.nodes ?? [];
  return nearestText(
    typed,
    nodes.flatMap(({ endUserName, endUser: { externalId } }) => [endUserName, externalId]),
  );
}

/** Sent by POST, like the search itself. */
function searchButton(
  view: CustomersView,
  search: string,
  { label, after, csrf }: { readonly label: string; readonly after: string | null; readonly csrf: string },
): Html {
  return html`<form method="post" action="/customers">${csrfField(csrf)}${[...parametersOf({ ...view, after }), ['search', search]].map(([name, text]) => html`<input type="hidden" name="${name}" value="${text}">`)}<button class="quiet">${label}</button></form>`;
}

/** Sent by POST, like the search itself. */
function searchPager(
  view: CustomersView,
  { hasNextPage, hasPreviousPage, endCursor }: Unlinked['pageInfo'],
  { search, csrf }: { readonly search: string; readonly csrf: string },
): Html | false {
  const to = (label: string, after: string | null) => searchButton(view, search, { label, after, csrf });
  return (
    (hasNextPage || hasPreviousPage) &&
    html`<nav class="pager" aria-label="Pages">${hasPreviousPage && to('First page', null)}${hasNextPage && to('Next page', endCursor)}</nav>`
  );
}
