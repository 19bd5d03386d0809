import { expect, it } from 'vitest';
import { type Amount, plain } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { linkRevenueCustomer } from '../../../../subgraphs/revenue/customers/link-revenue-customer.operation.ts';
import { revenueByBucket } from '../../../../subgraphs/revenue/recognition/revenue-series.query.ts';
import { recognizeOverTime } from '../../../../subgraphs/revenue/recognition/recognize-over-time.operation.ts';
import { at, startRevenue } from '../revenue-builder.ts';

it('revenue as known at an instant includes what was recorded at that instant; no instant may be in the future', async () => {
  const service = await startRevenue();
  try {
    const month = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' };
    const customer = addCustomer(service.standIn.account, { metadata: { user_id: 'ada' } });
    addInvoice(service.standIn.account, {
      customer,
      lines: [{ amount: 1_000, start: at(month.start), end: at(month.end) }],
    });
    await service.connect();
    await service.sync();
    const [row] = await service.rows<{ time: string }>('select recorded_at as time from revenue_record');
    const time = new Date(row!.time);
    const known = async (asOf: Date | null) => {
      const window = parseWindow(month);
      const { dataPoints } = await recognizeOverTime(service.context, window, asOf?.toISOString() ?? null);
      return dataPoints.reduce((sum, { revenue }) => sum + Number(plain(revenue as Amount)), 0);
    };
    expect(await known(null)).toBeCloseTo(10);
    expect(await known(time)).toBeCloseTo(10);
    expect(await known(new Date(time.getTime() - 1))).toBe(0);
    await expect(known(new Date(Date.now() + 60_000))).rejects.toThrow('asOf must not be in the future');
  } finally {
    await service.close();
  }
});

it('an end user has the revenue of the customers linked to it, whatever their metadata says', async () => {
  const service = await startRevenue();
  try {
    const month = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' };
    const line = { start: at(month.start), end: at(month.end) };
    const { account } = service.standIn;
    const linked = addCustomer(account, { metadata: { user_id: 'ada' } });
    addInvoice(account, { customer: linked, lines: [{ amount: 1_000, ...line }] });
    addInvoice(account, {
      customer: addCustomer(account, { metadata: { user_id: 'ada' } }),
      lines: [{ amount: 200, ...line }],
    });
    await service.connect();
    await service.sync();
    const { organizationId } = service.context.principal;
    const revenueOf = async (endUser: string | null) =>
      (
        await service.context.database.snapshot(organizationId!, (tx) =>
          revenueByBucket(tx, organizationId!, [parseWindow(month)], { endUser }),
        )
      ).map((revenue) => Number(plain(revenue)));
    expect([await revenueOf('ada'), await revenueOf('bob'), await revenueOf(null)]).toEqual([[12], [0], [12]]);
    await linkRevenueCustomer(service.context, linked, 'bob');
    expect([await revenueOf('ada'), await revenueOf('bob'), await revenueOf(null)]).toEqual([[2], [10], [12]]);
  } finally {
    await service.close();
  }
});
