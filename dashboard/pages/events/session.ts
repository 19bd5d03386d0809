/** `/events/session?id=…`: one session as a tree of spans, with costs rolled up to parents, and its events. */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { exactAmount, formatCount } from '../../figures/amount.ts';
import { formatSecond } from '../../figures/instant.ts';
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
  ${startedAt === endedAt ? html`at ${formatSecond(startedAt)}` : html`from ${formatSecond(startedAt)} to ${formatSecond(endedAt)}`}, <b>${usdText(totalCost)}</b> in total.</p>
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

function tree({ spans, events, startedAt, endedAt, totalCost }: Session): Html {
  const times = spanTimes(spans, events.nodes);
  const session = { from: Date.parse(startedAt), until: Date.parse(endedAt) };
  return html`
<div class="scroll" tabindex="0" role="group" aria-labelledby="tree"><table class="fold">
  <thead><tr><th scope="col">Span</th><th scope="col">Started</th><th scope="col">Time</th><th scope="col">Models</th><th scope="col" class="number">Events</th><th scope="col" class="number">Self</th><th scope="col" class="number">Total</th></tr></thead>
  <tbody>${spans.map((span, index) => spanRow(span, timeBar(times[index]!, session)))}</tbody>
  <tfoot><tr><th scope="row" colspan="6">Total</th><td class="number" data-label="Total">${exactAmount(totalCost)}</td></tr></tfoot>
</table></div>`;
}

interface Time {
  readonly from: number;
  readonly until: number;
}

/**
 * Time of each span: from its start to the last listed event of the span and its descendants. Descendants follow their
 * span in the list.
 */
function spanTimes(spans: readonly Span[], events: Session['events']['nodes']): Time[] {
  const lastEvent = new Map<string | null, number>();
  for (const { spanId, eventTimestamp } of events)
    lastEvent.set(spanId, Math.max(lastEvent.get(spanId) ?? 0, Date.parse(eventTimestamp)));
  return spans.map(({ depth, startedAt }, index) => {
    const end = spans.findIndex((other, place) => place > index && other.depth <= depth);
    const within = spans.slice(index, end === -1 ? undefined : end);
    const from = Date.parse(startedAt);
    const ends = within.map((span) => Math.max(lastEvent.get(span.spanId) ?? 0, Date.parse(span.startedAt)));
    return { from, until: Math.max(from, ...ends) };
  });
}

const BAR_WIDTH = 100;

/** The part of the session that a span takes, with its offset and length in seconds. */
function timeBar({ from, until }: Time, session: Time): Html {
  const length = Math.max(session.until - session.from, 1);
  const x = ((from - session.from) / length) * BAR_WIDTH;
  const width = Math.max(((until - from) / length) * BAR_WIDTH, 1);
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
  const label = `from ${seconds(from - session.from)} to ${seconds(until - session.from)}`;
  return html`<td class="drawn" data-label="Time"><svg class="span" viewBox="0 0 ${BAR_WIDTH} 8" preserveAspectRatio="none" role="img" aria-label="${label}"><title>${label}</title><rect class="track" width="${BAR_WIDTH}" height="8"/><rect class="fill" x="${Math.min(x, BAR_WIDTH - 1).toFixed(2)}" width="${Math.min(width, BAR_WIDTH).toFixed(2)}" height="8"/></svg><span class="muted">+${seconds(from - session.from)}</span></td>`;
}

function spanRow({ spanId, depth, startedAt, modelSlugs, ownCost, totalCost, eventCount }: Span, bar: Html): Html {
  return html`
    <tr><th scope="row" class="depth-${Math.min(depth, DEPTH_MAX)}">${depth > 0 && html`<span class="unseen">Level ${depth + 1}: </span>`}${spanId ?? html`<span class="muted">no span</span>`}</th>
      <td data-label="Started">${formatSecond(startedAt)}</td>${bar}<td data-label="Models">${modelSlugs.join(', ')}</td><td class="number" data-label="Events">${formatCount(eventCount)}</td>
      <td class="number" data-label="Self">${exactAmount(ownCost)}</td><td class="number" data-label="Total">${exactAmount(totalCost)}</td></tr>`;
}

function events({ events: { nodes } }: Session): Html {
  return html`
<div class="scroll" tabindex="0" role="group" aria-labelledby="events"><table class="fold">
  <thead><tr><th scope="col">When</th><th scope="col">Model</th><th scope="col">Agent</th><th scope="col">Span</th><th scope="col" class="number">Cost</th></tr></thead>
  <tbody>${nodes.map(
    (event) => html`
    <tr><th scope="row"><a href="/events/${event.eventId}">${formatSecond(event.eventTimestamp)}</a></th><td data-label="Model">${event.modelSlug ?? event.modelSent}</td>
      <td data-label="Agent">${event.agentId ?? '–'}</td><td data-label="Span">${event.spanId ?? '–'}</td>
      <td class="number" data-label="Cost">${event.totalCost === null ? html`<span class="muted">${event.status.toLowerCase().replaceAll('_', ' ')}</span>` : exactAmount(event.totalCost)}</td></tr>`,
  )}
  </tbody>
</table></div>`;
}
