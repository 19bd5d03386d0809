/** Filter and grouping of a costs read: conditions that must all match, and up to two groupings. */
import type { EndUserId, OrganizationId } from '#kernel/ids.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { isUuid } from '#kernel/uuid.ts';
import { COST_GROUPINGS } from '#schema/cost-groupings.ts';
import { fail } from '#kernel/errors.ts';
import { checkDimensionKey } from '../dimensions/check-dimension.ts';
import { MODEL_KEY, PROVIDER_KEY, SESSION_KEY } from '../measures/rollup-keys.ts';
import type { CostFilter, CostKey } from '../resolvers.generated.ts';

/** Name of the end user among keys. Metadata may have a key with this name; `isEndUser` distinguishes them. */
export const END_USER_KEY = 'end_user';

/** A key that costs are filtered or grouped by: the end user, or a key as in rollups (`rollup-keys.ts`). */
export interface SelectedKey {
  readonly key: string;
  readonly isEndUser: boolean;
}

/** Identified by the `user_id` of usage events, or by the UUID. */
type SelectedEndUser = { readonly externalId: string } | { readonly id: string };

/** Keeps costs that have one of these values, or, with `isNot`, none of them. */
export interface CostCondition {
  readonly key: string;
  /** As displayed: the slug of a model or provider, `Unassigned` for events without the key. */
  readonly values: readonly string[];
  readonly isNot: boolean;
}

/** External ids, or `Unassigned` for events without an end user. */
type EndUserCondition = Omit<CostCondition, 'key'>;

export interface CostSelection {
  /** The only end user whose costs are selected, or `NO_END_USER` for events without one. */
  readonly endUser: SelectedEndUser | null;
  readonly endUserConditions: readonly EndUserCondition[];
  readonly conditions: readonly CostCondition[];
  readonly groups: readonly SelectedKey[];
}

export interface SelectionInput {
  readonly filter?: CostFilter | null | undefined;
  readonly keys?: readonly CostKey[];
  readonly dimensions?: readonly string[];
}

const GROUPS_MAX = 2;
const DIMENSION_FILTERS_MAX = 5;
const VALUES_MAX = 100;

export const AGENT_KEY = COST_GROUPINGS.AGENT.field;

/** The key in rollups and facts: the metadata key, except for the session. */
function keyOf(name: Exclude<CostKey, 'END_USER'>): string {
  return name === 'SESSION' ? SESSION_KEY : COST_GROUPINGS[name].field;
}

/** Fails with `VALIDATION_ERROR`. Does not check that dimensions or end users exist. */
export function parseSelection({ filter, keys = [], dimensions = [] }: SelectionInput): CostSelection {
  const groups = [...keys.map(toSelectedKey), ...dimensions.map((key) => ({ key: checkedKey(key), isEndUser: false }))];
  if (groups.length > GROUPS_MAX) fail('VALIDATION_ERROR', `Costs can be grouped by at most ${GROUPS_MAX} keys`);
  if (groups.length === GROUPS_MAX && isSameKey(groups[0], groups[1]))
    fail('VALIDATION_ERROR', `groupBy lists ${nameOfKey(groups[0]?.key ?? '')} twice`);
  const { in: kept, not: leftOut, ...named } = filter ?? {};
  const lists = [...valueLists('in', kept), ...valueLists('not', leftOut)];
  return {
    endUser: selectedEndUser(named),
    endUserConditions: lists.flatMap(({ key, ...condition }) => (key.isEndUser ? [condition] : [])),
    conditions: [
      ...conditionsOf(named),
      ...lists.flatMap(({ key, ...condition }) => (key.isEndUser ? [] : [{ key: key.key, ...condition }])),
    ],
    groups,
  };
}

/** The condition that a key has one value. */
export function isValue(key: string, value: string): CostCondition {
  return { key, values: [value], isNot: false };
}

/** The only value that a key may have; null if it may have several. */
export function onlyValue({ conditions }: CostSelection, key: string): string | null {
  const condition = conditions.find((each) => each.key === key && !each.isNot && each.values.length === 1);
  return condition?.values[0] ?? null;
}

/** True if only costs of some end users are selected. */
export function isOfSomeEndUsers({ endUser, endUserConditions }: CostSelection): boolean {
  return endUser !== null || endUserConditions.length > 0;
}

/** UUID of the only end user selected; null if all are. */
export function selectedEndUserId(organizationId: OrganizationId, { endUser }: CostSelection): EndUserId | null {
  if (endUser === null) return null;
  return 'id' in endUser ? endUser.id : endUserId(organizationId, endUser.externalId);
}

/** Keys of conditions and groups, each once, without the end user. */
export function keysOf({ conditions, groups }: CostSelection): string[] {
  return [
    ...new Set([
      ...conditions.map(({ key }) => key),
      ...groups.flatMap(({ key, isEndUser }) => (isEndUser ? [] : [key])),
    ]),
  ];
}

/** The selection in words, for error messages: `agent_id and model of the end user`. */
export function describeSelection(selection: CostSelection): string {
  const names = [
    ...(isOfSomeEndUsers(selection) || selection.groups.some(({ isEndUser }) => isEndUser) ? ['end user'] : []),
    ...keysOf(selection).map(nameOfKey),
  ];
  return names.length === 0 ? 'Costs' : `Costs by ${names.join(' and ')}`;
}

/** The key's name in the API. */
export function nameOfKey(key: string): string {
  return key === SESSION_KEY ? 'session' : key;
}

function toSelectedKey(name: CostKey): SelectedKey {
  return name === 'END_USER' ? { key: END_USER_KEY, isEndUser: true } : { key: keyOf(name), isEndUser: false };
}

function selectedEndUser({ endUser, endUserId: id }: CostFilter): SelectedEndUser | null {
  if (typeof id !== 'string') return typeof endUser === 'string' ? { externalId: endUser } : null;
  if (typeof endUser === 'string') fail('VALIDATION_ERROR', 'Costs can be filtered by the end user only once');
  if (!isUuid(id)) fail('VALIDATION_ERROR', 'endUserId must be a UUID');
  return { id: id.toLowerCase() };
}

type ListedCondition = EndUserCondition & { readonly key: SelectedKey };

function valueLists(field: 'in' | 'not', lists: CostFilter['in']): ListedCondition[] {
  if (lists && lists.length > DIMENSION_FILTERS_MAX)
    fail('VALIDATION_ERROR', `${field} of the cost filter can have at most ${DIMENSION_FILTERS_MAX} keys`);
  const conditions = (lists ?? []).map(({ key, dimension, values }): ListedCondition => {
    if ((typeof key === 'string') === (typeof dimension === 'string'))
      fail('VALIDATION_ERROR', `Each item of ${field} needs either a key or a dimension`);
    if (values.length < 1 || values.length > VALUES_MAX)
      fail('VALIDATION_ERROR', `values of ${field} must have 1 to ${VALUES_MAX} items`);
    const selected =
      typeof key === 'string' ? toSelectedKey(key) : { key: checkedKey(dimension ?? ''), isEndUser: false };
    return { key: selected, values: [...new Set(values)], isNot: field === 'not' };
  });
  const twice = conditions.find(
    ({ key }, index) => conditions.findIndex((other) => isSameKey(other.key, key)) !== index,
  );
  if (twice) fail('VALIDATION_ERROR', `${nameOfKey(twice.key.key)} appears twice in ${field} of the cost filter`);
  return conditions;
}

function conditionsOf({ agent, model, provider, dimensions }: CostFilter): CostCondition[] {
  if (dimensions && dimensions.length > DIMENSION_FILTERS_MAX)
    fail('VALIDATION_ERROR', `Costs can be filtered by at most ${DIMENSION_FILTERS_MAX} dimensions`);
  const named = [
    [AGENT_KEY, agent],
    [MODEL_KEY, model],
    [PROVIDER_KEY, provider],
  ] as const;
  const conditions = [
    ...named.flatMap(([key, value]) => (typeof value === 'string' ? [isValue(key, value)] : [])),
    ...(dimensions ?? []).map(({ key, value }) => isValue(checkedKey(key), value)),
  ];
  const twice = conditions.find(({ key }, index) => conditions.findIndex((other) => other.key === key) !== index);
  if (twice) fail('VALIDATION_ERROR', `Costs can be filtered by ${twice.key} only once`);
  return conditions;
}

/** Fails for anything that cannot be a metadata key. */
function checkedKey(key: string): string {
  checkDimensionKey(key);
  if (key === MODEL_KEY || key === PROVIDER_KEY)
    fail('VALIDATION_ERROR', `${key} is not a dimension: use ${key.toUpperCase()} of groupBy, or ${key} of the filter`);
  return key;
}

function isSameKey(one: SelectedKey | undefined, other: SelectedKey | undefined): boolean {
  return one?.key === other?.key && one?.isEndUser === other?.isEndUser;
}
