/** `/rates/credits`: provider credits and prepayments: what they paid for, what is left, and when they end. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import type { KnownError } from '#kernel/errors.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { exactAmount } from '../../figures/amount.ts';
import { permittedLink } from '../../figures/permitted-link.ts';
import { dateField } from '../../figures/window-choice.ts';
import { formatDate } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, names, queryOf } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { ratesHeading } from './rates-tabs.ts';

const CREDITS = graphql(`query ProviderCreditsPage {
  providerCredits { id kind name provider models classes amount from until order isInForce used expired left forecast { usedUpOn expiresUnused } }
}`);
const BILLED = graphql(`query BilledCreditsPage($start: Instant!, $end: Instant!) {
  billedCredits(start: $start, end: $end) { source provider currency from to days billed used difference left }
}`);
const PROPOSE = graphql(`query ProposeProviderCredit($input: ProviderCreditSaveInput!) {
  providerCreditProposal(input: $input) { credit { amount used expired left forecast { usedUpOn expiresUnused } } }
}`);
const SAVE = graphql(`mutation SaveProviderCredit($input: ProviderCreditSaveInput!) {
  providerCreditSave(input: $input) { userErrors { message code } }
}`);
const REMOVE = graphql(`mutation RemoveProviderCredit($id: ID!) {
  providerCreditRemove(input: { id: $id }) { userErrors { message code } }
}`);

const PATH = '/rates/credits';
const FIELDS = ['id', 'kind', 'provider', 'name', 'amount', 'models', 'classes', 'from', 'until', 'order'] as const;

type Credit = DataOf<'ProviderCreditsPage'>['providerCredits'][number];
type BilledLine = DataOf<'BilledCreditsPage'>['billedCredits'][number];
type Proposed = DataOf<'ProposeProviderCredit'>['providerCreditProposal']['credit'];
type Input = VariablesOf<'SaveProviderCredit'>['input'];

export function providerCreditPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, typed = new URLSearchParams(), error?: KnownError) => {
    const { providerCredits } = await askGateway(gateway, CREDITS, {}, signedIn.principal);
    const billed = providerCredits.length === 0 ? [] : await readBilled(signedIn);
    const mayChange = isAdmin(signedIn.principal);
    const edited = providerCredits.find(({ id }) => id === field(queryOf(signedIn.request), 'edit'));
    const body = html`
${ratesHeading('Credits', PATH)}
<p class="lead">Credits that providers gave, and prepayments. They pay for contracted costs, day by day, and do not change the cost of a call or a customer. A prepayment that expires unused is a cost of the company. Days are UTC and settle two hours after they end.</p>
${providerCredits.length === 0 ? html`<p class="panel empty">No credits.</p>` : html`<ul class="rows">${providerCredits.map((credit) => creditItem(signedIn, credit, mayChange))}</ul>`}
${billed.length > 0 && billedCredits(signedIn.principal, billed)}
${mayChange && creditForm(signedIn, error === undefined && edited !== undefined ? typedOf(edited) : typed)}`;
    return sendFramed(signedIn, { title: 'Credits', ...refusalOf(error), body });
  };

  /** Reads whole months, since a bill may state the credits of a month in one line. */
  const readBilled = async ({ principal }: SignedIn) => {
    const today = now();
    const start = new Date(Date.UTC(today.getUTCFullYear() - 1, today.getUTCMonth(), 1)).toISOString();
    return (await askGateway(gateway, BILLED, { start, end: today.toISOString() }, principal)).billedCredits;
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  pages.post(
    `${PATH}/preview`,
    withSession(dependencies, async (signedIn) => {
      const input = inputOf(signedIn.form);
      const { value, error } = await outcomeOf(askGateway(gateway, PROPOSE, { input }, signedIn.principal));
      return error ? render(signedIn, signedIn.form, error) : preview(signedIn, value.providerCreditProposal.credit);
    }),
  );

  pages.post(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const { form, principal, reply } = signedIn;
      const { error } = await outcomeOf(askGateway(gateway, SAVE, { input: inputOf(form) }, principal));
      return error ? render(signedIn, form, error) : reply.redirect(`${PATH}?done=credit-saved`, 303);
    }),
  );

  pages.post(
    `${PATH}/remove`,
    withSession(dependencies, async (signedIn) => {
      const variables = { id: field(signedIn.form, 'id') };
      const { error } = await outcomeOf(askGateway(gateway, REMOVE, variables, signedIn.principal));
      return error ? render(signedIn, undefined, error) : signedIn.reply.redirect(`${PATH}?done=credit-removed`, 303);
    }),
  );
}

function creditItem({ csrf }: SignedIn, credit: Credit, mayChange: boolean): Html {
  const { id, kind, name, provider, models, classes, from, until, isInForce } = credit;
  return html`
<li class="panel stack">
  <h2 class="name">${name} <span class="muted">${provider}${kind === 'PREPAYMENT' && ', prepayment'}</span> ${isInForce && credit.left === '0' ? html`<span class="badge">used up</span>` : html`<span class="badge${isInForce && ' good'}">${isInForce ? 'in force' : 'not in force'}</span>`}</h2>
  <p>From ${formatDate(from)}${until === null ? ', does not expire' : html` until ${formatDate(until)}`} <span class="muted">(UTC)</span>, for ${models === null ? 'all models' : models.join(', ')}${classes !== null && html`, only ${classes.join(', ').replaceAll('_', ' ')}`}</p>
  ${figures(credit)}
  ${
    mayChange &&
    html`<form method="post" action="${PATH}/remove">${csrfField(csrf)}
    <div class="actions"><a href="${PATH}?${new URLSearchParams({ edit: id }).toString()}#credit" aria-label="Change ${name}">Change</a>
    <button class="secondary" name="id" value="${id}" aria-label="Remove ${name}">Remove</button></div></form>`
  }
</li>`;
}

function figures({ amount, used, expired, left, forecast }: Proposed): Html {
  return html`<dl class="facts"><div><dt>Amount</dt><dd>${exactAmount(amount)}</dd></div>
    <div><dt>Used</dt><dd>${exactAmount(used)}</dd></div>
    <div><dt>Expired</dt><dd>${exactAmount(expired)}</dd></div>
    <div><dt>Left</dt><dd>${exactAmount(left)}</dd></div>
    ${forecast !== null && html`<div><dt>Forecast</dt><dd>${forecastWords(forecast)}</dd></div>`}</dl>`;
}

function billedCredits(principal: Principal, lines: readonly BilledLine[]): Html {
  return html`
<section class="panel" aria-labelledby="billed"><h2 id="billed">Credits on bills</h2>
  <p>Credits on imported bills of settled days, compared with those computed here for the same days. The bill determines what is left.</p>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="billed"><table class="fold">
  <thead><tr><th scope="col">Provider</th><th scope="col">Days</th><th scope="col" class="number">Billed</th><th scope="col" class="number">Computed</th><th scope="col" class="number">Difference</th><th scope="col" class="number">Left according to the bill</th></tr></thead>
  <tbody>${lines.map(
    ({ source, provider, currency, from, to, days, billed, used, difference, left }) => html`
    <tr><th scope="row">${provider} <span class="muted">${source}</span></th><td>${formatDate(from)} to ${formatDate(to)} <span class="muted">(${String(days)})</span></td>
    ${
      used === null
        ? html`<td class="number">${billed} ${currency}</td><td colspan="3" class="muted">Only bills in USD are compared.</td>`
        : html`<td class="number">${exactAmount(billed)}</td><td class="number">${exactAmount(used)}</td><td class="number">${exactAmount(difference ?? '0')}</td>
    <td class="number">${left === null ? '–' : exactAmount(left)}</td>`
    }</tr>`,
  )}</tbody></table></div>
  <p class="muted">A difference has one of three causes: the credit pays for other services too, some calls are not in the books, or the provider’s terms differ from those entered here. ${permittedLink(principal, '/books/bills', 'Compare the bills')}</p>
</section>`;
}

function forecastWords({ usedUpOn, expiresUnused }: NonNullable<Proposed['forecast']>): Html {
  if (usedUpOn !== null) return html`used up on ${formatDate(usedUpOn)}`;
  return expiresUnused === null
    ? html`lasts more than three years`
    : html`${exactAmount(expiresUnused)} would expire unused`;
}

function creditForm({ csrf }: SignedIn, typed: URLSearchParams): Html {
  const text = (name: (typeof FIELDS)[number], label: Html, attributes: Html | false = false) => html`
    <label>${label} <input name="${name}" value="${field(typed, name)}" maxlength="255" autocomplete="off"${attributes}></label>`;
  const id = field(typed, 'id');
  return html`
<section class="panel stack" aria-labelledby="credit"><h2 id="credit">${id === '' ? 'Add a credit or prepayment' : 'Change the credit or prepayment'}</h2>
  <form class="stack" method="post" action="${PATH}/preview">${csrfField(csrf)}<input type="hidden" name="id" value="${id}">
    <div class="fields">
      ${text('name', html`Name`, html` required`)}
      ${text('provider', html`Provider`, html` required`)}
      ${text('amount', html`Amount, USD`, html` required inputmode="decimal"`)}
      <label>Kind <select name="kind">
        <option value="CREDIT">Credit (free)</option>
        <option value="PREPAYMENT"${field(typed, 'kind') === 'PREPAYMENT' && ' selected'}>Prepayment (paid)</option></select></label>
    </div>
    <div class="fields">
      ${text('models', html`Models <span class="muted">(such as gpt-*; empty: all)</span>`)}
      ${text('classes', html`Classes or units <span class="muted">(such as input, searches; empty: all)</span>`)}
      ${text('order', html`Order <span class="muted">(optional: the lowest is used first)</span>`, html` inputmode="numeric" pattern="[0-9]{1,7}" title="A number such as 1"`)}
    </div>
    <div class="fields">
      ${dateField('from', html`From <span class="muted">(UTC)</span>`, field(typed, 'from'), { isRequired: true })}
      ${dateField('until', html`Until <span class="muted">(UTC, not included; empty: no end)</span>`, field(typed, 'until'))}
    </div>
    <div class="actions"><button>Preview</button>${id !== '' && html` <a href="${PATH}">Cancel</a>`}</div>
  </form>
</section>`;
}

function preview(signedIn: SignedIn, credit: Proposed): FastifyReply {
  const { csrf, form } = signedIn;
  const hidden = FIELDS.map((name) => html`<input type="hidden" name="${name}" value="${field(form, name)}">`);
  const body = html`
<p class="crumbs"><a href="${PATH}">Credits</a></p>
<h1>${field(form, 'name')}</h1>
<section class="panel stack" aria-labelledby="effect"><h2 id="effect">Preview</h2>
  <p>What the credit would have paid for on the days so far.${field(form, 'id') !== '' && ' The difference is booked when the credit is saved.'}</p>
  ${figures(credit)}
  <form class="stack" method="post" action="${PATH}">${csrfField(csrf)}${hidden}
    <div class="actions"><button>Save</button> <a href="${PATH}">Cancel</a></div></form>
</section>`;
  return sendFramed(signedIn, { title: 'Credits', body });
}

function typedOf({ id, kind, provider, name, amount, models, classes, from, until, order }: Credit): URLSearchParams {
  const [selectedModels, selectedClasses] = [models, classes].map((names) => names?.join(', ') ?? '');
  return new URLSearchParams({
    id,
    kind,
    provider,
    name,
    amount,
    models: selectedModels!,
    classes: selectedClasses!,
    from,
    until: until ?? '',
    order: order === null ? '' : String(order),
  });
}

function inputOf(form: URLSearchParams): Input {
  const [id, until, order] = [field(form, 'id'), field(form, 'until'), field(form, 'order')];
  const [models, classes] = [names(form, 'models'), names(form, 'classes')];
  return {
    kind: field(form, 'kind') === 'PREPAYMENT' ? 'PREPAYMENT' : 'CREDIT',
    provider: field(form, 'provider'),
    name: field(form, 'name'),
    amount: field(form, 'amount'),
    from: field(form, 'from'),
    ...(id !== '' && { id }),
    ...(until !== '' && { until }),
    ...(order !== '' && { order: Number(order) }),
    ...(models.length > 0 && { models }),
    ...(classes.length > 0 && { classes }),
  };
}
