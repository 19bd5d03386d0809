/** `/alerts/deliveries`: sent notifications, the result of each attempt, and redelivery. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { formatCount } from '../../figures/amount.ts';
import { formatInstant } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, queryOf } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { alertsHeading } from './alerts-heading.ts';

const DELIVERIES = graphql(`query AlertDeliveriesPage($channelId: ID, $episodeId: ID, $first: Int!, $after: String) {
  alertDeliveries(channelId: $channelId, episodeId: $episodeId, first: $first, after: $after) {
    nodes {
      id channel { name } episodeId eventType state createdAt dueAt deliveredAt gaveUpAt error
      attempts { attempt at durationMilliseconds statusCode error }
    }
    pageInfo { hasNextPage hasPreviousPage endCursor } totalCount
  }
}`);
const REDELIVER = graphql(`mutation RedeliverAlert($id: ID!) {
  outcome: alertDeliveryRedeliver(input: { id: $id }) { userErrors { message } }
}`);

type Deliveries = DataOf<'AlertDeliveriesPage'>['alertDeliveries'];
type Delivery = Deliveries['nodes'][number];

const PATH = '/alerts/deliveries';
const PAGE = 25;
const STATES: Readonly<Record<Delivery['state'], { readonly label: string; readonly tone: string }>> = {
  DELIVERED: { label: 'delivered', tone: 'good' },
  PENDING: { label: 'pending', tone: '' },
  GAVE_UP: { label: 'given up', tone: 'bad' },
};

/** All deliveries, or those of one channel or alert. */
interface View {
  readonly channelId: string | null;
  readonly episodeId: string | null;
}

export function alertDeliveriesPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, from: URLSearchParams, error?: string): Promise<FastifyReply> => {
    const view = { channelId: field(from, 'channel') || null, episodeId: field(from, 'episode') || null };
    const page = { ...view, first: PAGE, after: field(from, 'after') || null };
    const { alertDeliveries } = await askGateway(gateway, DELIVERIES, page, signedIn.principal);
    const body = html`
${alertsHeading(signedIn.principal, 'Deliveries', '/alerts/channels')}
<p class="lead">Every message with all attempts. Failed deliveries are retried with backoff for three days.</p>
${deliveryList(signedIn, alertDeliveries, view)}`;
    return sendFramed(signedIn, { title: 'Deliveries', body, error });
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn, queryOf(signedIn.request))),
  );
  pages.post(
    `${PATH}/:id/again`,
    withSession(dependencies, async (signedIn) => {
      const { id } = signedIn.request.params as { id: string };
      const { value, error } = await outcomeOf(askGateway(gateway, REDELIVER, { id }, signedIn.principal));
      const wrong = error?.message ?? value?.outcome.userErrors[0]?.message;
      if (wrong !== undefined) return render(signedIn, signedIn.form, wrong);
      const view = {
        channelId: field(signedIn.form, 'channel') || null,
        episodeId: field(signedIn.form, 'episode') || null,
      };
      return signedIn.reply.redirect(pathOf(view, { done: 'redelivery-begun' }), 303);
    }),
  );
}

function pathOf({ channelId, episodeId }: View, more: Readonly<Record<string, string>> = {}): string {
  const named = {
    ...(channelId === null ? {} : { channel: channelId }),
    ...(episodeId === null ? {} : { episode: episodeId }),
  };
  return `${PATH}?${new URLSearchParams({ ...named, ...more }).toString()}`;
}

function deliveryList({ csrf, principal }: SignedIn, { nodes, pageInfo, totalCount }: Deliveries, view: View): Html {
  if (nodes.length === 0) return html`<p class="panel empty">No deliveries.</p>`;
  const mayManage = isAdmin(principal);
  return html`
<section class="panel" aria-labelledby="sent"><h2 id="sent">${formatCount(totalCount)} ${totalCount === 1 ? 'message' : 'messages'}</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="sent"><table class="fold">
  <thead><tr><th scope="col">Created</th><th scope="col">What</th><th scope="col">To</th><th scope="col">State</th><th scope="col">Attempts</th><th scope="col"><span class="unseen">Actions</span></th></tr></thead>
  <tbody>${nodes.map((delivery) => {
    const { id, channel, episodeId, eventType, state, createdAt, dueAt, error } = delivery;
    return html`
    <tr><th scope="row">${formatInstant(createdAt)}</th>
      <td>${episodeId === null ? eventType : html`<a href="/alerts/episodes/${episodeId}">${eventType}</a>`}</td>
      <td data-label="To">${channel?.name ?? html`<span class="muted">deleted channel</span>`}</td>
      <td data-label="State"><span class="badge ${STATES[state].tone}">${STATES[state].label}</span>${state === 'PENDING' && dueAt !== null && html` <span class="muted">next ${formatInstant(dueAt)}</span>`}${error !== null && state !== 'DELIVERED' && html` <br><span class="muted">${error}</span>`}</td>
      <td data-label="Attempts">${attempts(delivery)}</td>
      <td>${mayManage && channel !== null && html`<form method="post" action="${PATH}/${id}/again">${csrfField(csrf)}${view.channelId !== null && html`<input type="hidden" name="channel" value="${view.channelId}">`}${view.episodeId !== null && html`<input type="hidden" name="episode" value="${view.episodeId}">`}<button class="quiet">Send again<span class="unseen">: ${eventType} to ${channel.name}</span></button></form>`}</td></tr>`;
  })}
  </tbody></table></div>
${(pageInfo.hasNextPage || pageInfo.hasPreviousPage) && html`<nav class="pager" aria-label="Pages">${pageInfo.hasPreviousPage && html`<a href="${pathOf(view)}">First page</a>`}${pageInfo.hasNextPage && html`<a href="${pathOf(view, { after: pageInfo.endCursor ?? '' })}">Next page</a>`}</nav>`}
<p class="muted">The id of a message is the receiver’s <code>webhook-id</code>. It is the same in every attempt.</p></section>`;
}

function attempts({ id, attempts: made }: Delivery): Html {
  if (made.length === 0) return html`<span class="muted">none yet</span>`;
  return html`<details><summary>${made.length}</summary><ol>${made.map(
    ({ at, durationMilliseconds, statusCode, error }) =>
      html`<li>${formatInstant(at)}: ${statusCode ?? 'no response'} in ${formatCount(durationMilliseconds)} ms${error !== null && html`, ${error}`}</li>`,
  )}</ol><p class="id">${id}</p></details>`;
}
