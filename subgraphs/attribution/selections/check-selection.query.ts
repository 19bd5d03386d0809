/**
 * Checks that everything a selection names exists. An unknown key, value or end user is an error, never an empty
 * result.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { query } from '#platform/database/sql.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { fail } from '#kernel/errors.ts';
import { isDimension } from '../dimensions/dimension.table.ts';
import { findEndUser, findEndUserIds } from '../end-users/end-user.table.ts';
import { isBuiltIn, rollupKeyOf, SESSION_KEY, UNASSIGNED } from '../measures/rollup-keys.ts';
import { rollupValueOf } from '../rollups/cost-fact.table.ts';
import { pendingFacts } from '../rollups/pending-day.table.ts';
import { NO_END_USER } from '../rollups/end-user-day.table.ts';
import { type CostSelection, keysOf, selectedEndUserId } from './cost-selection.ts';
import { selectedValue } from './value-in-rollup.ts';

/**
 * Prefix of the keys for everything besides model and tokens that determined the price. Every fact has them, registered
 * or not.
 */
const PRICING_PREFIX = 'pricing.';

/** Fails with `NOT_FOUND` for an unregistered dimension, or an end user that no event has named. */
export async function checkSelection(
  tx: Transaction,
  organizationId: OrganizationId,
  selection: CostSelection,
): Promise<void> {
  const id = selectedEndUserId(organizationId, selection);
  const listed = selection.endUserConditions.flatMap(({ values }) => values).filter((value) => value !== UNASSIGNED);
  await Promise.all([
    listed.length > 0 && checkEndUsers(tx, organizationId, listed),
    ...keysOf(selection).map(async (key) => {
      if (!(await isKnownKey(tx, organizationId, key)))
        fail('NOT_FOUND', `Dimension ${JSON.stringify(key)} is not registered`);
    }),
    id !== null &&
      id !== NO_END_USER &&
      findEndUser(tx, organizationId, id).then((found) => found ?? fail('NOT_FOUND', unknownEndUser(selection))),
  ]);
}

async function checkEndUsers(
  tx: Transaction,
  organizationId: OrganizationId,
  externalIds: readonly string[],
): Promise<void> {
  const ids = new Map(externalIds.map((externalId) => [endUserId(organizationId, externalId), externalId]));
  const known = new Set(await findEndUserIds(tx, organizationId, [...ids.keys()]));
  for (const [id, externalId] of ids)
    if (!known.has(id)) fail('NOT_FOUND', `No priced event has the end user ${JSON.stringify(externalId)}`);
}

function unknownEndUser({ endUser }: CostSelection): string {
  return endUser !== null && 'externalId' in endUser
    ? `No priced event has the end user ${JSON.stringify(endUser.externalId)}`
    : 'No end user has this id';
}

/** True if every fact can be grouped by the key. Other metadata keys mean nothing until an event has them. */
export async function isKnownKey(tx: Transaction, organizationId: OrganizationId, key: string): Promise<boolean> {
  return (
    isBuiltIn(key) || key === SESSION_KEY || key.startsWith(PRICING_PREFIX) || isDimension(tx, organizationId, key)
  );
}

/**
 * For an empty result: fails with `NOT_FOUND` if a filter's value was never reported. Keys without a ready rollup are
 * not checked, because that would scan the facts.
 */
export async function checkValues(
  tx: Transaction,
  organizationId: OrganizationId,
  selection: CostSelection,
): Promise<void> {
  for (const { key, values, isNot } of selection.conditions) {
    if (isNot) continue;
    const [unknown] = await query<{ wanted: string }>(
      tx,
      `select wanted from unnest($3::text[]) with ordinality as listed (wanted, position)
       where wanted <> '${UNASSIGNED}' and exists (select 1 from rolled_key where organization_id = $1 and key = $2 and state = 'ready')
         and not exists (select 1 from rollup_day, lateral (select dimension_value as value) as rolled
           where organization_id = $1 and dimension_key = $2 and ${selectedValue(key, 'value')} = wanted)
         and not exists (select 1 from (select ${rollupValueOf('$2::text')} as value ${pendingFacts('$1', '$2', "'-infinity'", "'infinity'")}) as pending
           where ${selectedValue(key, 'value')} = wanted)
       order by position limit 1`,
      [organizationId, rollupKeyOf(key), values],
    );
    if (unknown) fail('NOT_FOUND', `No priced event has the ${key} ${JSON.stringify(unknown.wanted)}`);
  }
}
