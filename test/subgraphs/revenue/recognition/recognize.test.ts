import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../../platform/database/open-database.ts';
import { query } from '../../../../platform/database/sql.ts';
import { money, plain, sum } from '../../../../kernel/money.ts';
import { recognizedSql, touchesSql } from '../../../../subgraphs/revenue/recognition/recognized-sql.ts';
import { revenue } from '../../../../subgraphs/revenue/main.ts';
import { recognize, type Span } from '../../../../subgraphs/revenue/recognition/recognize.ts';
import { freshDatabase } from '../../../support/fresh-database.ts';

const micros = (iso: string): bigint => BigInt(Date.parse(iso)) * 1000n;
const dates = (start: string, end: string): Span => ({ start: micros(start), end: micros(end) });
const SECOND = 1_000_000n;
const DAY = 86_400n * SECOND;

/** Cents, a period of whole seconds up to ten years (often none, a second, a day), and instants around it to the microsecond. */
const record = fc.record({
  cents: fc.integer({ min: -10_000_000, max: 10_000_000 }),
  start: fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => BigInt(seconds) * SECOND),
  length: fc.oneof(
    fc.constantFrom(0n, SECOND, DAY, 31n * DAY, 3_652n * DAY),
    fc.integer({ min: 0, max: 315_532_800 }).map((seconds) => BigInt(seconds) * SECOND),
  ),
});
const instants = fc.array(fc.integer({ min: -20_000, max: 1_020_000 }), { minLength: 2, maxLength: 8 });

function place({ start, length }: { start: bigint; length: bigint }, millionths: readonly number[]): bigint[] {
  const reach = length === 0n ? 10n : length;
  return [...new Set(millionths.map((part) => start + (reach * BigInt(part)) / 1_000_000n))]
    .filter((instant) => instant >= 0n)
    .sort((a, b) => (a < b ? -1 : 1));
}

describe('recognition', () => {
  it.each([
    ['half of a month of 30 days', '30', dates('2026-04-01', '2026-05-01'), dates('2026-04-01', '2026-04-16'), '15'],
    ['February of a leap year', '29', dates('2028-02-01', '2028-03-01'), dates('2028-02-28', '2028-03-01'), '2'],
    ['February of another year', '28', dates('2026-02-01', '2026-03-01'), dates('2026-02-28', '2026-03-01'), '1'],
    ["a day of a leap year's plan", '366', dates('2028-01-01', '2029-01-01'), dates('2028-02-29', '2028-03-01'), '1'],
    ['from the 31st to the 28th', '28', dates('2026-01-31', '2026-02-28'), dates('2026-02-01', '2026-03-01'), '27'],
    [
      'a third, rounded half-up to 15 digits',
      '1',
      dates('2026-01-01', '2026-01-04'),
      dates('2026-01-01', '2026-01-02'),
      '0.333333333333333',
    ],
    ['two thirds', '1', dates('2026-01-01', '2026-01-04'), dates('2026-01-01', '2026-01-03'), '0.666666666666667'],
    [
      'a refund of it',
      '-1',
      dates('2026-01-01', '2026-01-04'),
      dates('2026-01-01', '2026-01-03'),
      '-0.666666666666667',
    ],
    ['a second', '7', { start: 0n, end: SECOND }, { start: 0n, end: SECOND / 2n }, '3.5'],
    ['ten years, one day', '3652', dates('2020-03-01', '2030-03-01'), dates('2024-02-29', '2024-03-01'), '1'],
    [
      "no length, at the window's start",
      '5',
      dates('2026-01-01', '2026-01-01'),
      dates('2026-01-01', '2026-01-02'),
      '5',
    ],
    ["no length, at the window's end", '5', dates('2026-01-02', '2026-01-02'), dates('2026-01-01', '2026-01-02'), '0'],
    ['a window before the period', '5', dates('2026-02-01', '2026-03-01'), dates('2026-01-01', '2026-02-01'), '0'],
    ['a window after the period', '5', dates('2026-02-01', '2026-03-01'), dates('2026-03-01', '2026-04-01'), '0'],
  ])('of %s', (_, amount, period, window, expected) => {
    expect(plain(recognize(money(amount), period, window))).toBe(expected);
  });

  it('adds up over adjoining windows, and over all of them to the amount', () => {
    fc.assert(
      fc.property(record, instants, ({ cents, ...period }, parts) => {
        const amount = money(String(cents)).div(100);
        const time = { start: period.start, end: period.start + period.length };
        const cuts = place(period, parts);
        const windows = cuts.slice(1).map((end, index) => ({ start: cuts[index] ?? 0n, end }));
        const together = sum(windows.map((window) => recognize(amount, time, window)));
        expect(plain(together)).toBe(plain(recognize(amount, time, { start: cuts[0] ?? 0n, end: cuts.at(-1) ?? 0n })));
        expect(plain(recognize(amount, time, { start: 0n, end: time.end + SECOND }))).toBe(plain(amount));
      }),
    );
  });
});

describe('recognition in SQL', () => {
  let database: Database;
  beforeAll(async () => {
    database = await freshDatabase(revenue);
  });
  afterAll(() => database.close());

  it('gives the same digits as the rule', async () => {
    const cases = fc.sample(fc.tuple(record, instants), 2_000).flatMap(([{ cents, ...period }, parts]) => {
      const cuts = place(period, parts);
      return cuts.slice(1).map((end, index) => ({
        cents,
        start: period.start,
        end: period.start + period.length,
        from: cuts[index] ?? 0n,
        until: end,
        // Every other one was written when months were closed up to one of the cuts.
        open: index % 2 === 0 ? null : (cuts[(index * 7 + Number(cents % 5)) % cuts.length] ?? null),
      }));
    });
    const rows = await database.acrossOrganizations((em) =>
      query<{ recognized: string; touches: boolean }>(
        em,
        `select (${recognizedSql('record', 'record.from_time', 'record.until_time')})::text as recognized, ${touchesSql('record', 'record.from_time', 'record.until_time')} as touches
       from (select place, cents::numeric(30, 15) / 100 as amount, ${['start', 'end', 'from', 'until'].map((name) => `timestamptz 'epoch' + ${name}_micros * interval '1 microsecond' as ${name === 'start' || name === 'end' ? `period_${name}` : `${name}_time`}`).join(', ')},
               timestamptz 'epoch' + open_micros * interval '1 microsecond' as recognized_from
             from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) with ordinality
               as given (cents, start_micros, end_micros, from_micros, until_micros, open_micros, place)) as record order by place`,
        [
          cases.map(({ cents }) => cents),
          ...(['start', 'end', 'from', 'until'] as const).map((name) => cases.map((one) => String(one[name]))),
          cases.map(({ open }) => (open === null ? null : String(open))),
        ],
      ),
    );
    expect(rows).toHaveLength(cases.length);
    cases.forEach(({ cents, start, end, from, until, open }, index) => {
      const [period, window] = [
        { start, end },
        { start: from, end: until },
      ];
      const expected = recognize(money(String(cents)).div(100), period, window, open ?? start);
      expect(plain(money(rows[index]?.recognized ?? 'NaN'))).toBe(plain(expected));
      if (!expected.isZero()) expect(rows[index]?.touches).toBe(true);
    });
  });
});
