import { describe, expect, it } from 'vitest';
import { type RequestedWindow, requestedWindow, windowId } from '#kernel/time/requested-window.ts';
import { windowSoFar } from '#kernel/time/window.ts';

const NOW = new Date('2026-03-31T10:20:30.456Z');

const ends = (input: RequestedWindow) => {
  const { start, end } = requestedWindow(input, NOW);
  return [start.iso, end.iso];
};

describe('a window of the graph', () => {
  it.each<[RequestedWindow, [string, string]]>([
    [{ start: '2026-01-01', end: '2026-02-01' }, ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']],
    [
      { start: '2026-01-01', end: '2026-02-01', last: null, named: null },
      ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ],
    [{ last: { hours: 2 } }, ['2026-03-31T08:20:30.456Z', '2026-03-31T10:20:30.456Z']],
    [{ last: { days: 30 } }, ['2026-03-01T10:20:30.456Z', '2026-03-31T10:20:30.456Z']],
    [{ last: { weeks: 1, days: null } }, ['2026-03-24T10:20:30.456Z', '2026-03-31T10:20:30.456Z']],
    [{ last: { months: 1 } }, ['2026-02-28T10:20:30.456Z', '2026-03-31T10:20:30.456Z']],
    [{ named: 'CURRENT_PERIOD' }, ['2026-03-01T00:00:00.000Z', '2026-03-31T10:20:30.456Z']],
    [{ named: 'LAST_PERIOD' }, ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z']],
  ])('has both ends for %j', (input, expected) => {
    expect(ends(input)).toEqual(expected);
  });

  it('has one id per organization and period, at any time', () => {
    const idAt = (input: RequestedWindow, now = NOW, organization: string | null = 'o1') =>
      windowId(organization, requestedWindow(input, now));
    const later = new Date('2026-04-02T00:00:00Z');
    for (const input of [{ last: { days: 7 } }, { named: 'CURRENT_PERIOD' }] as const)
      expect(idAt(input, later)).toBe(idAt(input));
    expect(idAt({ start: '2026-01-01', end: '2026-02-01T00:00:00+00:00' })).toBe(
      idAt({ start: '2026-01-01T00:00:00.000Z', end: '2026-02-01' }),
    );
    const different = [
      idAt({ last: { days: 7 } }),
      idAt({ last: { days: 8 } }),
      idAt({ last: { hours: 7 } }),
      idAt({ last: { days: 7 } }, NOW, 'o2'),
      idAt({ last: { days: 7 } }, NOW, null),
      idAt({ named: 'CURRENT_PERIOD' }),
      idAt({ named: 'LAST_PERIOD' }),
      idAt({ start: '2026-02-01', end: '2026-03-01' }),
    ];
    expect(new Set(different).size).toBe(different.length);
  });

  it.each<[RequestedWindow, RegExp]>([
    [{}, /one of/],
    [{ last: { days: 1 }, named: 'YTD' }, /one of/],
    [{ start: '2026-01-01', last: { days: 1 } }, /one of/],
    [{ start: '2026-01-01' }, /^end is required/],
    [{ start: '2026-01-02', end: '2026-01-01' }, /^start must be before end$/],
    [{ last: {} }, /one of hours/],
    [{ last: { days: 0 } }, /1 or more/],
    [{ last: { days: 1, hours: 1 } }, /one of hours/],
    [{ last: { months: 10_000 } }, /1970/],
    [{ last: { days: 1_000_000 } }, /1970/],
  ])('%j is invalid', (input, message) => {
    expect(() => ends(input)).toThrow(message);
  });

  it('may start with 1970', () => {
    const { start } = requestedWindow({ last: { days: 1 } }, new Date('1970-01-02T00:00:00Z'));
    expect(start.iso).toBe('1970-01-01T00:00:00.000Z');
  });

  it('a window of the graph that has only just begun is refused', () => {
    expect(() => requestedWindow({ named: 'CURRENT_PERIOD' }, new Date('2026-03-01T00:00:00Z'))).toThrow(
      /only just started/,
    );
  });
});

it('a window up to now ends now, and a future one is empty', () => {
  const soFar = (start: string, end: string) => {
    const part = windowSoFar(requestedWindow({ start, end }, NOW), NOW);
    return [part.start.iso, part.end.iso];
  };
  expect(soFar('2026-01-01', '2026-02-01')).toEqual(['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']);
  expect(soFar('2026-03-01', '2026-05-01')).toEqual(['2026-03-01T00:00:00.000Z', '2026-03-31T10:20:30.456Z']);
  expect(soFar('2026-05-01', '2026-06-01')).toEqual(['2026-05-01T00:00:00.000Z', '2026-05-01T00:00:00.000Z']);
});
