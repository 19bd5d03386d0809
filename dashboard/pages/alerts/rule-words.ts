/** Alert rules in words: what each kind watches and takes, and what one rule watches. */
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatAmount } from '../../figures/amount.ts';

export const RULES = graphql(`query AlertRules {
  alertRules {
    id kind name isBuiltIn isMuted mutedUntil channelIds
    filter { endUser agent model provider dimensions { key value } }
    groupBy groupByDimension metric comparator value windowHours windowDays period amount levels withForecast floor
  }
}`);

export type AlertRule = DataOf<'AlertRules'>['alertRules'][number];
export type AlertKind = AlertRule['kind'];
export type RuleField = 'metric' | 'value' | 'window' | 'period' | 'amount' | 'levels' | 'floor' | 'filter' | 'group';

interface KindWords {
  readonly label: string;
  readonly about: string;
  readonly fields: readonly RuleField[];
}

/** In the order of the offered choices. */
export const KINDS: Readonly<Record<AlertKind, KindWords>> = {
  BUDGET: {
    label: 'Budget',
    about: 'The costs of a month or a day come near an amount, or will pass it.',
    fields: ['amount', 'period', 'levels', 'filter'],
  },
  THRESHOLD: {
    label: 'Threshold',
    about: 'A figure of the last hours or days is above or below a value.',
    fields: ['metric', 'value', 'window', 'filter', 'group'],
  },
  ANOMALY: {
    label: 'Unusual cost',
    about: 'A day costs much more than the days before let expect.',
    fields: ['floor', 'filter', 'group'],
  },
  UNIT_COST: {
    label: 'Cost per event',
    about: 'An event, or a thousand tokens, costs more than it did.',
    fields: ['metric', 'floor', 'filter', 'group'],
  },
  CUSTOMER_UNPROFITABLE: {
    label: 'Unprofitable customer',
    about: 'Over 30 days a customer who pays costs more than it pays.',
    fields: ['floor'],
  },
  COST_WITHOUT_REVENUE: {
    label: 'Cost without revenue',
    about: 'Over 30 days a customer costs and does not pay.',
    fields: ['floor'],
  },
  UNPRICED: { label: 'Events without a price', about: 'Events wait for a price for 15 minutes.', fields: [] },
  NO_DATA: {
    label: 'Silence',
    about: 'Events stop coming for longer than they ever do.',
    fields: ['filter', 'group'],
  },
  SYNC_FAILED: { label: 'Payments not synced', about: 'The payment processor’s account is not synced.', fields: [] },
  CREDITS_LOW: { label: 'Few credits left', about: 'Few event credits are left of the plan.', fields: ['value'] },
  CATALOGUE_OLD: { label: 'Old price catalogue', about: 'The prices of the catalogue are old.', fields: ['value'] },
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
  MARGIN_PERCENT: 'Margin in percent',
};
export const UNIT_METRICS: readonly AlertMetric[] = ['COST_PER_EVENT', 'COST_PER_THOUSAND_TOKENS'];

export const GROUPS: Readonly<Record<NonNullable<AlertRule['groupBy']>, string>> = {
  END_USER: 'customer',
  AGENT: 'agent',
  MODEL: 'model',
  PROVIDER: 'provider',
  FEATURE: 'feature',
  WORKFLOW: 'workflow',
  EXPERIMENT: 'experiment',
  VARIANT: 'variant',
  SESSION_TYPE: 'session type',
};

export function isKind(text: string): text is AlertKind {
  return Object.hasOwn(KINDS, text);
}

/** `Cost of the last 24 hours above $20.00, of each agent`. */
export function describeRule(rule: AlertRule): string {
  return [figureOf(rule), groupOf(rule), ...filterOf(rule)].filter((part) => part !== '').join(', ');
}

function figureOf(rule: AlertRule): string {
  const { kind, metric, comparator, value, amount, period, levels, withForecast, floor } = rule;
  switch (kind) {
    case 'THRESHOLD':
      return `${METRICS[metric ?? 'COST']} of ${windowOf(rule)} ${comparator === 'BELOW' ? 'below' : 'above'} ${formatFigure(metric, value ?? '0')}`;
    case 'BUDGET':
      return `${formatAmount(amount ?? '0')} a ${period === 'DAY' ? 'day' : 'month'}, told at ${(levels ?? []).map((level) => `${level} %`).join(', ')}${withForecast === true && period !== 'DAY' ? ' and when the forecast passes it' : ''}`;
    case 'ANOMALY':
    case 'UNIT_COST':
      return `${metric === null ? 'Cost of a day' : METRICS[metric]} unlike the weeks before, by ${formatAmount(floor ?? '0')} a day or more`;
    case 'CUSTOMER_UNPROFITABLE':
    case 'COST_WITHOUT_REVENUE':
      return `${KINDS[kind].about.replace(/\.$/, '')}, by ${formatAmount(floor ?? '0')} or more`;
    case 'CREDITS_LOW':
      return `Less than ${value ?? '0'} % of the event credits are left`;
    case 'CATALOGUE_OLD':
      return `The prices of the catalogue are more than ${value ?? '14'} days old`;
    default:
      return KINDS[kind].about.replace(/\.$/, '');
  }
}

/** A figure in the unit of its metric. */
function formatFigure(metric: AlertMetric | null, value: string): string {
  if (metric === 'EVENTS' || metric === 'TOKENS') return value.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return metric === 'MARGIN_PERCENT' ? `${value.replace('-', '−')} %` : formatAmount(value);
}

function windowOf({ windowHours, windowDays }: AlertRule): string {
  const [count, unit] = windowHours === null ? [windowDays ?? 1, 'day'] : [windowHours, 'hour'];
  return count === 1 ? `the last ${unit}` : `the last ${count} ${unit}s`;
}

function groupOf({ groupBy, groupByDimension }: AlertRule): string {
  if (groupByDimension !== null) return `of each ${groupByDimension}`;
  return groupBy === null ? '' : `of each ${GROUPS[groupBy]}`;
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
