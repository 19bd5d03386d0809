import { describe, expect, it } from 'vitest';
import { formatCount, formatPercent, withUnbrokenAmounts } from '../../../dashboard/figures/amount.ts';
import { exactUsdText, unitUsdText, usdText } from '#kernel/usd-text.ts';
import { formatDevice } from '../../../dashboard/figures/device.ts';
import { formatInstant } from '../../../dashboard/figures/instant.ts';
import { qrCode } from '../../../dashboard/pages/second-factor.ts';
import { bucketsOf } from '../../../dashboard/figures/time-axis.ts';
import { trendChart } from '../../../dashboard/figures/trend-chart.ts';
import { html, print } from '../../../dashboard/shell/html.ts';
import { comparedWindow, windowChoice, windowParameters } from '../../../dashboard/figures/window-choice.ts';

it.each([
  ['0', '$0.00'],
  ['1234.565', '$1,234.57'],
  ['1000000', '$1,000,000.00'],
  ['-0.5', '−$0.50'],
  ['0.00421', '$0.0042'],
  ['-0.000000000000123', '−$0.00000000000012'],
  ['0.005', '$0.01'],
  ['999.999', '$1,000.00'],
])('the amount %s is shown as %s', (text, shown) => expect(usdText(text)).toBe(shown));

it.each([
  ['0', '$0.00'],
  ['0.007', '$0.007'],
  ['0.035', '$0.035'],
  ['0.0333333333', '$0.0333'],
  ['0.00000421', '$0.0000042'],
  ['0.04', '$0.04'],
  ['1.234', '$1.23'],
  ['-0.0125', '−$0.0125'],
])('the cost of a unit, %s, is shown as %s', (text, shown) => expect(unitUsdText(text)).toBe(shown));

it.each([
  ['0.03', '$0.03'],
  ['0.015', '$0.015'],
  ['7.5e-7', '$0.00000075'],
  ['1250', '$1,250.00'],
])('the axis line at %s is labelled %s', (text, shown) => expect(exactUsdText(text)).toBe(shown));

it('an amount and its sign stay on one line', () => {
  const sentence = 'Usage costs −$1,234.50 less & −$0.50 more than $3.00.';
  expect(print(html`${withUnbrokenAmounts(sentence)}`)).toBe(
    'Usage costs <span class="amount">−$1,234.50</span> less &amp; <span class="amount">−$0.50</span> more than $3.00.',
  );
});

it('counts and percentages have thousands separators', () => {
  expect([formatCount(0), formatCount(1234567), formatPercent(-12.3), formatPercent(1234.5)]).toEqual([
    '0',
    '1,234,567',
    '−12.30%',
    '1,234.50%',
  ]);
});

it.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/150.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0) AppleWebKit/605.1.15 Version/19.0 Safari/605.1.15', 'Safari on macOS'],
  ['curl/8.9', 'curl/8.9'],
  ['', 'Unknown device'],
  ['<b>'.repeat(100), '<b>'.repeat(20)],
])('%s is called %s', (userAgent, name) => expect(formatDevice(userAgent)).toBe(name));

it('instants are UTC', () => {
  expect(print(formatInstant('2026-11-21T23:04:05.678Z'))).toBe(
    '<time datetime="2026-11-21T23:04:05.678Z">21 Nov 2026, 23:04&nbsp;UTC</time>',
  );
});

it('a QR code is rendered here, and does not show its content as text', () => {
  const drawn = print(qrCode('otpauth://totp/x?secret=ABC', 'QR code'));
  expect(drawn).toMatch(/^<svg class="qr" viewBox="0 0 (\d+) \1" role="img" aria-label="QR code"/);
  expect(drawn).not.toContain('ABC');
});

describe('a trend', () => {
  const points = [
    { start: '2026-11-01', cost: '0', eventCount: 0 },
    { start: '2026-11-02', cost: '3.2', eventCount: 4 },
  ];

  const pathOf = (from: string, to: string | null) => `/${from}/${to}`;

  it('is drawn up to the next round figure above its values, and has a table of its figures', () => {
    const drawn = print(trendChart(points, 'day', { marks: [], pathOf }));
    expect(drawn).toContain('>$4.00</span>');
    expect(drawn).toContain('height="80.00"');
    expect(drawn).toContain('<a href="/2026-11-01/2026-11-02"');
    expect(drawn).toContain('<a href="/2026-11-02/null"');
    expect(drawn).toContain(
      '<th scope="row">2 Nov 2026</th><td class="number" data-label="Cost"><data value="3.2">$3.20</data></td><td class="number" data-label="Events">4</td>',
    );
  });

  it('marks events at their time in the chart, in its list and in its table', () => {
    const rate = (at: string, name: string) => ({ at, kind: 'rate' as const, name, href: `/rates/cards/${name}` });
    const marks = [
      rate('2026-11-02T23:59:00.000Z', 'a'),
      rate('2026-11-02T01:00:00.000Z', '<b>'),
      rate('2026-11-02T02:00:00.000Z', 'c'),
      rate('2026-11-02T03:00:00.000Z', 'd'),
      { at: '2026-11-01T03:00:00.000Z', kind: 'alert' as const, name: 'Costs', href: '/alerts/1' },
    ];
    const drawn = print(trendChart(points, 'day', { marks, pathOf }));
    expect(drawn).toContain('<path class="mark-line" d="M0.50 0V100M1.50 0V100"/>');
    expect(drawn).toContain(
      '<svg x="75.00%" overflow="visible"><g><title>2 Nov 2026: Other rates: &lt;b&gt;, c, d and 1 more</title>',
    );
    expect(drawn).toContain(
      '<td class="number" data-label="Events">0</td><td data-label="Marks">Alert: <a href="/alerts/1">Costs</a></td>',
    );
    expect(drawn.match(/<a href="\/rates\/cards\/a">a<\/a>/g)).toHaveLength(1);
    expect(drawn.match(/<a href="\/rates\/cards\/c">c<\/a>/g)).toHaveLength(2);
    expect(print(trendChart(points, 'day', { marks: [], pathOf }))).not.toContain('ark');
  });

  it('a trend without costs has no bars', () => {
    expect(print(trendChart(points.slice(0, 1), 'day', { marks: [], pathOf }))).toContain('height="0.00"');
    expect(print(trendChart([], 'day', { marks: [], pathOf }))).toContain('No data');
  });
});

it.each([
  [
    'today',
    '2026-01-31T00:00:00.000Z',
    '2026-01-31T12:00:00.000Z',
    '2026-01-30T00:00:00.000Z',
    '2026-01-30T12:00:00.000Z',
  ],
  [
    'yesterday',
    '2026-01-30T00:00:00.000Z',
    '2026-01-31T00:00:00.000Z',
    '2026-01-29T00:00:00.000Z',
    '2026-01-30T00:00:00.000Z',
  ],
  [
    'month',
    '2026-01-01T00:00:00.000Z',
    '2026-01-31T12:00:00.000Z',
    '2025-12-01T00:00:00.000Z',
    '2025-12-31T12:00:00.000Z',
  ],
  [
    'last-month',
    '2025-12-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
    '2025-11-01T00:00:00.000Z',
    '2025-12-01T00:00:00.000Z',
  ],
  [
    '30d',
    '2026-01-01T12:00:00.000Z',
    '2026-01-31T12:00:00.000Z',
    '2025-12-02T12:00:00.000Z',
    '2026-01-01T12:00:00.000Z',
  ],
  [
    'last-quarter',
    '2025-10-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
    '2025-07-01T00:00:00.000Z',
    '2025-10-01T00:00:00.000Z',
  ],
  [
    '12-months',
    '2025-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
    '2024-01-01T00:00:00.000Z',
    '2025-01-01T00:00:00.000Z',
  ],
  [
    'year',
    '2026-01-01T00:00:00.000Z',
    '2026-01-31T12:00:00.000Z',
    '2025-01-01T00:00:00.000Z',
    '2025-01-31T12:00:00.000Z',
  ],
])('the dates and the comparison of the period %s', (name, start, end, previousStart, previousEnd) => {
  const now = new Date('2026-01-31T12:00:00Z');
  const choice = windowChoice(new URLSearchParams({ window: name }), now);
  const { start: before, end: until } = comparedWindow(choice, 'previous', now);
  expect([choice.start, choice.end, before, until]).toEqual([start, end, previousStart, previousEnd]);
});

it.each([
  // A fiscal year that began last calendar year, and one that has just begun.
  ['fiscal-year-4', '2026-01-31T12:00:00Z', '2025-04-01', '2026-01-31T12', '2024-04-01', '2025-01-31T12'],
  ['last-fiscal-year-4', '2026-01-31T12:00:00Z', '2024-04-01', '2025-04-01', '2023-04-01', '2024-04-01'],
  ['fiscal-year-4', '2026-04-01T01:00:00Z', '2026-04-01', '2026-04-01T01', '2025-04-01', '2025-04-01T01'],
  ['last-fiscal-year-12', '2026-12-31T23:00:00Z', '2025-12-01', '2026-12-01', '2024-12-01', '2025-12-01'],
])('%s at %s', (name, time, ...expected) => {
  const choice = windowChoice(new URLSearchParams({ window: name }), new Date(time));
  expect(choice.name).toBe(name);
  const { start, end } = comparedWindow(choice, 'previous', new Date(time));
  const instants = expected.map((text) => new Date(text.length > 10 ? `${text}:00Z` : text).toISOString());
  expect([choice.start, choice.end, start, end]).toEqual(instants);
});

it('a period in progress ends at the fixed instant, which links keep', () => {
  const now = new Date('2026-01-31T12:00:00Z');
  const query = new URLSearchParams('window=month&at=2026-01-30T08:15:30Z');
  const choice = windowChoice(query, now);
  expect([choice.start, choice.end]).toEqual(['2026-01-01T00:00:00.000Z', '2026-01-30T08:15:30.000Z']);
  expect(new URLSearchParams(windowParameters(choice)).get('at')).toBe('2026-01-30T08:15:30.000Z');
  expect(comparedWindow(choice, 'previous', now).end).toBe('2025-12-30T08:15:30.000Z');
  expect(windowChoice(new URLSearchParams('window=month&at=2026-02-01T00:00:00Z'), now).end).toBe(now.toISOString());
});

it('a bucket that lies only partly in the period is named by its days', () => {
  const period = { start: '2026-10-01T00:00:00.000Z', end: '2026-10-20T12:00:00.000Z' };
  const starts = ['2026-09-28', '2026-10-05', '2026-10-19'];
  expect(bucketsOf(starts, 'week', period).map(({ name, isPartial }) => [name, isPartial])).toEqual([
    ['1–4 Oct 2026', true],
    ['5 Oct 2026', false],
    ['19–20 Oct 2026', true],
  ]);
});
