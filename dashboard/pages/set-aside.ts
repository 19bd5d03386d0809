/**
 * `/books/set-aside`: objects of the payment processor that are missing from all figures, with reasons, and a retry.
 */
import { enumText } from '#kernel/enum-value.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount } from '../figures/amount.ts';
import { booksHeading } from '../figures/books-tabs.ts';
import { formatInstant } from '../figures/instant.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, queryOf } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { type SignedIn, withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

const SET_ASIDE = graphql(`query SetAsidePage($first: Int!, $after: String) {
  revenueConnection {
    state lastSyncAt error setAsideCount
    setAsideObjects(first: $first, after: $after) {
      nodes { kind id cause reason firstSeenAt lastSeenAt } pageInfo { hasNextPage endCursor }
    }
    runs(first: 1) { nodes { state mode startedAt } }
  }
}`);
/** Only a full sync includes unchanged objects. */
const RETRY = graphql(
  'mutation RetrySetAside { revenueSync(input: { waitSeconds: 0, full: true }) { run { id } userErrors { message code } } }',
);

const PER_PAGE = 50;

type Connection = NonNullable<DataOf<'SetAsidePage'>['revenueConnection']>;

export function setAsidePages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const after = queryOf(signedIn.request).get('after');
    const { revenueConnection } = await askGateway(gateway, SET_ASIDE, { first: PER_PAGE, after }, signedIn.principal);
    const body = html`
${booksHeading(signedIn.principal, 'Excluded', '/books/set-aside')}
<p class="lead">Stripe records that could not be used. They are excluded from all figures and do not block others.</p>
${revenueConnection === null ? html`<p class="panel empty">Stripe is not connected.</p>` : content(signedIn, revenueConnection, after !== null)}`;
    return sendFramed(signedIn, {
      title: 'Excluded',
      ...refusalOf(error),
      body,
    });
  };

  pages.get(
    '/books/set-aside',
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  pages.post(
    '/books/set-aside/retry',
    withSession(dependencies, async (signedIn) => {
      const { error } = await outcomeOf(askGateway(gateway, RETRY, {}, signedIn.principal));
      return error ? render(signedIn, error) : signedIn.reply.redirect('/books/set-aside?done=sync-begun', 303);
    }),
  );
}

function content({ csrf, principal }: SignedIn, connection: Connection, isOlder: boolean): Html {
  const { state, lastSyncAt, error, setAsideCount, setAsideObjects, runs } = connection;
  const { nodes: setAside, pageInfo } = setAsideObjects;
  const [run] = runs.nodes;
  return html`
<dl class="panel facts">
  <div><dt>Excluded</dt><dd>${setAsideCount === 0 ? html`<span class="badge good">nothing</span>` : html`<span class="badge bad">${formatCount(setAsideCount)}</span>`}</dd></div>
  <div><dt>Connection</dt><dd><span class="badge ${state === 'CONNECTED' ? 'good' : 'bad'}">${enumText(state)}</span>${error !== null && html` ${error}`}</dd></div>
  <div><dt>Last sync</dt><dd>${lastSyncAt === null ? 'none finished yet' : formatInstant(lastSyncAt)}${run?.state === 'RUNNING' && html`; one running since ${formatInstant(run.startedAt)}`}</dd></div>
</dl>
${
  principal.grants.includes('owner') &&
  state !== 'DISCONNECTED' &&
  html`<form class="panel stack wide-form" method="post" action="/books/set-aside/retry">${csrfField(csrf)}
  <p>Fix the object in Stripe, then run a full sync. Objects that can now be used disappear from this list and are included in figures.</p>
  <button class="secondary">Full sync</button></form>`
}
${
  setAside.length > 0 &&
  html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Excluded objects"><table class="fold">
  <caption class="unseen">Excluded objects</caption>
  <thead><tr><th scope="col">Object</th><th scope="col">Why</th><th scope="col">First seen</th><th scope="col">Last seen</th></tr></thead>
  <tbody>${setAside.map(
    ({ kind, id, cause, reason, firstSeenAt, lastSeenAt }) => html`
    <tr><th scope="row" class="name">${enumText(kind).replaceAll('_', ' ')} <br><span class="muted id">${id}</span></th>
      <td><span class="badge">${cause === 'OTHER_CURRENCY' ? 'another currency' : enumText(cause)}</span> ${reason}</td><td data-label="First seen">${formatInstant(firstSeenAt)}</td><td data-label="Last seen">${formatInstant(lastSeenAt)}</td></tr>`,
  )}
  </tbody>
</table></div>`
}
<p class="pager">${isOlder && html`<a href="/books/set-aside">Newest</a>`}
  ${pageInfo.hasNextPage && html`<a href="/books/set-aside?after=${pageInfo.endCursor}">Older</a>`}</p>`;
}
