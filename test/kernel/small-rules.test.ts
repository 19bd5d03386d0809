/** Bounds and forms of texts, ids, days and slices. */
import { expect, it } from 'vitest';
import { bearerTokenOf } from '#kernel/bearer-token.ts';
import { hasTextLength, textError } from '#kernel/bounded-text.ts';
import { retryAfterSeconds } from '#kernel/errors.ts';
import { nodeIdOf, parseNodeId } from '#kernel/node-id.ts';
import { slicesWithin } from '#kernel/slices-within.ts';
import { smallerSiblings } from '#kernel/smaller-siblings.ts';
import { parseDayRange } from '#kernel/time/day-range.ts';
import { daysEarlier, daysLater, earlier, later } from '#kernel/time/duration.ts';
import { dateInWords, dayInWords, monthInWords, timeInWords } from '#kernel/time/in-words.ts';
import { isWithinSpan } from '#kernel/time/iso-span.ts';
import { addDays, dayOf, isDay } from '#kernel/time/utc-day.ts';
import { isUuid, uuidV5 } from '#kernel/uuid.ts';

it.each([
  ['', false],
  ['x', true],
  ['x'.repeat(255), true],
  ['x'.repeat(256), false],
  ['😀'.repeat(255), true],
  ['😀'.repeat(256), false],
])('a text of a length within bounds %#: %s', (text, expected) => {
  expect(hasTextLength(text)).toBe(expected);
});

it.each([
  ['x', null],
  ['x\0', 'a NUL character'],
  ['\ud800', 'a lone surrogate (it is not valid Unicode)'],
])('the error of %j is %s', (text, fault) => {
  expect(textError(text)).toBe(fault);
});

it.each([
  ['Bearer abc', 'abc'],
  ['bearer  abc', 'abc'],
  ['Bearer abc def', undefined],
  ['Bearer ', undefined],
  ['Bearerabc', undefined],
  ['Basic abc', undefined],
  ['x Bearer abc', undefined],
  [undefined, undefined],
])('the token of %s is %s', (authorization, token) => {
  expect(bearerTokenOf(authorization === undefined ? {} : { authorization })).toBe(token);
});

it.each([
  [{ code: 'SERVICE_UNAVAILABLE', details: {} }, 5],
  [{ code: 'SERVICE_UNAVAILABLE', details: { retryAfterSeconds: 9 } }, 9],
  [{ code: 'RATE_LIMIT_EXCEEDED', details: { retryAfterSeconds: 0 } }, 0],
  [{ code: 'RATE_LIMIT_EXCEEDED', details: { retryAfterSeconds: '9' } }, null],
  [{ code: 'NOT_FOUND', details: {} }, null],
] as const)('%j is to be retried after %s', (error, seconds) => {
  expect(retryAfterSeconds(error)).toBe(seconds);
});

it('a node id names a type, an organization and a key', () => {
  const id = Buffer.from('Model:org:gpt:4').toString('base64url');
  expect(nodeIdOf('Model', 'org', 'gpt:4')).toBe(id);
  expect(parseNodeId(id)).toEqual({ type: 'Model', organizationId: 'org', key: 'gpt:4' });
  expect(parseNodeId(`${id}=`)).toBeNull();
});

it.each([
  'Model',
  'Model:org',
  'Model:org:',
  ':org:key',
  'Mo del:org:key',
  `${'M'.repeat(65)}:org:key`,
  `Model:${'o'.repeat(65)}:key`,
])('%s is not a node id', (text) => {
  expect(parseNodeId(Buffer.from(text).toString('base64url'))).toBeNull();
});

it.each([`${'M'.repeat(64)}:org:key`, `Model:${'o'.repeat(64)}:key`, 'Model::key', 'Model:org:a\nb'])(
  '%s is a node id',
  (text) => {
    expect(parseNodeId(Buffer.from(text).toString('base64url'))).not.toBeNull();
  },
);

it.each<[number[], number[][]]>([
  [[], []],
  [[4, 6], [[4, 6]]],
  [
    [4, 7],
    [[4], [7]],
  ],
  [
    [1, 1, 1, 1],
    [[1, 1, 1], [1]],
  ],
  [
    [11, 1],
    [[11], [1]],
  ],
  [
    [5, 5, 5],
    [[5, 5], [5]],
  ],
])('%j is divided into slices of at most 3 items and 10 bytes', (sizes, slices) => {
  expect(slicesWithin(sizes, (size) => size, { countMax: 3, bytesMax: 10 })).toEqual(
    slices.map((items) => ({ items, bytes: items.reduce((sum, size) => sum + size, 0) })),
  );
});

it.each<[string, string[]]>([
  ['claude-opus-4-1-20250805', ['claude-sonnet-4-1']],
  ['claude-sonnet-4-5', ['claude-haiku-4-5']],
  ['claude-haiku-4-5', []],
  ['gemini-2.5-pro', ['gemini-2.5-flash']],
  ['gemini-2.5-flash-preview', ['gemini-2.5-flash-lite']],
  ['gemini-2.5-flash-lite', []],
  ['nova-premier-v1', ['nova-pro-v1']],
  ['nova-micro-v1', []],
  ['mistral-large-latest', ['mistral-medium', 'mistral-small']],
  ['mistral-medium', ['mistral-small']],
  ['mistral-small', []],
  ['mistral-tiny', []],
  ['gpt-5-mini-2025-08-07', ['gpt-5-nano']],
  ['gpt-5-nano', []],
  ['gpt-5', ['gpt-5-mini', 'gpt-5-small']],
  ['gpt-5@20250807', ['gpt-5-mini', 'gpt-5-small']],
])('the sibling models of %s that are smaller are %j', (model, siblings) => {
  expect(smallerSiblings(model)).toEqual(siblings);
});

it('instants are moved by seconds and by days', () => {
  const time = new Date('2026-11-26T12:00:00Z');
  expect(later(time, 90)).toEqual(new Date('2026-11-26T12:01:30Z'));
  expect(earlier(time, 90)).toEqual(new Date('2026-11-26T11:58:30Z'));
  expect(daysLater(time, 5)).toEqual(new Date('2026-12-01T12:00:00Z'));
  expect(daysEarlier(time, 26)).toEqual(new Date('2026-10-31T12:00:00Z'));
});

it('times in words are in UTC', () => {
  const time = new Date('2026-11-01T00:04:59Z');
  expect([dateInWords, dayInWords, monthInWords, timeInWords].map((print) => print(time))).toEqual([
    '1 Nov 2026',
    '1 Nov',
    'November 2026',
    '00:04',
  ]);
});

it.each([
  ['2026-02-28', true],
  ['2028-02-29', true],
  ['2026-02-29', false],
  ['2026-2-28', false],
  ['2026-02-28T00:00:00Z', false],
])('%s is a day: %s', (text, expected) => {
  expect(isDay(text)).toBe(expected);
});

it('days are counted', () => {
  expect(dayOf(Date.parse('2026-11-26T23:59:59.999Z'))).toBe('2026-11-26');
  expect([addDays('2026-02-28', 1), addDays('2026-03-01', -1), addDays('2026-12-31', 1)]).toEqual([
    '2026-03-01',
    '2026-02-28',
    '2027-01-01',
  ]);
});

it('a range of days is parsed', () => {
  expect(parseDayRange({ from: '2026-03-01', until: null })).toEqual({ from: '2026-03-01', until: null });
  expect(parseDayRange({ until: '2026-03-01' })).toEqual({ from: null, until: '2026-03-01' });
  expect(() => parseDayRange({ from: 'x' })).toThrow('from must be a UTC day');
  expect(() => parseDayRange({ until: '' })).toThrow('until must be a UTC day');
});

it.each([
  [{}, 0, true],
  [{ from: '1970-01-02' }, 86_400_000, true],
  [{ from: '1970-01-02' }, 86_399_999, false],
  [{ until: '1970-01-02' }, 86_399_999, true],
  [{ until: '1970-01-02' }, 86_400_000, false],
])('%j contains %d: %s', (span, at, expected) => {
  expect(isWithinSpan(span, at)).toBe(expected);
});

it.each([
  ['0199a1b2-7c00-7000-8000-00000000c0de', true],
  ['0199A1B2-7C00-7000-8000-00000000C0DE', true],
  ['0199a1b2-7c00-7000-8000-00000000c0d', false],
  ['0199a1b2-7c00-7000-8000-00000000c0dee', false],
  ['0199a1b27c0070008000000000000c0de', false],
  ['g199a1b2-7c00-7000-8000-00000000c0de', false],
])('%s is a UUID: %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});

it('a name-based UUID equals that of RFC 9562, appendix A.4', () => {
  expect(uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
    '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  );
});
