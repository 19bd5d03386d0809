import { expect, it } from 'vitest';
import { type Amount, plain } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
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
