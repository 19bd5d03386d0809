/** Creates an allowance with the costs booked since its start. */
import type { OrganizationId } from '#kernel/ids.ts';
import { canonicalInstant } from '#kernel/time/instant.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#kernel/errors.ts';
import { ALLOWANCE_EVENTS_MAX, ALLOWANCES_MAX } from '../config.ts';
import { type AllowancePeriod, countAllowances, insertAllowance, periodStart } from './allowance.table.ts';
import { changePeriods, openPeriods } from './allowance-period.table.ts';
import { countEarlierEvents, sumEarlierCosts } from './allowed-costs.query.ts';
import { excludePricing } from './exclude-pricing.step.ts';
import type { AllowanceDraft } from './parse-allowance.ts';

const DEFAULT_FROM = statement<
  { from: string; isFuture: boolean },
  { readonly period: AllowancePeriod; readonly countsFrom: string | null }
>(`
  select ${isoMicros('f.at')} as from, f.at > clock_timestamp() as is_future
  from (select coalesce(:countsFrom::timestamptz, case :period when 'prepaid' then clock_timestamp()
    else ${periodStart(':period', 'clock_timestamp()')} end) as at) f`);

const ERASING = statement<
  { isErasing: boolean },
  { readonly organizationId: OrganizationId; readonly subjectId: string }
>(`
  select exists (
    select 1 from end_user_erasure where organization_id = :organizationId and finished_at is null
      and :subjectId in (external_id, pseudonym)) as is_erasing`);

/** Until an erasure ends, the end user's events have two names, so earlier costs cannot be summed. */
async function isBeingErased(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  subjectId: string,
): Promise<boolean> {
  return (await tx.one(ERASING, { organizationId, subjectId })).isErasing;
}

/** Returns its id. Fails with `VALIDATION_ERROR`. */
export async function createAllowance(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  draft: AllowanceDraft,
  at: Date,
): Promise<string> {
  if ((await countAllowances(tx, organizationId)) >= ALLOWANCES_MAX)
    fail('VALIDATION_ERROR', `The limit of ${ALLOWANCES_MAX} allowances is reached: remove one first`);
  const { from, isFuture } = await tx.one(DEFAULT_FROM, { period: draft.period, countsFrom: draft.countsFrom });
  if (isFuture) fail('VALIDATION_ERROR', 'countsFrom must not be in the future');
  await lockOrganization(tx, 'erasures', organizationId, 'shared');
  if (draft.subject === 'end_user' && (await isBeingErased(tx, organizationId, draft.subjectId)))
    fail('VALIDATION_ERROR', 'This end user is being erased: create the allowance when the erasure has ended');
  const max = ALLOWANCE_EVENTS_MAX + 1;
  if ((await countEarlierEvents(tx, organizationId, draft, { from, max })) === max)
    fail(
      'VALIDATION_ERROR',
      `Too many events since ${canonicalInstant(from)} to include in this allowance: send a later countsFrom, such as ${at.toISOString()}. Costs before it do not count`,
    );
  await excludePricing(tx, organizationId);
  const [id = ''] = uuidsV7(1);
  if (!(await insertAllowance(tx, { ...draft, organizationId, id, countsFrom: from, at })))
    fail('VALIDATION_ERROR', 'This allowance was created at the same time: save it again');
  await openPeriods(tx, organizationId, [id]);
  await changePeriods(tx, organizationId, await sumEarlierCosts(tx, organizationId, { ...draft, id }, from));
  return id;
}
