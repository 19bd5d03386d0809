/** Writes the terms of a fixed cost and triggers the allocation of its days. */
import type { OrganizationId } from '#kernel/ids.ts';
import { announceAfterCommit } from '#platform/database/announce.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#kernel/errors.ts';
import { ALLOCATION_CHANNEL } from '../config.ts';
import { replacePeriods } from './fixed-cost-period.table.ts';
import type { FixedCost, FixedCostTerms } from './fixed-cost.ts';
import { listFixedCostRows, saveFixedCostRow } from './fixed-cost.table.ts';
import { refuseDoubleReplacement } from './refuse-double-replacement.ts';

/** Maximum number of fixed costs of an organization that have not ended, and of all of them. */
const RUNNING_MAX = 100;
const FIXED_COSTS_MAX = 500;

/**
 * `change` receives the fixed cost with the key, or null, and returns its new terms. Fails with `VALIDATION_ERROR` if
 * there are too many, or if another one replaces model costs of the same calls.
 */
export async function writeFixedCost(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  key: string,
  at: Date,
  change: (before: FixedCost | null) => FixedCostTerms,
): Promise<{ readonly before: FixedCost | null; readonly saved: FixedCost }> {
  await lockOrganization(tx, 'allocations', organizationId);
  const existing = await listFixedCostRows(tx, organizationId);
  const before = existing.find((one) => one.key === key) ?? null;
  const terms = change(before);
  refuseDoubleReplacement(terms, existing);
  const running = existing.filter((one) => one !== before && isRunning(one, at));
  if (isRunning(terms, at) && running.length >= RUNNING_MAX)
    fail('VALIDATION_ERROR', `The limit of ${RUNNING_MAX} fixed costs that have not ended is reached`);
  if (before === null && existing.length >= FIXED_COSTS_MAX)
    fail('VALIDATION_ERROR', `The limit of ${FIXED_COSTS_MAX} fixed costs, including ended ones, is reached`);
  const [newId = ''] = uuidsV7(1);
  const saved = {
    ...terms,
    id: before?.id ?? newId,
    revision: (before?.revision ?? 0) + 1,
    erasures: before?.erasures ?? 0,
    changedAt: at,
  };
  await saveFixedCostRow(tx, organizationId, saved);
  await replacePeriods(tx, organizationId, saved.id, saved.periods);
  announceAfterCommit(tx, ALLOCATION_CHANNEL);
  return { before, saved };
}

function isRunning({ periods }: Pick<FixedCostTerms, 'periods'>, at: Date): boolean {
  const today = at.toISOString().slice(0, 10);
  return periods.some(({ untilDay }) => untilDay === null || untilDay > today);
}
