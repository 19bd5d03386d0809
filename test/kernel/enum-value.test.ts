/** Enum values of the graph and the texts of the contract. */
import { expect, it } from 'vitest';
import { enumText, enumValue } from '#kernel/enum-value.ts';

it.each([
  ['live', 'LIVE'],
  ['break-even', 'BREAK_EVEN'],
  ['pending_rate_card', 'PENDING_RATE_CARD'],
  ['api-key', 'API_KEY'],
  ['otlp-traces', 'OTLP_TRACES'],
])('the text %s is the value %s, and back', (text, value) => {
  expect(enumValue(text)).toBe(value);
  expect(enumText(value)).toBe(text);
});
