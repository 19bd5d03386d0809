/**
 * `/settings/payments`: the payment processor account: connecting it, its state and sync runs, syncing, disconnecting.
 */
import { enumText } from '#kernel/enum-value.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { fail, type KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { ownPassword, ownPasswordField } from '../../figures/account-user.ts';
import { formatCount } from '../../figures/amount.ts';
import { formatInstant } from '../../figures/instant.ts';
import { paymentsHeading, syncState } from './payments-heading.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, rawField } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';

const CONNECTION = graphql(`query PaymentsPage {
  revenueConnection {
    state keyEnding keyMode apiBase endUserKey connectedAt disconnectedAt lastSyncAt error nextSyncAt setAsideCount customerCount unmappedCustomerCount
    runs(first: 8) { nodes { mode state stage pages customers subscriptions invoices recordsCreated recordsUpdated recordsInOtherCurrencies notes error startedAt finishedAt } }
  }
}`);
const CONNECT = graphql(`mutation ConnectPayments($input: RevenueConnectInput!) {
  revenueConnect(input: $input) { connection { id } userErrors { message code } }
  revenueSync(input: { waitSeconds: 0 }) { run { id } userErrors { message code } }
}`);
const SYNC = graphql(
  'mutation SyncPayments($full: Boolean!) { revenueSync(input: { waitSeconds: 0, full: $full }) { run { id } userErrors { message code } } }',
);
const DISCONNECT = graphql(`mutation DisconnectPayments($withdrawRecords: Boolean!, $ownPassword: String) {
  revenueDisconnect(input: { withdrawRecords: $withdrawRecords, ownPassword: $ownPassword }) { connection { id } userErrors { message code } }
}`);

const PATH = '/settings/payments';
/** Default metadata key for the end user, unless the owner uses another one. */
const END_USER_KEY = 'user_id';

const OF_SAMPLE = html`
<h1>Payments</h1>
<p class="panel">These payments are sample data. No payment processor can be connected to the sample organization.</p>`;

type Connection = NonNullable<DataOf<'PaymentsPage'>['revenueConnection']>;

export function paymentsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const { revenueConnection: connection } = await askGateway(gateway, CONNECTION, {}, signedIn.principal);
    const isOwner = signedIn.principal.grants.includes('owner');
    const isConnected = connection !== null && connection.state !== 'DISCONNECTED';
    if (signedIn.principal.sampleOf !== undefined)
      return sendFramed(signedIn, { title: 'Payments', error: error?.message, body: OF_SAMPLE });
    const body = html`
${paymentsHeading('Payments', PATH)}
<p class="lead">Payments from your Stripe account, synced every 15 minutes, read-only. Without them you see costs but no margins.</p>
${connection !== null && connectionSheet(connection)}
${isOwner && isConnected && syncForm(signedIn)}
${connection !== null && runList(connection.runs.nodes)}
${isOwner ? connectForm(signedIn, connection) : html`<p class="panel">Only owners can connect and disconnect Stripe.</p>`}
${isOwner && isConnected && disconnectForm(signedIn)}`;
    return sendFramed(signedIn, {
      title: 'Payments',
      ...refusalOf(error),
      body,
    });
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  const act = (path: string, done: string, send: (signedIn: SignedIn) => Promise<unknown>) =>
    pages.post(
      `${PATH}/${path}`,
      withSession(dependencies, async (signedIn) => {
        const { error } = await outcomeOf(send(signedIn));
        return error ? render(signedIn, error) : signedIn.reply.redirect(`${PATH}?done=${done}`, 303);
      }),
    );

  act('connect', 'payments-connected', async ({ form, principal }) => {
    const apiKey = rawField(form, 'apiKey').trim();
    if (apiKey.startsWith('sk_'))
      fail(
        'VALIDATION_ERROR',
        'This is a secret key with full access to your Stripe account. Create a restricted key instead: the steps are below. It begins with rk_.',
      );
    const input = {
      apiKey,
      endUserKey: field(form, 'endUserKey') || END_USER_KEY,
    };
    return askGateway(gateway, CONNECT, { input }, principal);
  });
  act('sync', 'sync-requested', ({ form, principal }) =>
    askGateway(gateway, SYNC, { full: field(form, 'full') === 'yes' }, principal),
  );
  act('disconnect', 'payments-disconnected', ({ form, principal }) =>
    askGateway(
      gateway,
      DISCONNECT,
      { withdrawRecords: field(form, 'withdraw') === 'yes', ...ownPassword(form) },
      principal,
    ),
  );
}

function connectionSheet(connection: Connection): Html {
  const { state, keyMode, keyEnding, apiBase, endUserKey, connectedAt, disconnectedAt, error } = connection;
  const { lastSyncAt, nextSyncAt, setAsideCount, customerCount, unmappedCustomerCount } = connection;
  return html`
<dl class="panel facts">
  <div><dt>Connection</dt><dd><span class="badge ${state === 'CONNECTED' ? 'good' : 'bad'}">${enumText(state)}</span>
    ${disconnectedAt === null ? html`since ${formatInstant(connectedAt)}` : html`since ${formatInstant(disconnectedAt)}`}${error !== null && html` <br>${error}`}</dd></div>
  <div><dt>Key</dt><dd>${keyMode === 'TEST' && html`<span class="badge test">test</span> `}${keyMode === 'LIVE' && html`<span class="badge live">live</span> `}ends in <code>${keyEnding}</code>${apiBase !== null && html`, at <code>${apiBase}</code>`}${keyMode === 'TEST' && state !== 'DISCONNECTED' && html` <br>Test-mode revenue counts as revenue here. It is withdrawn when a live key replaces this key.`}</dd></div>
  <div><dt>Last sync</dt><dd>${lastSyncAt === null ? 'none finished yet' : formatInstant(lastSyncAt)}${nextSyncAt !== null && html`; next step due ${formatInstant(nextSyncAt)}`}</dd></div>
  <div><dt>Customers</dt><dd>${formatCount(customerCount)}, linked by the metadata key <code>${endUserKey}</code>${unmappedCustomerCount > 0 && html`; <a href="/settings/payments/customers">${formatCount(unmappedCustomerCount)} not linked</a>`}</dd></div>
  <div><dt>Unusable records</dt><dd>${setAsideCount === 0 ? 'none' : html`<a href="/books/set-aside">${formatCount(setAsideCount)} ${setAsideCount === 1 ? 'object' : 'objects'} could not be used</a>`}</dd></div>
</dl>`;
}

function syncForm({ csrf }: SignedIn): Html {
  return html`
<form class="panel stack wide-form" method="post" action="${PATH}/sync">${csrfField(csrf)}
  <h2>Sync</h2>
  <label class="choice"><input type="checkbox" name="full" value="yes"> <span>Full sync (otherwise only new and changed objects)</span></label>
  <button class="secondary">Sync now</button></form>`;
}

function runList(runs: Connection['runs']['nodes']): Html | false {
  return (
    runs.length > 0 &&
    html`
<section class="panel" aria-labelledby="runs"><h2 id="runs">Sync history</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="runs"><table class="fold">
  <thead><tr><th scope="col">Started</th><th scope="col">State</th><th scope="col" class="number">Customers</th><th scope="col" class="number">Subscriptions</th><th scope="col" class="number">Invoices</th><th scope="col" class="number">New records</th><th scope="col" class="number">Corrected</th><th scope="col">Needs attention</th></tr></thead>
  <tbody>${runs.map(
    (run) => html`
    <tr><th scope="row">${formatInstant(run.startedAt)}</th><td data-label="State">${syncState(run)} ${enumText(run.mode)}</td>
      <td class="number" data-label="Customers">${formatCount(run.customers)}</td><td class="number" data-label="Subscriptions">${formatCount(run.subscriptions)}</td><td class="number" data-label="Invoices">${formatCount(run.invoices)}</td>
      <td class="number" data-label="New records">${formatCount(run.recordsCreated)}</td><td class="number" data-label="Corrected">${formatCount(run.recordsUpdated)}</td>
      <td>${run.error !== null && html`${run.error} `}${run.recordsInOtherCurrencies > 0 && html`${formatCount(run.recordsInOtherCurrencies)} ${run.recordsInOtherCurrencies === 1 ? 'record' : 'records'} not in USD, excluded. `}${run.notes.map((note) => html`${note} `)}</td></tr>`,
  )}
  </tbody>
</table></div></section>`
  );
}

/** The key is only submitted. No response contains it, not even one that reports an error in it. */
function connectForm({ csrf, form }: SignedIn, connection: Connection | null): Html {
  const isConnected = connection !== null && connection.state !== 'DISCONNECTED';
  const endUserKey = field(form, 'endUserKey') || connection?.endUserKey || END_USER_KEY;
  return html`
<form class="panel stack wide-form" method="post" action="${PATH}/connect" autocomplete="off">${csrfField(csrf)}
  <h2>${isConnected ? 'Connect with another key' : 'Connect Stripe'}</h2>
  <ol class="asks">
    <li>In Stripe’s dashboard open Developers → API keys → Create restricted key.</li>
    <li>Allow <strong>Read</strong> for Customers, Subscriptions, Invoices, Credit notes, Charges and Refunds, and Disputes; also for Checkout sessions if you sell through Checkout or Payment Links, for Events for faster syncs, and for Balance transactions for Stripe’s fees and exchange rates. Nothing requires Write.</li>
    <li>Paste the key here: <code>rk_live_…</code>, or <code>rk_test_…</code> for Stripe’s test mode.</li>
  </ol>
  <label>Restricted key
    <input type="password" name="apiKey" autocomplete="off" spellcheck="false" maxlength="255" required aria-describedby="key-hint"></label>
  <p class="muted" id="key-hint">It is tested first, stored encrypted and never shown again.</p>
  <label>Metadata key of a customer that holds the <code>user_id</code> of your events
    <input name="endUserKey" value="${endUserKey}" maxlength="40" required></label>
  <p class="muted">Customers without it can be linked manually.</p>
  <button>${isConnected ? 'Replace the key' : 'Connect'}</button>
</form>`;
}

function disconnectForm({ csrf }: SignedIn): Html {
  return html`
<form class="panel stack wide-form" method="post" action="${PATH}/disconnect">${csrfField(csrf)}
  <h2>Disconnect</h2>
  <p>Deletes the key and stops the sync. Known revenue is kept.</p>
  <label class="choice"><input type="checkbox" name="withdraw" value="yes"> <span>Also withdraw all revenue (wrong account)</span></label>
  ${ownPasswordField(null)}
  <button class="danger">Disconnect</button></form>`;
}
