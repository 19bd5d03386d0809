/** Creates the allowance of a subject and a period, or changes its amount and policy. */
import { canonicalInstant } from '#kernel/time/instant.ts';
import { now } from '#platform/clock.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#schema/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { ALLOWANCE_EVENTS_MAX, ALLOWANCES_MAX } from '../config.ts';
import type { Allowance, AllowanceSaveInput } from '../resolvers.generated.ts';
import {
  type AllowancePeriod,
  countAllowances,
  insertAllowance,
  lockAllowance,
  periodStart,
  updateAllowance,
} from './allowance.table.ts';
import { changePeriods, openPeriods } from './allowance-period.table.ts';
import { findAllowance } from './allowance-balance.query.ts';
import { toAllowanceView } from './allowance-view.ts';
import { countEarlierEvents, sumEarlierCosts } from './allowed-costs.query.ts';
import { describeAllowance } from './describe-allowance.ts';
import { excludePricing } from './exclude-pricing.step.ts';
import { type AllowanceDraft, parseAllowance } from './parse-allowance.ts';

const DEFAULT_FROM = statement<
  { from: string; isFuture: boolean },
  { readonly period: AllowancePeriod; readonly countsFrom: string | null }
>(`
  select ${isoMicros('f.at')} as from, f.at > clock_timestamp() as is_future
  from (select coalesce(:countsFrom::timestamptz, case :period when 'prepaid' then clock_timestamp()
    else ${periodStart(':period', 'clock_timestamp()')} end) as at) f`);

const ERASING = statement<{ isErasing: boolean }, { readonly organizationId: string; readonly subjectId: string }>(`
  select exists (
    select 1 from end_user_erasure where organization_id = :organizationId and finished_at is null
      and :subjectId in (external_id, pseudonym)) as is_erasing`);

/** Its events have two names until the erasure ends, so its earlier costs cannot be summed. */
async function isBeingErased(tx: WriteTransaction, organizationId: string, subjectId: string): Promise<boolean> {
  return (await tx.one(ERASING, { organizationId, subjectId })).isErasing;
}

/** Fails with `VALIDATION_ERROR`. */
export async function saveAllowance(context: SubgraphContext, input: AllowanceSaveInput): Promise<Allowance> {
  const organizationId = organizationOf(context);
  const draft = parseAllowance(input);
  const at = now();
  const saved = await context.database.write(organizationId, async (tx) => {
    const before = await lockAllowance(tx, organizationId, draft);
    if (before && draft.countsFrom !== null && draft.countsFrom !== canonicalInstant(before.countsFrom))
      fail(
        'VALIDATION_ERROR',
        `countsFrom of an allowance cannot be changed; it is ${canonicalInstant(before.countsFrom)}`,
      );
    const id = before?.id ?? (await createAllowance(tx, organizationId, draft, at));
    if (before) await updateAllowance(tx, organizationId, id, draft, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: before ? 'allowance.changed' : 'allowance.created',
      ...actorOf(context.principal),
      subjectId: id,
      detail: describeAllowance(draft),
    });
    return findAllowance(tx, organizationId, id);
  });
  return toAllowanceView(saved ?? fail('NOT_FOUND', 'This allowance was removed at the same time'));
}

async function createAllowance(
  tx: WriteTransaction,
  organizationId: string,
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
