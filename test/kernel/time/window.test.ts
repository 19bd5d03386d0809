import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseWindow, refuseMonthsOver, type WindowRules } from '#kernel/time/window.ts';
import { KnownError } from '#kernel/errors.ts';
import { compareInstants } from '#kernel/time/instant.ts';

const NOW = new Date('2026-03-15T12:34:56.789Z');

/** Without `required`, both may be left out. */
function parse(start?: unknown, end?: unknown, { required, ...rules }: WindowRules & { required?: true } = {}) {
  return parseWindow({ start, end }, required ? rules : { now: NOW, ...rules });
}

function texts(...input: Parameters<typeof parse>): { start: string; end: string } {
  const { start, end } = parse(...input);
  return { start: start.iso, end: end.iso };
}

function refusal(...input: Parameters<typeof parse>): string {
  try {
    return `accepted ${JSON.stringify(parse(...input))}`;
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

describe('a window with both dates', () => {
  test.each([
    ['2026-01-01', '2026-02-01', '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['2026-01-01T10:00', '2026-01-01T10:00:00.000001', '2026-01-01T10:00:00.000Z', '2026-01-01T10:00:00.000001Z'],
    ['2026-01-01T00:00:00+0200', '2026-01-01T00:00:00Z', '2025-12-31T22:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['1970-01-01', '2070-01-01', '1970-01-01T00:00:00.000Z', '2070-01-01T00:00:00.000Z'],
    ['9999-01-01', '9999-12-31', '9999-01-01T00:00:00.000Z', '9999-12-31T00:00:00.000Z'],
  ])('from %s to %s is the same for optional and required dates', (start, end, from, to) => {
    expect(texts(start, end)).toEqual({ start: from, end: to });
    expect(texts(start, end, { required: true })).toEqual({ start: from, end: to });
  });
});

describe('missing dates', () => {
  test.each([
    [undefined, undefined, '2026-03-01T00:00:00.000Z', '2026-03-15T12:34:56.789Z'],
    ['2026-01-05', undefined, '2026-01-05T00:00:00.000Z', '2026-03-15T12:34:56.789Z'],
    [undefined, '2026-01-31', '2026-01-01T00:00:00.000Z', '2026-01-31T00:00:00.000Z'],
    [undefined, '2026-02-01', '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    [undefined, '2026-02-01T00:00:00.000001Z', '2026-02-01T00:00:00.000Z', '2026-02-01T00:00:00.000001Z'],
    [undefined, '2026-01-01', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ])('start %s and end %s get their defaults', (start, end, from, to) => {
    expect(texts(start, end)).toEqual({ start: from, end: to });
  });

  test('default to the month before at the first instant of a month', () => {
    expect(texts(undefined, undefined, { now: new Date('2026-03-01T00:00:00Z') })).toEqual({
      start: '2026-02-01T00:00:00.000Z',
      end: '2026-03-01T00:00:00.000Z',
    });
  });

  test('are refused if required, and at the beginning of time', () => {
    expect(refusal(undefined, '2026-01-01', { required: true })).toBe('VALIDATION_ERROR: start_date is required');
    expect(refusal('2026-01-01', undefined, { required: true })).toBe('VALIDATION_ERROR: end_date is required');
    expect(refusal(undefined, '1970-01-01')).toMatch(/^VALIDATION_ERROR: start_date is required/);
  });
});

describe('a window is refused', () => {
  test.each([
    '',
    ' ',
    '2026-02-30',
    '2026-01-01\0',
    '\0',
    'yesterday',
    '1969-12-31',
    '10000-01-01',
    '2026-01-01 00:00',
    '1767225600000',
    '\ud800',
    'x'.repeat(10_000),
  ])('if a date is %j', (text) => {
    expect(refusal(text, '2026-02-01')).toMatch(/^VALIDATION_ERROR: start_date must be an ISO 8601 date or date-time/);
    expect(refusal('2026-02-01', text)).toMatch(/^VALIDATION_ERROR: end_date must be an ISO 8601 date or date-time/);
  });

  test('if a parameter is repeated, even with the same value', () => {
    expect(refusal(['2026-01-01', '2026-01-01'], '2026-02-01')).toBe(
      'VALIDATION_ERROR: start_date must be given only once',
    );
    expect(refusal('2026-01-01', ['2026-02-01'])).toBe('VALIDATION_ERROR: end_date must be given only once');
  });

  test.each([
    ['2026-01-01', '2026-01-01'],
    ['2026-01-02', '2026-01-01'],
    ['2026-01-01T00:00:00.000002Z', '2026-01-01T00:00:00.000001Z'],
    ['2026-01-01T02:00:00+02:00', '2026-01-01'],
    ['2027-01-01', undefined],
  ])('if its start %s is not before its end %s', (start, end) => {
    expect(refusal(start, end)).toMatch(/^VALIDATION_ERROR: start_date must be before end_date/);
  });
});

describe('the maximum length', () => {
  const tooLong = (code: string, length: string) =>
    `${code}: The range from start_date to end_date must not be longer than ${length}`;

  test.each([
    ['2026-01-01', '2026-04-01', true],
    ['2026-01-01', '2026-04-01T00:00:00.000001Z', false],
    ['2026-01-01T00:00:00.000001Z', '2026-04-01T00:00:00.000001Z', true],
    ['2026-01-01', '2026-04-02', false],
  ])('of 90 days, for %s to %s: allowed is %s', (start, end, isAllowed) => {
    expect(refusal(start, end, { daysMax: 90 })).toMatch(
      isAllowed ? /^accepted/ : tooLong('VALIDATION_ERROR', '90 days'),
    );
  });

  test.each([
    ['2025-01-01', '2026-01-01', true],
    ['2025-01-01', '2026-01-01T00:00:00.001Z', false],
    ['2025-01-01', '2026-01-01T00:00:00.000001Z', false],
    ['2024-01-01', '2025-01-01', true],
    ['2024-02-29', '2025-02-28', true],
    ['2024-02-29', '2025-03-01', false],
    ['2023-02-28', '2024-02-29', false],
    ['2025-01-15T10:00:00Z', '2026-01-15T10:00:00Z', true],
    ['2025-01-15T10:00:00Z', '2026-01-15T10:00:01Z', false],
  ])('of 12 months, for %s to %s: allowed is %s', (start, end, isAllowed) => {
    expect(refusal(start, end, { monthsMax: 12 })).toMatch(
      isAllowed ? /^accepted/ : tooLong('UNPROCESSABLE_ENTITY', '12 months'),
    );
  });

  test('100 years, whatever else is allowed', () => {
    expect(refusal('1970-01-01', '2070-01-01T00:00:00.001Z')).toBe(tooLong('VALIDATION_ERROR', '100 years'));
    expect(refusal('1970-01-01', '9999-12-31', { monthsMax: 12 })).toBe(tooLong('VALIDATION_ERROR', '100 years'));
  });
});

test('12 months also apply to a window that was parsed without a limit', () => {
  expect(() => refuseMonthsOver(parse('2025-01-01', '2026-01-01'), 12)).not.toThrow();
  expect(() => refuseMonthsOver(parse('2025-01-01', '2026-01-01T00:00:00.000001Z'), 12)).toThrow(
    'longer than 12 months',
  );
});

test('a value of the wrong type in a GraphQL key is refused with the same message', () => {
  for (const value of [null, 7, {}, true]) {
    expect(refusal(value, '2026-02-01')).toMatch(/^VALIDATION_ERROR: start_date must be an ISO 8601 date or date-time/);
  }
});

test('any input gives an ordered window or a known error', () => {
  const aDate = fc.oneof(
    fc
      .date({ min: new Date(0), max: new Date('2050-01-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    fc.string({ unit: 'binary' }),
    fc.array(fc.string()),
    fc.constant(undefined),
  );
  fc.assert(
    fc.property(aDate, aDate, (start, end) => {
      const answer = refusal(start, end);
      if (answer.startsWith('accepted')) {
        const window = parse(start, end);
        expect(compareInstants(window.start, window.end)).toBe(-1);
      } else {
        expect(answer).toMatch(/^VALIDATION_ERROR: .*(?:start|end)_date/);
      }
    }),
  );
});
