/** Handles requests as Stripe does: lists, single objects, expansions and errors. */
import { addRefund, voidCreditNote } from './reversals.ts';
import {
  addCustomer,
  type Collection,
  COLLECTIONS,
  type StripeAccount,
  type StripeObject,
  updateCustomer,
} from './account.ts';
import { payInvoice, voidInvoice } from './invoices.ts';

export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

const PATH_OF_LINES: Readonly<Record<string, Collection>> = { invoices: 'invoices', credit_notes: 'credit_notes' };
const INLINE_LINES = 10;

export function errorAnswer(status: number, type: string, message: string, more: Record<string, unknown> = {}): Answer {
  return { status, body: { error: { type, message, ...more } } };
}

export function answerGet(account: StripeAccount, path: readonly string[], query: URLSearchParams): Answer {
  if (path[0] === 'customers' && path[2] === 'balance_transactions')
    return list(
      sorted(account, 'customer_balance_transactions', query).filter((one) => one['customer'] === path[1]),
      query,
      `/v1/customers/${path[1]}/balance_transactions`,
      (transaction) => transaction,
    );
  const [name, id, part] = path[0] === 'checkout' ? ['checkout_sessions', ...path.slice(2)] : path;
  if (name === undefined || !isCollection(name)) return unknownUrl('GET', path);
  const expand = query
    .getAll('expand[]')
    .concat([...query.entries()].filter(([key]) => /^expand\[\d+\]$/.test(key)).map(([, value]) => value));
  if (id === undefined)
    return list(sorted(account, name, query), query, `/v1/${name}`, (object) =>
      toAnswer(
        account,
        name,
        object,
        expand.map((field) => field.replace(/^data\./, '')),
      ),
    );
  const object = account.objects[name].get(decodeURIComponent(id));
  if (object === undefined) return missing(name, decodeURIComponent(id), 'id');
  if (part === undefined) return { status: 200, body: toAnswer(account, name, object, expand) };
  if (part === 'lines' && PATH_OF_LINES[name])
    return list(account.lines.get(object.id) ?? [], query, `/v1/${name}/${id}/lines`, (line) => line);
  return unknownUrl('GET', path);
}

/** Handles the few changes made manually in a demonstration. */
export function answerPost(account: StripeAccount, path: readonly string[], form: URLSearchParams): Answer {
  const [name, id, action] = path;
  const metadata = Object.fromEntries(
    [...form].flatMap(([key, value]) =>
      /^metadata\[(.+)\]$/.exec(key) ? [[/^metadata\[(.+)\]$/.exec(key)?.[1] ?? '', value]] : [],
    ),
  );
  if (name === 'customers' && id === undefined)
    return found(account, 'customers', addCustomer(account, { name: form.get('name') ?? '', metadata }));
  if (name === 'customers' && id !== undefined && account.objects.customers.has(id)) {
    updateCustomer(account, id, {
      ...(form.has('name') ? { name: form.get('name') } : {}),
      metadata: { ...(account.objects.customers.get(id)?.['metadata'] as object), ...metadata },
    });
    return found(account, 'customers', id);
  }
  if (name === 'refunds' && id === undefined) {
    const paymentIntent = form.get('payment_intent') ?? '';
    const payment = [...account.objects.invoice_payments.values()].find(
      (candidate) => (candidate['payment'] as { payment_intent?: string }).payment_intent === paymentIntent,
    );
    if (payment === undefined) return missing('payment_intent', paymentIntent, 'payment_intent');
    return found(
      account,
      'refunds',
      addRefund(account, { paymentIntent, amount: Number(form.get('amount') ?? payment['amount_paid']) }),
    );
  }
  if (
    name === 'invoices' &&
    id !== undefined &&
    account.objects.invoices.has(id) &&
    (action === 'void' || action === 'pay')
  ) {
    if (action === 'void') voidInvoice(account, id);
    else payInvoice(account, id);
    return found(account, 'invoices', id);
  }
  if (name === 'credit_notes' && id !== undefined && action === 'void' && account.objects.credit_notes.has(id)) {
    voidCreditNote(account, id);
    return found(account, 'credit_notes', id);
  }
  return unknownUrl('POST', path);
}

function found(account: StripeAccount, collection: Collection, id: string): Answer {
  const object = account.objects[collection].get(id);
  return object === undefined
    ? missing(collection, id, 'id')
    : { status: 200, body: toAnswer(account, collection, object, []) };
}

function toAnswer(
  account: StripeAccount,
  collection: Collection,
  object: StripeObject,
  expand: readonly string[],
): unknown {
  const parent = PATH_OF_LINES[collection];
  const lines = parent
    ? {
        lines: listBody(
          (account.lines.get(object.id) ?? []).slice(0, INLINE_LINES),
          (account.lines.get(object.id)?.length ?? 0) > INLINE_LINES,
          `/v1/${collection}/${object.id}/lines`,
        ),
      }
    : {};
  const payments =
    collection === 'invoices' && expand.includes('payments')
      ? {
          payments: listBody(
            [...account.objects.invoice_payments.values()].filter((payment) => payment['invoice'] === object.id),
            false,
            '/v1/invoice_payments',
          ),
        }
      : {};
  const charge =
    expand.includes('charge') && typeof object['charge'] === 'string'
      ? { charge: account.objects.charges.get(object['charge']) ?? object['charge'] }
      : {};
  const intent = object['payment_intent'];
  const paymentIntent =
    expand.includes('payment_intent') && typeof intent === 'string'
      ? { payment_intent: account.objects.payment_intents.get(intent) ?? intent }
      : {};
  const transaction = object['balance_transaction'];
  const balanceTransaction =
    expand.includes('balance_transaction') && typeof transaction === 'string'
      ? { balance_transaction: account.objects.balance_transactions.get(transaction) ?? transaction }
      : {};
  return { ...object, ...lines, ...payments, ...charge, ...paymentIntent, ...balanceTransaction };
}

/** Objects of a list, newest first. Objects of the same second are in reverse order of creation. */
function sorted(account: StripeAccount, collection: Collection, query: URLSearchParams): StripeObject[] {
  const from = Number(query.get('created[gte]') ?? '-1');
  const intent = query.get('payment[payment_intent]');
  return [...account.objects[collection].values()]
    .reverse()
    .filter((object) => object.created >= from && object['deleted'] !== true)
    .filter((object) => !query.has('payment_intent') || object['payment_intent'] === query.get('payment_intent'))
    .filter((object) => !query.has('invoice') || object['invoice'] === query.get('invoice'))
    .filter(
      (object) =>
        intent === null || (object['payment'] as { payment_intent?: string } | undefined)?.payment_intent === intent,
    )
    .filter(
      (object) => !query.has('status') || query.get('status') === 'all' || object['status'] === query.get('status'),
    )
    .sort((a, b) => b.created - a.created);
}

function list(
  objects: readonly StripeObject[],
  query: URLSearchParams,
  url: string,
  present: (object: StripeObject) => unknown,
): Answer {
  const limit = Number(query.get('limit') ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    return errorAnswer(400, 'invalid_request_error', 'Limit can range between 1 and 100', { param: 'limit' });
  const after = query.get('starting_after');
  const index = after === null ? -1 : objects.findIndex(({ id }) => id === after);
  if (after !== null && index < 0)
    return errorAnswer(400, 'invalid_request_error', `No such object: '${after}'`, {
      code: 'resource_missing',
      param: 'starting_after',
    });
  const page = objects.slice(index + 1, index + 1 + limit);
  return { status: 200, body: listBody(page.map(present), index + 1 + limit < objects.length, url) };
}

function listBody(data: readonly unknown[], hasMore: boolean, url: string): unknown {
  return { object: 'list', data, has_more: hasMore, url };
}

function missing(name: string, id: string, param: string): Answer {
  return errorAnswer(404, 'invalid_request_error', `No such ${name}: '${id}'`, { code: 'resource_missing', param });
}

function unknownUrl(method: string, path: readonly string[]): Answer {
  return errorAnswer(404, 'invalid_request_error', `Unrecognized request URL (${method}: /v1/${path.join('/')}).`);
}

function isCollection(name: string): name is Collection {
  return (COLLECTIONS as readonly string[]).includes(name);
}
