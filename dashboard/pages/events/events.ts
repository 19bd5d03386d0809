/**
 * `/events`: events with the filters of costs, newest or costliest first; every event links to its cost explanation.
 */
import type { FastifyInstance } from 'fastify';
import { endUserId } from '#kernel/end-user-id.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { exactAmount, formatCount } from '../../figures/amount.ts';
import { sessionPath } from '../../figures/cost-address.ts';
import { dimensionGroup, GROUP_NAMES, groupLabel } from '../../figures/cost-keys.ts';
import { didYouMean } from '../../figures/did-you-mean.ts';
import { filterValues, getFilterValues } from '../../figures/filter-values.ts';
import { formatInstant } from '../../figures/instant.ts';
import { windowLinks } from '../../figures/window-choice.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { queryOf } from '../../http/form.ts';
import { periodQuery } from '../../http/period-query.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { type CsvRow, sendCsv } from '../../http/send-csv.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import {
  costsOf,
  eventParameters,
  eventPath,
  type EventView,
  narrowedEvents,
  OWN_FILTERS,
  parseEventView,
  STATUSES,
  toEventFilter,
} from './event-address.ts';

const EVENTS =
  graphql(`query EventsPage($start: Instant!, $end: Instant!, $filter: EventFilter, $orderBy: EventOrder!, $first: Int!, $after: String) {
  window(start: $start, end: $end) {
    events(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
      nodes {
        eventId eventTimestamp status totalCost modelSent modelSlug providerSlug inputTokens outputTokens agentId reading reason
        endUser { externalId name } session { sessionId }
      }
      pageInfo { hasNextPage endCursor }
      totalCount
    }
  }
}`);
const CUSTOMER = graphql('query EventsCustomer($id: ID!) { endUser(endUserId: $id) { externalId } }');
const DIMENSIONS = graphql('query EventsDimensions { dimensions { key label } }');

type Events = DataOf<'EventsPage'>['window']['events'];
type ListedEvent = Events['nodes'][number];

const PAGE = 50;
const CSV_PAGE = 200;

export function eventsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    '/events',
    withSession(dependencies, async (signedIn) => {
      const { principal } = signedIn;
      const query = periodQuery(dependencies, signedIn);
      const time = now();
      const view = parseEventView(query, time);
      const added = query.get('add') ?? '';
      if (added !== '')
        return signedIn.reply.redirect(narrowedEvents(view, { key: added, value: query.get('value') ?? '' }), 303);
      const [{ dimensions }, customer, values] = await Promise.all([
        askGateway(gateway, DIMENSIONS, {}, principal),
        customerOf(gateway, principal, view),
        getFilterValues(gateway, principal, view.window),
      ]);
      const { value, error } = await outcomeOf(listEvents(gateway, principal, { view, customer, first: PAGE }));
      const labelOf = (name: string) => OWN_FILTERS[name] ?? groupLabel(name, dimensions);
      const body = html`
<div class="heading"><h1>Events</h1>
  ${windowLinks(
    view.window,
    '/events',
    eventParameters({ ...view, after: null }).filter(([name]) => !['window', 'from', 'to', 'at'].includes(name)),
  )}
</div>
${filterList(view, labelOf, customer)}
<div class="panel controls">
  <form method="get" action="/events">${eventParameters({ ...view, after: null }).map(([name, hidden]) => html`<input type="hidden" name="${name}" value="${hidden}">`)}
    <label>Filter <select name="add">${[...GROUP_NAMES.filter((name) => name !== 'customer'), ...dimensions.map(({ key }) => dimensionGroup(key)), 'min'].map((name) => html`<option value="${name}">${labelOf(name)}</option>`)}</select></label>
    <label>is <input name="value" list="filter-values" required maxlength="255" autocomplete="off"></label>${filterValues(values)}
    <button class="secondary">Filter</button>
  </form>
  <nav aria-label="State"><ul class="windows">${statusLinks(view)}</ul></nav>
  <nav aria-label="Order"><ul class="windows">
    ${choice(eventPath(view, { isByCost: false }), 'Newest first', !view.isByCost)}
    ${choice(eventPath(view, { isByCost: true }), 'Highest cost first', view.isByCost)}</ul></nav>
</div>
${(error !== null || value.nodes.length === 0) && didYouMean(view.filters, values, (filter, meant) => eventPath({ ...view, filters: view.filters.map((one) => (one === filter ? meant : one)), after: null }))}
${error ? html`<p class="alert" role="alert">${error.message}</p>` : eventList(view, value, principal)}`;
      return sendFramed(signedIn, { title: 'Events', body, ...(error ? { status: 422 } : {}) });
    }),
  );

  pages.get(
    '/events.csv',
    withSession(dependencies, async ({ request, reply, principal }) => {
      const view = parseEventView(queryOf(request), now());
      const customer = await customerOf(gateway, principal, view);
      const rows = async function* (): AsyncGenerator<readonly CsvRow[]> {
        for (let after: string | null = null; ;) {
          const events: Events = await listEvents(gateway, principal, {
            view: { ...view, after },
            customer,
            first: CSV_PAGE,
          });
          yield events.nodes.map(toCsvRow);
          if (!events.pageInfo.hasNextPage) return;
          after = events.pageInfo.endCursor;
        }
      };
      return sendCsv(reply, `events-${view.window.from}-to-${view.window.to}`, CSV_HEAD, rows());
    }),
  );
}

async function customerOf(
  gateway: GatewayClient,
  principal: Principal,
  { filters }: EventView,
): Promise<string | null> {
  const id = filters.find(({ key }) => key === 'customer')?.value;
  if (id === undefined || id === 'none') return null;
  return (await askGateway(gateway, CUSTOMER, { id }, principal)).endUser.externalId;
}

async function listEvents(
  gateway: GatewayClient,
  principal: Principal,
  { view, customer, first }: { readonly view: EventView; readonly customer: string | null; readonly first: number },
): Promise<Events> {
  const { start, end } = view.window;
  const orderBy = view.isByCost ? 'COST' : 'TIME';
  const input = { start, end, filter: toEventFilter(view, customer), orderBy, first, after: view.after } as const;
  return (await askGateway(gateway, EVENTS, input, principal)).window.events;
}

function choice(path: string, label: string, isHere: boolean): Html {
  return html`<li><a href="${path}"${isHere && html` aria-current="true"`}>${label}</a></li>`;
}

function statusLinks(view: EventView): Html[] {
  const here = view.filters.find(({ key }) => key === 'status')?.value;
  const others = view.filters.filter(({ key }) => key !== 'status');
  return [
    choice(eventPath(view, { filters: others }), 'All', here === undefined),
    ...Object.entries(STATUSES).map(([name, { label }]) => {
      const filters = [...others, { key: 'status', value: name }];
      // Unpriced events cannot be sorted by cost.
      return choice(
        eventPath(view, { filters, isByCost: view.isByCost && name === 'completed' }),
        label,
        here === name,
      );
    }),
  ];
}

function filterList(view: EventView, labelOf: (name: string) => string, customer: string | null): Html | false {
  return (
    view.filters.length > 0 &&
    html`
<ul class="chips" aria-label="Filters">${view.filters.map((filter) => {
      const value =
        filter.key === 'customer'
          ? (customer ?? 'none')
          : filter.key === 'status'
            ? (STATUSES[filter.value]?.label ?? filter.value)
            : filter.value;
      const path = eventPath(view, { filters: view.filters.filter((other) => other !== filter) });
      const name = labelOf(filter.key);
      return html`
  <li>${name}: <b>${value}</b> <a class="remove" href="${path}" aria-label="Remove the filter ${name}: ${value}">×</a></li>`;
    })}
</ul>`
  );
}

function eventList(view: EventView, { nodes, pageInfo, totalCount }: Events, principal: Principal): Html {
  const next = pageInfo.hasNextPage && eventPath(view, { after: pageInfo.endCursor });
  return html`
<section class="panel" aria-labelledby="list"><div class="heading"><h2 id="list">${view.isByCost ? 'Highest cost' : 'Newest events'}</h2><p><a href="${costsOf(view)}">Costs for this selection</a> <a href="${eventPath(view, {}, '/events.csv')}" download>CSV</a></p></div>
${totalCount !== null && totalCount > 0 && html`<p class="muted">${formatCount(totalCount)} ${totalCount === 1 ? 'event' : 'events'} in this period.</p>`}
${nodes.length === 0 ? html`<p class="muted">${next ? 'None among the 50,000 events searched.' : 'None in this period.'}</p>` : eventTable(view, nodes, principal)}
<p class="pages">${view.after !== null && html`<a href="${eventPath(view)}">First page</a> `}${next && html`<a href="${next}" rel="next">Next page</a>`}</p>
</section>`;
}

function eventTable(view: EventView, events: readonly ListedEvent[], { organizationId }: Principal): Html {
  const narrowed = (key: string, value: string, text: string = value) =>
    html`<a href="${narrowedEvents(view, { key, value })}" title="${text}">${text}</a>`;
  return html`
<div class="scroll" tabindex="0" role="group" aria-labelledby="list"><table class="fold single-lines">
  <thead><tr><th scope="col">When</th><th scope="col">Model</th><th scope="col">Customer</th><th scope="col">Agent</th><th scope="col">Session</th><th scope="col" class="number">Input</th><th scope="col" class="number">Output</th><th scope="col" class="number">Cost</th></tr></thead>
  <tbody>${events.map((event) => {
    const { endUser, agentId, session } = event;
    const model = event.modelSlug ?? event.modelSent;
    const customer =
      endUser !== null &&
      organizationId !== null &&
      narrowed('customer', endUserId(organizationId, endUser.externalId), endUser.name);
    return html`
    <tr><th scope="row"><a href="/events/${event.eventId}">${formatInstant(event.eventTimestamp)}</a></th>
      <td data-label="Model">${narrowed('model', model)}</td><td data-label="Customer">${customer || '–'}</td>
      <td data-label="Agent">${agentId === null ? '–' : narrowed('agent', agentId)}</td><td data-label="Session">${session === null ? '–' : html`<a href="${sessionPath(session.sessionId)}" title="${session.sessionId}">${session.sessionId}</a>`}</td>
      <td class="number" data-label="Input">${formatCount(event.inputTokens)}</td><td class="number" data-label="Output">${formatCount(event.outputTokens)}</td>
      <td class="number" data-label="Cost">${event.totalCost === null ? html`<span class="badge${event.status === 'FAILED' && ' bad'}" title="${event.reason ?? ''}">${STATUSES[event.status.toLowerCase()]?.label ?? event.status}</span>` : exactAmount(event.totalCost)}${event.reading === 'guessed' && html` <span class="badge">estimated</span>`}</td></tr>`;
  })}
  </tbody>
</table></div>`;
}

const CSV_HEAD = [
  'id',
  'event_timestamp',
  'status',
  'model',
  'model_sent',
  'provider',
  'customer',
  'agent',
  'session',
  'input_tokens',
  'output_tokens',
  'total_cost',
  'reading',
  'reason',
];

function toCsvRow(event: ListedEvent): CsvRow {
  return [
    event.eventId,
    event.eventTimestamp,
    event.status.toLowerCase(),
    event.modelSlug ?? '',
    event.modelSent,
    event.providerSlug ?? '',
    event.endUser?.externalId ?? '',
    event.agentId ?? '',
    event.session?.sessionId ?? '',
    String(event.inputTokens),
    String(event.outputTokens),
    event.totalCost ?? '',
    event.reading ?? '',
    event.reason ?? '',
  ];
}
