/** Data of an account at the payment processor. Amounts are in minor units, times in seconds since 1970. */
import type { Settlement } from './payments.ts';

export interface StripeObject {
  id: string;
  object: string;
  created: number;
  [field: string]: unknown;
}

/** Short form of an invoice line. Stripe's other fields are derived. */
export interface LineDraft {
  amount: number;
  start: number;
  end: number;
  /** Computed discount on this line. */
  discount?: number;
  /** Tax included in `amount`. */
  inclusiveTax?: number;
  /** Tax on top of `amount`. */
  exclusiveTax?: number;
  /** Credit grants spent on this line. */
  creditGrant?: number;
  proration?: boolean;
  description?: string;
}

export interface InvoiceDraft {
  customer: string | null;
  lines: readonly LineDraft[];
  currency?: string;
  status?: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  subscription?: string;
  /** Creation time, e.g. before known objects to simulate one that appears late. */
  created?: number;
  /** Account of Accounts v2, instead of a customer. */
  customerAccount?: string;
  shipping?: number;
  /** Amount to spend from the customer's balance. */
  fromBalance?: number;
  /** How the payment is converted into the account's currency. */
  settlement?: Settlement;
}

/** Lists of the API, by path. Sorted when read. */
export const COLLECTIONS = [
  'customers',
  'subscriptions',
  'invoices',
  'credit_notes',
  'refunds',
  'disputes',
  'events',
  'invoice_payments',
  'charges',
  'payment_intents',
  'balance_transactions',
  'checkout_sessions',
  'customer_balance_transactions',
] as const;

export type Collection = (typeof COLLECTIONS)[number];

export interface StripeAccount {
  readonly objects: Record<Collection, Map<string, StripeObject>>;
  /** Lines of invoices and credit notes, by parent. */
  readonly lines: Map<string, StripeObject[]>;
  /** The processor's clock. It changes only when set. */
  now: number;
  nextId: number;
  keepEvents: boolean;
}

export function newAccount(now: number): StripeAccount {
  const objects = Object.fromEntries(
    COLLECTIONS.map((name) => [name, new Map<string, StripeObject>()]),
  ) as StripeAccount['objects'];
  return { objects, lines: new Map(), now, nextId: 1, keepEvents: true };
}

/** Loads objects in the processor's format, by list: a recorded account, or a handwritten one. */
export function loadObjects(
  account: StripeAccount,
  objects: Readonly<Partial<Record<Collection, readonly StripeObject[]>>>,
): void {
  for (const collection of COLLECTIONS) {
    for (const object of objects[collection] ?? []) {
      const { lines, ...rest } = object as StripeObject & { lines?: { data: StripeObject[] } };
      if (lines) account.lines.set(object.id, lines.data);
      put(account, collection, rest, null);
    }
  }
}

export function newId(account: StripeAccount, prefix: string): string {
  return `${prefix}_${String(account.nextId++).padStart(8, '0')}`;
}

/** Creates or replaces an object. `eventType`: the event to record; null for none. */
export function put(
  account: StripeAccount,
  collection: Collection,
  object: StripeObject,
  eventType: string | null,
): StripeObject {
  account.objects[collection].set(object.id, object);
  if (eventType !== null && account.keepEvents) recordEvent(account, eventType, object);
  return object;
}

export function recordEvent(account: StripeAccount, type: string, object: StripeObject): void {
  const id = newId(account, 'evt');
  account.objects.events.set(id, {
    id,
    object: 'event',
    created: account.now,
    type,
    livemode: true,
    api_version: '2026-10-28.endive',
    data: { object: { ...object } },
  });
}

export function addCustomer(
  account: StripeAccount,
  {
    id,
    name,
    email,
    metadata = {},
    customerAccount,
  }: { id?: string; name?: string; email?: string; metadata?: Record<string, string>; customerAccount?: string } = {},
): string {
  const customer = {
    id: id ?? newId(account, 'cus'),
    object: 'customer',
    created: account.now,
    name: name ?? null,
    email: email ?? null,
    metadata,
    balance: 0,
    livemode: true,
    ...(customerAccount ? { customer_account: customerAccount } : {}),
  };
  return put(account, 'customers', customer, 'customer.created').id;
}

export function updateCustomer(account: StripeAccount, id: string, changes: Record<string, unknown>): void {
  put(account, 'customers', { ...find(account, 'customers', id), ...changes }, 'customer.updated');
}

/** Removes a customer from the list. By id it is still returned, as deleted. */
export function deleteCustomer(account: StripeAccount, id: string): void {
  const customer = find(account, 'customers', id);
  put(account, 'customers', { id, object: 'customer', created: customer.created, deleted: true }, 'customer.deleted');
}

export function addSubscription(
  account: StripeAccount,
  { customer, id, status = 'active' }: { customer: string; id?: string; status?: string },
): string {
  const subscription = {
    id: id ?? newId(account, 'sub'),
    object: 'subscription',
    created: account.now,
    customer,
    status,
    metadata: {},
    livemode: true,
  };
  return put(account, 'subscriptions', subscription, 'customer.subscription.created').id;
}

export function find(account: StripeAccount, collection: Collection, id: string): StripeObject {
  const object = account.objects[collection].get(id);
  if (object === undefined) throw new Error(`The stand-in has no ${id}`);
  return object;
}
