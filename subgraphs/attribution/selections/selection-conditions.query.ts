/** The conditions of a selection in SQL. */
import type { EndUserId, OrganizationId } from '#kernel/ids.ts';
import type { AddParameter } from '#platform/database/sql.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { UNASSIGNED } from '../measures/rollup-keys.ts';
import { NO_END_USER } from '../rollups/end-user-day.table.ts';
import { type CostCondition, type CostSelection, selectedEndUserId } from './cost-selection.ts';

/**
 * `parameter` is the placeholder of `parameterOf`. One value is compared directly, so that PostgreSQL estimates it from
 * statistics.
 */
export function matches(value: string, { values, isNot }: CostCondition, parameter: string): string {
  if (isNot) return `${value} <> all(${parameter}::text[])`;
  return values.length === 1 ? `${value} = ${parameter}` : `${value} = any(${parameter}::text[])`;
}

/** The parameter for `matches`: a single value by itself, otherwise all values. */
export function parameterOf({ values, isNot }: CostCondition): string | readonly string[] {
  return values.length === 1 && !isNot ? (values[0] ?? '') : values;
}

interface SelectedEndUsers {
  readonly organizationId: OrganizationId;
  readonly selection: CostSelection;
  /** Further restricts the selection to these UUIDs. */
  readonly endUserIds?: readonly EndUserId[];
}

interface ConditionOnEndUser {
  /** Condition on facts, where null means no end user. */
  readonly onFacts: string;
  /** Condition on sums, where the nil UUID means no end user. */
  readonly onSums: string;
}

/** All of them must be true; empty if every end user is selected. */
export function endUserConditions(
  { organizationId, selection, endUserIds }: SelectedEndUsers,
  place: AddParameter,
): ConditionOnEndUser[] {
  const only = selectedEndUserId(organizationId, selection);
  return [
    ...(only === null ? [] : [isEndUser(only, place)]),
    ...(endUserIds === undefined ? [] : [isAmong(endUserIds, false, place)]),
    ...selection.endUserConditions.map(({ values, isNot }) =>
      isAmong(
        values.map((value) => (value === UNASSIGNED ? NO_END_USER : endUserId(organizationId, value))),
        isNot,
        place,
      ),
    ),
  ];
}

function isEndUser(id: string, place: AddParameter): ConditionOnEndUser {
  const parameter = place(id);
  const isNoOne = id === NO_END_USER;
  return {
    onFacts: isNoOne ? `end_user_id is null and ${parameter}::uuid is not null` : `end_user_id = ${parameter}`,
    onSums: `end_user_id = ${parameter}`,
  };
}

function isAmong(ids: readonly string[], isNot: boolean, place: AddParameter): ConditionOnEndUser {
  const isIn = `${isNot ? '<> all' : '= any'}(${place(ids)}::uuid[])`;
  const known = `end_user_id ${isIn}`;
  // With the column alone, PostgreSQL can use the index.
  const onFacts = ids.includes(NO_END_USER) || isNot ? `coalesce(end_user_id, '${NO_END_USER}') ${isIn}` : known;
  return { onFacts, onSums: known };
}
