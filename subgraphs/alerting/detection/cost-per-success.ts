/**
 * `COST_PER_SUCCESS`: completed tasks cost more than a threshold, failed attempts included. To stay exact, the total
 * cost is compared with the threshold times the number of completed tasks.
 */
import { amount, plain } from '#kernel/money.ts';
import { judgeThreshold, type ThresholdMemory } from './threshold.ts';
import { exact, type Verdict } from './verdict.ts';

export interface CostPerSuccessInput {
  /** Completed tasks and failed attempts. */
  readonly count: number;
  readonly succeeded: number;
  /** USD, as exact text. */
  readonly cost: string;
  readonly failedCost: string;
  /** Null without completed tasks. */
  readonly costPerSuccess: string | null;
  /** USD per completed task. */
  readonly threshold: string;
}

/**
 * If no task was completed, the rule fires when the failed attempts cost more than the threshold. Until then the state
 * stays the same.
 */
export function judgeCostPerSuccess(
  { count, succeeded, cost, failedCost, costPerSuccess, threshold }: CostPerSuccessInput,
  previous: ThresholdMemory | null,
): Verdict<ThresholdMemory | null> {
  const figures = [
    { name: 'cost_per_success', value: costPerSuccess, unit: 'usd_per_success' },
    exact('threshold', threshold, 'usd_per_success'),
    exact('cost', cost, 'usd'),
    exact('failed_cost', failedCost, 'usd'),
    exact('outcomes', String(count), 'count'),
    exact('succeeded', String(succeeded), 'count'),
  ] as const;
  if (count === 0 && cost === '0') return { state: 'OK', memory: null, end: 'NOT_APPLICABLE', figures };
  const isUnknown = succeeded === 0 && amount(cost) <= amount(threshold);
  const { state, memory, end } = judgeThreshold(
    {
      value: isUnknown ? null : cost,
      comparator: 'ABOVE',
      threshold: plain(amount(threshold) * BigInt(Math.max(succeeded, 1))),
      unit: 'usd',
    },
    previous,
  );
  return { state, memory, end, figures };
}
