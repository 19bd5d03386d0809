/** `/events/session?id=…`: one session as a tree of spans, with costs rolled up to parents, and its events. */
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { exactAmount, formatAmount, formatCount } from '../../figures/amount.ts';
import { formatInstant } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { queryOf } from '../../http/form.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';

const SESSION = graphql(`query SessionPage($id: String!) {
  session(sessionId: $id) {
    sessionType startedAt endedAt totalCost eventCount truncated
    spans { spanId depth startedAt modelSlugs ownCost totalCost eventCount }
    events(first: 200) { nodes { eventId eventTimestamp status modelSent modelSlug agentId spanId totalCost } pageInfo { hasNextPage } }
  }
}`);

type Session = DataOf<'SessionPage'>['session'];
type Span = Session['spans'][number];

/** Deeper spans are not indented further. */
const DEPTH_MAX = 8;

export function sessionPages(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/events/session',
    withSession(dependencies, async (signedIn) => {
      const id = queryOf(signedIn.request).get('id') ?? '';
      const { session } = await askGateway(dependencies.gateway, SESSION, { id }, signedIn.principal);
      const { sessionType, startedAt, endedAt, totalCost, eventCount } = session;
      const body = html`
<div class="heading"><h1>Session</h1><p><a href="/events?${new URLSearchParams({ filter: `session:${id}` }).toString()}">View events</a></p></div>
<p class="lead"><b>${id}</b>${sessionType !== null && html`, ${sessionType}`}: ${formatCount(eventCount)} priced ${eventCount === 1 ? 'event' : 'events'}
  from ${formatInstant(startedAt)} to ${formatInstant(endedAt)}, <b>${formatAmount(totalCost)}</b> in total.</p>
<section class="panel" aria-labelledby="tree"><h2 id="tree">Spans</h2>
${session.truncated && html`<p class="muted">The first ${formatCount(session.spans.length)} spans.</p>`}
${tree(session)}</section>
<section class="panel" aria-labelledby="events"><h2 id="events">Events</h2>
${session.events.pageInfo.hasNextPage && html`<p class="muted">Newest 200.</p>`}
${events(session)}</section>`;
      return sendFramed(signedIn, { title: 'Session', body });
    }),
  );
}

function tree({ spans, totalCost }: Session): Html {
  return html`
<div class="scroll" tabindex="0" role="group" aria-labelledby="tree"><table class="fold">
  <thead><tr><th scope="col">Span</th><th scope="col">Started</th><th scope="col">Models</th><th scope="col" class="number">Events</th><th scope="col" class="number">Self</th><th scope="col" class="number">Total</th></tr></thead>
  <tbody>${spans.map(spanRow)}</tbody>
  <tfoot><tr><th scope="row" colspan="5">Total</th><td class="number" data-label="Total">${exactAmount(totalCost)}</td></tr></tfoot>
</table></div>`;
}

function spanRow({ spanId, depth, startedAt, modelSlugs, ownCost, totalCost, eventCount }: Span): Html {
  return html`
    <tr><th scope="row" class="depth-${Math.min(depth, DEPTH_MAX)}">${depth > 0 && html`<span class="unseen">Level ${depth + 1}: </span>`}${spanId ?? html`<span class="muted">no span</span>`}</th>
      <td data-label="Started">${formatInstant(startedAt)}</td><td data-label="Models">${modelSlugs.join(', ')}</td><td class="number" data-label="Events">${formatCount(eventCount)}</td>
      <td class="number" data-label="Self">${exactAmount(ownCost)}</td><td class="number" data-label="Total">${exactAmount(totalCost)}</td></tr>`;
}

function events({ events: { nodes } }: Session): Html {
  return html`
<div class="scroll" tabindex="0" role="group" aria-labelledby="events"><table class="fold">
  <thead><tr><th scope="col">When</th><th scope="col">Model</th><th scope="col">Agent</th><th scope="col">Span</th><th scope="col" class="number">Cost</th></tr></thead>
  <tbody>${nodes.map(
    (event) => html`
    <tr><th scope="row"><a href="/events/${event.eventId}">${formatInstant(event.eventTimestamp)}</a></th><td data-label="Model">${event.modelSlug ?? event.modelSent}</td>
      <td data-label="Agent">${event.agentId ?? '–'}</td><td data-label="Span">${event.spanId ?? '–'}</td>
      <td class="number" data-label="Cost">${event.totalCost === null ? html`<span class="muted">${event.status.toLowerCase().replaceAll('_', ' ')}</span>` : exactAmount(event.totalCost)}</td></tr>`,
  )}
  </tbody>
</table></div>`;
}
