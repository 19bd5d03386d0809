import { expect, it, test } from 'vitest';
import { configFolder } from '../../../cli/books/environment.ts';
import { parseArgs } from '../../../cli/kit/parse-args.ts';
import { anyText } from '../../../cli/kit/flags.ts';
import { rangeOfArgs, resolveWindow, type WindowName } from '../../../cli/books/resolve-window.ts';

const NOW = new Date('2026-03-31T10:20:30.400Z');
const windowOf = (name: string) =>
  parseArgs('costs', { window: { form: anyText('WINDOW'), about: '' } }, ['--window', name])!;

test.each<[WindowName, string, string]>([
  ['this-month', '2026-03-01T00:00:00.000Z', NOW.toISOString()],
  ['last-month', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ['last-7-days', '2026-03-24T10:20:30.400Z', NOW.toISOString()],
  ['last-30-days', '2026-03-01T10:20:30.400Z', NOW.toISOString()],
  ['last-90-days', '2025-12-31T10:20:30.400Z', NOW.toISOString()],
  ['ytd', '2026-01-01T00:00:00.000Z', NOW.toISOString()],
  ['last-year', '2025-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
])('%s is %s to %s', (name, start, end) => {
  expect(resolveWindow(name, NOW)).toEqual({ start_date: start, end_date: end });
});

test.each([
  ['fiscal-year-4', '2025-04-01T00:00:00.000Z', NOW.toISOString()],
  ['fiscal-year-3', '2026-03-01T00:00:00.000Z', NOW.toISOString()],
  ['last-fiscal-year-4', '2024-04-01T00:00:00.000Z', '2025-04-01T00:00:00.000Z'],
  ['last-fiscal-year-12', '2024-12-01T00:00:00.000Z', '2025-12-01T00:00:00.000Z'],
])('%s is %s to %s', (name, start, end) => {
  expect(rangeOfArgs(windowOf(name), NOW)).toEqual({ start_date: start, end_date: end });
});

it('a fiscal year cannot begin in a thirteenth month', () => {
  expect(() => rangeOfArgs(windowOf('fiscal-year-13'), NOW)).toThrow('--window must be one of');
});

it('the month before January is December', () => {
  expect(resolveWindow('last-month', new Date('2026-01-15T00:00:00Z'))).toEqual({
    start_date: '2025-12-01T00:00:00.000Z',
    end_date: '2026-01-01T00:00:00.000Z',
  });
});

test.each([
  ['linux', {}, '/h/me/.config/books'],
  ['linux', { XDG_CONFIG_HOME: '/elsewhere' }, '/elsewhere/books'],
  ['linux', { XDG_CONFIG_HOME: 'relative' }, '/h/me/.config/books'],
  ['darwin', { XDG_CONFIG_HOME: '/elsewhere' }, '/h/me/Library/Application Support/books'],
] as const)('on %s with %j settings are kept in %s', (platform, environment, folder) => {
  expect(configFolder(platform, environment, '/h/me')).toBe(folder);
});
