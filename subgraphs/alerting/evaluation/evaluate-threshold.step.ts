/** `THRESHOLD`: a figure of the last hours, or of settled days, is above or below a value. */
import { percentText } from '#kernel/percent.ts';
import { usdText } from '#kernel/usd-text.ts';
import { money, plain, quantity, toLedger } from '#kernel/money.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kernel/time/duration.ts';
import { judgeThreshold, type ThresholdMemory } from '../detection/threshold.ts';
import type { DetectedUnit } from '../detection/verdict.ts';
import { CUSTOMERS_MAX, GROUPS_MAX } from '../config.ts';
import {
  type CostSelection,
  type GroupCosts,
  readWindowCosts,
  WINDOW_COSTS,
  windowVariables,
} from '../figures/cost-figures.step.ts';
import { CUSTOMERS, readCustomers } from '../figures/customer-figures.step.ts';
import { costsPath, customerPath, marginsPath, narrowed } from '../figures/page-path.ts';
import { dayWords } from '../figures/words.ts';
import type { Evidence } from '../figures/evidence.ts';
import { isOfRevenue } from '../rules/rule-parameters.ts';
import type { AlertMetric } from '../resolvers.generated.ts';
import { type GroupJudgement, memoryOf, plainJudgement, type RuleAt, unsettledGroups } from './judged.ts';
import { selectionOf } from './selection-of.ts';

interface Window {
  readonly start: string;
  readonly end: string;
}

/** A group's figure, and the page that shows it. */
interface Figure {
  readonly groupKey: string;
  readonly groupName: string | null;
  /** Null if undefined, for example a percentage of zero revenue. */
  readonly value: string | null;
  readonly query: Evidence['query'];
  readonly path: string;
}

const UNITS: Readonly<Record<AlertMetric, DetectedUnit>> = {
  COST: 'usd',
  EVENTS: 'count',
  TOKENS: 'count',
  COST_PER_EVENT: 'usd_per_event',
  COST_PER_THOUSAND_TOKENS: 'usd_per_thousand_tokens',
  REVENUE: 'usd',
  MARGIN: 'usd',
  MARGIN_PERCENT: 'percent',
};
const NAMES: Readonly<Record<AlertMetric, string>> = {
  COST: 'cost',
  EVENTS: 'number of events',
  TOKENS: 'number of tokens',
  COST_PER_EVENT: 'cost per event',
  COST_PER_THOUSAND_TOKENS: 'cost per thousand tokens',
  REVENUE: 'revenue',
  MARGIN: 'margin',
  MARGIN_PERCENT: 'margin',
};

/** `throughDay`: the last settled day of a window of days; null for a window of hours. */
export async function evaluateThreshold(rule: RuleAt, throughDay: string | null): Promise<GroupJudgement[]> {
  const { metric = 'COST', comparator = 'ABOVE', value: threshold = '0' } = rule.rule.parameters;
  const window = windowOf(rule, throughDay);
  const figures = isOfRevenue(metric)
    ? await revenueFigures(rule, metric, window)
    : await costFigures(rule, metric, window);
  const known = new Set(figures.map(({ groupKey }) => groupKey));
  const gone = unsettledGroups(rule).filter((groupKey) => !known.has(groupKey));
  const all = [...figures, ...gone.map((groupKey) => goneFigure(rule, metric, groupKey, window))];
  return all.map(({ groupKey, groupName, value, query, path }) => {
    const memory = memoryOf<ThresholdMemory>(rule, groupKey);
    const verdict = judgeThreshold({ value, comparator, threshold, unit: UNITS[metric] }, memory);
    const nothing = { state: 'OK', memory: null, end: 'NOT_APPLICABLE' } as const;
    const span = describeWindow(rule, throughDay);
    return {
      groupKey,
      groupName,
      severity: 'WARNING',
      judgement: plainJudgement(value === null ? nothing : verdict, throughDay === null ? null : window.end),
      evidence: {
        sentence: `The ${NAMES[metric]}${groupName === null ? '' : ` of ${groupName}`} ${span} is ${spoken(metric, value)}, ${comparator === 'ABOVE' ? 'above' : 'below'} ${spoken(metric, threshold)}.`,
        figures: verdict.figures,
        windowStart: window.start,
        windowEnd: window.end,
        computedAt: rule.at.toISOString(),
        query,
        path,
      },
    };
  });
}

function windowOf({ rule, at }: RuleAt, throughDay: string | null): Window {
  const { windowHours = 1, windowDays = 1 } = rule.parameters;
  const end = throughDay === null ? Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS : Date.parse(throughDay) + DAY_MS;
  const length = throughDay === null ? windowHours * HOUR_MS : windowDays * DAY_MS;
  return { start: new Date(end - length).toISOString(), end: new Date(end).toISOString() };
}

function describeWindow({ rule }: RuleAt, throughDay: string | null): string {
  const { windowHours = 1, windowDays = 1 } = rule.parameters;
  if (throughDay === null) return windowHours === 1 ? 'in the last hour' : `in the last ${windowHours} hours`;
  return windowDays === 1 ? `on ${dayWords(throughDay)}` : `in the ${windowDays} days to ${dayWords(throughDay)}`;
}

async function costFigures(rule: RuleAt, metric: AlertMetric, window: Window): Promise<Figure[]> {
  const selection = selectionOf(rule.rule.parameters);
  const withTokens = metric === 'TOKENS' || metric === 'COST_PER_THOUSAND_TOKENS';
  const options = { first: GROUPS_MAX, withTokens };
  const groups = await readWindowCosts(rule.read, window, selection, options);
  return groups.map((group) => ({
    groupKey: group.value ?? '',
    groupName: group.value,
    value: figureOf(metric, group),
    ...costPage(rule, window, selection, group.value, withTokens),
  }));
}

function costPage(
  { organizationId }: RuleAt,
  window: Window,
  selection: CostSelection,
  value: string | null,
  withTokens: boolean,
): Pick<Figure, 'query' | 'path'> {
  const filter = narrowed(selection.filter, { by: selection.by, dimension: selection.dimension }, value);
  const whole = { filter, by: null, dimension: null };
  return {
    query: { document: WINDOW_COSTS, variables: { ...windowVariables(window, whole, 1, withTokens) } },
    path: costsPath(organizationId, window, filter),
  };
}

function figureOf(metric: AlertMetric, { cost, events, tokens }: GroupCosts): string | null {
  if (metric === 'COST') return cost;
  if (metric === 'EVENTS') return String(events);
  if (metric === 'TOKENS') return tokens === null ? null : String(tokens);
  const units = metric === 'COST_PER_EVENT' ? events : (tokens ?? 0) / 1_000;
  return units === 0 ? null : plain(toLedger(money(cost).div(quantity(units))));
}

async function revenueFigures(rule: RuleAt, metric: AlertMetric, window: Window): Promise<Figure[]> {
  const { groupBy, filter } = rule.rule.parameters;
  const { customers, total } = await readCustomers(rule.read, window, CUSTOMERS_MAX);
  const valueOf = ({ revenue, margin, marginPercent }: typeof total) =>
    metric === 'REVENUE'
      ? revenue
      : metric === 'MARGIN'
        ? margin
        : marginPercent === null
          ? null
          : String(marginPercent);
  const query = { document: CUSTOMERS, variables: { ...window, search: null, after: null } };
  if (groupBy === undefined && !filter?.endUser)
    return [{ groupKey: '', groupName: null, value: valueOf(total), query, path: marginsPath(window) }];
  return customers
    .filter(({ externalId }) => !filter?.endUser || externalId === filter.endUser)
    .slice(0, GROUPS_MAX)
    .map((customer) => ({
      groupKey: groupBy === undefined ? '' : customer.externalId,
      groupName: customer.name,
      value: valueOf(customer),
      query: { ...query, variables: { ...query.variables, search: customer.externalId } },
      path: customerPath(customer.id, window),
    }));
}

/** A group without figures has sums of zero and no ratios. */
function goneFigure(rule: RuleAt, metric: AlertMetric, groupKey: string, window: Window): Figure {
  const isSum = ['COST', 'EVENTS', 'TOKENS', 'REVENUE', 'MARGIN'].includes(metric);
  return {
    groupKey,
    groupName: groupKey === '' ? null : groupKey,
    value: isSum ? '0' : null,
    ...costPage(rule, window, selectionOf(rule.rule.parameters), groupKey === '' ? null : groupKey, false),
  };
}

function spoken(metric: AlertMetric, value: string | null): string {
  if (value === null) return 'nothing';
  if (UNITS[metric] === 'percent') return percentText(Number(value));
  return UNITS[metric] === 'count' ? value : usdText(value);
}
