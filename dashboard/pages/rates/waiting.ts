/** `/rates/waiting`: models whose events wait for a price, with count and first date, and a link to price each. */
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { formatCount } from '../../figures/amount.ts';
import { formatInstant } from '../../figures/instant.ts';
import { ratesHeading } from './rates-tabs.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';

const WAITING = graphql(`query WaitingModelsPage {
  costingHealth { unpriced { cause provider model reason events firstAt lastAt } }
}`);

type Waiting = DataOf<'WaitingModelsPage'>['costingHealth']['unpriced'][number];

export function waitingModelsPage(pages: FastifyInstance, { gateway, ...dependencies }: Dependencies): void {
  pages.get(
    '/rates/waiting',
    withSession({ gateway, ...dependencies }, async (signedIn) => {
      const { costingHealth } = await askGateway(gateway, WAITING, {}, signedIn.principal);
      const groups = costingHealth.unpriced.filter(({ cause }) => cause !== 'FAILED');
      const events = groups.reduce((sum, group) => sum + group.events, 0);
      const body = html`
${ratesHeading('Waiting models', '/rates/waiting')}
<p class="lead">Events whose model has no price are stored and counted, but cost $0 for now. Once you price the model, they get their correct cost.</p>
${
  groups.length === 0
    ? html`<p class="panel empty">No events are waiting for a price.</p>`
    : html`<p>${events === 1 ? '1 event is' : `${formatCount(events)} events are`} waiting.</p>${table(groups, signedIn.principal)}`
}`;
      return sendFramed(signedIn, { title: 'Waiting models', body });
    }),
  );
}

function table(groups: readonly Waiting[], principal: Principal): Html {
  const mayPrice = isAdmin(principal);
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Waiting models"><table class="fold">
  <caption class="unseen">Waiting models</caption>
  <thead><tr><th scope="col">Model</th><th scope="col" class="number">Events</th><th scope="col">Since</th><th scope="col">Reason</th></tr></thead>
  <tbody>${groups.map(
    (group) => html`
    <tr><th scope="row" class="name">${group.model} <br><span class="muted">${group.provider ?? 'no provider'}</span>${mayPrice && html` <br>${remedy(group)}`}</th>
      <td class="number" data-label="Events">${formatCount(group.events)}</td><td data-label="Since">${formatInstant(group.firstAt)} <br><span class="muted">last ${formatInstant(group.lastAt)}</span></td><td data-label="Reason">${group.reason}</td></tr>`,
  )}
  </tbody>
</table></div>`;
}

function remedy({ cause, model, provider }: Waiting): Html {
  if (cause === 'UNKNOWN_CONTEXT')
    return html`<a href="/books/not-understood#contexts" aria-label="Choose whether such calls of ${model} wait">Choose</a>`;
  const query = new URLSearchParams({ model, ...(provider === null ? {} : { provider }) });
  return html`<a href="/rates/price?${query.toString()}" aria-label="Price ${model}">Price</a>`;
}
