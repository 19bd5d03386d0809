/** Whole accounts in the processor's format, and the correct revenue of each. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { loadObjects, type StripeAccount } from '../../../../packages/stripe-stand-in/account.ts';
import { compareCostAndRevenue } from '../../../../subgraphs/revenue/margin/compare-cost-and-revenue.operation.ts';
import { verifyRevenue } from '../../../../subgraphs/revenue/conversion/verify-revenue.operation.ts';
import { costLines, type RevenueService, startRevenue } from '../revenue-builder.ts';

interface RecordedAccount {
  readonly name: string;
  readonly what: string;
  readonly source: string;
  readonly endUser: string;
  readonly steps: readonly {
    readonly objects: Parameters<typeof loadObjects>[1];
    readonly start: string;
    readonly end: string;
  }[];
}

const ACCOUNTS = JSON.parse(
  readFileSync(new URL('./accounts.json', import.meta.url), 'utf8'),
) as readonly RecordedAccount[];

/** USD after each sync, and the types of warnings. */
const RIGHT: Readonly<Record<string, readonly { revenue: string; warnings?: readonly string[] }[]>> = {
  'note-without-lines': [{ revenue: '50' }],
  'payment-without-invoice': [{ revenue: '50' }],
  'paid-twice': [{ revenue: '100' }],
  'dispute-and-note': [{ revenue: '0' }],
  'balance-top-up': [{ revenue: '100', warnings: ['revenue_paid_from_balance'] }],
  'partly-paid': [{ revenue: '60' }],
  'open-invoice': [{ revenue: '0', warnings: ['open_invoices'] }],
  'unapplied-part-refunded': [{ revenue: '100' }],
};

let service: RevenueService;
beforeEach(async () => {
  service = await startRevenue();
});
afterEach(() => service.close());

describe('the revenue of an account', () => {
  it.each(ACCOUNTS)('$name: $what', async ({ name, endUser, steps }) => {
    const account: StripeAccount = service.standIn.account;
    await service.connect();
    for (const [index, { objects, start, end }] of steps.entries()) {
      loadObjects(account, objects);
      await service.sync();
      const margin = await compareCostAndRevenue(service.context, parseWindow({ start, end }), {
        costs: costLines(service.organizationId, { [endUser]: '1' }, '0'),
        throughEnd: true,
      });
      const right = RIGHT[name]?.[index];
      expect(margin.comparison.endUsers.map(({ revenue }) => plain(revenue))).toEqual([right?.revenue]);
      expect(margin.warnings.map(({ type }) => type)).toEqual(right?.warnings ?? []);
    }
    expect((await verifyRevenue(service.context)).flatMap(({ differences }) => differences)).toEqual([]);
  });
});
