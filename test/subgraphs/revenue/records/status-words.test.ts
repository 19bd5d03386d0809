/** Every status in the processor's pinned library has a meaning here. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { UnreadableObject } from '../../../../subgraphs/revenue/stripe/processor-error.ts';
import {
  CHARGE_ARRIVED,
  CREDIT_NOTE_TAKES,
  DISPUTE_TAKES,
  INVOICE_EARNS,
  INVOICE_PAYMENT_ARRIVED,
  meaningOf,
  REFUND_TAKES,
} from '../../../../subgraphs/revenue/stripe/status-words.ts';

const LIBRARY = join(dirname(createRequire(import.meta.url).resolve('stripe')), 'resources');
const declared = (file: string) => readFileSync(join(LIBRARY, file), 'utf8');

/** `type Status = 'a' | 'b' | OtherString;` within a namespace. */
function statusesOf(file: string, namespace: string): string[] {
  const body = declared(file).split(`declare namespace ${namespace} {`)[1] ?? '';
  const [, union = ''] = /^ {4}type Status = (.*);$/m.exec(body) ?? [];
  return [...union.matchAll(/'(\w+)'/g)].map(([, word]) => word ?? '');
}

/** For a refund, the library declares a plain string and lists the statuses in its comment. */
function refundStatuses(): string[] {
  const [, sentence = ''] = /Status of the refund\. This can be (.*?)\./.exec(declared('Refunds.d.ts')) ?? [];
  return [...sentence.matchAll(/`(\w+)`/g)].map(([, word]) => word ?? '');
}

it.each([
  ['invoices', statusesOf('Invoices.d.ts', 'Invoice'), INVOICE_EARNS],
  ['payments of invoices', statusesOf('InvoicePayments.d.ts', 'InvoicePaymentListParams'), INVOICE_PAYMENT_ARRIVED],
  ['charges', statusesOf('Charges.d.ts', 'Charge'), CHARGE_ARRIVED],
  ['credit notes', statusesOf('CreditNotes.d.ts', 'CreditNote'), CREDIT_NOTE_TAKES],
  ['refunds', refundStatuses(), REFUND_TAKES],
  ['disputes', statusesOf('Disputes.d.ts', 'Dispute'), DISPUTE_TAKES],
])('the statuses of %s', (_, words, meanings) => {
  expect(words.length).toBeGreaterThan(1);
  expect(words.filter((word) => !Object.hasOwn(meanings, word))).toEqual([]);
});

it.each([
  ['invoices', INVOICE_EARNS, ['paid', 'uncollectible']],
  ['payments of invoices', INVOICE_PAYMENT_ARRIVED, ['paid']],
  ['charges', CHARGE_ARRIVED, ['succeeded']],
  ['credit notes', CREDIT_NOTE_TAKES, ['issued']],
  ['refunds', REFUND_TAKES, ['succeeded']],
  ['disputes', DISPUTE_TAKES, ['lost', 'appeal_needs_response', 'appeal_under_review']],
])('the statuses of %s that change revenue', (_, meanings, words) => {
  expect(Object.keys(meanings).filter((word) => meanings[word])).toEqual(words);
});

it('a status without a known meaning is refused, and named', () => {
  expect(() => meaningOf(DISPUTE_TAKES, { id: 'dp_1', status: 'arbitration', unsaid: false })).toThrow(
    UnreadableObject,
  );
  expect(() => meaningOf(DISPUTE_TAKES, { id: 'dp_1', status: 'constructor', unsaid: false })).toThrow(/"constructor"/);
});
