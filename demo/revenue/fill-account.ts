/**
 * The imaginary product's current account at the payment processor. Its history is replayed in order, so that objects
 * from before an earlier run get the same ids and are not counted twice.
 */
import { DAY_MS } from '#kernel/time/duration.ts';
import {
  addCustomer,
  addSubscription,
  find,
  newAccount,
  put,
  type StripeAccount,
} from '../../packages/stripe-stand-in/account.ts';
import { addInvoice, linesOf } from '../../packages/stripe-stand-in/invoices.ts';
import { addCreditNote, addDispute, addRefund, closeDispute } from '../../packages/stripe-stand-in/reversals.ts';
import { endUsers, nameOfEndUser } from '../../sample/end-users.ts';
import {
  type Contract,
  contracts,
  type Purchase,
  purchases,
  type Reversal,
  UNMAPPED_CUSTOMER,
} from '../../sample/contracts.ts';
import { settle } from '../../sample/exchange-rates.ts';
import { customerId } from '../../sample/customer-id.ts';
import { type ContractInvoice, invoicesOfContract } from '../../sample/invoices-of-contract.ts';

interface HistoryEvent {
  readonly at: Date;
  happen(account: StripeAccount): void;
}

/** `began`: midnight of the product's first day. */
export function fillAccount(began: Date, now: Date): StripeAccount {
  const account = newAccount(0);
  const events = [
    ...joins(began),
    ...contracts.flatMap((contract) => courseOf(contract, began, now)),
    ...purchases.map((purchase) => buy(purchase, began)),
  ];
  for (const { at, happen } of events.filter(({ at }) => at <= now).sort((a, b) => a.at.getTime() - b.at.getTime())) {
    account.now = seconds(at);
    happen(account);
  }
  account.now = seconds(now);
  return account;
}

/** Customers with a contract from before the first day joined with that contract. */
function joins(began: Date): HistoryEvent[] {
  const join = (id: string, name: string, day: number, metadata: Record<string, string>): HistoryEvent => {
    const first = contracts.find(({ customer }) => customer === id)?.firstDay ?? day;
    return {
      at: dateAfter(began, Math.min(day, first)),
      happen: (account) => addCustomer(account, { id: customerId(id), name, metadata }),
    };
  };
  return [
    ...endUsers.map(({ id, joinedDay }) => join(id, nameOfEndUser(id), joinedDay, { user_id: id })),
    join(UNMAPPED_CUSTOMER, UNMAPPED_CUSTOMER, 10, {}),
  ];
}

function courseOf(contract: Contract, began: Date, now: Date): HistoryEvent[] {
  const customer = customerId(contract.customer);
  const { currency = 'usd' } = contract;
  const subscription = customer.replace(/^cus_/, 'sub_');
  const invoiceIds = new Map<number, string>();
  const invoices = invoicesOfContract(contract, began, now);
  const subscribe: HistoryEvent = {
    at: dateAfter(began, contract.firstDay),
    happen: (account) => addSubscription(account, { id: subscription, customer }),
  };
  const cancel: HistoryEvent[] =
    contract.cancelledOnDay === undefined
      ? []
      : [
          {
            at: dateAfter(began, contract.cancelledOnDay),
            happen: (account) =>
              put(
                account,
                'subscriptions',
                { ...find(account, 'subscriptions', subscription), status: 'canceled' },
                'customer.subscription.deleted',
              ),
          },
        ];
  const bill = (invoice: ContractInvoice): HistoryEvent => ({
    at: invoice.at,
    happen(account) {
      const lines = invoice.lines.map(({ start, end, tax, ...line }) => ({
        ...line,
        exclusiveTax: tax,
        start: seconds(start),
        end: seconds(end),
      }));
      const paid = invoice.lines.reduce((sum, { amount, discount, tax }) => sum + amount - discount + tax, 0);
      const id = addInvoice(account, {
        customer,
        subscription,
        currency,
        lines,
        status: invoice.isPaid ? 'paid' : 'open',
        settlement: settle(paid, currency, dayOf(invoice.at)),
      });
      if (invoice.period !== null) invoiceIds.set(invoice.period, id);
    },
  });
  const reverseLater = (reversal: Reversal): HistoryEvent[] =>
    invoices
      .filter(({ period }) => period === reversal.period)
      .map(({ at }) => ({
        at: dateAfter(at, reversal.afterDays),
        happen: (account) => reverse(account, invoiceIds.get(reversal.period)!, reversal, currency),
      }));
  return [subscribe, ...invoices.map(bill), ...(contract.reversals ?? []).flatMap(reverseLater), ...cancel];
}

function reverse(account: StripeAccount, invoice: string, { kind, percent }: Reversal, currency: string): void {
  const part = (of: unknown) => Math.round((Number(of) * percent) / 100);
  const paid = part(find(account, 'invoices', invoice)['amount_paid']);
  const settlement = { ...settle(-paid, currency, dayOf(new Date(account.now * 1000))), fee: 0 };
  if (kind === 'refund') addRefund(account, { invoice, amount: paid, settlement });
  if (kind === 'lost-dispute')
    closeDispute(account, addDispute(account, { invoice, amount: paid, settlement }), 'lost');
  if (kind === 'credit-note')
    addCreditNote(account, {
      invoice,
      credits: linesOf(account, invoice).map(({ id, amount }) => ({ line: id, amount: part(amount) })),
    });
}

function buy({ customer, day, description, amount, currency }: Purchase, began: Date): HistoryEvent {
  const at = dateAfter(began, day);
  const line = { description, amount, start: seconds(at), end: seconds(at) };
  const settlement = settle(amount, currency, dayOf(at));
  return {
    at,
    happen: (account) => addInvoice(account, { customer: customerId(customer), currency, lines: [line], settlement }),
  };
}

function dateAfter(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
