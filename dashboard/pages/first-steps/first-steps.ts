/**
 * `/first-steps`: from an empty organization to its first event: a test event, a key with code snippets, and a page
 * that polls for the event.
 */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { KnownError } from '#kernel/errors.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { alertStep, type FirstAlerts, getFirstAlerts, isNotified, notifyByDefault } from './first-alerts.ts';
import { firstLines } from './first-lines.ts';
import { formatInstant } from '../../figures/instant.ts';
import { sampleOffer } from '../../figures/sample-offer.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, queryOf } from '../../http/form.ts';
import { mayOpen } from '../../http/page-access.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { signInAgain } from '../../http/sign-in-again.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';

const BEGUN = graphql(`query FirstSteps {
  receivedEvents(livemode: true, first: 1) { nodes { receivedAt } }
  revenueConnection { state customerCount unmappedCustomerCount }
}`);
const NEWEST = graphql(`query NewestEvent {
  receivedEvents(livemode: true, first: 1) { nodes { idempotencyKey model provider endUserExternalId receivedAt status totalCost reason } }
}`);
const TEST_EVENT = graphql(`query TestEvent($key: String!) {
  receivedEvent(livemode: false, idempotencyKey: $key) { idempotencyKey model provider endUserExternalId receivedAt status totalCost reason }
}`);
const SEND_TEST = graphql(
  'mutation SendTestEvent { testEventSend { event { idempotencyKey } userErrors { message code } } }',
);
const CREATE_KEY = graphql(`mutation CreateFirstKey($input: ApiKeyCreateInput!) {
  apiKeyCreate(input: $input) { createdApiKey { secret apiKey { id name } } userErrors { message code } }
}`);
const ALLOW_UNSIGNED = graphql(
  'mutation AllowUnsigned($id: ID!) { apiKeySetUnsignedWrites(input: { id: $id, allowed: true }) { apiKey { id } userErrors { message code } } }',
);

const PATH = '/first-steps';
const LOOK_EVERY_SECONDS = 3;
/** Ten minutes; then the page stops polling. */
const LOOKS_MAX = 200;

type Event = DataOf<'NewestEvent'>['receivedEvents']['nodes'][number];
type Begun = DataOf<'FirstSteps'>;

export function firstStepsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway, apiOrigin } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const [begun, alerts] = await Promise.all([
      askGateway(gateway, BEGUN, {}, signedIn.principal),
      getFirstAlerts(gateway, signedIn.principal),
    ]);
    return sendFramed(signedIn, {
      title: 'First steps',
      ...refusalOf(error),
      body: html`${signInAgain(error, PATH)}${steps(signedIn, begun, alerts)}
${await sampleOffer(gateway, signedIn)}`,
    });
  };

  pages.get(
    PATH,
    // Sample data needs no first steps.
    withSession(dependencies, async (signedIn) =>
      signedIn.principal.sampleOf === undefined ? render(signedIn) : signedIn.reply.redirect('/sample', 303),
    ),
  );

  pages.post(
    `${PATH}/test-event`,
    withSession(dependencies, async (signedIn) => {
      const { value, error } = await outcomeOf(askGateway(gateway, SEND_TEST, {}, signedIn.principal));
      if (error) return render(signedIn, error);
      const { idempotencyKey } = value.testEventSend.event!;
      return signedIn.reply.redirect(`${PATH}/waiting?test=${encodeURIComponent(idempotencyKey)}`, 303);
    }),
  );

  pages.post(
    `${PATH}/key`,
    withSession(dependencies, async (signedIn) => {
      const { form, principal } = signedIn;
      const input = { name: field(form, 'name') || 'First key', environment: 'live', preset: 'ingest' };
      const { value, error } = await outcomeOf(askGateway(gateway, CREATE_KEY, { input }, principal));
      if (error) return render(signedIn, error);
      const { secret, apiKey } = value.apiKeyCreate.createdApiKey!;
      const wantsUnsigned = field(form, 'unsigned') === 'yes';
      const unsigned = wantsUnsigned
        ? await outcomeOf(askGateway(gateway, ALLOW_UNSIGNED, { id: apiKey.id }, principal))
        : null;
      const body = html`
<p class="crumbs"><a href="${PATH}">First steps</a></p>
<h1>Send your first event</h1>
<p class="lead">The key <strong>${apiKey.name}</strong> is in the code below. It is shown only once: store it where your program can read it.</p>
${firstLines(apiOrigin, secret, wantsUnsigned && unsigned?.error === null)}
<p class="actions"><a class="button" href="${PATH}/waiting">I’ve sent it – check</a> <a href="/docs">API reference</a></p>`;
      return sendFramed(signedIn, {
        title: 'Send your first event',
        error: unsigned?.error?.message,
        status: 200,
        body,
      });
    }),
  );

  pages.post(
    `${PATH}/alerts`,
    withSession(dependencies, async (signedIn) => {
      const channel = field(signedIn.form, 'channel');
      const { error } = await outcomeOf(notifyByDefault(gateway, signedIn.principal, channel));
      return error ? render(signedIn, error) : signedIn.reply.redirect(`${PATH}?done=alerts-on`, 303);
    }),
  );

  pages.get(
    `${PATH}/waiting`,
    withSession(dependencies, async (signedIn) => {
      const query = queryOf(signedIn.request);
      const test = query.get('test');
      const event = await find(signedIn, test);
      const looks = Number(/^\d{1,3}$/.exec(query.get('look') ?? '')?.[0] ?? 0) + 1;
      const isWaiting = event === null || event.status === 'PENDING';
      if (isWaiting && looks <= LOOKS_MAX) {
        const again = new URLSearchParams({ ...(test === null ? {} : { test }), look: String(looks) });
        // The page refreshes by a header, so it works without scripts. Its text explains how to stop that.
        signedIn.reply.header('Refresh', `${LOOK_EVERY_SECONDS}; url=${PATH}/waiting?${again.toString()}`);
      }
      return sendFramed(signedIn, {
        title: isWaiting ? 'Waiting for an event' : 'It has arrived',
        body: isWaiting ? waitingBody(test !== null, looks) : arrivedBody(signedIn.principal, event, test !== null),
      });
    }),
  );

  async function find({ principal }: SignedIn, test: string | null): Promise<Event | null> {
    if (test === null) return (await askGateway(gateway, NEWEST, {}, principal)).receivedEvents.nodes[0] ?? null;
    return (await askGateway(gateway, TEST_EVENT, { key: test }, principal)).receivedEvent;
  }
}

function badge(isDone: boolean): Html {
  return html`<span class="badge${isDone && ' good'}">${isDone ? 'done' : 'to do'}</span>`;
}

function steps(
  { csrf, principal }: SignedIn,
  { receivedEvents, revenueConnection: connection }: Begun,
  alerts: FirstAlerts | null,
): Html {
  const [newest] = receivedEvents.nodes;
  const isConnected = connection !== null && connection.state !== 'DISCONNECTED';
  const isMatched = isConnected && connection.customerCount > 0 && connection.unmappedCustomerCount === 0;
  const isOwner = principal.grants.includes('owner');
  return html`
<h1>First steps</h1>
<p class="lead">Three steps to your first event, two more to your first margin, and one to be notified.</p>
<ol class="steps">
  <li class="panel stack"><h2>1. Send a test event</h2>
    <p>A gpt-4o call with 1,000 input and 100 output tokens. It is priced but not counted in your reports.</p>
    <form method="post" action="${PATH}/test-event">${csrfField(csrf)}<button class="secondary">Send a test event</button></form></li>
  <li class="panel stack"><h2>2. Send your own event ${badge(newest !== undefined)}</h2>
    <p>Creates a key and shows code for a shell and for Node with the key filled in.</p>
    <form class="stack wide-form" method="post" action="${PATH}/key">${csrfField(csrf)}
      <label>Name of the key <input name="name" value="First key" maxlength="100" autocomplete="off" required></label>
      <label class="choice"><input type="checkbox" name="unsigned" value="yes"> <span><strong>Also for OpenTelemetry</strong><br><span class="muted">Exporters cannot sign requests: the key may then send unsigned usage.</span></span></label>
      <button>Create key</button></form></li>
  <li class="panel stack"><h2>3. See it arrive ${badge(newest !== undefined)}</h2>
    <p>${newest === undefined ? 'This page checks every few seconds until your first event arrives.' : html`The latest arrived on ${formatInstant(newest.receivedAt)}.`}</p>
    <p><a class="button" href="${PATH}/waiting">${newest === undefined ? 'Wait for the first event' : 'View newest event'}</a></p>
    ${mayOpen(principal, '/import') && html`<p>Has another product recorded your calls? <a href="/import">Import its export</a>.</p>`}</li>
  <li class="panel stack"><h2>4. Connect Stripe ${badge(isConnected)}</h2>
    <p>Use a restricted, read-only key of your Stripe account.</p>
    ${isOwner ? html`<p><a class="button" href="/settings/payments">${isConnected ? 'View connection' : 'Connect Stripe'}</a></p>` : html`<p class="muted">Owners only.</p>`}</li>
  <li class="panel stack"><h2>5. Link customers and read the margin ${badge(isMatched)}</h2>
    <p>Link each Stripe customer to the <code>user_id</code> in your events, by metadata or manually.</p>
    <p>${isOwner && isConnected && html`<a href="/settings/payments/customers">Link customers</a> `}<a href="/">Overview</a></p></li>
  ${
    alerts !== null &&
    html`<li class="panel stack"><h2>6. Get notified ${badge(isNotified(alerts))}</h2>
    ${alertStep(alerts, `${PATH}/alerts`, csrf)}</li>`
  }
</ol>`;
}

function waitingBody(isTest: boolean, looks: number): Html {
  return html`
<p class="crumbs"><a href="${PATH}">First steps</a></p>
<h1>Waiting for ${isTest ? 'the test event' : 'the first event'}</h1>
<div class="panel stack" role="status">
  <p>${
    looks > LOOKS_MAX
      ? html`No event arrived within ten minutes, so this page has stopped checking. Does your program get a response with <code>accepted</code>?`
      : isTest
        ? 'Received; being priced.'
        : 'No event yet. This page checks every three seconds, for ten minutes.'
  }</p>
  <p class="actions"><a class="button" href="${PATH}/waiting">Refresh</a> <a href="${PATH}">Stop waiting</a></p>
</div>`;
}

function arrivedBody(principal: Principal, event: Event, isTest: boolean): Html {
  const { model, provider, endUserExternalId, receivedAt, status, totalCost, reason, idempotencyKey } = event;
  const query = new URLSearchParams({ model, ...(provider === null ? {} : { provider }) });
  return html`
<p class="crumbs"><a href="${PATH}">First steps</a></p>
<h1>${isTest ? 'The test event was priced' : 'Your event is here'}</h1>
<dl class="panel facts">
  <div><dt>Cost</dt><dd>${totalCost === null ? html`<span class="badge bad">none yet</span> ${reason}` : usdText(totalCost)}</dd></div>
  <div><dt>Model</dt><dd>${model}${provider !== null && html` <span class="muted">${provider}</span>`}</dd></div>
  <div><dt>Customer</dt><dd>${endUserExternalId ?? html`<span class="muted">none: send <code>user_id</code> to see who causes costs</span>`}</dd></div>
  <div><dt>Arrived</dt><dd>${formatInstant(receivedAt)}</dd></div>
  <div><dt>Idempotency key</dt><dd class="id">${idempotencyKey}</dd></div>
</dl>
<p class="actions">${
    status === 'PENDING_RATE_CARD'
      ? mayOpen(principal, '/rates/price') &&
        html`<a class="button" href="/rates/price?${query.toString()}">Set a price for ${model}</a>`
      : isTest
        ? html`<a class="button" href="${PATH}">Send your own event</a> <a href="/sources/events?keys=test">All test events</a>`
        : html`${mayOpen(principal, '/settings/payments') && html`<a class="button" href="/settings/payments">Connect Stripe</a> `}<a href="/">Overview</a>`
  }</p>`;
}
