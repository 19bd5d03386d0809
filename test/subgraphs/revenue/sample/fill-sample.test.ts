/** Payments of sample data: its margin in euros, and its figures in USD, which do not depend on the conversion. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { addMonths } from '#kernel/time/calendar.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { contracts } from '../../../../sample/contracts.ts';
import { historyBegan } from '../../../../sample/history.ts';
import { verifyRevenue } from '../../../../subgraphs/revenue/conversion/verify-revenue.operation.ts';
import { compareInCurrency } from '../../../../subgraphs/revenue/margin/compare-in-currency.operation.ts';
import { fillSample } from '../../../../subgraphs/revenue/sample/fill-sample.operation.ts';
import { type RevenueService, startRevenue } from '../revenue-builder.ts';

let service: RevenueService;
beforeEach(async () => {
  service = await startRevenue();
});
afterEach(() => service.close());

it('the sample is converted completely without any imported rate, and invoices in euros are unchanged', async () => {
  const context = { ...service.context, principal: { ...service.context.principal, sampleOf: 'own' } };
  await fillSample(context);
  await service.convert();
  const began = historyBegan(new Date());
  const { firstDay, currency } = contracts.find(({ customer }) => customer === 'velvet-hotels')!;
  expect(currency).toBe('eur');
  const start = new Date(began.getTime() + firstDay * 86_400_000);
  const days = [began.toISOString().slice(0, 10)];
  const costs = {
    days,
    endUsers: [[endUserId(service.organizationId, 'velvet-hotels'), 'velvet-hotels', 1, []] as const],
    unassigned: { count: 1, costs: [[0, '10'] as const] },
  };
  const windowOf = (from: Date, until: Date) => parseWindow({ start: from.toISOString(), end: until.toISOString() });
  const firstPeriod = await compareInCurrency(context, windowOf(start, addMonths(start, 1)), costs);
  const velvet = firstPeriod.endUsers({ first: 100 }).nodes.find(({ endUserName }) => endUserName === 'Velvet Hotels');
  // 500 euros, of which a fifth was refunded; nothing was converted.
  expect([velvet?.revenue, velvet?.exchangeDifferences]).toEqual([
    { amount: '400', currency: 'EUR' },
    { amount: '0', currency: 'EUR' },
  ]);
  const all = await compareInCurrency(context, windowOf(began, new Date()), costs);
  expect([all.waiting, all.isComplete, all.currency]).toEqual([[], true, 'EUR']);
  expect(Number(all.totalCost.amount)).toBeCloseTo(10 / 1.15, 0);
  expect(Number(all.exchangeDifferences.amount)).not.toBe(0);
  expect(all.warnings.map(({ type }) => type)).not.toContain('fees_unknown');
  expect((await verifyRevenue(context)).flatMap(({ differences }) => differences)).toEqual([]);
  const settled = await service.rows<{ source: string }>('select distinct source from invoice_rate');
  expect(settled).toEqual([{ source: 'settlement' }]);
});
