/**
 * `/sources`: senders of usage and the outcome of their requests; `/sources/events`: the latest events, including
 * those of test keys.
 */
import { usdText } from '#kernel/usd-text.ts';
import { enumText } from '#kernel/enum-value.ts';
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import type { Principal } from '#platform/principal.ts';
import { formatCount } from '../../figures/amount.ts';
import { formatInstant } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { queryOf } from '../../http/form.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';

const SOURCES = graphql(`query SourcesPage($livemode: Boolean!) {
  telemetrySources(livemode: $livemode) {
    endpoint name version firstSeenAt lastSeenAt billed duplicates ignored { reason count } rejected { reason count } isCostBooked
  }
}`);
const EVENTS = graphql(`query ReceivedEventsPage($livemode: Boolean!) {
  receivedEvents(livemode: $livemode, first: 100) {
    nodes { id idempotencyKey model provider endUserExternalId inputTokens outputTokens receivedAt status totalCost reading reason }
  }
}`);
const EVENT = graphql(`query ReceivedEventPage($livemode: Boolean!, $key: String!) {
  receivedEvent(livemode: $livemode, idempotencyKey: $key) {
    id idempotencyKey model provider endUserExternalId inputTokens outputTokens receivedAt status totalCost reading reason
  }
}`);

type Source = DataOf<'SourcesPage'>['telemetrySources'][number];
type ReceivedEvent = DataOf<'ReceivedEventsPage'>['receivedEvents']['nodes'][number];

export function sourcesPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  /** The latest events, or the event with a given key. */
  async function findEvents(principal: Principal, isTest: boolean, key: string): Promise<readonly ReceivedEvent[]> {
    const livemode = !isTest;
    if (key === '') return (await askGateway(gateway, EVENTS, { livemode }, principal)).receivedEvents.nodes;
    const { receivedEvent } = await askGateway(gateway, EVENT, { livemode, key }, principal);
    return receivedEvent === null ? [] : [receivedEvent];
  }

  pages.get(
    '/sources',
    withSession(dependencies, async (signedIn) => {
      const isTest = queryOf(signedIn.request).get('keys') === 'test';
      const { telemetrySources } = await askGateway(gateway, SOURCES, { livemode: !isTest }, signedIn.principal);
      const body = html`
${heading('Sources', '/sources', isTest)}
<p class="lead">Libraries and gateways that send usage through OpenTelemetry, LiteLLM or raw responses. Parent spans that repeat the usage of their calls are ignored.</p>
${telemetrySources.length === 0 ? html`<p class="panel empty">No usage from these sources. Signed events from <code>/v1</code> are not listed here.</p>` : sourceTable(telemetrySources)}`;
      return sendFramed(signedIn, { title: 'Sources', body });
    }),
  );

  pages.get(
    '/sources/events',
    withSession(dependencies, async (signedIn) => {
      const query = queryOf(signedIn.request);
      const [isTest, key] = [query.get('keys') === 'test', query.get('key')?.trim() ?? ''];
      const events = await findEvents(signedIn.principal, isTest, key);
      const body = html`
${heading('Received events', '/sources/events', isTest)}
<p class="lead">${isTest ? 'Latest events from test keys. Not counted in reports.' : 'Latest events from all sources.'}</p>
<form class="panel stack wide-form" method="get" action="/sources/events">${isTest && html`<input type="hidden" name="keys" value="test">`}
  <label for="key">Idempotency key</label><input id="key" name="key" value="${key}" maxlength="255" autocomplete="off">
  <button class="secondary">Look up</button></form>
${events.length === 0 ? html`<p class="panel empty">No events.</p>` : eventTable(events)}`;
      return sendFramed(signedIn, { title: 'Received events', body });
    }),
  );
}

const TABS = [
  { path: '/sources', label: 'Sources' },
  { path: '/sources/events', label: 'Events' },
] as const;

function heading(title: string, here: (typeof TABS)[number]['path'], isTest: boolean): Html {
  const link = (path: string, label: string, isHere: boolean) =>
    html`<li><a href="${path}"${isHere && html` aria-current="page"`}>${label}</a></li>`;
  const keys = isTest ? '?keys=test' : '';
  return html`
<div class="heading"><h1>${title}</h1>
  <nav aria-label="Sources"><ul class="windows">${TABS.map(({ path, label }) => link(path + keys, label, path === here))}</ul></nav>
  <nav aria-label="Keys"><ul class="windows">${link(here, 'Live keys', !isTest)}${link(`${here}?keys=test`, 'Test keys', isTest)}</ul></nav>
</div>`;
}

function sourceTable(sources: readonly Source[]): Html {
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Sources"><table class="fold">
  <caption class="unseen">Sources</caption>
  <thead><tr><th scope="col">Source</th><th scope="col">Endpoint</th><th scope="col">Last seen</th><th scope="col" class="number">Billed</th><th scope="col" class="number">Duplicates</th><th scope="col">Ignored</th><th scope="col">Rejected</th></tr></thead>
  <tbody>${sources.map(
    (source) => html`
    <tr>
      <th scope="row">${source.name || 'unnamed'} <span class="muted">${source.version}</span></th>
      <td data-label="Endpoint">${enumText(source.endpoint)}${source.isCostBooked && html` <span class="muted">reported costs are used</span>`}</td>
      <td data-label="Last seen">${formatInstant(source.lastSeenAt)} <span class="muted">first ${formatInstant(source.firstSeenAt)}</span></td>
      <td class="number" data-label="Billed">${formatCount(source.billed)}</td>
      <td class="number" data-label="Duplicates">${formatCount(source.duplicates)}</td>
      <td data-label="Ignored">${reasons(source.ignored)}</td>
      <td data-label="Rejected">${reasons(source.rejected)}</td>
    </tr>`,
  )}
  </tbody>
</table></div>`;
}

function reasons(counts: Source['ignored']): Html {
  return html`${counts.map(({ reason, count }) => html`${formatCount(count)} <code>${reason}</code><br>`)}`;
}

function eventTable(events: readonly ReceivedEvent[]): Html {
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Received events"><table class="fold">
  <caption class="unseen">Received events</caption>
  <thead><tr><th scope="col">Received</th><th scope="col">Key</th><th scope="col">Model</th><th scope="col">Customer</th><th scope="col" class="number">Input</th><th scope="col" class="number">Output</th><th scope="col" class="number">Cost, USD</th><th scope="col">Reading</th></tr></thead>
  <tbody>${events.map(
    (event) => html`
    <tr>
      <td data-label="Received">${formatInstant(event.receivedAt)}</td>
      <th scope="row">${event.idempotencyKey}</th>
      <td data-label="Model">${event.model}${event.provider !== null && html` <span class="muted">${event.provider}</span>`}</td>
      <td data-label="Customer">${event.endUserExternalId ?? ''}</td>
      <td class="number" data-label="Input">${formatCount(event.inputTokens)}</td>
      <td class="number" data-label="Output">${formatCount(event.outputTokens)}</td>
      <td class="number" data-label="Cost">${event.totalCost === null ? html`<span class="muted">${enumText(event.status)}</span>` : usdText(event.totalCost)}</td>
      <td data-label="Reading">${event.reading ?? event.reason ?? ''}</td>
    </tr>`,
  )}
  </tbody>
</table></div>`;
}
