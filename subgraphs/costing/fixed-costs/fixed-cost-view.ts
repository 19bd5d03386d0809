/** GraphQL view of a fixed cost. */
import type { FixedCostDriver, FixedCostRateUnit } from '../resolvers.generated.ts';
import { type FixedCost, weightsByClass } from './fixed-cost.ts';

/** Fields that are read without another query. Resolvers of the other fields use `id`. */
export type FixedCostView = ReturnType<typeof toFixedCostView>;

export function toFixedCostView(fixedCost: FixedCost) {
  const {
    id,
    key,
    name,
    provider,
    driver,
    unit,
    capacity,
    weights,
    scope,
    shares,
    replacesModelCost,
    periods,
    changedAt,
  } = fixedCost;
  return {
    fixedCostId: id,
    key,
    name,
    provider,
    driver: driver.toUpperCase() as FixedCostDriver,
    unit,
    capacityPerDay: capacity,
    weights:
      driver === 'tokens'
        ? Object.entries(weightsByClass(weights)).map(([name, weight]) => ({ class: name, weight }))
        : [],
    scope: {
      models: scope.models && [...scope.models],
      endUsers: scope.endUsers && [...scope.endUsers],
      dimensions: scope.dimensions.map(({ key: dimension, values }) => ({ key: dimension, values: [...values] })),
    },
    shares: shares.map(({ externalId, percent }) => ({ endUser: externalId, percent })),
    replacesModelCost,
    periods: periods.map((period) => ({
      from: period.fromDay,
      until: period.untilDay,
      amount: period.amount,
      currency: 'USD',
      per: period.per.toUpperCase() as FixedCostRateUnit,
      quantity: period.quantity,
    })),
    changedAt,
  };
}
