import { expect, it } from 'vitest';
import { nearestText } from '#kernel/nearest-text.ts';

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
