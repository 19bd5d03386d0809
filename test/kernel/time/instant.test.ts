import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalInstant,
  compareInstants,
  instantAt,
  microsOf,
  parseIso8601,
  parseRfc3339,
} from '#kernel/time/instant.ts';

describe('a date-time of RFC 3339 is accepted by both parsers', () => {
  test.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00.500Z'],
    ['2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123456Z'],
    ['2026-01-01T00:00:00.123000Z', '2026-01-01T00:00:00.123Z'],
    ['2026-01-01T00:00:00.1239999999Z', '2026-01-01T00:00:00.123999Z'],
    ['2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000001Z'],
    ['2026-01-01T00:00:00+02:00', '2025-12-31T22:00:00.000Z'],
    ['2026-01-01T00:00:00-05:30', '2026-01-01T05:30:00.000Z'],
    ['2026-01-01T00:00:00-00:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01t00:00:00z', '2026-01-01T00:00:00.000Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2015-06-30T20:59:60.5-03:00', '2015-07-01T00:00:00.500Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['1969-12-31T19:00:00-05:00', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('%s', (text, iso) => {
    const expected = { iso, epochMs: Math.floor(Date.parse(iso.replace(/(\.\d{3})\d+/, '$1'))) };
    expect(parseRfc3339(text)).toEqual(expected);
    expect(parseIso8601(text)).toEqual(expected);
  });
});

describe('a reduced form is accepted by queries only', () => {
  test.each([
    ['2026-01-01', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T10:20', '2026-01-01T10:20:00.000Z'],
    ['2026-01-01T10:20:30', '2026-01-01T10:20:30.000Z'],
    ['2026-01-01T10:20:30.25', '2026-01-01T10:20:30.250Z'],
    ['2026-01-01T10:20:30,25', '2026-01-01T10:20:30.250Z'],
    ['2026-01-01T10:20Z', '2026-01-01T10:20:00.000Z'],
    ['2026-01-01T10:20:30+0200', '2026-01-01T08:20:30.000Z'],
    ['2026-01-01T10:20:30+02', '2026-01-01T08:20:30.000Z'],
  ])('%s', (text, iso) => {
    expect(parseIso8601(text)?.iso).toBe(iso);
    expect(parseRfc3339(text)).toBeNull();
  });
});

describe('nothing else is an instant', () => {
  test.each([
    '',
    ' ',
    '2026',
    '2026-01',
    '20260101',
    '2026-1-1',
    '2026-001',
    '2026-W01-1',
    '01/02/2026',
    '1767225600',
    'now',
    'today',
    '2026-13-01',
    '2026-00-01',
    '2026-01-00',
    '2026-01-32',
    '2026-02-29',
    '2025-02-29T00:00:00Z',
    '1900-02-29',
    '2100-02-29',
    '2026-04-31',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:61Z',
    '2026-01-01T12:00:60Z',
    '2026-03-31T23:59:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+00:60',
    '2026-01-01T00:00:00.Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00 02:00',
    '2026-01-01T00:00:00 Z',
    '2026-01-01Z',
    '2026-01-01T',
    '2026-01-01T10',
    '2026-01-01T10Z',
    ' 2026-01-01',
    '2026-01-01 ',
    '2026-01-01\n',
    '2026-01-01\u0000',
    '+002026-01-01',
    '-2026-01-01',
    '10000-01-01',
    '1969-12-31',
    '0000-01-01',
    '0026-01-01',
    '1970-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-00:01',
    '２０２６-01-01',
    '٢٠٢٦-01-01',
    '2026-01-01T00:00:00−01:00',
    `2026-01-01T00:00:00.${'1'.repeat(60)}Z`,
  ])('%j', (text) => {
    expect(parseIso8601(text)).toBeNull();
    expect(parseRfc3339(text)).toBeNull();
  });
});

const anInstant = fc
  .record({
    ms: fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }),
    micros: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999 })),
  })
  .map(
    ({ ms, micros }) => `${new Date(ms).toISOString().slice(0, -1)}${micros ? String(micros).padStart(3, '0') : ''}Z`,
  );

test('a parsed instant can be parsed again', () => {
  fc.assert(fc.property(anInstant, (text) => parseRfc3339(text)?.iso === text && parseIso8601(text)?.iso === text));
});

const twoDigits = (max: number) => fc.integer({ min: 0, max }).map((number) => String(number).padStart(2, '0'));
const anyTime = fc
  .tuple(
    fc.integer({ min: 1960, max: 2040 }),
    twoDigits(13),
    twoDigits(32),
    twoDigits(25),
    twoDigits(61),
    twoDigits(61),
    fc.integer({ min: 100, max: 999 }),
  )
  .map(([year, month, day, hour, minute, second, ms]) => `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}`);

test('the printed form of instants is parsed like the others, including impossible dates and leap seconds', () => {
  const ends = [
    '2016-12-31T23:59:60.000',
    '2024-02-29T00:00:00.000',
    '2023-02-29T00:00:00.000',
    '1970-01-01T00:00:00.000',
  ];
  for (const text of ends) expect(parseRfc3339(`${text}Z`)).toEqual(parseRfc3339(`${text}+00:00`));
  fc.assert(
    fc.property(anyTime, (text) => {
      expect(parseRfc3339(`${text}Z`)).toEqual(parseRfc3339(`${text}+00:00`));
    }),
  );
});

test('an instant and its number of microseconds convert to each other exactly, even far from now', () => {
  fc.assert(
    fc.property(anInstant, (text) => {
      const instant = parseRfc3339(text)!;
      expect(instantAt(microsOf(instant))).toEqual(instant);
      expect(canonicalInstant(`${text.slice(0, -1).padEnd('2026-01-01T00:00:00.000000'.length, '0')}Z`)).toBe(text);
    }),
  );
  expect(microsOf(parseRfc3339('1970-01-01T00:00:01.000002Z')!)).toBe(1_000_002n);
  expect(instantAt(253_402_300_799_999_999n).iso).toBe('9999-12-31T23:59:59.999999Z');
});

test('instants are ordered by time, whatever their precision', () => {
  const micros = (text: string) =>
    BigInt(parseRfc3339(text)!.epochMs) * 1000n + BigInt(text.length === 27 ? text.slice(23, 26) : 0);
  const close = fc
    .integer({ min: 0, max: 4 })
    .chain((ms) => fc.integer({ min: 0, max: 3 }).map((us) => `2026-01-01T00:00:00.00${ms}${us ? `00${us}` : ''}Z`));
  fc.assert(
    fc.property(fc.oneof(anInstant, close), fc.oneof(anInstant, close), (a, b) => {
      const [left, right] = [micros(a), micros(b)];
      expect(compareInstants(parseRfc3339(a)!, parseRfc3339(b)!)).toBe(left < right ? -1 : left > right ? 1 : 0);
    }),
  );
});
