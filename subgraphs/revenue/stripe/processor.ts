/** Client of the payment processor: pages of lists, and single objects. Every failure is a `ProcessorError`. */
import type { Stripe } from 'stripe';
import { type Outbound, outboundClient, type OutboundRequest } from '#platform/outbound/outbound-client.ts';
import { ANSWER_BYTES_MAX, PAGE_SIZE, PROCESSOR_TIMEOUT_MILLISECONDS } from '../config.ts';
import { ProcessorError } from './processor-error.ts';
import type { ProcessorList } from './sync-stages.ts';

/** Unparsed objects, newest first. */
export interface ProcessorPage {
  readonly objects: readonly unknown[];
  readonly more: boolean;
}

interface PagePosition {
  /** Id of the last object of the previous page; null for the first page. */
  readonly after: string | null;
  /** Only objects created since then, in seconds by the processor's clock; null for all. */
  readonly createdFrom: number | null;
  /** Default: `PAGE_SIZE`. */
  readonly limit?: number;
}

export interface Processor {
  page(list: ProcessorList | 'events', position: PagePosition): Promise<ProcessorPage>;
  invoiceLines(invoiceId: string, after: string): Promise<ProcessorPage>;
  creditNoteLines(creditNoteId: string, after: string): Promise<ProcessorPage>;
  /** Payments of an invoice, or the invoices of a payment intent. */
  invoicePayments(of: { invoice: string } | { paymentIntent: string }, after: string | null): Promise<ProcessorPage>;
  /** All changes of a customer's balance. */
  balanceTransactions(customerId: string, after: string | null): Promise<ProcessorPage>;
  /** The Checkout session of a payment intent. */
  checkoutSessions(paymentIntent: string): Promise<ProcessorPage>;
  /** Current state of an object; null if it no longer exists. */
  object(list: ProcessorList, id: string): Promise<unknown>;
}

/** Loads Stripe's library on first use: many organizations have no account. */
export async function openProcessor(key: string, apiBase: string | null): Promise<Processor> {
  const { asProcessorError } = await import('./as-processor-error.ts');
  const stripe = await openStripe(key, apiBase);
  const ask = async <Answer>(request: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await request();
    } catch (error) {
      throw asProcessorError(error, key);
    }
  };
  const list = async (request: () => Promise<unknown>): Promise<ProcessorPage> => pageOf(await ask(request));
  /** If the key may not read balance transactions, reads charges and refunds without them. */
  const withBalance = async <Answer>(
    name: ProcessorList | 'events',
    request: (expanded: readonly string[]) => Promise<Answer>,
  ): Promise<Answer> =>
    request(['balance_transaction']).catch((error: unknown) => {
      if ((name !== 'charges' && name !== 'refunds') || !(error instanceof ProcessorError && error.kind === 'refused'))
        throw error;
      return request([]);
    });
  return {
    page: (name, position) => withBalance(name, (expanded) => list(() => listOf(stripe, name, position, expanded))),
    invoiceLines: (id, after) =>
      list(() => stripe.invoices.listLineItems(id, { limit: PAGE_SIZE, starting_after: after })),
    creditNoteLines: (id, after) =>
      list(() => stripe.creditNotes.listLineItems(id, { limit: PAGE_SIZE, starting_after: after })),
    invoicePayments: (of, after) =>
      list(() =>
        stripe.invoicePayments.list({
          limit: PAGE_SIZE,
          ...(after === null ? {} : { starting_after: after }),
          ...('invoice' in of
            ? { invoice: of.invoice }
            : { payment: { type: 'payment_intent', payment_intent: of.paymentIntent } }),
        }),
      ),
    balanceTransactions: (customerId, after) =>
      list(() =>
        stripe.customers.listBalanceTransactions(customerId, {
          limit: PAGE_SIZE,
          ...(after === null ? {} : { starting_after: after }),
        }),
      ),
    checkoutSessions: (paymentIntent) =>
      list(() => stripe.checkout.sessions.list({ payment_intent: paymentIntent, limit: PAGE_SIZE })),
    object: (name, id) =>
      withBalance(name, (expanded) => ask(() => retrieve(stripe, name, id, expanded))).catch(nullWhenMissing),
  };
}

function listOf(
  stripe: Stripe,
  name: ProcessorList | 'events',
  { after, createdFrom, limit = PAGE_SIZE }: PagePosition,
  expandedOfPayment: readonly string[],
): Promise<unknown> {
  const page = {
    limit,
    ...(after === null ? {} : { starting_after: after }),
    ...(createdFrom === null ? {} : { created: { gte: createdFrom } }),
  };
  switch (name) {
    case 'customers':
      return stripe.customers.list(page);
    case 'subscriptions':
      return stripe.subscriptions.list({ ...page, status: 'all' });
    case 'invoices':
      return stripe.invoices.list({ ...page, expand: ['data.payments'] });
    case 'charges':
      return stripe.charges.list({
        ...page,
        expand: ['payment_intent', ...expandedOfPayment].map((field) => `data.${field}`),
      });
    case 'credit_notes':
      return stripe.creditNotes.list(page);
    case 'refunds':
      return stripe.refunds.list({ ...page, expand: ['charge', ...expandedOfPayment].map((field) => `data.${field}`) });
    case 'disputes':
      return stripe.disputes.list({ ...page, expand: ['data.charge'] });
    case 'events':
      return stripe.events.list(page);
  }
}

function retrieve(
  stripe: Stripe,
  name: ProcessorList,
  id: string,
  expandedOfPayment: readonly string[],
): Promise<unknown> {
  switch (name) {
    case 'customers':
      return stripe.customers.retrieve(id);
    case 'subscriptions':
      return stripe.subscriptions.retrieve(id);
    case 'invoices':
      return stripe.invoices.retrieve(id, { expand: ['payments'] });
    case 'charges':
      return stripe.charges.retrieve(id, { expand: ['payment_intent', ...expandedOfPayment] });
    case 'credit_notes':
      return stripe.creditNotes.retrieve(id);
    case 'refunds':
      return stripe.refunds.retrieve(id, { expand: ['charge', ...expandedOfPayment] });
    case 'disputes':
      return stripe.disputes.retrieve(id, { expand: ['charge'] });
  }
}

function pageOf(answer: unknown): ProcessorPage {
  const { data, has_more } = (answer ?? {}) as { data?: unknown; has_more?: unknown };
  if (!Array.isArray(data)) throw new ProcessorError('junk', 'The payment processor sent something that is not a list');
  return { objects: data, more: has_more === true };
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof ProcessorError && error.kind === 'missing') return null;
  throw error;
}

/**
 * Creates the Stripe client of one account. It does not retry: the sync retries failed steps. `apiBase` is an origin
 * without `/v1`, or null for Stripe's default.
 */
async function openStripe(key: string, apiBase: string | null): Promise<Stripe> {
  const { Stripe } = await import('stripe');
  const options = {
    maxNetworkRetries: 0,
    timeout: PROCESSOR_TIMEOUT_MILLISECONDS,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(fetchThrough(outboundTo(apiBase))),
  };
  if (apiBase === null) return new Stripe(key, options);
  const { protocol, hostname, port } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return new Stripe(key, {
    ...options,
    protocol: isPlain ? 'http' : 'https',
    host: hostname,
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
  });
}

const clients = new Map<string | null, Outbound>();

/** Allows the host of `apiBase` even if it is private: only an operator can set it, e.g. to a local stand-in. */
function outboundTo(apiBase: string | null): Outbound {
  const known = clients.get(apiBase);
  if (known) return known;
  const client = outboundClient({ allowedHosts: apiBase === null ? [] : [new URL(apiBase).hostname] });
  clients.set(apiBase, client);
  return client;
}

/** A `fetch` for Stripe's library: follows no redirects and limits the response size. */
function fetchThrough(outbound: Outbound): (url: string | URL | Request, request?: RequestInit) => Promise<Response> {
  return async (url, { method, headers, body, signal } = {}) => {
    const answer = await outbound.request({
      url: url instanceof Request ? url.url : url,
      method: method as OutboundRequest['method'],
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : null,
      answerBytesMax: ANSWER_BYTES_MAX,
      // A limit that is longer than the library's own, so that the library reports the timeout.
      timeoutMilliseconds: PROCESSOR_TIMEOUT_MILLISECONDS + 1_000,
      ...(signal ? { signal } : {}),
    });
    if (!answer.isWhole) throw new ProcessorError('junk', 'The response of the payment processor is too large');
    const sent = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(answer.text === '' ? null : answer.text, { status: answer.status, headers: sent });
  };
}
