/**
 * Recognition as computed by PostgreSQL for every figure, compared with examples and an independent model in integers.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#platform/database/open-database.ts';
import { query } from '#platform/database/sql.ts';
import { recognizedSql, touchesSql } from '../../../../subgraphs/revenue/recognition/recognized-sql.ts';
import type { OrganizationId } from '#kernel/ids.ts';
import { type Instant, parseIso8601 } from '#kernel/time/instant.ts';
import { randomUuid } from '#platform/random.ts';
import { revenueByBucket } from '../../../../subgraphs/revenue/recognition/revenue-series.query.ts';
import { recognizedTotals } from '../../../../subgraphs/revenue/recognition/recognized-totals.ts';
import { revenue } from '../../../../subgraphs/revenue/main.ts';
import { freshDatabase } from '../../../support/fresh-database.ts';
import { toText, toUnits } from '../margin-model.ts';

const SECOND = 1_000_000n;
const HOUR = 3_600n * SECOND;
const DAY = 24n * HOUR;
const CENT = 10n ** 13n;

/** Times are whole microseconds since 1970, amounts whole 10^-15 USD. */
interface Case {
  readonly amount: bigint;
  readonly start: bigint;
  readonly end: bigint;
  readonly from: bigint;
  readonly until: bigint;
  /** The first open instant when the record was written. */
  readonly open: bigint | null;
}

let database: Database;
beforeAll(async () => {
  database = await freshDatabase(revenue);
});
afterAll(() => database.close());

async function recognize(cases: readonly Case[]): Promise<{ recognized: bigint; touches: boolean }[]> {
  const times = ['start', 'end', 'from', 'until', 'open'] as const;
  const named = {
    start: 'period_start',
    end: 'period_end',
    from: 'from_time',
    until: 'until_time',
    open: 'recognized_from',
  };
  const columns = times.map(
    (name) => `timestamptz 'epoch' + ${name}_micros * interval '1 microsecond' as ${named[name]}`,
  );
  const rows = await database.system((tx) =>
    query<{ recognized: string; touches: boolean }>(
      tx,
      `select (${recognizedSql('record', 'record.from_time', 'record.until_time')})::text as recognized,
         ${touchesSql('record', 'record.from_time', 'record.until_time')} as touches
       from (select place, amount::numeric(30, 15) as amount, ${columns.join(', ')}
             from unnest($1::numeric[], ${times.map((_, index) => `$${index + 2}::bigint[]`).join(', ')}) with ordinality
               as given (amount, ${times.map((name) => `${name}_micros`).join(', ')}, place)) as record order by place`,
      [
        cases.map(({ amount }) => toText(amount)),
        ...times.map((name) => cases.map((one) => (one[name] === null ? null : String(one[name])))),
      ],
    ),
  );
  return rows.map(({ recognized, touches }) => ({ recognized: toUnits(recognized), touches }));
}

/**
 * Recognized until an instant: linear, rounded half away from zero, nothing before the period begins or before the
 * first open instant.
 */
function modelUntil({ amount, start, end, open }: Case, instant: bigint): bigint {
  if (instant <= start || (open !== null && instant <= open)) return 0n;
  if (instant >= end) return amount;
  const size = amount < 0n ? -amount : amount;
  const rounded = (2n * size * (instant - start) + (end - start)) / (2n * (end - start));
  return amount < 0n ? -rounded : rounded;
}

const isRounded = ({ amount, start, end }: Case, instant: bigint) =>
  instant > start && instant < end && (amount * (instant - start)) % (end - start) !== 0n;

/**
 * A record: an amount in cents, and a period of whole seconds, as the processor has them. The period is often empty, or
 * a second, a day or a month long. `instants` lie around it.
 */
const record = fc
  .record({
    cents: fc.integer({ min: -10_000_000, max: 10_000_000 }),
    start: fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => BigInt(seconds) * SECOND),
    length: fc.oneof(
      fc.constantFrom(0n, SECOND, DAY, 31n * DAY, 3_652n * DAY),
      fc.integer({ min: 0, max: 315_532_800 }).map((seconds) => BigInt(seconds) * SECOND),
    ),
    cuts: fc.array(fc.bigInt({ min: -10n * SECOND, max: 315_532_800n * SECOND }), { minLength: 2, maxLength: 8 }),
    closed: fc.option(fc.nat(7)),
  })
  .map(({ cents, start, length, cuts, closed }) => {
    const reach = length + 20n * SECOND;
    const places = [...new Set(cuts.map((cut) => start - 10n * SECOND + (((cut % reach) + reach) % reach)))];
    const instants = places.filter((instant) => instant >= 0n).sort((a, b) => (a < b ? -1 : 1));
    const open = closed === null ? null : (instants[closed % Math.max(instants.length, 1)] ?? null);
    return { amount: BigInt(cents) * CENT, start, end: start + length, open, instants };
  });

const windowsOf = ({ instants, ...one }: { instants: bigint[] } & Omit<Case, 'from' | 'until'>): Case[] =>
  instants.slice(1).map((until, index) => ({ ...one, from: instants[index] ?? 0n, until }));

const micros = (iso: string): bigint => BigInt(Date.parse(iso)) * 1000n;

describe('recognition', () => {
  it.each([
    ['half of a month of 30 days', '30', '2026-04-01', '2026-05-01', '2026-04-01', '2026-04-16', '15'],
    ['February of a leap year', '29', '2028-02-01', '2028-03-01', '2028-02-28', '2028-03-01', '2'],
    ['February of another year', '28', '2026-02-01', '2026-03-01', '2026-02-28', '2026-03-01', '1'],
    ["a day of a leap year's plan", '366', '2028-01-01', '2029-01-01', '2028-02-29', '2028-03-01', '1'],
    ['from the 31st to the 28th', '28', '2026-01-31', '2026-02-28', '2026-02-01', '2026-03-01', '27'],
    ['a third, rounded half-up', '1', '2026-01-01', '2026-01-04', '2026-01-01', '2026-01-02', '0.333333333333333'],
    ['two thirds', '1', '2026-01-01', '2026-01-04', '2026-01-01', '2026-01-03', '0.666666666666667'],
    ['a refund of it', '-1', '2026-01-01', '2026-01-04', '2026-01-01', '2026-01-03', '-0.666666666666667'],
    ['the second of three days', '1', '2026-01-01', '2026-01-04', '2026-01-02', '2026-01-03', '0.333333333333334'],
    ['ten years, one day', '3652', '2020-03-01', '2030-03-01', '2024-02-29', '2024-03-01', '1'],
    ["no length, at the window's start", '5', '2026-01-01', '2026-01-01', '2026-01-01', '2026-01-02', '5'],
    ["no length, at the window's end", '5', '2026-01-02', '2026-01-02', '2026-01-01', '2026-01-02', '0'],
    ['a window before the period', '5', '2026-02-01', '2026-03-01', '2026-01-01', '2026-02-01', '0'],
    ['a window after the period', '5', '2026-02-01', '2026-03-01', '2026-03-01', '2026-04-01', '0'],
  ])('recognition of %s', async (_, amount, start, end, from, until, expected) => {
    const times = { start: micros(start), end: micros(end), from: micros(from), until: micros(until) };
    const [only] = await recognize([{ amount: toUnits(amount), ...times, open: null }]);
    expect(toText(only?.recognized ?? 0n)).toBe(expected);
  });

  it('adds up over adjacent windows, and over all of them to the amount', async () => {
    const records = fc.sample(record, 1_000).filter(({ instants }) => instants.length > 1);
    const parts = records.map(windowsOf);
    const recognized = await recognize(parts.flat());
    const union = await recognize(
      records.map(({ instants, ...one }) => ({ ...one, from: instants[0] ?? 0n, until: instants.at(-1) ?? 0n })),
    );
    const all = await recognize(
      records.map(({ instants: _, ...one }) => ({ ...one, from: 0n, until: one.end + 3_660n * DAY })),
    );
    let at = 0;
    records.forEach(({ amount }, index) => {
      const own = recognized.slice(at, at + (parts[index]?.length ?? 0));
      at += own.length;
      expect(own.reduce((sum, part) => sum + part.recognized, 0n)).toBe(union[index]?.recognized);
      expect(all[index]?.recognized).toBe(amount);
    });
  });

  it('matches the model to the last digit, although most amounts are rounded', async () => {
    const cases = fc.sample(record, 2_000).flatMap(windowsOf);
    const inside = cases.flatMap((one) =>
      [one.from, one.until].filter((at) => at > one.start && at < one.end).map((at) => isRounded(one, at)),
    );
    expect(inside.filter((rounded) => rounded).length).toBeGreaterThan(inside.length / 2);
    const rows = await recognize(cases);
    cases.forEach((one, index) => {
      const expected = modelUntil(one, one.until) - modelUntil(one, one.from);
      expect(rows[index]?.recognized).toBe(expected);
      if (expected !== 0n) expect(rows[index]?.touches).toBe(true);
    });
  });

  it('by bucket matches the model to the last digit, including in buckets that overlap or are empty', async () => {
    for (const records of fc.sample(fc.array(record, { minLength: 20, maxLength: 40 }), 25)) {
      // The table stores milliseconds.
      const stored = records.map((one) => ({
        ...one,
        open: one.open === null ? null : one.open - (one.open % SECOND),
      }));
      const organizationId = await store(stored);
      const instants = stored.flatMap((one) => [...one.instants, one.start, one.end, one.open ?? one.end]);
      const sorted = fc
        .sample(fc.shuffledSubarray(instants, { minLength: 8 }), 1)[0]!
        .toSorted((a, b) => (a < b ? -1 : 1));
      const adjoining = sorted.slice(1).map((until, index) => [sorted[index]!, until] as const);
      const buckets = [...adjoining, [sorted[0]!, sorted.at(-1)!] as const, [sorted[3]!, sorted[3]!] as const];
      const recognized = await database.snapshot(organizationId, (tx) =>
        revenueByBucket(
          tx,
          organizationId,
          buckets.map(([start, end]) => ({
            date: '',
            first: new Date(0),
            start: instantOf(start),
            end: instantOf(end),
          })),
        ),
      );
      const expected = buckets.map(([start, end]) =>
        stored.reduce((sum, one) => {
          const whole = { ...one, from: start, until: end };
          return sum + modelUntil(whole, end) - modelUntil(whole, start);
        }, 0n),
      );
      expect(recognized).toEqual(expected);
    }
  });

  it('by day matches the model to the last digit, even if the first and the last day are partial', () => {
    const [whole, hours] = [fc.integer({ min: 3, max: 100 }), fc.integer({ min: 0, max: 23 })];
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 10 }),
        whole,
        hours,
        hours,
        (records, days, early, late) => {
          const midnight = records[0]!.start - (records[0]!.start % DAY) + DAY;
          const instants = [
            ...(early > 0 ? [midnight - BigInt(early) * HOUR] : []),
            ...Array.from({ length: days }, (_, day) => midnight + BigInt(day) * DAY),
            ...(late > 0 ? [midnight + BigInt(days - 1) * DAY + BigInt(late) * HOUR] : []),
          ];
          const { add, totals } = recognizedTotals(instants);
          const indexAfter = (limit: (instant: bigint) => boolean) => {
            const index = instants.findIndex(limit);
            return index < 0 ? instants.length : index;
          };
          for (const { amount, start, end, open } of records) {
            const from = open !== null && open > start ? open : start;
            const started = indexAfter((instant) => instant > from);
            const ended = Math.max(
              started,
              indexAfter((instant) => instant >= end),
            );
            add({ amount, periodStart: start, periodEnd: end, started, ended });
          }
          expect(totals()).toEqual(
            instants.map((instant) =>
              records.reduce((sum, one) => sum + modelUntil({ ...one, from: 0n, until: 0n }, instant), 0n),
            ),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('by bucket reads more records than fit into one read, many of which end at the same instant', async () => {
    const [start, count] = [1_700_000_000n * SECOND, 20_100];
    const records = Array.from({ length: count }, (_, index) => ({
      amount: CENT * BigInt(index + 1),
      start,
      end: start + DAY * (index < 19_950 ? 2n : 3n),
      open: null,
    }));
    const organizationId = await store(records);
    const window = { start: instantOf(start), end: instantOf(start + DAY) };
    const [recognized] = await database.snapshot(organizationId, (tx) => revenueByBucket(tx, organizationId, [window]));
    const expected = records.map((one) => modelUntil({ ...one, from: 0n, until: 0n }, start + DAY));
    expect(recognized).toBe(expected.reduce((sum, one) => sum + one, 0n));
  });
});

async function store(records: readonly Omit<Case, 'from' | 'until'>[]): Promise<OrganizationId> {
  const organizationId = randomUuid();
  const time = (place: number) => `timestamptz 'epoch' + ($${place}::bigint[])[n] * interval '1 microsecond'`;
  await database.system((tx) =>
    query(
      tx,
      `insert into revenue_record (organization_id, line_id, sequence, kind, source_id, invoice_id, position, customer_id,
         amount, currency, period_start, period_end, recognized_from, records, recorded_at)
       select $1, 'line-' || n, 0, 'invoice_line', 'in', 'in', 0, 'cus', ($2::numeric[])[n], 'usd',
         ${time(3)}, ${time(4)}, ${time(5)}, 1, now()
       from generate_subscripts($2::numeric[], 1) as n`,
      [
        organizationId,
        records.map(({ amount }) => toText(amount)),
        ...(['start', 'end', 'open'] as const).map((name) =>
          records.map((one) => (one[name] === null ? null : String(one[name]))),
        ),
      ],
    ),
  );
  return organizationId;
}

function instantOf(whole: bigint): Instant {
  const fraction = String(whole % SECOND).padStart(6, '0');
  const seconds = new Date(Number(whole / SECOND) * 1_000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
  return parseIso8601(`${seconds}.${fraction}Z`)!;
}
