/**
 * `/search`: customers, models, events, saved views and settings. The search text is sent by POST, since external ids never appear
 * in URLs.
 */
import type { EventId } from '#kernel/ids.ts';
import type { FastifyInstance } from 'fastify';
import { daysEarlier } from '#kernel/time/duration.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount } from '../figures/amount.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { field } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';
import { mainPages, settingsPages } from '../shell/navigation.ts';

const CUSTOMERS = graphql(`query SearchCustomers($start: Instant!, $end: Instant!, $text: String!) {
  window(start: $start, end: $end) {
    margin { endUsers(filter: { search: $text }, first: 10) { nodes { endUserId endUserName endUser { externalId } } totalCount } }
  }
}`);
const MODELS = graphql(`query SearchModels($text: String!) {
  rateCards(filter: { search: $text }, first: 10) { nodes { rateCardId modelSlug providerSlug } totalCount }
}`);
const VIEWS = graphql('query SearchSavedViews { savedViews { name path isShared } }');
const EVENT = graphql(`query SearchEvent($id: ID!) { usageEvent(eventId: $id) { eventId modelSent } }`);
const SENT = graphql(
  `query SearchSentEvent($key: String!) { receivedEvent(idempotencyKey: $key) { eventId: id modelSent: model } }`,
);

/** Customers with cost or revenue in this time are found. */
const DAYS = 365;

interface Found {
  readonly customers: DataOf<'SearchCustomers'>['window']['margin']['endUsers'] | null;
  readonly models: DataOf<'SearchModels'>['rateCards'] | null;
  readonly events: readonly { readonly eventId: EventId; readonly modelSent: string }[];
  readonly views: readonly Hit[];
  readonly pages: readonly Hit[];
}

interface Hit {
  readonly path: string;
  readonly label: string;
  readonly about?: string;
}

export function searchPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/search',
    withSession(dependencies, async (signedIn) => sendFramed(signedIn, { title: 'Search', body: page('', null) })),
  );
  pages.post(
    '/search',
    withSession(dependencies, async (signedIn) => {
      const text = field(signedIn.form, 'q').slice(0, 255);
      const found = text === '' ? null : await find(dependencies.gateway, signedIn.principal, text);
      return sendFramed(signedIn, { title: 'Search', body: page(text, found) });
    }),
  );
}

/** A source that fails or refuses contributes nothing. */
async function find(gateway: GatewayClient, principal: Principal, text: string): Promise<Found> {
  const end = now();
  const window = { start: daysEarlier(end, DAYS).toISOString(), end: end.toISOString() };
  const [customers, models, views, byId, byKey] = await Promise.all([
    outcomeOf(askGateway(gateway, CUSTOMERS, { ...window, text }, principal), []),
    outcomeOf(askGateway(gateway, MODELS, { text }, principal), []),
    outcomeOf(askGateway(gateway, VIEWS, {}, principal), []),
    outcomeOf(askGateway(gateway, EVENT, { id: text }, principal), []),
    outcomeOf(askGateway(gateway, SENT, { key: text }, principal), []),
  ]);
  const events = [byId.value?.usageEvent, byKey.value?.receivedEvent].filter((event) => event != null);
  const wanted = text.toLowerCase();
  const listed = [...mainPages(principal).map((item) => ({ ...item, about: '' })), ...settingsPages(principal)];
  const settings = listed.filter(({ label, about }) => `${label} ${about}`.toLowerCase().includes(wanted));
  return {
    customers: customers.value?.window.margin.endUsers ?? null,
    models: models.value?.rateCards ?? null,
    events: [...new Map(events.map((event) => [event.eventId, event])).values()],
    views: (views.value?.savedViews ?? [])
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .map(({ name, path, isShared }) => ({ path, label: name, about: isShared ? 'for everybody' : 'only for you' })),
    pages: settings,
  };
}

function page(text: string, found: Found | null): Html {
  if (found === null)
    return html`<h1>Search</h1><p class="lead">Find customers and models by a part of their name, events by their ID or idempotency key, saved views, and settings. Press / to search from any page.</p>`;
  const { customers, models, events, views, pages } = found;
  const lists = [
    list(
      'Customers',
      (customers?.nodes ?? []).map(({ endUserId, endUserName, endUser: { externalId } }) => ({
        path: `/customers/${endUserId}`,
        label: endUserName,
        about: externalId === endUserName ? '' : externalId,
      })),
      customers?.totalCount ?? 0,
    ),
    list(
      'Models',
      (models?.nodes ?? []).map(({ rateCardId, modelSlug, providerSlug }) => ({
        path: `/rates/cards/${rateCardId}`,
        label: modelSlug,
        about: providerSlug ?? 'any provider',
      })),
      models?.totalCount ?? 0,
    ),
    list(
      'Events',
      events.map(({ eventId, modelSent }) => ({ path: `/events/${eventId}`, label: eventId, about: modelSent })),
      events.length,
    ),
    list('Saved views', views, views.length),
    list('Pages', pages, pages.length),
  ].filter((one) => one !== false);
  return html`<h1>Search: ${text}</h1>${lists.length === 0 ? html`<p class="panel empty">Nothing found.</p>` : lists}`;
}

function list(title: string, hits: readonly Hit[], count: number): Html | false {
  const id = title.toLowerCase().replace(' ', '-');
  return (
    hits.length > 0 &&
    html`<section class="panel" aria-labelledby="found-${id}"><h2 id="found-${id}">${title}${count > hits.length && html` <span class="muted">${formatCount(hits.length)} of ${formatCount(count)}</span>`}</h2>
<ul>${hits.map(({ path, label, about }) => html`<li><a href="${path}">${label}</a> <span class="muted">${about}</span></li>`)}</ul></section>`
  );
}
