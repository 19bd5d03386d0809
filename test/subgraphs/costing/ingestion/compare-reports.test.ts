/** Whether a report under a known id repeats the stored one, adds to the same call, or is about another call. */
import { describe, expect, it } from 'vitest';
import { compareReports, type Report } from '../../../../subgraphs/costing/ingestion/compare-reports.ts';

const NOON = Date.parse('2026-03-10T12:00:00Z');
const MINUTE = 60_000;
const report = (more: Partial<Report> = {}): Report => ({
  ...{ model: 'acme-1', provider: null, metadata: null, providerUsage: null, units: null, costOverride: null },
  ...{ inputTokens: 100, outputTokens: 10, cacheReadInputTokens: null, cacheCreationInputTokens: null },
  ...{ reasoningTokens: null, eventTimeMs: NOON, receivedAtMs: NOON + 5_000 },
  ...more,
});
const usage = (counts: object) => ({
  providerUsage: { usage: { prompt_tokens: 100, completion_tokens: 10, ...counts } },
});
const served = (fields: object) => report({ providerUsage: { ...usage({}).providerUsage, ...fields } });
/** Times in whole seconds come from a provider, all others from a sender. */
const at = (ms: number, more: Partial<Report> = {}) =>
  report({ eventTimeMs: NOON + ms, receivedAtMs: NOON + 3_600_000, ...more });
const larger = { outputTokens: 20 };

describe('two reports', () => {
  it.each<[string, Report, Report, string]>([
    ['that are equal', report(), report(), 'same'],
    ['with more output', report(), report(larger), 'larger'],
    ['with less output', report(larger), report(), 'conflict'],
    ['with more input at the same time', report(), report({ inputTokens: 200 }), 'larger'],
    ['with other whole seconds', at(0), at(1_000, larger), 'conflict'],
    ['in the same second', at(0), at(999, larger), 'larger'],
    ['of which one has a whole second', at(0), at(1_001, larger), 'larger'],
    ['ten minutes apart', at(1), at(10 * MINUTE + 1, larger), 'larger'],
    ['ten minutes apart, the later one first', at(10 * MINUTE + 1), at(1, larger), 'larger'],
    ['more than ten minutes apart', at(1), at(10 * MINUTE + 2, larger), 'conflict'],
    ['minutes apart with another input', at(1), at(2_001, { inputTokens: 200 }), 'conflict'],
    ['minutes apart with the same counts', at(1), at(2_001), 'same'],
    [
      'of which one has the time of its receipt',
      at(1),
      report({ eventTimeMs: NOON + 30 * MINUTE, receivedAtMs: NOON + 30 * MINUTE + 99, ...larger }),
      'larger',
    ],
    [
      'of which one was received a moment before its time',
      at(1),
      report({ eventTimeMs: NOON + 30 * MINUTE, receivedAtMs: NOON + 30 * MINUTE - 99, ...larger }),
      'larger',
    ],
    [
      'of which one was received long before its time',
      at(1),
      report({ eventTimeMs: NOON + 30 * MINUTE, receivedAtMs: NOON + 29 * MINUTE, ...larger }),
      'conflict',
    ],
    ['with another number of the usage', report(usage({})), report(usage({ completion_tokens: 20 })), 'larger'],
    ['of which the first reports a zero more', report(usage({ audio_tokens: 0 })), report(usage({})), 'same'],
    [
      'of which the first reports a zero more, with more of something that has no price',
      report(usage({ audio_tokens: 0, retries: 1 })),
      report(usage({ retries: 2 })),
      'larger',
    ],
    ['with another cost of the vendor only', report(usage({ cost: 1 })), report(usage({ cost: 2 })), 'same'],
    ['of which the later details cached tokens', report(), report({ cacheReadInputTokens: 90 }), 'larger'],
    ['of which the first details cached tokens', report({ cacheReadInputTokens: 90 }), report(), 'same'],
    ['of which the later details reasoning', report(), report({ reasoningTokens: 5 }), 'same'],
    ['of which the later names the tier', report(usage({})), served({ service_tier: 'priority' }), 'larger'],
    ['of which the first names the tier', served({ service_tier: 'priority' }), report(usage({})), 'same'],
    ['with two tiers', served({ service_tier: 'priority' }), served({ service_tier: 'flex' }), 'conflict'],
    ['of which the later counts a search', report(), served({ billed_tools: { web_searches: 1 } }), 'larger'],
    ['of which the first counts a search', served({ billed_tools: { web_searches: 1 } }), report(), 'same'],
    ['with another model', report(), report({ model: 'acme-2', ...larger }), 'conflict'],
    ['of which only the first is an estimate', report({ metadata: { incomplete: true } }), report(), 'larger'],
    ['of which only the later is an estimate', report(), report({ metadata: { incomplete: true }, ...larger }), 'same'],
  ])('two reports %s are compared', (_, stored, later, expected) => {
    expect(compareReports(stored, later, () => false)).toBe(expected);
  });

  it('are about one call if one card prices the models of both', () => {
    expect(compareReports(report(), report({ model: 'acme-2', ...larger }), () => true)).toBe('larger');
  });
});
