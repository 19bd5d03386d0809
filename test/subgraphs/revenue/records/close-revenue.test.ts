import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice, voidInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { addRefund } from '../../../../packages/stripe-stand-in/reversals.ts';
import { disconnectRevenue } from '../../../../subgraphs/revenue/connection/disconnect-revenue.operation.ts';
import { recognizeOverTime } from '../../../../subgraphs/revenue/recognition/recognize-over-time.operation.ts';
import { closeRevenue } from '../../../../subgraphs/revenue/records/close-revenue.operation.ts';
import { getRevenueClosing } from '../../../../subgraphs/revenue/records/get-revenue-closing.operation.ts';
import { reopenRevenue } from '../../../../subgraphs/revenue/records/reopen-revenue.operation.ts';
import { verifyRevenue } from '../../../../subgraphs/revenue/conversion/verify-revenue.operation.ts';
import { at, type RevenueService, startRevenue } from '../revenue-builder.ts';

const JANUARY = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' };
const FEBRUARY = { start: '2026-02-01T00:00:00Z', end: '2026-03-01T00:00:00Z' };
const ALL = { start: '2026-01-01T00:00:00Z', end: '2026-12-01T00:00:00Z' };

let service: RevenueService;
let ada: string;
beforeEach(async () => {
  service = await startRevenue();
  ada = addCustomer(service.standIn.account, { metadata: { user_id: 'ada' } });
});
afterEach(() => service.close());

const revenue = async (window: { start: string; end: string }) =>
  plain((await service.margin(window, { ada: '1' })).totalRevenue);

function invoiceOf(amount: number, { start, end }: { start: string; end: string }): string {
  return addInvoice(service.standIn.account, { customer: ada, lines: [{ amount, start: at(start), end: at(end) }] });
}

describe('a month that is closed', () => {
  it('keeps its revenue: later changes are recognized in the first open month', async () => {
    const first = invoiceOf(3_100, JANUARY);
    await service.connect();
    await service.sync();
    expect(await closeRevenue(service.context, '2026-01')).toEqual({ closedUntil: '2026-02-01T00:00:00.000Z' });
    const known = new Date().toISOString();

    addRefund(service.standIn.account, { invoice: first, amount: 1_000 });
    const late = invoiceOf(5_900, { start: JANUARY.start, end: FEBRUARY.end });
    invoiceOf(700, JANUARY);
    await service.sync();
    expect(await revenue(JANUARY)).toBe('31');
    expect(await revenue(FEBRUARY)).toBe('56');
    expect(await revenue({ start: '2026-02-01T00:00:00Z', end: '2026-02-02T00:00:00Z' })).toBe('29');
    expect(await revenue({ start: '2026-02-02T00:00:00Z', end: '2026-03-01T00:00:00Z' })).toBe('27');
    expect(await revenue(ALL)).toBe('87');
    const asKnown = await recognizeOverTime(service.context, parseWindow(ALL), known);
    expect(asKnown.dataPoints.map((point) => String(plain(point.revenue as never)))).toEqual([
      '31',
      ...Array.from({ length: 10 }, () => '0'),
    ]);

    await closeRevenue(service.context, '2026-02');
    voidInvoice(service.standIn.account, late);
    await service.sync();
    expect([await revenue(JANUARY), await revenue(FEBRUARY), await revenue(ALL)]).toEqual(['31', '56', '28']);
    expect((await verifyRevenue(service.context)).flatMap(({ differences }) => differences)).toEqual([]);
  });

  it('keeps its revenue when all records are withdrawn: it is reversed in the first open month', async () => {
    invoiceOf(3_100, JANUARY);
    invoiceOf(2_800, FEBRUARY);
    await service.connect();
    await service.sync();
    await closeRevenue(service.context, '2026-01');
    const byMonth = async () => [await revenue(JANUARY), await revenue(FEBRUARY), await revenue(ALL)];
    await disconnectRevenue(service.context, true);
    expect(await byMonth()).toEqual(['31', '-31', '0']);
    await service.connect();
    await service.sync();
    expect(await byMonth()).toEqual(['31', '28', '59']);
  });

  it('can be reopened, and only a month that has ended can be closed', async () => {
    await closeRevenue(service.context, '2026-02');
    expect(await reopenRevenue(service.context, '2026-01')).toEqual({ closedUntil: '2026-01-01T00:00:00.000Z' });
    invoiceOf(700, JANUARY);
    await service.connect();
    await service.sync();
    expect(await revenue(JANUARY)).toBe('7');
    await expect(closeRevenue(service.context, '2099-01')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await getRevenueClosing(service.context)).toEqual({ closedUntil: '2026-01-01T00:00:00.000Z' });
  });
});
