/** Alert rules in words: what each kind watches and which fields it takes, and what a single rule watches. */
import { unitUsdText, usdText } from '#kernel/usd-text.ts';
import { COST_GROUPINGS } from '#schema/cost-groupings.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';

export const RULES = graphql(`query AlertRules {
  alertRules {
    id kind name isBuiltIn isMuted mutedUntil channelIds
    filter { endUser agent model provider dimensions { key value } }
    outcome groupBy groupByDimension metric comparator value windowHours windowDays period amount levels withForecast floor
  }
}`);

export type AlertRule = DataOf<'AlertRules'>['alertRules'][number];
export type AlertKind = AlertRule['kind'];
export type RuleField =
  | 'outcome'
  | 'metric'
  | 'value'
  | 'window'
  | 'period'
  | 'amount'
  | 'levels'
  | 'floor'
  | 'filter'
  | 'group';

interface KindWords {
  readonly label: string;
  readonly about: string;
  readonly fields: readonly RuleField[];
}

/** Words for each kind, in the order in which kinds are offered. */
export const KINDS: Readonly<Record<AlertKind, KindWords>> = {
  BUDGET: {
    label: 'Budget',
    about: 'Monthly or daily cost approaches an amount or is forecast to exceed it.',
    fields: ['amount', 'period', 'levels', 'filter'],
  },
  ALLOWANCE_USED: {
    label: 'Allowance used',
    about: 'The spent part of an allowance reaches a percentage.',
    fields: ['levels'],
  },
  THRESHOLD: {
    label: 'Threshold',
    about: 'A figure is above or below a value.',
    fields: ['metric', 'value', 'window', 'filter', 'group'],
  },
  ANOMALY: {
    label: 'Unusual cost',
    about: 'Daily cost is far above the recent pattern.',
    fields: ['floor', 'filter', 'group'],
  },
  UNIT_COST: {
    label: 'Cost per event',
    about: 'Cost per event or per thousand tokens is far above the recent pattern.',
    fields: ['metric', 'floor', 'filter', 'group'],
  },
  COST_PER_SUCCESS: {
    label: 'Cost per completed task',
    about: 'Completed tasks cost more than a value, failed attempts included.',
    fields: ['outcome', 'value', 'window', 'filter'],
  },
  IDLE_CAPACITY: {
    label: 'Idle capacity',
    about: 'The idle part of a fixed cost exceeds a percentage of its amount.',
    fields: ['value', 'window'],
  },
  CAPACITY_EXHAUSTED: {
    label: 'Capacity exhausted',
    about: 'Usage of a fixed cost exceeds a percentage of its capacity.',
    fields: ['value', 'window'],
  },
  CUSTOMER_UNPROFITABLE: {
    label: 'Unprofitable customer',
    about: 'A paying customer costs more than it pays over 30 days.',
    fields: ['floor'],
  },
  COST_WITHOUT_REVENUE: {
    label: 'Cost without revenue',
    about: 'A customer without revenue has costs over 30 days.',
    fields: ['floor'],
  },
  UNPRICED: { label: 'Events without a price', about: 'Events have had no price for 15 minutes.', fields: [] },
  NO_DATA: {
    label: 'Silence',
    about: 'No events for longer than usual.',
    fields: ['filter', 'group'],
  },
  SYNC_FAILED: { label: 'Payments not synced', about: 'The sync with Stripe is failing.', fields: [] },
  CREDITS_LOW: { label: 'Few credits left', about: 'Few event credits are left.', fields: ['value'] },
  CATALOGUE_OLD: { label: 'Outdated price catalogue', about: 'The price catalogue is out of date.', fields: ['value'] },
  AGREEMENT_ENDING: {
    label: 'Agreement ends',
    about: 'An agreement with a provider ends in 90, 30 or 7 days.',
    fields: [],
  },
  CREDIT_EXPIRING: {
    label: 'Credit expires',
    about: "A provider's credit or a prepayment expires in 90, 30 or 7 days and would not be used up by then.",
    fields: [],
  },
  COMMITMENT_AT_RISK: {
    label: 'Commitment at risk',
    about:
      'A period of a commitment to a provider ends in 90, 30 or 7 days, and its amount would not be reached by then.',
    fields: [],
  },
  BILL_DIFFERENCE: {
    label: 'Bill and books differ',
    about: "A provider's bill differs from the books without an explanation.",
    fields: ['floor'],
  },
  BILL_NOT_PULLED: {
    label: 'No new bill',
    about: 'The newest bill of a provider is too old, or the first one cannot be pulled.',
    fields: ['value'],
  },
};

export type AlertMetric = NonNullable<AlertRule['metric']>;

export const METRICS: Readonly<Record<AlertMetric, string>> = {
  COST: 'Cost',
  EVENTS: 'Events',
  TOKENS: 'Tokens',
  COST_PER_EVENT: 'Cost per event',
  COST_PER_THOUSAND_TOKENS: 'Cost per thousand tokens',
  REVENUE: 'Revenue',
  MARGIN: 'Margin',
  MARGIN_PERCENT: 'Margin %',
};
export const UNIT_METRICS: readonly AlertMetric[] = ['COST_PER_EVENT', 'COST_PER_THOUSAND_TOKENS'];

type AlertGroup = NonNullable<AlertRule['groupBy']>;

/** In the middle of a sentence: `per session type`. */
export const GROUPS = Object.fromEntries(
  Object.entries(COST_GROUPINGS).flatMap(([key, { label }]) => (key === 'SESSION' ? [] : [[key, label.toLowerCase()]])),
) as Readonly<Record<AlertGroup, string>>;

export function isKind(text: string): text is AlertKind {
  return Object.hasOwn(KINDS, text);
}

/** `Cost of the last 24 hours above $20.00, per agent`. */
export function describeRule(rule: AlertRule): string {
  return [figureOf(rule), groupOf(rule), ...filterOf(rule)].filter((part) => part !== '').join(', ');
}

function figureOf(rule: AlertRule): string {
  const { kind, outcome, metric, comparator, value, amount, period, levels, withForecast, floor } = rule;
  switch (kind) {
    case 'THRESHOLD':
      return `${METRICS[metric ?? 'COST']} of ${windowOf(rule)} ${comparator === 'BELOW' ? 'below' : 'above'} ${formatFigure(metric, value ?? '0')}`;
    case 'BUDGET':
      return `${usdText(amount ?? '0')} per ${period === 'DAY' ? 'day' : 'month'}; notify at ${(levels ?? []).map((level) => `${level}%`).join(', ')}${withForecast === true && period !== 'DAY' ? ' and when the forecast exceeds it' : ''}`;
    case 'ALLOWANCE_USED':
      return `Spent part of an allowance; notify at ${(levels ?? []).map((level) => `${level}%`).join(', ')}`;
    case 'ANOMALY':
    case 'UNIT_COST':
      return `${metric === null ? 'Daily cost' : METRICS[metric]} far above the recent pattern, by at least ${usdText(floor ?? '0')} per day`;
    case 'COST_PER_SUCCESS':
      return `Cost per completed ${outcome ?? 'task'} of ${windowOf(rule)} above ${unitUsdText(value ?? '0')}`;
    case 'IDLE_CAPACITY':
      return `More than ${value ?? '50'}% of a fixed cost idle in ${windowOf(rule)}`;
    case 'CAPACITY_EXHAUSTED':
      return `More than ${value ?? '90'}% of the capacity of a fixed cost used in ${windowOf(rule)}`;
    case 'CUSTOMER_UNPROFITABLE':
    case 'COST_WITHOUT_REVENUE':
      return `${KINDS[kind].about.replace(/\.$/, '')}, by at least ${usdText(floor ?? '0')}`;
    case 'CREDITS_LOW':
      return `Less than ${value ?? '0'}% of event credits left`;
    case 'CATALOGUE_OLD':
      return `Catalogue prices are more than ${value ?? '14'} days old`;
    case 'BILL_DIFFERENCE':
      return `Bill and books differ by at least ${usdText(floor ?? '0')} without an explanation`;
    case 'BILL_NOT_PULLED':
      return `No bill for the last ${value ?? '3'} days`;
    default:
      return KINDS[kind].about.replace(/\.$/, '');
  }
}

/** A figure in the unit of its metric. */
function formatFigure(metric: AlertMetric | null, value: string): string {
  if (metric === 'EVENTS' || metric === 'TOKENS') return value.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return metric === 'MARGIN_PERCENT' ? `${value.replace('-', '−')}%` : usdText(value);
}

function windowOf({ windowHours, windowDays }: AlertRule): string {
  const [count, unit] = windowHours === null ? [windowDays ?? 1, 'day'] : [windowHours, 'hour'];
  return count === 1 ? `the last ${unit}` : `the last ${count} ${unit}s`;
}

function groupOf({ groupBy, groupByDimension }: AlertRule): string {
  if (groupByDimension !== null) return `per ${groupByDimension}`;
  return groupBy === null ? '' : `per ${GROUPS[groupBy]}`;
}

function filterOf({ filter }: AlertRule): string[] {
  if (filter === null) return [];
  const { endUser, agent, model, provider, dimensions } = filter;
  const named = { customer: endUser, agent, model, provider };
  return [
    ...Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`])),
    ...dimensions.map(({ key, value }) => `${key} ${value}`),
  ];
}
