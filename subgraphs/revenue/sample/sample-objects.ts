/** Payment-processor objects of the sample product, in the processor's format and by list. */
import { DAY_MS } from '#kernel/time/duration.ts';
import { type Contract, contracts, type Purchase, purchases, UNMAPPED_CUSTOMER } from '../../../sample/contracts.ts';
import { customerId } from '../../../sample/customer-id.ts';
import { endUsers, nameOfEndUser } from '../../../sample/end-users.ts';
import { settle } from '../../../sample/exchange-rates.ts';
import { type ContractInvoice, invoicesOfContract } from '../../../sample/invoices-of-contract.ts';
import type { ProcessorList } from '../stripe/sync-stages.ts';

/** Metadata key of the end user. */
export const END_USER_KEY = 'user_id';

type SampleObjects = Readonly<Record<ProcessorList, readonly object[]>>;

/** `began`: midnight of the product's first day. Objects dated after `now` are left out. */
export function sampleObjects(began: Date, now: Date): SampleObjects {
  const courses = contracts.map((contract) => courseOf(contract, began, now));
  const soFar = purchases.filter(({ day }) => dateAfter(began, day) <= now);
  return {
    customers: [
      ...endUsers.map(({ id }) => customer(id, nameOfEndUser(id), { [END_USER_KEY]: id })),
      customer(UNMAPPED_CUSTOMER, UNMAPPED_CUSTOMER, {}),
    ],
    subscriptions: contracts.map((contract) => subscription(contract, began, now)),
    invoices: [...courses.flatMap(({ invoices }) => invoices), ...soFar.map((purchase) => bought(purchase, began))],
    charges: [
      ...courses.flatMap(({ charges }) => charges),
      ...soFar.map((purchase) =>
        charge(boughtId(purchase), purchase.customer, purchase, dateAfter(began, purchase.day)),
      ),
    ],
    credit_notes: courses.flatMap(({ creditNotes }) => creditNotes),
    refunds: courses.flatMap(({ refunds }) => refunds),
    disputes: courses.flatMap(({ disputes }) => disputes),
  };
}

function customer(name: string, label: string, metadata: Record<string, string>): object {
  return { id: customerId(name), name: label, metadata };
}

function subscription({ customer: name, cancelledOnDay }: Contract, began: Date, now: Date): object {
  const isOver = cancelledOnDay !== undefined && dateAfter(began, cancelledOnDay) <= now;
  return { id: wordOf('sub', name), customer: customerId(name), status: isOver ? 'canceled' : 'active' };
}

function courseOf(contract: Contract, began: Date, now: Date) {
  const invoices = invoicesOfContract(contract, began, now);
  const { currency = 'usd' } = contract;
  const id = (invoice: ContractInvoice) =>
    wordOf('in', `${contract.customer} ${invoice.at.toISOString().slice(0, 10)}`);
  const reversals = (contract.reversals ?? []).flatMap((reversal) =>
    invoices
      .filter(({ period, at }) => period === reversal.period && dateAfter(at, reversal.afterDays) <= now)
      .map((invoice) => ({ ...reversal, invoice, invoiceId: id(invoice) })),
  );
  const takenBack = (kind: 'refund' | 'lost-dispute') =>
    reversals
      .filter((reversal) => reversal.kind === kind)
      .map(({ invoice, invoiceId, percent, afterDays }) => {
        const amount = Math.round((paidOf(invoice) * percent) / 100);
        const returned = transaction(-amount, currency, dateAfter(invoice.at, afterDays));
        return {
          id: `${kind === 'refund' ? 're' : 'dp'}_${invoiceId}`,
          amount,
          currency,
          status: kind === 'refund' ? 'succeeded' : 'lost',
          payment_intent: `pi_${invoiceId}`,
          ...(kind === 'refund' ? { balance_transaction: returned } : { balance_transactions: [returned] }),
        };
      });
  return {
    invoices: invoices.map((invoice) => billed(contract, invoice, id(invoice))),
    charges: invoices
      .filter(({ isPaid }) => isPaid)
      .map((invoice) => charge(id(invoice), contract.customer, { amount: paidOf(invoice), currency }, invoice.at)),
    creditNotes: reversals
      .filter(({ kind }) => kind === 'credit-note')
      .map(({ invoice, invoiceId, percent }) => ({
        id: `cn_${invoiceId}`,
        invoice: invoiceId,
        currency,
        status: 'issued',
        lines: listOf(
          invoice.lines.map(({ amount }, index) => ({
            id: `cnli_${invoiceId}_${index}`,
            amount: Math.round((amount * percent) / 100),
            invoice_line_item: `il_${invoiceId}_${index}`,
          })),
        ),
      })),
    refunds: takenBack('refund'),
    disputes: takenBack('lost-dispute'),
  };
}

function billed({ customer: name, currency = 'usd' }: Contract, invoice: ContractInvoice, id: string): object {
  return {
    id,
    customer: customerId(name),
    currency,
    created: seconds(invoice.at),
    status: invoice.isPaid ? 'paid' : 'open',
    total_taxes: invoice.lines.map(({ tax }) => ({ amount: tax })),
    payments: listOf(invoice.isPaid ? [payment(id, paidOf(invoice))] : []),
    lines: listOf(
      invoice.lines.map(({ amount, discount, start, end }, index) => ({
        id: `il_${id}_${index}`,
        amount,
        currency,
        discount_amounts: [{ amount: discount }],
        period: { start: seconds(start), end: seconds(end) },
      })),
    ),
  };
}

function boughtId({ customer: name, day }: Purchase): string {
  return wordOf('in', `${name} purchase ${day}`);
}

function bought(purchase: Purchase, began: Date): object {
  const { customer: name, day, amount, currency } = purchase;
  const at = seconds(dateAfter(began, day));
  const id = boughtId(purchase);
  return {
    id,
    customer: customerId(name),
    currency,
    created: at,
    status: 'paid',
    payments: listOf([payment(id, amount)]),
    lines: listOf([{ id: `il_${id}_0`, amount, currency, period: { start: at, end: at } }]),
  };
}

/** The payment of an invoice, settled in the currency of the account. */
function charge(
  invoiceId: string,
  name: string,
  { amount, currency }: { readonly amount: number; readonly currency: string },
  at: Date,
): object {
  return {
    id: `ch_${invoiceId}`,
    customer: customerId(name),
    payment_intent: `pi_${invoiceId}`,
    amount,
    currency,
    created: seconds(at),
    status: 'succeeded',
    balance_transaction: transaction(amount, currency, at),
  };
}

/** Negative amounts are paid back, without a fee. */
function transaction(amount: number, currency: string, at: Date): object {
  const { exchangeRate, fee, ...settled } = settle(amount, currency, at.toISOString().slice(0, 10));
  return { ...settled, exchange_rate: exchangeRate, fee: amount < 0 ? 0 : fee, created: seconds(at) };
}

function payment(invoiceId: string, amount: number): object {
  return { amount_paid: amount, status: 'paid', payment: { payment_intent: `pi_${invoiceId}` } };
}

function paidOf({ lines, isPaid }: ContractInvoice): number {
  return isPaid ? lines.reduce((sum, { amount, discount, tax }) => sum + amount - discount + tax, 0) : 0;
}

function listOf(data: readonly object[]): object {
  return { data, has_more: false };
}

function wordOf(prefix: string, name: string): string {
  return `${prefix}_${name.toLowerCase().replaceAll(/\W/g, '_')}`;
}

function dateAfter(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
