/** Validates a rule against what its kind accepts. Every message begins with the name of its argument. */
import { parseAmount } from '#kernel/parse-amount.ts';
import { fail } from '#kernel/errors.ts';
import { NAME_LENGTH_MAX } from '../config.ts';
import type { AlertKind, AlertRuleSaveInput } from '../resolvers.generated.ts';
import {
  type AlertFilter,
  isOfRevenue,
  KIND_FORMS,
  type RuleParameter,
  type RuleParameters,
} from './rule-parameters.ts';

const WINDOW_HOURS_MAX = 24;
const WINDOW_DAYS_MAX = 90;
const LEVELS_MAX = 10;
const LEVEL_MAX = 1_000;
const DIMENSIONS_MAX = 5;
const TEXT_MAX = 256;
const SIGNED_PERCENT = /^-?\d{1,6}(?:\.\d{1,4})?$/;

/** Fails with `VALIDATION_ERROR`. */
export function checkRuleName(name: string): string {
  const text = name.trim();
  if (text === '' || text.length > NAME_LENGTH_MAX)
    fail('VALIDATION_ERROR', `name must have 1 to ${NAME_LENGTH_MAX} characters`);
  return text;
}

/**
 * Returns the parameters to store, with defaults. Fails with `VALIDATION_ERROR` for any that the kind does not accept.
 */
export function checkRuleParameters(kind: AlertKind, input: Omit<AlertRuleSaveInput, 'name' | 'kind'>): RuleParameters {
  const form = KIND_FORMS[kind];
  const sent = Object.fromEntries(
    PARAMETERS.flatMap((name) => (input[name] === undefined || input[name] === null ? [] : [[name, input[name]]])),
  ) as RuleParameters;
  for (const name of Object.keys(sent) as RuleParameter[])
    if (!form.takes.includes(name)) fail('VALIDATION_ERROR', `${name} does not apply to rules of kind ${kind}`);
  for (const name of form.needs)
    if (sent[name] === undefined) fail('VALIDATION_ERROR', `${name} is required for rules of kind ${kind}`);
  const parameters: RuleParameters = { ...form.defaults, ...sent };
  const { metric, groupBy, groupByDimension, windowHours, windowDays, levels, filter, outcome } = parameters;
  if (metric !== undefined && form.metrics?.includes(metric) === false)
    fail('VALIDATION_ERROR', `metric must be one of ${form.metrics.join(', ')}`);
  if (groupBy !== undefined && groupByDimension !== undefined)
    fail('VALIDATION_ERROR', 'groupByDimension cannot be combined with groupBy');
  if (isOfRevenue(metric)) checkRevenueRule(parameters);
  if (kind === 'THRESHOLD') checkWindow(windowHours, windowDays, isOfRevenue(metric));
  checkWindowDays(windowDays);
  if (levels !== undefined) checkLevels(levels);
  if (outcome !== undefined && !isText(outcome))
    fail('VALIDATION_ERROR', `outcome must have 1 to ${TEXT_MAX} characters`);
  return {
    ...parameters,
    ...(filter === undefined ? {} : { filter: checkFilter(kind, filter) }),
    ...amountOf('amount', parameters.amount, true),
    ...amountOf('floor', parameters.floor, false),
    ...valueOf(kind, parameters),
  };
}

const PARAMETERS = [
  'filter',
  'outcome',
  'groupBy',
  'groupByDimension',
  'metric',
  'comparator',
  'value',
  'windowHours',
  'windowDays',
  'period',
  'amount',
  'levels',
  'withForecast',
  'floor',
] as const satisfies readonly RuleParameter[];

/** Revenue belongs to end users, not to models or agents. */
function checkRevenueRule({ metric, groupBy, groupByDimension, filter }: RuleParameters): void {
  if ((groupBy !== undefined && groupBy !== 'END_USER') || groupByDimension !== undefined)
    fail('VALIDATION_ERROR', `groupBy must be END_USER or absent for ${metric}`);
  const { endUser, ...others } = filter ?? {};
  if (Object.values(others).some((value) => value !== undefined && value !== null))
    fail('VALIDATION_ERROR', `filter can contain only an end user for ${metric}`);
  if (typeof endUser === 'string' && groupBy !== undefined)
    fail('VALIDATION_ERROR', 'groupBy cannot be combined with a filter by one end user');
}

function checkWindow(hours: number | undefined, days: number | undefined, isDaily: boolean): void {
  if ((hours === undefined) === (days === undefined))
    fail('VALIDATION_ERROR', 'windowHours or windowDays is required, but not both');
  if (hours !== undefined && isDaily)
    fail('VALIDATION_ERROR', 'windowHours is not available for revenue, which is recognized by day: use windowDays');
  if (hours !== undefined && (hours < 1 || hours > WINDOW_HOURS_MAX))
    fail('VALIDATION_ERROR', `windowHours must be from 1 to ${WINDOW_HOURS_MAX}`);
}

function checkWindowDays(days: number | undefined): void {
  if (days !== undefined && (days < 1 || days > WINDOW_DAYS_MAX))
    fail('VALIDATION_ERROR', `windowDays must be from 1 to ${WINDOW_DAYS_MAX}`);
}

function checkLevels(levels: readonly number[]): void {
  if (levels.length === 0 || levels.length > LEVELS_MAX)
    fail('VALIDATION_ERROR', `levels must be 1 to ${LEVELS_MAX} percentages`);
  if (levels.some((level, at) => level < 1 || level > LEVEL_MAX || level <= (levels[at - 1] ?? 0)))
    fail('VALIDATION_ERROR', `levels must ascend, from 1 to ${LEVEL_MAX} percent`);
}

function checkFilter(kind: AlertKind, filter: AlertFilter): AlertFilter {
  const { filters } = KIND_FORMS[kind];
  const { dimensions, ...values } = filter;
  const isGiven = (value: unknown) =>
    value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
  for (const [name, value] of Object.entries(filter))
    if (filters?.includes(name as keyof AlertFilter) === false && isGiven(value))
      fail('VALIDATION_ERROR', `filter of a rule of kind ${kind} accepts only ${filters.join(', ')}`);
  const texts = [...Object.values(values), ...(dimensions ?? []).flatMap(({ key, value }) => [key, value])];
  if (texts.some((text) => typeof text === 'string' && !isText(text)))
    fail('VALIDATION_ERROR', `filter must have texts of 1 to ${TEXT_MAX} characters`);
  if ((dimensions ?? []).length > DIMENSIONS_MAX)
    fail('VALIDATION_ERROR', `filter can contain at most ${DIMENSIONS_MAX} dimensions`);
  return filter;
}

function isText(text: string): boolean {
  return text !== '' && text.length <= TEXT_MAX;
}

function amountOf(name: 'amount' | 'floor', text: string | undefined, isPositive: boolean): RuleParameters {
  if (text === undefined) return {};
  const parsed = parseAmount(text);
  if (parsed === null || (isPositive && parsed === '0'))
    fail('VALIDATION_ERROR', `${name} must be ${isPositive ? 'a positive amount' : 'an amount, 0 or more,'} in USD`);
  return { [name]: parsed };
}

/** Margins may be negative; a share of credits is from 0 to 100. */
function valueOf(kind: AlertKind, { value, metric }: RuleParameters): RuleParameters {
  if (value === undefined) return {};
  const isSigned = metric === 'MARGIN' || metric === 'MARGIN_PERCENT';
  if (isSigned && SIGNED_PERCENT.test(value)) return { value };
  const parsed = parseAmount(value);
  if (parsed === null) return fail('VALIDATION_ERROR', 'value must be a decimal, 0 or more, in plain notation');
  if (kind === 'CREDITS_LOW' && Number(parsed) > 100)
    fail('VALIDATION_ERROR', 'value must be a share of the credits from 0 to 100, in percent');
  return { value: parsed };
}
