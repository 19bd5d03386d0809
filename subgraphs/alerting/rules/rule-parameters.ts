/** The kinds of alert rules and their parameters, as stored in `alert_rule.parameters`. */
import type { AlertComparator, AlertGroup, AlertKind, AlertMetric, BudgetPeriod } from '../resolvers.generated.ts';

/** Attribution's cost filter; all conditions must match. */
export interface AlertFilter {
  readonly endUser?: string | null;
  readonly agent?: string | null;
  readonly model?: string | null;
  readonly provider?: string | null;
  readonly dimensions?: readonly { readonly key: string; readonly value: string }[] | null;
}

/** Contains only parameters that the rule's kind accepts, with defaults. Amounts are USD in plain notation. */
export interface RuleParameters {
  readonly filter?: AlertFilter;
  /** Name of outcomes. */
  readonly outcome?: string;
  /** At most one of `groupBy` and `groupByDimension` is set. */
  readonly groupBy?: AlertGroup;
  readonly groupByDimension?: string;
  readonly metric?: AlertMetric;
  readonly comparator?: AlertComparator;
  /** Percent for `MARGIN_PERCENT` and `CREDITS_LOW`, days for `CATALOGUE_OLD`. */
  readonly value?: string;
  /** Only one of `windowHours` and `windowDays` is set. */
  readonly windowHours?: number;
  readonly windowDays?: number;
  readonly period?: BudgetPeriod;
  readonly amount?: string;
  /** In percent, ascending. */
  readonly levels?: readonly number[];
  readonly withForecast?: boolean;
  /** Minimum amount at stake. */
  readonly floor?: string;
}

export type RuleParameter = keyof RuleParameters;

/** Scope required to read the figures and episodes of a rule. */
export type RuleScope = 'costs:read' | 'revenue:read';

/** Parameters that a kind accepts, those it requires, and their defaults. */
export interface KindForm {
  readonly takes: readonly RuleParameter[];
  readonly needs: readonly RuleParameter[];
  readonly defaults: RuleParameters;
  readonly metrics?: readonly AlertMetric[];
  /** Members of the filter that it accepts; all if absent. */
  readonly filters?: readonly (keyof AlertFilter)[];
}

const UNIT_METRICS = ['COST_PER_EVENT', 'COST_PER_THOUSAND_TOKENS'] as const satisfies readonly AlertMetric[];
const REVENUE_METRICS: readonly AlertMetric[] = ['REVENUE', 'MARGIN', 'MARGIN_PERCENT'];

export const KIND_FORMS: Readonly<Record<AlertKind, KindForm>> = {
  THRESHOLD: {
    takes: ['filter', 'groupBy', 'groupByDimension', 'metric', 'comparator', 'value', 'windowHours', 'windowDays'],
    needs: ['metric', 'value'],
    defaults: { comparator: 'ABOVE' },
    metrics: ['COST', 'EVENTS', 'TOKENS', ...UNIT_METRICS, 'REVENUE', 'MARGIN', 'MARGIN_PERCENT'],
  },
  BUDGET: {
    takes: ['filter', 'period', 'amount', 'levels', 'withForecast'],
    needs: ['amount'],
    defaults: { period: 'MONTH', levels: [50, 80, 100], withForecast: true },
  },
  ANOMALY: { takes: ['filter', 'groupBy', 'groupByDimension', 'floor'], needs: [], defaults: { floor: '5' } },
  UNIT_COST: {
    takes: ['filter', 'groupBy', 'groupByDimension', 'metric', 'floor'],
    needs: [],
    defaults: { metric: 'COST_PER_EVENT', floor: '5' },
    metrics: UNIT_METRICS,
  },
  COST_PER_SUCCESS: {
    takes: ['outcome', 'filter', 'value', 'windowDays'],
    needs: ['outcome', 'value'],
    defaults: { windowDays: 7 },
    filters: ['endUser', 'agent', 'model'],
  },
  IDLE_CAPACITY: { takes: ['value', 'windowDays'], needs: [], defaults: { value: '50', windowDays: 7 } },
  CAPACITY_EXHAUSTED: { takes: ['value', 'windowDays'], needs: [], defaults: { value: '90', windowDays: 1 } },
  CUSTOMER_UNPROFITABLE: { takes: ['floor'], needs: [], defaults: { floor: '1' } },
  COST_WITHOUT_REVENUE: { takes: ['floor'], needs: [], defaults: { floor: '10' } },
  UNPRICED: { takes: [], needs: [], defaults: {} },
  NO_DATA: { takes: ['filter', 'groupBy', 'groupByDimension'], needs: [], defaults: {} },
  SYNC_FAILED: { takes: [], needs: [], defaults: {} },
  CREDITS_LOW: { takes: ['value'], needs: [], defaults: { value: '10' } },
  CATALOGUE_OLD: { takes: ['value'], needs: [], defaults: { value: '14' } },
  BILL_DIFFERENCE: { takes: ['floor'], needs: [], defaults: { floor: '1' } },
  BILL_NOT_PULLED: { takes: ['value'], needs: [], defaults: { value: '3' } },
  COMMITMENT_AT_RISK: { takes: [], needs: [], defaults: {} },
  CREDIT_EXPIRING: { takes: [], needs: [], defaults: {} },
  AGREEMENT_ENDING: { takes: [], needs: [], defaults: {} },
  ALLOWANCE_USED: { takes: ['levels'], needs: [], defaults: { levels: [80, 100] } },
};

/** Figures of revenue and margin require `revenue:read`. */
export function scopeOf(kind: AlertKind, { metric }: RuleParameters): RuleScope {
  const isRevenue =
    kind === 'CUSTOMER_UNPROFITABLE' ||
    kind === 'COST_WITHOUT_REVENUE' ||
    kind === 'SYNC_FAILED' ||
    (metric !== undefined && REVENUE_METRICS.includes(metric));
  return isRevenue ? 'revenue:read' : 'costs:read';
}

/** True for metrics that need revenue. */
export function isOfRevenue(metric: AlertMetric | undefined): boolean {
  return metric !== undefined && REVENUE_METRICS.includes(metric);
}
