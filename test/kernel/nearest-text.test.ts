import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { nearestText } from '#kernel/nearest-text.ts';
import { leastStretch } from '../support/longest-stretch.ts';

const NAMES = ['claude-sonnet-4-5', 'claude-haiku-4-5', 'gpt-4o', 'gpt-4o-mini', 'review-agent', 'Meridian Bank'];

it.each([
  ['Review-agent', 'review-agent'],
  ['review-agnet', 'review-agent'],
  ['haiku', 'claude-haiku-4-5'],
  ['claude-sonet-4.5', 'claude-sonnet-4-5'],
  ['meridan bank', 'Meridian Bank'],
  ['gpt4o', 'gpt-4o'],
  ['gpt-4o', null],
  ['llama', null],
  ['', null],
  ['x'.repeat(5_000), null],
])('%j probably means %j', (typed, meant) => {
  expect(nearestText(typed, NAMES)).toBe(meant);
});

it('2,000 long names that begin alike are compared without blocking others for 50 ms', async () => {
  const begin = 'customer-of-the-northern-region-'.padEnd(70, 'x');
  const names = Array.from({ length: 2_000 }, (_, index) => `${begin}${String(index).padStart(30, '0')}`);
  const stretch = await leastStretch(async () => {
    nearestText(`${begin}${'q'.repeat(30)}`, names);
    await setImmediate();
  }, 50);
  expect(stretch <= 50 ? 'short' : stretch).toBe('short');
});

it('the nearest text needs the fewest edits; of several, it is the first', () => {
  expect(nearestText('review-agent', ['review-agents-x', 'review-agnt', 'review-agen'])).toBe('review-agnt');
});
