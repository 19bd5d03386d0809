/**
 * `/rates/price`: sets a rate of the organization, or the model that a name refers to. Shows the affected events and
 * their cost first.
 */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { fail, type KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { formatCount } from '../../figures/amount.ts';
import { RATE_FIELDS, rateFields, rateInputOf } from './rate-form.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, queryOf } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';

const PROPOSE_RATE = graphql(`query ProposeRate($input: RateSetInput!) {
  rateProposal(input: $input) { events settledEvents totalCost isComplete models { model provider events settledEvents totalCost reason } }
}`);
const PROPOSE_ALIAS = graphql(`query ProposeModelAlias($name: String!, $provider: String, $model: String!) {
  modelAliasProposal(name: $name, provider: $provider, model: $model) {
    events settledEvents totalCost isComplete models { model provider events settledEvents totalCost reason }
  }
}`);
const SET_RATE = graphql(`mutation NegotiateRate($input: RateSetInput!) {
  rateSet(input: $input) { rate { rateCardId } userErrors { message code } }
}`);
const SET_ALIAS = graphql(`mutation NameModel($name: String!, $provider: String, $model: String!) {
  modelAliasSet(input: { name: $name, provider: $provider, model: $model }) { requeuedEvents userErrors { message code } }
}`);

const PATH = '/rates/price';
const ALIAS_FIELDS = ['name', 'aliasProvider', 'aliasModel'] as const;

type Proposal = DataOf<'ProposeRate'>['rateProposal'];

/** Typed values and their effect. */
interface Draft {
  readonly values: URLSearchParams;
  readonly proposal: Proposal | null;
  /** The URL that applies the draft, and the fields to resubmit. */
  readonly confirm: { readonly action: string; readonly fields: readonly string[] };
  readonly error?: KnownError | null;
}

const RATE = { action: PATH, fields: RATE_FIELDS };
const ALIAS = { action: `${PATH}/alias`, fields: ALIAS_FIELDS };

export function pricePages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => {
      if (!isAdmin(signedIn.principal)) fail('FORBIDDEN', 'Only owners and admins can set rates.');
      const query = queryOf(signedIn.request);
      const [model, provider] = [query.get('model') ?? '', query.get('provider') ?? ''];
      const values = new URLSearchParams({ model, provider, name: model, aliasProvider: provider });
      return render(signedIn, { values, proposal: null, confirm: RATE });
    }),
  );

  pages.post(
    `${PATH}/preview`,
    withSession(dependencies, async (signedIn) => {
      const input = rateInputOf(signedIn.form);
      const { value, error } = await outcomeOf(askGateway(gateway, PROPOSE_RATE, { input }, signedIn.principal));
      return render(signedIn, {
        values: signedIn.form,
        proposal: value?.rateProposal ?? null,
        confirm: RATE,
        error,
      });
    }),
  );
  pages.post(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const input = rateInputOf(signedIn.form);
      const { error } = await outcomeOf(askGateway(gateway, SET_RATE, { input }, signedIn.principal));
      return error
        ? render(signedIn, { values: signedIn.form, proposal: null, confirm: RATE, error })
        : signedIn.reply.redirect('/rates/negotiated?done=rate-set', 303);
    }),
  );

  pages.post(
    `${PATH}/alias/preview`,
    withSession(dependencies, async (signedIn) => {
      const { value, error } = await outcomeOf(
        askGateway(gateway, PROPOSE_ALIAS, aliasOf(signedIn.form), signedIn.principal),
      );
      return render(signedIn, {
        values: signedIn.form,
        proposal: value?.modelAliasProposal ?? null,
        confirm: ALIAS,
        error,
      });
    }),
  );
  pages.post(
    `${PATH}/alias`,
    withSession(dependencies, async (signedIn) => {
      const { error } = await outcomeOf(askGateway(gateway, SET_ALIAS, aliasOf(signedIn.form), signedIn.principal));
      return error
        ? render(signedIn, { values: signedIn.form, proposal: null, confirm: ALIAS, error })
        : signedIn.reply.redirect('/rates/waiting?done=alias-set', 303);
    }),
  );
}

function aliasOf(form: URLSearchParams): { name: string; provider?: string; model: string } {
  const provider = field(form, 'aliasProvider');
  return {
    name: field(form, 'name'),
    model: field(form, 'aliasModel'),
    ...(provider === '' ? {} : { provider }),
  };
}

function render(signedIn: SignedIn, { values, proposal, confirm, error }: Draft): FastifyReply {
  const { csrf } = signedIn;
  const model = field(values, 'model') || field(values, 'name');
  const body = html`
<p class="crumbs"><a href="/rates/waiting">Waiting models</a></p>
<h1>${model === '' ? 'Custom rate' : html`Price <em>${model}</em>`}</h1>
<p class="lead">Applies to your organization only and overrides the list price. Booked costs do not change.</p>
${proposal !== null && proposed(signedIn, proposal, values, confirm)}
<form class="panel stack wide-form" method="post" action="${PATH}/preview">${csrfField(csrf)}
  <h2>Rates</h2>
  ${rateFields(values)}
  <button class="${proposal !== null && confirm === RATE ? 'secondary' : ''}">Preview</button>
</form>
<form class="panel stack wide-form" method="post" action="${PATH}/alias/preview">${csrfField(csrf)}
  <h2>Or map it to a known model</h2>
  <div class="fields">
    <label>Name in your events <input name="name" value="${field(values, 'name')}" maxlength="255" autocomplete="off" required></label>
    <label>Provider <span class="muted">(optional)</span> <input name="aliasProvider" value="${field(values, 'aliasProvider')}" maxlength="255" autocomplete="off"></label>
    <label>Known model <input name="aliasModel" value="${field(values, 'aliasModel')}" maxlength="255" autocomplete="off" required></label>
  </div>
  <button class="secondary">Preview</button>
</form>`;
  return sendFramed(signedIn, {
    title: model === '' ? 'Custom rate' : `Price ${model}`,
    ...refusalOf(error),
    body,
  });
}

function proposed(
  { csrf }: SignedIn,
  proposal: Proposal,
  values: URLSearchParams,
  { action, fields }: Draft['confirm'],
): Html {
  const { events, settledEvents, totalCost, isComplete, models } = proposal;
  return html`
<section class="panel stack" aria-labelledby="proposal"><h2 id="proposal">Preview</h2>
  <p>${
    events === 0
      ? 'No events are waiting for it. It applies to future events.'
      : html`<strong>${formatCount(settledEvents)}</strong> of ${formatCount(events)} waiting ${events === 1 ? 'event' : 'events'}${!isComplete && html` (only the first were checked)`} would be priced: <strong>${usdText(totalCost)}</strong> in total.`
  }</p>
  ${
    models.length > 0 &&
    html`<div class="scroll" tabindex="0" role="group" aria-labelledby="proposal"><table>
    <thead><tr><th scope="col">Model</th><th scope="col" class="number">Events</th><th scope="col" class="number">Priced</th><th scope="col" class="number">Cost</th><th scope="col">Why others wait</th></tr></thead>
    <tbody>${models.map(
      (one) => html`
      <tr><th scope="row" class="name">${one.model}${one.provider !== null && html` <span class="muted">${one.provider}</span>`}</th><td class="number">${formatCount(one.events)}</td><td class="number">${formatCount(one.settledEvents)}</td>
        <td class="number">${usdText(one.totalCost)}</td><td>${one.reason ?? '–'}</td></tr>`,
    )}
    </tbody></table></div>`
  }
  <form method="post" action="${action}">${csrfField(csrf)}
    ${fields.map((name) => html`<input type="hidden" name="${name}" value="${field(values, name)}">`)}
    <button>Set price${settledEvents > 0 && ` and apply to ${formatCount(settledEvents)} ${settledEvents === 1 ? 'event' : 'events'}`}</button></form>
</section>`;
}
