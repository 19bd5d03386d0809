/** Whether two scopes have a call in common, compared with trying every call of a small world. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Scope } from '../../../../subgraphs/costing/fixed-costs/fixed-cost.ts';
import { scopesOverlap } from '../../../../subgraphs/costing/fixed-costs/refuse-double-replacement.ts';
import { runs } from '../../../support/property-runs.ts';

const MODELS = ['a', 'b', 'aa', 'ab', 'ba', 'bb'];
const USERS = ['ann', 'bob'];
const VALUES = ['x', 'y', 'z'];
const CALLS = MODELS.flatMap((model) =>
  USERS.flatMap((user) =>
    VALUES.flatMap((feature) => VALUES.map((variant) => ({ model, user, dimensions: { feature, variant } }))),
  ),
);
type Call = (typeof CALLS)[number];

const some = (values: readonly string[]) => fc.subarray([...values], { minLength: 1 });
const scope: fc.Arbitrary<Scope> = fc.record({
  models: fc.option(some([...MODELS, '*', 'a*', 'b*', 'ab*'])),
  endUsers: fc.option(some(USERS)),
  dimensions: fc
    .record({ feature: some(VALUES), variant: some(VALUES) }, { requiredKeys: [] })
    .map((chosen) => Object.entries(chosen).map(([key, values]) => ({ key: key as 'feature' | 'variant', values }))),
});

function contains({ models, endUsers, dimensions }: Scope, call: Call): boolean {
  const hasModel = (pattern: string) =>
    pattern.endsWith('*') ? call.model.startsWith(pattern.slice(0, -1)) : call.model === pattern;
  return (
    (models === null || models.some(hasModel)) &&
    (endUsers === null || endUsers.includes(call.user)) &&
    dimensions.every(({ key, values }) => values.includes(call.dimensions[key as 'feature' | 'variant']))
  );
}

it('two scopes overlap if, and only if, a call is in both', () => {
  fc.assert(
    fc.property(scope, scope, (one, other) => {
      const expected = CALLS.some((call) => contains(one, call) && contains(other, call));
      expect(scopesOverlap(one, other)).toBe(expected);
    }),
    runs(300, { nightly: 5_000 }),
  );
});
