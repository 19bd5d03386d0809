/** `/rates/negotiated`: the organization's own rates with their validity, ending them, and its own names for models. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { formatInstant } from '../../figures/instant.ts';
import { dateField } from '../../figures/window-choice.ts';
import { ratesHeading } from './rates-tabs.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';

const NEGOTIATED = graphql(`query NegotiatedRatesPage {
  negotiatedRates { rateCardId modelSlug providerSlug isInForce versions { effectiveFrom effectiveTo unit prices { name price } } }
  modelAliases { name provider model isStandard }
}`);
const END = graphql(`mutation EndRate($rateCardId: ID!, $at: Instant) {
  rateEnd(input: { rateCardId: $rateCardId, at: $at }) { userErrors { message code } }
}`);
const FORGET = graphql(`mutation ForgetModelName($name: String!, $provider: String) {
  modelAliasSet(input: { name: $name, provider: $provider }) { requeuedEvents userErrors { message code } }
}`);

const PATH = '/rates/negotiated';

type Rate = DataOf<'NegotiatedRatesPage'>['negotiatedRates'][number];
type Alias = DataOf<'NegotiatedRatesPage'>['modelAliases'][number];

export function negotiatedRatesPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const { negotiatedRates, modelAliases } = await askGateway(gateway, NEGOTIATED, {}, signedIn.principal);
    const own = modelAliases.filter(({ isStandard }) => !isStandard);
    const mayChange = isAdmin(signedIn.principal);
    const body = html`
${ratesHeading('Custom rates', PATH, mayChange && html`<a class="button" href="/rates/price">Add a rate</a>`)}
<p class="lead">Your rates override list prices. Changes apply from their start date and never alter booked costs.</p>
${negotiatedRates.length === 0 ? html`<p class="panel empty">No custom rates: all models use list prices.</p>` : html`<ul class="rows">${negotiatedRates.map((rate) => rateItem(signedIn, rate, mayChange))}</ul>`}
${own.length > 0 && aliasList(signedIn, own, mayChange)}`;
    return sendFramed(signedIn, {
      title: 'Custom rates',
      ...refusalOf(error),
      body,
    });
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  pages.post(
    `${PATH}/end`,
    withSession(dependencies, async (signedIn) => {
      const day = field(signedIn.form, 'day');
      const variables = {
        rateCardId: field(signedIn.form, 'rateCardId'),
        ...(day === '' ? {} : { at: `${day}T00:00:00Z` }),
      };
      const { error } = await outcomeOf(askGateway(gateway, END, variables, signedIn.principal));
      return error ? render(signedIn, error) : signedIn.reply.redirect(`${PATH}?done=rate-ended`, 303);
    }),
  );

  pages.post(
    `${PATH}/forget`,
    withSession(dependencies, async (signedIn) => {
      const provider = field(signedIn.form, 'provider');
      const variables = { name: field(signedIn.form, 'name'), ...(provider === '' ? {} : { provider }) };
      const { error } = await outcomeOf(askGateway(gateway, FORGET, variables, signedIn.principal));
      return error ? render(signedIn, error) : signedIn.reply.redirect(`${PATH}?done=alias-removed`, 303);
    }),
  );
}

function rateItem({ csrf }: SignedIn, rate: Rate, mayChange: boolean): Html {
  const { rateCardId, modelSlug, providerSlug, isInForce, versions } = rate;
  const query = new URLSearchParams({ model: modelSlug, ...(providerSlug === null ? {} : { provider: providerSlug }) });
  const isOver = versions.every(({ effectiveTo }) => effectiveTo !== null) && !isInForce;
  return html`
<li class="panel stack">
  <h2 class="name">${modelSlug} <span class="muted">${providerSlug ?? 'any provider'}</span> <span class="badge${isInForce && ' good'}">${isInForce ? 'in force' : 'not in force'}</span></h2>
  <div class="scroll" tabindex="0" role="group" aria-label="Rates of ${modelSlug}"><table class="fold">
    <thead><tr><th scope="col">From</th><th scope="col">Until</th><th scope="col">USD</th></tr></thead>
    <tbody>${versions.map(
      ({ effectiveFrom, effectiveTo, unit, prices }) => html`
      <tr><td data-label="From">${effectiveFrom === null ? 'always' : formatInstant(effectiveFrom)}</td><td data-label="Until">${effectiveTo === null ? 'open-ended' : formatInstant(effectiveTo)}</td>
        <td data-label="USD">${prices.map(({ name, price }, index) => html`${index > 0 && ', '}${name.replaceAll('_', ' ')} ${price}`)} <span class="muted">${unit}</span></td></tr>`,
    )}
    </tbody>
  </table></div>
  ${
    mayChange &&
    html`<div class="actions"><a class="button" href="/rates/price?${query.toString()}" aria-label="Change the rate of ${modelSlug}">Change</a></div>
  ${
    !isOver &&
    html`<form class="inline" method="post" action="${PATH}/end">${csrfField(csrf)}<input type="hidden" name="rateCardId" value="${rateCardId}">
    ${dateField('day', html`End it on <span class="muted">(UTC; empty: now)</span>`, '')}<button class="secondary" aria-label="End rate of ${modelSlug}">End rate</button></form>`
  }`
  }
</li>`;
}

function aliasList({ csrf }: SignedIn, aliases: readonly Alias[], mayChange: boolean): Html {
  return html`
<section class="panel" aria-labelledby="names"><h2 id="names">Model aliases</h2>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="names"><table class="fold">
    <thead><tr><th scope="col">Name</th><th scope="col">Model</th>${mayChange && html`<th scope="col"><span class="unseen">Actions</span></th>`}</tr></thead>
    <tbody>${aliases.map(
      ({ name, provider, model }) => html`
      <tr><th scope="row" class="name">${name}${provider !== null && html` <span class="muted">at ${provider}</span>`}</th><td data-label="Model">${model}</td>${
        mayChange &&
        html`<td><form method="post" action="${PATH}/forget">${csrfField(csrf)}<input type="hidden" name="provider" value="${provider}">
        <button class="secondary" name="name" value="${name}" aria-label="Remove the alias ${name}">Remove</button></form></td>`
      }</tr>`,
    )}
    </tbody>
  </table></div>
</section>`;
}
