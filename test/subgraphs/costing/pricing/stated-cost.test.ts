/** The cost that a provider or a router states in a usage object. It shows that a computed cost may be wrong. */
import { expect, it } from 'vitest';
import { money, plain } from '#kernel/money.ts';
import { differsNotably, providerCost } from '#usage/counts/stated-cost.ts';
import { usageSources } from '#usage/counts/usage-sources.ts';

const upstream = { cost_details: { upstream_inference_cost: 0.5 } };

it.each<[string, object, string | null]>([
  ['ticks of xAI', { usage: { cost_in_usd_ticks: 25_000_000 } }, '0.0025'],
  ['OpenRouter', { usage: { cost: 0.02, is_byok: false, ...upstream } }, '0.02'],
  [
    'OpenRouter, with the key of the caller: its own fee and the charge of the vendor',
    { usage: { cost: 0.02, is_byok: true, ...upstream } },
    '0.52',
  ],
  [
    'OpenRouter, with the key of the caller and without a fee',
    { usage: { cost: 0, is_byok: true, ...upstream } },
    '0.5',
  ],
  ['OpenRouter, with the key of the caller and no charge', { usage: { cost: 0.02, is_byok: true } }, null],
  ['another router', { usage: { cost: 0.03 } }, '0.03'],
  ['a cost outside of a usage object, which may be any amount', { cost: 0.03 }, null],
  ['Perplexity', { usage: { cost: { total_cost: 0.04 } } }, '0.04'],
  ['DeepInfra', { usage: { estimated_cost: 0.05 } }, '0.05'],
  ['zero, because the price is unknown', { usage: { cost: 0, estimated_cost: 0.05 } }, '0.05'],
])('a stated cost is read: %s', (_, sent, expected) => {
  const cost = providerCost(usageSources(sent, null));
  expect(cost === null ? null : plain(cost)).toBe(expected);
});

it('a stated cost differs if the difference is more than two percent of the larger amount', () => {
  const differs = (cost: string, stated: string) => differsNotably(money(cost), money(stated));
  expect([differs('98', '100'), differs('97.99', '100'), differs('100', '98'), differs('100', '97.99')]).toEqual([
    ...[false, true, false, true],
  ]);
});
