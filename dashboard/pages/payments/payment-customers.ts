/** `/settings/payments/customers`: links the processor's customers to customers in events, by hand. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { fail, type KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount } from '../../figures/amount.ts';
import { paymentsHeading } from './payments-heading.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, queryOf } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';

const CUSTOMERS = graphql(`query PaymentCustomersPage($first: Int!, $after: String, $unmapped: Boolean!) {
  revenueConnection { customerCount unmappedCustomerCount }
  billingCustomers(first: $first, after: $after, unmapped: $unmapped) {
    nodes { customerId name metadataExternalId linkedExternalId deleted } pageInfo { hasNextPage endCursor }
  }
  revenueMappingConflicts(first: 50) { nodes { externalId customerIds message } }
}`);
const CUSTOMER = graphql(`query PaymentCustomerPage($id: String!) {
  revenueCustomer(customerId: $id) { customerId name metadataExternalId linkedExternalId deleted }
}`);
const SUGGESTIONS = graphql(`query EndUserSuggestions($text: String!) {
  endUserSuggestions(text: $text, first: 12) { externalId }
}`);
const LINK = graphql(`mutation LinkPaymentCustomer($customerId: String!, $endUserExternalId: String!) {
  revenueCustomerLink(input: { customerId: $customerId, endUserExternalId: $endUserExternalId }) { customer { customerId } userErrors { message code } }
}`);
const UNLINK = graphql(`mutation UnlinkPaymentCustomer($customerId: String!) {
  revenueCustomerUnlink(input: { customerId: $customerId }) { customer { customerId } userErrors { message code } }
}`);

const PATH = '/settings/payments/customers';
const PER_PAGE = 50;
/** Minimum length of a name that is searched for automatically: shorter names match everything. */
const SUGGESTED_LENGTH_MIN = 3;

type Customer = DataOf<'PaymentCustomersPage'>['billingCustomers']['nodes'][number];
type Conflict = DataOf<'PaymentCustomersPage'>['revenueMappingConflicts']['nodes'][number];

export function paymentCustomersPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const query = queryOf(signedIn.request);
      const isAll = query.get('show') === 'all';
      const after = query.get('after');
      const {
        revenueConnection: connection,
        billingCustomers: { nodes: customers, pageInfo },
        revenueMappingConflicts: { nodes: conflicts },
      } = await askGateway(gateway, CUSTOMERS, { first: PER_PAGE, after, unmapped: !isAll }, signedIn.principal);
      const more = new URLSearchParams({ ...(isAll ? { show: 'all' } : {}), after: pageInfo.endCursor ?? '' });
      const body = html`
${paymentsHeading('Stripe customers', PATH)}
<p class="lead">Link each Stripe customer to the customer in your events. Revenue of unlinked customers is included only in the total.</p>
<nav aria-label="Which customers"><ul class="windows">
  <li><a href="${PATH}"${!isAll && html` aria-current="true"`}>Not linked${connection !== null && ` (${formatCount(connection.unmappedCustomerCount)})`}</a></li>
  <li><a href="${PATH}?show=all"${isAll && html` aria-current="true"`}>All${connection !== null && ` (${formatCount(connection.customerCount)})`}</a></li>
</ul></nav>
${customers.length > 0 ? customerTable(customers) : html`<p class="panel empty">${connection === null ? html`No account is connected: <a href="/settings/payments">connect Stripe</a>.` : isAll ? 'No customers synced yet.' : 'All customers are linked.'}</p>`}
<p class="pager">${after !== null && html`<a href="${PATH}${isAll && '?show=all'}">First page</a>`} ${pageInfo.hasNextPage && html`<a href="${PATH}?${more.toString()}">Next page</a>`}</p>
${conflicts.length > 0 && conflictTable(conflicts)}`;
      return sendFramed(signedIn, { title: 'Stripe customers', body });
    }),
  );

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const { principal, form } = signedIn;
    const { revenueCustomer } = await askGateway(gateway, CUSTOMER, { id: idOf(signedIn) }, principal);
    const customer = revenueCustomer ?? fail('NOT_FOUND', 'This customer has not been synced.');
    const text = field(form, 'text') || textOf(customer);
    const suggestions =
      text === '' ? [] : (await askGateway(gateway, SUGGESTIONS, { text }, principal)).endUserSuggestions;
    return sendFramed(signedIn, {
      title: customer.name ?? customer.customerId,
      ...refusalOf(error),
      body: customerBody(signedIn, customer, { text, found: suggestions.map(({ externalId }) => externalId) }),
    });
  };

  pages.get(
    `${PATH}/:id`,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );
  // The search text may be someone's e-mail address, so it never appears in URLs.
  pages.post(
    `${PATH}/:id/search`,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );
  pages.post(
    `${PATH}/:id/link`,
    withSession(dependencies, async (signedIn) => {
      const variables = { customerId: idOf(signedIn), endUserExternalId: field(signedIn.form, 'externalId') };
      const { error } = await outcomeOf(askGateway(gateway, LINK, variables, signedIn.principal));
      return error ? render(signedIn, error) : signedIn.reply.redirect(`${PATH}?done=customer-linked`, 303);
    }),
  );
  pages.post(
    `${PATH}/:id/unlink`,
    withSession(dependencies, async (signedIn) => {
      const { error } = await outcomeOf(
        askGateway(gateway, UNLINK, { customerId: idOf(signedIn) }, signedIn.principal),
      );
      return error
        ? render(signedIn, error)
        : signedIn.reply.redirect(`${pathOf(idOf(signedIn))}?done=customer-unlinked`, 303);
    }),
  );
}

function idOf({ request }: SignedIn): string {
  return (request.params as { id: string }).id;
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}

/** Likely name of the customer in events: the name, or the part of an e-mail address before the @. */
function textOf({ name }: Customer): string {
  const text = name?.split('@', 1)[0]?.trim() ?? '';
  return text.length < SUGGESTED_LENGTH_MIN ? '' : text;
}

function matchOf({ metadataExternalId, linkedExternalId }: Customer): Html {
  if (linkedExternalId !== null)
    return html`<span class="name">${linkedExternalId}</span> <span class="badge">linked here</span>`;
  if (metadataExternalId !== null) return html`<span class="name">${metadataExternalId}</span>`;
  return html`<span class="badge bad">not linked</span>`;
}

function actionOf({ metadataExternalId, linkedExternalId }: Customer): string {
  return metadataExternalId === null && linkedExternalId === null ? 'Link' : 'Change';
}

function customerTable(customers: readonly Customer[]): Html {
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Stripe customers"><table>
  <caption class="unseen">Stripe customers</caption>
  <thead><tr><th scope="col">At Stripe</th><th scope="col">In your events</th></tr></thead>
  <tbody>${customers.map(
    (customer) => html`
    <tr><th scope="row" class="name">${customer.name ?? 'no name'}${customer.deleted && html` <span class="badge">deleted in Stripe</span>`} <br><span class="muted id">${customer.customerId}</span></th>
      <td>${matchOf(customer)} <br><a href="${pathOf(customer.customerId)}" aria-label="${actionOf(customer)} ${customer.name ?? customer.customerId}">${actionOf(customer)}</a></td></tr>`,
  )}
  </tbody>
</table></div>`;
}

function conflictTable(conflicts: readonly Conflict[]): Html {
  return html`
<section class="panel" aria-labelledby="conflicts"><h2 id="conflicts">Conflicts</h2>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="conflicts"><table class="fold">
    <thead><tr><th scope="col">In your events</th><th scope="col">At Stripe</th><th scope="col">Details</th></tr></thead>
    <tbody>${conflicts.map(
      ({ externalId, customerIds, message }) => html`
      <tr><th scope="row" class="name">${externalId}</th><td class="id" data-label="At Stripe">${customerIds.map((id) => html`<a href="${pathOf(id)}">${id}</a> `)}</td><td>${message}</td></tr>`,
    )}
    </tbody>
  </table></div>
</section>`;
}

function customerBody(
  { csrf, principal }: SignedIn,
  customer: Customer,
  { text, found }: { text: string; found: readonly string[] },
): Html {
  const { customerId: id, name, metadataExternalId, linkedExternalId } = customer;
  const isOwner = principal.grants.includes('owner');
  return html`
<p class="crumbs"><a href="${PATH}">Stripe customers</a></p>
<h1 class="name">${name ?? id}</h1>
<dl class="panel facts">
  <div><dt>At Stripe</dt><dd class="id">${id}${customer.deleted && html` <span class="badge">deleted in Stripe</span>`}</dd></div>
  <div><dt>From metadata</dt><dd>${metadataExternalId === null ? 'none' : html`<span class="name">${metadataExternalId}</span>`}</dd></div>
  <div><dt>Linked here</dt><dd>${linkedExternalId === null ? 'none' : html`<span class="name">${linkedExternalId}</span> (takes precedence)`}</dd></div>
</dl>
${!isOwner && html`<p class="panel">Only owners can link customers.</p>`}
${
  isOwner &&
  html`
<section class="panel stack" aria-labelledby="match"><h2 id="match">Link to customer</h2>
  <p class="muted">Past revenue is included.</p>
  <form class="stack wide-form" method="post" action="${pathOf(id)}/search">${csrfField(csrf)}
    <label>Part of the <code>user_id</code> in your events <input name="text" value="${text}" maxlength="255" autocomplete="off" required></label>
    <button class="secondary">Search</button></form>
  ${text !== '' && found.length === 0 && html`<p class="muted">No customer in your events matches.</p>`}
  ${
    found.length > 0 &&
    html`<form method="post" action="${pathOf(id)}/link">${csrfField(csrf)}
    <ul class="rows">${found.map((externalId) => html`<li class="row"><span class="name">${externalId}</span><button class="secondary" name="externalId" value="${externalId}" aria-label="Link ${externalId}">Link</button></li>`)}</ul></form>`
  }
  <form class="stack wide-form" method="post" action="${pathOf(id)}/link">${csrfField(csrf)}
    <label>Or type the whole <code>user_id</code>, even if no event has it yet <input name="externalId" maxlength="255" autocomplete="off" required></label>
    <button>Link</button></form>
</section>`
}
${
  isOwner &&
  linkedExternalId !== null &&
  html`<form class="panel stack wide-form" method="post" action="${pathOf(id)}/unlink">${csrfField(csrf)}
  <p>Without the link, ${metadataExternalId === null ? 'this customer is not linked' : html`the metadata applies: <span class="name">${metadataExternalId}</span>`}.</p>
  <button class="danger">Remove link</button></form>`
}`;
}
