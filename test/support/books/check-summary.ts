/** Requests all seven windows of the cost summary and compares them with the books (decision 9, D25 to D27). */
import { expect } from 'vitest';
import { get } from '../api-client.ts';
import { DAY, isoOf, micros, monthStart, yearStart } from './book-instant.ts';
import { percentOf, printAmount } from './exact-amount.ts';
import type { Books } from './keep-books.ts';
import { priced, type Window, totalOf, within } from './plain-books.ts';

interface Period extends Window {
  readonly previous: Window;
}

const rolling =
  (days: bigint) =>
  (now: bigint): Period => ({
    start: now - days * DAY,
    end: now,
    previous: { start: now - 2n * days * DAY, end: now - days * DAY },
  });

const PERIODS: Readonly<Record<string, (now: bigint) => Period>> = {
  'current-period': (now) => {
    const [start, before] = [monthStart(now), monthStart(now, -1)];
    const sameStretch = before + (now - start);
    return { start, end: now, previous: { start: before, end: sameStretch < start ? sameStretch : start } };
  },
  'last-period': (now) => ({
    start: monthStart(now, -1),
    end: monthStart(now),
    previous: { start: monthStart(now, -2), end: monthStart(now, -1) },
  }),
  'last-7-days': rolling(7n),
  'last-30-days': rolling(30n),
  'last-90-days': rolling(90n),
  ytd: (now) => ({ start: yearStart(now), end: now, previous: { start: yearStart(now, -1), end: lastYear(now) } }),
  'last-year': (now) => ({
    start: yearStart(now, -1),
    end: yearStart(now),
    previous: { start: yearStart(now, -2), end: yearStart(now, -1) },
  }),
};

export async function checkSummaries(books: Books): Promise<void> {
  const {
    firstRun: { live_read_key: key },
    url,
  } = books.service;
  for (const [name, periodOf] of Object.entries(PERIODS)) {
    const before = Date.now();
    const { status, body } = await get(url, `/cost-data/summary?time_window=${name}`, key);
    const after = Date.now();
    expect(status, name).toBe(200);
    const isToDate = !['last-period', 'last-year'].includes(name);
    const now = isToDate ? micros(body.period_end) : BigInt(before) * 1000n;
    if (isToDate)
      expect(now >= BigInt(before) * 1000n && now <= BigInt(after) * 1000n, `${name} ends ${body.period_end}`).toBe(
        true,
      );

    const period = periodOf(now);
    const all = within(books.live(), period);
    const [events, previous] = [priced(all), priced(within(books.live(), period.previous))];
    const [current, past] = [totalOf(events), totalOf(previous)];
    expect(body, name).toEqual({
      current_period_cost: printAmount(current),
      previous_period_cost: printAmount(past),
      change_amount: printAmount(current - past),
      change_percent: past === 0n && current !== 0n ? 100 : percentOf(current - past, past),
      event_count: events.length,
      period_start: isoOf(period.start),
      period_end: isoOf(period.end),
      status_counts: { completed: events.length, failed: 0, pending: 0, pending_rate_card: all.length - events.length },
    });
  }
}

/** 29 February is compared with 28 February. */
function lastYear(now: bigint): bigint {
  const date = new Date(Number(now / 1000n));
  const isLeapDay = date.getUTCMonth() === 1 && date.getUTCDate() === 29;
  const day = isLeapDay ? 28 : date.getUTCDate();
  return BigInt(Date.UTC(date.getUTCFullYear() - 1, date.getUTCMonth(), day)) * 1000n + (now % DAY);
}
