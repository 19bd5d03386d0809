/**
 * The URL of a cost view:
 * `/costs?window=30d&group=model&filter=agent:support&compare=previous&grain=day&sort=-cost&top=10`. A second grouping
 * follows a comma (`group=agent,model`); `filter` may be repeated. An end user is a `customer` here, identified by the
 * service's own UUID: external ids never appear in URLs.
 */
import type { EndUserId } from '#kernel/ids.ts';
import { fail } from '#kernel/errors.ts';
import { conditionOf, type CostCondition, GROUP_NAMES, isCostKey } from './cost-keys.ts';
import {
  type Comparison,
  comparedWindow,
  readable,
  usualDays,
  type WindowChoice,
  windowChoice,
  windowParameters,
} from './window-choice.ts';

export interface CostView {
  readonly window: WindowChoice;
  /** One or two keys of `GROUPS`, or `dimension.KEY`. */
  readonly groups: readonly string[];
  readonly filters: readonly CostCondition[];
  readonly compare: Comparison | null;
  /** `null`: the page chooses the grain by the length of the window. */
  readonly grain: Grain | null;
  readonly sort: (typeof SORTS)[number];
  readonly top: number;
  /** True if tokens are shown although they are read from individual events. */
  readonly tokens: boolean;
}

export const GRAINS = ['hour', 'day', 'week', 'month'] as const;
export type Grain = (typeof GRAINS)[number];
export const COMPARISONS = ['previous', 'week', 'month', 'year'] as const satisfies Comparison[];
/** The name of a comparison with other dates. */
export const OTHER_DATES = 'dates';
/** Parameters for the first and last day of a period to compare with. */
export const COMPARED_DAYS = ['before-from', 'before-to'] as const;
const SORTS = ['-cost', 'cost', '-events', 'events', 'name', '-name'] as const;

/** Groupings without a rollup: figures besides costs are read from individual events. */
const SINGLE_EVENTS = ['customer', 'session'];

const OF_MODELS = ['model', 'provider'];

/** Next grouping of a link: the first that is neither filtered nor already shown. */
const MOVES_ON_TO = ['customer', 'agent', 'model', 'feature', 'workflow', 'provider'];

interface GroupValue {
  readonly value: string;
  readonly endUser: { readonly endUserId: EndUserId } | null;
}

/** The graph's value for events without the key. */
const UNASSIGNED = 'Unassigned';
const TOP = 10;
const TOP_MAX = 1_000;

/** Fails with `VALIDATION_ERROR` if the query does not match the grammar. */
export function parseCostView(query: URLSearchParams, now: Date): CostView {
  const named = (query.get('group') || 'model').split(',');
  const then = query.get('then') ?? '';
  const groups = [...named, ...(then === '' || named.includes(then) ? [] : [then])].map(groupNamed);
  if (groups.length > 2 || groups[0] === groups[1])
    fail('VALIDATION_ERROR', 'Group costs by one or two different keys.');
  const window = windowChoice(query, now);
  const top = Number(query.get('top') || TOP);
  if (!Number.isInteger(top) || top < 1 || top > TOP_MAX)
    fail('VALIDATION_ERROR', `top must be a whole number from 1 to ${TOP_MAX}.`);
  return {
    window,
    groups,
    filters: query.getAll('filter').map(parseCondition),
    compare: comparisonOf(query, window, now),
    grain: oneOf('grain', GRAINS, query) ?? null,
    sort: oneOf('sort', SORTS, query) ?? '-cost',
    top,
    tokens: query.get('tokens') === 'yes',
  };
}

/** URL of a view; default values are omitted. */
export function costPath(view: CostView, changes: Partial<CostView> = {}, path = '/costs'): string {
  return `${path}?${readable(new URLSearchParams(costParameters({ ...view, ...changes })))}`;
}

/** Parameters for the URL of a view, and for the hidden fields of a form. */
export function costParameters(view: CostView): [string, string][] {
  const { window, groups, filters, compare, grain, sort, top, tokens } = view;
  return [
    ...windowParameters(window),
    ['group', groups.map((name) => encodeURIComponent(name)).join(',')],
    ...filterParameters(filters),
    ...comparisonParameters(compare),
    ...(grain === null ? [] : [['grain', grain] as [string, string]]),
    ...(sort === '-cost' ? [] : [['sort', sort] as [string, string]]),
    ...(top === TOP ? [] : [['top', String(top)] as [string, string]]),
    ...(tokens ? [['tokens', 'yes'] as [string, string]] : []),
  ];
}

/** Link to the costs of one thing in a window, grouped by `group`, or by the next grouping if that one is filtered. */
export function costPathOf(window: WindowChoice, filters: readonly CostCondition[], group = 'model'): string {
  return narrowedPath(plainView(window, group), filters);
}

/** Link to the CSV file of these costs, with all groups; `group` must not be among the filters. */
export function costCsvPathOf(window: WindowChoice, filters: readonly CostCondition[], group: string): string {
  return costPath(plainView(window, group), { filters }, '/costs.csv');
}

/** A view without filters or a comparison. */
export function plainView(window: WindowChoice, group: string): CostView {
  return { window, groups: [group], filters: [], compare: null, grain: null, sort: '-cost', top: TOP, tokens: false };
}

/** Link to costs by API key. */
export function keyCostsPath(window: WindowChoice, path = '/costs/keys'): string {
  return `${path}?${readable(new URLSearchParams(windowParameters(window)))}`;
}

/** Page of a session. */
export function sessionPath(sessionId: string): string {
  return `/events/session?${new URLSearchParams({ id: sessionId }).toString()}`;
}

/** True if the tokens of a view are shown: on request, or if they come from rollups. */
export function showsTokens({ groups, filters, tokens }: Pick<CostView, 'groups' | 'filters' | 'tokens'>): boolean {
  return tokens || ![...groups, ...filters.map(({ key }) => key)].some((name) => SINGLE_EVENTS.includes(name));
}

/** True if the share of cached input is shown: on request, or if charges by day contain it. */
export function showsCachedInput({
  groups,
  filters,
  tokens,
}: Pick<CostView, 'groups' | 'filters' | 'tokens'>): boolean {
  return tokens || [...groups, ...filters.map(({ key }) => key)].every((name) => OF_MODELS.includes(name));
}

/** Link to the events behind a cost view. */
export function eventsPathOf({ window, filters }: Pick<CostView, 'window' | 'filters'>): string {
  return `/events?${readable(new URLSearchParams([...windowParameters(window), ...filterParameters(filters)]))}`;
}

function filterParameters(filters: readonly CostCondition[]): [string, string][] {
  return filters.map(({ key, value }) => ['filter', `${encodeURIComponent(key)}:${value}`]);
}

/** Link to the view narrowed to `added`, with the next grouping. */
export function narrowedPath(view: CostView, added: readonly CostCondition[]): string {
  const keys = added.map(({ key }) => key);
  const filters = [...view.filters.filter(({ key }) => !keys.includes(key)), ...added];
  const filtered = filters.map(({ key }) => key);
  const left = view.groups.filter((name) => !filtered.includes(name));
  const next = left.length > 0 ? left : MOVES_ON_TO.filter((name) => !filtered.includes(name)).slice(0, 1);
  return costPath(view, { filters, groups: next.length > 0 ? next : view.groups, top: TOP, sort: '-cost' });
}

/** Link of a group's value: the page of a session, or the view narrowed to the value. */
export function groupPath(view: CostView, name: string, { value, endUser }: GroupValue): string {
  return name === 'session' && value !== UNASSIGNED
    ? sessionPath(value)
    : narrowedPath(view, [conditionOf(name, { value, endUserId: endUser?.endUserId ?? null })]);
}

function comparisonOf(query: URLSearchParams, window: WindowChoice, now: Date): Comparison | null {
  const name = oneOf('compare', [...COMPARISONS, OTHER_DATES], query) ?? null;
  if (name !== OTHER_DATES) return name;
  const [from, to] = COMPARED_DAYS.map((parameter) => query.get(parameter) ?? '');
  const days = from === '' && to === '' ? usualDays(window, now) : { from: from ?? '', to: to ?? '' };
  // Fails for dates that do not form a period.
  comparedWindow(window, days, now);
  return days;
}

function comparisonParameters(compare: Comparison | null): [string, string][] {
  if (compare === null) return [];
  if (typeof compare === 'string') return [['compare', compare]];
  const [from, to] = COMPARED_DAYS;
  return [
    ['compare', OTHER_DATES],
    [from, compare.from],
    [to, compare.to],
  ];
}

function parseCondition(text: string): CostCondition {
  const colon = text.indexOf(':');
  if (colon < 1) fail('VALIDATION_ERROR', 'A filter is a key and a value, for example agent:support.');
  return { key: groupNamed(text.slice(0, colon)), value: text.slice(colon + 1) };
}

function groupNamed(text: string): string {
  const name = decoded(text);
  return isCostKey(name)
    ? name
    : fail(
        'VALIDATION_ERROR',
        `Unknown grouping ${JSON.stringify(name)}. Use one of: ${GROUP_NAMES.join(', ')}, or dimension.KEY for a dimension.`,
      );
}

/** Commas and colons within a dimension's key are encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail('VALIDATION_ERROR', `${JSON.stringify(text)} is not valid URL encoding.`);
  }
}

function oneOf<Name extends string>(
  parameter: string,
  names: readonly Name[],
  query: URLSearchParams,
): Name | undefined {
  const text = query.get(parameter) ?? '';
  return text === ''
    ? undefined
    : (names.find((name) => name === text) ??
        fail('VALIDATION_ERROR', `${parameter} must be one of ${names.join(', ')}.`));
}
