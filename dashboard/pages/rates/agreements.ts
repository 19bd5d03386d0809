/**
 * `/rates/agreements`: discounts agreed with providers. Shows what repricing would change before an agreement is saved,
 * and reprices on request.
 */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { exactAmount, formatCount, formatPercent } from '../../figures/amount.ts';
import { breakEvenAtList, hasBreakEven } from '../../figures/break-even.ts';
import { dateField } from '../../figures/window-choice.ts';
import { formatDate } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, names } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { ratesHeading } from './rates-tabs.ts';

const AGREEMENTS = graphql(`query AgreementsPage {
  agreements { id provider name reference from until isInForce discounts { percent models classes from until } }
  fixedCosts { name provider driver replacesModelCost utilisation(named: LAST_30_DAYS) { bought modelCost percent breakEvenPercent listBreakEvenPercent } }
  window(named: LAST_30_DAYS) { savings { list contracted savings lines { provider agreement list contracted savings } } }
}`);
const PROPOSE = graphql(`query ProposeAgreement($input: AgreementSaveInput!) {
  agreementProposal(input: $input) { start end events difference isComplete }
}`);
const SAVE = graphql(`mutation SaveAgreement($input: AgreementSaveInput!) {
  agreementSave(input: $input) { userErrors { message code } }
}`);
const REMOVE = graphql(`mutation RemoveAgreement($id: ID!) {
  agreementRemove(input: { id: $id }) { userErrors { message code } }
}`);
const REPRICE = graphql(`mutation RepriceAfterAgreement($start: Instant!, $end: Instant!) {
  repricingStart(input: { start: $start, end: $end }) { operation { id } userErrors { message code } }
}`);

const PATH = '/rates/agreements';
const FIELDS = ['provider', 'name', 'reference', 'percent', 'models', 'from', 'until'] as const;

type Agreement = DataOf<'AgreementsPage'>['agreements'][number];
type Savings = DataOf<'AgreementsPage'>['window']['savings'];
type FixedCost = DataOf<'AgreementsPage'>['fixedCosts'][number];
type Proposal = DataOf<'ProposeAgreement'>['agreementProposal'];
type Input = VariablesOf<'SaveAgreement'>['input'];

export function agreementPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, typed = new URLSearchParams(), error?: KnownError) => {
    const { agreements, fixedCosts, window } = await askGateway(gateway, AGREEMENTS, {}, signedIn.principal);
    const mayChange = isAdmin(signedIn.principal);
    const body = html`
${ratesHeading('Agreements', PATH)}
<p class="lead">A discount agreed with a provider is subtracted from its list prices, and every explained cost names it. Custom rates and costs stated by the sender are not discounted.</p>
${agreements.length === 0 ? html`<p class="panel empty">No agreements: all models use list prices or custom rates.</p>` : html`<ul class="rows">${agreements.map((agreement) => agreementItem(signedIn, agreement, mayChange))}</ul>`}
${agreements.length > 0 && savingsPanel(window.savings)}
${capacityPanel(fixedCosts)}
${mayChange && agreementForm(signedIn, typed)}`;
    return sendFramed(signedIn, {
      title: 'Agreements',
      ...refusalOf(error),
      body,
    });
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
      return error ? render(signedIn, signedIn.form, error) : preview(signedIn, input, value.agreementProposal);
    }),
  );

  pages.post(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const { form, principal, reply } = signedIn;
      const { error } = await outcomeOf(askGateway(gateway, SAVE, { input: inputOf(form) }, principal));
      if (error) return render(signedIn, form, error);
      const [start, end] = [field(form, 'start'), field(form, 'end')];
      if (field(form, 'reprice') === '' || start === '') return reply.redirect(`${PATH}?done=agreement-saved`, 303);
      const repriced = await outcomeOf(askGateway(gateway, REPRICE, { start, end }, principal));
      return repriced.error
        ? render(signedIn, undefined, repriced.error)
        : reply.redirect('/books?done=repricing-begun', 303);
    }),
  );

  pages.post(
    `${PATH}/remove`,
    withSession(dependencies, async (signedIn) => {
      const variables = { id: field(signedIn.form, 'id') };
      const { error } = await outcomeOf(askGateway(gateway, REMOVE, variables, signedIn.principal));
      if (error) return render(signedIn, undefined, error);
      return signedIn.reply.redirect(`${PATH}?done=agreement-removed`, 303);
    }),
  );
}

function agreementItem({ csrf }: SignedIn, agreement: Agreement, mayChange: boolean): Html {
  const { id, provider, name, reference, from, until, isInForce, discounts } = agreement;
  return html`
<li class="panel stack">
  <h2 class="name">${name} <span class="muted">${provider}${reference !== null && html`, ${reference}`}</span> <span class="badge${isInForce && ' good'}">${isInForce ? 'in force' : 'not in force'}</span></h2>
  <p>From ${formatDate(from)}${until === null ? ', open-ended' : html` until ${formatDate(until)}`} <span class="muted">(UTC)</span></p>
  <ul>${discounts.map(
    ({ percent, models, classes, from: first, until: last }) => html`
    <li>${percent}% off ${models === null ? 'all models' : models.join(', ')}${classes !== null && html`, only ${classes.join(', ').replaceAll('_', ' ')}`}${first !== null && html`, from ${formatDate(first)}`}${last !== null && html`, until ${formatDate(last)}`}</li>`,
  )}
  </ul>
  ${
    mayChange &&
    html`<form method="post" action="${PATH}/remove">${csrfField(csrf)}
    <button class="secondary" name="id" value="${id}" aria-label="Remove ${name}">Remove</button></form>`
  }
</li>`;
}

function savingsPanel({ list, contracted, savings, lines }: Savings): Html {
  const row = ({ provider, agreement, ...line }: Savings['lines'][number]) => html`
    <tr><th scope="row" class="name">${agreement ?? html`<span class="muted">No agreement</span>`} <span class="muted">${provider}</span></th><td class="number" data-label="List">${exactAmount(line.list)}</td><td class="number" data-label="Contracted">${exactAmount(line.contracted)}</td><td class="number" data-label="Saved">${exactAmount(line.savings)}</td></tr>`;
  return html`
<section class="panel" aria-labelledby="savings"><h2 id="savings">Saved in the last 30 days</h2>
${
  lines.length === 0
    ? html`<p class="empty">No costs in the last 30 days.</p>`
    : html`<div class="scroll" tabindex="0" role="group" aria-labelledby="savings"><table class="fold">
  <thead><tr><th scope="col">Agreement</th><th scope="col" class="number">List</th><th scope="col" class="number">Contracted</th><th scope="col" class="number">Saved</th></tr></thead>
  <tbody>${lines.map(row)}
  </tbody>
  <tfoot><tr><th scope="row">Total</th><td class="number" data-label="List">${exactAmount(list)}</td><td class="number" data-label="Contracted">${exactAmount(contracted)}</td><td class="number" data-label="Saved">${exactAmount(savings)}</td></tr></tfoot>
</table></div>`
}</section>`;
}

/** Bought capacity, next to the cost of the same calls priced by token. */
function capacityPanel(fixedCosts: readonly FixedCost[]): Html | false {
  const capacities = fixedCosts
    .filter(hasBreakEven)
    .map(({ utilisation, ...fixedCost }) => ({ ...fixedCost, ...utilisation }));
  if (capacities.length === 0) return false;
  return html`
<section class="panel" aria-labelledby="capacity"><h2 id="capacity">Capacity in the last 30 days</h2>
<p class="muted">Bought capacity pays off while its use is above the break-even, at which the same calls cost the same by token. <a href="/costs/fixed">Fixed costs</a></p>
<div class="scroll" tabindex="0" role="group" aria-labelledby="capacity"><table class="fold">
  <thead><tr><th scope="col">Capacity</th><th scope="col" class="number">Bought</th><th scope="col" class="number">At token prices</th><th scope="col" class="number">Used</th><th scope="col" class="number">Break-even</th></tr></thead>
  <tbody>${capacities.map(
    ({ name, provider, bought, modelCost, percent, breakEvenPercent, listBreakEvenPercent }) => html`
    <tr><th scope="row" class="name">${name}${provider !== null && html` <span class="muted">${provider}</span>`}</th><td class="number" data-label="Bought">${exactAmount(bought)}</td><td class="number" data-label="At token prices">${exactAmount(modelCost)}</td><td class="number" data-label="Used">${percent === null ? '–' : formatPercent(percent)}</td><td class="number" data-label="Break-even">${formatPercent(breakEvenPercent!)}${breakEvenAtList(breakEvenPercent, listBreakEvenPercent)}</td></tr>`,
  )}
  </tbody>
</table></div></section>`;
}

function agreementForm({ csrf }: SignedIn, typed: URLSearchParams): Html {
  const text = (name: (typeof FIELDS)[number], label: Html, attributes: Html | false = false) => html`
    <label>${label} <input name="${name}" value="${field(typed, name)}" maxlength="255" autocomplete="off"${attributes}></label>`;
  return html`
<section class="panel stack" aria-labelledby="add"><h2 id="add">Add an agreement</h2>
  <form class="stack" method="post" action="${PATH}/preview">${csrfField(csrf)}
    <div class="fields">
      ${text('name', html`Name`, html` required`)}
      ${text('provider', html`Provider`, html` required`)}
      ${text('reference', html`Contract number <span class="muted">(optional)</span>`)}
    </div>
    <div class="fields">
      ${text('percent', html`Percent off list prices`, html` required inputmode="decimal" pattern="[0-9]{1,3}([.][0-9]{1,4})?" title="A number such as 20"`)}
      ${text('models', html`Models <span class="muted">(such as claude-*; empty: all)</span>`)}
    </div>
    <div class="fields">
      ${dateField('from', html`From <span class="muted">(UTC)</span>`, field(typed, 'from'), { isRequired: true })}
      ${dateField('until', html`Until <span class="muted">(UTC, not included; empty: open-ended)</span>`, field(typed, 'until'))}
    </div>
    <div class="actions"><button>Preview</button></div>
  </form>
</section>`;
}

function preview(signedIn: SignedIn, input: Input, proposal: Proposal): FastifyReply {
  const { csrf, form } = signedIn;
  const { events, difference, isComplete, start, end } = proposal;
  const body = html`
<p class="crumbs"><a href="${PATH}">Agreements</a></p>
<h1>${input.name}</h1>
<section class="panel stack" aria-labelledby="changes"><h2 id="changes">Preview</h2>
  <p>New events are priced with the discount. Booked costs do not change until you reprice them.</p>
  ${
    events === 0
      ? html`<p>No booked event is affected.</p>`
      : html`<dl class="facts"><div><dt>Booked events affected</dt><dd>${formatCount(events)}</dd></div>
    <div><dt>Change of their cost</dt><dd>${usdText(difference)}</dd></div></dl>`
  }
  ${!isComplete && html`<p class="muted">Only the earliest 20,000 events of the period were checked.</p>`}
  <form class="stack" method="post" action="${PATH}">${csrfField(csrf)}${FIELDS.map((name) => hidden(name, field(form, name)))}${hidden('start', start)}${hidden('end', end)}
    <div class="actions">${events > 0 && html`<button name="reprice" value="yes">Save and reprice</button>`} <button${events > 0 && html` class="secondary"`}>${events > 0 ? 'Save only' : 'Save'}</button> <a href="${PATH}">Cancel</a></div></form>
</section>`;
  return sendFramed(signedIn, { title: 'Agreements', body });
}

function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

function inputOf(form: URLSearchParams): Input {
  const optional = (name: (typeof FIELDS)[number]) => (field(form, name) === '' ? {} : { [name]: field(form, name) });
  const models = names(form, 'models');
  return {
    provider: field(form, 'provider'),
    name: field(form, 'name'),
    from: field(form, 'from'),
    ...optional('reference'),
    ...optional('until'),
    discounts: [{ percent: field(form, 'percent'), ...(models.length > 0 && { models }) }],
  };
}
