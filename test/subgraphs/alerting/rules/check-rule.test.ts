/** What each kind of rule accepts, and who sees it. */
import { describe, expect, it } from 'vitest';
import { maySee } from '../../../../subgraphs/alerting/rules/alert-rule-view.ts';
import { checkRuleName, checkRuleParameters } from '../../../../subgraphs/alerting/rules/check-rule.ts';
import { KIND_FORMS, scopeOf } from '../../../../subgraphs/alerting/rules/rule-parameters.ts';
import type { AlertKind, AlertMetric } from '../../../../subgraphs/alerting/resolvers.generated.ts';

const THRESHOLD = { metric: 'COST', value: '5', windowDays: 7 } as const;
const MARGIN = { metric: 'MARGIN', value: '-5', windowDays: 7 } as const;
const HOURLY = { metric: 'COST', value: '5' } as const;
const SUCCESS = { outcome: 'solved', value: '1' } as const;
const BUDGET = { amount: '5' } as const;
const text = (length: number) => 'x'.repeat(length);
const dimensions = (length: number) => Array.from({ length }, (_, at) => ({ key: `k${at}`, value: 'v' }));

type Sent = Parameters<typeof checkRuleParameters>[1];

it.each<[AlertKind, Sent]>([
  ['THRESHOLD', { ...HOURLY, windowHours: 1 }],
  ['THRESHOLD', { ...HOURLY, windowHours: 24 }],
  ['THRESHOLD', { ...THRESHOLD, windowDays: 1 }],
  ['THRESHOLD', { ...THRESHOLD, windowDays: 90 }],
  ['THRESHOLD', { ...MARGIN, groupBy: 'END_USER' }],
  ['THRESHOLD', { ...MARGIN, filter: { endUser: 'u1', model: null } }],
  ['THRESHOLD', { ...MARGIN, metric: 'MARGIN_PERCENT', value: '-12.5' }],
  ['BUDGET', { ...BUDGET, levels: [1, 1_000] }],
  ['BUDGET', { ...BUDGET, levels: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }],
  ['BUDGET', { ...BUDGET, filter: { model: text(256), dimensions: dimensions(5) } }],
  ['COST_PER_SUCCESS', { ...SUCCESS, outcome: text(256) }],
  ['COST_PER_SUCCESS', { ...SUCCESS, filter: { endUser: 'u1', provider: null, dimensions: [] } }],
  ['CREDITS_LOW', { value: '100' }],
  ['CREDITS_LOW', { value: '0' }],
  ['ANOMALY', { floor: '0' }],
])('%s accepts %j', (kind, input) => {
  expect(checkRuleParameters(kind, input)).toMatchObject(input);
});

it.each<[AlertKind, string, Sent]>([
  ['THRESHOLD', 'windowHours', { ...HOURLY, windowHours: 0 }],
  ['THRESHOLD', 'windowHours', { ...HOURLY, windowHours: 25 }],
  ['THRESHOLD', 'windowHours', { ...THRESHOLD, windowHours: 3 }],
  ['THRESHOLD', 'windowDays', { ...THRESHOLD, windowDays: 0 }],
  ['THRESHOLD', 'groupBy', { ...MARGIN, groupBy: 'END_USER', filter: { endUser: 'u1' } }],
  ['THRESHOLD', 'groupBy', { ...MARGIN, groupByDimension: 'team' }],
  ['THRESHOLD', 'filter', { ...MARGIN, filter: { endUser: 'u1', model: 'm' } }],
  ['THRESHOLD', 'value', { ...THRESHOLD, metric: 'REVENUE', value: '-5' }],
  ['THRESHOLD', 'value', { ...MARGIN, value: '-1.23456' }],
  ['BUDGET', 'levels', { ...BUDGET, levels: [] }],
  ['BUDGET', 'levels', { ...BUDGET, levels: [0, 50] }],
  ['BUDGET', 'levels', { ...BUDGET, levels: [50, 50] }],
  ['BUDGET', 'levels', { ...BUDGET, levels: [50, 1_001] }],
  ['BUDGET', 'levels', { ...BUDGET, levels: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }],
  ['BUDGET', 'filter', { ...BUDGET, filter: { model: text(257) } }],
  ['BUDGET', 'filter', { ...BUDGET, filter: { dimensions: [{ key: 'k', value: '' }] } }],
  ['BUDGET', 'filter', { ...BUDGET, filter: { dimensions: [{ key: '', value: 'v' }] } }],
  ['BUDGET', 'filter', { ...BUDGET, filter: { dimensions: dimensions(6) } }],
  ['COST_PER_SUCCESS', 'outcome', { ...SUCCESS, outcome: text(257) }],
  ['COST_PER_SUCCESS', 'filter', { ...SUCCESS, filter: { dimensions: dimensions(1) } }],
  ['ANOMALY', 'floor', { floor: '-1' }],
])('%s refuses the %s of %j', (kind, argument, input) => {
  expect(() => checkRuleParameters(kind, input)).toThrow(new RegExp(`^${argument} `));
});

it('a name is trimmed and has up to 100 characters', () => {
  expect(checkRuleName(` ${text(100)} `)).toBe(text(100));
  expect(() => checkRuleName(text(101))).toThrow(/^name must have 1 to 100/);
});

describe('the scope', () => {
  const OF_REVENUE: readonly AlertKind[] = ['CUSTOMER_UNPROFITABLE', 'COST_WITHOUT_REVENUE', 'SYNC_FAILED'];
  it.each(Object.keys(KIND_FORMS) as AlertKind[])(
    'the scope of a %s rule is the one that its figures require',
    (kind) => {
      expect(scopeOf(kind, {})).toBe(OF_REVENUE.includes(kind) ? 'revenue:read' : 'costs:read');
    },
  );
  it.each<[AlertMetric, string]>([
    ['COST', 'costs:read'],
    ['EVENTS', 'costs:read'],
    ['TOKENS', 'costs:read'],
    ['REVENUE', 'revenue:read'],
    ['MARGIN', 'revenue:read'],
    ['MARGIN_PERCENT', 'revenue:read'],
  ])('the scope of a threshold of %s is %s', (metric, scope) => {
    expect(scopeOf('THRESHOLD', { metric })).toBe(scope);
  });
  it.each([
    [['operator'], true],
    [['owner'], true],
    [['admin'], true],
    [['revenue:read'], true],
    [['member', 'finance', 'viewer', 'costs:read', 'usage:read'], false],
    [[], false],
  ])('decides with %j whether a rule about revenue is visible: %s', (grants, isVisible) => {
    expect(maySee({ grants }, { scope: 'revenue:read' })).toBe(isVisible);
  });
});
